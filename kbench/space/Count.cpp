#include "kbench/space/Count.h"
#include "kbench/space/Tail.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

namespace phobos::kbench {
namespace {

using Clock = std::chrono::steady_clock;

/// Names that constraints connect, and those constraints.
struct Group {
  std::vector<size_t> names;
  std::vector<NodeId> constraints;
};

std::vector<Group> connectedGroups(const SearchSpace &space) {
  std::vector<std::pair<NameSet, std::vector<NodeId>>> sets;
  for (NodeId c : space.constraints) {
    std::pair<NameSet, std::vector<NodeId>> merged{space.pool[c].names, {c}};
    for (auto it = sets.begin(); it != sets.end();)
      if (it->first & merged.first) {
        merged.first |= it->first;
        merged.second.insert(merged.second.end(), it->second.begin(), it->second.end());
        it = sets.erase(it);
      } else {
        ++it;
      }
    sets.push_back(std::move(merged));
  }
  std::vector<Group> groups;
  for (auto &[names, constraints] : sets) {
    Group g{{}, std::move(constraints)};
    for (NameSet rest = names; rest; rest &= rest - 1)
      g.names.push_back(static_cast<size_t>(std::countr_zero(rest)));
    groups.push_back(std::move(g));
  }
  return groups;
}

/// Counts of states already seen; a fixed number of places, a new entry takes the old one's.
class CountMemory {
public:
  explicit CountMemory(double states)
      : entries_(std::bit_ceil(static_cast<size_t>(std::clamp(states, 16.0, 1048576.0)))) {}
  const uint64_t *find(const StateKey &k) const {
    const Entry &e = entries_[k.a & (entries_.size() - 1)];
    return e.isUsed && e.key == k ? &e.count : nullptr;
  }
  void store(const StateKey &k, uint64_t count) { entries_[k.a & (entries_.size() - 1)] = {k, count, true}; }

private:
  struct Entry {
    StateKey key;
    uint64_t count = 0;
    bool isUsed = false;
  };
  std::vector<Entry> entries_;
};

/// Counts one group; of points that differ only in ignored names, one.
class GroupCount {
public:
  GroupCount(const SearchSpace &space, const Group &group, CountMemory &memory, Clock::time_point deadline)
      : space_(space),
        plan_(makePlan(space, group.constraints, goodOrder(space, group.constraints, group.names))),
        binder_(plan_), tail_(plan_), memory_(memory), deadline_(deadline),
        free_(plan_.depths.size() + 1, 1) {
    for (size_t d = plan_.depths.size(); d-- > 0;) {
      const FreeName &n = space.names[plan_.depths[d].name];
      free_[d] = n.isIgnored ? 1 : free_[d + 1] * n.choices.size();
    }
  }
  /// nullopt: out of time.
  std::optional<uint64_t> run() {
    uint64_t result = binder_.isPossible() ? count(0) : 0;
    return late_ ? std::nullopt : std::optional(result);
  }

private:
  uint64_t count(size_t d) {
    if (binder_.allDecided(d))
      return free_[d];
    StateKey key = binder_.key(d);
    if (const uint64_t *known = memory_.find(key))
      return *known;
    uint64_t total = 0;
    if (d == tail_.depth()) {
      tick(64);
      total = tail_.count(binder_);
    } else {
      const FreeName &name = space_.names[plan_.depths[d].name];
      for (int64_t value : name.choices) {
        tick(1);
        if (late_)
          return 0;
        if (binder_.bind(d, value))
          total += count(d + 1);
        if (name.isIgnored && total)
          break;
      }
    }
    if (!late_)
      memory_.store(key, total);
    return total;
  }

  void tick(unsigned work) {
    work_ += work;
    if (work_ >= 65536) {
      work_ = 0;
      late_ = Clock::now() > deadline_;
    }
  }

  const SearchSpace &space_;
  Plan plan_;
  Binder binder_;
  Tail tail_;
  CountMemory &memory_;
  Clock::time_point deadline_;
  std::vector<uint64_t> free_; ///< points below a depth once nothing constrains them
  unsigned work_ = 0;
  bool late_ = false;
};

/// Random descents: each choice that does not fail at once is taken with equal chance, and the product of how
/// many there were is an unbiased guess of the count (Knuth 1975).
SpaceCount estimate(const SearchSpace &space, const std::vector<NodeId> &constraints,
                    const std::vector<size_t> &names) {
  Plan plan = makePlan(space, constraints, goodOrder(space, constraints, names));
  Binder binder(plan);
  std::mt19937_64 random(1);
  double sum = 0, squares = 0;
  uint64_t samples = 0;
  auto end = Clock::now() + std::chrono::milliseconds(500);
  while (Clock::now() < end)
    for (int batch = 0; batch < 64; ++batch, ++samples) {
      double guess = 1;
      for (size_t d = 0; d < plan.depths.size() && guess > 0; ++d) {
        const FreeName &name = space.names[plan.depths[d].name];
        std::vector<int64_t> open;
        for (int64_t v : name.choices)
          if (binder.bind(d, v))
            open.push_back(v);
        guess *= name.isIgnored ? !open.empty() : static_cast<double>(open.size());
        if (!open.empty())
          binder.bind(d, open[random() % open.size()]);
      }
      sum += guess;
      squares += guess * guess;
    }
  double n = static_cast<double>(samples), mean = sum / n;
  return {false, mean, std::sqrt(std::max(0.0, squares / n - mean * mean) / n), samples};
}

} // namespace

SpaceCount countPoints(const SearchSpace &space, std::chrono::milliseconds limit) {
  auto deadline = Clock::now() + limit;
  SpaceCount result{true, 1, 0, 0};
  if (space.neverHolds)
    return {true, 0, 0, 0};
  NameSet connected = 0;
  for (NodeId c : space.constraints)
    connected |= space.pool[c].names;
  for (size_t i = 0; i < space.names.size(); ++i)
    if (!(connected >> i & 1) && !space.names[i].isIgnored)
      result.points *= static_cast<double>(space.names[i].choices.size());
  for (const Group &group : connectedGroups(space)) {
    double raw = 1;
    for (size_t i : group.names)
      raw *= static_cast<double>(space.names[i].choices.size());
    CountMemory memory(raw);
    GroupCount counter(space, group, memory, deadline);
    if (auto count = counter.run()) {
      result.points *= static_cast<double>(*count);
      continue;
    }
    SpaceCount guess = estimate(space, group.constraints, group.names);
    double relative = guess.points > 0 ? guess.error / guess.points : 0;
    result.points *= guess.points;
    result.error = std::hypot(result.error, relative); // relative until the end
    result.samples += guess.samples;
    result.isExact = false;
  }
  result.error *= result.points;
  return result;
}

} // namespace phobos::kbench
