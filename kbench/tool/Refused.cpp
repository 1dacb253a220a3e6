#include "kbench/tool/Refused.h"
#include "kbench/space/Walk.h"
#include <algorithm>

namespace phobos::kbench {
namespace {

/// `TILE_M = 128, M = 64`: of the names of `c`, those that have a value.
std::string valuesOf(const sema::Constraint &c, const SpaceOptions &options) {
  std::string text;
  for (const auto *names : {&c.names, &c.runtimeNames})
    for (const std::string &n : *names) {
      auto value = options.pinned.get(n);
      if (!value)
        value = options.runtimeDims.get(n);
      if (value)
        text += (text.empty() ? "" : ", ") + n + " = " + std::to_string(*value);
    }
  return text;
}

/// The first point of the space with the pins but those of `free`.
std::optional<Point> firstWithout(const sema::Space &space, SpaceOptions options,
                                  const std::vector<std::string> &free) {
  Point kept;
  for (const auto &[name, value] : options.pinned.entries())
    if (std::find(free.begin(), free.end(), name) == free.end())
      kept.set(name, value);
  options.pinned = kept;
  const SearchSpace searched = makeSearchSpace(space, options);
  return Walk(searched).next();
}

/// A point that is allowed and differs from the pins in as few names as will do: one, else any.
std::optional<Point> nearestAllowed(const sema::Space &space, const SpaceOptions &options) {
  std::vector<std::string> all;
  for (const auto &[name, value] : options.pinned.entries()) {
    if (auto p = space.find(name) ? firstWithout(space, options, {name}) : std::nullopt)
      return p;
    all.push_back(name);
  }
  return firstWithout(space, options, all);
}

std::string sentence(const sema::Constraint &c, const SpaceOptions &options) {
  const std::string values = valuesOf(c, options);
  return (c.reason.empty() ? "" : ": " + c.reason) + (values.empty() ? "" : " (" + values + ")");
}

} // namespace

void reportRefused(const sema::Space &space, const SpaceOptions &options, bool isOnePoint,
                   Diagnostics &diags) {
  const auto allowed = nearestAllowed(space, options);
  const auto usesExtents = [](const sema::Constraint &c) { return !c.runtimeNames.empty(); };
  bool dependsOnExtents = std::any_of(space.constraints.begin(), space.constraints.end(), usesExtents);
  auto help = [&](Diagnostics::Builder report) {
    if (allowed)
      report.help(
          (isOnePoint ? "the nearest that is allowed: --autotune \"" : "this one is allowed: --autotune \"") +
          allowed->str() + "\"");
    else if (dependsOnExtents)
      report.help("at these extents no point is allowed: --dim gives others");
    else
      report.help("no point is allowed: add choices to @autotune, or relax the @require");
  };
  if (const sema::Constraint *c =
          isOnePoint ? sema::firstViolated(space, options.pinned, options.runtimeDims) : nullptr) {
    const std::string values = valuesOf(*c, options);
    return help(diags.report(diag::IllegalPoint, c->range, c->text,
                             (c->reason.empty() ? "does not hold" : c->reason) +
                                 (values.empty() ? "" : " (" + values + ")")));
  }
  const SearchSpace searched = makeSearchSpace(space, options);
  if (searched.neverHolds) {
    const sema::Constraint &c = space.constraints[*searched.neverHolds];
    dependsOnExtents = usesExtents(c);
    return help(
        diags.report(diag::LaunchRefused, c.range,
                     "no point of the space satisfies @require(" + c.text + ")" + sentence(c, options)));
  }
  if (space.constraints.empty())
    return;
  const sema::Constraint &c = space.constraints[0];
  const bool isAlone = space.constraints.size() == 1;
  auto report = diags.report(diag::LaunchRefused, c.range,
                             (isAlone ? "no point of the space satisfies @require(" + c.text + ")"
                                      : "no point of the space satisfies all that @require asks") +
                                 sentence(c, options));
  for (size_t k = 1; k < space.constraints.size(); ++k)
    report.note(space.constraints[k].range, "together with this" + sentence(space.constraints[k], options));
  help(report);
}

} // namespace phobos::kbench
