// The typed tree of one kernel at one point: what sema hands to the interpreter and to the IR builder.
//
// Everything that the language leaves to the reader is explicit here: every conversion and broadcast is a
// node, both operands of an arithmetic node have the same type, subscripts are of type index, functions are
// instantiated at each call, compound assignment is spelt out, shapes are numbers. Variance says which
// threads may see different values. Nodes are owned by the TypedKernel and never change after check().
#pragma once
#include "compiler/support/Point.h"
#include "compiler/support/Source.h"
#include "compiler/support/Types.h"
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace phobos::sema {

/// Which threads of a block may hold different values: none, those of different warps, any.
enum class Variance : uint8_t { Uniform, Warp, Thread };

struct Expr;
struct Stmt;
using ExprP = const Expr *;
using StmtP = const Stmt *;
using VarId = uint32_t;   ///< indexes TypedKernel::vars
using ParamId = uint32_t; ///< indexes TypedKernel::params
using DimId = uint32_t;   ///< indexes TypedKernel::dims

struct Block {
  std::vector<StmtP> statements;
};

enum class Op : uint8_t {
  // leaves
  Int,   ///< intValue, of an integer type or index
  Float, ///< floatValue (already rounded to the type)
  Bool,  ///< intValue 0 or 1
  Var,   ///< the value of local `var`
  Param, ///< the value of scalar parameter `param`
  Dim,   ///< the runtime extent `dim`, of type index
  BlockId,
  GridDim, ///< `axis` 0..2, of type index
  ThreadId,
  WarpId,
  LaneId, ///< of type index; ThreadId in [0, threads)
  // elementwise: scalars, or tiles of one shape; operands and result have one type unless said
  Neg,
  BitNot,
  Not,
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  And,
  Or,
  Xor,
  Shl,
  Shr, ///< integers wrap; And, Or, Xor of bools too; Div, Rem, Shl, Shr total (spec/arithmetic.md); the shift
       ///< count has the type of the value
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge, ///< bool result
  LogicalAnd,
  LogicalOr,   ///< bool; on scalars the right operand is evaluated only if needed
  Conditional, ///< args = value, condition, otherwise; scalar condition; only the chosen one is evaluated
  Where,       ///< args = condition (bool of the same shape), a, b; both are evaluated
  Max,
  Min,  ///< NaN if any operand is NaN
  CDiv, ///< integers: the quotient rounded up (towards +inf); x cdiv 0 is 0
  Abs,
  Floor,
  Ceil,
  Round, ///< Round: ties to even
  Fma,
  Pow,
  Exp,
  Exp2,
  Log,
  Log2,
  Sqrt,
  Rsqrt,
  Tanh,
  Sigmoid,
  Erf,
  Sin,
  Cos,
  Convert, ///< args[0] to the node's element type
  Bitcast,
  Broadcast, ///< a scalar, or a tile with extents of 1 or missing leading axes, to the node's shape
  // shape
  Transpose,
  Reshape,     ///< Reshape: row-major order kept (`flat` is one too)
  Iota,        ///< i32 coordinate along `axis`
  Cat,         ///< args = a, b along `axis`
  TileSlice,   ///< args[0] at `offsets`; the node's shape, after dropping the axes in `dropped`
  InsertSlice, ///< args = tile, value; the tile with `value` put at `offsets` (value's shape has the dropped
               ///< axes left out)
  Tril,
  Triu, ///< elements with j - i <= k (tril), >= k (triu) kept, others 0; k = intValue
  // reductions, scans, products
  Reduce,    ///< `reduction` over `axis` (extent becomes 1), or over all to a scalar (axis = -1)
  ArgReduce, ///< Max or Min over `axis`; i32, the first of equals, the first NaN if any
  Scan,      ///< inclusive, `reduction` in {Sum, Prod, Max} along `axis`
  Dot, ///< args = a [M, K], b [K, N] (or [N, K] if transposeB), one element type; result accumulatorOf(it)
       ///< [M, N]
  // memory
  Load,   ///< tensor `param` at `subscripts`; args[0] = fill, if given (a scalar of the element type)
  Atomic, ///< `atomic` on `param` at `subscripts` (all points); args = value, or expected, desired; the old
          ///< value
  Rand,   ///< args = seed, offset (both i64, one shape): f32 in [0, 1)
  Call,   ///< `call`: an instantiated function
};

enum class Reduction : uint8_t { Sum, Prod, Max, Min };
enum class AtomicOp : uint8_t { Add, Max, Min, Cas };

/// One axis of a tensor access: a point (axis dropped) or [start, start + length).
struct Subscript {
  bool isPoint = true;
  ExprP start = nullptr; ///< scalar index
  int64_t length = 1;
  SourceRange range;
};

/// A function instantiated at one call: its parameters are fresh variables, tensors are the caller's
/// parameters already.
struct Inlined {
  std::string name;
  std::vector<VarId> params; ///< set from the node's args, in order
  Block body;                ///< Return inside leaves this body only
};

struct Expr {
  Op op = Op::Int;
  Type type;
  Variance variance = Variance::Uniform;
  SourceRange range;
  std::vector<ExprP> args;
  // payload, by op
  int64_t intValue = 0;
  double floatValue = 0;
  VarId var = 0;
  ParamId param = 0;
  DimId dim = 0;
  int axis = 0;
  bool transposeB = false;
  Reduction reduction = Reduction::Sum;
  AtomicOp atomic = AtomicOp::Add;
  bool oncePerBlock = false;    ///< Atomic: uniform in control flow, position and value
  std::vector<int64_t> offsets; ///< TileSlice, InsertSlice: per axis of the whole tile
  std::vector<int64_t> lengths; ///< TileSlice, InsertSlice: per axis of the whole tile
  std::vector<bool> dropped;    ///< TileSlice, InsertSlice: axes given as a point
  std::vector<Subscript> subscripts;
  std::shared_ptr<const Inlined> call;
};

struct Stmt {
  enum class Kind : uint8_t {
    Assign, ///< var = value (a declaration is the first assignment)
    Store,  ///< tensor `param` at `subscripts` = value; `mask` (bool of the value's shape) or null
    Expr,   ///< value, for its effect
    If,     ///< value, body, orElse
    For,    ///< var in [lo, hi) by step; `unroll` iterations at a time
    While,  ///< value, body
    Break,
    Continue,
    Return, ///< value or null: leaves the enclosing Inlined, else this thread's (or block's) work
    Barrier,
    Block, ///< body
  };
  Kind kind = Kind::Expr;
  SourceRange range;
  VarId var = 0;
  ParamId param = 0;
  std::vector<Subscript> subscripts;
  ExprP value = nullptr, mask = nullptr;
  ExprP lo = nullptr, hi = nullptr, step = nullptr; ///< of type index
  int64_t unroll = 1;
  Block body, orElse;
  /// Variance of the control flow around it: Thread means only some threads may get here.
  Variance control = Variance::Uniform;
  /// Store: done once a block (uniform value at a uniform place), or by each thread.
  bool oncePerBlock = true;
};

/// An extent of a tensor: a number, or the runtime dimension `dim`.
struct Extent {
  std::optional<int64_t> fixed;
  DimId dim = 0;
};

struct Param {
  std::string name;
  SourceRange range;
  bool isTensor = false;
  ScalarType elem = ScalarType::F32; ///< of a scalar parameter its type
  std::vector<Extent> extents;       ///< of a tensor; the last axis is contiguous, other strides are runtime
  bool isRead = false, isWritten = false; ///< atomics are both
};

struct Local {
  std::string name;
  Type type;
  Variance variance = Variance::Uniform;
  SourceRange range;
  bool isUnknown = false; ///< while checking: some value given to it is in error
};

/// `@require` over runtime dimensions, left for the launch; over constants it is decided before.
struct Require {
  ExprP condition; ///< over Dim, Int and arithmetic
  std::string reason;
  std::string text;   ///< as written
  std::string values; ///< of the point's names in it: `T = 8, U = 1`
  SourceRange range;
};

struct Aligned {
  DimId dim;
  int64_t multiple;
};

struct Grid {
  bool fromHost = false;       ///< @grid(host): the launch must give it
  std::array<ExprP, 3> axes{}; ///< over Dim, Int and arithmetic; index
  /// What a full cover needs where it can be inferred, even if @grid says otherwise (for a warning at
  /// launch); null if not.
  std::array<ExprP, 3> inferred{};
};

struct TypedKernel {
  std::string name;
  SourceRange range; ///< the signature
  Point point;       ///< every declared name, then the overridden GEMM names
  std::vector<Param> params;
  std::vector<std::string> dims; ///< runtime dimension names
  std::vector<Local> vars;
  Block body;
  Grid grid;
  std::vector<Require> requires_;
  std::vector<Aligned> aligned;
  std::optional<int64_t> threads; ///< @launch or THREADS; unset: the path chooses (256 where usesThreads)
  std::optional<int64_t> minBlocks, maxRegisters;
  bool usesThreads = false; ///< ctx.thread and its kin occur: per-thread code
  bool usesBarrier = false;
  bool lostStores = false;              ///< while checking: statements in error may store, and are left out
  std::optional<ScalarType> tensorcore; ///< @tensorcore: f16, bf16, or F32 standing for tf32
  bool pipelined = false;               ///< @pipeline
  std::optional<int64_t> stages;        ///< @pipeline(n) or STAGES
  bool persistent = false;

  /// Threads a block runs where the kernel has per-thread code.
  int64_t threadCount() const { return threads.value_or(256); }

  std::deque<Expr> exprs; ///< owners
  std::deque<Stmt> stmts;
};

/// Atomics, or a call that stores: cannot be evaluated twice, speculatively or never.
bool hasSideEffects(ExprP e);
/// A readable dump, for tests and `--emit ast` at a point.
std::string dump(const TypedKernel &kernel);
/// The name of an operation, as the dump and the IR print it.
std::string_view name(Op op);

} // namespace phobos::sema
