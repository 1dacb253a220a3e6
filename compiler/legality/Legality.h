// Legality: which points a path can take, as named rules. The same objects decide in the compiler, explain a
// rejected point, print the table in the documentation, and are tested against brute force. No MLIR here.
#pragma once
#include "compiler/legality/Formula.h"
#include "compiler/support/Point.h"
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace phobos::legality {

/// A path of a target, as a bit.
enum class Path : uint8_t { Published = 1, Cpu = 2, Simt = 4, Mma = 8, Gpu = 16, Wgmma = 32 };
using Paths = uint8_t;
constexpr Paths operator|(Path a, Path b) {
  return static_cast<Paths>(static_cast<Paths>(a) | static_cast<Paths>(b));
}
constexpr Paths operator|(Paths a, Path b) { return static_cast<Paths>(a | static_cast<Paths>(b)); }

/// Holds if `formula` is not 0. Rules are in the order in which each guards the divisions of the next.
struct Rule {
  std::string_view name;
  Paths paths;
  std::string_view formula;
  std::string_view sentence; ///< what would break; `{expression}` is replaced by its value
};

/// A number that several rules use, computed from the others.
struct Number {
  std::string_view name;
  Paths paths;
  std::string_view formula;
  std::string_view meaning;
};

/// A name that may be left unset, with the values that the compiler tries, best first.
struct Unset {
  std::string_view name;
  Paths paths;
  std::vector<int64_t> choices;
};

const std::vector<Rule> &rules();
const std::vector<Number> &numbers();
const std::vector<Unset> &unsetNames();
/// `warptile` (the published list), `cpu`, `simt`, `mma`, `wgmma`, `gpu` (every kernel of that target, from
/// what it turned out to need).
std::optional<Path> pathNamed(std::string_view list);
std::vector<std::string_view> listNames();

struct Verdict {
  const Rule *broken = nullptr; ///< null: legal
  std::string reason;           ///< the broken rule's sentence, filled
  bool isLegal() const { return !broken; }
};

/// The rules of one path with their formulas parsed. Cheap to use, dear to make: keep one. Thread-safe once
/// made.
class Judge {
public:
  explicit Judge(Path path);
  /// The first broken rule at a point where every name has a value.
  Verdict judge(const Lookup &names) const;
  Verdict judge(const Point &point) const;
  /// Sets the unset GEMM names of `point` (what `limits` holds is given) to values that make it legal, the
  /// preferred ones first. If there are none, the verdict names the rule that the best try broke: the one
  /// that came furthest down the list.
  Verdict complete(const Point &point, const Point &limits, Point &completed) const;
  /// The names that must be given: not computed, not completed.
  std::vector<std::string> inputs() const;
  /// A table for the documentation: rule, formula, what breaks.
  std::string markdown() const;

private:
  struct Parsed {
    const Rule *rule;
    Formula formula;
  };
  std::string fill(std::string_view sentence, const Lookup &names) const;
  /// Whether a hole of the sentence shows the name itself.
  bool isInSentence(std::string_view sentence, std::string_view name) const;
  /// `names`, and the computed numbers.
  Lookup withNumbers(const Lookup &names) const;
  struct Search;

  Path path_;
  std::vector<Parsed> rules_;
  std::vector<std::pair<std::string, Formula>> numbers_;
};

/// Reads points as CSV with a header of names (a column `verdict` is ignored) and writes for each the name of
/// the first broken rule, or `legal`. Names of the path that have no column are completed, where they can be;
/// SHARED_LIMIT is `sharedLimit`. False with `error` for an unknown list, a missing column, or a line that is
/// not numbers (it says which).
bool judgeCsv(std::istream &in, std::string_view list, int64_t sharedLimit, std::ostream &out,
              std::string &error);

} // namespace phobos::legality
