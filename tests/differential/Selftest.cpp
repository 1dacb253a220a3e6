// phobos-selftest (and the test `differential`): random programs on a target and in the interpreter, in child
// processes, so that a crash or a hang costs one program.
#include "compiler/driver/Execute.h"
#include "compiler/syntax/Parse.h"
#include "compiler/tools/Tools.h"
#include "runtime/cuda/Device.h"
#include "runtime/files/ReadFile.h"
#include "tests/differential/Child.h"
#include "tests/differential/Compare.h"
#include "tests/differential/Generate.h"
#include "tests/differential/Minimise.h"
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <unistd.h>

using namespace phobos::differential;

namespace {

constexpr int kDeadlineMs = 20000;   ///< of one program
constexpr uint64_t kLegalShare = 50; ///< of so many programs one may be illegal by a rule of the target
constexpr auto kCuttingTime =
    std::chrono::seconds(30); ///< of one that is faulty: on a device each try takes half a second

constexpr auto kBetweenLines = std::chrono::milliseconds(200),
               kBetweenLogLines = std::chrono::milliseconds(30000);

struct Options {
  std::string target = "cpu", processor;
  uint64_t first = 1, count = 2000;
  int maxReports = 5;
  bool verbose = false;
  std::vector<std::string> files;
};

/// What became of a program in a child process.
struct Outcome {
  uint64_t seed = 0;
  std::string what; ///< empty if it agreed
};

/// Where the line of the first error starts, or 0.
size_t errorAt(const std::string &text) {
  size_t error = text.find(": error[");
  if (error == std::string::npos)
    return 0;
  size_t line = text.rfind('\n', error);
  return line == std::string::npos ? 0 : line + 1;
}

std::string verdictText(const Comparison &c) {
  switch (c.verdict) {
  case Verdict::Same:
    return {};
  case Verdict::Different:
    return "different: " + c.message;
  case Verdict::Rejected:
    return "rejected by the front end: " + c.message;
  case Verdict::Refused:
    // Warnings stand before the error that says why.
    return "refused by the target: " + c.message.substr(errorAt(c.message));
  case Verdict::Illegal:
    return "illegal: " + c.message.substr(errorAt(c.message));
  case Verdict::Undefined:
    return "without a defined result: " + c.message;
  }
  return {};
}

/// One text, alone in a child.
std::string judge(const std::string &text, const Options &options, const std::string &name = "program.pho") {
  std::string verdict;
  std::string why = inChild(
      kDeadlineMs,
      [&](FILE *out) {
        std::string v = verdictText(compare(text, options.target, options.processor, name));
        for (char c : v)
          std::fputc(c == '\n' ? '\v' : c, out); // one line
        std::fputc('\n', out);
      },
      [&](const std::string &line) { verdict = line; });
  for (char &c : verdict)
    c = c == '\v' ? '\n' : c;
  return why.empty() ? verdict : why;
}

/// The first words of an outcome: what a smaller program must share.
std::string kindOf(const std::string &what) { return what.substr(0, what.find(':')); }

void report(const Outcome &o, const Options &options) {
  std::cout << "seed " << o.seed << " " << o.what << "\n" << std::flush;
  std::string kind = kindOf(o.what);
  if (kind.starts_with("rejected")) { // any cut is likely rejected for another reason
    std::string text = print(generate(o.seed));
    std::cout << judge(text, options) << "\n" << text << std::flush;
    return;
  }
  const auto end = std::chrono::steady_clock::now() + kCuttingTime;
  Program small = minimise(generate(o.seed), [&](const std::string &text) {
    return std::chrono::steady_clock::now() < end && kindOf(judge(text, options)) == kind;
  });
  std::string text = print(small);
  std::cout << "cut down, it " << judge(text, options) << "\n" << text << std::flush;
}

int runSeeds(const Options &options) {
  std::vector<Outcome> bad, illegal;
  const bool isTerminal = isatty(STDERR_FILENO) != 0;
  auto lastSaid = std::chrono::steady_clock::now();
  auto sayWhere = [&](uint64_t done) { // a line that is written over, or on a log one now and then
    const auto now = std::chrono::steady_clock::now();
    if (now - lastSaid < (isTerminal ? kBetweenLines : kBetweenLogLines))
      return;
    lastSaid = now;
    std::fprintf(
        stderr, isTerminal ? "\r%llu of %llu programs, %zu failed" : "%llu of %llu programs, %zu failed\n",
        static_cast<unsigned long long>(done), static_cast<unsigned long long>(options.count), bad.size());
  };
  uint64_t next = options.first, end = options.first + options.count, reached = 0;
  while (next < end) {
    uint64_t current = next;
    std::string why = inChild(
        kDeadlineMs,
        [&](FILE *out) {
          // Holds the device's context from program to program: making one costs more than the program. A
          // program that faults takes the context with it, so the next one starts in a child of its own.
          std::string noDevice;
          std::unique_ptr<phobos::cuda::Device> held;
          if (options.target.starts_with("sm_"))
            held = phobos::cuda::Device::open(0, noDevice);
          for (uint64_t seed = next; seed < end; ++seed) {
            std::fprintf(out, "at %llu\n", static_cast<unsigned long long>(seed));
            std::fflush(out);
            std::string v = verdictText(compare(print(generate(seed)), options.target, options.processor));
            if (v.empty())
              continue;
            std::fprintf(out, "bad %s\n", v.substr(0, v.find('\n')).c_str());
            if (held)
              return;
          }
        },
        [&](const std::string &line) {
          if (line.starts_with("at ")) {
            current = std::strtoull(line.c_str() + 3, nullptr, 10);
            sayWhere(reached++);
          } else {
            (line.starts_with("bad illegal") ? illegal : bad).push_back({current, line.substr(4)});
            if (options.verbose)
              std::cout << "seed " << current << " " << line.substr(4) << "\n" << std::flush;
          }
        });
    if (!why.empty()) {
      bad.push_back({current, why});
      if (options.verbose)
        std::cout << "seed " << current << " " << why << "\n" << std::flush;
    }
    next = current + 1;
  }
  if (isTerminal)
    std::fputs("\r\033[K", stderr);
  for (size_t i = 0; i < bad.size(); ++i)
    if (i < static_cast<size_t>(options.maxReports))
      report(bad[i], options);
    else
      std::cout << "seed " << bad[i].seed << " " << bad[i].what << "\n";
  std::cout << reached << " programs on " << options.target << ", " << bad.size() << " failed";
  if (!illegal.empty())
    std::cout << ", " << illegal.size() << " illegal by a rule (seed " << illegal[0].seed << " the first)";
  std::cout << "\n";
  const bool areFew = illegal.size() <= 1 + reached / kLegalShare;
  if (!areFew)
    std::cout << "too many are illegal: more than one of " << kLegalShare << "; " << illegal[0].what << "\n";
  return bad.empty() && areFew ? 0 : 1;
}

int runFiles(const Options &options) {
  int failed = 0;
  for (const std::string &path : options.files) {
    std::string error;
    auto file = phobos::readFile(path, phobos::syntax::kMaxTextBytes, error);
    if (!file) {
      std::cerr << "phobos-selftest: cannot read '" << path << "': " << error << "\n";
      return phobos::EnvironmentFault;
    }
    std::string what = file->isCut ? "is too large" : judge(file->bytes, options, path);
    failed += !what.empty();
    std::cout << path << " " << (what.empty() ? "agrees" : what) << "\n";
  }
  return failed ? 1 : 0;
}

} // namespace

namespace phobos::tools {

int selftestMain(int argc, char **argv) {
  Options options;
  std::optional<uint64_t> shown;
  CLI::App app{
      "phobos-selftest: random programs on a target, compared with the interpreter.\n\n"
      "  phobos-selftest                                  2000 programs on the CPU\n"
      "  phobos-selftest --target sm_90a --count 5000     on the GPU of this machine\n"
      "  phobos-selftest --print 17 > 17.pho              the program of a seed\n"
      "  phobos-selftest --target sm_90a 17.pho           a program of a file, as a report shows it\n\n"
      "Programs run in processes of their own: one that differs, crashes or hangs is cut down and printed, "
      "and "
      "the rest go on.\n\n"
      "Exit status: 0 all agree; 1 one does not; 2 usage; 3 files.\n",
      "phobos-selftest"};
  app.add_option("FILE", options.files, "programs to compare, instead of random ones");
  app.add_option("--target", options.target, driver::executableTargets())->capture_default_str();
  app.add_option("--processor", options.processor,
                 "of the CPU target: code for an older processor than this machine's, as x86-64-v2");
  app.add_option("--first", options.first, "the first seed")->capture_default_str();
  app.add_option("--count", options.count, "how many seeds")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--reports", options.maxReports, "how many failures are cut down and printed")
      ->capture_default_str();
  app.add_option("--print", shown, "SEED: print the program of a seed, and stop");
  app.add_flag("--verbose", options.verbose, "say each failure when it is met");
  app.set_version_flag("--version", "phobos-selftest " PHOBOS_VERSION_TEXT);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return app.exit(e) == 0 ? Success : UsageFault;
  }
  if (shown) {
    std::cout << print(generate(*shown));
    return Success;
  }
  if (!driver::isExecutableTarget(options.target)) {
    std::cerr << "phobos-selftest: target '" << options.target << "' is not known; there are "
              << driver::executableTargets() << "\n";
    return UsageFault;
  }
  return options.files.empty() ? runSeeds(options) : runFiles(options);
}

} // namespace phobos::tools
