#include "kbench/space/Walk.h"

namespace phobos::kbench {
namespace {

constexpr size_t maxDead = size_t(1) << 19;

std::vector<size_t> declarationOrder(const SearchSpace &space) {
  std::vector<size_t> order;
  for (bool ignored : {false, true})
    for (size_t i = 0; i < space.names.size(); ++i)
      if (space.names[i].isIgnored == ignored)
        order.push_back(i);
  return order;
}

} // namespace

Walk::Walk(const SearchSpace &space)
    : space_(space), plan_(makePlan(space, space.constraints, declarationOrder(space))),
      binder_(std::make_unique<Binder>(plan_)), choice_(plan_.depths.size()),
      found_(plan_.depths.size() + 1) {
  for (const FreeName &n : space.names)
    kept_ += !n.isIgnored;
  ended_ = space.neverHolds || !binder_->isPossible();
}

Point Walk::current() const {
  Point point;
  std::vector<int64_t> values(space_.names.size());
  for (size_t d = 0; d < choice_.size(); ++d)
    values[plan_.depths[d].name] = space_.names[plan_.depths[d].name].choices[choice_[d]];
  for (const std::string &name : space_.declared)
    if (auto v = space_.fixed.get(name))
      point.set(name, *v);
    else
      for (size_t i = 0; i < values.size(); ++i)
        if (space_.names[i].name == name)
          point.set(name, values[i]);
  return point;
}

bool Walk::enter(size_t depth) {
  ++steps_;
  const FreeName &name = space_.names[plan_.depths[depth].name];
  return binder_->bind(depth, name.choices[choice_[depth]]) &&
         (dead_.empty() || !dead_.contains(binder_->key(depth + 1)));
}

void Walk::leave(size_t depth) {
  // Nothing was found under this prefix: nor will it be under another one that leaves the same to decide.
  if (!found_[depth] && depth > 0) {
    if (dead_.size() >= maxDead)
      dead_.clear();
    dead_.insert(binder_->key(depth));
  }
}

std::optional<Point> Walk::next() {
  size_t n = plan_.depths.size();
  if (ended_)
    return std::nullopt;
  if (n == 0) {
    ended_ = true;
    return current();
  }
  size_t depth = 0;
  bool advance = false; // try the next choice at `depth`, else its first
  if (started_) {
    if (kept_ == 0) {
      ended_ = true;
      return std::nullopt;
    }
    depth = kept_ - 1;
    advance = true;
  }
  started_ = true;
  while (true) {
    if (advance)
      ++choice_[depth];
    else
      choice_[depth] = 0, found_[depth] = false;
    if (choice_[depth] == space_.names[plan_.depths[depth].name].choices.size()) {
      leave(depth);
      if (depth == 0) {
        ended_ = true;
        return std::nullopt;
      }
      --depth;
      advance = true;
      continue;
    }
    if (!enter(depth)) {
      advance = true;
      continue;
    }
    if (depth + 1 == n) {
      found_.assign(n + 1, true);
      return current();
    }
    ++depth;
    advance = false;
  }
}

} // namespace phobos::kbench
