// The typed launch contract of a kernel: its parameters, the runtime dimensions, the grid and the conditions
// that a launch must meet. A plain value, made by the compiler and checked by whoever launches (phobos-run,
// kbench, the runtime). No LLVM here.
#pragma once
#include "runtime/contract/ScalarType.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace phobos {

/// An integer expression over the runtime dimensions; comparisons give 0 or 1. Arithmetic wraps at 64 bits
/// and division is total, as in the language (x / 0 is 0, x % 0 is x).
struct HostExpr {
  enum class Op : uint8_t {
    Const,
    Dim,
    Neg,
    Not,
    BitNot,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    CDiv,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Max,
    Min,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    LogicalAnd,
    LogicalOr,
    Conditional
  };
  Op op = Op::Const;
  int64_t value = 0;          ///< Const: the number; Dim: index into the contract's dims
  std::vector<HostExpr> args; ///< Conditional: value, condition, otherwise

  static HostExpr constant(int64_t v) { return {Op::Const, v, {}}; }
  static HostExpr dim(int64_t index) { return {Op::Dim, index, {}}; }
  int64_t evaluate(const std::vector<int64_t> &dims) const;
  /// Infix, with the dimension names.
  std::string str(const std::vector<std::string> &dimNames) const;
};

struct ContractExtent {
  bool fixed = false;
  int64_t value = 0; ///< the extent, or the index into `dims`
};

struct ContractParam {
  std::string name;
  bool isTensor = false;
  ScalarType elem = ScalarType::F32;
  std::vector<ContractExtent>
      extents; ///< of a tensor, rank 1 to 5; the last axis contiguous, the other strides any positive
  bool isRead = false, isWritten = false;
};

struct ContractRequire {
  HostExpr condition;
  std::string text, reason;
  std::string values = {}; ///< of the point's names in it: `T = 8, U = 1`
};

struct ContractAligned {
  int64_t dim = 0; ///< index into `dims`
  int64_t multiple = 1;
};

struct Contract {
  std::string kernel;
  std::vector<ContractParam> params;
  std::vector<std::string> dims;
  bool gridFromHost = false;
  std::array<HostExpr, 3> grid{HostExpr::constant(1), HostExpr::constant(1),
                               HostExpr::constant(1)}; ///< unused if from the host
  std::vector<std::optional<HostExpr>>
      inferredGrid; ///< 3 entries: what a full cover needs, where it is known
  std::vector<ContractRequire> requires_;
  std::vector<ContractAligned> aligned;
};

/// A tensor argument as a launch sees it.
struct TensorShape {
  ScalarType elem = ScalarType::F32;
  std::vector<int64_t> extents;
  std::vector<int64_t> strides; ///< in elements
  const void *data = nullptr;
};

/// What a checked launch knows: the value of each runtime dimension and the grid.
struct BoundLaunch {
  std::vector<int64_t> dims;
  std::array<int64_t, 3> grid{1, 1, 1};
  std::vector<std::string> warnings; ///< a grid that stores less than all
  /// Of a launch that was refused: what in the kernel refuses it. `index` is of the parameter or @require.
  struct Refusal {
    enum class By : uint8_t { Kernel, Param, Require, Aligned, Grid } by = By::Kernel;
    size_t index = 0;
  } refusal;
  bool isEmpty() const { return grid[0] == 0 || grid[1] == 0 || grid[2] == 0; }
};

struct BindOptions {
  std::optional<std::array<int64_t, 3>> grid; ///< given by the host: wins
  std::vector<std::pair<std::string, int64_t>>
      dims; ///< dimensions that no tensor fixes yet (or that must agree)
  bool assumeDisjoint = false;
};

/// `0x7f00a000`
std::string addressText(uintptr_t address);
/// What to say of an address that is no element's.
std::string misaligned(const std::string &parameter, uintptr_t address, ScalarType elem);

/// Checks `tensors` (one entry a parameter, null for scalars) against the contract: types, ranks, extents,
/// equal dimensions, strides, misaligned addresses, overlap of written tensors, @aligned, @require, grid. On
/// failure returns false with a message that names the parameter, the rule and both values.
bool bindLaunch(const Contract &contract, const std::vector<const TensorShape *> &tensors,
                const BindOptions &options, BoundLaunch &result, std::string &error);

} // namespace phobos
