#include "kbench/tool/Subject.h"
#include <algorithm>

namespace phobos::kbench {
namespace {

class NameCollector {
public:
  std::vector<std::string> run(const ast::Kernel &kernel) {
    for (const ast::Attribute &a : kernel.attributes)
      if (a.name.text != "autotune" && a.name.text != "require")
        for (const ast::Attribute::Arg &arg : a.args) {
          if (arg.name)
            names_.push_back(arg.name->text);
          visit(arg.value);
        }
    for (const ast::Param &p : kernel.params)
      visit(p.type);
    visit(kernel.body);
    std::sort(names_.begin(), names_.end());
    names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
    return std::move(names_);
  }

private:
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
      names_.push_back(e->name);
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
  std::vector<std::string> names_;
};

} // namespace

std::vector<std::string> namesUsed(const ast::Kernel &kernel) { return NameCollector().run(kernel); }

} // namespace phobos::kbench
