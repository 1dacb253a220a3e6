// Compiling from source at run time: link libphobos beside libphobos-runtime.
//
//   phobos::CompileOptions options;
//   options.points = {"TILE_M=64 TILE_N=64"};
//   phobos::Compilation c = phobos::compile(source, "gemm.pho", options);
//   for (const phobos::CompileDiagnostic &d : c.diagnostics) ..;      // errors and warnings as values
//   if (c.ok) auto module = phobos::Module::load(c.bundle.data(), c.bundle.size());
//
// Thread-safe; nothing throws. What is kept on disk: phobos/compile.h.
#ifndef PHOBOS_COMPILE_HPP
#define PHOBOS_COMPILE_HPP

#include <phobos/compile.h>

#include <string>
#include <vector>

namespace phobos {

struct CompileOptions {
  std::vector<std::string> kernels = {}; ///< empty: all of the file
  /// "TILE_M=64 TILE_N=32", "TILE_M=64 @ M <= 1024"; empty: first choices
  std::vector<std::string> points = {};
  std::vector<std::string> targets = {}; ///< "cpu", "sm_90a", ..; empty: cpu
  bool stdlib = true;
  bool cache = true;
  std::string cacheFolder = {}; ///< empty: the place above
  uint64_t cacheBytes = 0;      ///< cap of the folder; 0: 1 GiB
};

struct CompileDiagnostic {
  std::string severity, code, file;
  uint32_t line = 0, column = 0;
  std::string message, help, rendered;
};

struct Compilation {
  bool ok = false;
  bool fromCache = false;
  std::string bundle; ///< bytes, for Module::load
  std::vector<CompileDiagnostic> diagnostics;
};

inline Compilation compile(const std::string &source, const std::string &name,
                           const CompileOptions &options = {}) {
  auto pointers = [](const std::vector<std::string> &list) {
    std::vector<const char *> p;
    for (const std::string &s : list)
      p.push_back(s.c_str());
    return p;
  };
  auto kernels = pointers(options.kernels), points = pointers(options.points),
       targets = pointers(options.targets);
  phobos_compile_request r{
      source.data(),     source.size(),  name.c_str(),
      kernels.data(),    kernels.size(), points.data(),
      points.size(),     targets.data(), targets.size(),
      !options.stdlib,   !options.cache, options.cacheFolder.empty() ? nullptr : options.cacheFolder.c_str(),
      options.cacheBytes};
  phobos_compilation *c = phobos_compile_source(&r);
  Compilation out;
  if (!c) {
    out.diagnostics.push_back({"error", "", name, 0, 0, "out of memory", "", "error: out of memory\n"});
    return out;
  }
  out.ok = phobos_compile_ok(c) != 0;
  out.fromCache = phobos_compile_from_cache(c) != 0;
  size_t size = 0;
  const void *bytes = phobos_compile_bundle(c, &size);
  out.bundle.assign(static_cast<const char *>(bytes), size);
  for (size_t i = 0; i < phobos_compile_diagnostic_count(c); ++i) {
    phobos_compile_diagnostic d = phobos_compile_diagnostic_at(c, i);
    out.diagnostics.push_back(
        {d.severity, d.code, d.file, d.line, d.column, d.message, d.help ? d.help : "", d.rendered});
  }
  phobos_compile_release(c);
  return out;
}

} // namespace phobos

#endif
