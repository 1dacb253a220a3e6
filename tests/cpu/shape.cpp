// Shape operations: where each element of the result comes from.
#include "tests/cpu/CpuTest.h"
#include <functional>
#include <numeric>

using namespace phobos::cpu::test;

namespace {

/// Runs `body`, which makes %y of `to` from %x of `from` (elements 0, 1, ..), and compares with `source`.
void check(std::vector<int64_t> from, std::vector<int64_t> to, const std::string &op,
           const std::function<int64_t(int64_t, int64_t)> &source) {
  auto count = [](const std::vector<int64_t> &s) {
    return size_t(std::accumulate(s.begin(), s.end(), int64_t(1), std::multiplies<>()));
  };
  std::vector<int32_t> x(count(from)), y(count(to), -1);
  std::iota(x.begin(), x.end(), 0);
  Whole in{"x", from, "i32"}, out{"y", to, "i32"};
  std::string text = op;
  for (auto [mark, with] : {std::pair<std::string, std::string>{"FROM", in.tile()}, {"TO", out.tile()}})
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark))
      text.replace(at, mark.size(), with);
  run(wholeTiles({in}, (text.find("%y =") == std::string::npos ? "  %y = " : "  %t = ") + text + "\n", {out}),
      {{tensor(x, from), tensor(y, to)}, {}});
  const int64_t cols = to.back();
  for (int64_t i = 0; i < int64_t(y.size()); ++i)
    ASSERT_EQ(y[size_t(i)], source(i / cols, i % cols)) << op << " at " << i / cols << ", " << i % cols;
}

} // namespace

TEST(CpuShape, Transpose) {
  for (auto [r, c] :
       {std::pair<int64_t, int64_t>{1, 1}, {1, 9}, {9, 1}, {16, 16}, {5, 7}, {33, 18}, {18, 40}, {4, 4}})
    check({r, c}, {c, r}, "pho.transpose %x : FROM to TO",
          [c = c](int64_t i, int64_t j) { return j * c + i; });
}

TEST(CpuShape, Reshape) {
  using S = std::vector<int64_t>;
  for (auto [from, to] : {std::pair<S, S>{{8, 12}, {1, 96}},
                          {{8, 12}, {4, 24}},
                          {{6, 5}, {10, 3}},
                          {{7}, {7, 1}},
                          {{1, 7}, {7, 1}},
                          {{9, 1}, {9}},
                          {{3, 33}, {99}},
                          {{64}, {2, 32}},
                          {{15, 2}, {2, 15}}})
    check(from, to, "pho.reshape %x : FROM to TO",
          [n = to.back()](int64_t i, int64_t j) { return i * n + j; });
}

TEST(CpuShape, Broadcast) {
  check({5, 1}, {5, 37}, "pho.broadcast %x : FROM to TO", [](int64_t i, int64_t) { return i; });
  check({1, 37}, {5, 37}, "pho.broadcast %x : FROM to TO", [](int64_t, int64_t j) { return j; });
  check({37}, {5, 37}, "pho.broadcast %x : FROM to TO", [](int64_t, int64_t j) { return j; });
  check({1, 1}, {20, 1}, "pho.broadcast %x : FROM to TO", [](int64_t, int64_t) { return 0; });
}

TEST(CpuShape, Slices) {
  check({8, 40}, {3, 17}, "pho.extract_slice %x [2, 20] : FROM to TO",
        [](int64_t i, int64_t j) { return (i + 2) * 40 + j + 20; });
  check({40}, {5}, "pho.extract_slice %x [35] : FROM to TO", [](int64_t, int64_t j) { return j + 35; });
  check({8, 9}, {8, 1}, "pho.extract_slice %x [0, 8] : FROM to TO",
        [](int64_t i, int64_t) { return i * 9 + 8; });
  check({8, 20}, {8, 20},
        "arith.constant dense<-5> : tensor<3x9xi32>\n  %y = pho.insert_slice %t into %x [2, 3] : "
        "tensor<3x9xi32> into FROM",
        [](int64_t i, int64_t j) { return i >= 2 && i < 5 && j >= 3 && j < 12 ? -5 : i * 20 + j; });
}

TEST(CpuShape, Cat) {
  check({4, 5}, {4, 10}, "pho.cat %x, %x axis 1 : FROM, FROM -> TO",
        [](int64_t i, int64_t j) { return i * 5 + j % 5; });
  check({4, 5}, {8, 5}, "pho.cat %x, %x axis 0 : FROM, FROM -> TO",
        [](int64_t i, int64_t j) { return (i % 4) * 5 + j; });
  check({18}, {36}, "pho.cat %x, %x axis 0 : FROM, FROM -> TO", [](int64_t, int64_t j) { return j % 18; });
}
