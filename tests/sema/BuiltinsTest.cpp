// Result types of every built-in, and the list they come from.
#include "compiler/sema/Builtins.h"
#include "tests/sema/Sources.h"
#include <gtest/gtest.h>
#include <set>

namespace phobos::test {
namespace {

struct Case {
  const char *expr, *type;
};

/// X f32, H f16, E f8e4m3, D f64, I i32, B i8, Q bool: [N]; the same in lower case: tiles [4, 8]; v:
/// tile<f32>[8].
const Case kCases[] = {
    {"exp(x)", "tile<f32>[4, 8]"},
    {"exp(h)", "tile<f16>[4, 8]"},
    {"exp(e)", "tile<f32>[4, 8]"},
    {"exp(1)", "f32"},
    {"exp2(d)", "tile<f64>[4, 8]"},
    {"log(x)", "tile<f32>[4, 8]"},
    {"log2(x)", "tile<f32>[4, 8]"},
    {"sqrt(x)", "tile<f32>[4, 8]"},
    {"rsqrt(x)", "tile<f32>[4, 8]"},
    {"tanh(x)", "tile<f32>[4, 8]"},
    {"sigmoid(x)", "tile<f32>[4, 8]"},
    {"erf(x)", "tile<f32>[4, 8]"},
    {"sin(x)", "tile<f32>[4, 8]"},
    {"cos(x)", "tile<f32>[4, 8]"},
    {"floor(h)", "tile<f16>[4, 8]"},
    {"ceil(x)", "tile<f32>[4, 8]"},
    {"round(x)", "tile<f32>[4, 8]"},
    {"abs(i)", "tile<i32>[4, 8]"},
    {"abs(x)", "tile<f32>[4, 8]"},
    {"abs(-3)", "i32"},
    {"pow(x, 2)", "tile<f32>[4, 8]"},
    {"pow(2, x)", "tile<f32>[4, 8]"},
    {"pow(i, 0.5)", "tile<f32>[4, 8]"},
    {"pow(h, d)", "tile<f64>[4, 8]"},
    {"fma(x, 2.0, 1)", "tile<f32>[4, 8]"},
    {"fma(2.0, 1.0, h)", "tile<f16>[4, 8]"},
    {"fma(2.0, h, x)", "tile<f32>[4, 8]"},
    {"fma(1.0, 2.0, 3.0)", "f32"},
    {"max(x, 0)", "tile<f32>[4, 8]"},
    {"max(x)", "f32"},
    {"min(h)", "f16"},
    {"tmax(h, x)", "tile<f32>[4, 8]"},
    {"tmin(i, 3)", "tile<i32>[4, 8]"},
    {"min(x, rowmax(x))", "tile<f32>[4, 8]"},
    {"max(e, e)", "tile<f32>[4, 8]"},
    {"max(e)", "f8e4m3"},
    {"max(1, 2)", "i32"},
    {"where(q, x, 0.0)", "tile<f32>[4, 8]"},
    {"where(q, 1, 0)", "tile<i32>[4, 8]"},
    {"where(q, h, x)", "tile<f32>[4, 8]"},
    {"where(x[0, 0] > 0.0, 1.0, 2.0)", "f32"},
    {"clamp(i, 0, 255)", "tile<i32>[4, 8]"},
    {"clamp(x, -1.0, 1.0)", "tile<f32>[4, 8]"},
    {"clamp(h, x, x)", "tile<f32>[4, 8]"},
    {"cdiv(i, 3)", "tile<i32>[4, 8]"},
    {"cdiv(N, 8)", "index"},
    {"transpose(x)", "tile<f32>[8, 4]"},
    {"iota(0, [4, 8])", "tile<i32>[4, 8]"},
    {"iota(axis = 0, shape = [5])", "tile<i32>[5]"},
    {"zeros<bf16>([4, 8])", "tile<bf16>[4, 8]"},
    {"zeros<bool>([4])", "tile<bool>[4]"},
    {"full<i8>([4], -7)", "tile<i8>[4]"},
    {"full<f16>([4], X[0])", "tile<f16>[4]"},
    {"flat(x)", "tile<f32>[1, 32]"},
    {"flat(v)", "tile<f32>[1, 8]"},
    {"reshape(x, [32])", "tile<f32>[32]"},
    {"reshape(x, [2, 16])", "tile<f32>[2, 16]"},
    {"broadcast(v, [4, 8])", "tile<f32>[4, 8]"},
    {"broadcast(1.5, [4])", "tile<f32>[4]"},
    {"cat(x, h, 0)", "tile<f32>[8, 8]"},
    {"cat(x, x, axis = 1)", "tile<f32>[4, 16]"},
    {"cat(v, v, 0)", "tile<f32>[16]"},
    {"extent(X, 0)", "index"},
    {"extent(x, 1)", "index"},
    {"bitcast<u32>(x)", "tile<u32>[4, 8]"},
    {"bitcast<bf16>(h)", "tile<bf16>[4, 8]"},
    {"rowsum(x)", "tile<f32>[4, 1]"},
    {"rowsum(h)", "tile<f32>[4, 1]"},
    {"rowsum(b)", "tile<i32>[4, 1]"},
    {"rowsum(q)", "tile<i32>[4, 1]"},
    {"rowsum(d)", "tile<f64>[4, 1]"},
    {"rowmax(h)", "tile<f16>[4, 1]"},
    {"rowmin(b)", "tile<i8>[4, 1]"},
    {"rowprod(h)", "tile<f32>[4, 1]"},
    {"rowargmax(x)", "tile<i32>[4, 1]"},
    {"rowargmin(v)", "tile<i32>[1]"},
    {"colsum(h)", "tile<f32>[1, 8]"},
    {"colmax(x)", "tile<f32>[1, 8]"},
    {"colmin(x)", "tile<f32>[1, 8]"},
    {"rowsum(v)", "tile<f32>[1]"},
    {"colsum(v)", "tile<f32>[1]"},
    {"sum(h)", "f32"},
    {"sum(q)", "i32"},
    {"sum(i)", "i32"},
    {"cumsum(x)", "tile<f32>[4, 8]"},
    {"cumsum(h, 1)", "tile<f32>[4, 8]"},
    {"cummax(h)", "tile<f16>[4, 8]"},
    {"cumprod(b)", "tile<i32>[4, 8]"},
    {"tril(x)", "tile<f32>[4, 8]"},
    {"triu(x, -1)", "tile<f32>[4, 8]"},
    {"dot(x, transpose(x))", "tile<f32>[4, 4]"},
    {"dot_t(h, h)", "tile<f32>[4, 4]"},
    {"dot_t(b, b)", "tile<i32>[4, 4]"},
    {"dot_t(h, x)", "tile<f32>[4, 4]"},
    {"dot_t(d, x)", "tile<f64>[4, 4]"},
    {"dot_t(e, e)", "tile<f32>[4, 4]"},
    {"dot_t(q, q)", "tile<i32>[4, 4]"},
    {"load(X[0 :+ 4])", "tile<f32>[4]"},
    {"load(X[0 :+ 4], fill = -inf)", "tile<f32>[4]"},
    {"load(X[0], fill = 1)", "f32"},
    {"atomic_add(X, 0, 1)", "f32"},
    {"atomic_max(I, N - 1, 1)", "i32"},
    {"atomic_min(I, 0, 1)", "i32"},
    {"atomic_cas(I, 0, 1, 2)", "i32"},
    {"program_id(1)", "index"},
    {"rand(7, i)", "tile<f32>[4, 8]"},
    {"rand(7, 3)", "f32"},
};

std::string typeOf(const std::string &e) {
  auto c = checkSource("@grid(host)\nkernel k(X: tensor<f32>[N], H: tensor<f16>[N], E: tensor<f8e4m3>[N], D: "
                       "tensor<f64>[N], I: tensor<i32>[N],\n"
                       "  X2: tensor<f32>[4, 8], H2: tensor<f16>[4, 8], E2: tensor<f8e4m3>[4, 8], D2: "
                       "tensor<f64>[4, 8], I2: tensor<i32>[4, 8], B2: tensor<i8>[4, 8],\n"
                       "  Q2: tensor<bool>[4, 8]) {\n  let x = X2[:, :]\n  let h = H2[:, :]\n  let e = E2[:, "
                       ":]\n  let d = D2[:, :]\n  let i = I2[:, :]\n"
                       "  let b = B2[:, :]\n  let q = Q2[:, :]\n  let v = X[0 :+ 8]\n  let r = " +
                       e + "\n}\n");
  if (c->kernels.empty() || !c->kernels[0])
    return c->rendered();
  return str(c->kernels[0]->vars.back().type);
}

class SemaBuiltin : public testing::TestWithParam<Case> {};
TEST_P(SemaBuiltin, HasItsType) { EXPECT_EQ(typeOf(GetParam().expr), GetParam().type) << GetParam().expr; }
INSTANTIATE_TEST_SUITE_P(Sema, SemaBuiltin, testing::ValuesIn(kCases));

TEST(SemaBuiltins, AllAreTested) {
  std::set<std::string> tested = {"store", "barrier"}; // statements: TypedTest.cpp
  for (const Case &c : kCases) {
    std::string e = c.expr;
    tested.insert(e.substr(0, e.find_first_of("(<")));
  }
  for (const sema::Builtin &b : sema::builtins())
    EXPECT_TRUE(tested.count(std::string(b.name))) << b.name;
}

TEST(SemaBuiltins, Signatures) {
  EXPECT_EQ(sema::signature(*sema::findBuiltin("cumsum")), "cumsum(t[, axis])");
  EXPECT_EQ(sema::signature(*sema::findBuiltin("load")), "load(slice[, fill = x])");
  EXPECT_EQ(sema::signature(*sema::findBuiltin("full")), "full<T>(shape, x)");
  EXPECT_EQ(sema::signature(*sema::findBuiltin("atomic_add")), "atomic_add(tensor, i.., v)");
}

} // namespace
} // namespace phobos::test
