#include "compiler/interp/Interp.h"
#include "compiler/interp/Machine.h"

namespace phobos::interp {

bool run(const sema::TypedKernel &kernel, const std::vector<Argument> &args, const std::vector<int64_t> &dims,
         const std::array<int64_t, 3> &grid, const Options &options, Diagnostics &diags) {
  unsigned errors = diags.errorCount();
  std::optional<Shadow> shadow;
  if (options.check)
    shadow.emplace(kernel, grid, diags);
  Machine machine(kernel, args, dims, grid, options, shadow ? &*shadow : nullptr, diags);
  for (int64_t z = 0; z < grid[2]; ++z)
    for (int64_t y = 0; y < grid[1]; ++y)
      for (int64_t x = 0; x < grid[0]; ++x)
        if (!machine.runBlock({x, y, z}))
          return false;
  if (shadow)
    shadow->finish();
  return diags.errorCount() == errors;
}

} // namespace phobos::interp
