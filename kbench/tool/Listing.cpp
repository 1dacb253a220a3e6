#include "kbench/tool/Listing.h"
#include "kbench/space/Walk.h"
#include <cmath>
#include <cstdio>

namespace phobos::kbench {
namespace {

constexpr size_t page = 50;
constexpr std::chrono::milliseconds countLimit{8500};

} // namespace

std::string countText(const SpaceCount &count) {
  char buffer[160];
  if (count.isExact)
    std::snprintf(buffer, sizeof buffer, "%.0f point%s", count.points, count.points == 1 ? "" : "s");
  else
    std::snprintf(buffer, sizeof buffer,
                  "about %.3g points (an estimate from %llu random samples, give or take %.2g%%)",
                  count.points, static_cast<unsigned long long>(count.samples),
                  count.points > 0 ? 200 * count.error / count.points : 100);
  return buffer;
}

int listPoints(const Subject &subject, const Options &options) {
  size_t most = options.limit.value_or(page), shown = 0;
  if (!subject.listed.empty()) {
    for (const Point &p : subject.listed)
      if (shown++ < most)
        std::printf("%s\n", p.str().c_str());
    std::printf("%zu listed points\n", subject.listed.size());
    return 0;
  }
  Walk walk(subject.searched);
  bool more = false;
  while (auto p = walk.next()) {
    more = shown == most;
    if (more)
      break;
    std::printf("%s\n", p->empty() ? "(no names: one point)" : p->str().c_str());
    ++shown;
  }
  std::fflush(stdout);
  SpaceCount count =
      more ? countPoints(subject.searched, countLimit) : SpaceCount{true, static_cast<double>(shown), 0, 0};
  if (more)
    std::printf(".. (--limit N prints N)\n");
  double raw = subject.searched.rawSize();
  std::printf("%s", countText(count).c_str());
  if (count.isExact && count.points < raw)
    std::printf(" of %.0f: the others fail @require", raw);
  std::printf("\n");
  return 0;
}

} // namespace phobos::kbench
