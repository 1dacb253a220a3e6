// Workers of one kind under supervision: each has at most one job, with a deadline; one that dies or is late
// is replaced, and its job ends with an outcome that says so. Single-threaded: the owner polls.
#pragma once
#include "kbench/workers/Interrupt.h"
#include "kbench/workers/Process.h"
#include <chrono>
#include <poll.h>

namespace phobos::kbench {

using Clock = std::chrono::steady_clock;

struct Outcome {
  enum class Kind : uint8_t {
    Answer,  ///< `answer` is the worker's line
    Crash,   ///< it brought a signal upon itself
    Timeout, ///< it was late and has been killed
    Lost,    ///< it vanished otherwise
  };
  uint64_t job = 0;
  Kind kind = Kind::Answer;
  std::string answer;
  std::string detail; ///< of the others: how it ended
  double seconds = 0; ///< since the job was given
  std::string phase;  ///< what the worker said last that it had come to; empty: it said nothing
  std::string doing;  ///< what the worker said last that may take long: `ptxas assembled it`; may be empty
};

struct PoolOptions {
  std::vector<std::string> command; ///< starts a worker
  std::string greeting;             ///< its first line; it answers `ready` and may add to it
  unsigned workers = 1;
  std::chrono::milliseconds startLimit{20000};
  bool isOnceOnly = false; ///< a worker does one job and is ended, as is one that answers `last ..`
  const Interrupt *interrupt = nullptr; ///< raised: a worker that is starting is not waited for
};

class Pool {
public:
  explicit Pool(PoolOptions options);
  ~Pool();

  /// Starts one worker ahead of the first job, and waits for it. False with a reason.
  bool start(std::string &error) { return start(workers_[0], error); }
  /// Starts the processes of `workers` workers without waiting: collect() sees them become ready. One that
  /// cannot start says so when it is given a job.
  void begin(unsigned workers);
  bool hasIdle() const;
  unsigned busy() const;
  /// Gives a job to an idle worker, starting one if need be. False with a reason if none can be started. A
  /// worker that says `phase WORDS` before it answers has `phaseLimit` from then on; `doing WORDS` changes no
  /// limit.
  bool give(uint64_t job, const std::string &request, std::chrono::milliseconds limit, std::string &error,
            std::chrono::milliseconds phaseLimit = {});
  /// Adds what to wait for.
  void addTo(std::vector<pollfd> &fds) const;
  /// When the next worker is late.
  std::optional<Clock::time_point> nextDeadline() const;
  /// What has ended since. Call after poll().
  std::vector<Outcome> collect();
  /// What the last worker said beside `ready`.
  const std::string &readyLine() const { return ready_; }
  /// Ends every worker: the next job starts a fresh process.
  void replaceAll();
  /// Workers started so far.
  unsigned started() const { return started_; }

private:
  struct Worker {
    std::unique_ptr<ChildProcess> process;
    bool isBusy = false, isReady = false;
    bool isIdle() const { return !isBusy && (isReady || !process); }
    uint64_t job = 0;
    Clock::time_point since, deadline;
    std::chrono::milliseconds phaseLimit{};
    std::string phase, doing;
  };
  bool start(Worker &worker, std::string &error);
  bool launch(Worker &worker, std::string &error); ///< the process and the greeting
  /// Whether it has said that it is ready; false with a reason ends it.
  std::optional<bool> hasGreeted(Worker &worker, std::string &error);

  PoolOptions options_;
  std::vector<Worker> workers_;
  std::string ready_;
  unsigned started_ = 0;
};

/// Waits until a pool has something to collect, a deadline passes, or the interrupt is raised (then true).
bool waitForAny(const std::vector<Pool *> &pools, const Interrupt *interrupt,
                std::chrono::milliseconds atMost);

} // namespace phobos::kbench
