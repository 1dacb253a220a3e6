// The syntax tree: what was written, with the place of every node; no names resolved, no types known.
// Nodes live in the File's arena lists and are referred to by plain pointers; the tree is immutable once
// parsed.
#pragma once
#include "compiler/support/Source.h"
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace phobos::ast {

struct Expr;
struct Stmt;
using ExprP = const Expr *;
using StmtP = const Stmt *;

struct Name {
  std::string text;
  SourceRange range;
};

/// As written: `f32`, `tile<f32>[R, C]`, `tensor<f32>[M, K]`. Names are not checked here.
struct TypeExpr {
  enum class Kind : uint8_t { Scalar, Tile, Tensor };
  Kind kind = Kind::Scalar;
  Name elem;               ///< f32, or a type variable of a function
  std::vector<ExprP> dims; ///< of tile and tensor
  SourceRange range;
};

enum class UnaryOp : uint8_t { Neg, BitNot, Not };
enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  And,
  Or,
  Xor,
  Shl,
  Shr,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  LogicalAnd,
  LogicalOr
};

/// One subscript: `e`, `s : e`, `s :+ n`, `:`.
struct Subscript {
  enum class Kind : uint8_t { Point, Range, Length, Full };
  Kind kind = Kind::Point;
  ExprP first = nullptr;  ///< the point, or the start; null in `: e`
  ExprP second = nullptr; ///< the end or the length; null in `s :`
  SourceRange range;
};

struct Expr {
  enum class Kind : uint8_t {
    Int,         ///< intValue (text kept: it may not fit)
    Float,       ///< floatValue; inf and nan too
    Bool,        ///< boolValue
    Name,        ///< name
    Unary,       ///< unaryOp, args[0]
    Binary,      ///< binaryOp, args[0], args[1]
    Conditional, ///< args = value, condition, otherwise   (`a if c else b`)
    Call,        ///< name(args..), with keyword arguments in `keywords`
    Generic,     ///< name<typeArg>(args..): zeros<f32>([..]), full<T>, bitcast<T>
    Index,       ///< args[0] [subscripts..]
    Member,      ///< args[0] . name      (`ctx.block.x`)
    List,        ///< [args..]            (a shape)
    Broken,      ///< in error (reported); args are its readable parts
  };
  struct Keyword {
    Name name;
    ExprP value;
  };

  Kind kind = Kind::Int;
  SourceRange range;
  SourceRange opRange;        ///< of the operator, the callee's name, the member
  bool parenthesized = false; ///< `(a < b) < c` is not a chain
  std::string name;           ///< identifier, callee, member; the literal's text for Int and Float
  uint64_t intValue = 0;
  bool intOverflow = false; ///< the literal is past 2^64-1
  double floatValue = 0;
  bool boolValue = false;
  UnaryOp unaryOp = UnaryOp::Neg;
  BinaryOp binaryOp = BinaryOp::Add;
  std::vector<ExprP> args;
  std::vector<Keyword> keywords;
  std::vector<Subscript> subscripts;
  std::optional<TypeExpr> typeArg;
};

struct Block {
  std::vector<StmtP> statements;
  SourceRange range;
};

struct Stmt {
  enum class Kind : uint8_t {
    Let,    ///< let name [: type] = value
    Var,    ///< var name [: type] = value
    Assign, ///< target = value, or target op= value with `compound`
    Expr,   ///< value
    If,     ///< condition, body, orElse (an else-if is a block of one If)
    For,    ///< for[<unroll u>] name in range(rangeArgs..) body
    While,  ///< condition, body
    Break,
    Continue,
    Return, ///< value or null
    Block,  ///< body
    Broken, ///< could not be read (reported); `name` is what a let or var of it declares, else empty
  };
  Kind kind = Kind::Expr;
  SourceRange range;     ///< the whole statement
  SourceRange headRange; ///< up to the body's brace; the keyword of break, continue, return
  Name name;             ///< Let, Var, For, Broken
  std::optional<TypeExpr> type;
  ExprP target = nullptr;
  std::optional<BinaryOp> compound;
  ExprP value = nullptr;        ///< initialiser, assigned value, expression, condition, returned value
  ExprP unroll = nullptr;       ///< For
  std::vector<ExprP> rangeArgs; ///< For: as written (sema counts them)
  SourceRange rangeCall;        ///< For: `range(..)`
  Block body, orElse;
  bool hasElse = false;
};

struct Param {
  Name name;
  TypeExpr type;
  SourceRange range;
};

/// `@name`, `@name(args)`. @autotune fills `choices`; others keep expressions (strings for @require's
/// reason).
struct Attribute {
  struct Choice {
    Name name;
    std::vector<ExprP> values;
    SourceRange range;     ///< `TILE_M in [32, 128]`
    SourceRange listRange; ///< `[32, 128]`
  };
  struct Arg {
    std::optional<Name> name;        ///< x = e
    ExprP value = nullptr;           ///< null for a string
    std::optional<std::string> text; ///< "reason"
    SourceRange range;
  };
  Name name;
  std::vector<Choice> choices;
  std::vector<Arg> args;
  bool hasParens = false;
  SourceRange range;
};

struct Kernel {
  Name name;
  std::vector<Attribute> attributes;
  bool hasBrokenAttribute = false; ///< one could not be read (reported) and is left out
  bool hasBrokenSignature = false; ///< it could not be read (reported): some parameters are left out
  std::vector<Name> lostNames;     ///< words of what could not be read: they may be declarations
  std::vector<Param> params;
  Block body;
  SourceRange range;
  SourceRange signature; ///< `k(X: .., Y: ..)`, from the name to the closing parenthesis
};

struct Function {
  Name name;
  std::vector<Param> params;
  std::optional<TypeExpr> result;
  Block body;
  SourceRange range;
  SourceRange signature; ///< `f(x: f32) -> f32`
  bool fromStdlib = false;
  std::vector<Name> lostNames; ///< words of a signature that could not be read: they may be parameters
};

struct File {
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<std::string> lostNames;                     ///< of functions that could not be read (reported)
  std::vector<std::unique_ptr<Function>> brokenFunctions; ///< those of them whose bodies could
  std::deque<Expr> exprs;                                 ///< owners of the nodes
  std::deque<Stmt> stmts;
};

/// A readable dump (`phobos-compile --emit ast`); expressions fully parenthesized.
std::string dump(const File &file);
/// The expression as it was written, spaces aside.
std::string str(ExprP e);

} // namespace phobos::ast
