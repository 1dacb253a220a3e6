// The functions' NVPTX forms, assembled for each generation: no call, no spill.
#include "compiler/target/common/Math.h"
#include "tests/common/Ptx.h"
#include <gmock/gmock.h>

using namespace phobos;
using namespace phobos::testing;
using target::MathFunction;

namespace {

std::string functionsPtx(const std::string &cpu) {
  struct Named {
    const char *name;
    MathFunction fn;
    unsigned operands;
  };
  constexpr Named all[] = {
      {"exp", MathFunction::Exp, 1},     {"exp2", MathFunction::Exp2, 1},
      {"log", MathFunction::Log, 1},     {"log2", MathFunction::Log2, 1},
      {"sqrt", MathFunction::Sqrt, 1},   {"rsqrt", MathFunction::Rsqrt, 1},
      {"tanh", MathFunction::Tanh, 1},   {"sigmoid", MathFunction::Sigmoid, 1},
      {"erf", MathFunction::Erf, 1},     {"sin", MathFunction::Sin, 1},
      {"cos", MathFunction::Cos, 1},     {"abs", MathFunction::Abs, 1},
      {"floor", MathFunction::Floor, 1}, {"ceil", MathFunction::Ceil, 1},
      {"round", MathFunction::Round, 1}, {"pow", MathFunction::Pow, 2},
      {"fma", MathFunction::Fma, 3},
  };
  target::MathTarget target;
  target.nvptx = true;
  std::vector<PtxKernel> kernels;
  for (const Named &n : all)
    for (ScalarType t : {ScalarType::F32, ScalarType::F64})
      kernels.push_back({std::string(n.name) + "_" + std::string(name(t)),
                         std::vector<ScalarType>(n.operands, t), t,
                         [=](auto &b, auto a) { return target::emitMath(b, n.fn, a, target); }});
  return emitPtx(kernels, cpu);
}

class MathPtx : public ::testing::TestWithParam<const char *> {};

TEST_P(MathPtx, Assembles) {
  if (!findPtxas())
    GTEST_SKIP() << "no ptxas on this machine";
  EXPECT_EQ(assemblePtx(functionsPtx(GetParam()), GetParam()), "");
}

/// Only ex2 and rcp, of operands whose result is normal, may flush.
TEST(MathPtxText, KeepsDenormals) {
  std::string ptx = functionsPtx("sm_80");
  for (size_t at = ptx.find(".ftz"); at != std::string::npos; at = ptx.find(".ftz", at + 1))
    EXPECT_THAT(ptx.substr(at - 10, 14), ::testing::AnyOf("ex2.approx.ftz", "rcp.approx.ftz"));
}

INSTANTIATE_TEST_SUITE_P(Architectures, MathPtx, ::testing::Values("sm_75", "sm_80", "sm_89", "sm_90a"));

} // namespace
