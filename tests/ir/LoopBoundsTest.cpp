// thread.for.2: no counter wraps. Loops whose bounds and steps lie near the ends of 64 bits make the same
// rounds in the interpreter and in compiled code, however they are left and wherever their numbers come from.
#include "tests/differential/Compare.h"
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

using namespace phobos;

namespace {

constexpr int64_t kMax = INT64_MAX, kMin = INT64_MIN, kHalf = int64_t(1) << 62;

struct Bounds {
  int64_t lo, hi, step;
};

/// A few rounds each; with a step below 1, none.
const std::vector<Bounds> kLoops = {
    {kMax - 7, kMax, 3},
    {kMax - 7, kMax, kMax},
    {kMax - 2, kMax, 1},
    {kMax - 4100, kMax, 1024},
    {kMax, kMax, 1},
    {kMax, kMin, 5},
    {kMin, kMax, kHalf},
    {kMin, kMax, kMax},
    {kMin, kMax, kMax - 4},
    {kMin, kMin + 9, 4},
    {kMin, kMin, kMax},
    {0, kMax, kHalf + 1},
    {-5, 5, kMax},
    {kMin, kMax, kHalf / 2},
    {-3, kMax - 1, kHalf},
    {kMax - kHalf, kMax, kHalf / 4},
    {kMin + 1, 4, kHalf / 2},
    {2, 11, 4},
    {kMax - 9, kMax - 1, 2},
};
const std::vector<Bounds> kNoRounds = {{0, 9, 0}, {0, 9, -1}, {kMax - 9, kMax, kMin}, {kMin, kMax, -kHalf}};

enum class From { Constants, Dimensions, Threads };

std::string number(int64_t n) {
  return n == kMin ? "(-9223372036854775807 - 1)" : "(" + std::to_string(n) + ")";
}

/// `n`, or a number near it on the side of zero that differs between threads.
std::string spelled(int64_t n, From from) {
  if (from == From::Constants)
    return number(n);
  if (from == From::Dimensions)
    return number(n) + " + z";
  return number(n) + (n > 100 ? " - t" : n < -100 ? " + t" : " + t * z");
}

/// All loops in one kernel, each counting its rounds and mixing its counters; `leave` is said in each round.
std::string program(From from, const std::string &leave, unsigned unroll) {
  std::vector<Bounds> loops = kLoops;
  if (from != From::Constants)
    loops.insert(loops.end(), kNoRounds.begin(), kNoRounds.end());
  std::string head = "//! seed 1\n//! dim N 24\n//! in X integers\n//! out R 0\n//! out S 0\n";
  std::string body = "  let z = extent(X, 0) - 24\n  let t = ctx.thread % 3\n  let at = ctx.thread\n", calls,
              f;
  for (size_t k = 0; k < loops.size(); ++k) {
    const Bounds &b = loops[k];
    std::string range =
        "range(" + spelled(b.lo, from) + ", " + spelled(b.hi, from) + ", " + spelled(b.step, from) + ")";
    std::string loop = (unroll > 1 ? "  for<unroll " + std::to_string(unroll) + "> i in " : "  for i in ") +
                       range + " {\n    n += 1\n    s = s * i64(31) + i64(i)\n" + leave + "  }\n";
    std::string place = std::to_string(k * 32) + " + at";
    if (leave.find("return") == std::string::npos) {
      body += "  if true {\n  var n = 0\n  var s = i64(0)\n" + loop + "  R[" + place + "] = n\n  S[" + place +
              "] = s\n  }\n";
    } else {
      std::string name = "f" + std::to_string(k);
      f += "fn " + name + "(z: index, t: index) -> i64 {\n  var n = 0\n  var s = i64(0)\n" + loop +
           "  return s * i64(1000) + i64(n)\n}\n";
      body += "  S[" + place + "] = " + name + "(z, t)\n  R[" + place + "] = 0\n";
    }
  }
  std::string size = std::to_string(loops.size() * 32);
  return head + "@launch(32)\n@grid(x = 1)\nkernel k(X: tensor<i32>[N], R: tensor<i32>[" + size +
         "], S: tensor<i64>[" + size + "]) {\n" + body + "}\n" + f;
}

class LoopBounds : public testing::TestWithParam<From> {};

TEST_P(LoopBounds, NoCounterWraps) {
  // The guards are never met where no counter wraps; without one, a loop that wraps would not end.
  for (const char *leave : {"", "    if n > 60 { break }\n", "    if n > 60 { return i64(-1) }\n",
                            "    if n % 3 == 1 { continue }\n    if n > 60 { break }\n    s = s + i64(n)\n",
                            "    if s % i64(7) == i64(3) { break }\n    if n > 60 { break }\n"})
    for (unsigned unroll : {1u, 4u}) {
      if (unroll > 1 && GetParam() == From::Threads && *leave)
        continue; // seconds of compilation for the same lowering
      std::string text = program(GetParam(), leave, unroll);
      auto result = differential::compare(text, "cpu");
      EXPECT_EQ(result.verdict, differential::Verdict::Same) << result.message << "\n" << text;
      if (HasFailure())
        return;
    }
}

INSTANTIATE_TEST_SUITE_P(Where, LoopBounds, testing::Values(From::Constants, From::Dimensions, From::Threads),
                         [](const auto &info) {
                           return std::string(info.param == From::Constants    ? "Constants"
                                              : info.param == From::Dimensions ? "Dimensions"
                                                                               : "Threads");
                         });

} // namespace
