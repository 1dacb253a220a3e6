#include "kbench/space/Plan.h"
#include <algorithm>
#include <bit>

namespace phobos::kbench {
namespace {

constexpr Register none = ~Register(0);

// Visits the nodes under `root` that are not bound once `d` names are, operands first.
template <typename Visit>
void forUnbound(const Plan &plan, NodeId root, size_t d, std::vector<bool> &seen, Visit visit) {
  std::vector<std::pair<NodeId, size_t>> stack;
  auto push = [&](NodeId n) {
    if (plan.boundAt[n] > d && !seen[n]) {
      seen[n] = true;
      stack.push_back({n, 0});
    }
  };
  const FormulaPool &pool = plan.space->pool;
  push(root);
  while (!stack.empty()) {
    auto &[n, next] = stack.back();
    if (next < pool[n].args.size()) {
      push(pool[n].args[next++]);
      continue;
    }
    visit(n);
    stack.pop_back();
  }
}

std::vector<Register> liveRegisters(const Plan &plan, NodeId root, size_t d) {
  std::vector<Register> result;
  std::vector<bool> seen(plan.boundAt.size());
  const FormulaPool &pool = plan.space->pool;
  forUnbound(plan, root, d, seen, [&](NodeId n) {
    if (isChain(pool[n].op)) {
      if (plan.chainAt[d][n] != none)
        result.push_back(plan.chainAt[d][n]);
      return;
    }
    for (NodeId a : pool[n].args)
      if (plan.boundAt[a] <= d && pool[a].op != FormulaOp::Const)
        result.push_back(a);
  });
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

Plan::Test makeTest(const Plan &plan, size_t constraint, size_t d) {
  NodeId root = plan.constraints[constraint];
  Plan::Test test{constraint, plan.boundAt[root] <= d, {}};
  if (test.isComplete)
    return test;
  const FormulaPool &pool = plan.space->pool;
  std::vector<bool> seen(plan.boundAt.size());
  forUnbound(plan, root, d, seen, [&](NodeId n) {
    if (pool[n].op == FormulaOp::Name)
      return; // its bounds never change
    Plan::IntervalStep step{pool[n].op, n, {}};
    bool chain = isChain(pool[n].op);
    if (chain && plan.chainAt[d][n] != none)
      step.args.push_back({true, plan.chainAt[d][n]});
    for (NodeId a : pool[n].args)
      if (plan.boundAt[a] > d)
        step.args.push_back({false, a});
      else if (!chain)
        step.args.push_back({true, a});
    test.bounds.push_back(std::move(step));
  });
  return test;
}

// The steps that the binding of name `d` makes possible, operands first (nodes are numbered so).
void makeSteps(Plan &plan, const std::vector<NodeId> &nodes, size_t d) {
  const FormulaPool &pool = plan.space->pool;
  plan.chainAt[d + 1] = plan.chainAt[d];
  for (NodeId n : nodes) {
    const FormulaNode &node = pool[n];
    if (node.args.empty())
      continue;
    if (!isChain(node.op)) {
      if (plan.boundAt[n] == d + 1)
        plan.depths[d].steps.push_back({node.op, n, n, node.args});
      continue;
    }
    std::vector<Register> args;
    for (NodeId a : node.args)
      if (plan.boundAt[a] == d + 1)
        args.push_back(a);
    if (args.empty())
      continue;
    if (Register before = plan.chainAt[d][n]; before != none)
      args.push_back(before);
    Register dst = plan.boundAt[n] == d + 1 ? n : static_cast<Register>(plan.registerCount++);
    plan.chainAt[d + 1][n] = dst;
    plan.depths[d].steps.push_back({node.op, dst, n, std::move(args)});
  }
}

std::vector<NodeId> nodesOf(const FormulaPool &pool, const std::vector<NodeId> &roots) {
  std::vector<bool> seen(pool.size());
  std::vector<NodeId> work = roots, result;
  while (!work.empty()) {
    NodeId n = work.back();
    work.pop_back();
    if (seen[n])
      continue;
    seen[n] = true;
    result.push_back(n);
    work.insert(work.end(), pool[n].args.begin(), pool[n].args.end());
  }
  std::sort(result.begin(), result.end());
  return result;
}

} // namespace

Plan makePlan(const SearchSpace &space, std::vector<NodeId> constraints, const std::vector<size_t> &order) {
  Plan plan;
  plan.space = &space;
  plan.constraints = std::move(constraints);
  const FormulaPool &pool = space.pool;
  plan.registerCount = pool.size();
  std::vector<NodeId> nodes = nodesOf(pool, plan.constraints);

  std::vector<size_t> place(space.names.size(), 0);
  for (size_t d = 0; d < order.size(); ++d)
    place[order[d]] = d + 1;
  plan.boundAt.assign(pool.size(), 0);
  for (NodeId n : nodes)
    for (NameSet rest = pool[n].names; rest; rest &= rest - 1)
      plan.boundAt[n] = std::max(plan.boundAt[n], place[std::countr_zero(rest)]);

  // Constants of a chain are bound from the start.
  plan.chainAt.assign(order.size() + 1, std::vector<Register>(pool.size(), none));
  for (NodeId n : nodes)
    if (isChain(pool[n].op))
      for (NodeId a : pool[n].args)
        if (pool[a].op == FormulaOp::Const)
          plan.chainAt[0][n] = a;
  plan.depths.resize(order.size());
  for (size_t d = 0; d < order.size(); ++d) {
    plan.depths[d].name = order[d];
    for (NodeId n : nodes)
      if (pool[n].op == FormulaOp::Name && pool[n].value == static_cast<int64_t>(order[d]))
        plan.depths[d].node = n;
    makeSteps(plan, nodes, d);
  }
  for (size_t c = 0; c < plan.constraints.size(); ++c) {
    plan.initialTests.push_back(makeTest(plan, c, 0));
    for (size_t d = 0; d < order.size(); ++d)
      if (pool[plan.constraints[c]].names >> order[d] & 1)
        plan.depths[d].tests.push_back(makeTest(plan, c, d + 1));
  }
  plan.live.resize(order.size() + 1);
  for (size_t d = 0; d <= order.size(); ++d)
    for (NodeId root : plan.constraints)
      plan.live[d].push_back(liveRegisters(plan, root, d));
  return plan;
}

std::vector<size_t> goodOrder(const SearchSpace &space, const std::vector<NodeId> &constraints,
                              std::vector<size_t> names) {
  const FormulaPool &pool = space.pool;
  std::vector<NodeId> nodes = nodesOf(pool, constraints);
  // How many values are alive between what `bound` determines and the rest.
  auto liveCount = [&](NameSet bound) {
    auto isBound = [&](NodeId n) { return (pool[n].names & ~bound) == 0; };
    std::vector<bool> counted(pool.size());
    size_t count = 0;
    for (NodeId n : nodes) {
      if (isBound(n))
        continue;
      bool partOfChain = false;
      for (NodeId a : pool[n].args)
        if (pool[a].op != FormulaOp::Const && isBound(a)) {
          if (isChain(pool[n].op))
            partOfChain = true;
          else if (!counted[a])
            counted[a] = true, ++count;
        }
      count += partOfChain;
    }
    return count;
  };
  auto completed = [&](NameSet bound) {
    return std::count_if(constraints.begin(), constraints.end(),
                         [&](NodeId c) { return (pool[c].names & ~bound) == 0; });
  };
  std::vector<size_t> order;
  NameSet bound = 0;
  for (bool ignored : {false, true})
    while (true) {
      std::optional<size_t> best;
      size_t bestLive = 0;
      long bestCompleted = 0;
      for (size_t i = 0; i < names.size(); ++i) {
        if (space.names[names[i]].isIgnored != ignored)
          continue;
        NameSet with = bound | NameSet(1) << names[i];
        size_t live = liveCount(with);
        long done = completed(with);
        if (!best || live < bestLive || (live == bestLive && done > bestCompleted))
          best = i, bestLive = live, bestCompleted = done;
      }
      if (!best)
        break;
      bound |= NameSet(1) << names[*best];
      order.push_back(names[*best]);
      names.erase(names.begin() + static_cast<ptrdiff_t>(*best));
    }
  return order;
}

Binder::Binder(const Plan &plan)
    : plan_(plan), registers_(plan.registerCount), intervals_(plan.space->pool.size()),
      decided_(plan.depths.size() + 1) {
  const FormulaPool &pool = plan.space->pool;
  for (NodeId n = 0; n < pool.size(); ++n) {
    if (pool[n].op == FormulaOp::Const)
      registers_[n] = pool[n].value;
    if (pool[n].op == FormulaOp::Name) {
      const auto &choices = plan.space->names[static_cast<size_t>(pool[n].value)].choices;
      auto [lo, hi] = std::minmax_element(choices.begin(), choices.end());
      intervals_[n] = {*lo, *hi};
    }
  }
  for (const Plan::Test &test : plan.initialTests)
    possible_ = possible_ && runTest(test, decided_[0]);
}

bool Binder::runTest(const Plan::Test &test, uint64_t &decided) {
  size_t c = test.constraint;
  bool masked = c < Plan::maskedConstraints;
  if (masked && (decided >> c & 1))
    return true;
  NodeId root = plan_.constraints[c];
  if (test.isComplete) {
    if (registers_[root] == 0)
      return false;
    decided |= masked ? uint64_t(1) << c : 0;
    return true;
  }
  for (const Plan::IntervalStep &step : test.bounds) {
    operands_.clear();
    for (Plan::Operand o : step.args)
      operands_.push_back(o.isBound ? Interval::exactly(registers_[o.index]) : intervals_[o.index]);
    intervals_[step.node] = bound(step.op, operands_);
  }
  if (intervals_[root].isFalse())
    return false;
  if (masked && intervals_[root].isTrue())
    decided |= uint64_t(1) << c;
  return true;
}

bool Binder::bind(size_t d, int64_t value) {
  const Plan::Depth &depth = plan_.depths[d];
  const FormulaPool &pool = plan_.space->pool;
  if (depth.node)
    registers_[*depth.node] = value;
  for (const Plan::Step &step : depth.steps) {
    int64_t result;
    if (isChain(step.op)) {
      result = identityOf(step.op);
      for (Register r : step.args)
        result = combine(step.op, result, registers_[r]);
    } else if (step.op == FormulaOp::Opaque) {
      auto lookup = [&](std::string_view text) -> std::optional<int64_t> {
        for (NodeId a : pool[step.node].args)
          if (plan_.space->names[static_cast<size_t>(pool[a].value)].name == text)
            return registers_[a];
        auto v = plan_.space->fixed.get(text);
        return v ? v : plan_.space->runtimeDims.get(text);
      };
      result = sema::evaluateConstant(pool[step.node].source, lookup).value_or(1);
    } else {
      int64_t args[3] = {};
      for (size_t i = 0; i < step.args.size(); ++i)
        args[i] = registers_[step.args[i]];
      result = FormulaPool::apply(step.op, args);
    }
    registers_[step.dst] = result;
  }
  decided_[d + 1] = decided_[d];
  for (const Plan::Test &test : depth.tests)
    if (!runTest(test, decided_[d + 1]))
      return false;
  return true;
}

bool Binder::allDecided(size_t d) const {
  for (size_t c = 0; c < plan_.constraints.size(); ++c)
    if (!isDecided(d, c) && plan_.boundAt[plan_.constraints[c]] > d)
      return false;
  return true;
}

StateKey Binder::key(size_t d) const {
  StateKey k{0x9e3779b97f4a7c15ULL ^ d, 0xc2b2ae3d27d4eb4fULL + d};
  auto mix = [&k](uint64_t v) {
    k.a = (k.a ^ v) * 0xff51afd7ed558ccdULL;
    k.a ^= k.a >> 32;
    k.b = (std::rotl(k.b, 29) + v) * 0xc4ceb9fe1a85ec53ULL;
    k.b ^= k.b >> 31;
  };
  mix(decided_[d]);
  for (size_t c = 0; c < plan_.constraints.size(); ++c)
    if (!isDecided(d, c))
      for (Register r : plan_.live[d][c])
        mix(static_cast<uint64_t>(registers_[r]));
  return k;
}

} // namespace phobos::kbench
