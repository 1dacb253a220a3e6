#include "compiler/sema/Unused.h"
#include <algorithm>
#include <map>
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

bool mentionsAny(ast::ExprP e, const Names &calls, const Names &variables) {
  Mentioned m;
  m.expr(e);
  auto areIn = [](const Names &of) { return [&of](const std::string &n) { return of.count(n) != 0; }; };
  return std::any_of(m.calls.begin(), m.calls.end(), areIn(calls)) ||
         std::any_of(m.names.begin(), m.names.end(), areIn(variables));
}

/// What one body (a kernel's, a function's) does with products, told from its text: names stand for all that
/// is declared by them in the body, whichever is meant. Where in doubt it holds a contraction.
class ProductText {
public:
  ProductText(const ast::Block &body, const Names &callees) : body_(body), callees_(callees) {
    for (bool grew = true; grew;)
      grew = collect(body);
  }

  /// `acc += ..dot..` or `acc = acc + ..dot..` inside a loop: what may be recognised as a contraction
  /// (docs/contractions.md).
  bool mayContract() const { return mayContract(body_, false); }

private:
  /// Notes what is declared, and the variables that products come to. False where there is nothing new.
  bool collect(const ast::Block &b) {
    bool grew = false;
    for (ast::StmtP s : b.statements) {
      const bool declares = s->kind == ast::Stmt::Kind::Let || s->kind == ast::Stmt::Kind::Var;
      const bool assigns = s->kind == ast::Stmt::Kind::Assign && s->target->kind == ast::Expr::Kind::Name;
      if (declares)
        grew |= initials_[s->name.text].insert(s->value).second;
      if ((declares || assigns) && mentionsAny(s->value, callees_, products_))
        grew |= products_.insert(declares ? s->name.text : s->target->name).second;
      grew |= collect(s->body);
      grew |= collect(s->orElse);
    }
    return grew;
  }

  /// Whether the value is a sum of which the variable itself is a term, perhaps converted or under another
  /// name, or what a function with products makes of it.
  bool isSumWith(ast::ExprP e, const std::string &variable, Names &seen) const {
    auto isSum = [&](ast::ExprP a) { return a && isSumWith(a, variable, seen); };
    switch (e->kind) {
    case ast::Expr::Kind::Name: {
      if (e->name == variable)
        return true;
      const auto declared = initials_.find(e->name);
      return declared != initials_.end() && seen.insert(e->name).second &&
             std::any_of(declared->second.begin(), declared->second.end(), isSum);
    }
    case ast::Expr::Kind::Binary:
      return e->binaryOp == ast::BinaryOp::Add && (isSum(e->args[0]) || isSum(e->args[1]));
    case ast::Expr::Kind::Call:
      return (e->args.size() == 1 || callees_.count(e->name)) &&
             std::any_of(e->args.begin(), e->args.end(), isSum);
    default:
      return false;
    }
  }

  bool addsProduct(const ast::Stmt &s) const {
    if (s.kind != ast::Stmt::Kind::Assign || s.target->kind != ast::Expr::Kind::Name ||
        !mentionsAny(s.value, callees_, products_))
      return false;
    Names seen;
    return s.compound ? *s.compound == ast::BinaryOp::Add : isSumWith(s.value, s.target->name, seen);
  }

  /// A sum that is changed in another way too, as where it is scaled first, is no contraction.
  bool isOnlyAddedTo(const ast::Block &loop, const std::string &variable) const {
    return std::all_of(loop.statements.begin(), loop.statements.end(), [&](ast::StmtP s) {
      return s->kind != ast::Stmt::Kind::Assign || s->target->kind != ast::Expr::Kind::Name ||
             s->target->name != variable || addsProduct(*s);
    });
  }

  bool mayContract(const ast::Block &b, bool inLoop) const {
    return std::any_of(b.statements.begin(), b.statements.end(), [&](ast::StmtP s) {
      const bool loop = s->kind == ast::Stmt::Kind::For || s->kind == ast::Stmt::Kind::While;
      return mayContract(s->body, inLoop || loop) || mayContract(s->orElse, inLoop) ||
             (inLoop && addsProduct(*s) && isOnlyAddedTo(b, s->target->name));
    });
  }

  const ast::Block &body_;
  const Names &callees_;                                              ///< functions with products
  std::map<std::string, std::set<ast::ExprP>, std::less<>> initials_; ///< what is declared by a name
  Names products_;                                                    ///< variables that products come to
};

/// Whether the body, or that of a function that it comes to call, may hold a contraction.
bool mayContract(const ast::Block &body, const ast::File &file, const ast::File *stdlib, const Names &callees,
                 Names &seen) {
  if (ProductText(body, callees).mayContract())
    return true;
  Mentioned m;
  m.block(body);
  for (const ast::File *f : {&file, stdlib})
    if (f)
      for (const auto &function : f->functions)
        if (const std::string &name = function->name.text;
            m.calls.count(name) && callees.count(name) && seen.insert(name).second &&
            mayContract(function->body, file, stdlib, callees, seen))
          return true;
  return false;
}

} // namespace

Products productsOf(const ast::File &file, const ast::Kernel &kernel, const ast::File *stdlib) {
  Mentioned used;
  used.block(kernel.body);
  const Names callees = functionsWithProducts(file, stdlib);
  Names seen;
  return {std::any_of(used.calls.begin(), used.calls.end(),
                      [&](const std::string &c) { return callees.count(c) != 0; }),
          mayContract(kernel.body, file, stdlib, callees, seen)};
}

void checkOverrides(const ast::File &file, const ast::Kernel &kernel, const ast::File *stdlib,
                    const Point &point, const Space &space, Diagnostics &diags) {
  std::optional<Products> products;
  for (const auto &[name, value] : point.entries()) {
    if (space.find(name) || !isGemmName(name))
      continue;
    if (!products)
      products = productsOf(file, kernel, stdlib);
    if (!products->giveMeaningTo(name))
      diags.report(diag::OverrideUndeclared, kernel.signature, name, declaredNames(space))
          .help(products->any ? "'" + name +
                                    "' has a meaning only for a contraction, which 'phobos-compile "
                                    "--explain' does not find here"
                              : "'" + name + "' has a meaning only beside a 'dot'");
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
  std::optional<Products> products;
  for (const ast::Attribute &a : kernel.attributes) {
    if (a.name.text != "autotune")
      continue;
    for (const ast::Attribute::Choice &c : a.choices) {
      const std::string &name = c.name.text;
      if (used.names.count(name) || name == "THREADS")
        continue;
      if (isGemmName(name)) {
        if (!products)
          products = productsOf(file, kernel, stdlib);
        if (products->giveMeaningTo(name))
          continue;
      }
      diags.report(diag::UnusedName, c.range, name)
          .help("remove it: every choice compiles to the same kernel");
    }
  }
}

} // namespace phobos::sema
