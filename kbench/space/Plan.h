// Binds the names of a space one after another in a fixed order, keeping the constraints evaluated as far as
// they can be.
//
// A Plan is the order with everything worked out before: which nodes get their value when, which constraints
// to look at, and which values the rest of the space still depends on. A Binder is one walk along it.
#pragma once
#include "kbench/space/Interval.h"
#include "kbench/space/SearchSpace.h"
#include <array>

namespace phobos::kbench {

using Register = uint32_t; ///< of a node its NodeId; partly bound chains have registers after those

struct Plan {
  /// `dst = op(args)`: a node, or what is bound of a chain so far.
  struct Step {
    FormulaOp op;
    Register dst;
    NodeId node;
    std::vector<Register> args;
  };
  struct Operand {
    bool isBound; ///< a register, else an interval
    uint32_t index;
  };
  struct IntervalStep {
    FormulaOp op;
    NodeId node;
    std::vector<Operand> args;
  };
  /// What to do with a constraint once a name of it is bound.
  struct Test {
    size_t constraint;
    bool isComplete;
    std::vector<IntervalStep> bounds; ///< if not complete
  };
  struct Depth {
    size_t name;                ///< index into SearchSpace::names
    std::optional<NodeId> node; ///< of the name, if a constraint uses it
    std::vector<Step> steps;
    std::vector<Test> tests;
  };

  const SearchSpace *space = nullptr;
  std::vector<NodeId> constraints;
  std::vector<Depth> depths;
  std::vector<Test> initialTests;
  /// live[d][c]: registers that constraint c still depends on once d names are bound.
  std::vector<std::vector<std::vector<Register>>> live;
  size_t registerCount = 0;
  /// boundAt[node]: the number of names that must be bound for it.
  std::vector<size_t> boundAt;
  /// chainAt[d][node]: the register that holds what is bound of an unfinished chain once d names are; ~0 if
  /// nothing is.
  std::vector<std::vector<Register>> chainAt;

  static constexpr size_t maskedConstraints = 64;
};

/// `order` holds indices of SearchSpace::names and covers the names of `constraints`.
Plan makePlan(const SearchSpace &space, std::vector<NodeId> constraints, const std::vector<size_t> &order);

/// Names in an order that keeps few values alive: first those not ignored, then the ignored ones.
std::vector<size_t> goodOrder(const SearchSpace &space, const std::vector<NodeId> &constraints,
                              std::vector<size_t> names);

/// 128 bits that stand for everything the rest of a walk depends on.
struct StateKey {
  uint64_t a = 0, b = 0;
  bool operator==(const StateKey &) const = default;
};

class Binder {
public:
  explicit Binder(const Plan &plan);
  /// False: no point satisfies the constraints.
  bool isPossible() const { return possible_; }
  /// Binds the name of depth `d` (those before are bound); false if a constraint cannot hold any more.
  bool bind(size_t d, int64_t value);
  /// With `d` names bound, every constraint holds whatever the others are.
  bool allDecided(size_t d) const;
  bool isDecided(size_t d, size_t constraint) const {
    return constraint < Plan::maskedConstraints && (decided_[d] >> constraint & 1);
  }
  StateKey key(size_t d) const;
  int64_t reg(Register r) const { return registers_[r]; }

private:
  bool runTest(const Plan::Test &test, uint64_t &decided);

  const Plan &plan_;
  std::vector<int64_t> registers_;
  std::vector<Interval> intervals_;
  std::vector<Interval> operands_;
  std::vector<uint64_t> decided_;
  bool possible_ = true;
};

} // namespace phobos::kbench
