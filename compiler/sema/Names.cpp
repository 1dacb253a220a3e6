// Scopes, look-up, and what to say about names that are not there.
#include "compiler/sema/Checker.h"
#include "compiler/sema/Signature.h"
#include "compiler/support/ForeignWords.h"
#include "compiler/support/Suggest.h"
#include <algorithm>

namespace phobos::sema {

void Checker::noteCalls(Diagnostics::Builder &b) {
  constexpr size_t kShown = 3;
  size_t shown = 0;
  for (size_t i = frames_.size(); i-- > 1 && shown < kShown; ++shown)
    b.note(frames_[i].call, "in this call of '" + frames_[i].function->name.text + "'");
}

/// Names are judged in branches that this point does not take too, and limits; types and shapes may fit where
/// they are taken.
bool Checker::concernsDeadCode(diag id) {
  std::string_view code = info(id).code;
  return code.starts_with("E03") || id == diag::NestingTooDeep || id == diag::TooManyNodes ||
         id == diag::InlinedTooLarge;
}

const Entity *Checker::lookup(std::string_view name) {
  size_t first = frames_.empty() ? 0 : frame().firstScope;
  for (size_t i = scopes_.size(); i-- > first;)
    if (auto it = scopes_[i].find(name); it != scopes_[i].end())
      return &it->second;
  return nullptr;
}

bool Checker::declare(const ast::Name &name, Entity entity) {
  entity.range = name.range;
  auto [it, fresh] = scopes_.back().try_emplace(name.text, entity);
  if (fresh)
    return true;
  if (it->second.kind == Entity::Kind::Poison) { // what the first one was is not known
    it->second = entity;
    return true;
  }
  report(diag::DeclaredTwice, name.range, name.text).note(it->second.range, "first declared here");
  return false;
}

void Checker::reportUnknown(diag id, std::string_view name, SourceRange range,
                            const std::vector<std::string> &candidates) {
  if (!reported_.insert(std::string(name)).second)
    return; // said once; more of the same helps nobody
  if (std::any_of(name.begin(), name.end(), [](char c) { return (c & 0x80) != 0; }))
    return; // the lexer has said that names are ASCII
  auto b = report(id, range, name);
  const char *foreign = id == diag::UnknownName       ? foreignValue(name)
                        : id == diag::UnknownFunction ? foreignCall(name)
                                                      : nullptr;
  const std::string type = id == diag::UnknownType ? unknownTypeHelp(std::string(name)) : "";
  if (foreign || !type.empty())
    b.help(foreign ? foreign : type);
  else if (auto near = nearest(name, candidates); near && id != diag::UnknownType)
    b.help("did you mean '" + *near + "'?");
}

std::vector<std::string> Checker::visibleNames() {
  std::vector<std::string> names;
  for (size_t i = scopes_.size(); i-- > frame().firstScope;)
    for (const auto &[name, entity] : scopes_[i])
      names.push_back(name);
  names.push_back("ctx");
  return names;
}

std::vector<std::string> Checker::callableNames() {
  std::vector<std::string> names;
  for (const auto &f : file_.functions)
    names.push_back(f->name.text);
  for (const Builtin &b : builtins())
    names.emplace_back(b.name);
  if (stdlib_)
    for (const auto &f : stdlib_->functions)
      names.push_back(f->name.text);
  for (std::string &t : scalarTypeNames())
    names.push_back(std::move(t));
  return names;
}

const char *Checker::describe(const Entity &e) {
  switch (e.kind) {
  case Entity::Kind::Let:
  case Entity::Kind::Var:
    return "a variable";
  case Entity::Kind::Counter:
    return "a loop counter";
  case Entity::Kind::Constant:
    return "a constant of the shape environment";
  case Entity::Kind::Dim:
    return "a dimension";
  case Entity::Kind::Argument:
  case Entity::Kind::Scalar:
    return "a parameter";
  case Entity::Kind::Tensor:
    return "a tensor";
  case Entity::Kind::Poison:
    return "a name in error";
  }
  return "a name";
}

Value Checker::checkName(const ast::Expr &e) {
  const Entity *entity = lookup(e.name);
  if (!entity) {
    const char *what = findBuiltin(e.name)               ? "a built-in function"
                       : !functionsNamed(e.name).empty() ? "a function"
                                                         : nullptr;
    if (!what && (scalarTypeNamed(e.name) || frame().types.count(e.name)))
      what = "a type";
    if (e.name == "ctx")
      report(diag::IncompleteName, e.range, "ctx")
          .help("write ctx.block.x, ctx.grid.x, ctx.thread, ctx.warp, ctx.lane or ctx.threads");
    else if (what)
      report(diag::FunctionAsValue, e.range, e.name, what);
    else
      reportUnknown(diag::UnknownName, e.name, e.range, visibleNames());
    return Value::error();
  }
  switch (entity->kind) {
  case Entity::Kind::Poison:
    return Value::error();
  case Entity::Kind::Constant:
    return Value::typed(intNode(entity->value, ScalarType::Index, e.range));
  case Entity::Kind::Dim: {
    Expr *n = node(Op::Dim, Type::scalar(ScalarType::Index), e.range);
    n->dim = entity->dim;
    return Value::typed(n);
  }
  case Entity::Kind::Scalar: {
    Expr *n = node(Op::Param, Type::scalar(out_->params[entity->param].elem), e.range);
    n->param = entity->param;
    return Value::typed(n);
  }
  case Entity::Kind::Tensor:
    return Value::wholeTensor(entity->param, e.range);
  case Entity::Kind::Let:
    if (entity->known) { // known when compiling: usable as a slice's length or an extent
      Expr *n = node(entity->known->op, entity->known->type, e.range);
      n->intValue = entity->known->intValue;
      return Value::typed(n);
    }
    break;
  case Entity::Kind::Var:
  case Entity::Kind::Counter:
  case Entity::Kind::Argument:
    break;
  }
  Expr *n = node(Op::Var, out_->vars[entity->var].type, e.range);
  n->var = entity->var;
  return Value::typed(n);
}

/// What stands for a member that arrays have in other languages.
static std::string memberHelp(const Value &value, const ast::Expr &base, const std::string &member) {
  const bool isArray = value.kind == Value::Kind::Tensor || (value.isTyped() && value.expr->type.isTile());
  const std::string array = base.kind == ast::Expr::Kind::Name ? base.name : "t";
  if (isArray && (member == "shape" || member == "size"))
    return "an extent is 'extent(" + array + ", 0)', or the dimension's name";
  if (isArray && member == "T")
    return value.isTyped() ? "write 'transpose(" + array + ")'" : "a slice is transposed: 'transpose(t)'";
  return "only ctx has members";
}

/// `ctx.block.x` and its kin: the only members there are.
Value Checker::checkMember(const ast::Expr &e) {
  static constexpr const char *kAxes = "xyz";
  auto isCtx = [&](const ast::Expr &x) {
    return x.kind == ast::Expr::Kind::Name && x.name == "ctx" && !lookup("ctx");
  };
  const ast::Expr &base = *e.args[0];
  SourceRange place = e.opRange.isValid() ? e.opRange : e.range;
  if (isCtx(base)) {
    static const std::vector<std::string> members = {"block", "grid", "thread", "warp", "lane", "threads"};
    auto it = std::find(members.begin(), members.end(), e.name);
    if (it == members.end()) {
      auto b = report(diag::UnknownMember, place, "ctx", e.name);
      if (auto near = nearest(e.name, members))
        b.help("did you mean '" + *near + "'?");
      return Value::error();
    }
    if (e.name == "block" || e.name == "grid") {
      report(diag::IncompleteName, e.range, "ctx." + e.name).help("write ctx." + e.name + ".x, .y or .z");
      return Value::error();
    }
    out_->usesThreads = true;
    if (e.name == "threads")
      return Value::typed(intNode(out_->threadCount(), ScalarType::Index, e.range));
    Op op = e.name == "thread" ? Op::ThreadId : e.name == "warp" ? Op::WarpId : Op::LaneId;
    return Value::typed(node(op, Type::scalar(ScalarType::Index), e.range));
  }
  if (base.kind == ast::Expr::Kind::Member && isCtx(*base.args[0]) &&
      (base.name == "block" || base.name == "grid")) {
    size_t axis = std::string_view(kAxes).find(e.name);
    if (e.name.size() != 1 || axis == std::string_view::npos) {
      report(diag::UnknownMember, place, "ctx." + base.name, e.name)
          .help("write ctx." + base.name + ".x, .y or .z");
      return Value::error();
    }
    Expr *n =
        node(base.name == "block" ? Op::BlockId : Op::GridDim, Type::scalar(ScalarType::Index), e.range);
    n->axis = static_cast<int>(axis);
    return Value::typed(n);
  }
  Value value = check(&base);
  if (!value.isError())
    report(diag::UnknownMember, place, "this value", e.name).help(memberHelp(value, base, e.name));
  return Value::error();
}

} // namespace phobos::sema
