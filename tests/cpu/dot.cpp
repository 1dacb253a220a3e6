// Products of every operand type, transposed or not, of sizes that fill vectors and blocks and of sizes that
// do not.
#include "compiler/host/HostArray.h"
#include "tests/cpu/CpuTest.h"

using namespace phobos;
using namespace phobos::cpu::test;

namespace {

struct Shape {
  int64_t m, n, k;
};

/// acc + op(a) @ op(b) of whole tensors as one tile each.
std::string dotKernel(Shape s, const std::string &elem, const std::string &acc, bool ta, bool tb,
                      bool isUnsigned) {
  auto dims = [](int64_t r, int64_t c) { return std::to_string(r) + "x" + std::to_string(c); };
  auto tile = [&](int64_t r, int64_t c, const std::string &t) {
    return "tensor<" + dims(r, c) + "x" + t + ">";
  };
  auto load = [&](const char *name, int64_t r, int64_t c, const std::string &t) {
    return std::string("  %") + name + " = pho.load %" + char(toupper(name[0])) + "[%z, %z] of [%" + name +
           "r, %" + name + "c] sizes [" + std::to_string(r) + ", " + std::to_string(c) +
           "] points [false, false] inbounds [false, false] : !pho.view<2, " + t + "> -> " + tile(r, c, t) +
           "\n";
  };
  auto constant = [](const char *name, int64_t v) {
    return std::string("  %") + name + " = arith.constant " + std::to_string(v) + " : index\n";
  };
  const int64_t ar = ta ? s.k : s.m, ac = ta ? s.m : s.k, br = tb ? s.n : s.k, bc = tb ? s.k : s.n;
  return "func.func @kernel(%A: !pho.view<2, " + elem + ">, %B: !pho.view<2, " + elem +
         ">, %C: !pho.view<2, " + acc + ">) attributes {pho.kernel} {\n" + constant("z", 0) +
         constant("ar", ar) + constant("ac", ac) + constant("br", br) + constant("bc", bc) +
         constant("cr", s.m) + constant("cc", s.n) + load("a", ar, ac, elem) + load("b", br, bc, elem) +
         load("c", s.m, s.n, acc) + "  %d = pho.dot %a, %b, %c" + (ta ? " trans_a" : "") +
         (tb ? " trans_b" : "") + (isUnsigned ? " unsigned" : "") + " : " + tile(ar, ac, elem) + ", " +
         tile(br, bc, elem) + " -> " + tile(s.m, s.n, acc) +
         "\n  pho.store %d, %C[%z, %z] of [%cr, %cc] sizes [" + std::to_string(s.m) + ", " +
         std::to_string(s.n) + "] points [false, false] inbounds [false, false] : " + tile(s.m, s.n, acc) +
         ", !pho.view<2, " + acc + ">\n  return\n}";
}

void check(Shape s, ScalarType type, const std::string &elem, const std::string &acc, bool ta, bool tb,
           const cpu::Options &options = {}) {
  const ScalarType sum = accumulatorOf(type);
  HostArray a(type, ta ? std::vector{s.k, s.m} : std::vector{s.m, s.k}),
      b(type, tb ? std::vector{s.n, s.k} : std::vector{s.k, s.n});
  HostArray c(sum, {s.m, s.n});
  std::mt19937 gen(7);
  for (HostArray *x : {&a, &b, &c})
    for (int64_t i = 0; i < x->size(); ++i)
      isFloat(type) ? x->setFloat(i, int(gen() % 17) - 8.0) : x->setInt(i, int64_t(gen()) - (1ll << 31));
  if (!isFloat(type))
    for (int64_t i = 0; i < c.size(); ++i)
      c.setInt(i, i * 1000);
  std::vector<double> wantFloat(static_cast<size_t>(c.size()));
  std::vector<uint64_t> wantInt(static_cast<size_t>(c.size()));
  for (int64_t i = 0; i < s.m; ++i)
    for (int64_t j = 0; j < s.n; ++j) {
      const size_t o = static_cast<size_t>(i * s.n + j);
      wantFloat[o] = isFloat(type) ? c.getFloat(int64_t(o)) : 0;
      wantInt[o] = isFloat(type) ? 0 : static_cast<uint64_t>(c.getInt(int64_t(o)));
      for (int64_t k = 0; k < s.k; ++k) {
        const int64_t ia = ta ? k * s.m + i : i * s.k + k, ib = tb ? j * s.k + k : k * s.n + j;
        if (isFloat(type))
          wantFloat[o] += a.getFloat(ia) * b.getFloat(ib);
        else
          wantInt[o] += static_cast<uint64_t>(a.getInt(ia)) * static_cast<uint64_t>(b.getInt(ib));
      }
    }
  auto arg = [](HostArray &x) {
    Argument r;
    r.tensor = {x.data(), {x.extents()[1], 1}};
    return r;
  };
  run(dotKernel(s, elem, acc, ta, tb, type == ScalarType::U8), {{arg(a), arg(b), arg(c)}, {}}, options);
  HostArray want(sum, {s.m, s.n});
  for (int64_t i = 0; i < c.size(); ++i) {
    isFloat(type) ? want.setFloat(i, wantFloat[size_t(i)]) : want.setInt(i, int64_t(wantInt[size_t(i)]));
    if (isFloat(type))
      ASSERT_EQ(c.getFloat(i), want.getFloat(i))
          << elem << " " << s.m << "x" << s.n << "x" << s.k << " " << ta << tb << " at " << i;
    else
      ASSERT_EQ(c.getInt(i), want.getInt(i))
          << elem << " " << s.m << "x" << s.n << "x" << s.k << " " << ta << tb << " at " << i;
  }
}

} // namespace

TEST(CpuDot, SizesThatDoNotFillBlocks) {
  for (Shape s : {Shape{1, 1, 1}, {1, 1, 40}, {3, 5, 7}, {17, 1, 9}, {1, 33, 4}, {48, 80, 20}, {29, 49, 33}})
    for (int t = 0; t < 4; ++t)
      check(s, ScalarType::F32, "f32", "f32", t & 1, t & 2);
}

TEST(CpuDot, EveryType) {
  struct {
    ScalarType type;
    const char *elem, *acc;
  } const types[] = {{ScalarType::F64, "f64", "f64"},   {ScalarType::F16, "f16", "f32"},
                     {ScalarType::BF16, "bf16", "f32"}, {ScalarType::I8, "i8", "i32"},
                     {ScalarType::U8, "i8", "i32"},     {ScalarType::I32, "i32", "i32"},
                     {ScalarType::I64, "i64", "i64"},   {ScalarType::F8E4M3, "f8E4M3FN", "f32"}};
  for (const auto &t : types)
    for (Shape s : {Shape{19, 37, 11}, {4, 6, 5}})
      for (int trans = 0; trans < 4; trans += s.m == 19 ? 1 : 3)
        check(s, t.type, t.elem, t.acc, trans & 1, trans & 2);
}

TEST(CpuDot, OlderProcessors) {
  for (const char *cpu : {"x86-64-v3", "x86-64-v2"})
    for (int trans = 0; trans < 4; ++trans) {
      check({19, 37, 11}, ScalarType::F32, "f32", "f32", trans & 1, trans & 2, {cpu, "", 3});
      check({19, 37, 11}, ScalarType::I8, "i8", "i32", trans & 1, trans & 2, {cpu, "", 3});
    }
}
