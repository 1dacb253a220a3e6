// Which roof a time is against, and what of the device is measured for it.
#include "kbench/report/Report.h"
#include "kbench/tool/KeptRoof.h"
#include "kbench/tune/RoofTask.h"
#include "kbench/tune/Search.h"
#include <filesystem>
#include <gtest/gtest.h>

using namespace phobos::kbench;

namespace {

Outcome answer(const Reply &reply) {
  Outcome o;
  o.answer = reply.toLine();
  return o;
}

TEST(RoofTask, MeasuresTheCopyThenEachTypeOnce) {
  RoofTask task;
  Roof roof;
  std::string why;
  auto first = task.next({});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->type, "");
  EXPECT_FALSE(task.next({{"bf16", 1}})) << "one at a time";
  Reply copy;
  copy.roof = {4000, {{"f32", 60, "fma"}}};
  task.ended(answer(copy), roof, why);
  EXPECT_TRUE(task.isBegun());
  EXPECT_FALSE(task.next({})) << "no products, nothing to measure";
  EXPECT_FALSE(task.next({{"f32", 1}})) << "that came with the copy";

  auto second = task.next({{"f32", 0.5}, {"bf16", 0.5}});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->type, "bf16");
  Reply products;
  products.roof.products = {{"bf16", 800, "wgmma"}};
  task.ended(answer(products), roof, why);
  EXPECT_FALSE(task.next({{"f32", 0.5}, {"bf16", 0.5}}));
  EXPECT_EQ(roof.bytesPerNs, 4000);
  ASSERT_TRUE(roof.of("bf16"));
  EXPECT_EQ(roof.of("bf16")->flopsPerNs, 800);
  EXPECT_EQ(why, "");
}

PointResult point(double flops, double bytes, bool compute, double ns) {
  PointResult p;
  p.measurement.flops = flops;
  p.measurement.bytes = bytes;
  p.measurement.isComputeBound = compute;
  p.measurement.samplesNs = {ns};
  return p;
}

TEST(Roof, OfTwoMeasurementsTheLargerCounts) {
  Roof roof{10, {{"f32", 100, "a"}, {"f64", 50, "b"}}};
  roof.raise({12, {{"f32", 60, "c"}, {"f64", 70, "d"}, {"bf16", 5, "e"}}});
  EXPECT_EQ(roof.bytesPerNs, 12);
  EXPECT_EQ(roof.of("f32")->flopsPerNs, 100);
  EXPECT_EQ(roof.of("f64")->flopsPerNs, 70);
  EXPECT_EQ(roof.of("bf16")->flopsPerNs, 5);
}

TEST(KeptRoof, OnlyOneThatIsBelievedIsKept) {
  const std::string path = testing::TempDir() + "phobos-kept.roof";
  std::filesystem::remove(path);
  const Setting setting{"", "", "cpu", "a machine", "", "a build", "", "", ""};
  SearchOutcome o;
  o.roof = {10, {{"f32", 10, "fma"}}};
  o.products = {{"f32", 1}};
  o.results = {point(500, 10, true, 100)};
  o.ranking = {0};
  auto isKept = [&] { return KeptRoof(path, setting).read().has_value(); };
  KeptRoof(path, setting).write(o);
  EXPECT_TRUE(isKept());
  o.roof.isSteady = false;
  KeptRoof(path, setting).write(o);
  EXPECT_FALSE(isKept()) << "and the one before is as doubtful";
  o.roof.isSteady = true;
  KeptRoof(path, setting).write(o);
  EXPECT_TRUE(isKept());
  EXPECT_FALSE(isAboveRoof(o));
  o.results = {point(5000, 10, true, 100)};
  EXPECT_TRUE(isAboveRoof(o));
  KeptRoof(path, setting).write(o);
  EXPECT_FALSE(isKept());
  std::filesystem::remove(path);
}

TEST(RoofTask, OneThatFailsIsNotAskedAgain) {
  RoofTask task;
  Roof roof;
  std::string why;
  ASSERT_TRUE(task.next({}));
  Outcome lost;
  lost.kind = Outcome::Kind::Crash;
  task.ended(lost, roof, why);
  EXPECT_NE(why, "");
  ASSERT_TRUE(task.next({{"i32", 1}}));
  Reply none;
  none.note = "no unit is known";
  task.ended(answer(none), roof, why);
  EXPECT_EQ(why, none.note);
  EXPECT_FALSE(task.next({{"i32", 1}}));
  EXPECT_FALSE(roof.of("i32"));
}

TEST(ShareOfRoof, NamesWhatWouldTakeLonger) {
  SearchOutcome o;
  o.roof = {10, {{"bf16", 100, ""}, {"f32", 10, ""}}};
  o.products = {{"bf16", 1}};
  auto share = o.shareOfRoof(point(1000, 10, true, 20)); // products 10 ns, copy 1 ns
  ASSERT_TRUE(share);
  EXPECT_DOUBLE_EQ(share->percent, 50);
  EXPECT_EQ(share->against, "dot bf16");
  share = o.shareOfRoof(point(1000, 400, false, 80)); // products 10 ns, copy 40 ns
  ASSERT_TRUE(share);
  EXPECT_DOUBLE_EQ(share->percent, 50);
  EXPECT_EQ(share->against, "copy");
  o.products = {{"bf16", 0.5}, {"f32", 0.5}}; // 5 ns and 50 ns
  share = o.shareOfRoof(point(1000, 10, true, 110));
  ASSERT_TRUE(share);
  EXPECT_DOUBLE_EQ(share->percent, 50);
  EXPECT_EQ(share->against, "dot bf16 + f32");
}

TEST(ShareOfRoof, IsNotKnownWithoutTheRoofOfWhatBinds) {
  SearchOutcome o;
  o.roof = {10, {}};
  o.products = {{"i32", 1}};
  EXPECT_FALSE(o.shareOfRoof(point(1000, 10, true, 20)));
  EXPECT_TRUE(o.shareOfRoof(point(1000, 10, false, 20)));
}

TEST(ShareOfRoof, CountsOnlyWhatSurelyMoves) {
  SearchOutcome o;
  o.roof = {10, {{"f32", 10, ""}}};
  o.products = {{"f32", 1}};
  o.unsure = "bins";
  o.unsurePart = 0.05; // so little that it makes no difference
  auto share = o.shareOfRoof(point(0, 1000, false, 100));
  ASSERT_TRUE(share);
  EXPECT_DOUBLE_EQ(share->percent, 95);
  EXPECT_EQ(o.unknownTraffic(), "");
  o.unsurePart = 0.5;
  EXPECT_FALSE(o.shareOfRoof(point(0, 1000, false, 100)));
  EXPECT_NE(o.unknownTraffic().find("bins"), std::string::npos);
  share = o.shareOfRoof(point(2000, 1000, true, 400)); // bound by its products, whatever moves
  ASSERT_TRUE(share);
  EXPECT_DOUBLE_EQ(share->percent, 50);
}

std::string reportOf(SearchOutcome &o, const PointResult &p) {
  o.results = {p};
  o.ranking = {0};
  return reportText(o, {});
}

TEST(Report, SaysHowAPointCanBeAboveTheRoof) {
  SearchOutcome o;
  o.roof = {10, {{"f32", 10, "fma"}}};
  const char *words = "above it (to ";
  EXPECT_EQ(reportOf(o, point(0, 1000, false, 100)).find(words), std::string::npos);
  EXPECT_NE(reportOf(o, point(0, 1000, false, 50)).find("above it (to 200%): part of what moves"),
            std::string::npos);
  o.products = {{"f32", 1}};
  EXPECT_NE(reportOf(o, point(4000, 10, true, 100)).find("above it (to 400%): the device was slower"),
            std::string::npos);
}

TEST(Report, SaysWhyThereIsNoShareOfTheRoof) {
  SearchOutcome o;
  o.roof = {10, {}};
  o.unsure = "bins";
  o.unsurePart = 0.5;
  EXPECT_NE(reportOf(o, point(0, 1000, false, 50)).find("no % of it: which elements of bins are touched"),
            std::string::npos);
  o.unsurePart = 0;
  EXPECT_EQ(reportOf(o, point(0, 1000, false, 100)).find("no % of it"), std::string::npos);
}

} // namespace
