/* Compiling from source at run time, in C: link libphobos (-lphobos). phobos/compile.hpp is the same in C++.
 *
 * Results are kept on disk ($XDG_CACHE_HOME/phobos, else ~/.cache/phobos), so that a program's second run
 * compiles nothing. The key is the canonical source, the points, targets and kernels, the compiler's build
 * and this machine's processor. Many processes may share the folder; a damaged entry is a miss.
 * Thread-safe.
 */
#ifndef PHOBOS_COMPILE_H
#define PHOBOS_COMPILE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PHOBOS_COMPILE_API __attribute__((visibility("default")))
#else
#define PHOBOS_COMPILE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What became of one request. */
typedef struct phobos_compilation phobos_compilation;

typedef struct phobos_compile_request {
  const char *source;
  size_t source_size;
  const char *name; /* of the file, for messages */
  const char *const *kernels;
  size_t kernel_count; /* 0: all of the file */
  const char *const *points;
  size_t point_count; /* 0: first choices */
  const char *const *targets;
  size_t target_count; /* 0: cpu */
  int no_std;
  int no_cache;
  const char *cache_folder; /* null: the place above */
  uint64_t cache_bytes;     /* cap of the folder; 0: 1 GiB */
} phobos_compile_request;
typedef struct phobos_compile_diagnostic {
  const char *severity; /* "error", "warning" */
  const char *code;
  const char *file;
  uint32_t line, column; /* 1-based; 0: no place */
  const char *message;
  const char *help;     /* or null */
  const char *rendered; /* with the source line, carets and notes */
} phobos_compile_diagnostic;

/* Never fails but for want of memory, or where the request, its source or a name in its lists is null: then
 * null. What is wrong with the source is in the diagnostics. */
PHOBOS_COMPILE_API phobos_compilation *phobos_compile_source(const phobos_compile_request *request);
/* 1 if there is a bundle; 0 after errors. */
PHOBOS_COMPILE_API int phobos_compile_ok(const phobos_compilation *c);
PHOBOS_COMPILE_API int phobos_compile_from_cache(const phobos_compilation *c);
/* The bundle's bytes, for phobos_module_load_memory; they belong to `c`, as do all texts below. */
PHOBOS_COMPILE_API const void *phobos_compile_bundle(const phobos_compilation *c, size_t *size);
PHOBOS_COMPILE_API size_t phobos_compile_diagnostic_count(const phobos_compilation *c);
/* `index` is below the count. */
PHOBOS_COMPILE_API phobos_compile_diagnostic phobos_compile_diagnostic_at(const phobos_compilation *c,
                                                                          size_t index);
/* Null is allowed. */
PHOBOS_COMPILE_API void phobos_compile_release(phobos_compilation *c);

#ifdef __cplusplus
}
#endif
#endif
