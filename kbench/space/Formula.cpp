#include "kbench/space/Formula.h"
#include "runtime/contract/Integer.h"
#include <algorithm>
#include <limits>

namespace phobos::kbench {

int64_t identityOf(FormulaOp op) {
  switch (op) {
  case FormulaOp::Mul:
  case FormulaOp::LogicalAnd:
    return 1;
  case FormulaOp::And:
    return -1;
  case FormulaOp::Min:
    return std::numeric_limits<int64_t>::max();
  case FormulaOp::Max:
    return std::numeric_limits<int64_t>::min();
  default:
    return 0;
  }
}

int64_t combine(FormulaOp op, int64_t a, int64_t b) {
  switch (op) {
  case FormulaOp::Add:
    return integer::add(a, b);
  case FormulaOp::Mul:
    return integer::mul(a, b);
  case FormulaOp::And:
    return a & b;
  case FormulaOp::Or:
    return a | b;
  case FormulaOp::Xor:
    return a ^ b;
  case FormulaOp::LogicalAnd:
    return a != 0 && b != 0;
  case FormulaOp::LogicalOr:
    return a != 0 || b != 0;
  case FormulaOp::Min:
    return std::min(a, b);
  default:
    return std::max(a, b);
  }
}

int64_t FormulaPool::apply(FormulaOp op, const int64_t *args) {
  switch (op) {
  case FormulaOp::Neg:
    return integer::neg(args[0]);
  case FormulaOp::BitNot:
    return ~args[0];
  case FormulaOp::Not:
    return args[0] == 0;
  case FormulaOp::Div:
    return integer::div(args[0], args[1]);
  case FormulaOp::Rem:
    return integer::rem(args[0], args[1]);
  case FormulaOp::CDiv:
    return integer::ceilDiv(args[0], args[1]);
  case FormulaOp::Shl:
    return integer::shl(args[0], args[1]);
  case FormulaOp::Shr:
    return integer::shr(args[0], args[1]);
  case FormulaOp::Eq:
    return args[0] == args[1];
  case FormulaOp::Ne:
    return args[0] != args[1];
  case FormulaOp::Lt:
    return args[0] < args[1];
  case FormulaOp::Le:
    return args[0] <= args[1];
  case FormulaOp::Conditional:
    return args[1] != 0 ? args[0] : args[2];
  default:
    return 0;
  }
}

NodeId FormulaPool::constant(int64_t v) { return make({FormulaOp::Const, v, {}, 0, nullptr}); }

NodeId FormulaPool::make(FormulaNode node) {
  for (NodeId a : node.args)
    node.names |= nodes_[a].names;
  bool folds = !node.args.empty() && node.names == 0 && node.op != FormulaOp::Opaque;
  if (folds) {
    int64_t value = identityOf(node.op);
    if (isChain(node.op)) {
      for (NodeId a : node.args)
        value = combine(node.op, value, nodes_[a].value);
    } else {
      int64_t values[3] = {};
      for (size_t i = 0; i < node.args.size(); ++i)
        values[i] = nodes_[node.args[i]].value;
      value = apply(node.op, values);
    }
    node = {FormulaOp::Const, value, {}, 0, nullptr};
  }
  auto [known, isNew] =
      known_.try_emplace({node.op, node.value, node.args, node.source}, static_cast<NodeId>(nodes_.size()));
  if (isNew)
    nodes_.push_back(std::move(node));
  return known->second;
}

NodeId FormulaPool::nameNode(const Binding &binding) {
  return make({FormulaOp::Name, binding.value, {}, NameSet(1) << binding.value, nullptr});
}

// Longer chains are left nested: the operands of every prefix would add up to a square.
constexpr size_t maxChain = 64;

NodeId FormulaPool::chain(FormulaOp op, NodeId a, NodeId b) {
  FormulaNode node{op, 0, {}, 0, nullptr};
  for (NodeId side : {a, b})
    if (nodes_[side].op == op && nodes_[side].args.size() < maxChain)
      node.args.insert(node.args.end(), nodes_[side].args.begin(), nodes_[side].args.end());
    else
      node.args.push_back(side);
  auto isConst = [&](NodeId n) { return nodes_[n].op == FormulaOp::Const; };
  auto consts = std::partition(node.args.begin(), node.args.end(), [&](NodeId n) { return !isConst(n); });
  if (node.args.end() - consts > 1) {
    int64_t value = identityOf(op);
    for (auto it = consts; it != node.args.end(); ++it)
      value = combine(op, value, nodes_[*it].value);
    node.args.erase(consts, node.args.end());
    node.args.push_back(constant(value));
  }
  std::sort(node.args.begin(), node.args.end());
  return make(std::move(node));
}

std::optional<NodeId> FormulaPool::addBinary(ast::ExprP e, const Resolve &resolve, unsigned depth) {
  auto a = add(e->args[0], resolve, depth + 1);
  auto b = a ? add(e->args[1], resolve, depth + 1) : std::nullopt;
  if (!b)
    return std::nullopt;
  const auto form = binaryForm(e->binaryOp);
  if (!form)
    return std::nullopt;
  if (form->negatesSecond)
    b = make({FormulaOp::Neg, 0, {*b}, 0, nullptr});
  if (form->swaps)
    std::swap(a, b);
  return isChain(form->op) ? chain(form->op, *a, *b) : make({form->op, 0, {*a, *b}, 0, nullptr});
}

std::optional<NodeId> FormulaPool::addCall(ast::ExprP e, const Resolve &resolve, unsigned depth) {
  bool isMin = e->name == "min" || e->name == "tmin", isMax = e->name == "max" || e->name == "tmax";
  if (e->args.size() != 2 || !(isMin || isMax || e->name == "cdiv"))
    return addOpaque(e, resolve);
  auto a = add(e->args[0], resolve, depth + 1);
  auto b = a ? add(e->args[1], resolve, depth + 1) : std::nullopt;
  if (!b)
    return std::nullopt;
  return isMin   ? chain(FormulaOp::Min, *a, *b)
         : isMax ? chain(FormulaOp::Max, *a, *b)
                 : make({FormulaOp::CDiv, 0, {*a, *b}, 0, nullptr});
}

// Anything else is left to sema: it is evaluated once every name in it is bound.
std::optional<NodeId> FormulaPool::addOpaque(ast::ExprP e, const Resolve &resolve) {
  FormulaNode node{FormulaOp::Opaque, 0, {}, 0, e};
  bool known = true;
  std::vector<ast::ExprP> work{e};
  while (!work.empty()) {
    ast::ExprP x = work.back();
    work.pop_back();
    if (x->kind == ast::Expr::Kind::Name) {
      auto binding = resolve(x->name);
      known = known && binding;
      if (binding && !binding->isConst)
        node.args.push_back(nameNode(*binding));
    }
    work.insert(work.end(), x->args.begin(), x->args.end());
  }
  if (!known)
    return std::nullopt;
  if (node.args.empty()) {
    auto value = sema::evaluateConstant(e, [&](std::string_view name) -> std::optional<int64_t> {
      auto binding = resolve(name);
      return binding ? std::optional(binding->value) : std::nullopt;
    });
    return value ? std::optional(constant(*value)) : std::nullopt;
  }
  return make(std::move(node));
}

// Past this the stack is at risk; sema's evaluation has the parser's own limits.
constexpr unsigned maxDepth = 1000;

std::optional<NodeId> FormulaPool::add(ast::ExprP e, const Resolve &resolve, unsigned depth) {
  using Kind = ast::Expr::Kind;
  if (depth > maxDepth)
    return addOpaque(e, resolve);
  switch (e->kind) {
  case Kind::Int:
    return constant(static_cast<int64_t>(e->intValue));
  case Kind::Bool:
    return constant(e->boolValue);
  case Kind::Name: {
    auto binding = resolve(e->name);
    if (!binding)
      return std::nullopt;
    if (binding->isConst)
      return constant(binding->value);
    return nameNode(*binding);
  }
  case Kind::Unary: {
    auto a = add(e->args[0], resolve, depth + 1);
    const auto op = prefixForm(e->unaryOp);
    return a && op ? std::optional(make({*op, 0, {*a}, 0, nullptr})) : std::nullopt;
  }
  case Kind::Binary:
    return addBinary(e, resolve, depth);
  case Kind::Conditional: {
    FormulaNode node{FormulaOp::Conditional, 0, {}, 0, nullptr};
    for (ast::ExprP arg : e->args) {
      auto a = add(arg, resolve, depth + 1);
      if (!a)
        return std::nullopt;
      node.args.push_back(*a);
    }
    return make(std::move(node));
  }
  case Kind::Call:
    return addCall(e, resolve, depth);
  default:
    return addOpaque(e, resolve);
  }
}

std::vector<NodeId> FormulaPool::conjuncts(NodeId root) const {
  if (nodes_[root].op == FormulaOp::LogicalAnd)
    return nodes_[root].args;
  return {root};
}

} // namespace phobos::kbench
