// Supervision: a crash, a hang or a vanished worker costs its job alone, and the worker is replaced.
#include "kbench/workers/Pool.h"
#include "kbench/workers/Fault.h"
#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace phobos;
using namespace phobos::kbench;
using std::chrono::milliseconds;

namespace {

PoolOptions options(unsigned workers) {
  PoolOptions o;
  o.command = {POOL_WORKER};
  o.greeting = "hello";
  o.workers = workers;
  return o;
}

Outcome runOne(Pool &pool, const std::string &request, milliseconds limit = milliseconds(20000)) {
  std::string error;
  EXPECT_TRUE(pool.give(1, request, limit, error)) << error;
  while (true) {
    waitForAny({&pool}, nullptr, milliseconds(20000));
    auto done = pool.collect();
    if (!done.empty())
      return done.front();
  }
}

TEST(Pool, AnswersComeBack) {
  Pool pool(options(1));
  Outcome o = runOne(pool, "this");
  EXPECT_EQ(o.kind, Outcome::Kind::Answer);
  EXPECT_EQ(o.answer, "did this");
  EXPECT_EQ(pool.readyLine(), " hello");
  EXPECT_EQ(runOne(pool, "pid").answer, runOne(pool, "pid").answer) << "a worker is kept";
  EXPECT_EQ(pool.started(), 1u);
}

TEST(Pool, ACrashCostsOneJobAndSaysWhy) {
  Pool pool(options(1));
  Outcome o = runOne(pool, "segv");
  EXPECT_EQ(o.kind, Outcome::Kind::Crash);
  EXPECT_NE(o.detail.find("signal 11"), std::string::npos) << o.detail;
  o = runOne(pool, "abort");
  EXPECT_EQ(o.kind, Outcome::Kind::Crash);
  EXPECT_NE(o.detail.find(": last words"), std::string::npos) << o.detail;
  EXPECT_EQ(runOne(pool, "next").answer, "did next");
  EXPECT_EQ(pool.started(), 3u);
}

TEST(Pool, AnAnswerThatSaysItIsTheLastEndsTheWorker) {
  Pool pool(options(1));
  const std::string before = runOne(pool, "pid").answer;
  EXPECT_EQ(runOne(pool, "last").answer, "words");
  EXPECT_NE(runOne(pool, "pid").answer, before);
  EXPECT_EQ(pool.started(), 2u);
}

TEST(Pool, APhaseHasItsOwnDeadlineAndIsNamed) {
  Pool pool(options(1));
  std::string error;
  ASSERT_TRUE(pool.give(1, "phase", milliseconds(20000), error, milliseconds(150))) << error;
  std::vector<Outcome> done;
  auto since = Clock::now();
  while (done.empty()) {
    waitForAny({&pool}, nullptr, milliseconds(20000));
    done = pool.collect();
  }
  EXPECT_EQ(done[0].kind, Outcome::Kind::Timeout);
  EXPECT_EQ(done[0].phase, "the second half");
  EXPECT_LT(Clock::now() - since, milliseconds(10000));
  EXPECT_EQ(runOne(pool, "next").phase, "") << "of the job before";
}

TEST(Pool, WhatTakesLongIsNamedAndChangesNoDeadline) {
  Pool pool(options(1));
  const auto since = Clock::now();
  const Outcome o = runOne(pool, "doing", milliseconds(300));
  EXPECT_EQ(o.kind, Outcome::Kind::Timeout);
  EXPECT_EQ(o.doing, "the long part");
  EXPECT_EQ(o.phase, "");
  EXPECT_LT(Clock::now() - since, milliseconds(10000));
  EXPECT_EQ(runOne(pool, "next").doing, "") << "of the job before";
}

TEST(Pool, AHangEndsAtItsDeadline) {
  Pool pool(options(1));
  auto since = Clock::now();
  EXPECT_EQ(runOne(pool, "hang", milliseconds(150)).kind, Outcome::Kind::Timeout);
  EXPECT_LT(Clock::now() - since, milliseconds(5000));
  EXPECT_EQ(runOne(pool, "next").answer, "did next");
}

TEST(Pool, OneThatVanishesIsLostNotCrashed) {
  Pool pool(options(1));
  Outcome o = runOne(pool, "leave");
  EXPECT_EQ(o.kind, Outcome::Kind::Lost);
  EXPECT_NE(o.detail.find("exit status 7"), std::string::npos) << o.detail;
  EXPECT_EQ(runOne(pool, "killed").kind, Outcome::Kind::Lost);
}

TEST(Pool, AWorkerKilledWhileIdleIsReplaced) {
  Pool pool(options(1));
  int pid = std::stoi(runOne(pool, "pid").answer);
  kill(pid, SIGKILL);
  usleep(50000);
  // Its end may be noticed when the job is given or when no answer comes; either way nothing is stuck.
  Outcome o = runOne(pool, "next");
  if (o.kind == Outcome::Kind::Lost)
    o = runOne(pool, "next");
  EXPECT_EQ(o.answer, "did next");
}

TEST(Pool, WorkersWorkAtOnceAndAHangDoesNotHoldTheOthers) {
  Pool pool(options(3));
  std::string error;
  ASSERT_TRUE(pool.give(10, "hang", milliseconds(500), error));
  ASSERT_TRUE(pool.give(11, "a", milliseconds(20000), error));
  ASSERT_TRUE(pool.give(12, "b", milliseconds(20000), error));
  EXPECT_FALSE(pool.hasIdle());
  std::vector<uint64_t> order;
  while (order.size() < 3) {
    waitForAny({&pool}, nullptr, milliseconds(20000));
    for (Outcome &o : pool.collect())
      order.push_back(o.job);
  }
  EXPECT_EQ(order.back(), 10u);
}

TEST(Pool, ReplacingAllGivesFreshProcesses) {
  Pool pool(options(1));
  std::string before = runOne(pool, "pid").answer;
  pool.replaceAll();
  EXPECT_NE(runOne(pool, "pid").answer, before);
}

TEST(Pool, WorkersBeginAtOnceWithoutBeingWaitedFor) {
  Pool pool(options(3));
  pool.begin(2);
  EXPECT_EQ(pool.started(), 2u);
  EXPECT_TRUE(pool.hasIdle()) << "the third is not begun: it may be given a job, and is started then";
  while (pool.readyLine().empty()) {
    waitForAny({&pool}, nullptr, milliseconds(20000));
    EXPECT_TRUE(pool.collect().empty());
  }
  EXPECT_EQ(runOne(pool, "this").answer, "did this");
  EXPECT_EQ(pool.started(), 2u);
  Pool soon(options(1));
  soon.begin(1);
  EXPECT_FALSE(soon.hasIdle());
  EXPECT_EQ(runOne(soon, "this").answer, "did this") << "given before it is ready: it is waited for";
  EXPECT_EQ(soon.started(), 1u);
}

TEST(Pool, AWorkerForOneJobIsFreshForEach) {
  PoolOptions o = options(1);
  o.isOnceOnly = true;
  Pool pool(o);
  EXPECT_NE(runOne(pool, "pid").answer, runOne(pool, "pid").answer);
}

TEST(Pool, OneThatBeganAndFailedSaysSoWhenItIsNeeded) {
  PoolOptions o = options(1);
  o.command = {POOL_WORKER, "never-ready"};
  Pool pool(o);
  pool.begin(1);
  while (!pool.hasIdle()) {
    waitForAny({&pool}, nullptr, milliseconds(20000));
    pool.collect();
  }
  std::string error;
  EXPECT_FALSE(pool.give(1, "x", milliseconds(1000), error));
  EXPECT_NE(error.find("exit status 9"), std::string::npos) << error;
}

TEST(Pool, OneThatCannotStartIsAReason) {
  PoolOptions o = options(1);
  o.command = {"/nonexistent/worker"};
  Pool none(o);
  std::string error;
  EXPECT_FALSE(none.give(1, "x", milliseconds(1000), error));
  EXPECT_NE(error.find("/nonexistent/worker"), std::string::npos);
  o.command = {POOL_WORKER, "never-ready"};
  Pool silent(o);
  EXPECT_FALSE(silent.give(1, "x", milliseconds(1000), error));
  EXPECT_NE(error.find("exit status 9"), std::string::npos) << error;
}

TEST(Faults, StrikeThePointsThatMatch) {
  Faults f;
  std::string error;
  ASSERT_TRUE(f.parse("wrong@T=8,U=2;hang@T=16;lost", error)) << error;
  Point p;
  p.set("T", 8);
  EXPECT_FALSE(f.strikes(Fault::Wrong, p));
  p.set("U", 2);
  EXPECT_TRUE(f.strikes(Fault::Wrong, p));
  EXPECT_FALSE(f.strikes(Fault::Hang, p));
  EXPECT_TRUE(f.strikes(Fault::Lost, p));
  EXPECT_FALSE(f.parse("melt@T=8", error));
  EXPECT_NE(error.find("melt"), std::string::npos);
}

} // namespace
