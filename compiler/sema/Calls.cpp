// Calls: what a callee's name stands for, the arguments of built-ins, conversions T(x).
#include "compiler/sema/Checker.h"
#include <algorithm>

namespace phobos::sema {

/// A local or parameter hides what it is named like; then types, the file's functions, the stdlib's, the
/// built-ins.
Value Checker::checkCall(const ast::Expr &e) {
  SourceRange place = e.opRange.isValid() ? e.opRange : e.range;
  if (const Entity *entity = lookup(e.name)) {
    if (entity->kind != Entity::Kind::Poison)
      report(diag::NotAFunction, place, e.name, describe(*entity)).note(entity->range, "declared here");
    return Value::error();
  }
  if (auto it = frame().types.find(e.name); it != frame().types.end())
    return checkTypeCall(e, it->second);
  if (auto tiers = functionsNamed(e.name); !tiers.empty()) {
    Value v = checkFunctionCall(e, tiers);
    out_->lostStores |= v.isError();
    return v;
  }
  if (auto t = scalarTypeNamed(e.name))
    return checkTypeCall(e, *t);
  if (const Builtin *b = findBuiltin(e.name))
    return checkBuiltin(*b, e);
  out_->lostStores = true;
  for (ast::ExprP a : e.args)
    if (a->kind != ast::Expr::Kind::List)
      check(a);
  if (std::find(file_.lostNames.begin(), file_.lostNames.end(), e.name) != file_.lostNames.end()) {
    failed_ = true;
    return Value::error();
  }
  reportUnknown(diag::UnknownFunction, e.name, place, callableNames());
  return Value::error();
}

Value Checker::checkTypeCall(const ast::Expr &e, ScalarType t) {
  if (e.args.size() != 1 || !e.keywords.empty()) {
    report(diag::ArgumentCount, e.range, e.name, "1 argument",
           std::to_string(e.args.size() + e.keywords.size()));
    return Value::error();
  }
  return convertTo(check(e.args[0]), t, e.range);
}

Value Checker::checkGeneric(const ast::Expr &e) {
  const Builtin *b = findBuiltin(e.name);
  SourceRange place = e.opRange.isValid() ? e.opRange : e.range;
  if (!b && functionsNamed(e.name).empty() && !scalarTypeNamed(e.name)) {
    reportUnknown(diag::UnknownFunction, e.name, place, callableNames());
    return Value::error();
  }
  if (!b || !b->takesType) {
    report(diag::TypeArgument, place, e.name, "takes no type in '<>'");
    return Value::error();
  }
  return checkBuiltin(*b, e);
}

static std::string countWords(const std::vector<Builtin::Parameter> &parameters) {
  size_t least = 0, most = 0;
  bool rest = false;
  for (const auto &p : parameters) {
    least += !p.isOptional;
    most += 1;
    rest |= p.isRest;
  }
  std::string s = rest            ? "at least " + std::to_string(least)
                  : least == most ? std::to_string(least)
                                  : std::to_string(least) + " to " + std::to_string(most);
  return s + (s == "1" ? " argument" : " arguments");
}

/// Positional and keyword arguments into one slot a parameter. A `..` parameter is left to the built-in: its
/// arguments are `source`'s.
bool Checker::bindArguments(BuiltinCall &call) {
  const auto parameters = call.builtin.parameters();
  const ast::Expr &e = call.source;
  bool rest = std::any_of(parameters.begin(), parameters.end(), [](const auto &p) { return p.isRest; });
  call.args.assign(parameters.size(), nullptr);
  auto wrongCount = [&] {
    report(diag::ArgumentCount, e.range, call.builtin.name, countWords(parameters),
           std::to_string(e.args.size() + e.keywords.size()))
        .help("it is " + signature(call.builtin));
    return false;
  };
  if (rest) {
    if (!e.keywords.empty()) {
      report(diag::UnknownKeyword, e.keywords[0].name.range, call.builtin.name, e.keywords[0].name.text);
      return false;
    }
    return e.args.size() >= parameters.size() || wrongCount();
  }
  size_t next = 0;
  for (ast::ExprP a : e.args) {
    while (next < parameters.size() && parameters[next].keywordOnly)
      ++next;
    if (next == parameters.size())
      return wrongCount();
    call.args[next++] = a;
  }
  for (const ast::Expr::Keyword &k : e.keywords) {
    auto it = std::find_if(parameters.begin(), parameters.end(),
                           [&](const auto &p) { return p.name == k.name.text; });
    if (it == parameters.end()) {
      report(diag::UnknownKeyword, k.name.range, call.builtin.name, k.name.text)
          .help("it is " + signature(call.builtin));
      return false;
    }
    ast::ExprP &slot = call.args[static_cast<size_t>(it - parameters.begin())];
    if (slot) {
      report(diag::ArgumentTwice, k.name.range, k.name.text);
      return false;
    }
    slot = k.value;
  }
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!call.args[i] && !parameters[i].isOptional)
      return wrongCount();
  return true;
}

std::optional<int64_t> Checker::constantArgument(ast::ExprP e, std::string_view what) {
  Expr *n = toIndex(check(e), what);
  if (!n)
    return std::nullopt;
  auto value = constant(n);
  if (!value)
    report(diag::NotConstant, e->range, what);
  return value;
}

/// An axis of a value of this rank; `otherwise` where it was left out.
std::optional<int> Checker::axisArgument(ast::ExprP e, unsigned rank, int otherwise) {
  if (!e)
    return otherwise;
  auto axis = constantArgument(e, "the axis");
  if (!axis)
    return std::nullopt;
  if (*axis < 0 || *axis >= static_cast<int64_t>(rank)) {
    report(diag::AxisOutOfRange, e->range, *axis, rank);
    return std::nullopt;
  }
  return static_cast<int>(*axis);
}

Value Checker::checkBuiltin(const Builtin &b, const ast::Expr &e) {
  if (b.takesType != e.typeArg.has_value()) {
    report(diag::TypeArgument, e.opRange.isValid() ? e.opRange : e.range, e.name,
           b.takesType ? "needs a type: " + signature(b) : "takes no type in '<>'");
    return Value::error();
  }
  BuiltinCall c{b, e, {}};
  if (!bindArguments(c))
    return Value::error();
  using I = BuiltinId;
  switch (b.id) {
  case I::exp:
  case I::exp2:
  case I::log:
  case I::log2:
  case I::sqrt:
  case I::rsqrt:
  case I::tanh:
  case I::sigmoid:
  case I::erf:
  case I::sin:
  case I::cos:
  case I::floor:
  case I::ceil:
  case I::round:
    return floatMath(c);
  case I::abs:
    return absolute(c);
  case I::pow:
    return power(c);
  case I::fma:
    return fusedMultiplyAdd(c);
  case I::max:
  case I::min:
    return c.args[1] ? extreme(c) : reducedWhole(c);
  case I::tmax:
  case I::tmin:
    return extreme(c);
  case I::where:
    return whereSelect(c);
  case I::clamp:
    return clampTo(c);
  case I::cdiv:
    return quotientUp(c);
  case I::transpose:
    return transposed(c);
  case I::iota:
    return coordinate(c);
  case I::zeros:
  case I::full:
    return filled(c);
  case I::flat:
    return flattened(c);
  case I::reshape:
    return reshaped(c);
  case I::broadcast:
    return broadcasted(c);
  case I::cat:
    return concatenated(c);
  case I::extent:
    return extentOf(c);
  case I::bitcast:
    return bitcasted(c);
  case I::rowsum:
  case I::rowmax:
  case I::rowmin:
  case I::rowprod:
  case I::colsum:
  case I::colmax:
  case I::colmin:
    return reduced(c);
  case I::rowargmax:
  case I::rowargmin:
    return argReduced(c);
  case I::sum:
    return reducedWhole(c);
  case I::cumsum:
  case I::cummax:
  case I::cumprod:
    return scanned(c);
  case I::tril:
  case I::triu:
    return triangle(c);
  case I::dot:
  case I::dot_t:
    return product(c);
  case I::load:
    return loaded(c);
  case I::store:
    return stored(c);
  case I::atomic_add:
  case I::atomic_max:
  case I::atomic_min:
  case I::atomic_cas:
    return atomic(c);
  case I::barrier:
    return barrier(c);
  case I::program_id:
    return programId(c);
  case I::rand:
    return random(c);
  }
  return Value::error();
}

} // namespace phobos::sema
