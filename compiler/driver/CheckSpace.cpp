#include "compiler/driver/CheckSpace.h"
#include <algorithm>
#include <random>

namespace phobos::driver {

namespace {

using Indices = std::vector<size_t>;

/// The points to look at, as choices of each name; the first choices come first.
std::vector<Indices> pointsOf(const sema::Space &space) {
  const auto &dims = space.dimensions;
  std::vector<Indices> points = {Indices(dims.size(), 0)};
  if (space.rawSize() <= double(kMostPointsChecked)) {
    for (size_t d = 0; d < dims.size(); ++d)
      for (size_t i = 0, n = points.size(); i < n; ++i)
        for (size_t c = 1; c < dims[d].choices.size(); ++c) {
          points.push_back(points[i]);
          points.back()[d] = c;
        }
    return points;
  }
  for (size_t d = 0; d < dims.size(); ++d)
    for (size_t c = 1; c < dims[d].choices.size() && points.size() < kMostPointsChecked / 2; ++c) {
      points.push_back(points[0]);
      points.back()[d] = c;
    }
  std::mt19937_64 random(1);
  while (points.size() < kMostPointsChecked) {
    Indices &p = points.emplace_back();
    for (const sema::Dimension &d : dims)
      p.push_back(random() % d.choices.size());
  }
  return points;
}

Point pointAt(const sema::Space &space, const Indices &indices) {
  Point point;
  for (size_t d = 0; d < indices.size(); ++d)
    if (space.dimensions[d].isSound)
      point.set(space.dimensions[d].name, space.dimensions[d].choices[indices[d]]);
  return point;
}

bool isIllegal(const Diagnostics &diags) {
  return std::any_of(diags.all().begin(), diags.all().end(),
                     [](const Diagnostic &d) { return d.id == diag::IllegalPoint; });
}

} // namespace

SpaceCheck checkSpace(const LoadedFile &loaded, const ast::Kernel &kernel, Diagnostics &diags) {
  sema::Space space = sema::buildSpace(kernel, diags);
  SpaceCheck result{space.rawSize(), 0};
  Diagnostics firstIllegal;
  bool anyJudged = false;
  for (const Indices &indices : pointsOf(space)) {
    Point point = pointAt(space, indices);
    if (diags.isFull())
      break;
    Diagnostics own;
    bool isFirst = result.checked++ == 0;
    if (!isFirst && sema::firstViolated(space, point, {}))
      continue;
    sema::check(*loaded.file, kernel, loaded.stdlib.get(), point, own, {.warnings = !anyJudged});
    if (isIllegal(own)) {
      if (firstIllegal.all().empty())
        firstIllegal.append(own);
      continue;
    }
    for (size_t i = 0; anyJudged && i < own.all().size(); ++i)
      Diagnostics::Builder(own, i).note({}, "at " + point.str());
    anyJudged = true;
    diags.append(own);
  }
  if (!anyJudged)
    diags.append(firstIllegal);
  return result;
}

} // namespace phobos::driver
