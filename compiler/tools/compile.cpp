// phobos-compile: the command line over compiler/driver.
#include "compiler/driver/CommandLine.h"
#include "compiler/driver/CompileTool.h"
#include "compiler/tools/Tools.h"
#include "runtime/files/WriteFile.h"
#include <CLI/CLI.hpp>
#include <unistd.h>

namespace phobos::tools {

int compileMain(int argc, char **argv) {
  driver::CompileRequest r;
  CLI::App app{
      "phobos-compile: checks a .pho file, or compiles its kernels for a target.\n\n"
      "  phobos-compile --check gemm.pho                          errors and warnings, nothing else\n"
      "  phobos-compile --space gemm.pho                          the search space, one line a name\n"
      "  phobos-compile --target cpu --emit asm gemm.pho          machine code as text\n"
      "  phobos-compile --target sm_90a --point \"TILE_M=128\" --emit asm gemm.pho -o gemm.ptx\n"
      "  phobos-compile gemm.pho -o gemm.phx --point \"TILE_M=64 @ M <= 1024\" --point \"TILE_M=128\"   a "
      "bundle for the runtime\n"
      "  phobos-compile --explain gemm.pho                        which path each dot took, and why\n"
      "  phobos-compile --legality warptile --shared-limit 49152 < points.csv\n\n"
      "Exit status: 0 success; 1 the input is at fault: errors, or warnings with -Werror; 2 usage; 3 files "
      "that cannot be read or written.\n",
      "phobos-compile"};
  bool json = false;
  std::string diagnostics = "text";
  app.add_option("FILE", r.file, "the source, or - for standard input");
  CLI::Option *output =
      app.add_option("-o,--output", r.output, "where the output goes; standard output if left out");
  app.add_option("--target", r.targets, "cpu, or sm_75, sm_80, sm_89, sm_90a, ..; several for a bundle")
      ->allow_extra_args(false)
      ->capture_default_str();
  app.add_option("--kernel", r.kernels, "the kernel, where the file has several; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--point", r.point,
                 "values of @autotune names, \"TILE_M=64 TILE_N=32\"; the rest take their first choices; in "
                 "a bundle several, each may end in \"@ CONDITION\" over the extents it serves")
      ->allow_extra_args(false);
  app.add_option("--emit", r.emit,
                 "what to write; left out: what the name after -o ends in (.ptx, .cubin, .s, .ll, .o, .c, "
                 ".h, .mlir), a "
                 "bundle where it ends otherwise, asm without -o")
      ->check(CLI::IsMember({"ast", "typed", "ir", "target-ir", "llvm", "asm", "obj", "ptx", "cubin",
                             "bundle", "c", "header"}));
  app.add_option("--ptx", r.ptx,
                 "version of PTX to write for GPU targets, as in 8.4; left out, the one that has all "
                 "instructions of the target");
  app.add_flag("--check", r.checkOnly,
               "report errors and warnings and stop: at each point of the space up to 256, at as many of a "
               "larger one; with "
               "--point at that one");
  app.add_flag("--space", r.space, "print the choices of each @autotune name, and stop");
  app.add_flag("--explain", r.explain, "say what became of each dot and each loop, and why");
  app.add_option("--print-ir-after", r.printAfter, "print the tile IR after the named pass; repeatable")
      ->allow_extra_args(false);
  app.add_flag("--print-ir-after-all", r.printAfterAll, "print the tile IR after every pass");
  app.add_option("--diagnostics", diagnostics, "text, or json (JSON Lines on standard error)")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_flag("--Werror", r.warningsAreErrors, "a warning fails too (-Werror)");
  app.add_flag("--no-std", r.noStd, "leave the standard library out");
  app.add_option("--legality", r.legality,
                 "judge the points on standard input by this list of rules, warptile, cpu, simt, mma, wgmma "
                 "or gpu, and write 'legal' or the name of the first broken rule, one line a point. The "
                 "input is CSV, its first line names the columns: those of the point (TILE_M, ..) and of "
                 "the rules' other quantities (docs/legality.md)");
  app.add_option("--shared-limit", r.sharedLimit, "bytes of shared memory a block may use, for --legality")
      ->capture_default_str();

  // The customary spellings that CLI11 reads otherwise.
  std::vector<std::string> args;
  for (int i = argc - 1; i > 0; --i) {
    std::string a = argv[i];
    if (a == "-Werror")
      a = "--Werror";
    else if (a == "-after-all" || a == "--print-ir-after=-after-all" || a == "--print-ir-after=all")
      a = "--print-ir-after-all";
    args.push_back(a);
  }
  app.set_version_flag("--version", "phobos-compile " PHOBOS_VERSION_TEXT);
  try {
    app.parse(args);
  } catch (const CLI::ParseError &e) {
    return driver::finishParsing(app, e, argc, argv);
  }
  json = diagnostics == "json";
  r.jsonDiagnostics = json;
  r.isTerminal = isatty(2) != 0;
  r.color = !json && r.isTerminal;
  if (r.legality.empty() && r.file.empty()) {
    std::cerr << "phobos-compile: no FILE given (- reads standard input); --help explains\n";
    return UsageFault;
  }
  if (!r.legality.empty())
    for (const char *other : {"--target", "--kernel", "--point", "--emit", "--check", "--space", "--explain"})
      if (app.count(other)) {
        std::cerr << "phobos-compile: --legality judges the points by one list of rules: " << other
                  << " does not go with it\n";
        return UsageFault;
      }
  if (output->count() && r.output.empty()) {
    std::cerr << "phobos-compile: -o '' names no file; left out, the output goes to standard output\n";
    return UsageFault;
  }
  if (r.file != "-" && !r.output.empty() && isSameFile(r.file, r.output)) {
    std::cerr << "phobos-compile: -o '" << r.output
              << "' is the source itself; give the output another name\n";
    return UsageFault;
  }
  return driver::runCompile(r);
}

} // namespace phobos::tools
