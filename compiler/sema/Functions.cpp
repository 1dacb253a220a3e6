// Functions: found by name, instantiated at each call.
#include "compiler/sema/Checker.h"
#include "compiler/sema/Returns.h"
#include "compiler/sema/Signature.h"
#include <algorithm>

namespace phobos::sema {

/// The functions of a name, nearest first: the file's own hide those of the stdlib that take the same
/// arguments. The stdlib sees only itself, so that a user's function does not change what another one of the
/// stdlib means.
std::vector<Checker::Functions> Checker::functionsNamed(std::string_view name) {
  bool inStdlib = frame().function && frame().function->fromStdlib;
  std::vector<Functions> tiers;
  for (const ast::File *file : {inStdlib ? nullptr : &file_, stdlib_}) {
    Functions found;
    if (file)
      for (const auto &f : file->functions)
        if (f->name.text == name)
          found.push_back(f.get());
    if (!found.empty())
      tiers.push_back(std::move(found));
  }
  return tiers;
}

Value Checker::checkFunctionCall(const ast::Expr &e, const std::vector<Functions> &tiers) {
  const Builtin *builtin = findBuiltin(e.name);
  auto isList = [](ast::ExprP a) { return a->kind == ast::Expr::Kind::List; };
  if (builtin && (!e.keywords.empty() || std::any_of(e.args.begin(), e.args.end(), isList)))
    return checkBuiltin(*builtin, e); // no function takes these
  std::vector<Argument> args;
  bool ok = true;
  for (ast::ExprP a : e.args) {
    Value v = check(a);
    if (v.kind == Value::Kind::Nothing)
      ok &= needsValue(v);
    ok &= !v.isError();
    args.push_back({v, a});
  }
  if (!e.keywords.empty()) {
    report(diag::UnknownKeyword, e.keywords[0].name.range, e.name, e.keywords[0].name.text)
        .help("arguments of functions are given by position");
    return Value::error();
  }
  if (!ok)
    return Value::error();
  for (const Functions &functions : tiers)
    for (const ast::Function *f : functions)
      if (!checkSignature(*f, diags_)) {
        failed_ = true;
        return Value::error(); // what it takes is not known
      }
  std::optional<Candidate> chosen;
  for (const Functions &functions : tiers) {
    bool isLast = &functions == &tiers.back() && !builtin;
    if (chosen || !fits(functions, args)) {
      if (isLast && !chosen)
        choose(e, tiers.front(), args); // says why the nearest do not fit
      continue;
    }
    chosen = choose(e, functions, args);
    if (!chosen)
      return Value::error();
  }
  if (!chosen && builtin)
    return checkBuiltin(*builtin, e);
  if (!chosen || failedFunctions_.count(chosen->function))
    return Value::error();
  for (const Frame &f : frames_)
    if (f.function == chosen->function) {
      auto b = report(diag::Recursion, e.range, e.name);
      b.help("write a loop");
      return Value::error();
    }
  return instantiate(*chosen, args, e);
}

Value Checker::instantiate(const Candidate &c, const std::vector<Argument> &args, const ast::Expr &call) {
  const ast::Function &f = *c.function;
  if (++inlinedStatements_ > limits::kInlinedStatements) {
    if (!tooLarge_)
      report(diag::InlinedTooLarge, call.range, limits::kInlinedStatements);
    tooLarge_ = true;
    return Value::error();
  }
  // what is passed, in the caller's terms
  Expr *n = node(Op::Call, Type::none(), call.range);
  for (size_t i = 0; i < args.size(); ++i)
    if (args[i].value.kind != Value::Kind::Tensor) {
      Expr *value = coerce(args[i].value, c.params[i], Use::Pass, args[i].source->range);
      if (!value)
        return Value::error();
      n->args.push_back(value);
    }
  // the body, in the function's own
  auto inlined = std::make_shared<Inlined>();
  inlined->name = f.name.text;
  unsigned errorsBefore = errorCount();
  Frame inner;
  inner.function = &f;
  inner.call = call.range;
  inner.firstScope = scopes_.size();
  inner.types = c.types;
  frames_.push_back(std::move(inner));
  scopes_.emplace_back();
  for (const auto &[name, extent] : c.dims) {
    Entity entity;
    entity.kind = extent.fixed ? Entity::Kind::Constant : Entity::Kind::Dim;
    entity.value = extent.fixed.value_or(0);
    entity.dim = extent.dim;
    entity.range = f.signature;
    scopes_.back().emplace(name, entity);
  }
  for (size_t i = 0; i < args.size(); ++i) {
    Entity entity;
    entity.kind = Entity::Kind::Argument;
    if (args[i].value.kind == Value::Kind::Tensor) {
      entity.kind = Entity::Kind::Tensor;
      entity.param = args[i].value.tensor;
    } else {
      entity.var = newVar(f.params[i].name.text, c.params[i], f.params[i].name.range);
      inlined->params.push_back(entity.var);
    }
    if (c.types.count(f.params[i].name.text) || c.dims.count(f.params[i].name.text))
      report(diag::NameClash, f.params[i].name.range, f.params[i].name.text,
             "a type or a dimension of this function");
    else
      declare(f.params[i].name, entity);
  }
  if (f.result)
    frame().result = valueType(*f.result);
  const ast::Expr *outerCall = statementCall_;
  statementCall_ = nullptr;
  inlined->body = checkBlock(f.body);
  statementCall_ = outerCall;
  std::optional<Type> result = frame().result;
  scopes_.pop_back();
  frames_.pop_back();
  if (f.result && !alwaysReturns(f.body))
    reportMissingReturn(f, diags_);
  if (errorCount() != errorsBefore || tooLarge_ || (f.result && !result)) {
    failed_ |= !dead_;
    failedFunctions_.insert(&f);
    return Value::error();
  }
  n->type = result.value_or(Type::none());
  n->call = std::move(inlined);
  return Value::typed(n);
}

} // namespace phobos::sema
