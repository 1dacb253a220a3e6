// Indices as sums: a constant plus multiples of block coordinates, the thread and loop counters.
#pragma once
#include "compiler/sema/Typed.h"
#include <map>

namespace phobos::sema {

struct Linear {
  enum class Symbol : uint8_t {
    BlockX,
    BlockY,
    BlockZ,
    Thread,  ///< in [0, threads)
    Counter, ///< of a loop with constant bounds or not: `var`
    Other,   ///< anything else; `expr`
  };
  struct Term {
    Symbol symbol;
    VarId var = 0;
    ExprP expr = nullptr;
    int64_t factor = 1;
  };
  int64_t constant = 0;
  std::vector<Term> terms; ///< of different symbols, no factor 0

  bool isConstant() const { return terms.empty(); }
  /// The factor of block coordinate `axis`, 0 if it is not there.
  int64_t blockFactor(int axis) const;
};

/// What a loop counter runs over: lo, lo + step, ..; `last` if both bounds are constant and it runs at all.
struct CounterRange {
  int64_t lo = 0, step = 1;
  std::optional<int64_t> last;
};

/// The sums of one kernel's indices. Names that are given a value once stand for it.
class LinearForms {
public:
  explicit LinearForms(const TypedKernel &kernel);
  Linear of(ExprP e) const;
  /// If its lower bound and step are constant.
  std::optional<CounterRange> counter(VarId var) const;
  static constexpr unsigned kUnknown = 8;
  /// Bits 0..2: the block coordinates that `e` depends on, through variables too (control flow aside);
  /// kUnknown too where a value in error is among them.
  unsigned coordinates(ExprP e) const;

private:
  friend class LinearCollector;
  Linear other(ExprP e) const;

  std::map<VarId, Linear> known_; ///< of variables assigned once
  std::map<VarId, CounterRange> counters_;
  std::vector<bool> isCounter_;
  std::vector<unsigned> coordinates_; ///< of variables
};

} // namespace phobos::sema
