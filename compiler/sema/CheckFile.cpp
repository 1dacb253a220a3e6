// What concerns a file as a whole: names declared twice, and functions that no kernel instantiates, judged as
// far as names, jumps and returns go (their types are known only at a call).
#include "compiler/sema/Builtins.h"
#include "compiler/sema/Check.h"
#include "compiler/sema/Returns.h"
#include "compiler/sema/Signature.h"
#include "compiler/support/ForeignWords.h"
#include "compiler/support/Suggest.h"
#include <algorithm>
#include <map>
#include <set>

namespace phobos::sema {
namespace {

/// A signature with its names numbered in order of appearance, so that two that differ in spelling alone are
/// equal.
std::string canonicalSignature(const ast::Function &f) {
  std::map<std::string, size_t> numbers;
  auto number = [&](const std::string &name) {
    return "#" + std::to_string(numbers.try_emplace(name, numbers.size()).first->second);
  };
  std::string s = f.name.text;
  for (const ast::Param &p : f.params) {
    s += ",";
    s += p.type.kind == ast::TypeExpr::Kind::Tile     ? "tile"
         : p.type.kind == ast::TypeExpr::Kind::Tensor ? "tensor"
                                                      : "";
    s += isTypeVariable(p.type.elem.text) ? number(p.type.elem.text) : p.type.elem.text;
    for (ast::ExprP d : p.type.dims)
      s += "[" + (d->kind == ast::Expr::Kind::Name ? number(d->name) : ast::str(d)) + "]";
  }
  return s;
}

/// Walks a function that nothing calls.
class NameCheck {
public:
  NameCheck(const ast::File &file, const ast::File *stdlib, Diagnostics &diags)
      : file_(file), stdlib_(stdlib), diags_(diags) {}

  void run(const ast::Function &f) {
    scopes_.assign(1, {});
    reported_.clear();
    for (const ast::Param &p : f.params) {
      typeName(p.type, true);
      for (ast::ExprP d : p.type.dims)
        if (d->kind == ast::Expr::Kind::Name)
          scopes_.back().insert(d->name);
    }
    for (const ast::Param &p : f.params)
      scopes_.back().insert(p.name.text);
    for (const ast::Name &n : f.lostNames)
      scopes_.back().insert(n.text);
    if (f.result)
      type(*f.result);
    block(f.body);
    if (f.result && !alwaysReturns(f.body))
      reportMissingReturn(f, diags_);
  }

private:
  bool isVisible(const std::string &name) const {
    for (const auto &scope : scopes_)
      if (scope.count(name))
        return true;
    return false;
  }

  bool isFunction(const std::string &name) const {
    for (const ast::File *file : {&file_, stdlib_})
      if (file)
        for (const auto &f : file->functions)
          if (f->name.text == name)
            return true;
    const auto &lost = file_.lostNames;
    if (std::find(lost.begin(), lost.end(), name) != lost.end())
      return true;
    return findBuiltin(name) != nullptr;
  }

  std::vector<std::string> functionNames() const {
    std::vector<std::string> names;
    for (const ast::File *file : {&file_, stdlib_})
      if (file)
        for (const auto &f : file->functions)
          names.push_back(f->name.text);
    for (const Builtin &b : builtins())
      names.emplace_back(b.name);
    return names;
  }

  void unknown(diag id, const std::string &name, SourceRange range,
               const std::vector<std::string> &candidates) {
    if (!reported_.insert(name).second)
      return;
    auto b = diags_.report(id, range, name);
    if (const char *foreign = id == diag::UnknownFunction ? foreignCall(name) : nullptr) {
      b.help(foreign);
    } else if (id == diag::UnknownType) {
      if (const std::string help = unknownTypeHelp(name); !help.empty())
        b.help(help);
    } else if (auto near = nearest(name, candidates)) {
      b.help("did you mean '" + *near + "'?");
    }
  }

  void typeName(const ast::TypeExpr &t, bool declares) {
    if (isTypeVariable(t.elem.text) && declares)
      scopes_.back().insert(t.elem.text);
    if (scalarTypeNamed(t.elem.text) || (isTypeVariable(t.elem.text) && isVisible(t.elem.text)))
      return;
    unknown(diag::UnknownType, t.elem.text, t.elem.range, scalarTypeNames());
  }

  void type(const ast::TypeExpr &t) {
    typeName(t, false);
    for (ast::ExprP d : t.dims)
      expr(d);
  }

  void block(const ast::Block &b) {
    std::set<std::string> declared;
    scopes_.emplace_back();
    for (ast::StmtP s : b.statements)
      statement(*s, declared);
    scopes_.pop_back();
  }

  void statement(const ast::Stmt &s, std::set<std::string> &declared) {
    using K = ast::Stmt::Kind;
    for (ast::ExprP e : {s.target, s.value, s.unroll})
      if (e)
        expr(e);
    for (ast::ExprP e : s.rangeArgs)
      expr(e);
    if (s.type)
      type(*s.type);
    bool loop = s.kind == K::For || s.kind == K::While;
    if (s.kind == K::Let || s.kind == K::Var || (s.kind == K::Broken && !s.name.text.empty())) {
      if (!declared.insert(s.name.text).second)
        diags_.report(diag::DeclaredTwice, s.name.range, s.name.text);
      scopes_.back().insert(s.name.text);
    }
    if ((s.kind == K::Break || s.kind == K::Continue) && loops_ == 0)
      diags_.report(diag::OutsideLoop, s.range, s.kind == K::Break ? "break" : "continue");
    loops_ += loop;
    scopes_.emplace_back();
    if (s.kind == K::For)
      scopes_.back().insert(s.name.text);
    block(s.body);
    block(s.orElse);
    scopes_.pop_back();
    loops_ -= loop;
  }

  void expr(ast::ExprP e) {
    using K = ast::Expr::Kind;
    if (e->kind == K::Name && !isVisible(e->name) && e->name != "ctx" && !isFunction(e->name) &&
        !scalarTypeNamed(e->name)) {
      std::vector<std::string> names;
      for (const auto &scope : scopes_)
        names.insert(names.end(), scope.begin(), scope.end());
      unknown(diag::UnknownName, e->name, e->range, names);
    }
    if ((e->kind == K::Call || e->kind == K::Generic) && !isVisible(e->name) && !isFunction(e->name) &&
        !scalarTypeNamed(e->name))
      unknown(diag::UnknownFunction, e->name, e->opRange.isValid() ? e->opRange : e->range, functionNames());
    if (e->typeArg)
      type(*e->typeArg);
    for (ast::ExprP a : e->args)
      expr(a);
    for (const auto &k : e->keywords)
      expr(k.value);
    for (const ast::Subscript &s : e->subscripts)
      for (ast::ExprP x : {s.first, s.second})
        if (x)
          expr(x);
  }

  const ast::File &file_;
  const ast::File *stdlib_;
  Diagnostics &diags_;
  std::vector<std::set<std::string>> scopes_;
  std::set<std::string> reported_;
  unsigned loops_ = 0;
};

/// Names that calls in a block speak of.
void collectCalls(ast::ExprP e, std::set<std::string> &names) {
  if (e->kind == ast::Expr::Kind::Call)
    names.insert(e->name);
  for (ast::ExprP a : e->args)
    collectCalls(a, names);
  for (const auto &k : e->keywords)
    collectCalls(k.value, names);
  for (const ast::Subscript &s : e->subscripts)
    for (ast::ExprP x : {s.first, s.second})
      if (x)
        collectCalls(x, names);
}

void collectCalls(const ast::Block &b, std::set<std::string> &names) {
  for (ast::StmtP s : b.statements) {
    for (ast::ExprP e : {s->target, s->value, s->unroll})
      if (e)
        collectCalls(e, names);
    for (ast::ExprP e : s->rangeArgs)
      collectCalls(e, names);
    collectCalls(s->body, names);
    collectCalls(s->orElse, names);
  }
}

} // namespace

void checkFile(const ast::File &file, const ast::File *stdlib, Diagnostics &diags) {
  std::map<std::string, SourceRange> kernels, functions;
  for (const auto &k : file.kernels) {
    auto [it, fresh] = kernels.try_emplace(k->name.text, k->name.range);
    if (!fresh)
      diags.report(diag::DuplicateKernel, k->name.range, k->name.text)
          .note(it->second, "first declared here");
  }
  for (const auto &f : file.functions) {
    auto [it, fresh] = functions.try_emplace(canonicalSignature(*f), f->name.range);
    if (!fresh)
      diags.report(diag::FunctionTwice, f->name.range, f->name.text).note(it->second, "first declared here");
  }
  for (const auto &f : file.functions)
    checkSignature(*f, diags);
  // reached from a kernel by name: judged with types where it is called
  std::multimap<std::string, const ast::Function *> byName;
  for (const auto &f : file.functions)
    byName.emplace(f->name.text, f.get());
  std::set<std::string> reached, fresh;
  for (const auto &k : file.kernels)
    collectCalls(k->body, fresh);
  while (!fresh.empty()) {
    std::string name = *fresh.begin();
    fresh.erase(fresh.begin());
    auto [first, last] = byName.equal_range(name);
    if (!reached.insert(name).second)
      continue;
    for (auto it = first; it != last; ++it)
      collectCalls(it->second->body, fresh);
  }
  for (const auto &f : file.functions)
    if (!reached.count(f->name.text))
      NameCheck(file, stdlib, diags).run(*f);
  for (const auto &f : file.brokenFunctions)
    NameCheck(file, stdlib, diags).run(*f);
}

} // namespace phobos::sema
