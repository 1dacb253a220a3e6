#include "compiler/driver/BundleText.h"
#include <cctype>
#include <set>

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

/// `name` as it may stand in C++: a word of the language's own, a macro of common systems, or a name that
/// `taken` holds gets an underscore. It is then taken too.
static std::string cppName(std::string name, std::set<std::string> &taken) {
  static const std::set<std::string> reserved = {"alignas",
                                                 "alignof",
                                                 "and",
                                                 "and_eq",
                                                 "asm",
                                                 "assert",
                                                 "atomic_cancel",
                                                 "auto",
                                                 "bitand",
                                                 "bitor",
                                                 "bool",
                                                 "break",
                                                 "case",
                                                 "catch",
                                                 "char",
                                                 "char16_t",
                                                 "char32_t",
                                                 "char8_t",
                                                 "class",
                                                 "co_await",
                                                 "co_return",
                                                 "co_yield",
                                                 "compl",
                                                 "concept",
                                                 "const",
                                                 "const_cast",
                                                 "consteval",
                                                 "constexpr",
                                                 "constinit",
                                                 "continue",
                                                 "decltype",
                                                 "default",
                                                 "delete",
                                                 "do",
                                                 "double",
                                                 "dynamic_cast",
                                                 "else",
                                                 "enum",
                                                 "errno",
                                                 "explicit",
                                                 "export",
                                                 "extern",
                                                 "false",
                                                 "float",
                                                 "for",
                                                 "friend",
                                                 "goto",
                                                 "if",
                                                 "inline",
                                                 "int",
                                                 "linux",
                                                 "long",
                                                 "mutable",
                                                 "namespace",
                                                 "new",
                                                 "noexcept",
                                                 "not",
                                                 "not_eq",
                                                 "nullptr",
                                                 "operator",
                                                 "or",
                                                 "or_eq",
                                                 "private",
                                                 "protected",
                                                 "public",
                                                 "register",
                                                 "reinterpret_cast",
                                                 "requires",
                                                 "return",
                                                 "short",
                                                 "signed",
                                                 "sizeof",
                                                 "static",
                                                 "static_assert",
                                                 "static_cast",
                                                 "struct",
                                                 "switch",
                                                 "template",
                                                 "this",
                                                 "thread_local",
                                                 "throw",
                                                 "true",
                                                 "try",
                                                 "typedef",
                                                 "typeid",
                                                 "typename",
                                                 "union",
                                                 "unix",
                                                 "unsigned",
                                                 "using",
                                                 "virtual",
                                                 "void",
                                                 "volatile",
                                                 "wchar_t",
                                                 "while",
                                                 "xor",
                                                 "xor_eq",
                                                 "EOF",
                                                 "NULL",
                                                 "i386",
                                                 "std"};
  while (reserved.contains(name) || taken.contains(name))
    name += '_';
  taken.insert(name);
  return name;
}

/// How the scalar is handed on: its value, or with the name of a type that C++ has no number for.
static std::string passed(const ContractParam &p, const std::string &name) {
  if (p.isTensor)
    return name;
  if (p.elem == ScalarType::Bool || p.elem == ScalarType::F32 || p.elem == ScalarType::F64)
    return name + ".value";
  if (p.elem == ScalarType::Index)
    return "::phobos::index(" + name + ".value)";
  if (!isFloat(p.elem))
    return name + ".value";
  std::string upper;
  for (char c : phobos::name(p.elem))
    upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return "::phobos::scalar(PHOBOS_" + upper + ", " + name + ".value)";
}

static std::string shapeOf(const ContractParam &p, const Contract &c) {
  std::string s = "tensor<" + std::string(name(p.elem)) + ">[";
  for (size_t i = 0; i < p.extents.size(); ++i)
    s += (i ? ", " : "") + (p.extents[i].fixed ? std::to_string(p.extents[i].value)
                                               : c.dims[static_cast<size_t>(p.extents[i].value)]);
  return s + "]";
}

std::string bundleAsHeader(const Bundle &bundle, const std::string &fileName) {
  // What the struct and its functions need for themselves is taken.
  std::set<std::string> spaces, kernels{"phobos", "kernel", "of", "launch", "prepare", "module", "found"};
  const std::string nameSpace = cppName(fileName, spaces), guard = "PHOBOS_SIGNATURES_" + fileName;
  std::string out = "// Signatures of the kernels of one bundle (" + bundle.compilerBuild + ").\n#ifndef " +
                    guard + "\n#define " + guard + "\n#include <phobos/phobos.hpp>\n\nnamespace " +
                    nameSpace + " {\n";
  for (const std::string &kernel : bundle.kernels()) {
    const Contract *c = nullptr;
    for (const Variant &v : bundle.variants)
      if (!c && v.contract.kernel == kernel)
        c = &v.contract;
    const std::string type = cppName(kernel, kernels);
    std::set<std::string> taken{"kernel", "stream", "options", "phobos", type};
    std::string params, args, doc;
    for (const ContractParam &p : c->params) {
      const std::string name = cppName(p.name, taken);
      params +=
          ", " +
          (p.isTensor ? "const ::phobos::TensorView &" : "::phobos::Exactly<" + cppScalar(p.elem) + "> ") +
          name;
      args += ", " + passed(p, name);
      if (p.isTensor)
        doc += "  /// " + name + ": " + shapeOf(p, *c) +
               (p.isWritten ? p.isRead ? ", read and written" : ", written" : ", read") + "\n";
    }
    out += "\nstruct " + type + " {\n  ::phobos::Kernel kernel;\n\n" + "  static ::phobos::Result<" + type +
           "> of(const ::phobos::Module &module) {\n    auto found = module.kernel(\"" + kernel +
           "\");\n    return found ? ::phobos::Result<" + type + ">(" + type +
           "{found.value()}) : ::phobos::Result<" + type + ">(found.error());\n  }\n" + doc +
           "  ::phobos::Status launch(void *stream" + params +
           ", const ::phobos::LaunchOptions &options = {}) const {\n    return kernel.launchWith(options, "
           "stream" +
           args +
           ");\n  }\n  ::phobos::Result<::phobos::Prepared> prepare(const ::phobos::LaunchOptions &options" +
           params + ") const {\n    return kernel.prepare(options" + args + ");\n  }\n};\n";
  }
  return out + "\n} // namespace " + nameSpace + "\n\n#endif\n";
}

/// Text of a bundle, which is anybody's, for a terminal: on one line, and nothing that steers it.
static std::string plain(std::string s) {
  for (char &c : s)
    if (static_cast<unsigned char>(c) < ' ' || c == 127)
      c = ' ';
  return s;
}

/// When the entry serves a launch: `, where ..`; nothing where it always does.
static std::string predicatesOf(const EntryPoint &entry, const Contract &c) {
  using Kind = EntryPredicate::Kind;
  std::string out;
  for (const EntryPredicate &p : entry.predicates) {
    out += out.empty() ? ", where " : " and ";
    auto dim = [&] { return c.dims[static_cast<size_t>(p.dim)]; };
    switch (p.kind) {
    case Kind::Aligned16:
      out += "addresses and rows are multiples of 16 bytes";
      break;
    case Kind::NativeGrid:
      out += "y and z of the grid are below 65536";
      if (entry.parts > 1)
        out += ", x is at most " + std::to_string(((int64_t(1) << 31) - 1) / entry.parts);
      break;
    case Kind::WholeTiles:
      out += dim() + " is a multiple of " + std::to_string(p.value);
      break;
    case Kind::ExtentBelow:
      out += dim() + " < " + std::to_string(p.value);
      break;
    case Kind::StridesBelow:
      out += "rows are less than " + std::to_string(p.value) + " bytes apart";
      break;
    case Kind::DenseStrides:
      out += c.params[static_cast<size_t>(p.param)].name + " is dense";
      break;
    }
  }
  return out;
}

std::string describeBundle(const Bundle &bundle) {
  static const char *const formats[] = {"PTX", "cubin", "ELF object"};
  std::string out =
      "written by " + plain(bundle.compilerBuild) + "\nsource     sha256 " + plain(bundle.sourceHash) + "\n";
  for (const Variant &v : bundle.variants) {
    const Contract &c = v.contract;
    out += "\nkernel " + c.kernel + " for " + plain(v.target) +
           (v.cpu.empty() ? "" : " (" + plain(v.cpu) + ")") + "\n";
    std::string point;
    for (const auto &[n, value] : v.point)
      point += " " + n + "=" + std::to_string(value);
    if (!point.empty())
      out += "  point  " + point + "\n";
    if (v.hasServes)
      out += "  serves  " + plain(v.servesText) + "\n";
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
      out += "  require " + plain(r.text) + (r.reason.empty() ? "" : " (" + plain(r.reason) + ")") + "\n";
    for (const CodeImage &i : v.images)
      out += "  code    " + std::string(formats[static_cast<size_t>(i.format)]) + ", " +
             std::to_string(i.bytes.size()) + " bytes\n";
    for (const EntryPoint &e : v.entries)
      out += "  entry   " + plain(e.symbol) + ", " + std::to_string(e.threads) + " threads, " +
             std::to_string(e.sharedBytes) + " bytes shared, " + std::to_string(e.scratchBytes) +
             " bytes scratch" +
             (e.parts > 1 ? ", " + std::to_string(e.parts) + " parts of k, " +
                                std::to_string(e.workspaceBytes) + " bytes of workspace a block"
                          : "") +
             predicatesOf(e, c) + "\n";
  }
  return out;
}

} // namespace phobos::driver
