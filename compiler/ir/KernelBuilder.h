// How Build.h is done: one object a kernel, its operations in three files (the function: Build.cpp; values:
// BuildExpr.cpp; control flow: BuildStmt.cpp). Nobody outside includes this.
//
// A variable of the language is a *slot* whose present SSA value the builder knows. A region (branch or loop
// body) sets slots; what it set and what had a value before is yielded by the region's operation and becomes
// the slot's value after it. What has no value before was declared inside and is not seen outside.
//
// An early exit (break, continue, return) sets a flag, which is a slot like any other; what follows in the
// enclosing lists of statements runs only where no flag is set, and a loop that break or return may leave
// tests the flag too.
#pragma once
#include "compiler/ir/Build.h"
#include "compiler/ir/Pho.h"
#include "compiler/sema/Typed.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace phobos::ir {

inline bool isF8(ScalarType t) { return t == ScalarType::F8E4M3 || t == ScalarType::F8E5M2; }

class KernelBuilder {
public:
  KernelBuilder(const sema::TypedKernel &kernel, mlir::MLIRContext &context, const SourceManager &sources);
  mlir::OwningOpRef<mlir::ModuleOp> build();

private:
  using Value = mlir::Value;
  using Slot = unsigned; ///< a VarId, or past them a flag
  using Slots = llvm::SetVector<Slot>;
  using Statements = llvm::ArrayRef<sema::StmtP>;
  using Effect = llvm::function_ref<void()>;

  // The function (Build.cpp).
  mlir::func::FuncOp createFunction();
  void setAttributes(mlir::func::FuncOp function);
  mlir::Location location(SourceRange range);

  // Values (BuildExpr.cpp).
  Value value(sema::ExprP e);
  Value elementwise(sema::ExprP e, mlir::Location loc);
  Value arithmetic(sema::ExprP e, mlir::Location loc, llvm::ArrayRef<Value> args);
  Value compare(sema::ExprP e, mlir::Location loc, Value x, Value y);
  Value ceilingQuotient(mlir::Location loc, Value x, Value y, bool isUnsigned);
  Value bitcast(mlir::Location loc, Value x, mlir::Type to);
  Value shortCircuit(sema::ExprP e, mlir::Location loc);
  Value conditional(sema::ExprP e, mlir::Location loc);
  Value tileSlice(sema::ExprP e, mlir::Location loc);
  Value insertSlice(sema::ExprP e, mlir::Location loc);
  Value triangle(sema::ExprP e, mlir::Location loc);
  Value reduction(sema::ExprP e, mlir::Location loc);
  Value dot(sema::ExprP e, mlir::Location loc);
  Value load(sema::ExprP e, mlir::Location loc);
  Value atomic(sema::ExprP e, mlir::Location loc);
  Value call(sema::ExprP e);
  /// `then` or `otherwise` by a scalar condition; only one is evaluated.
  Value choose(mlir::Location loc, Value condition, mlir::Type type, llvm::function_ref<Value()> then,
               llvm::function_ref<Value()> otherwise);
  Value integer(mlir::Location loc, mlir::Type type, int64_t v);
  Value zero(mlir::Location loc, mlir::Type type);
  Value flag(mlir::Location loc, bool v);
  Value negate(mlir::Location loc, Value condition);
  Value convert(mlir::Location loc, Value x, ScalarType from, ScalarType to);
  /// Starts, sizes and points of an access, and the extents of its tensor.
  struct Access {
    llvm::SmallVector<Value, 5> starts, extents;
    llvm::SmallVector<int64_t, 5> sizes;
    llvm::SmallVector<bool, 5> points, inBounds;
    bool allPoints() const { return !llvm::is_contained(points, false); }
  };
  Access access(sema::ParamId param, const std::vector<sema::Subscript> &subscripts, mlir::Location loc);

  // Control flow (BuildStmt.cpp).
  enum Exit : uint8_t { None = 0, Break = 1, Continue = 2, Return = 4 };
  void statements(Statements list);
  void statement(sema::StmtP s);
  void exitStatement(sema::StmtP s);
  void store(sema::StmtP s);
  void branch(mlir::Location loc, Value condition, Statements then, Statements otherwise);
  void forLoop(sema::StmtP s);
  void countedLoop(sema::StmtP s, Value lo, Value hi, Value step);
  void countedLoopWithExit(sema::StmtP s, Value lo, Value hi, Value step);
  Value stepTo(Value hi, Value counter, sema::ExprP written, Value step);
  void whileLoop(sema::StmtP s);
  /// scf.while over `carried`: `test` gives the condition, `body` the statements of an iteration.
  mlir::scf::WhileOp loop(mlir::Location loc, const Slots &carried, llvm::function_ref<Value()> test,
                          Effect body);
  /// What may leave a statement for a place outside it, as a set of Exit; and whether nothing runs past it.
  uint8_t exits(sema::StmtP s);
  uint8_t exits(Statements list);
  bool alwaysExits(Statements list);
  /// The slots that the statements may set and that have a value here, flags of their exits included.
  void addAssigned(Statements list, Slots &slots);
  void addFlags(uint8_t exits, Slots &slots);
  /// Or of the flags of these exits.
  Value exited(mlir::Location loc, uint8_t exits);

  // Slots.
  Slot newSlot();
  mlir::Type typeOf(sema::VarId var);
  void set(Slot slot, Value v);
  /// Runs `fill` with slots `carried` bound to `args` (or as they are, if none are given); gives their values
  /// after it and restores all slots.
  llvm::SmallVector<Value> inRegion(const Slots &carried, mlir::ValueRange args, Effect fill);
  llvm::SmallVector<Value> valuesOf(const Slots &carried);
  void setAll(const Slots &carried, mlir::ValueRange values);

  struct Frame {
    Slot returned;
    std::optional<Slot> result;
  };
  struct Loop {
    Slot broke, continued;
  };

  const sema::TypedKernel &kernel_;
  mlir::MLIRContext &context_;
  const SourceManager &sources_;
  mlir::OpBuilder b_;
  llvm::SmallVector<Value> arguments_, dims_; ///< by ParamId, by DimId
  std::vector<Value> slots_;
  std::vector<std::pair<Slot, Value>> undo_;
  llvm::SmallVector<Frame> frames_;
  llvm::SmallVector<Loop> loops_;
  llvm::DenseMap<sema::StmtP, uint8_t> exits_;
  std::optional<mlir::Location> callSite_; ///< of the function being inlined
  mlir::Location here_;                    ///< of the statement, for nodes without a place
  unsigned nesting_ = 0;                   ///< regions around
};

} // namespace phobos::ir
