#include "kbench/workers/Pool.h"
#include <algorithm>

namespace phobos::kbench {

Pool::Pool(PoolOptions options) : options_(std::move(options)), workers_(std::max(1u, options_.workers)) {}
Pool::~Pool() = default;

bool Pool::hasIdle() const {
  return std::any_of(workers_.begin(), workers_.end(), [](const Worker &w) { return w.isIdle(); });
}

unsigned Pool::busy() const {
  return static_cast<unsigned>(
      std::count_if(workers_.begin(), workers_.end(), [](const Worker &w) { return w.isBusy; }));
}

bool Pool::launch(Worker &worker, std::string &error) {
  worker.isReady = false;
  worker.process = ChildProcess::start(options_.command, error);
  if (!worker.process)
    return false;
  ++started_;
  worker.process->sendLine(options_.greeting); // one that does not listen ends, and that is seen
  worker.deadline = Clock::now() + options_.startLimit;
  return true;
}

std::optional<bool> Pool::hasGreeted(Worker &worker, std::string &error) {
  const bool open = worker.process->receive();
  if (auto line = worker.process->takeLine()) {
    if (line->starts_with("ready")) {
      ready_ = line->substr(5);
      worker.isReady = true;
      return true;
    }
    error = *line;
  } else if (open && Clock::now() < worker.deadline) {
    return std::nullopt;
  } else {
    error = "a worker did not start: " + worker.process->reap(open).str();
  }
  worker.process.reset();
  return false;
}

void Pool::begin(unsigned workers) {
  std::string ignored;
  for (Worker &w : workers_)
    if (workers > 0 && !w.process)
      --workers, launch(w, ignored);
}

bool Pool::start(Worker &worker, std::string &error) {
  if (!worker.process && !launch(worker, error))
    return false;
  while (!worker.isReady) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(worker.deadline - Clock::now()).count();
    std::vector<pollfd> fds{{worker.process->readFd(), POLLIN, 0}};
    if (options_.interrupt)
      options_.interrupt->addTo(fds);
    poll(fds.data(), fds.size(), static_cast<int>(std::max<int64_t>(0, left)));
    if (options_.interrupt && options_.interrupt->isRaised()) {
      error = "interrupted";
      worker.process.reset();
      return false;
    }
    if (hasGreeted(worker, error) == false)
      return false;
  }
  return true;
}

bool Pool::give(uint64_t job, const std::string &request, std::chrono::milliseconds limit, std::string &error,
                std::chrono::milliseconds phaseLimit) {
  // One that is ready is better than one that is about to be, and that than one that must be started.
  Worker *worker = nullptr;
  auto readiness = [](const Worker &w) { return w.isReady ? 2 : w.process ? 1 : 0; };
  for (Worker &w : workers_)
    if (!w.isBusy && (!worker || readiness(w) > readiness(*worker)))
      worker = &w;
  if (!worker) {
    error = "every worker is busy";
    return false;
  }
  // A worker that died idle (somebody killed it) is replaced without a word.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (worker->process && !worker->isReady && !start(*worker, error))
      return false;
    if (worker->process && worker->process->sendLine(request)) {
      worker->isBusy = true;
      worker->job = job;
      worker->since = Clock::now();
      worker->deadline = worker->since + limit;
      worker->phaseLimit = phaseLimit;
      worker->phase.clear();
      worker->doing.clear();
      return true;
    }
    worker->process.reset();
    if (!start(*worker, error))
      return false;
  }
  error = "a fresh worker does not listen";
  return false;
}

void Pool::addTo(std::vector<pollfd> &fds) const {
  for (const Worker &w : workers_)
    if (!w.isIdle())
      fds.push_back({w.process->readFd(), POLLIN, 0});
}

std::optional<Clock::time_point> Pool::nextDeadline() const {
  std::optional<Clock::time_point> next;
  for (const Worker &w : workers_)
    if (!w.isIdle() && (!next || w.deadline < *next))
      next = w.deadline;
  return next;
}

std::vector<Outcome> Pool::collect() {
  std::vector<Outcome> result;
  for (Worker &w : workers_) {
    if (std::string ignored; !w.isBusy && w.process && !w.isReady)
      hasGreeted(w, ignored); // why it failed is asked when it is needed
    if (!w.isBusy)
      continue;
    bool open = w.process->receive();
    Outcome outcome;
    outcome.job = w.job;
    outcome.seconds = std::chrono::duration<double>(Clock::now() - w.since).count();
    auto line = w.process->takeLine();
    for (; line && (line->starts_with("phase ") || line->starts_with("doing "));
         line = w.process->takeLine()) {
      if (line->starts_with("doing ")) {
        w.doing = line->substr(6);
        continue;
      }
      w.phase = line->substr(6);
      w.deadline = Clock::now() + w.phaseLimit;
    }
    outcome.phase = w.phase;
    outcome.doing = w.doing;
    if (line) {
      const bool isLast = line->starts_with("last ");
      outcome.answer = isLast ? line->substr(5) : std::move(*line);
      if (options_.isOnceOnly || isLast)
        w.process.reset(), w.isReady = false;
    } else if (!open) {
      Ending ending = w.process->reap(false);
      outcome.kind = ending.isCrash() ? Outcome::Kind::Crash : Outcome::Kind::Lost;
      outcome.detail = ending.str();
      w.process.reset();
      w.isReady = false;
    } else if (Clock::now() >= w.deadline) {
      w.process->reap(true);
      outcome.kind = Outcome::Kind::Timeout;
      w.process.reset();
      w.isReady = false;
    } else {
      continue;
    }
    w.isBusy = false;
    result.push_back(std::move(outcome));
  }
  return result;
}

void Pool::replaceAll() {
  for (Worker &w : workers_)
    if (!w.isBusy) {
      w.process.reset();
      w.isReady = false;
    }
}

bool waitForAny(const std::vector<Pool *> &pools, const Interrupt *interrupt,
                std::chrono::milliseconds atMost) {
  std::vector<pollfd> fds;
  if (interrupt)
    interrupt->addTo(fds);
  auto until = Clock::now() + atMost;
  for (Pool *p : pools) {
    p->addTo(fds);
    if (auto d = p->nextDeadline())
      until = std::min(until, *d);
  }
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count() + 1;
  poll(fds.data(), fds.size(), static_cast<int>(std::max<int64_t>(0, left)));
  return interrupt && interrupt->isRaised();
}

} // namespace phobos::kbench
