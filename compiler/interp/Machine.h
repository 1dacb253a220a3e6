// The state of one block while it runs, and the evaluator's two halves: statements (Machine.cpp) and
// expressions (Evaluate.cpp).
//
// All threads of a block go through the statements together. A scalar that they share is one cell; one that
// differs has a cell a thread. `mask_` says which threads are here: a condition that differs splits it,
// break, continue and return take threads out of it until the loop or function ends. Barriers are then no-ops
// for values; `--check` counts them (Shadow.h).
#pragma once
#include "compiler/interp/Interp.h"
#include "compiler/interp/Lanes.h"
#include "compiler/interp/Shadow.h"
#include "compiler/interp/Tensor.h"
#include "compiler/interp/Value.h"

namespace phobos::interp {

class Machine {
public:
  /// `shadow` may be null.
  Machine(const sema::TypedKernel &kernel, const std::vector<Argument> &args,
          const std::vector<int64_t> &dims, const std::array<int64_t, 3> &grid, const Options &options,
          Shadow *shadow, Diagnostics &diags);

  /// False if it was stopped.
  bool runBlock(const std::array<int64_t, 3> &block);

private:
  struct Frame {
    Lanes returned; ///< threads that have left the function (or the kernel)
    Value result;
  };
  struct Loop {
    Lanes continued;
  };

  // Statements.
  void execute(const sema::Block &block);
  void execute(const sema::Stmt &s);
  void executeIf(const sema::Stmt &s);
  void executeFor(const sema::Stmt &s);
  void executeWhile(const sema::Stmt &s);
  void executeStore(const sema::Stmt &s);
  void executeReturn(const sema::Stmt &s);
  void assign(sema::VarId var, Value value, bool isTile);
  bool countStep(SourceRange range);
  /// The threads of `mask_` for which a bool scalar holds.
  Lanes where(const Value &condition) const;
  /// `from` where the threads of `lanes` are, `into` elsewhere.
  void merge(Value &into, const Value &from, const Lanes &lanes) const;

  // Expressions.
  Value evaluate(sema::ExprP e);
  Value evaluateLeaf(const sema::Expr &e);
  Value evaluateElementwise(const sema::Expr &e);
  Value evaluateConditional(const sema::Expr &e);
  Value evaluateLogical(const sema::Expr &e);
  Value evaluateCall(const sema::Expr &e);
  Value evaluateLoad(const sema::Expr &e);
  Value evaluateAtomic(const sema::Expr &e);
  /// The cell that a place shared by all threads takes from a scalar: the first active thread's.
  Value uniform(const Value &v) const;

  // Memory.
  std::vector<Value> starts(const std::vector<sema::Subscript> &subscripts);
  /// The element at a point; nullopt outside the tensor (reported if checking).
  std::optional<int64_t> pointOffset(const Tensor &t, const std::vector<sema::Subscript> &subscripts,
                                     const std::vector<Value> &starts, unsigned lane, int thread);
  Window window(const Tensor &t, const std::vector<sema::Subscript> &subscripts,
                const std::vector<Value> &starts);
  void storeTile(const sema::Stmt &s, const Tensor &t, const Value &value, const Value *mask);
  /// Who does an access that is not done by each thread: the block (-1), or the one thread that got here.
  int actor() const;

  /// `result` of a function of `operand`, with Options::farTrig where it applies.
  Value farFromPromised(const sema::Expr &e, const Value &operand, Value result) const;

  const sema::TypedKernel &kernel_;
  const std::vector<int64_t> &dims_;
  const Options &options_;
  Shadow *shadow_;
  Diagnostics &diags_;
  unsigned threads_;
  std::array<int64_t, 3> grid_, block_{};
  std::vector<Value> scalars_;  ///< of each parameter that is one
  std::vector<Tensor> tensors_; ///< of each parameter that is one
  std::vector<Value> vars_;
  Lanes mask_;
  Frame *frame_ = nullptr;
  Loop *loop_ = nullptr;
  uint64_t steps_ = 0;
  bool stopped_ = false;
};

} // namespace phobos::interp
