/* Loads a bundle and launches its kernel, from C: on the GPU where there is one and the bundle has code for
 * it, else on the CPU.
 *
 *   phobos-compile saxpy.pho --target sm_90a --target cpu -o saxpy.phx
 *   cc main.c $(pkg-config --cflags --libs phobos-runtime) -ldl -o embed_c && ./embed_c saxpy.phx
 * [auto|cuda|cpu]
 */
#include "../embed_common/memory.h"
#include <phobos/phobos.h>
#include <stdio.h>

static int fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, phobos_last_error());
  return 1;
}

int main(int argc, char **argv) {
  phobos_module_options options = {argc > 2 ? argv[2] : "auto", -1};
  phobos_module *module = NULL;
  phobos_kernel *saxpy = NULL;
  phobos_prepared *prepared = NULL;
  enum { n = 1000 };
  float x[n], y[n];
  int64_t i, repeat;

  if (phobos_abi_version() != PHOBOS_ABI_VERSION)
    return fail("the library is of another interface");
  if (phobos_module_load_file(argc > 1 ? argv[1] : "saxpy.phx", &options, &module) != PHOBOS_OK)
    return fail("loading");
  if (phobos_module_kernel(module, "saxpy", &saxpy) != PHOBOS_OK)
    return fail("the kernel");
  if (!memory_open(!phobos_module_is_cpu(module)))
    return fail("the driver");
  for (i = 0; i < n; ++i)
    x[i] = (float)i, y[i] = 1.0f;

  {
    phobos_tensor tx = {memory_from(x, sizeof x), PHOBOS_F32, 1, {n}, {1}, 1, PHOBOS_DEVICE_UNKNOWN};
    phobos_tensor ty = {memory_from(y, sizeof y), PHOBOS_F32, 1, {n}, {1}, 1, PHOBOS_DEVICE_UNKNOWN};
    phobos_arg args[3] = {{1, 0, &tx, 0, 0}, {1, 0, &ty, 0, 0}, {0, PHOBOS_F32, NULL, 3.0, 0}};
    /* Every check, then the launch; on a GPU the null stream is the default one. */
    if (phobos_launch(saxpy, NULL, args, 3, NULL) != PHOBOS_OK)
      return fail("launching");
    /* Checks once, launches often. */
    if (phobos_prepare(saxpy, args, 3, NULL, &prepared) != PHOBOS_OK)
      return fail("preparing");
    for (repeat = 0; repeat < 2; ++repeat)
      if (phobos_prepared_launch(prepared, NULL) != PHOBOS_OK)
        return fail("launching again");
    if (!memory_to(y, ty.data, sizeof y))
      return fail("running");
    for (i = 0; i < n; ++i)
      if (y[i] != 9.0f * (float)i + 1.0f) {
        fprintf(stderr, "wrong at %lld\n", (long long)i);
        return 1;
      }

    ty.extents[0] = n - 1;
    if (phobos_launch(saxpy, NULL, args, 3, NULL) != PHOBOS_CONTRACT) {
      fprintf(stderr, "unequal extents were accepted\n");
      return 1;
    }
    printf("refused as it should be: %s\nsaxpy on %s: right\n", phobos_last_error(),
           phobos_module_device_name(module));
    memory_free(tx.data);
    memory_free(ty.data);
  }
  phobos_prepared_release(prepared);
  phobos_module_release(module);
  return 0;
}
