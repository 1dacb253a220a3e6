// The points of a space, one at a time, in the order of the declaration (the last name varies fastest).
#pragma once
#include "kbench/space/Plan.h"
#include <memory>
#include <unordered_set>

namespace phobos::kbench {

/// Lazy: holds one point and a bounded memory of dead ends. Of points that differ only in ignored names it
/// gives the first.
class Walk {
public:
  /// `space` must outlive it.
  explicit Walk(const SearchSpace &space);
  /// The next point, with every declared name; nullopt at the end.
  std::optional<Point> next();
  /// Steps made so far, so that a caller can see that a sparse space keeps it busy.
  uint64_t steps() const { return steps_; }

private:
  struct KeyHash {
    size_t operator()(const StateKey &k) const { return k.a ^ k.b; }
  };
  Point current() const;
  bool enter(size_t depth); ///< bind the choice at `depth`, unless it is known to lead nowhere
  void leave(size_t depth); ///< its choices are used up

  const SearchSpace &space_;
  Plan plan_;
  std::unique_ptr<Binder> binder_;
  size_t kept_ = 0;            ///< depths below are of names that are not ignored
  std::vector<size_t> choice_; ///< of each depth
  std::vector<bool> found_;    ///< a point was found below this depth's current prefix
  std::unordered_set<StateKey, KeyHash> dead_;
  uint64_t steps_ = 0;
  bool started_ = false, ended_ = false;
};

} // namespace phobos::kbench
