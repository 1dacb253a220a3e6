/* The Phobos runtime in C: load what phobos-compile wrote, check, launch. Needs no LLVM and no CUDA toolkit;
 * the CUDA driver is opened when a GPU is first asked for.
 *
 * Ownership: what a function gives through an `out` pointer belongs to the caller until the matching
 * `_release`. Kernels belong to their module. Memory behind tensors is the caller's, always.
 *
 * Threads: a loaded module and its kernels may be used from many threads at once. One prepared launch must
 * not be changed by one thread while another launches it. The last-error text is one a thread.
 *
 * Errors: every function that can fail returns a phobos_status; phobos_last_error() then says what, naming
 * the parameter, the rule and the values. Nothing is launched by a call that fails.
 *
 * Addresses: a kernel on a GPU takes memory of its device, managed and page-locked host memory, and memory of
 * another device where the context that the kernel runs in was given access (cuCtxEnablePeerAccess, or the
 * access of a pool or a mapping); anything else is PHOBOS_CONTRACT, and the text names both devices. A kernel
 * on the CPU takes host memory.
 *
 * Units: extents and strides are in elements, sizes in bytes.
 */
#ifndef PHOBOS_PHOBOS_H
#define PHOBOS_PHOBOS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PHOBOS_API __attribute__((visibility("default")))
#else
#define PHOBOS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Raised by any change that breaks a program compiled against an older header. */
#define PHOBOS_ABI_VERSION 1

typedef enum phobos_status {
  PHOBOS_OK = 0,
  PHOBOS_INVALID_ARGUMENT = 1, /* a null pointer, an unknown name, a wrong count */
  PHOBOS_BAD_BUNDLE = 2,       /* a file that cannot be read; foreign, truncated, corrupt or newer */
  PHOBOS_NO_DEVICE = 3,        /* no driver, no such device, or a processor that no variant serves */
  PHOBOS_CONTRACT = 4,         /* the launch breaks the kernel's contract */
  PHOBOS_DRIVER = 5,           /* the CUDA driver refused, or a launch failed */
  PHOBOS_OUT_OF_MEMORY = 6
} phobos_status;

typedef enum phobos_type {
  PHOBOS_BOOL = 0,
  PHOBOS_I8 = 1,
  PHOBOS_U8 = 2,
  PHOBOS_I32 = 3,
  PHOBOS_U32 = 4,
  PHOBOS_I64 = 5,
  PHOBOS_INDEX = 6,
  PHOBOS_F8E4M3 = 7,
  PHOBOS_F8E5M2 = 8,
  PHOBOS_F16 = 9,
  PHOBOS_BF16 = 10,
  PHOBOS_F32 = 11,
  PHOBOS_F64 = 12,
  PHOBOS_TYPE_ANY_INT =
      0x7fffffff /* no type: lets the enumeration hold what a caller may pass, which is refused */
} phobos_type;

#define PHOBOS_MAX_RANK 5

/* A tensor: the last axis is contiguous (stride 1), the others may have any positive stride. has_strides = 0:
 * dense in C order. */
typedef struct phobos_tensor {
  void *data;
  int32_t type; /* phobos_type */
  int32_t rank;
  int64_t extents[PHOBOS_MAX_RANK];
  int64_t strides[PHOBOS_MAX_RANK];
  int32_t has_strides;
  int32_t
      device; /* where `data` lies: CUDA ordinal, -1 for host memory, PHOBOS_DEVICE_UNKNOWN if not known */
} phobos_tensor;
#define PHOBOS_DEVICE_HOST (-1)
#define PHOBOS_DEVICE_UNKNOWN (-2)

/* One argument a parameter, in the kernel's order. The type of a scalar must be the parameter's. */
typedef struct phobos_arg {
  int32_t is_tensor;
  int32_t type; /* of a scalar: phobos_type; integers and bool in `i`, floats in `f` */
  const phobos_tensor *tensor;
  double f;
  int64_t i;
} phobos_arg;

typedef struct phobos_module phobos_module;
typedef struct phobos_kernel phobos_kernel;
typedef struct phobos_prepared phobos_prepared;

typedef struct phobos_module_options {
  const char *target; /* "auto" (or null): the GPU if there is a driver, a device and a variant for it, else
                         the CPU; "cuda"; "cpu" */
  int32_t device;     /* CUDA ordinal; -1: the device of the current context, else 0 */
} phobos_module_options;

typedef struct phobos_launch_options {
  int64_t grid[3]; /* used if has_grid: wins over the kernel's own */
  int32_t has_grid;
  int32_t assume_disjoint; /* skip the check that no written tensor overlaps another */
  int32_t threads;         /* CPU: how many threads; 0: all */
} phobos_launch_options;

PHOBOS_API int phobos_abi_version(void);
PHOBOS_API const char *phobos_version(void);
/* What the last failing call of this thread found; "" if none failed. Valid until the thread's next call. */
PHOBOS_API const char *phobos_last_error(void);
PHOBOS_API const char *phobos_status_name(phobos_status status);
PHOBOS_API const char *phobos_type_name(phobos_type type);

/* What to compile for so that code runs best on CUDA device `device`: "sm_90a". Valid while the thread makes
 * no other call of it. */
PHOBOS_API phobos_status phobos_device_target(int32_t device, const char **out);

/* `options` may be null. */
PHOBOS_API phobos_status phobos_module_load_file(const char *path, const phobos_module_options *options,
                                                 phobos_module **out);
PHOBOS_API phobos_status phobos_module_load_memory(const void *bytes, size_t size,
                                                   const phobos_module_options *options, phobos_module **out);
/* Null is allowed. No launch of the module may be under way. */
PHOBOS_API void phobos_module_release(phobos_module *module);
/* "cpu" or the device's name. */
PHOBOS_API const char *phobos_module_device_name(const phobos_module *module);
PHOBOS_API int32_t phobos_module_is_cpu(const phobos_module *module);
PHOBOS_API size_t phobos_module_kernel_count(const phobos_module *module);
PHOBOS_API const char *phobos_module_kernel_name(const phobos_module *module, size_t index);
/* `*out` belongs to the module and is valid while that lives, as what is prepared from it. */
PHOBOS_API phobos_status phobos_module_kernel(phobos_module *module, const char *name, phobos_kernel **out);

PHOBOS_API size_t phobos_kernel_param_count(const phobos_kernel *kernel);
PHOBOS_API const char *phobos_kernel_param_name(const phobos_kernel *kernel, size_t index);
PHOBOS_API int32_t phobos_kernel_param_is_tensor(const phobos_kernel *kernel, size_t index);
PHOBOS_API phobos_type phobos_kernel_param_type(const phobos_kernel *kernel, size_t index);

/* Checks everything, chooses the point and the entry, launches. `stream` is a CUstream (or cudaStream_t);
 * null is the default stream. On the CPU the call returns when the kernel is done and `stream` must be null.
 * Can be captured into a graph. */
PHOBOS_API phobos_status phobos_launch(phobos_kernel *kernel, void *stream, const phobos_arg *args,
                                       size_t count, const phobos_launch_options *options);

/* Does the checks, the choice and the packing once; phobos_prepared_launch then costs what cuLaunchKernel
 * costs. What was checked here is not looked at again: types, ranks, equal dimensions, strides, @aligned,
 * @require, addresses, overlap, device, the grid. */
PHOBOS_API phobos_status phobos_prepare(phobos_kernel *kernel, const phobos_arg *args, size_t count,
                                        const phobos_launch_options *options, phobos_prepared **out);
PHOBOS_API phobos_status phobos_prepared_launch(phobos_prepared *prepared, void *stream);
/* Changes a tensor's address (same shape; null, between elements, where the kernel has no access, or less
 * aligned to 16 bytes than the code chosen needs: an error) or a scalar. Overlap is not checked again. */
PHOBOS_API phobos_status phobos_prepared_set_pointer(phobos_prepared *prepared, size_t param, void *data);
PHOBOS_API phobos_status phobos_prepared_set_float(phobos_prepared *prepared, size_t param, double value);
PHOBOS_API phobos_status phobos_prepared_set_int(phobos_prepared *prepared, size_t param, int64_t value);
/* The point that was chosen, "TILE_M=64 TILE_N=32"; valid while `prepared` lives. */
PHOBOS_API const char *phobos_prepared_point(const phobos_prepared *prepared);
/* What the code that was chosen was compiled for: "sm_90a", "cpu"; valid while the module lives. */
PHOBOS_API const char *phobos_prepared_target(const phobos_prepared *prepared);
PHOBOS_API void phobos_prepared_release(phobos_prepared *prepared);

/* From a DLPack tensor: `dl` points at a DLTensor (version 0.x or the tensor inside a versioned one). The
 * memory stays its owner's. */
PHOBOS_API phobos_status phobos_tensor_from_dlpack(const void *dl, phobos_tensor *out);
/* From the fields of a __cuda_array_interface__ (or, with device -1, an __array_interface__): `typestr` as
 * "<f4"; `strides` in bytes or null. */
PHOBOS_API phobos_status phobos_tensor_from_array_interface(uint64_t data, const char *typestr,
                                                            const int64_t *shape, const int64_t *strides,
                                                            int32_t rank, int32_t device, phobos_tensor *out);

#ifdef __cplusplus
}
#endif
#endif
