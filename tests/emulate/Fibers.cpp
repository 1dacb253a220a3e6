#include "tests/emulate/Fibers.h"
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>

#if defined(__x86_64__)
// phobosSwitch(&from, to): what a function must keep goes to the stack, the stack pointer to *from, and the
// other stack is gone on with. A new one holds as if saved: the body in r13 and its argument in r12. The
// calls of ucontext would do, but for two system calls each.
asm(R"(
  .text
  .globl phobosSwitch
  .hidden phobosSwitch
  .type phobosSwitch, @function
phobosSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
  .size phobosSwitch, .-phobosSwitch
  .globl phobosBegin
  .hidden phobosBegin
  .type phobosBegin, @function
phobosBegin:
  movq %r12, %rdi
  callq *%r13
  ud2
  .size phobosBegin, .-phobosBegin
)");
extern "C" void phobosSwitch(void **from, void *to);
extern "C" void phobosBegin();
#else
#include <ucontext.h>
#endif

namespace phobos::emulate {

namespace {
constexpr size_t kStackBytes = size_t(1) << 20, kGuardBytes = size_t(1) << 16;
} // namespace

Fibers::Fibers(size_t count) : fibers_(count) {
  for (Fiber &f : fibers_) {
    f.memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0);
    if (f.memory == MAP_FAILED)
      std::abort();
    mprotect(f.memory, kGuardBytes, PROT_NONE);
  }
}

#if defined(__x86_64__)

Fibers::~Fibers() {
  for (Fiber &f : fibers_)
    munmap(f.memory, kStackBytes);
}

void Fibers::start(size_t k, void (*body)(void *), void *argument) {
  auto *top = reinterpret_cast<uint64_t *>(static_cast<char *>(fibers_[k].memory) + kStackBytes);
  *--top = 0;
  *--top = 0; // where phobosBegin begins, the stack is at a multiple of 16
  *--top = reinterpret_cast<uint64_t>(&phobosBegin);
  *--top = 0; // rbp
  *--top = 0; // rbx
  *--top = reinterpret_cast<uint64_t>(argument);
  *--top = reinterpret_cast<uint64_t>(body);
  *--top = 0; // r14
  *--top = 0; // r15
  fibers_[k].place = top;
}

void Fibers::resume(size_t k) { phobosSwitch(&outside_, fibers_[k].place); }
void Fibers::leave(size_t k) { phobosSwitch(&fibers_[k].place, outside_); }

#else

Fibers::~Fibers() {
  for (Fiber &f : fibers_) {
    munmap(f.memory, kStackBytes);
    delete static_cast<ucontext_t *>(f.place);
  }
  delete static_cast<ucontext_t *>(outside_);
}

static void begin(unsigned high, unsigned low, unsigned argumentHigh, unsigned argumentLow) {
  auto join = [](unsigned h, unsigned l) { return reinterpret_cast<void *>(uintptr_t(h) << 32 | l); };
  reinterpret_cast<void (*)(void *)>(join(high, low))(join(argumentHigh, argumentLow));
}

void Fibers::start(size_t k, void (*body)(void *), void *argument) {
  Fiber &f = fibers_[k];
  if (!f.place)
    f.place = new ucontext_t;
  auto *context = static_cast<ucontext_t *>(f.place);
  getcontext(context);
  context->uc_stack.ss_sp = f.memory;
  context->uc_stack.ss_size = kStackBytes;
  context->uc_link = nullptr;
  const auto b = reinterpret_cast<uintptr_t>(body), a = reinterpret_cast<uintptr_t>(argument);
  makecontext(context, reinterpret_cast<void (*)()>(begin), 4, static_cast<unsigned>(b >> 32),
              static_cast<unsigned>(b), static_cast<unsigned>(a >> 32), static_cast<unsigned>(a));
}

void Fibers::resume(size_t k) {
  if (!outside_)
    outside_ = new ucontext_t;
  swapcontext(static_cast<ucontext_t *>(outside_), static_cast<ucontext_t *>(fibers_[k].place));
}

void Fibers::leave(size_t k) {
  swapcontext(static_cast<ucontext_t *>(fibers_[k].place), static_cast<ucontext_t *>(outside_));
}

#endif

} // namespace phobos::emulate
