#include "kbench/verify/Sizes.h"
#include <algorithm>
#include <numeric>

namespace phobos::kbench {
namespace {

class SliceFinder {
public:
  explicit SliceFinder(const sema::TypedKernel &kernel) : kernel_(kernel), lengths_(kernel.dims.size()) {}
  std::vector<std::vector<int64_t>> run() {
    walk(kernel_.body);
    for (auto &l : lengths_) {
      std::sort(l.begin(), l.end());
      l.erase(std::unique(l.begin(), l.end()), l.end());
    }
    return std::move(lengths_);
  }

private:
  void access(sema::ParamId param, const std::vector<sema::Subscript> &subscripts) {
    const auto &extents = kernel_.params[param].extents;
    for (size_t axis = 0; axis < subscripts.size() && axis < extents.size(); ++axis)
      if (!extents[axis].fixed && !subscripts[axis].isPoint)
        lengths_[extents[axis].dim].push_back(subscripts[axis].length);
  }
  void visit(sema::ExprP e) {
    if (!e)
      return;
    if (e->op == sema::Op::Load)
      access(e->param, e->subscripts);
    for (sema::ExprP a : e->args)
      visit(a);
    for (const sema::Subscript &s : e->subscripts)
      visit(s.start);
    if (e->call)
      walk(e->call->body);
  }
  void walk(const sema::Block &block) {
    for (sema::StmtP s : block.statements) {
      if (s->kind == sema::Stmt::Kind::Store)
        access(s->param, s->subscripts);
      for (sema::ExprP e : {s->value, s->mask, s->lo, s->hi, s->step})
        visit(e);
      walk(s->body);
      walk(s->orElse);
    }
  }
  const sema::TypedKernel &kernel_;
  std::vector<std::vector<int64_t>> lengths_;
};

int64_t roundUp(int64_t x, int64_t multiple) { return (x + multiple - 1) / multiple * multiple; }

bool holdsAll(const Contract &contract, const std::vector<int64_t> &dims) {
  for (const ContractAligned &a : contract.aligned)
    if (a.multiple > 0 && dims[static_cast<size_t>(a.dim)] % a.multiple != 0)
      return false;
  for (const ContractRequire &r : contract.requires_)
    if (r.condition.evaluate(dims) == 0)
      return false;
  return true;
}

} // namespace

std::vector<std::vector<int64_t>> sliceLengths(const sema::TypedKernel &kernel) {
  return SliceFinder(kernel).run();
}

std::vector<std::vector<int64_t>> smallSizes(const sema::TypedKernel &kernel, const Contract &contract,
                                             const std::vector<int64_t> &full) {
  size_t n = kernel.dims.size();
  if (n == 0)
    return {{}};
  auto lengths = sliceLengths(kernel);
  // For each dimension: partly filled, smaller than a tile, whole, partly filled in rows that start at
  // aligned addresses; then what else may satisfy a @require.
  std::vector<std::vector<int64_t>> candidates(n);
  for (size_t d = 0; d < n; ++d) {
    int64_t tile = lengths[d].empty() ? 1 : lengths[d].back();
    int64_t multiple = 1;
    for (const ContractAligned &a : contract.aligned)
      if (static_cast<size_t>(a.dim) == d)
        multiple = std::lcm(multiple, std::max<int64_t>(a.multiple, 1));
    // Odd counts keep rows from starting at aligned addresses; indices differ so that a swapped pair is
    // noticed.
    int64_t odd = 2 * static_cast<int64_t>(d) + 1;
    int64_t ragged =
        tile == 1 ? 4 + odd : tile + std::max<int64_t>(1, tile / 3) + odd % std::max<int64_t>(1, tile / 2);
    int64_t below =
        tile <= 2 ? 2 + odd : std::max<int64_t>(1, tile / 2 - odd % std::max<int64_t>(1, tile / 2));
    const int64_t aligned = tile < 16 ? 2 * tile : roundUp(tile + tile / 3, 16);
    for (int64_t size : {ragged, below, 2 * tile, aligned})
      candidates[d].push_back(roundUp(size, multiple));
    for (int64_t size : {tile, full[d], int64_t(128), int64_t(64)})
      candidates[d].push_back(roundUp(std::max<int64_t>(size, 1), multiple));
  }
  std::vector<std::vector<int64_t>> result;
  auto add = [&](const std::vector<int64_t> &dims) {
    if (holdsAll(contract, dims) && std::find(result.begin(), result.end(), dims) == result.end())
      result.push_back(dims);
  };
  for (size_t kind = 0; kind < 4; ++kind) {
    std::vector<int64_t> dims;
    for (size_t d = 0; d < n; ++d)
      dims.push_back(candidates[d][kind]);
    add(dims);
  }
  // A @require that ties dimensions together may refuse all of these: look through the combinations, smallest
  // kinds first.
  std::vector<size_t> pick(n);
  for (int tries = 0; result.empty() && tries < 20000; ++tries) {
    std::vector<int64_t> dims;
    for (size_t d = 0; d < n; ++d)
      dims.push_back(candidates[d][pick[d]]);
    add(dims);
    size_t d = 0;
    while (d < n && ++pick[d] == candidates[d].size())
      pick[d++] = 0;
    if (d == n)
      break;
  }
  if (result.empty())
    result.push_back(full);
  return result;
}

} // namespace phobos::kbench
