#include "kbench/tool/Options.h"
#include "compiler/driver/CommandLine.h"
#include "compiler/driver/WholeNumber.h"
#include "kbench/Environment.h"
#include "kbench/Status.h"
#include "kbench/report/Report.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <unistd.h>

namespace phobos::kbench {
namespace {

/// A finite number above 0 and at most `most`: neither nan nor inf nor what overflows a clock.
CLI::Validator amount(double most, const char *unit) {
  return CLI::Validator(
      [most, unit](std::string &text) {
        char *end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const bool ok = !text.empty() && *end == 0 && value > 0 && value <= most;
        return ok ? std::string()
                  : "'" + text + "' is not a number of " + unit + " above 0, at most " +
                        std::to_string(static_cast<long long>(most));
      },
      "", "amount");
}
constexpr double oneDay = 86400; ///< in seconds
constexpr uint64_t mostDevices = 1023, mostJobs = 1024;

std::string footer() {
  std::string text = "How a point ends:\n";
  for (int i = 0; i < statusCount; ++i) {
    std::string line = "  " + std::string(name(static_cast<Status>(i)));
    line.resize(24, ' ');
    text += line + std::string(meaning(static_cast<Status>(i))) + "\n";
  }
  text +=
      "\nThe table: 'median' and 'spread' (median absolute deviation) of a point's repeats, taken in the "
      "final "
      "rounds or in the search\n"
      "('timed in'); GFLOP/s or GB/s, by what the kernel is bound by; '% of roof' of what this device was "
      "measured to do at most;\n"
      "what the code takes of the device; 'error/bound' is the largest difference from the expected result, "
      "1 being the most that is\n"
      "allowed. Finalists tie where now one, now the other is ahead from round to round: then the one with "
      "fewer resources wins,\n"
      "if their medians are within 0.5 %; else the least median.\n";
  text += "\nExit status: 0 a point passed; 1 the input is at fault, or nothing passed; 2 usage; 3 files, "
          "workers, memory.\n";
  text += "\nEnvironment:\n" + environmentHelp();
  return text;
}

} // namespace

std::optional<int> parseOptions(int argc, char **argv, Options &o) {
  CLI::App app{
      "phobos-kbench: compiles, verifies and times the points of a kernel's search space, and names the "
      "fastest.\n\n"
      "  phobos-kbench gemm.pho                                   the whole space of its @autotune names\n"
      "  phobos-kbench --pin \"TILE_K=16\" gemm.pho                 TILE_K fixed, the rest searched\n"
      "  phobos-kbench --autotune \"TILE_M=64 TILE_K=16\" gemm.pho  one point: names not given take their "
      "first choices\n"
      "  phobos-kbench --points mine.txt gemm.pho                 the points of a file, a tuple a line: "
      "TILE_M=64 TILE_N=32\n"
      "  phobos-kbench --list gemm.pho                            what would be searched, and how many "
      "points that is\n"
      "  phobos-kbench --dim M=512 --dim N=512 --dim K=4096 --csv all.csv gemm.pho\n\n"
      "Every point is checked against the rules of the target, compiled, compared with the interpreter at "
      "small and ragged\n"
      "sizes and with a plain point of the same kernel at the size to be timed, and only then timed; the "
      "fastest are timed again\n"
      "in turns. Points run in processes of their own: one that crashes or hangs costs itself alone. Ctrl-C "
      "ends with the ranking\n"
      "so far, and the same command takes the search up where it was.\n",
      "phobos-kbench"};
  app.footer(footer());
  const char *group = "What is measured";
  auto text = [&](const char *flag, auto &value, const char *type, const char *meaning) {
    return app.add_option(flag, value, meaning)->type_name(type)->group(group);
  };
  app.add_option("FILE", o.file, "the source; - for standard input")->type_name("");
  text("--kernel", o.kernel, "NAME", "the kernel, where the file has several");
  text("--target", o.target, "NAME",
       "auto (a GPU if there is one), cpu, gpu, interp; a GPU also by its processor: sm_90a")
      ->capture_default_str();
  text("--device", o.device, "N", "which device of the target")
      ->capture_default_str()
      ->check(driver::wholeNumber(0, mostDevices));
  text("--dim", o.dims, "NAME=EXTENT",
       "a runtime dimension; repeatable. Others: 1024 for axes of matrices (4096 on a GPU, 64 in the\n"
       "interpreter), 2^24 for kernels on vectors only, 8 for leading axes; what was taken is printed");
  text("--arg", o.args, "NAME=VALUE",
       "what a parameter is, as phobos-run reads it: a .npy file, a number, uniform(a,b), normal, arange,\n"
       "const(c); repeatable. Others: floats uniform in [-1, 1], small integers, scalars 1");
  text("--grid", o.grid, "X[,Y[,Z]]", "blocks, where the kernel's own grid is not wanted or it has none");
  text("--seed", o.seed, "N", "of the inputs and of --limit")
      ->capture_default_str()
      ->check(driver::wholeNumber(0, UINT64_MAX));
  app.add_flag("--no-std", o.noStd, "leave the standard library out")->group(group);

  group = "Which points";
  text("--autotune", o.autotune, "NAME=VALUE ..",
       "measure this one point, the other names at their first choices; repeatable");
  text("--pin", o.pin, "NAME=VALUE ..", "fix these names and search the others; repeatable");
  text("--points", o.points, "FILE",
       "measure the points it lists, one a line (- for standard input); repeatable");
  text("--limit", o.limit, "N",
       "search this many points, spread over the space, of --points the first; with --list or --best, print\n"
       "this many")
      ->check(driver::wholeNumber(1, UINT64_MAX));
  text("--shard", o.shard, "I/N",
       "the I-th (from 1) of N shares of the space, for searching on several machines; see --merge");
  app.add_flag("--list", o.list,
               "print the points and their number, and stop; with a --target like sm_90a no device is needed")
      ->group(group);

  group = "How it is measured";
  text("--baseline", o.baseline, "LIBRARY",
       "cublas, openblas: time this library's routine in the same rounds as the fastest points, where the\n"
       "kernel is C = A @ B of matrices and the target has the library (it is opened at run time)")
      ->check(CLI::IsMember({"cublas", "openblas"}));
  text("--budget", o.budgetMs, "MS", "milliseconds of repeats a point, before the finals")
      ->capture_default_str()
      ->check(amount(oneDay * 1000, "milliseconds"));
  app.add_flag("--warm-cache", o.warmCache,
               "leave what a kernel reads in the cache between repeats; by default it is flushed")
      ->group(group);
  text("--compile-timeout", o.compileSeconds, "S", "seconds a point may compile")
      ->capture_default_str()
      ->check(amount(oneDay, "seconds"));
  text("--run-timeout", o.runSeconds, "S",
       "seconds a point may take in the interpreter at small sizes, again to be verified, and again to be\n"
       "timed")
      ->capture_default_str()
      ->check(amount(oneDay, "seconds"));
  app.add_flag("--roof", o.roof,
               "print what the device can do at most, with products of every type, and stop; needs no source")
      ->group(group);
  text("--jobs", o.jobs, "N", "compile workers; 0: one a processor")
      ->capture_default_str()
      ->check(driver::wholeNumber(0, mostJobs));

  group = "Results";
  text("--csv", o.csv, "FILE",
       "every point as CSV (- for standard output; the table then goes to standard error); repeatable");
  text("--json", o.json, "FILE", "every point and the setting as JSON (- likewise); repeatable");
  app.add_flag("--quiet", o.quiet, "no progress line")->group(group);
  text("--ledger", o.ledger, "FILE", "where measurements are kept (SQLite); 'none' keeps nothing");
  app.add_flag("--best", o.best,
               "print the ranking that the ledger holds for this kernel, shape, arguments and seed (of them "
               "the points\n"
               "of --pin, --autotune or --points), measuring nothing")
      ->group(group);
  app.add_flag("--fresh", o.fresh,
               "do not take up an interrupted search; measure again what the processor can do")
      ->group(group);
  text("--merge", o.merge, "FILE", "add what another ledger holds to this one; needs no source; repeatable");
  app.set_version_flag("--version", "phobos-kbench " PHOBOS_VERSION_TEXT);
  for (auto *option : app.get_options())
    if (option->get_items_expected_max() > 1)
      option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);

  std::string notFresh;
  for (int i = 0; i < argc; ++i) {
    const std::string word = (i ? " " : "") + shellWord(i == 0 ? "phobos-kbench" : argv[i]);
    o.command += word;
    notFresh += word == " --fresh" ? "" : word;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return driver::finishParsing(app, e, argc, argv);
  }
  if (o.fresh)
    o.resumeCommand = notFresh;
  auto misuse = [](const std::string &text) {
    std::cerr << "phobos-kbench: " << text << "; --help explains\n";
    return 2;
  };
  if (o.file.find('=') != std::string::npos && access(o.file.c_str(), F_OK) != 0)
    if (const std::string stray = driver::strayValue(app, argc, argv); !stray.empty())
      return misuse("no FILE given, and " + stray);
  if (o.file.empty() && o.merge.empty() && !o.roof)
    return misuse("no FILE given");
  if (o.ledger == "none" && !o.merge.empty() && !o.best)
    return misuse("--ledger none keeps nothing, so there is nothing to --merge into: name a ledger, or leave "
                  "--ledger out for the usual one");
  if (app.count("--ledger") && o.ledger.empty())
    return misuse("--ledger '' names no file; 'none' keeps nothing");
  if (std::count(o.points.begin(), o.points.end(), "-") + (o.file == "-") > 1)
    return misuse("standard input can be read once: it is FILE or one --points");
  if (!o.points.empty() && (!o.autotune.empty() || !o.pin.empty()))
    return misuse("--points lists whole points: --autotune and --pin do not go with it");
  if (!o.autotune.empty() && (o.limit || !o.shard.empty()))
    return misuse("--autotune measures one point: --limit and --shard do not go with it");
  if (!o.shard.empty()) {
    size_t index = 0, of = 0;
    const char *end = o.shard.data() + o.shard.size();
    auto slash = std::from_chars(o.shard.data(), end, index);
    auto last = slash.ec == std::errc() && slash.ptr != end && *slash.ptr == '/'
                    ? std::from_chars(slash.ptr + 1, end, of)
                    : slash;
    if (last.ec != std::errc() || last.ptr != end || index < 1 || index > of)
      return misuse("--shard '" + o.shard + "': it should be written I/N with I from 1 to N");
    o.shardOf = std::pair(index - 1, of);
  }
  if (o.best && !o.shard.empty())
    return misuse("--best ranks what was measured: --shard does not go with it");
  for (auto *paths : {&o.csv, &o.json}) // the name is a link, which replacing the file would replace
    std::replace(paths->begin(), paths->end(), std::string("/dev/stdout"), std::string("-"));
  if (std::count(o.csv.begin(), o.csv.end(), "-") + std::count(o.json.begin(), o.json.end(), "-") > 1)
    return misuse(
        "--csv - and --json - write to standard output, which can have one of them: name a file for the "
        "other");
  std::string stops; // what prints something and stops
  for (const auto &[isGiven, flag] : {std::pair(o.list, "--list"), {o.best, "--best"}, {o.roof, "--roof"}}) {
    if (isGiven && !stops.empty())
      return misuse(stops + " and " + flag + " print different things: give one of them");
    stops = isGiven ? flag : stops;
  }
  if (!stops.empty() && !(o.csv.empty() && o.json.empty()))
    return misuse(stops +
                  " measures no points: --csv and --json, which write what was measured, do not go with it");
  return std::nullopt;
}

} // namespace phobos::kbench
