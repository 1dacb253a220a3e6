// What the device can do at most, asked of the device worker: the copy first, then each type of products that
// the kernel turns out to make.
#pragma once
#include "kbench/tune/Search.h"
#include "kbench/workers/Messages.h"
#include "kbench/workers/Pool.h"
#include <optional>
#include <set>

namespace phobos::kbench {

class RoofTask {
public:
  /// `kept` was measured before and is not asked for.
  explicit RoofTask(const std::optional<Roof> &kept = std::nullopt);
  /// What to ask next; nothing while an answer is awaited, or where all is asked.
  std::optional<Request> next(const Products &products);
  /// `why` is set where a type is not known.
  void ended(const Outcome &outcome, Roof &roof, std::string &why);
  /// Whether the first answer is there, whatever it is.
  bool isBegun() const { return isBegun_; }

private:
  bool isRunning_ = false, isBegun_ = false;
  std::set<std::string> known_; ///< types asked for, or measured beside the copy
};

/// Whether some point took less time than the roof says that any can.
bool isAboveRoof(const SearchOutcome &outcome);
/// What the device does, it can do: measures again, and keeps the larger of each. `device` is idle.
void measureRoofAgain(Pool &device, const SearchOptions &options, SearchOutcome &outcome);

} // namespace phobos::kbench
