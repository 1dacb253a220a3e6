// The last few names of a plan, evaluated for all their combinations at once.
#pragma once
#include "kbench/space/Plan.h"

namespace phobos::kbench {

class Tail {
public:
  /// Takes as many of the plan's last names as stay within a few hundred combinations; none if the plan has
  /// opaque nodes.
  explicit Tail(const Plan &plan);
  /// The depth at which its names begin.
  size_t depth() const { return depth_; }
  /// Combinations for which every constraint holds, the names before being bound in `binder`.
  uint64_t count(const Binder &binder);

private:
  struct Source {
    bool isVector;
    uint32_t index; ///< a vector, or a register
  };
  struct Step {
    FormulaOp op;
    uint32_t dst;
    std::vector<Source> args;
  };
  uint32_t newVector(Register r);
  void addStep(const Plan::Step &s, std::vector<bool> &varies);
  void evaluate(const Step &step, const Binder &binder);

  const Plan &plan_;
  size_t depth_ = 0, size_ = 1;
  std::vector<std::vector<int64_t>> vectors_;
  std::vector<Step> steps_;        ///< what depends on names before the tail too
  std::vector<uint32_t> vectorOf_; ///< of a node that the tail binds
  std::vector<uint8_t> holds_;
};

} // namespace phobos::kbench
