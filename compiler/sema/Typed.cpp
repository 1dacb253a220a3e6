#include "compiler/sema/Typed.h"
#include <algorithm>
#include <iterator>

namespace phobos::sema {

static constexpr std::string_view kOpNames[] = {
    "int",     "float",   "bool",      "var",       "param",   "dim",     "block_id", "grid_dim", "thread_id",
    "warp_id", "lane_id", "neg",       "bitnot",    "not",     "add",     "sub",      "mul",      "div",
    "rem",     "and",     "or",        "xor",       "shl",     "shr",     "eq",       "ne",       "lt",
    "le",      "gt",      "ge",        "land",      "lor",     "cond",    "where",    "max",      "min",
    "cdiv",    "abs",     "floor",     "ceil",      "round",   "fma",     "pow",      "exp",      "exp2",
    "log",     "log2",    "sqrt",      "rsqrt",     "tanh",    "sigmoid", "erf",      "sin",      "cos",
    "convert", "bitcast", "broadcast", "transpose", "reshape", "iota",    "cat",      "slice",    "insert",
    "tril",    "triu",    "reduce",    "argreduce", "scan",    "dot",     "load",     "atomic",   "rand",
    "call"};
static_assert(std::size(kOpNames) == static_cast<size_t>(Op::Call) + 1, "one name an operation");

std::string_view name(Op op) { return kOpNames[static_cast<size_t>(op)]; }

static bool hasSideEffects(const Block &block) {
  return std::any_of(block.statements.begin(), block.statements.end(), [](StmtP s) {
    if (s->kind == Stmt::Kind::Store || s->kind == Stmt::Kind::Barrier)
      return true;
    auto effects = [](ExprP e) { return e && hasSideEffects(e); };
    auto subscriptEffects = [&](const Subscript &sub) { return effects(sub.start); };
    return effects(s->value) || effects(s->mask) || effects(s->lo) || effects(s->hi) || effects(s->step) ||
           std::any_of(s->subscripts.begin(), s->subscripts.end(), subscriptEffects) ||
           hasSideEffects(s->body) || hasSideEffects(s->orElse);
  });
}

bool hasSideEffects(ExprP e) {
  if (e->op == Op::Atomic || (e->op == Op::Call && e->call && hasSideEffects(e->call->body)))
    return true;
  return std::any_of(e->args.begin(), e->args.end(), [](ExprP a) { return hasSideEffects(a); }) ||
         std::any_of(e->subscripts.begin(), e->subscripts.end(),
                     [](const Subscript &s) { return s.start && hasSideEffects(s.start); });
}

} // namespace phobos::sema
