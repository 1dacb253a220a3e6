// The ledger: rows that do not change, resuming, ranking, merging.
#include "kbench/ledger/Ledger.h"
#include "kbench/ledger/Statement.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace phobos;
using namespace phobos::kbench;

namespace {

struct LedgerFile : testing::Test {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("phobos-ledger-" + std::to_string(getpid()));
  std::string path = folder / "a.sqlite", error;
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }

  static Setting setting() { return {"gemm", "h1", "cpu", "some cpu", "", "0.1", "cold cache", "M=8", ""}; }
  static Measurement timed(const char *point, double ns) {
    Measurement m;
    m.stage = "search";
    std::string e;
    parsePoint(point, m.point, e);
    m.samplesNs = {ns, ns + 1, ns + 2};
    m.resources = {{"scratch_bytes", 64}};
    m.cases = 3;
    return m;
  }
};

TEST_F(LedgerFile, KeepsWhatWasMeasured) {
  auto ledger = Ledger::open(path, error);
  ASSERT_TRUE(ledger) << error;
  RunRecord run;
  run.setting = setting();
  ASSERT_TRUE(ledger->begin(run, error)) << error;
  EXPECT_EQ(run.id.size(), 32u);
  Measurement bad;
  bad.stage = "search";
  bad.point.set("T", 7);
  bad.verdict = {Status::Illegal, "warps-cover-block", "7 is not a multiple of 32"};
  ASSERT_TRUE(ledger->add(run.id, timed("T=8", 100), error)) << error;
  ASSERT_TRUE(ledger->add(run.id, bad, error)) << error;
  ledger.reset();
  ledger = Ledger::open(path, error);
  auto rows = ledger->measurements(run.id);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].samplesNs, (std::vector<double>{100, 101, 102}));
  EXPECT_EQ(rows[0].resources, (Resources{{"scratch_bytes", 64}}));
  EXPECT_EQ(rows[1].verdict.status, Status::Illegal);
  EXPECT_EQ(rows[1].verdict.rule, "warps-cover-block");
}

TEST_F(LedgerFile, RowsDoNotChange) {
  auto ledger = Ledger::open(path, error);
  RunRecord run;
  run.setting = setting();
  ledger->begin(run, error);
  ledger->add(run.id, timed("T=8", 100), error);
  sqlite3 *raw = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
  for (const char *sql : {"UPDATE measurement SET median_ns=1", "DELETE FROM measurement",
                          "UPDATE run SET shape=''", "DELETE FROM run"})
    EXPECT_NE(sqlite3_exec(raw, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sql;
  sqlite3_close(raw);
}

TEST_F(LedgerFile, AnInterruptedRunIsFoundUntilItIsFinished) {
  auto ledger = Ledger::open(path, error);
  RunRecord run;
  run.setting = setting();
  run.search = "all";
  ledger->begin(run, error);
  EXPECT_EQ(ledger->unfinishedRun(setting(), "all"), run.id);
  EXPECT_FALSE(ledger->unfinishedRun(setting(), "pin T=8"));
  Setting other = setting();
  other.shape = "M=16";
  EXPECT_FALSE(ledger->unfinishedRun(other, "all"));
  ASSERT_TRUE(ledger->finish(run.id, "done", error)) << error;
  EXPECT_FALSE(ledger->unfinishedRun(setting(), "all"));
}

TEST_F(LedgerFile, BestIsAQuery) {
  auto ledger = Ledger::open(path, error);
  RunRecord run;
  run.setting = setting();
  ledger->begin(run, error);
  ledger->add(run.id, timed("T=8", 300), error);
  ledger->add(run.id, timed("T=16", 100), error);
  ledger->add(run.id, timed("T=32", 50), error);
  Measurement wrong = timed("T=32", 50);
  wrong.samplesNs.clear();
  wrong.stage = "again";
  wrong.verdict = {Status::Wrong, "", "C[0] differs"};
  ledger->add(run.id, wrong, error);
  auto ranked = ledger->ranking(setting(), error);
  ASSERT_EQ(ranked.size(), 2u);
  EXPECT_EQ(ranked[0].point.str(), "T=16");
  EXPECT_EQ(ranked[0].medianNs, 101);
  Setting elsewhere = setting();
  elsewhere.device = "another";
  EXPECT_TRUE(ledger->ranking(elsewhere, error).empty());
}

// Measurements of one setting are never mixed with those of another, whichever field tells them apart and
// also where the one that is asked for is empty; only the build may be left open.
TEST_F(LedgerFile, BestIsOfOneSetting) {
  auto ledger = Ledger::open(path, error);
  std::string Setting::*fields[] = {&Setting::kernel, &Setting::kernelHash, &Setting::target,
                                    &Setting::device, &Setting::driver,     &Setting::build,
                                    &Setting::mode,   &Setting::shape,      &Setting::args};
  auto addRun = [&](const Setting &of, const char *point) {
    RunRecord run;
    run.setting = of;
    ASSERT_TRUE(ledger->begin(run, error)) << error;
    ASSERT_TRUE(ledger->add(run.id, timed(point, 100), error)) << error;
  };
  addRun(setting(), "T=8");
  for (std::string Setting::*field : fields) {
    Setting other = setting();
    other.*field = "another";
    addRun(other, "T=16");
    EXPECT_EQ(ledger->ranking(setting(), error).size(), 1u);
    other.*field = "";
    const size_t known = field == &Setting::build || (setting().*field).empty() ? 1 : 0;
    EXPECT_EQ(ledger->ranking(other, error).size() > 0, known > 0);
  }
  Setting any = setting();
  any.build.clear();
  EXPECT_EQ(ledger->ranking(any, error).size(), 2u);
  EXPECT_EQ(ledger->otherArguments(setting()), std::vector<std::string>{"another"});
}

TEST_F(LedgerFile, OneThatWasMeasuredAloneHasWonNothing) {
  auto ledger = Ledger::open(path, error);
  auto runOf = [&](std::vector<std::pair<const char *, double>> points, const char *winner) {
    RunRecord run;
    run.setting = setting();
    ledger->begin(run, error);
    for (auto [point, ns] : points)
      ledger->add(run.id, timed(point, ns), error);
    Measurement again = timed(winner, 1);
    again.samplesNs.clear();
    again.stage = "again";
    ledger->add(run.id, again, error);
  };
  using Standing = Ranked::Standing;
  runOf({{"T=64", 500}}, "T=64");
  auto ranked = ledger->ranking(setting(), error);
  ASSERT_EQ(ranked.size(), 1u);
  EXPECT_EQ(ranked[0].standing, Standing::Searched);
  EXPECT_EQ(ranked[0].among, 1u);
  runOf({{"T=8", 300}, {"T=16", 100}, {"T=32", 200}}, "T=16");
  runOf({{"T=32", 50}}, "T=32"); // the search's standing of it holds
  runOf({{"T=16", 150}}, "T=16");
  ranked = ledger->ranking(setting(), error);
  std::vector<std::tuple<std::string, Standing, size_t, double>> rows;
  for (const Ranked &r : ranked)
    rows.emplace_back(r.point.str(), r.standing, r.among, r.medianNs);
  EXPECT_EQ(rows, (decltype(rows){{"T=16", Standing::Winner, 3, 101},
                                  {"T=32", Standing::Searched, 3, 201},
                                  {"T=8", Standing::Searched, 3, 301},
                                  {"T=64", Standing::Searched, 1, 501}}));
}

TEST_F(LedgerFile, IsReadWhereNothingCanBeWrittenBesideIt) {
  RunRecord run;
  run.setting = setting();
  {
    auto ledger = Ledger::open(path, error);
    ledger->begin(run, error);
    ledger->add(run.id, timed("T=8", 300), error);
  }
  for (const char *name : {"a.sqlite", "a?b#c%41.sqlite"}) { // also where its name means something in a URI
    path = folder / name;
    if (!std::filesystem::exists(path))
      std::filesystem::copy_file(folder / "a.sqlite", path);
    std::filesystem::create_directory(path + "-shm"); // no log can be made
    EXPECT_FALSE(Ledger::open(path, error));
    error.clear();
    auto ledger = Ledger::openToRead(path, error);
    ASSERT_TRUE(ledger) << error;
    error.clear();
    EXPECT_EQ(ledger->ranking(setting(), error).size(), 1u) << error;
    auto other = Ledger::open(folder / ("for " + std::string(name)), error);
    size_t runs = 0, rows = 0;
    EXPECT_TRUE(other->merge(path, runs, rows, error)) << error;
    EXPECT_EQ(runs, 1u);
    EXPECT_EQ(rows, 1u);
  }
  std::filesystem::create_directory(folder / "none.sqlite-shm");
  EXPECT_FALSE(Ledger::openToRead(folder / "none.sqlite", error));
}

TEST_F(LedgerFile, OneThatIsDamagedSaysSo) {
  RunRecord run;
  run.setting = setting();
  {
    auto ledger = Ledger::open(path, error);
    ledger->begin(run, error);
    for (int i = 1; i < 100; ++i)
      ledger->add(run.id, timed(("T=" + std::to_string(i)).c_str(), 300), error);
  }
  const auto size = std::filesystem::file_size(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(8192);
  file << std::string(size - 8192, '\xa5');
  file.close();
  auto ledger = Ledger::openToRead(path, error);
  ASSERT_TRUE(ledger) << "its first page is whole";
  error.clear();
  EXPECT_TRUE(ledger->ranking(setting(), error).empty());
  EXPECT_NE(error, "");
}

TEST_F(LedgerFile, ShardsMerge) {
  std::string otherPath = folder / "b.sqlite";
  auto a = Ledger::open(path, error), b = Ledger::open(otherPath, error);
  RunRecord one, two;
  one.setting = two.setting = setting();
  a->begin(one, error);
  a->add(one.id, timed("T=8", 300), error);
  b->begin(two, error);
  b->add(two.id, timed("T=16", 200), error);
  b.reset();
  size_t runs = 0, rows = 0;
  ASSERT_TRUE(a->merge(otherPath, runs, rows, error)) << error;
  EXPECT_EQ(runs, 1u);
  EXPECT_EQ(rows, 1u);
  ASSERT_TRUE(a->merge(otherPath, runs, rows, error)) << error; // again: nothing new
  EXPECT_EQ(rows, 1u);
  EXPECT_EQ(a->ranking(setting(), error).size(), 2u);
  EXPECT_FALSE(a->merge(folder / "none.sqlite", runs, rows, error));
}

TEST_F(LedgerFile, AFileThatIsNoLedgerIsRefused) {
  FILE *f = std::fopen(path.c_str(), "w");
  std::fputs(
      "this is a text, long enough to have what a database would call a header, and then some more of it\n",
      f);
  std::fclose(f);
  EXPECT_FALSE(Ledger::open(path, error));
  EXPECT_NE(error.find("a.sqlite"), std::string::npos);
  EXPECT_FALSE(Ledger::open("/nonexistent/folder/x.sqlite", error));
}

TEST(ContentHash, TellsTextsApart) {
  EXPECT_EQ(contentHash("a"), contentHash("a"));
  EXPECT_NE(contentHash("a"), contentHash("b"));
  EXPECT_EQ(contentHash("").size(), 32u);
}

} // namespace
