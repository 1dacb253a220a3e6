#include "tests/emulate/Rewrite.h"
#include "tests/emulate/Operations.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <algorithm>

using namespace llvm;

namespace phobos::emulate {

namespace {

// What the code calls, by address.
extern "C" void phobosEmulateCall(const Program::Site *site, const uint64_t *in, uint64_t *out) {
  site->op.handler(*site->machine, site->op, in, out);
}
extern "C" void phobosEmulateAccess(const Program::Site *site, uint64_t address) {
  site->machine->check(site->op, site->access, address);
}
extern "C" void phobosEmulateRange(const Program::Site *site, uint64_t address, uint64_t bytes) {
  Access access = site->access;
  access.bytes = bytes;
  site->machine->check(site->op, access, address);
}

// The address spaces of the NVPTX back end. The host takes them all for its one.
enum Space : unsigned { Generic = 0, Global = 1, Shared = 3, Constant4 = 4, Local = 5 };

class Rewriter {
public:
  Rewriter(Function &f, Machine &machine, Program &program)
      : f_(f), machine_(machine), program_(program), b_(f.getContext()) {}

  void run() {
    std::vector<Instruction *> all;
    for (Instruction &i : instructions(f_))
      all.push_back(&i);
    for (Instruction *i : all)
      visit(*i);
    if (!in_)
      return;
    // As large as the largest call needs.
    resize(in_, words_);
    resize(out_, results_);
  }

private:
  void visit(Instruction &i) {
    b_.SetInsertPoint(&i);
    const DataLayout &layout = f_.getDataLayout();
    if (auto *load = dyn_cast<LoadInst>(&i))
      access(i, load->getPointerOperand(), layout.getTypeStoreSize(load->getType()), load->getAlign(), "load",
             false, load->isAtomic());
    else if (auto *store = dyn_cast<StoreInst>(&i))
      access(i, store->getPointerOperand(), layout.getTypeStoreSize(store->getValueOperand()->getType()),
             store->getAlign(), "store", true, store->isAtomic());
    else if (auto *rmw = dyn_cast<AtomicRMWInst>(&i)) {
      access(i, rmw->getPointerOperand(), layout.getTypeStoreSize(rmw->getType()), rmw->getAlign(),
             "atomicrmw", true, true);
      if (rmw->getOperation() == AtomicRMWInst::FAdd && rmw->getType()->isFloatTy())
        flushed(*rmw);
    } else if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&i))
      access(i, swap->getPointerOperand(), layout.getTypeStoreSize(swap->getNewValOperand()->getType()),
             swap->getAlign(), "cmpxchg", true, true);
    else if (auto *fill = dyn_cast<MemIntrinsic>(&i))
      range(i, fill);
    else if (auto *call = dyn_cast<CallInst>(&i))
      visitCall(*call);
  }

  /// atom.add.f32 on global memory takes denormals, its operands and its result, as zeros of their sign. One
  /// thread of the machine runs at a time, so a load and a store are one access.
  void flushed(AtomicRMWInst &rmw) {
    Type *type = rmw.getType();
    auto flush = [&](Value *v) {
      Value *isSmall =
          b_.CreateFCmpOLT(b_.CreateUnaryIntrinsic(Intrinsic::fabs, v), ConstantFP::get(type, 0x1p-126));
      return b_.CreateSelect(isSmall, b_.CreateCopySign(ConstantFP::get(type, 0), v), v);
    };
    Value *old = b_.CreateAlignedLoad(type, rmw.getPointerOperand(), rmw.getAlign());
    Value *sum = b_.CreateFAdd(flush(old), flush(rmw.getValOperand()));
    b_.CreateAlignedStore(flush(sum), rmw.getPointerOperand(), rmw.getAlign());
    rmw.replaceAllUsesWith(old);
    rmw.eraseFromParent();
  }

  Program::Site &site(Instruction &i, std::string name) {
    Program::Site &s = program_.sites.emplace_back();
    s.machine = &machine_;
    s.op.name = std::move(name);
    s.op.line = i.getDebugLoc() ? i.getDebugLoc().getLine() : 0;
    return s;
  }

  Value *address(const void *p) {
    return ConstantExpr::getIntToPtr(b_.getInt64(reinterpret_cast<uint64_t>(p)), b_.getPtrTy());
  }
  template <typename F> void callHost(F *function, ArrayRef<Value *> args) {
    std::vector<Type *> types;
    for (Value *v : args)
      types.push_back(v->getType());
    b_.CreateCall(FunctionType::get(b_.getVoidTy(), types, false),
                  address(reinterpret_cast<void *>(function)), args);
  }

  void unknown(const std::string &what) {
    if (std::find(program_.unknown.begin(), program_.unknown.end(), what) == program_.unknown.end())
      program_.unknown.push_back(what);
  }

  /// Whether the pointer's space is one that is checked; a thread's own stack is not.
  bool isChecked(Value *pointer, const char *name) {
    const unsigned space = pointer->getType()->getPointerAddressSpace();
    if (space == Global || space == Shared)
      return true;
    if (!isa<AllocaInst>(pointer->stripInBoundsOffsets()))
      unknown(std::string(name) + " in address space " + std::to_string(space));
    return false;
  }

  void access(Instruction &i, Value *pointer, TypeSize bytes, Align align, const char *name, bool isWrite,
              bool isAtomic) {
    if (!isChecked(pointer, name))
      return;
    Program::Site &s = site(i, name);
    s.access = {bytes.getFixedValue(), align.value(), isWrite, isAtomic,
                pointer->getType()->getPointerAddressSpace() == Shared};
    callHost(phobosEmulateAccess, {address(&s), b_.CreatePtrToInt(pointer, b_.getInt64Ty())});
  }

  void range(Instruction &i, MemIntrinsic *fill) {
    auto one = [&](Value *pointer, MaybeAlign align, bool isWrite) {
      if (!isChecked(pointer, "memset"))
        return;
      Program::Site &s = site(i, fill->getCalledFunction()->getName().str());
      s.access = {0, align.valueOrOne().value(), isWrite, false,
                  pointer->getType()->getPointerAddressSpace() == Shared};
      callHost(phobosEmulateRange, {address(&s), b_.CreatePtrToInt(pointer, b_.getInt64Ty()),
                                    b_.CreateZExt(fill->getLength(), b_.getInt64Ty())});
    };
    one(fill->getRawDest(), fill->getDestAlign(), true);
    if (auto *move = dyn_cast<MemTransferInst>(fill))
      one(move->getRawSource(), move->getSourceAlign(), false);
  }

  void visitCall(CallInst &call) {
    std::string text;
    if (auto *code = dyn_cast<InlineAsm>(call.getCalledOperand())) {
      text = code->getAsmString();
    } else {
      Function *callee = call.getCalledFunction();
      if (!callee || !callee->isIntrinsic())
        return unknown("a call" + (callee ? " of " + callee->getName().str() : std::string()));
      if (!callee->getName().starts_with("llvm.nvvm."))
        return; // the host's code generator has it
      text = callee->getName().substr(10).str();
    }
    Program::Site &s = site(call, text.substr(0, text.find_first_of(" ;{", text.starts_with("{") ? 1 : 0)));
    for (char &c : text)
      c = c == '\n' || c == '\t' ? ' ' : c;
    if (text.starts_with("{")) // braces and predicates around the instruction
      s.op.name = "wgmma.mma_async";
    else if (text.starts_with("mov.b") || text.starts_with("@"))
      s.op.name = "inline assembly `" + text + "`";
    if (!findOperation(text, s.op))
      return unknown(text);
    replace(call, s);
  }

  /// A value as a word, zero-extended, and back.
  Value *toWord(Value *v) {
    if (v->getType()->isPointerTy())
      return b_.CreatePtrToInt(v, b_.getInt64Ty());
    const auto bits = static_cast<unsigned>(v->getType()->getPrimitiveSizeInBits().getFixedValue());
    return b_.CreateZExt(b_.CreateBitCast(v, b_.getIntNTy(bits)), b_.getInt64Ty());
  }
  Value *fromWord(Value *word, Type *type) {
    const auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
    return b_.CreateBitCast(b_.CreateTrunc(word, b_.getIntNTy(bits)), type);
  }

  void replace(CallInst &call, Program::Site &s) {
    if (!in_) {
      IRBuilder<> entry(&*f_.getEntryBlock().getFirstInsertionPt());
      in_ = entry.CreateAlloca(entry.getInt64Ty());
      out_ = entry.CreateAlloca(entry.getInt64Ty());
    }
    Type *type = call.getType();
    auto *fields = dyn_cast<StructType>(type);
    s.op.results = fields ? fields->getNumElements() : type->isVoidTy() ? 0 : 1;
    words_ = std::max<size_t>(words_, call.arg_size());
    results_ = std::max(results_, s.op.results);
    auto slot = [&](AllocaInst *base, size_t k) { return b_.CreateConstGEP1_64(b_.getInt64Ty(), base, k); };
    for (unsigned k = 0; k < call.arg_size(); ++k)
      b_.CreateStore(toWord(call.getArgOperand(k)), slot(in_, k));
    callHost(phobosEmulateCall, {address(&s), in_, out_});
    if (s.op.results) {
      auto result = [&](size_t k, Type *t) {
        return fromWord(b_.CreateLoad(b_.getInt64Ty(), slot(out_, k)), t);
      };
      Value *value = fields ? PoisonValue::get(type) : result(0, type);
      for (unsigned k = 0; fields && k < fields->getNumElements(); ++k)
        value = b_.CreateInsertValue(value, result(k, fields->getElementType(k)), k);
      call.replaceAllUsesWith(value);
    }
    call.eraseFromParent();
  }

  static void resize(AllocaInst *slot, size_t words) {
    slot->setOperand(0, ConstantInt::get(slot->getArraySize()->getType(), std::max<size_t>(words, 1)));
  }

  Function &f_;
  Machine &machine_;
  Program &program_;
  IRBuilder<> b_;
  AllocaInst *in_ = nullptr, *out_ = nullptr; ///< words of a call's operands and results
  size_t words_ = 0, results_ = 0;
};

/// A function that takes the words of the arguments and calls `kernel`.
void addEntry(Function &kernel) {
  LLVMContext &context = kernel.getContext();
  IRBuilder<> b(context);
  auto *entry =
      Function::Create(FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false), GlobalValue::ExternalLinkage,
                       "enter_" + kernel.getName(), *kernel.getParent());
  b.SetInsertPoint(BasicBlock::Create(context, "", entry));
  std::vector<Value *> args;
  for (const Argument &a : kernel.args())
    args.push_back(
        b.CreateLoad(a.getType(), b.CreateConstGEP1_64(b.getInt64Ty(), entry->getArg(0), a.getArgNo())));
  b.CreateCall(&kernel, args);
  b.CreateRetVoid();
}

} // namespace

void rewrite(Module &module, Machine &machine, Program &program) {
  for (GlobalVariable &g : module.globals())
    if (g.getName() == "phobos_shared" && g.getAddressSpace() == Shared)
      g.replaceAllUsesWith(ConstantExpr::getIntToPtr(
          ConstantInt::get(Type::getInt64Ty(module.getContext()), machine.memory.shared()), g.getType()));
    else if (!g.use_empty())
      program.unknown.push_back("the global variable " + g.getName().str());
  std::vector<Function *> kernels;
  for (Function &f : module)
    if (!f.isDeclaration())
      kernels.push_back(&f);
  for (Function *f : kernels) {
    // What the device's compiler may assume of the arguments the handlers do not keep to.
    f->setAttributes(AttributeList().addFnAttribute(module.getContext(), Attribute::NoUnwind));
    f->setCallingConv(CallingConv::C);
    Rewriter(*f, machine, program).run();
    addEntry(*f);
  }
}

} // namespace phobos::emulate
