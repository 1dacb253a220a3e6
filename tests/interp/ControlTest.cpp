// Control flow, uniform and divergent; functions; limits (spec/control-flow.md, spec/threads.md).
#include "tests/interp/Tree.h"

using namespace phobos;
using namespace phobos::interp;
using Kind = sema::Stmt::Kind;

namespace {

/// A kernel of 32 threads with one i32 local that each thread stores at its index in the end.
class Threads : public testing::Test {
protected:
  Threads() {
    t.k.threads = 32;
    out = t.tensor(S::I32, {32});
    v = t.local(Type::scalar(S::I32));
    i = t.local(Type::scalar(S::Index));
  }
  Ints finish() {
    t.add(t.store(out, {t.thread()}, t.var(v)));
    EXPECT_TRUE(t.run());
    return t.ints(out);
  }
  ExprP number(int64_t x) { return t.integer(x, S::I32); }
  ExprP id() { return &t.node(Op::Convert, Type::scalar(S::I32), {t.thread()}); }
  StmtP bump(int64_t by = 1) { return t.set(v, t.op(Op::Add, t.var(v), number(by))); }
  ExprP below(int64_t n) { return t.op(Op::Lt, t.thread(), t.integer(n)); }
  static Ints each(int64_t (*f)(int64_t)) {
    Ints r;
    for (int64_t k = 0; k < 32; ++k)
      r.push_back(f(k));
    return r;
  }
  Tree t;
  sema::ParamId out;
  sema::VarId v, i;
};

TEST_F(Threads, WarpAndLane) {
  t.k.threads = 64;
  t.k.usesThreads = true;
  t.arrays[out] = HostArray(S::I32, {64});
  ExprP both = t.op(Op::Add, t.op(Op::Mul, &t.node(Op::WarpId, Type::scalar(S::Index)), t.integer(100)),
                    &t.node(Op::LaneId, Type::scalar(S::Index)));
  t.add(t.set(v, &t.node(Op::Convert, Type::scalar(S::I32), {both})));
  Ints got = finish();
  EXPECT_EQ(got[31], 31);
  EXPECT_EQ(got[33], 101);
}

TEST_F(Threads, DivergentIf) {
  t.add(t.set(v, number(0)));
  t.add(t.choose(below(10), {bump(1)}, {t.choose(below(20), {bump(2)}, {})}));
  t.add(bump(100));
  EXPECT_EQ(finish(), each([](int64_t k) { return int64_t(k < 10 ? 101 : k < 20 ? 102 : 100); }));
}

TEST_F(Threads, LoopWithItsOwnBoundsBreakAndContinue) {
  t.add(t.set(v, number(0)));
  // for i in range(thread, 40, 3) { if i == 12 { continue }; if i > 30 { break }; v += 1 }
  t.add(t.loop(i, t.thread(), t.integer(40), t.integer(3),
               {t.choose(t.op(Op::Eq, t.var(i), t.integer(12)), {t.leave(Kind::Continue)}),
                t.choose(t.op(Op::Gt, t.var(i), t.integer(30)), {t.leave(Kind::Break)}), bump()}));
  EXPECT_EQ(finish(), each([](int64_t k) {
              int64_t n = 0;
              for (int64_t j = k; j < 40; j += 3) {
                if (j == 12)
                  continue;
                if (j > 30)
                  break;
                ++n;
              }
              return n;
            }));
}

TEST_F(Threads, WhileUntilEachIsDone) {
  t.add(t.set(v, number(0)));
  t.add(t.loopWhile(t.op(Op::Lt, t.op(Op::Mul, t.var(v), t.var(v)), id()), {bump()}));
  EXPECT_EQ(finish(), each([](int64_t k) {
              int64_t n = 0;
              while (n * n < k)
                ++n;
              return n;
            }));
}

TEST_F(Threads, ReturnTakesAThreadOut) {
  t.add(t.set(v, number(7)));
  t.add(t.loop(i, t.integer(0), t.integer(5), t.integer(1), {t.choose(below(3), {t.leave(Kind::Return)})}));
  EXPECT_EQ(finish(), each([](int64_t k) { return int64_t(k < 3 ? 0 : 7); }));
}

TEST_F(Threads, ConditionalAndLogicalEvaluateOnlyWhatIsNeeded) {
  auto h = t.tensor(S::I32, {2}, true, true);
  auto count = [&](int64_t slot) { return t.atomic(sema::AtomicOp::Add, h, {t.integer(slot)}, {number(1)}); };
  t.add(t.set(v, &t.node(Op::Conditional, Type::scalar(S::I32), {count(0), below(5), number(-1)})));
  t.add(t.effect(t.op(Op::LogicalAnd, below(4), t.op(Op::Ge, count(1), number(0)))));
  t.add(t.effect(t.op(Op::LogicalOr, below(30), t.op(Op::Ge, count(1), number(0)))));
  EXPECT_EQ(finish(), each([](int64_t k) { return k < 5 ? k : -1; }));
  EXPECT_EQ(t.ints(h), (Ints{5, 6}));
}

TEST_F(Threads, FunctionsReturnEachThreadItsOwn) {
  auto f = std::make_shared<sema::Inlined>();
  sema::VarId a = t.local(Type::scalar(S::I32));
  f->params = {a};
  f->body.statements = {t.choose(below(8), {t.leave(Kind::Return, t.op(Op::Mul, t.var(a), number(2)))}),
                        t.leave(Kind::Return, t.var(a))};
  sema::Expr &call = t.node(Op::Call, Type::scalar(S::I32), {id()});
  call.call = f;
  t.add(t.set(v, &call));
  t.add(bump());
  EXPECT_EQ(finish(), each([](int64_t k) { return (k < 8 ? 2 * k : k) + 1; }));
}

TEST(Loops, NoTripsRuntimeStepsAndTheLargestIndex) {
  Tree t;
  auto out = t.tensor(S::Index, {4});
  auto i = t.local(Type::scalar(S::Index)), n = t.local(Type::scalar(S::Index));
  auto count = [&](int64_t slot, int64_t lo, int64_t hi, int64_t step) {
    t.add(t.set(n, t.integer(0)));
    t.add(t.loop(i, t.integer(lo), t.integer(hi), t.integer(step),
                 {t.set(n, t.op(Op::Add, t.var(n), t.integer(1)))}));
    t.add(t.store(out, {t.integer(slot)}, t.var(n)));
  };
  int64_t most = std::numeric_limits<int64_t>::max();
  count(0, 5, 5, 1);
  count(1, 0, 10, 0);
  count(2, 0, 10, -1);
  count(3, most - 3, most, 2);
  ASSERT_TRUE(t.run());
  EXPECT_EQ(t.ints(out), (Ints{0, 0, 0, 2}));
}

TEST(Loops, TheSameTreeRunsForEveryBlock) {
  Tree t;
  auto out = t.tensor(S::Index, {2, 3, 4});
  ExprP sum = t.op(
      Op::Add, t.block(0),
      t.op(Op::Add, t.op(Op::Mul, t.block(1), t.integer(10)), t.op(Op::Mul, t.block(2), t.integer(100))));
  sema::Expr &gridX = t.node(Op::GridDim, Type::scalar(S::Index));
  t.add(t.store(out, {t.block(2), t.block(1), t.block(0)},
                t.op(Op::Add, sum, t.op(Op::Mul, &gridX, t.integer(1000)))));
  ASSERT_TRUE(t.run({4, 3, 2}));
  EXPECT_EQ(t.ints(out)[23], 4123);
  EXPECT_EQ(t.ints(out)[5], 4011);
}

TEST(Loops, ReturnInsideALoopOfAFunctionLeavesOnlyIt) {
  Tree t;
  auto out = t.tensor(S::Index, {2});
  auto i = t.local(Type::scalar(S::Index)), v = t.local(Type::scalar(S::Index));
  auto f = std::make_shared<sema::Inlined>();
  f->body.statements = {
      t.loop(i, t.integer(0), t.integer(100), t.integer(1),
             {t.choose(t.op(Op::Eq, t.var(i), t.integer(7)), {t.leave(Kind::Return, t.var(i))})}),
      t.leave(Kind::Return, t.integer(-1))};
  sema::Expr &call = t.node(Op::Call, Type::scalar(S::Index));
  call.call = f;
  t.add(t.set(v, &call));
  t.add(t.store(out, {t.integer(0)}, t.var(v)));
  t.add(t.store(out, {t.integer(1)}, t.integer(1)));
  ASSERT_TRUE(t.run());
  EXPECT_EQ(t.ints(out), (Ints{7, 1}));
}

TEST(Limits, TooManyStatementsStopTheRun) {
  for (bool empty : {false, true}) {
    Tree t;
    auto v = t.local(Type::scalar(S::Index));
    sema::Expr &yes = t.node(Op::Bool, Type::scalar(S::Bool));
    yes.intValue = 1;
    t.add(t.loopWhile(&yes, empty ? std::vector<StmtP>{} : std::vector<StmtP>{t.set(v, t.integer(1))}));
    t.options.maxSteps = 1000;
    EXPECT_FALSE(t.run());
    ASSERT_EQ(t.diags.all().size(), 1u);
    EXPECT_EQ(t.diags.all()[0].id, diag::StepLimit);
  }
}

TEST(Limits, ValuesThatDoNotFitMemoryAreAnErrorBeforeTheRun) {
  Tree t;
  for (int i = 0; i < 100; ++i)
    t.local(Type::tile(S::F32, {4096, 4096}));
  EXPECT_FALSE(t.run());
  ASSERT_EQ(t.diags.all().size(), 1u);
  EXPECT_EQ(t.diags.all()[0].id, diag::ValuesTooLarge);
}

TEST(Limits, TheCancelFlagStopsTheRun) {
  Tree t;
  std::atomic<bool> cancel = true;
  auto i = t.local(Type::scalar(S::Index));
  t.add(t.loop(i, t.integer(0), t.integer(int64_t(1) << 60), t.integer(1), {}));
  t.options.cancel = &cancel;
  EXPECT_FALSE(t.run());
  ASSERT_EQ(t.diags.all().size(), 1u);
  EXPECT_EQ(t.diags.all()[0].id, diag::Cancelled);
}

} // namespace
