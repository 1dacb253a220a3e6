// Bundles: what is written is read; anything else is an error with a reason, never a crash.
#include "runtime/bundle/Bundle.h"
#include <gtest/gtest.h>
#include <random>

using namespace phobos;

namespace {

Bundle sample() {
  Bundle b;
  b.compilerBuild = "phobos 0.1.0";
  b.sourceHash = "00ff";
  Variant v;
  v.target = "cpu";
  v.cpu = "x86-64-v3";
  v.cpuFeatures = {"avx2", "fma"};
  v.point = {{"TILE_M", 32}, {"TILE_N", 64}};
  v.contract.kernel = "gemm";
  v.contract.dims = {"M", "K", "N"};
  v.contract.params = {{"A", true, ScalarType::BF16, {{false, 0}, {true, 8}}, true, false},
                       {"alpha", false, ScalarType::F32, {}, true, false}};
  v.contract.grid[0] = {HostExpr::Op::CDiv, 0, {HostExpr::dim(0), HostExpr::constant(32)}};
  v.contract.inferredGrid = {v.contract.grid[0], std::nullopt, HostExpr::constant(1)};
  v.contract.requires_ = {
      {{HostExpr::Op::Ge, 0, {HostExpr::dim(1), HostExpr::constant(4)}}, "K >= 4", "why"}};
  v.contract.aligned = {{1, 16}};
  v.hasServes = true;
  v.serves = {HostExpr::Op::Le, 0, {HostExpr::dim(0), HostExpr::constant(1024)}};
  v.servesText = "M <= 1024";
  v.images = {{CodeImage::Format::ElfObject, std::string("\0\x7f"
                                                         "ELF\xff",
                                                         6)}};
  v.entries = {{"gemm_fast",
                {{EntryPredicate::Kind::Aligned16, 0, 0, 0}, {EntryPredicate::Kind::WholeTiles, 0, 1, 32}},
                256,
                49152,
                0,
                16,
                true,
                3},
               {"gemm", {}, 128, 0, 4096, 0, false}};
  b.variants = {v, v};
  b.variants[1].contract.kernel = "other";
  b.variants[1].hasServes = false;
  return b;
}

std::string errorOf(const std::string &bytes) {
  Bundle b;
  std::string error;
  EXPECT_FALSE(decodeBundle(bytes, b, error));
  return error;
}

TEST(Bundle, RoundTrips) {
  std::string bytes = encodeBundle(sample());
  Bundle b;
  std::string error;
  ASSERT_TRUE(decodeBundle(bytes, b, error)) << error;
  EXPECT_EQ(encodeBundle(b), bytes);
  EXPECT_EQ(b.kernels(), (std::vector<std::string>{"gemm", "other"}));
  const Variant &v = b.variants[0];
  EXPECT_EQ(v.images[0].bytes, sample().variants[0].images[0].bytes);
  EXPECT_EQ(v.contract.grid[0].evaluate({100, 1, 1}), 4);
  EXPECT_EQ(v.servesText, "M <= 1024");
  EXPECT_EQ(v.entries[0].predicates[1].value, 32);
  EXPECT_EQ(v.entries[0].parts, 3);
  EXPECT_EQ(v.entries[0].workspaceBytes, 16);
  EXPECT_EQ(v.contract.params[0].elem, ScalarType::BF16);
}

TEST(Bundle, ForeignEmptyTruncatedCorruptNewer) {
  std::string bytes = encodeBundle(sample());
  EXPECT_EQ(errorOf(""), "the bundle is empty");
  EXPECT_EQ(errorOf("PK\x03\x04 something else"), "not a Phobos bundle");
  EXPECT_EQ(errorOf(bytes.substr(0, bytes.size() - 10)), "the bundle is truncated or corrupt");
  std::string flipped = bytes;
  flipped[flipped.find("gemm_fast")] ^= 1;
  EXPECT_EQ(errorOf(flipped), "corrupt bundle: the checksum does not match");
  std::string newer = bytes;
  newer[newer.rfind("version") + 7] = 9;
  EXPECT_EQ(errorOf(newer),
            "the bundle has format version 9, this runtime reads up to 1; use a newer runtime");
  EXPECT_EQ(errorOf(std::string(1 << 20, '\x81')), "not a Phobos bundle"); // a million nested lists
}

TEST(Bundle, PartsAndWorkspacesHaveBounds) {
  auto with = [](int64_t parts, int64_t bytes) {
    Bundle b = sample();
    b.variants[0].entries[0].parts = parts;
    b.variants[0].entries[0].workspaceBytes = bytes;
    return encodeBundle(b);
  };
  Bundle b;
  std::string error;
  EXPECT_TRUE(decodeBundle(with(256, int64_t(1) << 40), b, error)) << error;
  EXPECT_EQ(errorOf(with(0, 16)), "corrupt bundle: 'parts' is not a number from 1 to 256");
  EXPECT_EQ(errorOf(with(257, 16)), "corrupt bundle: 'parts' is not a number from 1 to 256");
  EXPECT_NE(errorOf(with(2, (int64_t(1) << 40) + 1)).find("'workspaceBytes' is not"), std::string::npos);
  // One from before kernels in parts.
  ASSERT_TRUE(readBundle(PHOBOS_SOURCE_DIR "/tests/bundle/corpus/gpu.phx", b, error)) << error;
  EXPECT_EQ(b.variants[0].entries[0].parts, 1);
}

TEST(Bundle, NamesAreNames) {
  for (const char *name : {"", "a b", "7a", "a\x1b[2J", "gemm;", "../x", "\xc3\xa4", "a\n"}) {
    Bundle kernel = sample(), param = sample(), dim = sample(), point = sample();
    kernel.variants[0].contract.kernel = name;
    param.variants[0].contract.params[1].name = name;
    dim.variants[0].contract.dims[2] = name;
    point.variants[0].point[0].first = name;
    for (const Bundle &b : {kernel, param, dim, point})
      EXPECT_NE(errorOf(encodeBundle(b)).find("is not a name"), std::string::npos) << name;
  }
}

TEST(Bundle, EveryPrefixAndMutationIsHandled) {
  std::string bytes = encodeBundle(sample());
  Bundle b;
  std::string error;
  for (size_t n = 0; n < bytes.size(); ++n)
    EXPECT_FALSE(decodeBundle(std::string_view(bytes).substr(0, n), b, error)) << n;
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string m = bytes;
    for (unsigned k = 1 + random() % 4; k > 0; --k)
      m[random() % m.size()] = static_cast<char>(random());
    if (decodeBundle(m, b, error))
      EXPECT_EQ(encodeBundle(b), bytes); // a byte was replaced by itself, or in a name that is ignored
  }
}

TEST(Bundle, FilesThatCannotBeReadOrWritten) {
  Bundle b;
  std::string error;
  EXPECT_FALSE(readBundle("/nonexistent/x.phx", b, error));
  EXPECT_EQ(error.rfind("/nonexistent/x.phx: cannot be read: ", 0), 0u) << error;
  EXPECT_FALSE(writeBundle("/nonexistent/x.phx", b, error));
  std::string path = testing::TempDir() + "sample.phx";
  ASSERT_TRUE(writeBundle(path, sample(), error)) << error;
  ASSERT_TRUE(readBundle(path, b, error)) << error;
  EXPECT_EQ(b.sourceHash, "00ff");
}

} // namespace
