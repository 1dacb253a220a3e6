// What a checking run finds, and what it must leave alone.
#include "tests/interp/Tree.h"

using namespace phobos;
using namespace phobos::interp;

namespace {

/// The diagnostics of a checking run over `grid` blocks in x.
std::vector<diag> findings(Tree &t, int64_t grid = 1) {
  t.options.check = true;
  bool ok = t.run({grid, 1, 1});
  EXPECT_EQ(ok, !t.diags.hasErrors());
  std::vector<diag> ids;
  for (const Diagnostic &d : t.diags.all()) {
    EXPECT_TRUE(d.range.isValid()) << d.message;
    ids.push_back(d.id);
  }
  return ids;
}
using Ids = std::vector<diag>;

TEST(Check, BlocksThatStoreTheirOwnPartsAreFine) {
  Tree t;
  auto x = t.input(S::F32, {20}, Floats(20, 1)), y = t.tensor(S::F32, {20});
  ExprP at = t.op(Op::Mul, t.block(), t.integer(8));
  t.add(t.store(y, {{at, 8}}, t.load(x, {{at, 8}})));
  EXPECT_EQ(findings(t, 3), Ids{});
}

TEST(Check, TwoBlocksStoreOneElement) {
  Tree t;
  auto y = t.tensor(S::F32, {9});
  ExprP at = t.op(Op::Mul, t.block(), t.integer(4));
  t.add(t.store(y, {{at, 5}}, &t.node(Op::Broadcast, Type::tile(S::F32, {5}), {t.real(1)})));
  EXPECT_EQ(findings(t, 2), Ids{diag::TwoBlocksStore});
  EXPECT_NE(t.diags.all()[0].message.find("'A[4]'"), std::string::npos) << t.diags.all()[0].message;
  EXPECT_EQ(t.diags.all()[0].notes.size(), 1u);
}

TEST(Check, AnElementThatNoBlockStores) {
  Tree t;
  auto y = t.tensor(S::F32, {2, 5});
  t.add(t.store(y, {t.block(), {t.integer(0), 4}},
                &t.node(Op::Broadcast, Type::tile(S::F32, {4}), {t.real(1)})));
  EXPECT_EQ(findings(t, 2), Ids{diag::StoreNeverDone});
  EXPECT_NE(t.diags.all()[0].message.find("2 of 10"), std::string::npos) << t.diags.all()[0].message;
  EXPECT_NE(t.diags.all()[0].message.find("'A[0, 4]'"), std::string::npos) << t.diags.all()[0].message;
}

TEST(Check, ATensorUpdatedInPlaceInPartIsAWarning) {
  Tree t;
  auto y = t.tensor(S::F32, {5}, true, true);
  t.add(t.store(y, {{t.integer(0), 4}}, t.load(y, {{t.integer(0), 4}})));
  EXPECT_EQ(findings(t), Ids{diag::PartlyStored});
}

TEST(Check, ABlockReadsWhatAnotherStores) {
  for (bool earlier : {false, true}) { // the reader runs before the writer, or after it
    Tree t;
    auto y = t.tensor(S::F32, {2}, true, true);
    ExprP other = t.op(Op::Sub, t.integer(1), t.block());
    auto in = t.input(S::I32, {1}, Ints{0});
    (void)in;
    StmtP read = t.effect(t.load(y, {other})), write = t.store(y, {t.block()}, t.real(1));
    t.add(t.choose(t.op(Op::Eq, t.block(), t.integer(earlier ? 0 : 1)), {read}));
    t.add(write);
    EXPECT_EQ(findings(t, 2), Ids{diag::ReadOfOtherBlock});
    EXPECT_EQ(t.diags.all()[0].notes.size(), 1u);
  }
}

TEST(Check, AtomicsOfSeveralBlocksAreFine) {
  Tree t;
  auto h = t.tensor(S::I32, {4}, true, true);
  t.add(t.effect(t.atomic(sema::AtomicOp::Add, h, {t.integer(1)}, {t.integer(1, S::I32)}, true)));
  EXPECT_EQ(findings(t, 3), Ids{});
}

TEST(Check, AnAtomicAndAPlainStoreOfTwoBlocks) {
  Tree t;
  auto h = t.tensor(S::I32, {1}, true, true);
  t.add(t.choose(t.op(Op::Eq, t.block(), t.integer(0)),
                 {t.effect(t.atomic(sema::AtomicOp::Add, h, {t.integer(0)}, {t.integer(1, S::I32)}, true))},
                 {t.store(h, {t.integer(0)}, t.integer(1, S::I32))}));
  EXPECT_EQ(findings(t, 2), Ids{diag::TwoBlocksStore});
}

TEST(Check, PointsOutside) {
  Tree t;
  auto x = t.input(S::F32, {3, 2}, Floats(6, 1)), y = t.tensor(S::F32, {1});
  t.add(t.store(y, {t.integer(0)}, t.load(x, {t.integer(1), t.integer(2)})));
  t.add(t.store(y, {t.integer(-1)}, t.real(0)));
  EXPECT_EQ(findings(t), (Ids{diag::PointOutside, diag::PointOutside}));
  EXPECT_NE(t.diags.all()[0].message.find("'A[1, 2]'"), std::string::npos) << t.diags.all()[0].message;
}

TEST(Check, SlicesMayHangOver) {
  Tree t;
  auto x = t.input(S::F32, {3}, Floats(3, 1)), y = t.tensor(S::F32, {3});
  t.add(t.store(y, {{t.integer(0), 8}}, t.load(x, {{t.integer(-2), 8}})));
  EXPECT_EQ(findings(t), Ids{});
}

class CheckThreads : public testing::Test {
protected:
  CheckThreads() {
    t.k.threads = 32;
    y = t.tensor(S::I32, {32}, true, true);
    v = t.local(Type::scalar(S::I32));
    neighbour = t.op(Op::Rem, t.op(Op::Add, t.thread(), t.integer(1)), t.integer(32));
  }
  StmtP storeOwn() { return t.store(y, {t.thread()}, t.integer(1, S::I32)); }
  StmtP readNeighbour() { return t.set(v, t.load(y, {neighbour})); }
  Tree t;
  sema::ParamId y;
  sema::VarId v;
  ExprP neighbour;
};

TEST_F(CheckThreads, ABarrierOrdersAStoreAndARead) {
  t.add(storeOwn());
  t.add(t.barrier());
  t.add(readNeighbour());
  EXPECT_EQ(findings(t), Ids{});
}

TEST_F(CheckThreads, WithoutOneTheyRace) {
  t.add(storeOwn());
  t.add(readNeighbour());
  EXPECT_EQ(findings(t), Ids{diag::ThreadsRace});
}

TEST_F(CheckThreads, SoDoAReadAndAStore) {
  t.add(readNeighbour());
  t.add(storeOwn());
  EXPECT_EQ(findings(t), Ids{diag::ThreadsRace});
}

TEST_F(CheckThreads, SoDoTwoStores) {
  t.add(t.store(y, {t.op(Op::Div, t.thread(), t.integer(2))}, t.integer(1, S::I32)));
  EXPECT_EQ(findings(t), (Ids{diag::ThreadsRace, diag::PartlyStored}));
}

TEST_F(CheckThreads, AThreadSeesItsOwnStores) {
  t.add(storeOwn());
  t.add(t.set(v, t.load(y, {t.thread()})));
  t.add(storeOwn());
  EXPECT_EQ(findings(t), Ids{});
}

TEST_F(CheckThreads, ATileReadOfWhatThreadsStored) {
  t.add(storeOwn());
  t.add(t.effect(t.load(y, {{t.integer(0), 32}})));
  EXPECT_EQ(findings(t), Ids{diag::ThreadsRace});
}

TEST_F(CheckThreads, AThreadReadsWhatATileStored) {
  for (bool barrier : {false, true}) {
    Tree u;
    u.k.threads = 32;
    auto a = u.tensor(S::I32, {32}, true, true), w = u.local(Type::scalar(S::I32));
    u.add(u.store(a, {{u.integer(0), 32}},
                  &u.node(Op::Broadcast, Type::tile(S::I32, {32}), {u.integer(1, S::I32)})));
    if (barrier)
      u.add(u.barrier());
    u.add(u.set(w, u.load(a, {u.thread()})));
    EXPECT_EQ(findings(u), barrier ? Ids{} : Ids{diag::ThreadsRace});
  }
}

TEST_F(CheckThreads, TheFirstThreadAloneIsAThread) {
  t.add(storeOwn());
  t.add(t.barrier());
  t.add(t.choose(t.op(Op::Eq, t.thread(), t.integer(0)), {t.store(y, {t.integer(5)}, t.integer(2, S::I32))}));
  t.add(t.set(v, t.load(y, {t.thread()})));
  EXPECT_EQ(findings(t), Ids{diag::ThreadsRace});
}

} // namespace
