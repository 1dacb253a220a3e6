#include "kbench/space/Tail.h"
#include "runtime/contract/Integer.h"
#include <algorithm>

namespace phobos::kbench {
namespace {

constexpr size_t maxCombinations = 1024;
constexpr uint32_t none = ~uint32_t(0);

bool hasOpaque(const Plan &plan) {
  for (const Plan::Depth &d : plan.depths)
    for (const Plan::Step &s : d.steps)
      if (s.op == FormulaOp::Opaque)
        return true;
  return false;
}

// One operand: its elements, or one value again and again.
struct Elements {
  const int64_t *data;
  size_t stride;
  int64_t operator[](size_t i) const { return data[i * stride]; }
};

template <typename F> void fill(std::vector<int64_t> &dst, Elements a, Elements b, F f) {
  int64_t *out = dst.data();
  size_t n = dst.size();
  if (a.stride && b.stride)
    for (size_t i = 0; i < n; ++i)
      out[i] = f(a.data[i], b.data[i]);
  else
    for (size_t i = 0; i < n; ++i)
      out[i] = f(a[i], b[i]);
}

} // namespace

Tail::Tail(const Plan &plan) : plan_(plan) {
  const SearchSpace &space = *plan.space;
  depth_ = plan.depths.size();
  if (hasOpaque(plan))
    return;
  auto choicesAt = [&](size_t d) -> const std::vector<int64_t> & {
    return space.names[plan.depths[d].name].choices;
  };
  while (depth_ > 0 && size_ * choicesAt(depth_ - 1).size() <= maxCombinations &&
         !space.names[plan.depths[depth_ - 1].name].isIgnored)
    size_ *= choicesAt(--depth_).size();
  holds_.resize(size_);

  vectorOf_.assign(plan.registerCount, none);
  size_t repeat = size_;
  for (size_t d = depth_; d < plan.depths.size(); ++d) {
    const auto &choices = choicesAt(d);
    repeat /= choices.size();
    if (plan.depths[d].node) {
      auto &v = vectors_[newVector(*plan.depths[d].node)];
      for (size_t i = 0; i < size_; ++i)
        v[i] = choices[i / repeat % choices.size()];
    }
  }
  std::vector<bool> varies(plan.registerCount);
  for (size_t d = depth_; d < plan.depths.size(); ++d)
    for (const Plan::Step &s : plan.depths[d].steps)
      addStep(s, varies);
}

uint32_t Tail::newVector(Register r) {
  vectors_.emplace_back(size_);
  return vectorOf_[r] = static_cast<uint32_t>(vectors_.size() - 1);
}

// What depends on the tail's names alone is worked out here, once; so is that part of a chain.
void Tail::addStep(const Plan::Step &s, std::vector<bool> &varies) {
  auto isSteady = [&](Register r) {
    if (vectorOf_[r] != none)
      return !varies[r];
    return r < plan_.space->pool.size() && plan_.space->pool[r].op == FormulaOp::Const;
  };
  auto source = [&](Register r) {
    bool isVector = vectorOf_[r] != none;
    return Source{isVector, isVector ? vectorOf_[r] : r};
  };
  std::vector<Source> steady, varying;
  for (Register r : s.args)
    (isSteady(r) ? steady : varying).push_back(source(r));
  varies[s.dst] = !varying.empty();
  uint32_t dst = newVector(s.dst);
  Binder nothingBound(plan_);
  if (varying.empty()) {
    evaluate({s.op, dst, steady}, nothingBound);
    return;
  }
  if (isChain(s.op) && !steady.empty()) {
    vectors_.emplace_back(size_);
    auto part = static_cast<uint32_t>(vectors_.size() - 1);
    evaluate({s.op, part, steady}, nothingBound);
    varying.insert(varying.begin(), {true, part});
    steps_.push_back({s.op, dst, varying});
    return;
  }
  Step step{s.op, dst, {}};
  for (Register r : s.args)
    step.args.push_back(source(r));
  steps_.push_back(std::move(step));
}

void Tail::evaluate(const Step &step, const Binder &binder) {
  auto &dst = vectors_[step.dst];
  int64_t scalars[3] = {};
  Elements args[3] = {};
  auto load = [&](size_t slot, Source s) {
    if (!s.isVector)
      scalars[slot] = binder.reg(s.index);
    args[slot] = s.isVector ? Elements{vectors_[s.index].data(), 1} : Elements{&scalars[slot], 0};
  };
  auto binary = [&](FormulaOp op) {
    switch (op) {
#define EACH(OP, EXPR)                                                                                       \
  case FormulaOp::OP:                                                                                        \
    return fill(dst, args[0], args[1], [](int64_t a, int64_t b) -> int64_t { return EXPR; });
      EACH(Add, integer::add(a, b))
      EACH(Mul, integer::mul(a, b))
      EACH(And, a & b)
      EACH(Or, a | b)
      EACH(Xor, a ^ b)
      EACH(Min, std::min(a, b))
      EACH(Max, std::max(a, b))
      EACH(Div, integer::div(a, b))
      EACH(Rem, integer::rem(a, b))
      EACH(Eq, a == b)
      EACH(Ne, a != b)
      EACH(Lt, a < b)
      EACH(Le, a <= b)
      EACH(LogicalAnd, (a != 0) & (b != 0))
      EACH(LogicalOr, (a != 0) | (b != 0))
#undef EACH
    default:
      return fill(dst, args[0], args[1], [op](int64_t a, int64_t b) {
        if (isChain(op))
          return combine(op, a, b);
        int64_t both[2] = {a, b};
        return FormulaPool::apply(op, both);
      });
    }
  };
  if (isChain(step.op)) {
    load(0, step.args[0]);
    if (step.args.size() == 1) {
      scalars[1] = identityOf(step.op);
      args[1] = {&scalars[1], 0};
      return binary(step.op);
    }
    for (size_t i = 1; i < step.args.size(); ++i) {
      load(1, step.args[i]);
      binary(step.op);
      args[0] = {dst.data(), 1};
    }
    return;
  }
  for (size_t i = 0; i < step.args.size(); ++i)
    load(i, step.args[i]);
  if (step.args.size() == 2)
    return binary(step.op);
  for (size_t i = 0; i < size_; ++i) {
    int64_t values[3] = {args[0][i], args[1].data ? args[1][i] : 0, args[2].data ? args[2][i] : 0};
    dst[i] = FormulaPool::apply(step.op, values);
  }
}

uint64_t Tail::count(const Binder &binder) {
  for (const Step &step : steps_)
    evaluate(step, binder);
  std::fill(holds_.begin(), holds_.end(), 1);
  for (size_t c = 0; c < plan_.constraints.size(); ++c) {
    NodeId root = plan_.constraints[c];
    if (plan_.boundAt[root] <= depth_ || binder.isDecided(depth_, c))
      continue;
    const auto &v = vectors_[vectorOf_[root]];
    for (size_t i = 0; i < size_; ++i)
      holds_[i] &= v[i] != 0;
  }
  uint64_t total = 0;
  for (uint8_t h : holds_)
    total += h;
  return total;
}

} // namespace phobos::kbench
