// Reductions, positions of extremes and scans, over either axis, of sizes that fill vectors and of sizes that
// do not.
#include "tests/cpu/CpuTest.h"

using namespace phobos::cpu::test;

namespace {

const std::pair<int64_t, int64_t> kShapes[] = {{1, 1},  {1, 5},  {7, 1},   {3, 16},
                                               {5, 37}, {33, 3}, {2, 200}, {70, 20}};

std::string f32(int64_t r, int64_t c) {
  return "tensor<" + std::to_string(r) + "x" + std::to_string(c) + "xf32>";
}

} // namespace

TEST(CpuReduce, SumsAndExtremesOfBothAxes) {
  for (auto [r, c] : kShapes)
    for (const char *kind : {"sum", "max", "min", "prod"}) {
      std::vector<float> x = randomFloats(size_t(r * c), 5, 0.9f, 1.1f), rows(size_t(r), 0),
                         cols(size_t(c), 0), all(1, 0);
      const std::string body = std::string("  %rows = pho.reduce") + " " + kind +
                               " %x axis 1 : " + f32(r, c) + " -> " + f32(r, 1) + "\n  %cols = pho.reduce " +
                               kind + " %x axis 0 : " + f32(r, c) + " -> " + f32(1, c) +
                               "\n  %s = pho.reduce " + kind + " %x axis -1 : " + f32(r, c) +
                               " -> f32\n  %all = pho.broadcast %s : f32 to tensor<1xf32>\n";
      run(wholeTiles({{"x", {r, c}, "f32"}}, body,
                     {{"rows", {r, 1}, "f32"}, {"cols", {1, c}, "f32"}, {"all", {1}, "f32"}}),
          {{tensor(x, {r, c}), tensor(rows, {r, 1}), tensor(cols, {1, c}), tensor(all, {1})}, {}});
      auto fold = [&](int64_t from, int64_t n, int64_t step) {
        const std::string k = kind;
        double v = k == "sum" ? 0 : k == "prod" ? 1 : k == "max" ? -INFINITY : INFINITY;
        for (int64_t i = 0; i < n; ++i) {
          const double e = double(x[size_t(from + i * step)]);
          v = k == "sum" ? v + e : k == "prod" ? v * e : k == "max" ? std::max(v, e) : std::min(v, e);
        }
        return v;
      };
      for (int64_t i = 0; i < r; ++i)
        ASSERT_NEAR(rows[size_t(i)], fold(i * c, c, 1), 1e-5 * fold(i * c, c, 1))
            << kind << " " << r << "x" << c;
      for (int64_t j = 0; j < c; ++j)
        ASSERT_NEAR(cols[size_t(j)], fold(j, r, c), 1e-5 * fold(j, r, c)) << kind << " " << r << "x" << c;
      ASSERT_NEAR(all[0], fold(0, r * c, 1), 1e-5 * fold(0, r * c, 1)) << kind << " " << r << "x" << c;
    }
}

TEST(CpuReduce, NaNWinsAndFirstOfEqualsIsFound) {
  for (auto [r, c] : kShapes)
    for (bool withNaN : {false, true}) {
      std::vector<float> x(size_t(r * c));
      std::mt19937 gen(3);
      for (float &v : x)
        v = float(gen() % 4);
      if (withNaN)
        for (size_t i = 0; i < x.size(); i += 3)
          x[gen() % x.size()] = NAN;
      std::vector<int32_t> best(size_t(r), -1), top(size_t(c), -1);
      std::vector<float> most(size_t(r), 0);
      const std::string i32r = "tensor<" + std::to_string(r) + "x1xi32>",
                        i32c = "tensor<1x" + std::to_string(c) + "xi32>";
      run(wholeTiles({{"x", {r, c}, "f32"}},
                     "  %best = pho.arg_reduce max %x axis 1 : " + f32(r, c) + " -> " + i32r +
                         "\n  %top = pho.arg_reduce min %x axis 0 : " + f32(r, c) + " -> " + i32c +
                         "\n  %most = pho.reduce max %x axis 1 : " + f32(r, c) + " -> " + f32(r, 1) + "\n",
                     {{"best", {r, 1}, "i32"}, {"top", {1, c}, "i32"}, {"most", {r, 1}, "f32"}}),
          {{tensor(x, {r, c}), tensor(best, {r, 1}), tensor(top, {1, c}), tensor(most, {r, 1})}, {}});
      auto position = [&](int64_t from, int64_t n, int64_t step, bool isMax) {
        int64_t at = 0;
        for (int64_t i = 0; i < n; ++i) {
          const float v = x[size_t(from + i * step)], b = x[size_t(from + at * step)];
          if (std::isnan(b))
            break;
          if (std::isnan(v) || (isMax ? v > b : v < b))
            at = i;
        }
        return at;
      };
      for (int64_t i = 0; i < r; ++i) {
        ASSERT_EQ(best[size_t(i)], position(i * c, c, 1, true)) << r << "x" << c << " row " << i;
        const float want = x[size_t(i * c + position(i * c, c, 1, true))];
        ASSERT_TRUE(most[size_t(i)] == want || (std::isnan(want) && std::isnan(most[size_t(i)])))
            << r << "x" << c;
      }
      for (int64_t j = 0; j < c; ++j)
        ASSERT_EQ(top[size_t(j)], position(j, r, c, false)) << r << "x" << c << " column " << j;
    }
}

TEST(CpuReduce, ScansOfBothAxes) {
  for (auto [r, c] : kShapes) {
    std::vector<int32_t> x(size_t(r * c)), along(x.size()), down(x.size());
    std::mt19937 gen(9);
    for (int32_t &v : x)
      v = int32_t(gen());
    const std::string t = "tensor<" + std::to_string(r) + "x" + std::to_string(c) + "xi32>";
    run(wholeTiles({{"x", {r, c}, "i32"}},
                   "  %along = pho.scan sum %x axis 1 : " + t +
                       "\n  %down = pho.scan max %x axis 0 unsigned : " + t + "\n",
                   {{"along", {r, c}, "i32"}, {"down", {r, c}, "i32"}}),
        {{tensor(x, {r, c}), tensor(along, {r, c}), tensor(down, {r, c})}, {}});
    for (int64_t i = 0; i < r; ++i)
      for (int64_t j = 0; j < c; ++j) {
        uint32_t sum = 0, most = 0;
        for (int64_t k = 0; k <= j; ++k)
          sum += uint32_t(x[size_t(i * c + k)]);
        for (int64_t k = 0; k <= i; ++k)
          most = std::max(most, uint32_t(x[size_t(k * c + j)]));
        ASSERT_EQ(uint32_t(along[size_t(i * c + j)]), sum) << r << "x" << c;
        ASSERT_EQ(uint32_t(down[size_t(i * c + j)]), most) << r << "x" << c;
      }
  }
}
