// That each check can fail: kernels written by hand, with and without their mistake.
#include "tests/emulate/Load.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace phobos::emulate;
using testing::HasSubstr;

namespace {

constexpr uint32_t kThreads = 128;

/// Declarations, then the body of a kernel of `data`, 256 floats, of which %t is the thread. 1024 bytes of
/// shared memory.
class Emulation {
public:
  std::string run(const std::string &body, Order order = Order::Forward, bool isWritable = true) {
    const std::string text = R"(
@phobos_shared = external addrspace(3) global [0 x i8], align 1024
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.wait.all()
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare void @llvm.nvvm.cp.async.mbarrier.arrive.noinc.shared(ptr addrspace(3))
declare void @llvm.nvvm.fence.proxy.async.shared_cta()
declare void @llvm.nvvm.wgmma.fence.sync.aligned()
declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()
declare i32 @llvm.nvvm.read.ptx.sreg.clock()
define ptx_kernel void @k(ptr addrspace(1) noalias %data) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr float, ptr addrspace(1) %data, i32 %t
  %slot = getelementptr float, ptr addrspace(3) @phobos_shared, i32 %t
)" + body + "\n  ret void\n}\n";
    auto context = std::make_unique<llvm::LLVMContext>();
    llvm::SMDiagnostic bad;
    auto module = llvm::parseAssemblyString(text, bad, *context);
    if (!module)
      return "does not parse: " + bad.getMessage().str() + " in " + bad.getLineContents().str();
    rewrite(*module, machine, program);
    if (!program.unknown.empty())
      return "not emulated: " + program.unknown.front();
    auto loaded = load(std::move(module), std::move(context));
    if (!loaded)
      return llvm::toString(loaded.takeError());
    code = std::move(*loaded);
    auto kernel = code->kernel("k");
    if (!kernel)
      return llvm::toString(kernel.takeError());
    Memory::Array &array = machine.memory.add("data", 1024, 0, isWritable);
    std::fill(array.isElement.begin(), array.isElement.end(), 1);
    std::fill_n(array.isElement.begin() + 640, 16, 0);
    data = reinterpret_cast<float *>(array.address);
    for (int k = 0; k < 256; ++k)
      data[k] = static_cast<float>(k);
    const uint64_t words[] = {array.address};
    return machine.run(*kernel, words, {{1, 1, 1}, kThreads, 1024}, order, 1);
  }

  Machine machine;
  Program program;
  std::unique_ptr<Loaded> code;
  float *data = nullptr;
};

std::string run(const std::string &body, Order order = Order::Forward) {
  return Emulation().run(body, order);
}

TEST(Emulate, RunsAKernel) {
  Emulation e;
  EXPECT_EQ(e.run("%x = load float, ptr addrspace(1) %own, align 4\n%y = fadd float %x, %x\n"
                  "store float %y, ptr addrspace(1) %own, align 4"),
            "");
  EXPECT_EQ(e.data[5], 10);
  EXPECT_EQ(e.data[127], 254);
}

TEST(Emulate, SeesAccessesThatAreNotAligned) {
  const std::string load = "%x = load <4 x float>, ptr addrspace(1) %own, align ";
  EXPECT_EQ(run(load + "4"), "");
  EXPECT_THAT(run(load + "16"),
              HasSubstr("thread 1 of block 0, 0, 0: a load of 16 bytes at byte 4 of data, an "
                        "address that is no multiple of 16"));
  EXPECT_THAT(run("store <2 x float> zeroinitializer, ptr addrspace(3) %slot, align 8"),
              HasSubstr("no multiple of 8"));
}

TEST(Emulate, SeesAccessesOutside) {
  const std::string at = "%a = getelementptr float, ptr addrspace(1) %data, i32 ";
  const std::string store = "\nstore float 1.0, ptr addrspace(1) %a, align 4";
  EXPECT_THAT(run(at + "256" + store),
              HasSubstr("in no argument's array: byte 1024 of data, which has 1024"));
  EXPECT_THAT(run(at + "-1" + store), HasSubstr("in no argument's array"));
  EXPECT_THAT(run(at + "161" + store), HasSubstr("byte 644 is between the rows"));
  EXPECT_THAT(Emulation().run(at + "1" + store, Order::Forward, false),
              HasSubstr("the kernel does not write"));
  EXPECT_THAT(run("%a = getelementptr i8, ptr addrspace(3) @phobos_shared, i32 1022\n"
                  "%x = load i32, ptr addrspace(3) %a, align 2"),
              HasSubstr("of shared memory, of which the block has 1024"));
  // Under a predicate only where it holds.
  const std::string predicated = R"(
  %a = getelementptr float, ptr addrspace(1) %data, i32 256
  %p = icmp eq i32 %t, LANE
  call void asm sideeffect "@$0 st.global.b32 [$1], $2;", "b,l,r,~{memory}"(i1 %p, ptr addrspace(1) %a, i32 0))";
  std::string never = predicated, once = predicated;
  EXPECT_EQ(run(never.replace(never.find("LANE"), 4, "999")), "");
  EXPECT_THAT(run(once.replace(once.find("LANE"), 4, "7")), HasSubstr("thread 7 of block"));
}

/// Each thread reads what its neighbour wrote.
std::string exchange(const std::string &between) {
  return R"(
  store float 1.0, ptr addrspace(3) %slot, align 4
  )" + between +
         R"(
  %n = xor i32 %t, 1
  %other = getelementptr float, ptr addrspace(3) @phobos_shared, i32 %n
  %x = load float, ptr addrspace(3) %other, align 4
  store float %x, ptr addrspace(1) %own, align 4)";
}

TEST(Emulate, SeesAMissingBarrier) {
  for (Order order : {Order::Forward, Order::Backward, Order::Shuffled}) {
    EXPECT_EQ(run(exchange("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)"), order), "");
    EXPECT_THAT(run(exchange(""), order), HasSubstr("a race: "));
    // A shuffle is no barrier: it orders no accesses to memory.
    EXPECT_THAT(
        run(exchange("%s = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 0, i32 1, i32 31)"), order),
        HasSubstr("a race: "));
  }
}

TEST(Emulate, SeesARaceInAnArray) {
  EXPECT_THAT(run("store float 1.0, ptr addrspace(1) %data, align 4"),
              HasSubstr("a race: a store of 4 bytes at byte 0 of data, which thread 0 wrote"));
  EXPECT_EQ(run("%x = atomicrmw fadd ptr addrspace(1) %data, float 1.0 monotonic, align 4"), "");
}

// An atomic load is in no race with an exchange, but with a store.
TEST(Emulate, KnowsAtomicLoads) {
  const std::string load = "%x = load atomic i32, ptr addrspace(1) %data monotonic, align 4\n";
  EXPECT_EQ(run(load + "%y = cmpxchg ptr addrspace(1) %data, i32 %x, i32 1 monotonic monotonic, align 4"),
            "");
  EXPECT_THAT(run(load + "%p = icmp eq i32 %t, 127\nbr i1 %p, label %one, label %end\none:\n"
                         "store i32 1, ptr addrspace(1) %data, align 4\nbr label %end\nend:"),
              HasSubstr("a race: "));
  EXPECT_THAT(run("%x = load i32, ptr addrspace(1) %data, align 4\n"
                  "%y = cmpxchg ptr addrspace(1) %data, i32 %x, i32 1 monotonic monotonic, align 4"),
              HasSubstr("a race: "));
}

// The old value is the denormal itself; what is added to is a zero.
TEST(Emulate, AddsAtomicallyToDenormalsAsToZeros) {
  Emulation e;
  EXPECT_EQ(e.run("%first = icmp eq i32 %t, 0\nbr i1 %first, label %one, label %end\none:\n"
                  "store i32 4194304, ptr addrspace(1) %data, align 4\n"
                  "%x = atomicrmw fadd ptr addrspace(1) %data, float 0.0 monotonic, align 4\n"
                  "%y = atomicrmw fadd ptr addrspace(1) %data, float 2.0 monotonic, align 4\n"
                  "%next = getelementptr float, ptr addrspace(1) %data, i32 1\n"
                  "%xy = fadd float %x, %y\nstore float %xy, ptr addrspace(1) %next, align 4\n"
                  "br label %end\nend:"),
            "");
  EXPECT_EQ(e.data[0], 2.0f);
  EXPECT_EQ(e.data[1], 0x1p-127f);
}

// 32 threads a column of 32 floats apart; next to each other; in vectors, of which 8 threads take all banks.
TEST(Emulate, CountsConflictsOfBanks) {
  auto places = [](const std::string &body) {
    Emulation e;
    Banks banks;
    e.machine.banks = &banks;
    EXPECT_EQ(e.run("%w = and i32 %t, 7\n" + body), "");
    return banks.places();
  };
  auto column =
      places("%i = mul i32 %w, 32\n%a = getelementptr float, ptr addrspace(3) @phobos_shared, i32 %i\n"
             "%x = load float, ptr addrspace(3) %a, align 4");
  ASSERT_EQ(column.size(), 1u);
  EXPECT_EQ(column[0].wavefronts, kThreads / 32 * 8);
  EXPECT_EQ(column[0].needed, kThreads / 32);
  auto row = places("store float 1.0, ptr addrspace(3) %slot, align 4");
  ASSERT_EQ(row.size(), 1u);
  EXPECT_EQ(row[0].wavefronts, kThreads / 32);
  auto vectors =
      places("%i = mul i32 %w, 4\n%a = getelementptr float, ptr addrspace(3) @phobos_shared, i32 %i\n"
             "%x = load <4 x float>, ptr addrspace(3) %a, align 16");
  ASSERT_EQ(vectors.size(), 1u);
  EXPECT_EQ(vectors[0].wavefronts, kThreads / 8);
  EXPECT_EQ(vectors[0].needed, kThreads / 8);
}

std::string inHalf(const std::string &call) {
  return "%p = icmp ult i32 %t, 48\nbr i1 %p, label %yes, label %no\nyes:\n" + call + "\nbr label %no\nno:\n";
}

TEST(Emulate, SeesThreadsThatWaitForever) {
  EXPECT_THAT(run(inHalf("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)")),
              HasSubstr("can go on: 48 (from thread 0) at barrier.cta.sync.aligned.all, 80 have left"));
  EXPECT_THAT(run(inHalf("%s = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 0, i32 1, i32 31)")),
              HasSubstr("can go on: 16 (from thread 32) at shfl"));
}

TEST(Emulate, SeesWarpsThatPart) {
  EXPECT_THAT(
      run("%p = icmp ult i32 %t, 48\nbr i1 %p, label %yes, label %no\n"
          "yes:\n%s = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 0, i32 1, i32 31)\nbr label %end\n"
          "no:\n%u = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 0, i32 2, i32 31)\nbr label %end\n"
          "end:"),
      HasSubstr("the threads of a warp part"));
  EXPECT_THAT(
      run("%p = and i32 %t, 1\n%q = icmp eq i32 %p, 0\nbr i1 %q, label %yes, label %no\n"
          "yes:\ncall void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)\nbr label %no\nno:"),
      HasSubstr("not all threads of a warp come to a barrier"));
}

TEST(Emulate, SeesBarriersOfTwoSizes) {
  EXPECT_THAT(run("%p = icmp ult i32 %t, 64\n%n = select i1 %p, i32 96, i32 128\n"
                  "call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 %n)"),
              HasSubstr("barrier 1 is one of 96 threads for some and of 128 for others"));
}

/// Thread 0 makes an mbarrier for `expected` arrivals; all arrive, and wait for the phase of `parity`.
std::string signal(int expected, int parity) {
  return R"(
  %first = icmp eq i32 %t, 0
  br i1 %first, label %make, label %made
make:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @phobos_shared, i32 )" +
         std::to_string(expected) + R"()
  br label %made
made:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.nvvm.cp.async.mbarrier.arrive.noinc.shared(ptr addrspace(3) @phobos_shared)
  br label %again
again:
  %over = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) @phobos_shared, i32 )" +
         std::to_string(parity) + R"()
  br i1 %over, label %end, label %again
end:)";
}

TEST(Emulate, KeepsMbarriers) {
  EXPECT_EQ(run(signal(128, 0)), "");
  EXPECT_THAT(run(signal(129, 0)), HasSubstr("can go on: 128 (from thread 0) at mbarrier.try.wait"));
  EXPECT_THAT(run(signal(128, 1) + inHalf("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)")),
              HasSubstr("can go on")); // waits for nothing, and the next is missing
  EXPECT_THAT(
      run("call void @llvm.nvvm.cp.async.mbarrier.arrive.noinc.shared(ptr addrspace(3) @phobos_shared)"),
      HasSubstr("there is no mbarrier at byte 0"));
}

TEST(Emulate, SeesCopiesThatNobodyWaitsFor) {
  auto copy = [](const std::string &wait) {
    return "%n = mul i32 %t, 4\n%m = and i32 %n, 127\n%c = icmp ult i32 %t, 32\nbr i1 %c, label %yes, label "
           "%no\n"
           "yes:\n%to = getelementptr float, ptr addrspace(3) @phobos_shared, i32 %m\n"
           "%from = getelementptr float, ptr addrspace(1) %data, i32 %m\n"
           "call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %to, ptr addrspace(1) "
           "%from)\n" +
           wait + "%x = load float, ptr addrspace(3) %to, align 4\nstore float %x, ptr addrspace(1) %from\n" +
           "br label %no\nno:\n";
  };
  EXPECT_EQ(run(copy("call void @llvm.nvvm.cp.async.wait.all()\n")), "");
  EXPECT_THAT(run(copy("")), HasSubstr("has a copy under way"));
}

/// 8 columns of sums that begin at 2, added nothing to: both operands are zeros, written by the threads.
std::string product(const std::string &wait, const std::string &meanwhile = "") {
  return R"(
  %c = getelementptr <2 x float>, ptr addrspace(3) @phobos_shared, i32 %t
  store <2 x float> zeroinitializer, ptr addrspace(3) %c, align 8
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %whole = ptrtoint ptr addrspace(3) @phobos_shared to i64
  %low = and i64 %whole, 262143
  %start = lshr i64 %low, 4
  %d = or i64 %start, -4611686018427387904
  call void @llvm.nvvm.fence.proxy.async.shared_cta()
  call void @llvm.nvvm.wgmma.fence.sync.aligned()
  %s = call {float, float, float, float} asm sideeffect "{.reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $8, $9, p, 1, 1, 0, 0;}", "=f,=f,=f,=f,0,1,2,3,l,l"(float 2.0, float 2.0, float 2.0, float 2.0, i64 %d, i64 %d)
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  )" + meanwhile +
         R"(
  %s0 = extractvalue {float, float, float, float} %s, 0
  %s1 = extractvalue {float, float, float, float} %s, 1
  )" + wait +
         "store float %r, ptr addrspace(1) %own, align 4";
}

TEST(Emulate, SeesSumsThatAreReadTooEarly) {
  auto waitFor = [](const std::string &pending) {
    return "%w = call {float, float} asm sideeffect \"wgmma.wait_group.sync.aligned " + pending +
           ";\", \"=f,=f,0,1,~{memory}\"(float %s0, float %s1)\n%r = extractvalue {float, float} %w, 0\n";
  };
  Emulation right, early, without;
  EXPECT_EQ(right.run(product(waitFor("0"))), "");
  EXPECT_EQ(right.data[77], 2);
  EXPECT_EQ(early.run(product(waitFor("1"))), "");
  EXPECT_NE(early.data[77], early.data[77]); // a NaN
  EXPECT_EQ(without.run(product("%r = fadd float %s0, 0.0\n")), "");
  EXPECT_NE(without.data[77], without.data[77]);
  EXPECT_THAT(run(product(waitFor("0"), "store float 1.0, ptr addrspace(3) %slot, align 4\n")),
              HasSubstr("a race: "));
}

TEST(Emulate, SeesMissingFences) {
  auto without = [](const std::string &fence) {
    std::string text = product("%r = fadd float %s0, 0.0\n");
    return run(text.replace(text.find(fence), fence.size(), ""));
  };
  EXPECT_THAT(without("call void @llvm.nvvm.fence.proxy.async.shared_cta()"),
              HasSubstr("no fence.proxy.async"));
  EXPECT_THAT(without("call void @llvm.nvvm.wgmma.fence.sync.aligned()"), HasSubstr("no wgmma.fence"));
}

TEST(Emulate, NamesWhatItDoesNotKnow) {
  EXPECT_EQ(run("%x = call i32 @llvm.nvvm.read.ptx.sreg.clock()"), "not emulated: read.ptx.sreg.clock");
  EXPECT_EQ(run("call void asm sideeffect \"trap;\", \"\"()"), "not emulated: trap;");
}

} // namespace
