/* Loads a bundle and launches its kernel, from C.
 *
 *   phobos-compile saxpy.pho -o saxpy.phx
 *   cc main.c $(pkg-config --cflags --libs phobos-runtime) -o embed_c && ./embed_c saxpy.phx
 */
#include <phobos/phobos.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, phobos_last_error());
  return 1;
}

int main(int argc, char **argv) {
  if (phobos_abi_version() != PHOBOS_ABI_VERSION)
    return fail("the library is of another interface");
  phobos_module_options options = {"cpu", -1};
  phobos_module *module = NULL;
  phobos_kernel *saxpy = NULL;
  if (phobos_module_load_file(argc > 1 ? argv[1] : "saxpy.phx", &options, &module) != PHOBOS_OK)
    return fail("loading");
  if (phobos_module_kernel(module, "saxpy", &saxpy) != PHOBOS_OK)
    return fail("the kernel");

  int64_t n = 1000;
  float *x = malloc(sizeof(float) * (size_t)n), *y = malloc(sizeof(float) * (size_t)n);
  for (int64_t i = 0; i < n; ++i)
    x[i] = (float)i, y[i] = 1.0f;

  phobos_tensor tx = {x, PHOBOS_F32, 1, {n}, {1}, 1, PHOBOS_DEVICE_HOST};
  phobos_tensor ty = {y, PHOBOS_F32, 1, {n}, {1}, 1, PHOBOS_DEVICE_HOST};
  phobos_arg args[3] = {{1, 0, &tx, 0, 0}, {1, 0, &ty, 0, 0}, {0, PHOBOS_F32, NULL, 3.0, 0}};
  if (phobos_launch(saxpy, NULL, args, 3, NULL) != PHOBOS_OK)
    return fail("launching");
  for (int64_t i = 0; i < n; ++i)
    if (y[i] != 3.0f * (float)i + 1.0f) {
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
  free(x);
  free(y);
  phobos_module_release(module);
  return 0;
}
