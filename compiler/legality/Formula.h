// Formulas over named integers: what the legality rules are written in. One text is printed, documented and
// checked.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phobos::legality {

/// The value of a name, or nothing if it has none.
using Lookup = std::function<std::optional<int64_t>(std::string_view)>;

/// Integers, names, `+ - * / %` (division truncates), comparisons, `&& || !`, parentheses, `min(a, b) max(a,
/// b) cdiv(a, b)`, with the language's precedence. `&&` and `||` evaluate the right side only if needed.
/// Intermediate values have 128 bits and stop at their ends, so that no point, however large its numbers, is
/// judged by a wrapped one.
class Formula {
public:
  /// On failure nothing, with `error` saying what was found where.
  static std::optional<Formula> parse(std::string_view text, std::string &error);

  /// Nothing if a name has no value or something is divided by zero (earlier rules guard the divisions of
  /// later ones). Comparisons give 0 or 1; a result past 64 bits stops at their ends.
  std::optional<int64_t> evaluate(const Lookup &lookup) const;
  /// Each name once, in order of appearance.
  const std::vector<std::string> &names() const { return names_; }

private:
  enum class Op : uint8_t {
    Number,
    Name,
    Neg,
    Not,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Min,
    Max,
    CDiv
  };
  struct Node {
    Op op = Op::Number;
    int64_t number = 0; ///< or an index into names_
    uint32_t a = 0, b = 0;
  };
  class Parser;
  struct Evaluator;

  std::vector<Node> nodes_; ///< operands before what uses them; the last is the whole
  std::vector<std::string> names_;
};

} // namespace phobos::legality
