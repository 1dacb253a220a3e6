// A search: takes points from a source through compiling, verifying and timing, then the finals, then the
// winner once more in fresh processes. The parent does nothing that a bad point could harm: it holds no
// device and compiles nothing.
#pragma once
#include "kbench/ledger/Ledger.h"
#include "kbench/stats/Statistics.h"
#include "kbench/tune/PointSource.h"
#include "kbench/workers/Messages.h"
#include "kbench/workers/Pool.h"
#include "kbench/workers/Session.h"
#include <array>
#include <chrono>
#include <functional>
#include <map>

namespace phobos::kbench {

struct SearchOptions {
  std::vector<std::string> workerCommand; ///< `executable kbench --worker`; the role is added
  unsigned compileWorkers = 1;
  double expectedPoints = 1;    ///< about; no more workers than that are started
  bool sharesProcessor = false; ///< no compiling while a point is timed
  std::chrono::milliseconds compileLimit{60000}, runLimit{30000};
  double budgetMs = 200; ///< of repeats a point
  std::chrono::milliseconds finalsLimit{8000};
  /// Points to try in turn as the plain one that others are compared with at full size; none: nothing is.
  std::vector<Point> plainPoints;
  std::string noFullSize;       ///< why nothing is verified at full size, where `plainPoints` is empty
  std::optional<Roof> keptRoof; ///< of this device, measured before
  std::string baseline;         ///< a library to time beside the finalists; empty: none
  const Interrupt *interrupt = nullptr; ///< raised: stop and rank what there is
};

struct PointResult {
  Measurement measurement; ///< of the search
  std::vector<double> finalsNs;
  std::string warning;     ///< of the checks of its small runs; not known of one that the ledger had
  bool fromLedger = false; ///< an earlier, interrupted run had it
  Status status() const { return measurement.verdict.status; }
  bool wasInFinals() const { return !finalsNs.empty(); }
  /// What it is ranked by: the finals' samples if it was there.
  Summary summary() const { return summarize(finalsNs.empty() ? measurement.samplesNs : finalsNs); }
};

struct Progress {
  size_t done = 0, ok = 0;
  std::string doing; ///< `compiling`, `timing TILE_M=64 ..`, `finals, round 3 of 5 points`
  const PointResult *best = nullptr;
};

/// A library's routine for the same, timed in the rounds of the finals.
struct Baseline {
  std::string name;              ///< with its version; empty where there is none
  std::string note;              ///< why there is no time
  bool isVerifiedInFull = false; ///< at the size at which it is timed too
  Measurement measurement;
};

/// Where the time of a search went, in seconds.
struct Spent {
  double total = 0; ///< by the clock
  unsigned compileWorkers = 0;
  double compiling = 0; ///< of all compile workers together, the interpreter included
  double roof = 0, reference = 0, small = 0, full = 0, timing = 0; ///< of the device worker
  double finals = 0, again = 0;                                    ///< by the clock, at the end
};

struct SearchOutcome {
  Spent spent;
  Roof roof;                 ///< of the device: the copy, and the types of products that the kernel makes
  std::string noProductRoof; ///< why a type's is not known
  bool isRoofMeasuredAgain = false; ///< a point was above it
  Products products;                ///< of the kernel (Reply)
  double unsurePart = 0;            ///< of its bytes, of which only data tells whether they are touched
  std::string unsure;               ///< the tensors that they are of
  /// What the roof would take of what the point took, and which roof it is: of what would take longer.
  struct RoofShare {
    double percent = 0;
    std::string against; ///< `copy`, `dot bf16`
  };
  /// Nullopt where the roof of what it is bound by is not known, or what it must move is not.
  std::optional<RoofShare> shareOfRoof(const PointResult &point) const;
  /// More of the bytes than this are unsure: what a memory-bound kernel must move is not known.
  static constexpr double mostUnsure = 0.1;
  /// Why there is none for want of the latter; empty: there is one.
  std::string unknownTraffic() const;
  void takeEffort(const Reply &compiled);
  std::optional<Request::Item> plain; ///< what points were compared with at full size
  std::string noFullSize;             ///< why there is none
  std::vector<PointResult> results;   ///< in the order of the source
  std::vector<size_t> ranking;        ///< of the ok ones, the winner first
  bool wasInterrupted = false;
  std::vector<size_t> tied; ///< finalists that noise does not tell from the leader, itself among them
  bool isTie = false;       ///< the leaders' medians are as good as equal: the winner has fewer resources
  size_t finalists = 0, rounds = 0;
  Baseline baseline;
  bool winnerHeld = false;      ///< it passed again, in fresh processes, on fresh inputs
  std::string environmentError; ///< workers cannot be started, the ledger cannot be written
  DeviceInfo device;
};

/// Called as things happen.
struct SearchEvents {
  std::function<void(const Progress &)> progress;
  std::function<void(const Measurement &)> measured; ///< goes into the ledger
  /// Now and then, while points are measured: what has ended so far, ranked.
  std::function<void(const SearchOutcome &)> soFar;
};

/// `known` are results of an earlier run that need not be had again.
/// `device` is the pool of the device worker, perhaps started already.
SearchOutcome search(const Session &session, PointSource &source, const SearchOptions &options,
                     const SearchEvents &events, std::map<std::string, Measurement> known, Pool &device);

/// How workers of a role (`compile`, `device`) are started.
PoolOptions workerPool(const Session &session, const SearchOptions &options, const char *role,
                       unsigned workers);

/// Starts the device worker and asks what the device is called. False with a reason.
bool askDevice(Pool &device, DeviceInfo &info, std::string &error);

} // namespace phobos::kbench
