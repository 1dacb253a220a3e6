#include "compiler/sema/Unused.h"
#include <algorithm>
#include <set>

namespace phobos::sema {

namespace {

using Names = std::set<std::string, std::less<>>;

/// Names and callees of a piece of syntax.
struct Mentioned {
  Names names, calls;

  void expr(ast::ExprP e) {
    if (!e)
      return;
    if (e->kind == ast::Expr::Kind::Name)
      names.insert(e->name);
    if (e->kind == ast::Expr::Kind::Call)
      calls.insert(e->name);
    for (ast::ExprP a : e->args)
      expr(a);
    for (const ast::Expr::Keyword &k : e->keywords)
      expr(k.value);
    for (const ast::Subscript &s : e->subscripts) {
      expr(s.first);
      expr(s.second);
    }
    if (e->typeArg)
      type(*e->typeArg);
  }

  void type(const ast::TypeExpr &t) {
    for (ast::ExprP d : t.dims)
      expr(d);
  }

  void block(const ast::Block &b) {
    for (ast::StmtP s : b.statements)
      statement(*s);
  }

  void statement(const ast::Stmt &s) {
    if (s.type)
      type(*s.type);
    for (ast::ExprP e : {s.target, s.value, s.unroll})
      expr(e);
    for (ast::ExprP e : s.rangeArgs)
      expr(e);
    block(s.body);
    block(s.orElse);
  }
};

/// Names of the functions whose bodies come to a product.
Names functionsWithProducts(const ast::File &file, const ast::File *stdlib) {
  std::vector<std::pair<std::string, Names>> functions;
  for (const ast::File *f : {&file, stdlib})
    if (f)
      for (const auto &function : f->functions) {
        Mentioned m;
        m.block(function->body);
        functions.emplace_back(function->name.text, std::move(m.calls));
      }
  Names out = {"dot", "dot_t"};
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto &[name, calls] : functions)
      for (const std::string &c : calls)
        grew |= out.count(c) && out.insert(name).second;
  }
  return out;
}

/// `acc += ..dot..` or `acc = ..acc.. + ..dot..` inside a loop.
bool accumulatesProduct(const ast::Block &b, const Names &products, bool inLoop) {
  for (ast::StmtP s : b.statements) {
    bool loop = s->kind == ast::Stmt::Kind::For || s->kind == ast::Stmt::Kind::While;
    if (accumulatesProduct(s->body, products, inLoop || loop) ||
        accumulatesProduct(s->orElse, products, inLoop))
      return true;
    if (!inLoop || s->kind != ast::Stmt::Kind::Assign || s->target->kind != ast::Expr::Kind::Name)
      continue;
    Mentioned m;
    m.expr(s->value);
    bool accumulates = s->compound ? *s->compound == ast::BinaryOp::Add : m.names.count(s->target->name) != 0;
    for (const std::string &c : m.calls)
      if (accumulates && products.count(c))
        return true;
  }
  return false;
}

} // namespace

void checkOverrides(const ast::File &file, const ast::Kernel &kernel, const ast::File *stdlib,
                    const Point &point, const Space &space, Diagnostics &diags) {
  std::optional<bool> hasProduct;
  for (const auto &[name, value] : point.entries()) {
    if (space.find(name) || !isGemmName(name))
      continue;
    if (!hasProduct) {
      Mentioned used;
      used.block(kernel.body);
      Names products = functionsWithProducts(file, stdlib);
      hasProduct = std::any_of(used.calls.begin(), used.calls.end(),
                               [&](const std::string &c) { return products.count(c) != 0; });
    }
    if (!*hasProduct)
      diags.report(diag::OverrideUndeclared, kernel.signature, name, declaredNames(space))
          .help("'" + name + "' has a meaning only beside a 'dot'");
  }
}

void warnUnusedNames(const ast::File &file, const ast::Kernel &kernel, const ast::File *stdlib,
                     Diagnostics &diags) {
  Mentioned used;
  used.block(kernel.body);
  for (const ast::Param &p : kernel.params)
    used.type(p.type);
  for (const ast::Attribute &a : kernel.attributes)
    for (const ast::Attribute::Arg &arg : a.args)
      used.expr(arg.value);
  std::optional<bool> contraction;
  for (const ast::Attribute &a : kernel.attributes) {
    if (a.name.text != "autotune")
      continue;
    for (const ast::Attribute::Choice &c : a.choices) {
      const std::string &name = c.name.text;
      if (used.names.count(name) || name == "THREADS" || name == "STAGES")
        continue;
      if (isGemmName(name)) {
        if (!contraction)
          contraction = accumulatesProduct(kernel.body, functionsWithProducts(file, stdlib), false);
        if (*contraction)
          continue;
      }
      diags.report(diag::UnusedName, c.range, name)
          .help("remove it: every choice compiles to the same kernel");
    }
  }
}

} // namespace phobos::sema
