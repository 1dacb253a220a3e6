/* Memory where a kernel runs, for the examples: on the CPU the program's own, on a GPU the driver's, which is
 * opened at run time so that the examples build anywhere. A program with the CUDA toolkit calls cudaMalloc
 * and cudaMemcpy instead. */
#ifndef EXAMPLES_MEMORY_H
#define EXAMPLES_MEMORY_H
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int memory_on_gpu;
static int (*memory_alloc)(uint64_t *, size_t), (*memory_release)(uint64_t),
    (*memory_upload)(uint64_t, const void *, size_t), (*memory_download)(void *, uint64_t, size_t);

/* Makes device 0's primary context current. 0 where it cannot. */
static int memory_open(int on_gpu) {
  void *driver = on_gpu ? dlopen("libcuda.so.1", RTLD_NOW) : NULL, *context = NULL;
  int device = 0;
  int (*init)(unsigned), (*get)(int *, int), (*retain)(void **, int), (*set)(void *);
  memory_on_gpu = on_gpu;
  if (!on_gpu)
    return 1;
  if (!driver)
    return 0;
  *(void **)&init = dlsym(driver, "cuInit");
  *(void **)&get = dlsym(driver, "cuDeviceGet");
  *(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
  *(void **)&set = dlsym(driver, "cuCtxSetCurrent");
  *(void **)&memory_alloc = dlsym(driver, "cuMemAlloc_v2");
  *(void **)&memory_release = dlsym(driver, "cuMemFree_v2");
  *(void **)&memory_upload = dlsym(driver, "cuMemcpyHtoD_v2");
  *(void **)&memory_download = dlsym(driver, "cuMemcpyDtoH_v2");
  return init(0) == 0 && get(&device, 0) == 0 && retain(&context, device) == 0 && set(context) == 0;
}

/* A copy of `host` where the kernel runs; null where there is no memory. */
static void *memory_from(const void *host, size_t bytes) {
  uint64_t address = 0;
  void *copy = NULL;
  if (memory_on_gpu)
    return memory_alloc(&address, bytes) == 0 && memory_upload(address, host, bytes) == 0
               ? (void *)(uintptr_t)address
               : NULL;
  copy = malloc(bytes);
  if (copy)
    memcpy(copy, host, bytes);
  return copy;
}

/* Copies back, once all launches before it are done. 0 where one of them failed. */
static int memory_to(void *host, const void *from, size_t bytes) {
  if (memory_on_gpu)
    return memory_download(host, (uint64_t)(uintptr_t)from, bytes) == 0;
  memcpy(host, from, bytes);
  return 1;
}

static void memory_free(void *p) {
  if (memory_on_gpu)
    memory_release((uint64_t)(uintptr_t)p);
  else
    free(p);
}
#endif
