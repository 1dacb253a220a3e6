// Launch contracts: every check of bindLaunch names the parameter, the rule and both values.
#include "runtime/contract/Contract.h"
#include <gtest/gtest.h>

using namespace phobos;

namespace {

ContractExtent fixed(int64_t v) { return {true, v}; }
ContractExtent dim(int64_t i) { return {false, i}; }

/// C[M, N] = A[M, K] @ B[K, N] with tiles of 32 x 64.
Contract gemm() {
  Contract c;
  c.kernel = "gemm";
  c.dims = {"M", "K", "N"};
  c.params = {{"A", true, ScalarType::F32, {dim(0), dim(1)}, true, false},
              {"B", true, ScalarType::F32, {dim(1), dim(2)}, true, false},
              {"C", true, ScalarType::F32, {dim(0), dim(2)}, false, true},
              {"alpha", false, ScalarType::F32, {}, true, false}};
  c.grid[0] = {HostExpr::Op::CDiv, 0, {HostExpr::dim(0), HostExpr::constant(32)}};
  c.grid[1] = {HostExpr::Op::CDiv, 0, {HostExpr::dim(2), HostExpr::constant(64)}};
  c.inferredGrid = {c.grid[0], c.grid[1], c.grid[2]};
  return c;
}

struct Arrays {
  std::vector<float> storage = std::vector<float>(4096);
  TensorShape a{ScalarType::F32, {40, 7}, {}, storage.data()};
  TensorShape b{ScalarType::F32, {7, 65}, {}, storage.data() + 280};
  TensorShape c{ScalarType::F32, {40, 65}, {}, storage.data() + 800};
  std::vector<const TensorShape *> list() const { return {&a, &b, &c, nullptr}; }
};

std::string failure(const Contract &c, const Arrays &arrays, const BindOptions &options = {}) {
  BoundLaunch bound;
  std::string error;
  EXPECT_FALSE(bindLaunch(c, arrays.list(), options, bound, error));
  return error;
}

TEST(Bind, ReadsDimensionsAndGrid) {
  Arrays arrays;
  BoundLaunch bound;
  std::string error;
  ASSERT_TRUE(bindLaunch(gemm(), arrays.list(), {}, bound, error)) << error;
  EXPECT_EQ(bound.dims, (std::vector<int64_t>{40, 7, 65}));
  EXPECT_EQ(bound.grid, (std::array<int64_t, 3>{2, 2, 1}));
  EXPECT_FALSE(bound.isEmpty());
}

TEST(Bind, UnequalDimensionsNameBothTensorsAndSizes) {
  Arrays arrays;
  arrays.b.extents[0] = 8;
  EXPECT_EQ(failure(gemm(), arrays), "dimension 'K' is 7 in dimension 1 of 'A', but 8 in dimension 0 of 'B'");
}

TEST(Bind, TypeRankAndMissing) {
  Arrays arrays;
  arrays.a.elem = ScalarType::F64;
  EXPECT_EQ(failure(gemm(), arrays), "parameter 'A' is tensor<f32>, the argument is of f64");
  arrays = {};
  arrays.a.extents = {40};
  EXPECT_EQ(failure(gemm(), arrays), "parameter 'A' has rank 2, the argument has rank 1");
  BoundLaunch bound;
  std::string error;
  EXPECT_FALSE(bindLaunch(gemm(), {nullptr, nullptr, nullptr, nullptr}, {}, bound, error));
  EXPECT_EQ(error, "parameter 'A' is a tensor and was not given");
}

TEST(Bind, FixedExtent) {
  Contract c = gemm();
  c.params[0].extents[0] = fixed(64);
  Arrays arrays;
  EXPECT_EQ(failure(c, arrays), "dimension 0 of 'A' must be 64, it is 40");
}

TEST(Bind, Strides) {
  Arrays arrays;
  arrays.a.strides = {7, 2};
  EXPECT_EQ(failure(gemm(), arrays),
            "parameter 'A': the last dimension must be contiguous (stride 1), its stride is 2");
  arrays.a.strides = {-7, 1};
  EXPECT_EQ(failure(gemm(), arrays), "parameter 'A': the stride of dimension 0 must be positive, it is -7");
}

// [memory.launch.2]
TEST(Bind, OverlapOfAWrittenTensor) {
  Arrays arrays;
  arrays.c.data = arrays.storage.data() + 200;
  EXPECT_NE(failure(gemm(), arrays).find("'A' and 'C' overlap"), std::string::npos);
  BoundLaunch bound;
  std::string error;
  BindOptions options;
  options.assumeDisjoint = true;
  EXPECT_TRUE(bindLaunch(gemm(), arrays.list(), options, bound, error));
  arrays = {};
  arrays.b.data = arrays.a.data; // two tensors that are only read may share
  EXPECT_TRUE(bindLaunch(gemm(), arrays.list(), {}, bound, error)) << error;
}

TEST(Bind, AlignedAndRequire) {
  Contract c = gemm();
  c.aligned = {{0, 32}};
  Arrays arrays;
  EXPECT_EQ(failure(c, arrays), "@aligned: 'M' must be a multiple of 32, it is 40");
  c.aligned.clear();
  c.requires_ = {
      {{HostExpr::Op::Ge, 0, {HostExpr::constant(4), HostExpr::dim(1)}}, "4 >= K", "short rows only"}};
  EXPECT_EQ(failure(c, arrays), "@require(4 >= K) does not hold: short rows only (M = 40, K = 7, N = 65)");
}

TEST(Bind, HostGridWinsAndWarns) {
  Arrays arrays;
  BindOptions options;
  options.grid = {1, 2, 1};
  BoundLaunch bound;
  std::string error;
  ASSERT_TRUE(bindLaunch(gemm(), arrays.list(), options, bound, error)) << error;
  ASSERT_EQ(bound.warnings.size(), 1u);
  EXPECT_NE(bound.warnings[0].find("1 block along x, fewer than the 2"), std::string::npos);
  Contract c = gemm();
  c.gridFromHost = true;
  EXPECT_EQ(failure(c, arrays), "kernel 'gemm' is @grid(host): the launch must give the grid");
}

TEST(Bind, UnknownAndMissingDimensions) {
  Arrays arrays;
  BindOptions options;
  options.dims = {{"Q", 4}};
  EXPECT_EQ(failure(gemm(), arrays, options), "kernel 'gemm' has no runtime dimension 'Q'; it has M, K, N");
  Contract c = gemm();
  c.dims.push_back("Z");
  EXPECT_EQ(failure(c, arrays), "dimension 'Z' has no value: no tensor fixes it");
}

TEST(Bind, EmptyGridLaunchesNothing) {
  Arrays arrays;
  arrays.a.extents[0] = arrays.c.extents[0] = 0;
  BoundLaunch bound;
  std::string error;
  ASSERT_TRUE(bindLaunch(gemm(), arrays.list(), {}, bound, error)) << error;
  EXPECT_TRUE(bound.isEmpty());
}

TEST(HostExpr, TotalArithmeticAndText) {
  using E = HostExpr;
  auto binary = [](E::Op op, int64_t a, int64_t b) {
    return E{op, 0, {E::constant(a), E::constant(b)}}.evaluate({});
  };
  EXPECT_EQ(binary(E::Op::Div, 7, 0), 0);
  EXPECT_EQ(binary(E::Op::Rem, 7, 0), 7);
  EXPECT_EQ(binary(E::Op::Div, INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(binary(E::Op::CDiv, 7, 2), 4);
  EXPECT_EQ(binary(E::Op::CDiv, -7, 2), -3);
  EXPECT_EQ(binary(E::Op::CDiv, -7, -2), 4);
  EXPECT_EQ(binary(E::Op::Shl, 1, 64), 0);
  EXPECT_EQ(binary(E::Op::Shr, -5, 64), -1);
  E e{E::Op::Add,
      0,
      {E{E::Op::CDiv, 0, {E::dim(0), E::constant(32)}}, E{E::Op::Mul, 0, {E::dim(1), E::constant(2)}}}};
  EXPECT_EQ(e.str({"M", "K"}), "cdiv(M, 32) + (K * 2)");
}

} // namespace
