// SPLIT_K: the parts of a contraction's loop take each of its steps once, in order, evenly; shown by
// evaluating the bounds that the pass writes.
#include "compiler/ir/Build.h"
#include "compiler/target/nvptx/Phog.h"
#include "compiler/target/nvptx/SplitContraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace phobos;

namespace {

std::string loopOf(int64_t parts, int64_t step) {
  return R"(func.func @k(%a: !pho.view<2, f32>, %b: !pho.view<2, f32>, %m: index, %low: index, %high: index)
      attributes {pho.kernel, pho.point = {SPLIT_K = )" +
         std::to_string(parts) + R"( : i64}} {
    %zero = arith.constant dense<0.0> : tensor<4x4xf32>
    %step = arith.constant )" +
         std::to_string(step) + R"( : index
    %0 = scf.for %k = %low to %high step %step iter_args(%acc = %zero) -> (tensor<4x4xf32>) {
      %x = pho.load %a[%m, %k] of[%m, %m] sizes [4, 4] points [false, false] inbounds [false, false] : <2, f32> -> tensor<4x4xf32>
      %y = pho.load %b[%k, %m] of[%m, %m] sizes [4, 4] points [false, false] inbounds [false, false] : <2, f32> -> tensor<4x4xf32>
      %s = pho.dot %x, %y, %acc : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      scf.yield %s : tensor<4x4xf32>
    } {pho.contraction = {}}
    pho.store %0, %a[%m, %m] of[%m, %m] sizes [4, 4] points [false, false] inbounds [false, false] : tensor<4x4xf32>, <2, f32>
    return
  })";
}

/// The integers of the split loop's bounds, in 64 bits that wrap, as the hardware computes them.
class Evaluator {
public:
  explicit Evaluator(mlir::func::FuncOp func) {
    func.walk([&](mlir::scf::ForOp loop) { loop_ = loop; });
    low_ = func.getArgument(3), high_ = func.getArgument(4);
  }
  /// The counters that part `p` takes of [low, high); at most `most`.
  std::vector<int64_t> steps(int64_t low, int64_t high, int64_t p, size_t most = 1000) {
    known_.clear();
    known_[low_] = low, known_[high_] = high, part_ = p;
    const int64_t first = of(loop_.getLowerBound()), end = of(loop_.getUpperBound()),
                  step = of(loop_.getStep());
    std::vector<int64_t> out;
    for (int64_t k = first; k < end && out.size() < most;) {
      out.push_back(k);
      if (__builtin_add_overflow(k, step, &k)) // past every end
        break;
    }
    return out;
  }

private:
  int64_t of(mlir::Value v) {
    if (auto it = known_.find(v); it != known_.end())
      return it->second;
    mlir::Operation *op = v.getDefiningOp();
    if (mlir::isa<phog::PartOp>(op))
      return part_;
    if (auto c = mlir::dyn_cast<mlir::arith::ConstantOp>(op))
      return mlir::cast<mlir::IntegerAttr>(c.getValue()).getInt();
    std::vector<int64_t> a;
    for (mlir::Value x : op->getOperands())
      a.push_back(of(x));
    auto u = [&](size_t k) { return static_cast<uint64_t>(a[k]); };
    int64_t result = 0;
    if (mlir::isa<mlir::arith::AddIOp>(op))
      result = static_cast<int64_t>(u(0) + u(1));
    else if (mlir::isa<mlir::arith::SubIOp>(op))
      result = static_cast<int64_t>(u(0) - u(1));
    else if (mlir::isa<mlir::arith::MulIOp>(op))
      result = static_cast<int64_t>(u(0) * u(1));
    else if (mlir::isa<mlir::arith::DivUIOp>(op))
      result = static_cast<int64_t>(u(0) / u(1));
    else if (mlir::isa<mlir::arith::RemUIOp>(op))
      result = static_cast<int64_t>(u(0) % u(1));
    else if (mlir::isa<mlir::arith::SelectOp>(op))
      result = a[0] ? a[1] : a[2];
    else if (auto compare = mlir::dyn_cast<mlir::arith::CmpIOp>(op))
      result = mlir::arith::applyCmpPredicate(compare.getPredicate(), llvm::APInt(64, u(0)),
                                              llvm::APInt(64, u(1)));
    else
      ADD_FAILURE() << op->getName().getStringRef().str();
    return known_[v] = result;
  }

  mlir::scf::ForOp loop_;
  mlir::Value low_, high_;
  llvm::DenseMap<mlir::Value, int64_t> known_;
  int64_t part_ = 0;
};

class Split {
public:
  Split(int64_t parts, int64_t step) : parts_(parts) {
    ir::loadDialects(context_);
    context_.getOrLoadDialect<phog::PhogDialect>();
    module_ = mlir::parseSourceString<mlir::ModuleOp>(loopOf(parts, step), &context_);
    func_ = *module_->getOps<mlir::func::FuncOp>().begin();
    EXPECT_TRUE(nvptx::splitContraction(func_).isLegal());
    EXPECT_TRUE(mlir::succeeded(module_->verify()));
  }

  /// Each step of [low, high) once, in order, no part with two steps more than another.
  void expectCovers(int64_t low, int64_t high, int64_t step) {
    SCOPED_TRACE(std::to_string(parts_) + " parts of " + std::to_string(low) + " .. " + std::to_string(high) +
                 " in steps of " + std::to_string(step));
    std::vector<int64_t> want, got;
    for (int64_t k = low; k < high; k += step)
      want.push_back(k);
    Evaluator evaluator(func_);
    size_t least = SIZE_MAX, most = 0;
    for (int64_t p = 0; p < parts_; ++p) {
      const std::vector<int64_t> steps = evaluator.steps(low, high, p);
      least = std::min(least, steps.size()), most = std::max(most, steps.size());
      got.insert(got.end(), steps.begin(), steps.end());
    }
    EXPECT_EQ(got, want);
    EXPECT_LE(most - least, 1u);
  }
  Evaluator evaluator() { return Evaluator(func_); }

private:
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::func::FuncOp func_;
  int64_t parts_;
};

TEST(SplitContraction, PartsTakeEachStepOnceAndEvenly) {
  for (int64_t parts : {2, 3, 4, 5, 8, 16})
    for (int64_t step : {1, 4, 6}) {
      Split split(parts, step);
      for (int64_t low : {0, -7, 5})
        for (int64_t length : {-3, 0, 1, 3, 4, 5, 6, 7, 12, 13, 23, 24, 25, 47, 96, 97, 100})
          split.expectCovers(low, low + length, step);
    }
}

TEST(SplitContraction, BoundsAtTheEndsOfTheNumbersAreNotPassed) {
  Split split(4, 16);
  Evaluator evaluator = split.evaluator();
  // Two steps before the largest number: the parts behind them are empty, whatever a step further would be.
  for (int64_t p = 0; p < 4; ++p)
    EXPECT_EQ(evaluator.steps(INT64_MAX - 20, INT64_MAX, p, 3).size() > 0, p < 2) << p;
  // More steps than 63 bits hold: each part has a quarter of them.
  Split wide(4, 1);
  Evaluator all = wide.evaluator();
  EXPECT_EQ(all.steps(INT64_MIN, INT64_MAX, 0, 1).front(), INT64_MIN);
  EXPECT_EQ(all.steps(INT64_MIN, INT64_MAX, 2, 1).front(), 0);
}

} // namespace
