#include "compiler/interp/Interp.h"
#include "compiler/interp/Machine.h"

namespace phobos::interp {

/// Bytes that a block's values may take at once: every variable, and some operands of the largest tile beside
/// them.
static uint64_t valueBytes(const sema::TypedKernel &kernel) {
  uint64_t variables = 0, largest = 0;
  auto bytes = [&](const Type &t) {
    return 8 * static_cast<uint64_t>(t.isTile()           ? t.elements()
                                     : kernel.usesThreads ? kernel.threadCount()
                                                          : 1);
  };
  for (const sema::Local &v : kernel.vars)
    variables += bytes(v.type);
  for (const sema::Expr &e : kernel.exprs)
    largest = std::max(largest, bytes(e.type));
  return variables + 8 * largest;
}

bool run(const sema::TypedKernel &kernel, const std::vector<Argument> &args, const std::vector<int64_t> &dims,
         const std::array<int64_t, 3> &grid, const Options &options, Diagnostics &diags) {
  unsigned errors = diags.errorCount();
  if (uint64_t need = valueBytes(kernel); need > options.maxBytes) {
    diags.report(diag::ValuesTooLarge, kernel.range, need >> 20, options.maxBytes >> 20);
    return false;
  }
  std::optional<Shadow> shadow;
  if (options.check)
    shadow.emplace(kernel, grid, diags);
  Machine machine(kernel, args, dims, grid, options, shadow ? &*shadow : nullptr, diags);
  for (int64_t z = 0; z < grid[2]; ++z)
    for (int64_t y = 0; y < grid[1]; ++y)
      for (int64_t x = 0; x < grid[0]; ++x)
        if (!machine.runBlock({x, y, z}))
          return false;
        else if (options.blocksDone)
          options.blocksDone->fetch_add(1, std::memory_order_relaxed);
  if (shadow)
    shadow->finish();
  return diags.errorCount() == errors;
}

} // namespace phobos::interp
