// The plain point: what all others are compared with at full size. The first of the candidates that compiles,
// is right at small sizes and runs at full size.
#pragma once
#include "kbench/tune/Search.h"
#include "kbench/workers/Messages.h"
#include "kbench/workers/Pool.h"

namespace phobos::kbench {

/// One request after another, while the points are compiled and verified at small sizes.
class PlainPoint {
public:
  PlainPoint(const Session &session, const SearchOptions &options)
      : session_(session), options_(options), why_(options.noFullSize) {}

  /// Whether it is found, or there is none.
  bool isSettled() const { return isFound_ || candidate_ == options_.plainPoints.size(); }
  std::optional<Request::Item> found() const { return isFound_ ? std::optional(item()) : std::nullopt; }
  /// Why there is none.
  const std::string &why() const { return why_; }

  /// Which candidate it may be: the found one, once it is settled. None: `isSettled` without one.
  std::optional<size_t> candidate() const {
    return candidate_ < options_.plainPoints.size() ? std::optional(candidate_) : std::nullopt;
  }
  Request::Item item() const;

  /// Whether a request waits to be given, and to whom.
  bool wantsWorker() const { return !isSettled() && !isRunning_; }
  bool wantsCompiler() const { return kind_ == Request::Kind::Compile; }
  Request take();
  void ended(const Outcome &outcome);

private:
  void tryNext(std::string why);

  const Session &session_;
  const SearchOptions &options_;
  size_t candidate_ = 0;
  Request::Kind kind_ = Request::Kind::Compile; ///< where the candidate is
  bool isRunning_ = false, isFound_ = false;
  std::string why_;
};

} // namespace phobos::kbench
