// Loop nests over tiles.
#include "compiler/target/cpu/Emitter.h"
#include "llvm/IR/MDBuilder.h"

namespace phobos::cpu {
namespace {

llvm::BasicBlock *newBlock(llvm::Function *f, const char *name) {
  return llvm::BasicBlock::Create(f->getContext(), name, f);
}

/// Loops are vector code already: the loop vectoriser need not look at them.
void markLoop(llvm::Instruction *backEdge, unsigned unroll) {
  llvm::LLVMContext &c = backEdge->getContext();
  llvm::SmallVector<llvm::Metadata *> items{nullptr};
  auto add = [&](const char *name, llvm::Constant *value) {
    items.push_back(
        llvm::MDNode::get(c, {llvm::MDString::get(c, name), llvm::ConstantAsMetadata::get(value)}));
  };
  add("llvm.loop.vectorize.enable", llvm::ConstantInt::getFalse(c));
  if (unroll > 1)
    add("llvm.loop.unroll.count", llvm::ConstantInt::get(llvm::Type::getInt32Ty(c), unroll));
  else if (unroll == 1)
    items.push_back(llvm::MDNode::get(c, llvm::MDString::get(c, "llvm.loop.unroll.disable")));
  llvm::MDNode *id = llvm::MDNode::getDistinct(c, items);
  id->replaceOperandWith(0, id);
  backEdge->setMetadata(llvm::LLVMContext::MD_loop, id);
}

} // namespace

llvm::SmallVector<llvm::Value *> KernelEmitter::foldLoop(
    llvm::Value *lower, llvm::Value *upper, int64_t step, llvm::ArrayRef<llvm::Value *> init,
    llvm::function_ref<llvm::SmallVector<llvm::Value *>(llvm::Value *, llvm::ArrayRef<llvm::Value *>)> body,
    unsigned unroll) {
  llvm::BasicBlock *before = builder_.GetInsertBlock();
  llvm::BasicBlock *head = newBlock(function_, "loop"), *inside = newBlock(function_, "body"),
                   *after = newBlock(function_, "end");
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  llvm::PHINode *iv = builder_.CreatePHI(builder_.getInt64Ty(), 2);
  iv->addIncoming(lower, before);
  llvm::SmallVector<llvm::PHINode *> phis;
  llvm::SmallVector<llvm::Value *> carried;
  for (llvm::Value *v : init) {
    phis.push_back(builder_.CreatePHI(v->getType(), 2));
    phis.back()->addIncoming(v, before);
    carried.push_back(phis.back());
  }
  builder_.CreateCondBr(builder_.CreateICmpSLT(iv, upper), inside, after);
  builder_.SetInsertPoint(inside);
  llvm::SmallVector<llvm::Value *> next = body(iv, carried);
  llvm::BasicBlock *end = builder_.GetInsertBlock();
  iv->addIncoming(builder_.CreateNSWAdd(iv, i64(step)), end);
  for (auto [phi, v] : llvm::zip(phis, next))
    phi->addIncoming(v, end);
  markLoop(builder_.CreateBr(head), unroll);
  builder_.SetInsertPoint(after);
  return carried;
}

void KernelEmitter::forLoop(llvm::Value *lower, llvm::Value *upper, int64_t step,
                            llvm::function_ref<void(llvm::Value *)> body, unsigned unroll) {
  llvm::BasicBlock *before = builder_.GetInsertBlock();
  llvm::BasicBlock *head = newBlock(function_, "loop"), *inside = newBlock(function_, "body"),
                   *after = newBlock(function_, "end");
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  llvm::PHINode *iv = builder_.CreatePHI(builder_.getInt64Ty(), 2);
  iv->addIncoming(lower, before);
  builder_.CreateCondBr(builder_.CreateICmpSLT(iv, upper), inside, after);
  builder_.SetInsertPoint(inside);
  body(iv);
  iv->addIncoming(builder_.CreateNSWAdd(iv, i64(step)), builder_.GetInsertBlock());
  markLoop(builder_.CreateBr(head), unroll);
  builder_.SetInsertPoint(after);
}

void KernelEmitter::ifThen(llvm::Value *condition, llvm::function_ref<void()> then,
                           llvm::function_ref<void()> otherwise) {
  llvm::BasicBlock *yes = newBlock(function_, "then"), *no = newBlock(function_, "else"),
                   *end = newBlock(function_, "endif");
  builder_.CreateCondBr(condition, yes, no);
  builder_.SetInsertPoint(yes);
  evaluated_.clear();
  then();
  builder_.CreateBr(end);
  builder_.SetInsertPoint(no);
  evaluated_.clear();
  if (otherwise)
    otherwise();
  builder_.CreateBr(end);
  builder_.SetInsertPoint(end);
  evaluated_.clear();
}

llvm::Value *KernelEmitter::ifValue(llvm::Value *condition, llvm::function_ref<llvm::Value *()> then,
                                    llvm::function_ref<llvm::Value *()> otherwise) {
  llvm::Value *values[2];
  llvm::BasicBlock *ends[2];
  ifThen(
      condition, [&] { values[0] = then(), ends[0] = builder_.GetInsertBlock(); },
      [&] { values[1] = otherwise(), ends[1] = builder_.GetInsertBlock(); });
  llvm::PHINode *phi = builder_.CreatePHI(values[0]->getType(), 2);
  phi->addIncoming(values[0], ends[0]);
  phi->addIncoming(values[1], ends[1]);
  return phi;
}

unsigned KernelEmitter::lanesFor(TileShape shape) const {
  int64_t length = shape.isColumn() ? shape.rows : shape.cols;
  unsigned lanes = 1;
  while (lanes < target_.vectorLanes && lanes < length)
    lanes *= 2;
  return lanes;
}

At KernelEmitter::first(TileShape) const {
  At at;
  at.i = at.j = llvm::ConstantInt::get(llvm::Type::getInt64Ty(module_.getContext()), 0);
  return at;
}

void KernelEmitter::tileLoop(TileShape shape, Body body, bool whole) {
  const unsigned lanes = lanesFor(shape);
  const int64_t length = shape.isColumn() ? shape.rows : shape.cols;
  const int64_t full = length / lanes * lanes;
  auto walk = [&](At at) {
    at.lanes = lanes;
    at.along = shape.isColumn() ? Along::Rows : Along::Cols;
    at.whole = whole;
    auto step = [&](llvm::Value *position, unsigned valid) {
      (shape.isColumn() ? at.i : at.j) = position;
      at.valid = valid;
      evaluated_.clear();
      body(at);
      evaluated_.clear();
    };
    if (full == lanes)
      step(i64(0), lanes);
    else if (full > 0)
      forLoop(i64(0), i64(full), lanes, [&](llvm::Value *p) { step(p, lanes); });
    if (full < length)
      step(i64(full), static_cast<unsigned>(length - full));
  };
  At at = first(shape);
  if (shape.isColumn() || shape.rows == 1)
    return walk(at);
  forLoop(i64(0), i64(shape.rows), 1, [&](llvm::Value *i) {
    RowScope row;
    row.block = builder_.GetInsertBlock();
    llvm::BasicBlock *inner = newBlock(function_, "row");
    builder_.CreateBr(inner);
    builder_.SetInsertPoint(inner);
    at.i = i;
    at.row = &row;
    walk(at);
  });
}

llvm::Value *KernelEmitter::wholeAccesses(llvm::ArrayRef<mlir::Value> exprs) {
  llvm::Value *all = nullptr;
  llvm::DenseSet<mlir::Value> seen;
  auto visit = [&](auto &self, mlir::Value v) -> void {
    if ((!plan_.fused.contains(v) && !pending_.contains(v)) || !seen.insert(v).second)
      return;
    mlir::Operation *op = v.getDefiningOp();
    if (mlir::isa<pho::LoadOp>(op)) {
      if (llvm::Value *whole = accessOf(op).whole)
        all = all ? builder_.CreateAnd(all, whole) : whole;
      return;
    }
    for (mlir::Value operand : op->getOperands())
      self(self, operand);
  };
  for (mlir::Value v : exprs)
    visit(visit, v);
  return all;
}

void KernelEmitter::versioned(llvm::ArrayRef<mlir::Value> exprs, llvm::Value *alsoWhole,
                              llvm::function_ref<void(bool)> body) {
  llvm::Value *all = wholeAccesses(exprs);
  if (alsoWhole)
    all = all ? builder_.CreateAnd(all, alsoWhole) : alsoWhole;
  if (!all)
    return body(true);
  ifThen(all, [&] { body(true); }, [&] { body(false); });
}

} // namespace phobos::cpu
