// The standard library: every function instantiates without a word, and its values are right where a careless
// formula is not.
#include "compiler/host/HostArray.h"
#include "compiler/interp/Interp.h"
#include "tests/sema/Sources.h"
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace phobos::test {
namespace {

struct Call {
  const char *expr;
  const char *types; ///< of x, by letter: h f16, b bf16, f f32, d f64
};

const Call kCalls[] = {
    {"relu(x)", "hbfd"},
    {"relu(v)", "hbfd"},
    {"relu(a)", "hbfd"},
    {"gelu(x)", "hbfd"},
    {"gelu(v)", "hbfd"},
    {"gelu(a)", "hbfd"},
    {"normal_cdf16(x)", "f"},
    {"normal_cdf16(v)", "f"},
    {"normal_cdf16(a)", "f"},
    {"gelu_tanh(x)", "hbfd"},
    {"gelu_tanh(v)", "hbfd"},
    {"gelu_tanh(a)", "hbfd"},
    {"silu(x)", "hbfd"},
    {"silu(v)", "hbfd"},
    {"silu(a)", "hbfd"},
    {"softplus(x)", "hbfd"},
    {"softplus(v)", "hbfd"},
    {"softplus(a)", "hbfd"},
    {"log1p_of(x)", "hbfd"},
    {"softmax(x)", "hbfd"},
    {"softmax(v)", "hbfd"},
    {"log_softmax(x)", "hbfd"},
    {"log_softmax(v)", "hbfd"},
    {"layer_norm(x, 1e-5)", "hbfd"},
    {"layer_norm(x, v, v, 1e-5)", "hbfd"},
    {"layer_norm(x, v, v, 1e-5, 5)", "hbfd"},
    {"rms_norm(x, 1e-5)", "hbfd"},
    {"rms_norm(x, v, 1e-5)", "hbfd"},
    {"rms_norm(x, v, 1e-5, 5)", "hbfd"},
    {"cross_entropy(x, iota(0, [4, 1]))", "hbfd"},
    {"binary_cross_entropy(x, x)", "hbfd"},
    {"binary_cross_entropy(v, v)", "hbfd"},
    {"squared_error(x, x)", "hbfd"},
    {"squared_error(v, v)", "hbfd"},
    {"huber(x, x, 1.0)", "hbfd"},
    {"huber(v, v, 1.0)", "hbfd"},
    {"dropout(x, 0.1, 7, ctx.block.x, 0, 64)", "hbfd"},
    {"dropout(v, 0.1, 7, ctx.block.x)", "hbfd"},
    {"attention_max(rowmax(x), x)", "hbfd"},
    {"attention_weights(x, rowmax(x))", "hbfd"},
    {"attention_correction(rowmax(x), rowmax(x))", "hbfd"},
    {"causal_mask(x, 0, ctx.block.x)", "hbfd"},
    {"key_mask(x, 0, 5)", "hbfd"},
    {"dequantize(i8(x), x)", "hbfd"},
    {"dequantize(i8(x), rowmax(x))", "hbfd"},
    {"dequantize(i8(x), i8(x), x)", ""},
    {"dequantize(u8(x), x, u8(x))", "hbfd"},
    {"dequantize(f8e4m3(x), colmax(x))", "hbfd"},
    {"dequantize(i8(v), v)", "hbfd"},
    {"low_nibbles(u8(x))", "f"},
    {"high_nibbles(u8(x))", "f"},
};

std::string elementType(char c) { return c == 'h' ? "f16" : c == 'b' ? "bf16" : c == 'd' ? "f64" : "f32"; }

TEST(Stdlib, ParsesAndItsFilesAreKnown) {
  SourceManager sources;
  Diagnostics diags;
  auto file = parseStdlib(sources, diags);
  EXPECT_EQ(renderText(diags, sources), "");
  EXPECT_GE(file->functions.size(), 40u);
  Diagnostics alone;
  sema::checkFile(*file, nullptr, alone);
  EXPECT_EQ(renderText(alone, sources), "");
}

TEST(Stdlib, EveryFunctionInstantiatesForEveryFloat) {
  std::set<std::string> called;
  for (const Call &call : kCalls) {
    std::string e = call.expr;
    called.insert(e.substr(0, e.find('(')));
    for (char t : std::string(call.types)) {
      std::string T = elementType(t);
      auto c =
          checkSource("@grid(host)\nkernel k(X: tensor<" + T + ">[4, 8], V: tensor<" + T +
                      ">[8]) {\n  let x = X[:, :]\n  let v = V[:]\n  let a = V[0]\n  let r = " + e + "\n}\n");
      EXPECT_EQ(c->rendered(), "") << e << " of " << T;
    }
  }
  SourceManager sources;
  Diagnostics diags;
  auto file = parseStdlib(sources, diags);
  for (const auto &f : file->functions)
    EXPECT_TRUE(called.count(f->name.text)) << f->name.text;
}

/// `body` over X, a row of inputs, in the interpreter: what it stores to Y.
std::vector<double> run(const std::string &body, const std::vector<double> &inputs,
                        const std::string &type = "f32") {
  std::string n = std::to_string(inputs.size());
  auto c = checkSource("kernel k(X: tensor<" + type + ">[1, " + n + "], Y: tensor<" + type + ">[1, " + n +
                       "]) {\n  let x = X[:, :]\n  Y[:, :] = " + body + "\n}\n");
  if (c->kernels.empty() || !c->kernels[0]) {
    ADD_FAILURE() << c->rendered();
    return {};
  }
  ScalarType t = *scalarTypeNamed(type);
  HostArray x(t, {1, static_cast<int64_t>(inputs.size())}), y = x;
  for (size_t i = 0; i < inputs.size(); ++i)
    x.setFloat(static_cast<int64_t>(i), inputs[i]);
  Diagnostics diags;
  EXPECT_TRUE(interp::run(*c->kernels[0], {&x, &y}, {}, {1, 1, 1}, {}, diags))
      << renderText(diags, c->sources);
  std::vector<double> out;
  for (size_t i = 0; i < inputs.size(); ++i)
    out.push_back(y.getFloat(static_cast<int64_t>(i)));
  return out;
}

/// Elementwise, relative to the exact value in double.
void expectNear(const std::string &body, const std::vector<double> &inputs,
                const std::function<double(double)> &exact, double relative) {
  auto got = run(body, inputs);
  for (size_t i = 0; i < got.size(); ++i) {
    double want = exact(static_cast<float>(inputs[i]));
    EXPECT_NEAR(got[i], want, std::fabs(want) * relative + 1e-40) << body << " at " << inputs[i];
  }
}

TEST(Stdlib, ActivationsAreExactWhereFormulasCancel) {
  std::vector<double> x = {-80, -30, -17, -5, -1, -1e-3, 0, 1e-6, 0.5, 3, 20, 80};
  expectNear("relu(x)", x, [](double v) { return v > 0 ? v : 0; }, 0);
  expectNear(
      "softplus(x)", x,
      [](double v) { return v > 0 ? v + std::log1p(std::exp(-v)) : std::log1p(std::exp(v)); }, 2e-5);
  expectNear("silu(x)", x, [](double v) { return v / (1 + std::exp(-v)); }, 2e-5);
  expectNear(
      "gelu_tanh(x)", {-10, -5, -1, 0, 1, 5},
      [](double v) {
        double u = 1.5957691216057308 * (v + 0.044715 * v * v * v);
        return v / (1 + std::exp(-u));
      },
      1e-4);
  auto gelu = run("gelu(x)", x);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(gelu[i], 0.5 * x[i] * std::erfc(-x[i] / std::sqrt(2.0)),
                1e-6 * std::fmax(1, std::fabs(x[i])));
}

TEST(Stdlib, ActivationsAtInfinitiesAreTheirLimits) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for (const char *f : {"gelu(x)", "gelu_tanh(x)", "silu(x)"})
    for (const char *type : {"f16", "bf16", "f32", "f64"}) {
      auto y = run(f, {-inf, -60000, -1000, inf, nan}, type);
      for (size_t i = 0; i < 3; ++i)
        EXPECT_TRUE(y[i] == 0 && std::signbit(y[i])) << f << " of " << type << ": " << y[i];
      EXPECT_EQ(y[3], inf) << f << " of " << type;
      EXPECT_TRUE(std::isnan(y[4])) << f << " of " << type;
    }
}

TEST(Stdlib, SoftmaxesDoNotOverflow) {
  auto p = run("softmax(x)", {1000, 999, -1000});
  EXPECT_NEAR(p[0], 1 / (1 + std::exp(-1.0)), 1e-6);
  EXPECT_NEAR(p[1], std::exp(-1.0) / (1 + std::exp(-1.0)), 1e-6);
  EXPECT_EQ(p[2], 0);
  auto l = run("log_softmax(x)", {1000, 999, -1000});
  EXPECT_NEAR(l[0], -std::log1p(std::exp(-1.0)), 1e-6);
  EXPECT_NEAR(l[2], -2000 - std::log1p(std::exp(-1.0)), 1e-3);
}

TEST(Stdlib, NormalizationsOfALargeMean) {
  auto y = run("layer_norm(x, 0.0)", {10001, 10002, 10003, 10004});
  double d = 1 / std::sqrt(1.25);
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(y[static_cast<size_t>(i)], (i - 1.5) * d, 1e-4);
  y = run("rms_norm(x, 0.0)", {3, 4});
  EXPECT_NEAR(y[0], 3 / std::sqrt(12.5), 1e-6);
}

TEST(Stdlib, MasksAndLosses) {
  auto m = run("causal_mask(x, 1, 0)", {5, 6, 7});
  EXPECT_EQ(m[1], 6);
  EXPECT_TRUE(std::isinf(m[2]));
  auto w = run("attention_weights(x, full<f32>([1, 1], -inf))", {-INFINITY, -INFINITY});
  EXPECT_EQ(w[0], 0); // a row without keys
  auto c = run("broadcast(cross_entropy(x, full<i32>([1, 1], 1)), [1, 3])", {500, 400, 0});
  EXPECT_NEAR(c[0], 100, 1e-4);
  auto h = run("huber(x, 0.0, 1.0)", {0.5, 3});
  EXPECT_NEAR(h[0], 0.125, 1e-7);
  EXPECT_NEAR(h[1], 2.5, 1e-6);
}

TEST(Stdlib, DropoutDependsOnThePlaceAlone) {
  std::vector<double> ones(64, 1);
  auto whole = run("dropout(x, 0.5, 3, 0, 0, 64)", ones);
  auto split = run(
      "cat(dropout(x[:, 0 :+ 32], 0.5, 3, 0, 0, 64), dropout(x[:, 32 :+ 32], 0.5, 3, 0, 32, 64), 1)", ones);
  EXPECT_EQ(whole, split);
  int kept = 0;
  for (double v : whole) {
    EXPECT_TRUE(v == 0 || v == 2);
    kept += v == 2;
  }
  EXPECT_GT(kept, 16);
  EXPECT_LT(kept, 48);
}

} // namespace
} // namespace phobos::test
