// phobos-run: the command line over compiler/driver.
#include "compiler/driver/CommandLine.h"
#include "compiler/driver/RunTool.h"
#include "compiler/driver/WholeNumber.h"
#include "compiler/tools/Tools.h"
#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <ctime>
#include <unistd.h>

namespace phobos::tools {

/// Set by the first interrupt: the run then stops between statements or blocks, and nothing is written. A
/// later one ends the process; one at once is the same request, told twice (`timeout` signals the process and
/// its group).
static std::atomic<bool> cancelled = false;
static std::atomic<int64_t> cancelledAtMs = 0;
static void onInterrupt(int) {
  constexpr int64_t kSameRequestMs = 500;
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const int64_t nowMs = int64_t(time.tv_sec) * 1000 + time.tv_nsec / 1'000'000;
  if (!cancelled.exchange(true)) {
    cancelledAtMs = nowMs;
  } else if (nowMs - cancelledAtMs > kSameRequestMs) {
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
}

int runMain(int argc, char **argv) {
  driver::RunRequest r;
  CLI::App app{
      "phobos-run: runs one kernel on arrays from files, or on numbers made by a rule.\n\n"
      "  phobos-run gemm.pho --arg A=a.npy --arg B=b.npy --out C=c.npy\n"
      "  phobos-run gemm.pho --arg 'A=uniform(-1,1)' --arg B=normal --dim M=512 --dim N=512 --dim K=256\n"
      "  phobos-run gemm.pho --point \"TILE_M=64 TILE_N=64\" --arg A=a.npy --arg B=b.npy --out C=c.npy\n"
      "  phobos-run saxpy.pho --check --arg X=arange --arg 'Y=const(1)' --arg a=0.5 --dim N=1000\n\n"
      "A VALUE is a .npy file (version 1 to 3, C order), a number, uniform(low,high), normal, "
      "normal(mean,deviation),\n"
      "arange or const(value). A tensor that the kernel only writes need not be given. A float array given "
      "for a\n"
      "narrower float parameter is rounded to it; f16, bf16 and f8 results are written as f32. Without --out "
      "the first\n"
      "elements of each result are printed.\n\n"
      "Exit status: 0 success; 1 the input is at fault: the kernel, arrays that do not fit it, what --check "
      "finds; 2 usage; 3 files, "
      "driver, memory.\n",
      "phobos-run"};
  std::string diagnostics = "text";
  app.add_option("FILE", r.file, "the source, or - for standard input")->required();
  app.add_option("--kernel", r.kernel, "the kernel, where the file has several");
  auto *target = app.add_option("--target", r.target,
                                "cpu; sm_75, sm_80, sm_90a, ..: the GPU of that kind; interp: the plain "
                                "interpreter that everything is checked against")
                     ->capture_default_str();
  app.add_option("--ptx", r.ptx,
                 "version of PTX for a GPU, as in 8.4; left out, the newest that the driver found takes");
  app.add_option("--point", r.point,
                 "values of @autotune names, \"TILE_M=64 TILE_N=32\"; the rest take their first choices");
  app.add_option("--grid", r.grid, "blocks along x, y and z: X,Y,Z; left out, the kernel's own");
  app.add_option("--arg", r.args, "NAME=VALUE: what a parameter is; repeatable");
  app.add_option("--dim", r.dims, "NAME=EXTENT: a dimension that no file gives; repeatable");
  app.add_option("--out", r.outputs, "NAME=FILE.npy: write a tensor after the run; repeatable");
  app.add_option("--seed", r.seed, "of uniform and normal; the same numbers on every machine")
      ->check(phobos::driver::wholeNumber(0, UINT64_MAX))
      ->capture_default_str();
  app.add_flag(
      "--check", r.check,
      "run in the interpreter and report races, elements stored twice or never, and accesses outside");
  app.add_option("--max-steps", r.maxSteps, "stop the interpreter after so many statements; 0: never")
      ->check(driver::wholeNumber(0, UINT64_MAX))
      ->capture_default_str();
  app.add_option("--diagnostics", diagnostics, "text, or json (JSON Lines on standard error)")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_flag("--no-std", r.noStd, "leave the standard library out");
  for (auto *option : app.get_options())
    if (!option->get_positional() && option->get_items_expected_max() > 1)
      option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
  app.set_version_flag("--version", "phobos-run " PHOBOS_VERSION_TEXT);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return driver::finishParsing(app, e, argc, argv);
  }
  if (r.check && target->count() && r.target != "interp") {
    std::cerr << "phobos-run: --check runs in the interpreter; leave --target " << r.target << " out\n";
    return UsageFault;
  }
  if (r.check)
    r.target = "interp";
  r.jsonDiagnostics = diagnostics == "json";
  r.color = !r.jsonDiagnostics && isatty(2);
  r.cancel = &cancelled;
  r.showsProgress = !r.jsonDiagnostics && isatty(2);
  r.beforeRun = [] { std::signal(SIGINT, onInterrupt); };
  return driver::runKernel(r);
}

} // namespace phobos::tools
