#include "compiler/driver/RunTool.h"
#include "compiler/driver/Compile.h"
#include "compiler/driver/EmitGpu.h"
#include "compiler/driver/GivenValues.h"
#include "compiler/driver/Progress.h"
#include "compiler/driver/RunArguments.h"
#include "compiler/driver/Status.h"
#include "compiler/host/Npy.h"
#include "compiler/support/Suggest.h"
#include "runtime/files/WriteFile.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <optional>

namespace phobos::driver {

namespace {

class Run {
public:
  explicit Run(const RunRequest &r) : r_(r) {}

  int run() {
    work();
    std::cerr << (r_.jsonDiagnostics ? renderJson(diags_, loaded_->sources)
                                     : renderText(diags_, loaded_->sources, r_.color));
    return statusOf(diags_);
  }

private:
  /// Up to the first step that fails; what is wrong is in the diagnostics.
  void work() {
    if (std::string error;
        (isGpuTarget(r_.target) || !r_.ptx.empty()) &&
        !choosePtx(r_.target == "gpu" ? "sm_75" : r_.target, r_.ptx, r_.target != "gpu", ptx_, error)) {
      loaded_ = std::make_unique<LoadedFile>();
      diags_.report(diag::PtxVersion, {}, error);
      return;
    }
    loaded_ = load(r_.file, {.stdlib = !r_.noStd}, diags_);
    Point overrides;
    if (diags_.hasErrors() || !readPoint(r_.point, "--point", overrides, diags_))
      return;
    const ast::Kernel *kernel = selectKernel(*loaded_->file, r_.kernel, diags_);
    std::unique_ptr<sema::TypedKernel> typed =
        kernel ? checkAt(*loaded_, *kernel, overrides, diags_, {.gridGiven = !r_.grid.empty()}) : nullptr;
    PreparedLaunch prepared;
    if (typed && readOutputs(*typed) && prepareLaunch(*typed, contractOf(*typed), r_, prepared, diags_) &&
        execute(*typed, prepared))
      writeOutputs(*typed, prepared.arguments);
  }

  /// Whether the kernel came to its end: what a stopped one left is not a result. (--check may still have
  /// found something.)
  bool execute(const sema::TypedKernel &kernel, PreparedLaunch &prepared) {
    interp::Options options;
    options.check = r_.check;
    options.cancel = r_.cancel;
    std::atomic<int64_t> done = 0;
    options.blocksDone = &done;
    if (r_.maxSteps)
      options.maxSteps = r_.maxSteps;
    std::unique_ptr<Executable> executable =
        prepare(r_.target, kernel, loaded_->sources, options, diags_, ptx_);
    if (!executable)
      return false;
    const auto &grid = prepared.launch.grid;
    int64_t blocks = 0;
    if (prepared.launch.isEmpty())
      return true;
    if (!countBlocks(grid, blocks)) {
      diags_.report(diag::GridTooLarge, {}, grid[0], grid[1], grid[2]);
      return false;
    }
    if (runWatched(*executable, prepared, blocks, done))
      return true;
    auto stops = [](const Diagnostic &d) {
      return d.id == diag::StepLimit || d.id == diag::Cancelled || d.id == diag::ValuesTooLarge;
    };
    return r_.check && std::none_of(diags_.all().begin(), diags_.all().end(), stops);
  }

  bool runWatched(Executable &executable, PreparedLaunch &prepared, int64_t blocks,
                  const std::atomic<int64_t> &done) {
    auto tooLong = [&](const std::string &time) { // at once: the others come when the run is over
      Diagnostics now;
      now.report(diag::LongRun, {}, blocks, time);
      std::cerr << (r_.jsonDiagnostics ? renderJson(now, loaded_->sources)
                                       : renderText(now, loaded_->sources, r_.color));
    };
    const bool isCounted = r_.target == "cpu" || r_.target == "interp";
    if (isCounted && r_.beforeRun)
      r_.beforeRun();
    constexpr double blocksASecond = 1e9; // what no GPU passes
    if (const double least = static_cast<double>(blocks) / blocksASecond; !isCounted && least > 7 * 86400)
      tooLong("at least " + durationText(least));
    std::optional<Progress> progress;
    if (isCounted)
      progress.emplace(blocks, done, r_.showsProgress, tooLong);
    return executable.run(prepared.arguments, prepared.launch, diags_);
  }

  bool readOutputs(const sema::TypedKernel &kernel) {
    std::vector<std::string> names;
    std::string list;
    for (const sema::Param &p : kernel.params)
      if (p.isTensor) {
        names.push_back(p.name);
        list += (list.empty() ? "" : ", ") + p.name;
      }
    for (const std::string &text : r_.outputs) {
      size_t equals = text.find('=');
      std::string name = text.substr(0, equals);
      if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
        diags_.report(diag::BadOutput, {}, text, "it should be written NAME=FILE.npy");
        return false;
      }
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        auto report = diags_.report(diag::UnknownOutput, {}, kernel.name, name, list.empty() ? "none" : list);
        if (auto near = nearest(name, names))
          report.help("did you mean '" + *near + "'?");
        return false;
      }
      size_t i = 0;
      while (kernel.params[i].name != name)
        ++i;
      const std::string path = text.substr(equals + 1);
      if (isSameFile(path, r_.file)) {
        diags_.report(diag::BadOutput, {}, text, "it would overwrite the source");
        return false;
      }
      for (const auto &[other, taken] : outputs_)
        if (other != i && isSameFile(taken, path)) {
          diags_.report(diag::BadOutput, {}, text,
                        "'" + kernel.params[other].name + "' goes to this file already");
          return false;
        }
      outputs_.emplace_back(i, path);
    }
    return true;
  }

  void writeOutputs(const sema::TypedKernel &kernel, const HostArguments &arguments) {
    for (const auto &[i, path] : outputs_) {
      std::string error;
      if (!writeNpy(path, arguments.arrays[i], error)) {
        diags_.report(diag::CannotWriteFile, {}, path, error);
        return;
      }
    }
    if (outputs_.empty())
      for (size_t i = 0; i < kernel.params.size(); ++i)
        if (kernel.params[i].isTensor && kernel.params[i].isWritten)
          print(kernel.params[i].name, arguments.arrays[i]);
  }

  /// Where no file was asked for: the shape and the first elements, so that a run shows something.
  static void print(const std::string &name, const HostArray &array) {
    constexpr int64_t kShown = 8;
    std::string line = name + ": " + std::string(phobos::name(array.elem())) + str(array.extents());
    for (int64_t i = 0; i < std::min(array.size(), kShown); ++i) {
      char text[32];
      if (isFloat(array.elem())) // the sign of a NaN says nothing
        std::snprintf(text, sizeof text, " %.9g",
                      std::isnan(array.getFloat(i)) ? std::fabs(array.getFloat(i)) : array.getFloat(i));
      else
        std::snprintf(text, sizeof text, " %lld", static_cast<long long>(array.getInt(i)));
      line += text;
    }
    std::cout << line << (array.size() > kShown ? " .." : "") << "\n";
  }

  const RunRequest &r_;
  unsigned ptx_ = 0; ///< version of PTX for a GPU
  Diagnostics diags_;
  std::unique_ptr<LoadedFile> loaded_;
  std::vector<std::pair<size_t, std::string>> outputs_; ///< parameter and path
};

} // namespace

int runKernel(const RunRequest &request) {
  if (!isExecutableTarget(request.target)) {
    Diagnostics diags;
    diags.report(diag::UnknownTarget, {},
                 "target '" + request.target + "' is not known; this build runs on " + executableTargets());
    SourceManager none;
    std::cerr << (request.jsonDiagnostics ? renderJson(diags, none) : renderText(diags, none, request.color));
    return UsageFault;
  }
  return Run(request).run();
}

} // namespace phobos::driver
