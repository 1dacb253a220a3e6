// The typed tree as text: one statement a line, expressions in prefix form with their types where a type is
// not plain from the operands.
#include "compiler/sema/Typed.h"
#include <cmath>
#include <cstdio>

namespace phobos::sema {
namespace {

class Printer {
public:
  explicit Printer(const TypedKernel &kernel) : kernel_(kernel) {}

  std::string run() {
    line("kernel " + kernel_.name + (kernel_.point.empty() ? "" : " @ " + kernel_.point.str()));
    ++depth_;
    for (const Param &p : kernel_.params)
      line("param " + param(p));
    attributes();
    block(kernel_.body);
    return std::move(out_);
  }

private:
  void line(const std::string &text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }

  std::string param(const Param &p) {
    std::string s = p.name + ": ";
    if (!p.isTensor)
      return s + std::string(name(p.elem));
    s += "tensor<" + std::string(name(p.elem)) + ">[";
    for (size_t i = 0; i < p.extents.size(); ++i)
      s += (i ? ", " : "") +
           (p.extents[i].fixed ? std::to_string(*p.extents[i].fixed) : kernel_.dims[p.extents[i].dim]);
    return s + "]" + (p.isRead ? " read" : "") + (p.isWritten ? " written" : "");
  }

  void attributes() {
    auto number = [&](const char *what, const std::optional<int64_t> &n) {
      if (n)
        line(std::string(what) + " " + std::to_string(*n));
    };
    number("threads", kernel_.threads);
    number("min_blocks", kernel_.minBlocks);
    number("max_registers", kernel_.maxRegisters);
    number("stages", kernel_.stages);
    if (kernel_.tensorcore)
      line("tensorcore " +
           std::string(*kernel_.tensorcore == ScalarType::F32 ? "tf32" : name(*kernel_.tensorcore)));
    if (kernel_.pipelined)
      line("pipelined");
    if (kernel_.persistent)
      line("persistent");
    for (const Require &r : kernel_.requires_)
      line("require " + expr(r.condition) + (r.reason.empty() ? "" : " \"" + r.reason + "\""));
    for (const Aligned &a : kernel_.aligned)
      line("aligned " + kernel_.dims[a.dim] + " by " + std::to_string(a.multiple));
    static const char *const axes = "xyz";
    if (kernel_.grid.fromHost)
      line("grid host");
    for (int i = 0; i < 3; ++i)
      if (kernel_.grid.axes[i])
        line(std::string("grid.") + axes[i] + " = " + expr(kernel_.grid.axes[i]));
  }

  void block(const Block &b) {
    ++depth_;
    for (StmtP s : b.statements)
      statement(*s);
    --depth_;
  }

  std::string local(VarId v) { return kernel_.vars[v].name + "." + std::to_string(v); }

  static std::string suffix(const Stmt &s) {
    return s.control == Variance::Uniform ? "" : s.control == Variance::Warp ? " !warp" : " !thread";
  }

  void statement(const Stmt &s) {
    switch (s.kind) {
    case Stmt::Kind::Assign:
      return line(local(s.var) + ": " + str(kernel_.vars[s.var].type) + " = " + expr(s.value) + suffix(s));
    case Stmt::Kind::Store:
      return line("store " + kernel_.params[s.param].name + subscripts(s.subscripts) + " = " + expr(s.value) +
                  (s.mask ? " where " + expr(s.mask) : "") + (s.oncePerBlock ? "" : " each") + suffix(s));
    case Stmt::Kind::Expr:
      return line(expr(s.value) + suffix(s));
    case Stmt::Kind::If:
      line("if " + expr(s.value) + suffix(s));
      block(s.body);
      if (!s.orElse.statements.empty()) {
        line("else");
        block(s.orElse);
      }
      return;
    case Stmt::Kind::For:
      line("for " + local(s.var) + " = " + expr(s.lo) + " to " + expr(s.hi) + " step " + expr(s.step) +
           (s.unroll > 1 ? " unroll " + std::to_string(s.unroll) : "") + suffix(s));
      return block(s.body);
    case Stmt::Kind::While:
      line("while " + expr(s.value) + suffix(s));
      return block(s.body);
    case Stmt::Kind::Break:
      return line("break" + suffix(s));
    case Stmt::Kind::Continue:
      return line("continue" + suffix(s));
    case Stmt::Kind::Return:
      return line(std::string("return") + (s.value ? " " + expr(s.value) : "") + suffix(s));
    case Stmt::Kind::Barrier:
      return line("barrier" + suffix(s));
    case Stmt::Kind::Block:
      line("block");
      return block(s.body);
    }
  }

  std::string subscripts(const std::vector<Subscript> &subs) {
    std::string s = "[";
    for (size_t i = 0; i < subs.size(); ++i)
      s += (i ? ", " : "") + expr(subs[i].start) +
           (subs[i].isPoint ? "" : " :+ " + std::to_string(subs[i].length));
    return s + "]";
  }

  static std::string number(double x) {
    if (std::isnan(x))
      return "nan";
    if (std::isinf(x))
      return x < 0 ? "-inf" : "inf";
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", x);
    char compact[40];
    for (int digits = 1; digits < 17; ++digits) { // the shortest text that reads back as x
      std::snprintf(compact, sizeof compact, "%.*g", digits, x);
      if (std::strtod(compact, nullptr) == x)
        return compact;
    }
    return buffer;
  }

  static std::string tilePart(const Expr &e) {
    std::string s = "[";
    for (size_t i = 0; i < e.offsets.size(); ++i)
      s += (i ? ", " : "") + std::to_string(e.offsets[i]) +
           (e.dropped[i] ? "" : " :+ " + std::to_string(e.lengths[i]));
    return s + "]";
  }

  static const char *reductionName(Reduction r) {
    return r == Reduction::Sum ? "sum" : r == Reduction::Prod ? "prod" : r == Reduction::Max ? "max" : "min";
  }
  static const char *atomicName(AtomicOp a) {
    return a == AtomicOp::Add ? "add" : a == AtomicOp::Max ? "max" : a == AtomicOp::Min ? "min" : "cas";
  }

  std::string arguments(const Expr &e) {
    std::string s = "(";
    for (size_t i = 0; i < e.args.size(); ++i)
      s += (i ? ", " : "") + expr(e.args[i]);
    return s + ")";
  }

  std::string expr(ExprP p) {
    const Expr &e = *p;
    static const char *const axes = "xyz";
    switch (e.op) {
    case Op::Int:
      return std::to_string(e.intValue) + ":" + str(e.type);
    case Op::Float:
      return number(e.floatValue) + ":" + str(e.type);
    case Op::Bool:
      return e.intValue ? "true" : "false";
    case Op::Var:
      return local(e.var);
    case Op::Param:
      return kernel_.params[e.param].name;
    case Op::Dim:
      return kernel_.dims[e.dim];
    case Op::BlockId:
    case Op::GridDim:
      return std::string(name(e.op)) + "." + axes[e.axis];
    case Op::ThreadId:
    case Op::WarpId:
    case Op::LaneId:
      return std::string(name(e.op));
    case Op::Convert:
    case Op::Bitcast:
    case Op::Broadcast:
    case Op::Reshape:
      return std::string(name(e.op)) + "<" + str(e.type) + ">" + arguments(e);
    case Op::Iota:
      return "iota<" + str(e.type) + ">(axis " + std::to_string(e.axis) + ")";
    case Op::TileSlice:
      return "slice(" + expr(e.args[0]) + ")" + tilePart(e);
    case Op::InsertSlice:
      return "insert(" + expr(e.args[0]) + tilePart(e) + ", " + expr(e.args[1]) + ")";
    case Op::Cat:
      return "cat.axis" + std::to_string(e.axis) + arguments(e);
    case Op::Tril:
    case Op::Triu:
      return std::string(name(e.op)) + "." + std::to_string(e.intValue) + arguments(e);
    case Op::Reduce:
    case Op::ArgReduce:
    case Op::Scan:
      return std::string(name(e.op)) + "." + reductionName(e.reduction) +
             (e.axis < 0 ? ".all" : ".axis" + std::to_string(e.axis)) + arguments(e);
    case Op::Dot:
      return (e.transposeB ? "dot_t<" : "dot<") + str(e.type) + ">" + arguments(e);
    case Op::Load:
      return "load " + kernel_.params[e.param].name + subscripts(e.subscripts) +
             (e.args.empty() ? "" : " fill " + expr(e.args[0]));
    case Op::Atomic:
      return std::string("atomic_") + atomicName(e.atomic) + " " + kernel_.params[e.param].name +
             subscripts(e.subscripts) + arguments(e);
    case Op::Call:
      return call(e);
    default:
      return std::string(name(e.op)) + arguments(e);
    }
  }

  /// The instantiated body in braces, at the depth of the statement that calls.
  std::string call(const Expr &e) {
    Printer inner(kernel_);
    inner.depth_ = depth_ + 1;
    inner.block(e.call->body);
    std::string s = e.call->name + "(";
    for (size_t i = 0; i < e.args.size(); ++i)
      s += (i ? ", " : "") + local(e.call->params[i]) + " = " + expr(e.args[i]);
    return s + ") {\n" + inner.out_ + std::string(2 * depth_ + 2, ' ') + "}";
  }

  const TypedKernel &kernel_;
  std::string out_;
  size_t depth_ = 0;
};

} // namespace

std::string dump(const TypedKernel &kernel) { return Printer(kernel).run(); }

} // namespace phobos::sema
