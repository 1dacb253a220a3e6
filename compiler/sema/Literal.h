// Literals before they have a type. An expression of literals alone stays a tree of exact values until the
// place where it is used says what type it is to have; then it is evaluated in that type as a whole.
#pragma once
#include "compiler/sema/Typed.h"
#include "compiler/syntax/Ast.h"
#include <optional>

namespace phobos::sema {

struct Literal {
  enum class Kind : uint8_t {
    Int,   ///< intValue
    Float, ///< floatValue
    Neg,
    BitNot, ///< a
    Binary, ///< binary: a, b
    Choice, ///< `a if condition else b`, or where(condition, a, b): the condition is typed, the values adapt
  };
  Kind kind = Kind::Int;
  bool isFloat = false;   ///< a float literal occurs in it
  bool isConstant = true; ///< no Choice occurs in it
  __int128 intValue = 0;
  double floatValue = 0;
  bool isInfinity = false; ///< written `inf`, not a number that is too large
  ast::BinaryOp binary = ast::BinaryOp::Add;
  Op choice = Op::Conditional; ///< Conditional or Where
  const Literal *a = nullptr, *b = nullptr;
  Expr *condition = nullptr;
  SourceRange range;
};

/// The exact value of a constant literal without floats; nullopt past 128 bits.
std::optional<__int128> integerValue(const Literal &literal);
/// Its value evaluated in float type `t`; nullopt where a finite value overflows the type.
std::optional<double> floatValue(const Literal &literal, ScalarType t);
/// Whether integer type `t` holds `value`.
bool holds(ScalarType t, __int128 value);
/// As a message shows it: `300`, `-1.5`.
std::string spelled(const Literal &literal);

} // namespace phobos::sema
