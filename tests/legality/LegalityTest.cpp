// The rules: the published list against its cases and against brute force, completion of unset names,
// sentences, CSV.
#include "compiler/legality/Legality.h"
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <sstream>

using namespace phobos;
using namespace phobos::legality;

namespace {

Point point(std::string_view text) {
  Point p;
  std::string error;
  EXPECT_TRUE(parsePoint(text, p, error)) << error;
  return p;
}

TEST(Legality, EveryFormulaAndSentenceParses) {
  std::string error;
  for (const Rule &r : rules()) {
    EXPECT_TRUE(Formula::parse(r.formula, error)) << r.name << ": " << error;
    std::string_view rest = r.sentence;
    for (size_t open; (open = rest.find('{')) != rest.npos;) {
      size_t close = rest.find('}');
      ASSERT_NE(close, rest.npos) << r.name;
      EXPECT_TRUE(Formula::parse(rest.substr(open + 1, close - open - 1), error)) << r.name << ": " << error;
      rest.remove_prefix(close + 1);
    }
  }
  for (const Number &n : numbers())
    EXPECT_TRUE(Formula::parse(n.formula, error)) << n.name << ": " << error;
}

TEST(Legality, NamesOfOnePathAreUnique) {
  for (std::string_view list : listNames()) {
    std::set<std::string_view> seen;
    for (const Rule &r : rules())
      if (r.paths & static_cast<Paths>(*pathNamed(list)))
        EXPECT_TRUE(seen.insert(r.name).second) << list << " has two rules called " << r.name;
  }
}

TEST(Legality, PublishedCases) {
  std::ifstream in(PHOBOS_SOURCE_DIR "/tests/conformance/legality.csv");
  ASSERT_TRUE(in);
  std::vector<std::string> expected;
  std::string line, error;
  std::getline(in, line);
  while (std::getline(in, line))
    expected.push_back(line.substr(line.rfind(',') + 1));
  in.clear();
  in.seekg(0);
  std::ostringstream out;
  ASSERT_TRUE(judgeCsv(in, "warptile", 49152, out, error)) << error;
  std::istringstream got(out.str());
  for (size_t i = 0; i < expected.size(); ++i) {
    std::getline(got, line);
    EXPECT_EQ(line, expected[i]) << "point " << i + 1;
  }
  EXPECT_GE(expected.size(), 400u);
}

/// The published list once more, written as the kernel would meet it: C++ that counts.
struct WarpTile {
  int64_t bm, bn, bk, wm, wn, wniter, tm, tn, nt;
  std::string_view firstBroken(int64_t limit) const {
    for (int64_t n : {bm, bn, bk, wm, wn, wniter, tm, tn, nt})
      if (n < 1)
        return "positive";
    if (nt % 32)
      return "whole-warps";
    if (bm % wm || bn % wn)
      return "block-in-warp-tiles";
    if (bm / wm * (bn / wn) != nt / 32)
      return "warps-cover-block";
    int64_t step = 32 * tm * tn * wniter;
    if (wm * wn % step)
      return "warp-in-steps";
    int64_t wmiter = wm * wn / step;
    if (wmiter < 1 || wm % wmiter || wn % wniter)
      return "warp-in-steps";
    int64_t sm = wm / wmiter, sn = wn / wniter;
    if (sm % tm || sn % tn)
      return "subtile-in-thread-tiles";
    if (sm / tm * (sn / tn) != 32)
      return "lanes-cover-subtile";
    if (bk % 4 || bn % 4 || tn % 4)
      return "vector-alignment";
    if (4 * nt % bk || 4 * nt / bk < 1 || bm % (4 * nt / bk))
      return "a-loads-cover";
    if (nt % (bn / 4) || nt / (bn / 4) < 1 || bk % (nt / (bn / 4)))
      return "b-loads-cover";
    if (4 * (bm * bk + bk * bn) > limit)
      return "shared-memory";
    if (wmiter * tm * wniter * tn > 128)
      return "accumulators";
    return "legal";
  }
  /// Whether the walk over (warp, step, lane, thread tile) touches every element of the block tile exactly
  /// once.
  bool coversOnce() const {
    std::vector<int> hits(static_cast<size_t>(bm * bn));
    int64_t wmiter = wm * wn / (32 * tm * tn * wniter), sm = wm / wmiter, sn = wn / wniter;
    for (int64_t t = 0; t < nt; ++t) {
      int64_t warp = t / 32, lane = t % 32, row = warp / (bn / wn) * wm, col = warp % (bn / wn) * wn;
      int64_t laneRow = lane / (sn / tn), laneCol = lane % (sn / tn);
      for (int64_t i = 0; i < wmiter; ++i)
        for (int64_t j = 0; j < wniter; ++j)
          for (int64_t a = 0; a < tm; ++a)
            for (int64_t b = 0; b < tn; ++b) {
              int64_t r = row + i * sm + laneRow * tm + a, c = col + j * sn + laneCol * tn + b;
              if (r >= bm || c >= bn)
                return false;
              ++hits[static_cast<size_t>(r * bn + c)];
            }
    }
    return std::all_of(hits.begin(), hits.end(), [](int h) { return h == 1; });
  }
  Point point() const {
    Point p;
    for (auto [name, n] : {std::pair("TILE_M", bm),
                           {"TILE_N", bn},
                           {"TILE_K", bk},
                           {"WARP_M", wm},
                           {"WARP_N", wn},
                           {"WARP_NITER", wniter},
                           {"TILE_TM", tm},
                           {"TILE_TN", tn},
                           {"THREADS", nt},
                           {"SHARED_LIMIT", int64_t(49152)}})
      p.set(name, n);
    return p;
  }
};

TEST(Legality, PublishedListAgainstBruteForce) {
  Judge judge(Path::Published);
  std::mt19937 random(7);
  auto pick = [&](std::initializer_list<int64_t> list) { return list.begin()[random() % list.size()]; };
  std::map<std::string_view, int> seen;
  for (int i = 0; i < 200000; ++i) {
    WarpTile t{pick({0, 32, 48, 64, 128, 256}),     pick({32, 64, 96, 128, 256}),
               pick({-1, 2, 4, 8, 16, 20, 32, 64}), pick({0, 8, 16, 32, 64, 128}),
               pick({8, 16, 32, 48, 64, 128}),      pick({0, 1, 2, 3, 4}),
               pick({1, 2, 4, 5, 8, 16}),           pick({1, 2, 4, 8}),
               pick({32, 64, 100, 128, 256, 512})};
    std::string_view expected = t.firstBroken(49152);
    Verdict v = judge.judge(t.point());
    ASSERT_EQ(v.isLegal() ? "legal" : v.broken->name, expected) << t.point().str();
    ASSERT_EQ(v.reason.find('?'), std::string::npos) << v.reason;
    if (++seen[expected], expected == "legal")
      ASSERT_TRUE(t.coversOnce()) << t.point().str();
  }
  for (const Rule &r : rules())
    if (r.paths & static_cast<Paths>(Path::Published) &&
        r.name != "lanes-cover-subtile") // follows from the two before it
      EXPECT_GT(seen[r.name], 0) << r.name << " never happened";
  EXPECT_GT(seen["legal"], 100);
}

TEST(Legality, SentencesHoldTheNumbers) {
  Judge judge(Path::Published);
  Verdict v = judge.judge(point("TILE_M=64 TILE_N=64 TILE_K=8 WARP_M=32 WARP_N=32 WARP_NITER=1 TILE_TM=4 "
                                "TILE_TN=4 THREADS=256 SHARED_LIMIT=49152"));
  ASSERT_FALSE(v.isLegal());
  EXPECT_EQ(v.broken->name, "warps-cover-block");
  EXPECT_EQ(v.reason, "the 64x64 block tile holds 4 warp tiles of 32x32, but 256 threads are 8 warps");
}

TEST(Legality, EveryPointOfTheGemmKernelHasALegalCompletionOnSimt) {
  Judge judge(Path::Simt);
  Point limits = point("SHARED_LIMIT=49152 ELEM_BYTES=4 ACC_BYTES=4 SM=75");
  for (int64_t m : {32, 64, 128})
    for (int64_t n : {32, 64, 128})
      for (int64_t k : {8, 16, 32}) {
        Point p, completed;
        p.set("TILE_M", m);
        p.set("TILE_N", n);
        p.set("TILE_K", k);
        p.set("THREADS", 256);
        Verdict v = judge.complete(p, limits, completed);
        EXPECT_TRUE(v.isLegal()) << p.str() << ": " << v.broken->name << ": " << v.reason;
        if (!v.isLegal())
          continue;
        EXPECT_TRUE(judge.judge(completed).isLegal()) << completed.str();
        WarpTile t{m,
                   n,
                   k,
                   *completed.get("WARP_M"),
                   *completed.get("WARP_N"),
                   *completed.get("WARP_NITER"),
                   *completed.get("TILE_TM"),
                   *completed.get("TILE_TN"),
                   256};
        EXPECT_TRUE(t.coversOnce()) << completed.str();
      }
}

TEST(Legality, CompletionKeepsWhatIsGiven) {
  Judge judge(Path::Simt);
  Point completed;
  Point given = point("TILE_M=64 TILE_N=64 TILE_K=16 WARP_N=16 THREADS=128 STAGES=1");
  ASSERT_TRUE(judge.complete(given, point("SHARED_LIMIT=49152"), completed).isLegal());
  for (const auto &[name, n] : given.entries())
    EXPECT_EQ(completed.get(name), n) << name;
}

TEST(Legality, AnIllegalPointNamesTheRuleThatNoCompletionMeets) {
  auto broken = [](Path path, const char *p, const char *limits) -> std::string {
    Point completed;
    Verdict v = Judge(path).complete(point(p), point(limits), completed);
    return v.isLegal() ? "legal" : std::string(v.broken->name);
  };
  EXPECT_EQ(broken(Path::Simt, "TILE_M=64 TILE_N=64 TILE_K=1024", "SHARED_LIMIT=49152"), "shared-memory");
  EXPECT_EQ(broken(Path::Simt, "TILE_M=256 TILE_N=256 TILE_K=8 THREADS=32", "SHARED_LIMIT=101376"),
            "tile-registers");
  EXPECT_EQ(broken(Path::Simt, "TILE_M=64 TILE_N=64 TILE_K=8 THREADS=100", "SHARED_LIMIT=49152"),
            "whole-warps");
  EXPECT_EQ(broken(Path::Simt, "TILE_M=64 TILE_N=64 TILE_K=8 THREADS=2048", "SHARED_LIMIT=49152"),
            "thread-limit");
  EXPECT_EQ(broken(Path::Simt, "TILE_M=64 TILE_N=64 TILE_K=8 STAGES=4", "SHARED_LIMIT=49152 SM=75"),
            "pipeline-depth");
  EXPECT_EQ(broken(Path::Mma, "TILE_M=128 TILE_N=128 TILE_K=32", "SHARED_LIMIT=101376"), "legal");
  EXPECT_EQ(broken(Path::Mma, "TILE_M=128 TILE_N=128 TILE_K=24", "SHARED_LIMIT=101376"),
            "instruction-tiles-k");
  EXPECT_EQ(broken(Path::Mma, "TILE_M=128 TILE_N=128 TILE_K=32", "SHARED_LIMIT=101376 SM=75"),
            "instruction-exists");
  EXPECT_EQ(broken(Path::Cpu, "SCRATCH_BYTES=1000", ""), "legal");
  EXPECT_EQ(broken(Path::Cpu, "SCRATCH_BYTES=1000", "SCRATCH_LIMIT=999"), "scratch-memory");
  EXPECT_EQ(broken(Path::Cpu, "SCRATCH_BYTES=1000 THREADS=48", ""), "whole-warps");
}

/// The rules of the warpgroups' path, restated: the first that is broken, for one layout of warpgroups.
std::string_view firstBrokenOfWgmma(int64_t m, int64_t n, int64_t k, int64_t threads, int64_t down,
                                    int64_t aBytes, int64_t bBytes, int64_t step, int64_t stages) {
  auto isPanel = [](int64_t bytes) { return bytes == 32 || bytes == 64 || bytes % 128 == 0; };
  if (threads != 128 && threads != 256)
    return "warpgroups";
  if (down > threads / 128)
    return "groups-cover-block";
  const int64_t across = threads / 128 / down;
  return m % (64 * down)                           ? "rows-of-64"
         : n % (across * step) || n / across > 256 ? "columns-of-group"
         : k % 16                                  ? "k-of-16"
         : !isPanel(aBytes) || !isPanel(bBytes)    ? "swizzled-rows"
         : stages < 2                              ? "ring-of-stages"
                                                   : "legal";
}

TEST(Legality, WarpgroupsAgainstBruteForce) {
  Judge judge(Path::Wgmma);
  std::map<std::string_view, int> seen;
  for (int64_t m : {32, 64, 96, 128, 192, 256})
    for (int64_t n : {8, 16, 64, 96, 128, 256, 512, 1024})
      for (int64_t k : {8, 16, 24, 32, 48, 64, 128})
        for (int64_t threads : {64, 128, 256, 384})
          for (int64_t down : {1, 2})
            for (bool isTransposed : {false, true})
              for (int64_t stages : {0, 2, 4}) {
                const int64_t bBytes = 2 * (isTransposed ? k : n),
                              step = isTransposed ? 8 : std::min<int64_t>(64, n);
                Point p;
                for (auto [name, value] : {std::pair("TILE_M", m),
                                           {"TILE_N", n},
                                           {"TILE_K", k},
                                           {"THREADS", threads},
                                           {"GROUPS_M", down},
                                           {"A_ROW_BYTES", 2 * k},
                                           {"B_ROW_BYTES", bBytes},
                                           {"STEP_N", step},
                                           {"STAGES", stages}})
                  p.set(name, value);
                std::string_view expected =
                    firstBrokenOfWgmma(m, n, k, threads, down, 2 * k, bBytes, step, stages);
                Verdict v = judge.judge(p);
                ASSERT_EQ(v.isLegal() ? "legal" : v.broken->name, expected) << p.str();
                ASSERT_EQ(v.reason.find('?'), std::string::npos) << v.reason;
                ++seen[expected];
              }
  for (const Rule &r : rules())
    if (r.paths & static_cast<Paths>(Path::Wgmma) && r.name != "positive")
      EXPECT_GT(seen[r.name], 0) << r.name << " never happened";
  EXPECT_GT(seen["legal"], 100);
}

TEST(Legality, CsvErrorsSayWhere) {
  auto error = [](const char *text, const char *list = "warptile") {
    std::istringstream in(text);
    std::ostringstream out;
    std::string message;
    EXPECT_FALSE(judgeCsv(in, list, 49152, out, message)) << text;
    return message;
  };
  EXPECT_EQ(error("", "nothing"),
            "no list of rules is called 'nothing'; there are warptile cpu simt mma wgmma gpu");
  EXPECT_EQ(error(""), "line 1: expected a header of names");
  EXPECT_EQ(error("TILE_M,TILE_M\n"), "line 1: column 'TILE_M' occurs twice");
  EXPECT_EQ(error("TILE_M,TILE_N\n"), "line 1: no column is called 'TILE_K'");
  EXPECT_EQ(error("TILE_M,TILE_N,TILE_K\n1,2\n", "simt"), "line 2: found 2 fields, expected 3");
  EXPECT_EQ(error("TILE_M,TILE_N,TILE_K\n1,x,2\n", "simt"), "line 2: TILE_N is 'x', expected an integer");
  EXPECT_EQ(error("TILE_M,TILE_N,TILE_K\n1,99999999999999999999,2\n", "simt"),
            "line 2: TILE_N is '99999999999999999999', expected an integer");
  std::string endless(size_t(1) << 20, '1');
  EXPECT_EQ(error(endless.c_str(), "simt"), "line 1: expected a header of names");
  EXPECT_EQ(error(("TILE_M,TILE_N,TILE_K\n" + endless).c_str(), "simt"), "line 2: longer than 4096 bytes");
}

TEST(Legality, CsvTakesBlankLinesSpacesAndReturns) {
  std::istringstream in("TILE_M, TILE_N , TILE_K\r\n\r\n64, 64 ,16\r\n64,64,1024\n");
  std::ostringstream out;
  std::string error;
  ASSERT_TRUE(judgeCsv(in, "simt", 49152, out, error)) << error;
  EXPECT_EQ(out.str(), "legal\nshared-memory\n");
}

} // namespace
