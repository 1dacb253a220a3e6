// docs/legality.md is made from the rules.
#include "compiler/legality/Legality.h"
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace phobos::legality;

namespace {

std::string page() {
  std::string text = "# Legality rules\n\nMade from `compiler/legality/Rules.cpp` (run `legality-tests` with "
                     "`PHOBOS_UPDATE_DOCS=1` after a change). A point is illegal "
                     "by the first rule\nof its path that is false; each rule guards the divisions of the "
                     "next. Division truncates. GEMM names that a point leaves unset are "
                     "completed: it\nis illegal only if no completion is legal.\n\n`phobos-compile "
                     "--legality LIST --shared-limit BYTES < points.csv` judges points by one of "
                     "these lists.\n";
  const std::pair<const char *, const char *> lists[] = {
      {"warptile", "the published warp-tiled f32 GEMM, for comparison"},
      {"simt", "GPU: warp tiles and thread tiles in registers"},
      {"mma", "GPU: tensor cores by mma.sync"},
      {"wgmma",
       "GPU: tensor cores by wgmma, with warps of a role of their own; what breaks a rule goes by mma"},
      {"gpu", "every kernel of the GPU target, from what it turned out to need"},
      {"cpu", "the CPU target"}};
  for (auto [name, summary] : lists)
    text += "\n## " + std::string(name) + ": " + summary + "\n\n" + Judge(*pathNamed(name)).markdown();
  return text;
}

TEST(LegalityDocs, PageIsTheRules) {
  std::string path = PHOBOS_SOURCE_DIR "/docs/legality.md";
  if (std::getenv("PHOBOS_UPDATE_DOCS"))
    std::ofstream(path) << page();
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), page()) << "run legality-tests with PHOBOS_UPDATE_DOCS=1";
}

} // namespace
