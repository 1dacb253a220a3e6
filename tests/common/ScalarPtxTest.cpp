// Every scalar operation and conversion, assembled for each generation of GPU: no call, no spill, nothing
// that ptxas refuses.
#include "compiler/target/common/Scalar.h"
#include "tests/common/Ptx.h"
#include <gmock/gmock.h>

using namespace phobos;
using namespace phobos::testing;

namespace {

std::vector<PtxKernel> kernels(const target::ScalarTarget &t) {
  std::vector<PtxKernel> r;
  constexpr ScalarType all[] = {ScalarType::Bool, ScalarType::I8,   ScalarType::U8,     ScalarType::I32,
                                ScalarType::U32,  ScalarType::I64,  ScalarType::F8E4M3, ScalarType::F8E5M2,
                                ScalarType::F16,  ScalarType::BF16, ScalarType::F32,    ScalarType::F64};
  for (ScalarType from : all)
    for (ScalarType to : all)
      r.push_back(
          {std::string(name(from)) + "_to_" + std::string(name(to)), {from}, to, [=](auto &b, auto a) {
             return target::emitConvert(b, a[0], from, to, t);
           }});
  for (ScalarType i : {ScalarType::I8, ScalarType::U8, ScalarType::I32, ScalarType::U32, ScalarType::I64}) {
    bool s = isSigned(i);
    std::string n(name(i));
    r.push_back({"div_" + n, {i, i}, i, [=](auto &b, auto a) { return target::emitDiv(b, a[0], a[1], s); }});
    r.push_back({"rem_" + n, {i, i}, i, [=](auto &b, auto a) { return target::emitRem(b, a[0], a[1], s); }});
    r.push_back({"shl_" + n, {i, i}, i, [=](auto &b, auto a) { return target::emitShl(b, a[0], a[1], s); }});
    r.push_back(
        {"shr_" + n, {i, i}, i, [=](auto &b, auto a) { return target::emitShr(b, a[0], a[1], s, s); }});
  }
  for (ScalarType f : {ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F64}) {
    std::string n(name(f));
    r.push_back({"max_" + n, {f, f}, f, [=](auto &b, auto a) { return target::emitMaxF(b, a[0], a[1], t); }});
    r.push_back({"min_" + n, {f, f}, f, [=](auto &b, auto a) { return target::emitMinF(b, a[0], a[1], t); }});
  }
  r.push_back({"rand", {ScalarType::I64, ScalarType::I64}, ScalarType::F32, [](auto &b, auto a) {
                 return target::emitRand(b, a[0], a[1]);
               }});
  return r;
}

class ScalarPtx : public ::testing::TestWithParam<unsigned> {};

TEST_P(ScalarPtx, Assembles) {
  if (!findPtxas())
    GTEST_SKIP() << "no ptxas on this machine";
  target::ScalarTarget t;
  t.nvptx = true;
  t.sm = GetParam();
  std::string cpu = "sm_" + std::to_string(t.sm) + (t.sm == 90 ? "a" : "");
  EXPECT_EQ(assemblePtx(emitPtx(kernels(t), cpu), cpu), "");
}

INSTANTIATE_TEST_SUITE_P(Architectures, ScalarPtx, ::testing::Values(75u, 80u, 89u, 90u));

} // namespace
