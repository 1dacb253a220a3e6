#include "compiler/sema/Signature.h"
#include "compiler/support/ForeignWords.h"
#include "compiler/support/Suggest.h"
#include "runtime/contract/ScalarType.h"

namespace phobos::sema {

bool isTypeVariable(const std::string &name) { return name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z'; }

std::vector<std::string> scalarTypeNames() {
  std::vector<std::string> names;
  for (int t = 0; t <= static_cast<int>(ScalarType::F64); ++t)
    names.emplace_back(name(static_cast<ScalarType>(t)));
  return names;
}

/// `i`, `u` or `f` where a name is spelled as a type of a usual width: `i16`, `uint64_t`, `float128`. Else 0:
/// `f23` is a mistyped `f32`.
static char kindOfWidth(std::string_view name) {
  if (name.ends_with("_t"))
    name.remove_suffix(2);
  const size_t digits = name.find_first_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos ||
      name.find_first_not_of("0123456789", digits) != std::string_view::npos)
    return 0;
  const std::string_view kind = name.substr(0, digits), width = name.substr(digits);
  if (width != "4" && width != "8" && width != "16" && width != "32" && width != "64" && width != "128")
    return 0;
  const bool isKind = kind == "i" || kind == "int" || kind == "u" || kind == "uint" || kind == "f" ||
                      kind == "fp" || kind == "bf" || kind == "float" || kind == "bfloat";
  return !isKind ? char(0) : kind[0] == 'b' ? 'f' : kind[0];
}

std::string unknownTypeHelp(const std::string &name) {
  const char kind = foreignType(name).empty() ? kindOfWidth(name) : char(0);
  if (kind == 'f')
    return "the types of floats are f8e4m3, f8e5m2, f16, bf16, f32 and f64";
  if (kind)
    return "the types of integers are i8, i32, i64, u8, u32 and index";
  auto near = nearest(name, scalarTypeNames());
  return near ? "did you mean '" + *near + "'?" : "";
}

static bool checkType(const ast::TypeExpr &t, Diagnostics &diags) {
  bool ok = true;
  if (!scalarTypeNamed(t.elem.text) && !isTypeVariable(t.elem.text)) {
    auto b = diags.report(diag::UnknownType, t.elem.range, t.elem.text);
    if (const std::string help = unknownTypeHelp(t.elem.text); !help.empty())
      b.help(help);
    ok = false;
  }
  size_t rank = t.dims.size();
  if (t.kind != ast::TypeExpr::Kind::Scalar && rank == 0)
    return false; // reported where it was read
  if (t.kind == ast::TypeExpr::Kind::Tile && rank > 2) {
    diags.report(diag::TileRank, t.range, rank);
    ok = false;
  }
  if (t.kind == ast::TypeExpr::Kind::Tensor && rank > 5) {
    diags.report(diag::TensorRank, t.range, rank);
    ok = false;
  }
  return ok;
}

bool checkSignature(const ast::Function &f, Diagnostics &diags) {
  bool ok = true;
  for (const ast::Param &p : f.params)
    ok &= checkType(p.type, diags);
  if (f.result)
    ok &= checkType(*f.result, diags);
  return ok;
}

} // namespace phobos::sema
