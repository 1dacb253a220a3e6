#include "compiler/syntax/Ast.h"

namespace phobos::ast {

namespace {

const char *spelled(BinaryOp op) {
  switch (op) {
#define INTEGER_INFIX(NAME, TEXT)                                                                            \
  case BinaryOp::NAME:                                                                                       \
    return TEXT;
#include "runtime/contract/IntegerOps.def"
  }
  return "";
}

const char *spelled(UnaryOp op) {
  switch (op) {
#define INTEGER_PREFIX(NAME, TEXT)                                                                           \
  case UnaryOp::NAME:                                                                                        \
    return TEXT;
#include "runtime/contract/IntegerOps.def"
  }
  return "";
}

/// One statement a line; expressions parenthesized fully, or where they were written so.
class Dump {
public:
  explicit Dump(bool asWritten = false) : asWritten_(asWritten) {}
  std::string out;

  void kernel(const Kernel &k) {
    for (const Attribute &a : k.attributes)
      attribute(a);
    out += "kernel " + k.name.text;
    params(k.params);
    out += " ";
    block(k.body, 0);
    out += "\n";
  }

  void function(const Function &f) {
    out += "fn " + f.name.text;
    params(f.params);
    if (f.result) {
      out += " -> ";
      type(*f.result);
    }
    out += " ";
    block(f.body, 0);
    out += "\n";
  }

private:
  template <typename Items, typename Each> void list(const Items &items, Each each) {
    bool first = true;
    for (const auto &i : items) {
      out += first ? "" : ", ";
      first = false;
      each(i);
    }
  }

  void attribute(const Attribute &a) {
    out += "@" + a.name.text;
    if (a.hasParens) {
      out += "(";
      list(a.choices, [&](const Attribute::Choice &c) {
        out += c.name.text + " in [";
        list(c.values, [&](ExprP v) { expr(v); });
        out += "]";
      });
      out += a.choices.empty() || a.args.empty() ? "" : ", ";
      list(a.args, [&](const Attribute::Arg &arg) {
        out += arg.name ? arg.name->text + " = " : "";
        if (arg.value)
          expr(arg.value);
        else
          out += "\"" + arg.text.value_or("") + "\"";
      });
      out += ")";
    }
    out += "\n";
  }

  void params(const std::vector<Param> &params) {
    out += "(";
    list(params, [&](const Param &p) {
      out += p.name.text + ": ";
      type(p.type);
    });
    out += ")";
  }

  void type(const TypeExpr &t) {
    if (t.kind == TypeExpr::Kind::Scalar) {
      out += t.elem.text;
      return;
    }
    out += (t.kind == TypeExpr::Kind::Tile ? "tile<" : "tensor<") + t.elem.text + ">[";
    list(t.dims, [&](ExprP d) { expr(d); });
    out += "]";
  }

  void block(const Block &b, unsigned depth) {
    out += "{\n";
    for (StmtP s : b.statements) {
      out.append(2 * (depth + 1), ' ');
      statement(*s, depth + 1);
      out += "\n";
    }
    out.append(2 * depth, ' ');
    out += "}";
  }

  void statement(const Stmt &s, unsigned depth) {
    switch (s.kind) {
    case Stmt::Kind::Let:
    case Stmt::Kind::Var:
      out += (s.kind == Stmt::Kind::Let ? "let " : "var ") + s.name.text;
      if (s.type) {
        out += ": ";
        type(*s.type);
      }
      out += " = ";
      expr(s.value);
      break;
    case Stmt::Kind::Assign:
      expr(s.target);
      out += std::string(" ") + (s.compound ? spelled(*s.compound) : "") + "= ";
      expr(s.value);
      break;
    case Stmt::Kind::Expr:
      expr(s.value);
      break;
    case Stmt::Kind::If:
      out += "if ";
      expr(s.value);
      out += " ";
      block(s.body, depth);
      if (s.hasElse) {
        out += " else ";
        block(s.orElse, depth);
      }
      break;
    case Stmt::Kind::For:
      out += "for";
      if (s.unroll) {
        out += "<unroll ";
        expr(s.unroll);
        out += ">";
      }
      out += " " + s.name.text + " in range(";
      list(s.rangeArgs, [&](ExprP a) { expr(a); });
      out += ") ";
      block(s.body, depth);
      break;
    case Stmt::Kind::While:
      out += "while ";
      expr(s.value);
      out += " ";
      block(s.body, depth);
      break;
    case Stmt::Kind::Break:
      out += "break";
      break;
    case Stmt::Kind::Continue:
      out += "continue";
      break;
    case Stmt::Kind::Return:
      out += "return";
      if (s.value) {
        out += " ";
        expr(s.value);
      }
      break;
    case Stmt::Kind::Block:
      block(s.body, depth);
      break;
    case Stmt::Kind::Broken:
      out += "<broken>";
      break;
    }
  }

  void subscript(const Subscript &s) {
    if (s.first)
      expr(s.first);
    if (s.kind != Subscript::Kind::Point)
      out += std::string(s.first ? " " : "") + (s.kind == Subscript::Kind::Length ? ":+" : ":");
    if (s.second) {
      out += " ";
      expr(s.second);
    }
  }

  void callee(const Expr &e) {
    out += e.name;
    if (e.typeArg) {
      out += "<";
      type(*e.typeArg);
      out += ">";
    }
    out += "(";
    list(e.args, [&](ExprP a) { expr(a); });
    out += e.args.empty() || e.keywords.empty() ? "" : ", ";
    list(e.keywords, [&](const Expr::Keyword &k) {
      out += k.name.text + " = ";
      expr(k.value);
    });
    out += ")";
  }

public:
  void expr(ExprP p) {
    const Expr &e = *p;
    bool operation =
        e.kind == Expr::Kind::Unary || e.kind == Expr::Kind::Binary || e.kind == Expr::Kind::Conditional;
    bool parens = asWritten_ ? e.parenthesized : operation;
    out += parens ? "(" : "";
    bare(e);
    out += parens ? ")" : "";
  }

private:
  void bare(const Expr &e) {
    switch (e.kind) {
    case Expr::Kind::Int:
    case Expr::Kind::Float:
    case Expr::Kind::Name:
      out += e.name;
      break;
    case Expr::Kind::Bool:
      out += e.boolValue ? "true" : "false";
      break;
    case Expr::Kind::Unary:
      out += spelled(e.unaryOp);
      expr(e.args[0]);
      break;
    case Expr::Kind::Binary:
      expr(e.args[0]);
      out += std::string(" ") + spelled(e.binaryOp) + " ";
      expr(e.args[1]);
      break;
    case Expr::Kind::Conditional:
      expr(e.args[0]);
      out += " if ";
      expr(e.args[1]);
      out += " else ";
      expr(e.args[2]);
      break;
    case Expr::Kind::Call:
    case Expr::Kind::Generic:
      callee(e);
      break;
    case Expr::Kind::Index:
      expr(e.args[0]);
      out += "[";
      list(e.subscripts, [&](const Subscript &s) { subscript(s); });
      out += "]";
      break;
    case Expr::Kind::Member:
      expr(e.args[0]);
      out += "." + e.name;
      break;
    case Expr::Kind::List:
      out += "[";
      list(e.args, [&](ExprP a) { expr(a); });
      out += "]";
      break;
    case Expr::Kind::Broken:
      out += "<broken>";
      break;
    }
  }

  bool asWritten_;
};

} // namespace

std::string str(ExprP e) {
  Dump d(true);
  d.expr(e);
  return std::move(d.out);
}

std::string dump(const File &file) {
  Dump d;
  for (const auto &f : file.functions)
    d.function(*f);
  for (const auto &k : file.kernels)
    d.kernel(*k);
  return std::move(d.out);
}

} // namespace phobos::ast
