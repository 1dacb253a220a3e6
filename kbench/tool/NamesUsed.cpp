#include "kbench/tool/NamesUsed.h"
#include "compiler/sema/Space.h"
#include <algorithm>
#include <set>

namespace phobos::kbench {
namespace {

/// What stands in a piece of a tree, and in what it calls.
class Reading {
public:
  std::set<std::string> names, calls;
  bool usesThreads = false;

  void visit(const ast::Attribute &a) {
    for (const ast::Attribute::Arg &arg : a.args) {
      if (arg.name)
        names.insert(arg.name->text);
      visit(arg.value);
    }
  }
  void visit(const ast::TypeExpr &t) {
    for (ast::ExprP d : t.dims)
      visit(d);
  }
  void visit(const std::optional<ast::TypeExpr> &t) {
    if (t)
      visit(*t);
  }
  void visit(ast::ExprP e) {
    if (!e)
      return;
    if (e->kind == ast::Expr::Kind::Name)
      names.insert(e->name);
    if (e->kind == ast::Expr::Kind::Call)
      calls.insert(e->name);
    if (e->kind == ast::Expr::Kind::Member && e->args[0]->kind == ast::Expr::Kind::Name &&
        e->args[0]->name == "ctx" && e->name != "block" && e->name != "grid")
      usesThreads = true;
    for (ast::ExprP a : e->args)
      visit(a);
    for (const ast::Expr::Keyword &k : e->keywords)
      visit(k.value);
    for (const ast::Subscript &s : e->subscripts)
      visit(s.first), visit(s.second);
    visit(e->typeArg);
  }
  void visit(const ast::Block &block) {
    for (ast::StmtP s : block.statements) {
      visit(s->type);
      for (ast::ExprP e : {s->target, s->value, s->unroll})
        visit(e);
      for (ast::ExprP e : s->rangeArgs)
        visit(e);
      visit(s->body);
      visit(s->orElse);
    }
  }
};

/// The attributes that every target looks at, and those that only one with threads and copies of its own
/// does.
bool isLookedAt(const std::string &attribute, const Target &target) {
  return attribute == "grid" || attribute == "aligned" || attribute == "tensorcore" ||
         (!target.runsInLockStep && (attribute == "launch" || attribute == "pipeline"));
}

} // namespace

NamesUsed::NamesUsed(const driver::LoadedFile &loaded, const ast::Kernel &kernel, const Target &target)
    : target_(target) {
  Reading walk;
  for (const ast::Param &p : kernel.params)
    walk.visit(p.type);
  walk.visit(kernel.body);
  // Names of a function are its own; what it calls and where it runs count.
  std::set<std::string> seen;
  while (seen != walk.calls) {
    const std::set<std::string> before = walk.calls;
    for (const auto *file : {loaded.file.get(), loaded.stdlib.get()})
      for (size_t f = 0; file && f < file->functions.size(); ++f) {
        const ast::Function &function = *file->functions[f];
        if (!before.count(function.name.text) || seen.count(function.name.text))
          continue;
        Reading body;
        body.visit(function.body);
        walk.calls.merge(body.calls);
        walk.usesThreads |= body.usesThreads;
      }
    seen = before;
  }
  usesThreads_ = walk.usesThreads;
  products_ = sema::productsOf(*loaded.file, kernel, loaded.stdlib.get());
  for (const ast::Attribute &a : kernel.attributes)
    if (isLookedAt(a.name.text, target))
      walk.visit(a);
    else if (a.name.text == "launch" && usesThreads_ && !a.args.empty())
      walk.visit(a.args[0].value);
  Reading others;
  for (const ast::Attribute &a : kernel.attributes)
    if (a.name.text != "autotune" && a.name.text != "require" && !isLookedAt(a.name.text, target))
      others.visit(a);
  notLookedAt_ = std::move(others.names);
  names_.assign(walk.names.begin(), walk.names.end());
}

bool NamesUsed::isIgnored(const std::string &name) const {
  if (std::binary_search(names_.begin(), names_.end(), name))
    return false;
  if (!sema::isGemmName(name)) // one that nothing at all uses is warned of, not left out
    return notLookedAt_.count(name) > 0;
  if (name == "THREADS")
    return target_.runsInLockStep && !usesThreads_;
  const bool isBlockTile = name == "TILE_M" || name == "TILE_N" || name == "TILE_K";
  return !products_.giveMeaningTo(name) || (target_.runsInLockStep && !isBlockTile);
}

} // namespace phobos::kbench
