// Every function of the driver that the runtime knows, done and no more, where Cuda.cpp has none of its own.
#include <cstddef>
#include <cstdint>

#define CUDA_FUNCTION(NAME, SYMBOL, PARAMETERS)                                                              \
  extern "C" __attribute__((weak)) int rest_##NAME PARAMETERS __asm__(SYMBOL);                               \
  extern "C" int rest_##NAME PARAMETERS { return 0; }
#include "runtime/cuda/Functions.def"
