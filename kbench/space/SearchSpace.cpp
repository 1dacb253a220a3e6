#include "kbench/space/SearchSpace.h"
#include <algorithm>

namespace phobos::kbench {

double SearchSpace::rawSize() const {
  double size = 1;
  for (const FreeName &n : names)
    if (!n.isIgnored)
      size *= static_cast<double>(n.choices.size());
  return size;
}

SearchSpace makeSearchSpace(const sema::Space &space, const SpaceOptions &options) {
  SearchSpace result;
  result.runtimeDims = options.runtimeDims;
  for (const sema::Dimension &d : space.dimensions) {
    result.declared.push_back(d.name);
    bool isIgnored =
        std::find(options.ignored.begin(), options.ignored.end(), d.name) != options.ignored.end();
    if (auto pin = options.pinned.get(d.name))
      result.fixed.set(d.name, *pin);
    else if (d.choices.size() == 1)
      result.fixed.set(d.name, d.choices.front());
    else
      result.names.push_back({d.name, d.choices, isIgnored});
  }
  for (auto &[name, value] : options.pinned.entries())
    if (!result.fixed.get(name)) { // a GEMM name that the kernel does not declare
      result.declared.push_back(name);
      result.fixed.set(name, value);
    }

  auto resolve = [&](std::string_view name) -> std::optional<FormulaPool::Binding> {
    for (size_t i = 0; i < result.names.size(); ++i)
      if (result.names[i].name == name)
        return FormulaPool::Binding{false, static_cast<int64_t>(i)};
    if (auto v = result.fixed.get(name))
      return FormulaPool::Binding{true, *v};
    if (auto v = options.runtimeDims.get(name))
      return FormulaPool::Binding{true, *v};
    return std::nullopt;
  };
  for (size_t i = 0; i < space.constraints.size(); ++i) {
    auto root = result.pool.add(space.constraints[i].expr, resolve);
    if (!root)
      continue;
    for (NodeId c : result.pool.conjuncts(*root)) {
      if (result.pool[c].op == FormulaOp::Const) {
        if (result.pool[c].value == 0 && !result.neverHolds)
          result.neverHolds = i;
        continue;
      }
      result.constraints.push_back(c);
      result.sources.push_back(i);
    }
  }
  return result;
}

} // namespace phobos::kbench
