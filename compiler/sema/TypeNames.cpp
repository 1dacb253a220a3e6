// Types as written, and shapes.
#include "compiler/sema/Checker.h"
#include "compiler/sema/Signature.h"

namespace phobos::sema {

std::optional<ScalarType> Checker::scalarType(const ast::Name &name) {
  if (auto it = frame().types.find(name.text); it != frame().types.end())
    return it->second;
  if (auto t = scalarTypeNamed(name.text))
    return t;
  reportUnknown(diag::UnknownType, name.text, name.range, scalarTypeNames());
  return std::nullopt;
}

/// A constant extent or length; `notConstant` is reported with the expression's text where it is none.
std::optional<int64_t> Checker::extent(ast::ExprP e, diag notConstant) {
  Expr *n = toIndex(check(e), "an extent");
  if (!n)
    return std::nullopt;
  auto value = constant(n);
  if (!value) {
    report(notConstant, e->range, ast::str(e))
        .help("a tile's shape is constant: use a number or a name declared by @autotune");
    return std::nullopt;
  }
  if (*value < 1) {
    report(diag::BadExtent, e->range, *value);
    return std::nullopt;
  }
  return value;
}

bool Checker::checkTileSize(const Type &t, SourceRange range) {
  int64_t elements = 1;
  for (int64_t e : t.shape)
    if (__builtin_mul_overflow(elements, e, &elements) || elements > limits::kTileElements) {
      report(diag::TileTooLarge, range, str(t), limits::kTileElements);
      return false;
    }
  return true;
}

/// `f32` or `tile<f32>[R, C]`: the types of variables.
std::optional<Type> Checker::valueType(const ast::TypeExpr &t) {
  auto elem = scalarType(t.elem);
  if (t.kind == ast::TypeExpr::Kind::Tensor) {
    report(diag::MisplacedType, t.range, "a tensor", "a value")
        .help("only parameters are tensors; a slice of one is a tile");
    return std::nullopt;
  }
  if (t.kind == ast::TypeExpr::Kind::Scalar)
    return elem ? std::optional(Type::scalar(*elem)) : std::nullopt;
  if (t.dims.empty())
    return std::nullopt; // reported where it was read
  if (t.dims.size() > 2) {
    report(diag::TileRank, t.range, t.dims.size());
    return std::nullopt;
  }
  std::vector<int64_t> shape;
  for (ast::ExprP d : t.dims)
    if (auto n = extent(d, diag::ExtentNotConstant))
      shape.push_back(*n);
  if (!elem || shape.size() != t.dims.size())
    return std::nullopt;
  Type type = Type::tile(*elem, std::move(shape));
  return checkTileSize(type, t.range) ? std::optional(type) : std::nullopt;
}

/// `[R, C]` as an argument of a built-in.
std::optional<std::vector<int64_t>> Checker::shapeList(ast::ExprP list, std::string_view what) {
  if (list->kind != ast::Expr::Kind::List) {
    report(diag::ShapeExpected, list->range, what).help("write " + std::string(what) + "(.., [R, C])");
    return std::nullopt;
  }
  if (list->args.empty() || list->args.size() > 2) {
    report(diag::TileRank, list->range, list->args.size());
    return std::nullopt;
  }
  std::vector<int64_t> shape;
  for (ast::ExprP e : list->args)
    if (auto n = extent(e, diag::ExtentNotConstant))
      shape.push_back(*n);
  if (shape.size() != list->args.size() || !checkTileSize(Type::tile(ScalarType::F32, shape), list->range))
    return std::nullopt;
  return shape;
}

} // namespace phobos::sema
