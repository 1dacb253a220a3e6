// The type checker of one kernel at one point, as a class because its rules call each other: names, types,
// statements, expressions, built-ins and functions each in a file of their own. Internal to the library;
// Check.h is the entry.
#pragma once
#include "compiler/sema/Builtins.h"
#include "compiler/sema/Check.h"
#include "compiler/sema/Limits.h"
#include "compiler/sema/Literal.h"
#include <functional>
#include <map>
#include <set>

namespace phobos::sema {

/// What an expression came to: nothing because an error was reported (everything that uses it keeps silent),
/// a typed node, literals that have no type yet, a whole tensor (a name, only good to be sliced or passed
/// on), or no value (`barrier()`).
struct Value {
  enum class Kind : uint8_t { Error, Typed, Literal, Tensor, Nothing };
  Kind kind = Kind::Error;
  Expr *expr = nullptr;
  const Literal *literal = nullptr;
  ParamId tensor = 0;
  SourceRange range;

  static Value error() { return {}; }
  static Value typed(Expr *e) { return e ? Value{Kind::Typed, e, nullptr, 0, e->range} : error(); }
  static Value literals(const Literal *l) { return {Kind::Literal, nullptr, l, 0, l->range}; }
  static Value wholeTensor(ParamId p, SourceRange r) { return {Kind::Tensor, nullptr, nullptr, p, r}; }
  static Value nothing(SourceRange r) { return {Kind::Nothing, nullptr, nullptr, 0, r}; }
  bool isError() const { return kind == Kind::Error; }
  bool isTyped() const { return kind == Kind::Typed; }
  bool isLiteral() const { return kind == Kind::Literal; }
};

/// What a name in scope stands for.
struct Entity {
  enum class Kind : uint8_t { Let, Var, Counter, Argument, Constant, Dim, Scalar, Tensor, Poison };
  Kind kind = Kind::Poison;
  VarId var = 0;         ///< Let, Var, Counter, Argument (of the function that is instantiated)
  int64_t value = 0;     ///< Constant
  DimId dim = 0;         ///< Dim
  ParamId param = 0;     ///< Scalar, Tensor
  ExprP known = nullptr; ///< Let: the Int or Bool node that it is known to be
  /// Var: the integer literal that made it an i32, for want of a type.
  const ast::Expr *untyped = nullptr;
  SourceRange range;
};

/// Where a value goes, for the words of an error.
enum class Use : uint8_t { Initialise, Assign, Store, Pass, Return, Fill };

/// A built-in's arguments, one slot a parameter of its signature; null where it was left out.
struct BuiltinCall {
  const Builtin &builtin;
  const ast::Expr &source;
  std::vector<ast::ExprP> args;
  std::string quoted() const { return "'" + std::string(builtin.name) + "'"; }
};

class Checker {
public:
  Checker(const ast::File &file, const ast::Kernel &kernel, const ast::File *stdlib, const Point &point,
          Diagnostics &diags, const CheckOptions &options);
  /// What can be concluded from the tree.
  struct Soundness {
    bool attributes = false; ///< they say what was meant
    bool body = false;       ///< nothing was in error
    bool finite = false;     ///< all of it was judged
  };
  /// The tree, with what is in error left out of it.
  std::unique_ptr<TypedKernel> run(Soundness &sound);

private:
  /// The kernel's body, or a function's at one call. Names of callers are not visible in it.
  struct Frame {
    const ast::Function *function = nullptr;
    SourceRange call;
    size_t firstScope = 0;
    unsigned loops = 0;
    std::optional<Type> result;
    std::map<std::string, ScalarType, std::less<>> types; ///< type variables
  };
  using Scope = std::map<std::string, Entity, std::less<>>;
  /// Counts one level of nesting while it lives.
  struct Nested {
    explicit Nested(unsigned &d) : depth(d) { ++depth; }
    ~Nested() { --depth; }
    unsigned &depth;
  };

  // Check.cpp: the kernel
  void declareNames();
  void declareParam(const ast::Param &p, Param &param);
  std::optional<Extent> tensorExtent(ast::ExprP e);

  // Attributes.cpp
  void checkAttributes();
  void checkLaunch(const ast::Attribute &a);
  void checkRequire(const ast::Attribute &a);
  void checkAligned(const ast::Attribute &a);
  void checkTensorcore(const ast::Attribute &a);
  void checkPipeline(const ast::Attribute &a);
  void checkGrid(const ast::Attribute &a);
  std::optional<int64_t> attributeConstant(const ast::Attribute &a, ast::ExprP e, int64_t least,
                                           int64_t most);

  // Names.cpp
  template <typename... Args> Diagnostics::Builder report(diag id, SourceRange range, const Args &...args) {
    bool isHeard = !dead_ || concernsDeadCode(id);
    failed_ |= isHeard && info(id).severity == Severity::Error;
    Diagnostics::Builder b = (isHeard ? diags_ : unheard_).report(id, range, args...);
    noteCalls(b);
    return b;
  }
  void noteCalls(Diagnostics::Builder &b);
  static bool concernsDeadCode(diag id);
  unsigned errorCount() const { return diags_.errorCount() + unheard_.errorCount(); }
  const Entity *lookup(std::string_view name);
  bool declare(const ast::Name &name, Entity entity);
  void reportUnknown(diag id, std::string_view name, SourceRange range,
                     const std::vector<std::string> &candidates);
  std::vector<std::string> visibleNames();
  std::vector<std::string> callableNames();
  static const char *describe(const Entity &e);
  Value checkName(const ast::Expr &e);
  Value checkMember(const ast::Expr &e);
  Frame &frame() { return frames_.back(); }

  // TypeNames.cpp
  std::optional<ScalarType> scalarType(const ast::Name &name);
  std::optional<Type> valueType(const ast::TypeExpr &t);
  std::optional<int64_t> extent(ast::ExprP e, diag notConstant);
  bool checkTileSize(const Type &t, SourceRange range);
  std::optional<std::vector<int64_t>> shapeList(ast::ExprP list, std::string_view what);

  // Statements.cpp, Assign.cpp
  Block checkBlock(const ast::Block &block);
  void checkStatement(const ast::Stmt &s);
  void checkDeclaration(const ast::Stmt &s);
  void checkIf(const ast::Stmt &s);
  void checkDead(const ast::Block &block);
  void checkFor(const ast::Stmt &s);
  void checkWhile(const ast::Stmt &s);
  void checkJump(const ast::Stmt &s);
  void checkReturn(const ast::Stmt &s);
  void checkExprStatement(const ast::Stmt &s);
  Expr *checkCondition(ast::ExprP e);
  void checkAssign(const ast::Stmt &s);
  void assignName(const ast::Stmt &s);
  void assignSlice(const ast::Stmt &s);
  void assignTensorSlice(const ast::Stmt &s, ParamId tensor);
  void assignTileSlice(const ast::Stmt &s, const Entity &e);
  const Entity *assignable(const ast::Expr &name);
  void meantAsFloat(const Entity &entity, const Value &v, size_t error);
  Value compounded(const ast::Stmt &s, Expr *old);
  void emitStore(SourceRange range, ParamId tensor, std::vector<Subscript> subs, Expr *value, Expr *mask);
  Stmt *emit(Stmt::Kind kind, SourceRange range);
  VarId newVar(std::string name, Type type, SourceRange range);
  Expr *unknown(const Type &type, SourceRange range);
  void emitAssign(VarId var, ExprP value, SourceRange range);

  // Expressions.cpp
  Value check(ast::ExprP e);
  Value checkKind(const ast::Expr &e);
  Value checkUnary(const ast::Expr &e);
  Value checkBinary(const ast::Expr &e);
  Value binary(ast::BinaryOp op, Value a, Value b, SourceRange range);
  Value logical(ast::BinaryOp op, Expr *a, Expr *b, SourceRange range);
  Value checkConditional(const ast::Expr &e);
  Value select(Op op, Expr *condition, Value a, Value b, SourceRange range);
  /// `check`, and literals without anything to adapt to become i32 and f32; null if there is no value
  /// (reported).
  Expr *checkTyped(ast::ExprP e);
  Expr *typed(Value v);
  bool needsValue(const Value &v);

  // Conversions.cpp
  Expr *adapt(const Literal &l, ScalarType t);
  Expr *adaptDefault(const Literal &l);
  std::optional<ScalarType> join(ScalarType a, ScalarType b);
  bool converts(ScalarType from, ScalarType to);
  /// Both made one element type (of arithmetic: two equal f8 become f32); the join is reported as E0401 where
  /// there is none.
  bool unify(Value a, Value b, Expr *&x, Expr *&y, bool arithmetic, std::string_view what, SourceRange range);
  bool unifyShapes(Expr *&x, Expr *&y, SourceRange range);
  std::optional<std::vector<int64_t>> joinShapes(const Type &a, const Type &b);
  /// The value as `target` where the language converts and broadcasts without being asked; null (reported)
  /// elsewhere.
  Expr *coerce(Value v, const Type &target, Use use, SourceRange at);
  Expr *toIndex(Value v, std::string_view what);
  Value convertTo(Value v, ScalarType t, SourceRange range);

  // Build.cpp: nodes, folded where their operands are known integers or bools
  Expr *node(Op op, Type type, SourceRange range, std::vector<ExprP> args = {});
  Expr *intNode(int64_t value, ScalarType t, SourceRange range);
  Expr *floatNode(double value, ScalarType t, SourceRange range);
  Expr *boolNode(bool value, SourceRange range);
  Expr *convert(Expr *e, ScalarType t, SourceRange range);
  Expr *broadcast(Expr *e, const std::vector<int64_t> &shape, SourceRange range);
  Expr *elementwise(Op op, ScalarType result, Expr *a, Expr *b, SourceRange range);
  static std::optional<int64_t> constant(ExprP e);

  // Slices.cpp
  Value checkIndex(const ast::Expr &e);
  bool tensorSubscripts(const ast::Expr &e, ParamId tensor, std::vector<Subscript> &subs,
                        std::vector<int64_t> &shape);
  std::optional<Subscript> tensorSubscript(const ast::Subscript &s, const Extent &extent);
  void judgePlace(const Subscript &sub, ParamId tensor, size_t axis);
  void warnOutside();
  std::optional<int64_t> sliceLength(const ast::Subscript &s, Expr *start, Expr *end);
  Value load(ParamId tensor, std::vector<Subscript> subs, const std::vector<int64_t> &shape, Expr *fill,
             SourceRange range);
  struct TilePart {
    std::vector<int64_t> offsets, lengths, shape;
    std::vector<bool> dropped;
  };
  std::optional<TilePart> tilePart(const ast::Expr &e, const Type &tile);
  bool tileAxis(const ast::Subscript &s, int64_t extent, TilePart &part);
  Type partType(ScalarType elem, const std::vector<int64_t> &shape);
  const Entity *tensorBase(const ast::Expr &index);

  // Calls.cpp
  Value checkCall(const ast::Expr &e);
  Value checkGeneric(const ast::Expr &e);
  Value checkTypeCall(const ast::Expr &e, ScalarType t);
  Value checkBuiltin(const Builtin &b, const ast::Expr &e);
  bool bindArguments(BuiltinCall &call);
  std::optional<int64_t> constantArgument(ast::ExprP e, std::string_view what);
  std::optional<int> axisArgument(ast::ExprP e, unsigned rank, int otherwise);

  // BuiltinsElementwise.cpp
  Value floatMath(const BuiltinCall &c);
  Value absolute(const BuiltinCall &c);
  Value power(const BuiltinCall &c);
  Value fusedMultiplyAdd(const BuiltinCall &c);
  Value extreme(const BuiltinCall &c);
  Value whereSelect(const BuiltinCall &c);
  Value clampTo(const BuiltinCall &c);
  Value quotientUp(const BuiltinCall &c);
  Value random(const BuiltinCall &c);
  Expr *floatOperand(ast::ExprP e, std::string_view what);
  bool operands(Value a, Value b, std::string_view what, std::string_view kind, SourceRange range, Expr *&x,
                Expr *&y);

  // BuiltinsShape.cpp
  Value transposed(const BuiltinCall &c);
  Value coordinate(const BuiltinCall &c);
  Value filled(const BuiltinCall &c);
  Value flattened(const BuiltinCall &c);
  Value reshaped(const BuiltinCall &c);
  Value broadcasted(const BuiltinCall &c);
  Value concatenated(const BuiltinCall &c);
  Value extentOf(const BuiltinCall &c);
  Value programId(const BuiltinCall &c);
  Value bitcasted(const BuiltinCall &c);
  Expr *tileOperand(ast::ExprP e, std::string_view what);

  // BuiltinsReduce.cpp
  Value reduced(const BuiltinCall &c);
  Value argReduced(const BuiltinCall &c);
  Value reducedWhole(const BuiltinCall &c);
  Value scanned(const BuiltinCall &c);
  Value triangle(const BuiltinCall &c);
  Value product(const BuiltinCall &c);
  Expr *reductionOperand(const BuiltinCall &c, Reduction r);

  // BuiltinsMemory.cpp
  Value loaded(const BuiltinCall &c);
  Value stored(const BuiltinCall &c);
  Value atomic(const BuiltinCall &c);
  Value barrier(const BuiltinCall &c);
  bool statementOnly(const BuiltinCall &c);

  // Functions.cpp, Overloads.cpp
  struct Argument {
    Value value;
    ast::ExprP source;
  };
  struct Candidate {
    const ast::Function *function = nullptr;
    std::map<std::string, ScalarType, std::less<>> types;
    std::map<std::string, Extent, std::less<>> dims;
    std::vector<Type> params; ///< of value parameters
    std::vector<int> cost;    ///< one a parameter: conversions and generality; less is more specific
  };
  using Functions = std::vector<const ast::Function *>;
  std::vector<Functions> functionsNamed(std::string_view name);
  Value checkFunctionCall(const ast::Expr &e, const std::vector<Functions> &tiers);
  bool fits(const Functions &functions, const std::vector<Argument> &args);
  std::optional<Candidate> choose(const ast::Expr &call, const Functions &functions,
                                  const std::vector<Argument> &args);
  std::optional<Candidate> match(const ast::Function &f, const std::vector<Argument> &args, std::string &why);
  bool bindTypes(const ast::Function &f, const std::vector<Argument> &args, Candidate &c, std::string &why);
  bool bindExtents(const ast::Param &p, const Argument &a, Candidate &c, bool ones, std::string &why);
  std::optional<std::vector<Extent>> boundExtents(const ast::Param &p, const Candidate &c);
  bool matchArgument(const ast::Param &p, const Argument &a, Candidate &c, std::string &why);
  Value instantiate(const Candidate &c, const std::vector<Argument> &args, const ast::Expr &call);
  std::string describe(const Argument &a);

  const ast::File &file_;
  const ast::Kernel &kernel_;
  const ast::File *stdlib_;
  const Point &point_;
  Diagnostics &diags_;
  const CheckOptions &options_;
  const Space space_; ///< what is in error in it was reported by who built it first
  std::unique_ptr<TypedKernel> out_ = std::make_unique<TypedKernel>();
  std::vector<Scope> scopes_;
  std::vector<Frame> frames_;
  std::deque<Literal> literals_;
  Block *block_ = nullptr; ///< where statements go
  const ast::Expr *statementCall_ =
      nullptr; ///< the call that is a whole statement: store and barrier may stand there
  std::set<std::string, std::less<>> reported_; ///< unknown names: once each
  std::set<const ast::Function *> failedFunctions_;
  using Edge = std::tuple<ParamId, size_t, bool>; ///< tensor, axis, whether the lower one
  struct Outside {
    Edge edge;
    Subscript place;
    int64_t start;
    std::vector<SourceRange> calls; ///< of the functions it stands in, the inner one first
  };
  std::vector<Outside> outside_; ///< constant places beyond an edge
  std::set<Edge> reached_;       ///< edges that a constant slice reaches over
  unsigned depth_ = 0, inlinedStatements_ = 0;
  bool failed_ = false, tooLarge_ = false;
  unsigned dead_ = 0;   ///< inside branches that this point does not take
  Diagnostics unheard_; ///< what was found there and does not hold at the points that take them
};

/// `end - start` where both differ by a constant whatever their variables are (`i + 8` and `i`).
std::optional<int64_t> constantDifference(ExprP end, ExprP start);
/// The value of `a op b` of scalar integers of type `t`, total as the language has it.
std::optional<int64_t> foldInteger(Op op, ScalarType t, int64_t a, int64_t b);

} // namespace phobos::sema
