#include "compiler/sema/Signature.h"
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

static bool checkType(const ast::TypeExpr &t, Diagnostics &diags) {
  bool ok = true;
  if (!scalarTypeNamed(t.elem.text) && !isTypeVariable(t.elem.text)) {
    auto b = diags.report(diag::UnknownType, t.elem.range, t.elem.text);
    if (auto near = nearest(t.elem.text, scalarTypeNames()))
      b.help("did you mean '" + *near + "'?");
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
