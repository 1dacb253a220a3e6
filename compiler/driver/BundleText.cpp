#include "compiler/driver/BundleText.h"
#include <cctype>

namespace phobos::driver {

std::string identifierOf(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string base = slash == std::string::npos ? path : path.substr(slash + 1);
  base = base.substr(0, base.find('.'));
  std::string id;
  for (char c : base)
    id += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (constexpr std::string_view ending = "_bundle"; id.size() > ending.size() && id.ends_with(ending))
    id.resize(id.size() - ending.size()); // gemm_bundle.h holds gemm_bundle
  if (id.empty() || std::isdigit(static_cast<unsigned char>(id[0])))
    id = "k_" + id;
  return id;
}

std::string bundleAsC(const Bundle &bundle, const std::string &name) {
  std::string bytes = encodeBundle(bundle);
  std::string guard = "PHOBOS_BUNDLE_" + name;
  std::string out = "/* " + bundle.compilerBuild + ", source " + bundle.sourceHash.substr(0, 16) +
                    ". Pass to phobos_module_load_memory. */\n#ifndef " + guard + "\n#define " + guard +
                    "\n#include <stddef.h>\n\nstatic const unsigned char " + name + "_bundle[" +
                    std::to_string(bytes.size()) + "] = {";
  for (size_t i = 0; i < bytes.size(); ++i) {
    out += i % 24 == 0 ? "\n  " : "";
    out += std::to_string(static_cast<unsigned char>(bytes[i]));
    out += i + 1 < bytes.size() ? "," : "";
  }
  out += "\n};\nstatic const size_t " + name + "_bundle_size = sizeof " + name + "_bundle;\n\n#endif\n";
  return out;
}

static std::string cppScalar(ScalarType t) {
  switch (t) {
  case ScalarType::Bool:
    return "bool";
  case ScalarType::I8:
    return "int8_t";
  case ScalarType::U8:
    return "uint8_t";
  case ScalarType::I32:
    return "int32_t";
  case ScalarType::U32:
    return "uint32_t";
  case ScalarType::I64:
  case ScalarType::Index:
    return "int64_t";
  case ScalarType::F64:
    return "double";
  default:
    return "float"; // f32, and the narrow floats, which are rounded from it
  }
}

/// How the scalar is handed on: its value, or with the name of a type that C++ has no number for.
static std::string passed(const ContractParam &p) {
  if (p.isTensor)
    return p.name;
  if (p.elem == ScalarType::Bool || p.elem == ScalarType::F32 || p.elem == ScalarType::F64)
    return p.name + ".value";
  if (p.elem == ScalarType::Index)
    return "::phobos::index(" + p.name + ".value)";
  if (!isFloat(p.elem))
    return p.name + ".value";
  std::string upper;
  for (char c : name(p.elem))
    upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return "::phobos::scalar(PHOBOS_" + upper + ", " + p.name + ".value)";
}

static std::string shapeOf(const ContractParam &p, const Contract &c) {
  std::string s = "tensor<" + std::string(name(p.elem)) + ">[";
  for (size_t i = 0; i < p.extents.size(); ++i)
    s += (i ? ", " : "") + (p.extents[i].fixed ? std::to_string(p.extents[i].value)
                                               : c.dims[static_cast<size_t>(p.extents[i].value)]);
  return s + "]";
}

std::string bundleAsHeader(const Bundle &bundle, const std::string &nameSpace) {
  std::string guard = "PHOBOS_SIGNATURES_" + nameSpace;
  std::string out = "// Signatures of the kernels of one bundle (" + bundle.compilerBuild + ").\n#ifndef " +
                    guard + "\n#define " + guard + "\n#include <phobos/phobos.hpp>\n\nnamespace " +
                    nameSpace + " {\n";
  for (const std::string &kernel : bundle.kernels()) {
    const Contract *c = nullptr;
    for (const Variant &v : bundle.variants)
      if (!c && v.contract.kernel == kernel)
        c = &v.contract;
    std::string params, args, doc;
    for (const ContractParam &p : c->params) {
      params +=
          ", " +
          (p.isTensor ? "const ::phobos::TensorView &" : "::phobos::Exactly<" + cppScalar(p.elem) + "> ") +
          p.name;
      args += ", " + passed(p);
      if (p.isTensor)
        doc += "  /// " + p.name + ": " + shapeOf(p, *c) +
               (p.isWritten ? p.isRead ? ", read and written" : ", written" : ", read") + "\n";
    }
    out += "\nstruct " + kernel + " {\n  ::phobos::Kernel kernel;\n\n" + "  static ::phobos::Result<" +
           kernel + "> of(const ::phobos::Module &module) {\n    auto k = module.kernel(\"" + kernel +
           "\");\n    return k ? ::phobos::Result<" + kernel + ">(" + kernel +
           "{k.value()}) : ::phobos::Result<" + kernel + ">(k.error());\n  }\n" + doc +
           "  ::phobos::Status launch(void *stream" + params +
           ", const ::phobos::LaunchOptions &options = {}) const {\n    return kernel.launchWith(options, "
           "stream" +
           args +
           ");\n  }\n  ::phobos::Result<::phobos::Prepared> prepare(const ::phobos::LaunchOptions &options" +
           params + ") const {\n    return kernel.prepare(options" + args + ");\n  }\n};\n";
  }
  return out + "\n} // namespace " + nameSpace + "\n\n#endif\n";
}

std::string describeBundle(const Bundle &bundle) {
  static const char *const formats[] = {"PTX", "cubin", "ELF object"};
  std::string out = "written by " + bundle.compilerBuild + "\nsource     sha256 " + bundle.sourceHash + "\n";
  for (const Variant &v : bundle.variants) {
    const Contract &c = v.contract;
    out += "\nkernel " + c.kernel + " for " + v.target + (v.cpu.empty() ? "" : " (" + v.cpu + ")") + "\n";
    std::string point;
    for (const auto &[n, value] : v.point)
      point += " " + n + "=" + std::to_string(value);
    if (!point.empty())
      out += "  point  " + point + "\n";
    if (v.hasServes)
      out += "  serves  " + v.servesText + "\n";
    for (const ContractParam &p : c.params)
      out += "  param   " + p.name + ": " +
             (p.isTensor
                  ? shapeOf(p, c) + (p.isWritten ? p.isRead ? ", read and written" : ", written" : ", read")
                  : std::string(name(p.elem))) +
             "\n";
    if (c.gridFromHost)
      out += "  grid    from the host\n";
    else
      out += "  grid    " + c.grid[0].str(c.dims) + ", " + c.grid[1].str(c.dims) + ", " +
             c.grid[2].str(c.dims) + "\n";
    for (const ContractAligned &a : c.aligned)
      out += "  aligned " + c.dims[static_cast<size_t>(a.dim)] + " to " + std::to_string(a.multiple) + "\n";
    for (const ContractRequire &r : c.requires_)
      out += "  require " + r.text + (r.reason.empty() ? "" : " (" + r.reason + ")") + "\n";
    for (const CodeImage &i : v.images)
      out += "  code    " + std::string(formats[static_cast<size_t>(i.format)]) + ", " +
             std::to_string(i.bytes.size()) + " bytes\n";
    for (const EntryPoint &e : v.entries)
      out += "  entry   " + e.symbol + ", " + std::to_string(e.threads) + " threads, " +
             std::to_string(e.sharedBytes) + " bytes shared, " + std::to_string(e.scratchBytes) +
             " bytes scratch, " + std::to_string(e.predicates.size()) + " predicates\n";
  }
  return out;
}

} // namespace phobos::driver
