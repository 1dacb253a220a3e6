// Constraints as flat node lists: cheap to evaluate a part at a time while the names of a space are bound one
// after another.
//
// Chains of associative operators become one node (`A * B * C`), so that whatever is bound of them folds into
// one number: how the rest of the space can go then depends on few values, and equal ones are counted once
// (Count.h).
#pragma once
#include "compiler/sema/Space.h"
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace phobos::kbench {

enum class FormulaOp : uint8_t {
  Const, ///< value
  Name,  ///< value is the name's index
  // chains: associative and commutative, any number of operands, at most one of them constant
  Add,
  Mul,
  And,
  Or,
  Xor,
  LogicalAnd,
  LogicalOr,
  Min,
  Max,
  // the rest, in the order of their operands
  Neg,
  BitNot,
  Not,
  Div,
  Rem,
  CDiv,
  Shl,
  Shr,
  Eq,
  Ne,
  Lt,
  Le,
  Conditional, ///< value, condition, otherwise
  Opaque,      ///< operands are names; `source` is evaluated by sema::evaluateConstant once all are bound
};

inline bool isChain(FormulaOp op) { return op >= FormulaOp::Add && op <= FormulaOp::Max; }
/// The value that adds nothing to a chain of `op`.
int64_t identityOf(FormulaOp op);
/// One link of a chain.
int64_t combine(FormulaOp op, int64_t a, int64_t b);

/// A binary operator of the language as a formula has it: `a - b` is a + -b, `a > b` is b < a.
struct BinaryForm {
  FormulaOp op = FormulaOp::Add;
  bool negatesSecond = false, swaps = false;
};
/// Of an infix operator as ast::BinaryOp and sema::Op name it; nullopt of other operations.
template <typename Op> std::optional<BinaryForm> binaryForm(Op op) {
  switch (op) {
#define INTEGER_INFIX(NAME, TEXT)                                                                            \
  case Op::NAME:                                                                                             \
    return BinaryForm{FormulaOp::NAME};
#define INTEGER_INFIX_OF_OTHERS(NAME, TEXT)
#include "runtime/contract/IntegerOps.def"
  case Op::Sub:
    return BinaryForm{FormulaOp::Add, true, false};
  case Op::Gt:
    return BinaryForm{FormulaOp::Lt, false, true};
  case Op::Ge:
    return BinaryForm{FormulaOp::Le, false, true};
  default:
    return std::nullopt;
  }
}
/// Of a prefix operator as ast::UnaryOp and sema::Op name it.
template <typename Op> std::optional<FormulaOp> prefixForm(Op op) {
  switch (op) {
#define INTEGER_PREFIX(NAME, TEXT)                                                                           \
  case Op::NAME:                                                                                             \
    return FormulaOp::NAME;
#include "runtime/contract/IntegerOps.def"
  default:
    return std::nullopt;
  }
}

using NodeId = uint32_t;
using NameSet =
    uint64_t; ///< a bit for each name with more than one choice: at most 40, by the limit on a space

struct FormulaNode {
  FormulaOp op = FormulaOp::Const;
  int64_t value = 0;
  std::vector<NodeId> args;
  NameSet names = 0; ///< what its value depends on
  ast::ExprP source = nullptr;
};

/// The nodes of all constraints of a space, operands before their users.
class FormulaPool {
public:
  /// What a name stands for: the number `value`, or the free name of that index.
  struct Binding {
    bool isConst = false;
    int64_t value = 0;
  };
  using Resolve = std::function<std::optional<Binding>(std::string_view)>;

  /// The node of `e`; nullopt if it uses a name that `resolve` does not know.
  std::optional<NodeId> add(ast::ExprP e, const Resolve &resolve) { return add(e, resolve, 0); }
  /// The conjuncts of `root`: a top-level `a && b` is two constraints, each decided as early as it can be.
  std::vector<NodeId> conjuncts(NodeId root) const;

  const FormulaNode &operator[](NodeId id) const { return nodes_[id]; }
  size_t size() const { return nodes_.size(); }
  /// Value of a node that is not a chain, a leaf or opaque.
  static int64_t apply(FormulaOp op, const int64_t *args);

private:
  NodeId make(FormulaNode node);
  NodeId constant(int64_t v);
  NodeId chain(FormulaOp op, NodeId a, NodeId b);
  NodeId nameNode(const Binding &binding);
  std::optional<NodeId> add(ast::ExprP e, const Resolve &resolve, unsigned depth);
  std::optional<NodeId> addOpaque(ast::ExprP e, const Resolve &resolve);
  std::optional<NodeId> addBinary(ast::ExprP e, const Resolve &resolve, unsigned depth);
  std::optional<NodeId> addCall(ast::ExprP e, const Resolve &resolve, unsigned depth);

  std::vector<FormulaNode> nodes_;
  /// Equal nodes are one node: what two constraints share is bound, and told apart, once.
  std::map<std::tuple<FormulaOp, int64_t, std::vector<NodeId>, ast::ExprP>, NodeId> known_;
};

} // namespace phobos::kbench
