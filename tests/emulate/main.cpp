// gpu-emulate: the code that the compiler makes for a GPU, run without one and compared with the interpreter.
// Programs run in child processes, so that a crash or a hang costs one.
#include "runtime/files/ReadFile.h"
#include "tests/differential/Child.h"
#include "tests/differential/Generate.h"
#include "tests/emulate/Launch.h"
#include "tests/emulate/Variants.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

using namespace phobos;
using namespace phobos::emulate;

namespace {

constexpr int kDeadlineMs = 300000; ///< of one program

struct Options {
  std::string target = "sm_80", order;
  uint64_t first = 1, count = 0, atLeast = 1;
  bool verbose = false, seesBanks = false;
  std::vector<std::string> cases, files;
};

struct Job {
  std::string name;
  std::function<Outcome(const How &)> run;
};

std::vector<Job> jobsOf(const Options &o) {
  std::vector<Job> jobs;
  for (uint64_t seed = o.first; seed < o.first + o.count; ++seed)
    jobs.push_back({"seed " + std::to_string(seed), [&o, seed](const How &how) {
                      return runProgram(differential::print(differential::generate(seed)), {}, o.target, how);
                    }});
  for (const std::string &folder : o.cases)
    jobs.push_back({folder.substr(folder.rfind('/') + 1),
                    [&o, &folder](const How &how) { return runCase(folder, o.target, how); }});
  for (const std::string &path : o.files) {
    std::string error;
    auto text = readFile(path, size_t(1) << 20, error);
    if (!text)
      jobs.push_back(
          {path, [error](const How &) { return Outcome{Verdict::Failed, "cannot be read: " + error}; }});
    for (const Variant &v : text ? variantsOf(text->bytes) : std::vector<Variant>())
      jobs.push_back({path.substr(path.rfind('/') + 1) + v.name,
                      [&o, v](const How &how) { return runProgram(v.text, v.point, o.target, how); }});
  }
  return jobs;
}

/// The threads' order is another one from job to job, and the same in every run.
Order orderOf(const Options &o, size_t job) {
  if (!o.order.empty())
    return o.order == "forward" ? Order::Forward : o.order == "backward" ? Order::Backward : Order::Shuffled;
  return static_cast<Order>(job % 3);
}

struct Counts {
  uint64_t right = 0, failed = 0, missed = 0, undefined = 0, illegal = 0;
  void add(const std::string &name, const Outcome &o, bool verbose) {
    const char *word = "right";
    switch (o.verdict) {
    case Verdict::Right:
      ++right;
      break;
    case Verdict::Failed:
      ++failed, word = "FAIL";
      break;
    case Verdict::NotEmulated:
      ++missed, word = "?";
      break;
    case Verdict::Undefined:
      ++undefined, word = "undefined";
      break;
    case Verdict::Illegal:
      ++illegal, word = "illegal";
      break;
    }
    if (verbose || (o.verdict != Verdict::Right && o.verdict != Verdict::Illegal))
      std::cout << word << " " << name << ": " << o.message << "\n" << std::flush;
  }
};

/// Jobs from `next` on in one child, until one of them ends it.
size_t runFrom(const std::vector<Job> &jobs, size_t next, const Options &options, Counts &counts) {
  std::cout.flush();
  std::string why = differential::inChild(
      kDeadlineMs,
      [&](FILE *out) {
        for (size_t k = next; k < jobs.size(); ++k) {
          Outcome o = jobs[k].run({orderOf(options, k), k, options.seesBanks});
          for (char &c : o.message)
            c = c == '\n' ? '\v' : c; // one line
          std::fprintf(out, "%d %s\n", static_cast<int>(o.verdict), o.message.c_str());
          std::fflush(out);
        }
      },
      [&](const std::string &line) {
        Outcome o{static_cast<Verdict>(line[0] - '0'), line.substr(2)};
        for (char &c : o.message)
          c = c == '\v' ? '\n' : c;
        counts.add(jobs[next++].name, o, options.verbose);
      });
  if (next == jobs.size() && why.empty())
    return next;
  if (next == jobs.size()) { // all have spoken, and the child came to harm after
    counts.add(jobs[next - 1].name, {Verdict::Failed, why}, options.verbose);
    return next;
  }
  counts.add(jobs[next].name, {Verdict::Failed, why.empty() ? "ends early" : why}, options.verbose);
  return next + 1;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app{"gpu-emulate: GPU code on the host, compared with the interpreter", "gpu-emulate"};
  app.add_option("FILE", options.files,
                 "programs as phobos-selftest prints them, each at every point of its space");
  app.add_option("--target", options.target, "the processor")->capture_default_str();
  app.add_option("--first", options.first, "the first seed of random programs")->capture_default_str();
  app.add_option("--count", options.count, "how many seeds")->capture_default_str();
  app.add_option("--case", options.cases, "a folder of tests/conformance/run");
  app.add_option("--order", options.order,
                 "of a block's threads: forward, backward, shuffled; else by turns");
  app.add_option("--at-least", options.atLeast, "how many must run right")->capture_default_str();
  app.add_flag("--banks", options.seesBanks, "conflicts of banks of shared memory are failures");
  app.add_flag("--verbose", options.verbose, "say what ran right, too");
  CLI11_PARSE(app, argc, argv);
  const std::vector<Job> jobs = jobsOf(options);
  Counts counts;
  for (size_t next = 0; next < jobs.size();)
    next = runFrom(jobs, next, options, counts);
  if (counts.illegal)
    std::cout << counts.illegal << " points are not legal on " << options.target << "\n";
  std::cout << counts.right << " ran right, " << counts.failed << " failed, " << counts.missed
            << " not emulated" << "\n"
            << std::flush;
  return counts.failed || counts.undefined || counts.missed || counts.right < options.atLeast;
}
