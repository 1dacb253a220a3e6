#include "kbench/tune/Search.h"
#include "kbench/tune/Finals.h"
#include "kbench/tune/Flow.h"
#include "kbench/tune/RoofTask.h"
#include <nlohmann/json.hpp>
#include <utility>

namespace phobos::kbench {

PoolOptions workerPool(const Session &session, const SearchOptions &options, const char *role,
                       unsigned workers) {
  PoolOptions pool;
  pool.command = options.workerCommand;
  pool.command.push_back(role);
  pool.greeting = session.toLine();
  pool.workers = workers;
  pool.interrupt = options.interrupt;
  return pool;
}

static DeviceInfo parseDevice(const std::string &line) {
  auto j = nlohmann::json::parse(line, nullptr, false);
  return j.is_object() ? DeviceInfo{j.value("name", ""), j.value("driver", ""), j.value("processor", ""),
                                    j.value("facts", ""), j.value("assembler", "")}
                       : DeviceInfo{};
}

SearchOutcome search(const Session &session, PointSource &source, const SearchOptions &options,
                     const SearchEvents &events, std::map<std::string, Measurement> known, Pool &device) {
  SearchOutcome outcome;
  const Clock::time_point since = Clock::now();
  Flow flow(session, source, options, events, std::move(known), device, outcome);
  flow.run();
  if (outcome.device.name.empty())
    outcome.device = parseDevice(device.readyLine());
  auto noteInterrupt = [&] { // also where it came while a worker was being started
    if (options.interrupt && options.interrupt->isRaised()) {
      outcome.wasInterrupted = true;
      outcome.environmentError.clear();
    }
  };
  noteInterrupt();
  if (!outcome.wasInterrupted && outcome.environmentError.empty()) {
    Finals finals(session, options, events, flow.compilers(), device, flow.again(), outcome);
    finals.run();
    if (!outcome.winnerHeld)
      noteInterrupt();
    if (!outcome.wasInterrupted && outcome.environmentError.empty() && isAboveRoof(outcome))
      measureRoofAgain(device, options, outcome);
  }
  if (outcome.wasInterrupted || !outcome.environmentError.empty()) {
    flow.dropUnfinished();
    outcome.ranking = rankAll(outcome.results);
  }
  outcome.spent.compileWorkers = flow.compilers().started();
  outcome.spent.total = std::chrono::duration<double>(Clock::now() - since).count();
  return outcome;
}

bool askDevice(Pool &device, DeviceInfo &info, std::string &error) {
  if (!device.start(error))
    return false;
  info = parseDevice(device.readyLine());
  return true;
}

} // namespace phobos::kbench
