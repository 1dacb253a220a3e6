// Which function a call means: type and dimension names are inferred from the arguments, the most specific
// signature wins.
#include "compiler/sema/Checker.h"
#include "compiler/sema/Signature.h"
#include <algorithm>

namespace phobos::sema {

using TypeKind = ast::TypeExpr::Kind;

/// The costs of one parameter: what the conversion loses in closeness, and how general the signature is
/// there.
static constexpr int kConversionCost = 1000, kBroadcastCost = 500, kTypeVariableCost = 10, kDimensionCost = 1;

std::string Checker::describe(const Argument &a) {
  switch (a.value.kind) {
  case Value::Kind::Typed:
    return str(a.value.expr->type);
  case Value::Kind::Literal:
    return a.value.literal->isFloat ? "a float literal" : "an integer literal";
  case Value::Kind::Tensor: {
    const Param &p = out_->params[a.value.tensor];
    std::string s = "tensor<" + std::string(phobos::name(p.elem)) + ">[";
    for (size_t i = 0; i < p.extents.size(); ++i)
      s += (i ? ", " : "") +
           (p.extents[i].fixed ? std::to_string(*p.extents[i].fixed) : out_->dims[p.extents[i].dim]);
    return s + "]";
  }
  default:
    return "nothing";
  }
}

static bool sameExtent(const Extent &a, const Extent &b) {
  return a.fixed ? b.fixed && *a.fixed == *b.fixed : !b.fixed && a.dim == b.dim;
}

static std::string extentText(const Extent &e, const TypedKernel &kernel) {
  return e.fixed ? std::to_string(*e.fixed) : kernel.dims[e.dim];
}

/// Binds the dimension names of one parameter. Tiles with an extent of 1 wait for the others (`ones`): they
/// broadcast.
bool Checker::bindExtents(const ast::Param &p, const Argument &a, Candidate &c, bool ones, std::string &why) {
  std::vector<Extent> extents;
  bool isTensor = a.value.kind == Value::Kind::Tensor;
  if (isTensor)
    extents = out_->params[a.value.tensor].extents;
  else if (a.value.isTyped())
    for (int64_t n : a.value.expr->type.shape)
      extents.push_back({n, 0});
  for (size_t i = 0; i < extents.size(); ++i) {
    if (p.type.dims[i]->kind != ast::Expr::Kind::Name)
      continue; // judged when the parameter's type is known
    bool isOne = !isTensor && *extents[i].fixed == 1;
    if (isOne != ones)
      continue;
    auto [it, fresh] = c.dims.try_emplace(p.type.dims[i]->name, extents[i]);
    if (fresh || isOne || sameExtent(it->second, extents[i]))
      continue;
    why = "'" + p.type.dims[i]->name + "' would be " + extentText(it->second, *out_) + " and " +
          extentText(extents[i], *out_);
    return false;
  }
  return true;
}

/// Rank and kind of each argument, and the type variables: one name is one type.
bool Checker::bindTypes(const ast::Function &f, const std::vector<Argument> &args, Candidate &c,
                        std::string &why) {
  std::map<std::string, bool, std::less<>>
      literals; ///< variables that only literals name, and whether one is a float
  for (size_t i = 0; i < args.size(); ++i) {
    const ast::TypeExpr &t = f.params[i].type;
    const Value &v = args[i].value;
    bool tensor = v.kind == Value::Kind::Tensor;
    unsigned rank = tensor        ? static_cast<unsigned>(out_->params[v.tensor].extents.size())
                    : v.isTyped() ? v.expr->type.rank()
                                  : 0;
    bool fits = t.kind == TypeKind::Tensor   ? tensor && rank == t.dims.size()
                : t.kind == TypeKind::Scalar ? !tensor && rank == 0
                                             : !tensor && (rank == 0 || rank == t.dims.size());
    if (!fits) {
      why = "'" + f.params[i].name.text + "' cannot be " + describe(args[i]);
      return false;
    }
    if (!isTypeVariable(t.elem.text) || scalarTypeNamed(t.elem.text))
      continue;
    if (v.isLiteral()) {
      literals[t.elem.text] |= v.literal->isFloat;
      continue;
    }
    ScalarType elem = tensor ? out_->params[v.tensor].elem : v.expr->type.elem;
    auto [it, fresh] = c.types.try_emplace(t.elem.text, elem);
    if (it->second != elem) {
      why = "'" + t.elem.text + "' would be " + std::string(phobos::name(it->second)) + " and " +
            std::string(phobos::name(elem));
      return false;
    }
  }
  for (const auto &[name, isFloating] : literals)
    c.types.try_emplace(name, isFloating ? ScalarType::F32 : ScalarType::I32);
  return true;
}

/// The extents of a parameter's type with the names bound; nullopt where one is unknown or a runtime value.
std::optional<std::vector<Extent>> Checker::boundExtents(const ast::Param &p, const Candidate &c) {
  std::vector<Extent> extents;
  auto constantDim = [&](std::string_view name) -> std::optional<int64_t> {
    auto it = c.dims.find(name);
    return it == c.dims.end() ? std::nullopt : it->second.fixed;
  };
  for (ast::ExprP d : p.type.dims) {
    if (d->kind == ast::Expr::Kind::Name) {
      auto it = c.dims.find(d->name);
      if (it == c.dims.end())
        return std::nullopt;
      extents.push_back(it->second);
      continue;
    }
    auto n = evaluateConstant(d, constantDim);
    if (!n || *n < 1)
      return std::nullopt;
    extents.push_back({n, 0});
  }
  return extents;
}

/// Whether the argument fits the parameter once all names are bound, and at what cost.
bool Checker::matchArgument(const ast::Param &p, const Argument &a, Candidate &c, std::string &why) {
  const Value &v = a.value;
  auto variable = c.types.find(p.type.elem.text);
  auto elem = variable != c.types.end() ? std::optional(variable->second) : scalarTypeNamed(p.type.elem.text);
  int cost = variable != c.types.end() ? kTypeVariableCost : 0;
  auto extents = boundExtents(p, c);
  if (!elem || !extents) {
    why = "the type of '" + p.name.text + "' is not known from the arguments";
    return false;
  }
  for (ast::ExprP d : p.type.dims)
    cost += d->kind == ast::Expr::Kind::Name ? kDimensionCost : 0;
  std::string mismatch = "'" + p.name.text + "' cannot be " + describe(a);
  if (p.type.kind == TypeKind::Tensor) {
    const Param &tensor = out_->params[v.tensor];
    bool same = tensor.elem == *elem &&
                std::equal(extents->begin(), extents->end(), tensor.extents.begin(), sameExtent);
    why = mismatch;
    c.params.push_back(Type::none());
    c.cost.push_back(cost);
    return same;
  }
  Type type = Type::scalar(*elem);
  if (p.type.kind == TypeKind::Tile) {
    std::vector<int64_t> shape;
    for (const Extent &e : *extents) {
      if (!e.fixed) {
        why = mismatch;
        return false;
      }
      shape.push_back(*e.fixed);
    }
    type = Type::tile(*elem, shape);
  }
  if (v.isLiteral()) {
    bool natural = *elem == (v.literal->isFloat ? ScalarType::F32 : ScalarType::I32);
    bool fits = *elem != ScalarType::Bool && (isFloat(*elem) || !v.literal->isFloat);
    cost += natural ? 0 : isFloat(*elem) == v.literal->isFloat ? kConversionCost : 2 * kConversionCost;
    if (!fits) {
      why = mismatch;
      return false;
    }
  } else {
    Type from = v.expr->type;
    auto joined = joinShapes(from, type);
    if (!converts(from.elem, *elem) || !joined || (type.isTile() && *joined != type.shape) ||
        (type.isScalar() && from.isTile())) {
      why = mismatch;
      return false;
    }
    if (from.elem != *elem) // nearer types first
      cost += kConversionCost + static_cast<int>(bitWidth(*elem)) +
              (bitWidth(*elem) < bitWidth(from.elem) ? kConversionCost : 0);
  }
  if (type.isTile() && (!v.isTyped() || v.expr->type.shape != type.shape))
    cost += kBroadcastCost;
  c.params.push_back(type);
  c.cost.push_back(cost);
  return true;
}

std::optional<Checker::Candidate> Checker::match(const ast::Function &f, const std::vector<Argument> &args,
                                                 std::string &why) {
  Candidate c;
  c.function = &f;
  if (f.params.size() != args.size()) {
    why = "it takes " + std::to_string(f.params.size()) + (f.params.size() == 1 ? " argument" : " arguments");
    return std::nullopt;
  }
  if (!bindTypes(f, args, c, why))
    return std::nullopt;
  for (bool ones : {false, true})
    for (size_t i = 0; i < args.size(); ++i)
      if (!bindExtents(f.params[i], args[i], c, ones, why))
        return std::nullopt;
  for (size_t i = 0; i < args.size(); ++i)
    if (!matchArgument(f.params[i], args[i], c, why))
      return std::nullopt;
  return c;
}

/// `a` is at least as specific everywhere and more so somewhere.
static bool isMoreSpecific(const std::vector<int> &a, const std::vector<int> &b) {
  bool somewhere = false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i])
      return false;
    somewhere |= a[i] < b[i];
  }
  return somewhere;
}

bool Checker::fits(const Functions &functions, const std::vector<Argument> &args) {
  std::string why;
  return std::any_of(functions.begin(), functions.end(),
                     [&](const ast::Function *f) { return match(*f, args, why).has_value(); });
}

/// The candidate to call; null (reported) if none or several fit.
std::optional<Checker::Candidate> Checker::choose(const ast::Expr &call, const Functions &functions,
                                                  const std::vector<Argument> &args) {
  std::vector<Candidate> fitting;
  std::vector<std::pair<SourceRange, std::string>> reasons;
  for (const ast::Function *f : functions) {
    std::string why;
    if (auto c = match(*f, args, why))
      fitting.push_back(std::move(*c));
    else
      reasons.emplace_back(f->signature, why);
  }
  std::string given = "(";
  for (size_t i = 0; i < args.size(); ++i)
    given += (i ? ", " : "") + describe(args[i]);
  given += ")";
  if (fitting.empty()) {
    bool wrongCount = functions.size() == 1 && functions[0]->params.size() != args.size();
    std::string count = std::to_string(functions[0]->params.size());
    auto b = wrongCount ? report(diag::ArgumentCount, call.range, call.name,
                                 count + (count == "1" ? " argument" : " arguments"), args.size())
                        : report(diag::NoMatchingFunction, call.range, call.name, given);
    for (const auto &[range, why] : reasons)
      b.note(range, wrongCount ? "declared here" : why);
    return std::nullopt;
  }
  for (const Candidate &c : fitting) {
    auto beats = [&](const Candidate &o) { return &o == &c || isMoreSpecific(c.cost, o.cost); };
    if (std::all_of(fitting.begin(), fitting.end(), beats))
      return c;
  }
  auto b = report(diag::AmbiguousCall, call.range, call.name, given);
  for (const Candidate &c : fitting)
    b.note(c.function->signature, "this one fits");
  return std::nullopt;
}

} // namespace phobos::sema
