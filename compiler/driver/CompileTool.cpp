#include "compiler/driver/CompileTool.h"
#include "compiler/driver/BundleBuild.h"
#include "compiler/driver/BundleText.h"
#include "compiler/driver/CheckSpace.h"
#include "compiler/driver/Compile.h"
#include "compiler/driver/Emit.h"
#include "compiler/driver/EmitGpu.h"
#include "compiler/driver/GivenValues.h"
#include "compiler/driver/Progress.h"
#include "compiler/driver/Status.h"
#include "compiler/legality/Legality.h"
#include "compiler/passes/Pipeline.h"
#include "compiler/support/Suggest.h"
#include "runtime/files/WriteFile.h"
#include <algorithm>
#include <iostream>
#include <sstream>
#include <unistd.h>

namespace phobos::driver {

namespace {

/// What a file of that name holds; a bundle where its name does not say.
std::string usualEmit(const std::string &output) {
  if (output.empty())
    return "asm";
  constexpr std::pair<std::string_view, const char *> kinds[] = {
      {".ptx", "ptx"}, {".cubin", "cubin"}, {".s", "asm"}, {".asm", "asm"}, {".ll", "llvm"},
      {".o", "obj"},   {".mlir", "ir"},     {".c", "c"},   {".h", "header"}};
  for (const auto &[suffix, kind] : kinds)
    if (output.ends_with(suffix))
      return kind;
  return "bundle";
}

class Compile {
public:
  explicit Compile(const CompileRequest &r) : r_(r), emit_(!r.emit.empty() ? r.emit : usualEmit(r.output)) {}

  int run() {
    loaded_ = load(r_.file, {.stdlib = !r_.noStd}, diags_);
    if (statusOf(diags_) == EnvironmentFault)
      return finish(EnvironmentFault);
    for (const std::string &target : r_.targets)
      if (std::string why; !r_.ptx.empty() && !choosePtx(target, r_.ptx, false, ptx_, why)) {
        diags_.report(diag::PtxVersion, {}, why);
        return finish(UsageFault);
      }
    if (r_.space)
      return finish(printSpace());
    bool bundle = emit_ == "bundle" || emit_ == "c" || emit_ == "header";
    if (bundle && !r_.checkOnly && !r_.explain)
      return finish(diags_.hasErrors() ? InputFault : writeBundle());
    if (r_.targets.size() > 1) {
      std::cerr << "phobos-compile: several targets make a bundle; --emit " << emit_ << " writes for one\n";
      return finish(UsageFault);
    }
    if ((emit_ == "ptx" || emit_ == "cubin") && r_.targets.front().rfind("sm_", 0) != 0) {
      std::cerr << "phobos-compile: --emit " << emit_
                << " is of a GPU: add --target sm_80, say; --emit asm or obj "
                << "is what '" << r_.targets.front() << "' has\n";
      return finish(UsageFault);
    }
    if ((emit_ == "obj" || emit_ == "cubin") && !r_.checkOnly && !r_.explain && r_.output.empty() &&
        isatty(STDOUT_FILENO)) {
      std::cerr << "phobos-compile: --emit " << emit_
                << " is not text for a terminal: name a file with -o, or write -o - to have it there\n";
      return finish(UsageFault);
    }
    Point overrides;
    if (!readPoint(r_.point, "--point", overrides, diags_))
      return finish(UsageFault);
    if (emit_ == "ast" && !r_.checkOnly)
      return finish(diags_.hasErrors() ? InputFault : write(ast::dump(*loaded_->file)));
    return finish(compileKernels(overrides));
  }

private:
  /// The kernels asked for: all of the file where none is named.
  std::vector<const ast::Kernel *> chosen() {
    std::vector<const ast::Kernel *> list;
    for (const std::string &name : r_.kernels)
      if (const ast::Kernel *k = selectKernel(*loaded_->file, name, diags_))
        list.push_back(k);
    if (r_.kernels.empty())
      for (const auto &k : loaded_->file->kernels)
        list.push_back(k.get());
    if (list.empty() && !diags_.hasErrors())
      diags_.report(diag::NoKernel, {});
    return list;
  }

  int printSpace() {
    std::string out;
    auto kernels = chosen();
    for (const ast::Kernel *k : kernels) {
      sema::Space space = sema::buildSpace(*k, diags_);
      if (kernels.size() > 1)
        out += "kernel " + k->name.text + "\n";
      for (const sema::Dimension &d : space.dimensions) {
        out += d.name + ":";
        for (int64_t c : d.choices)
          out += " " + std::to_string(c);
        out += "\n";
      }
    }
    return diags_.hasErrors() ? InputFault : write(out);
  }

  int writeBundle() {
    Waiting waiting("phobos-compile", r_.isTerminal);
    BundleRequest request;
    if (!r_.jsonDiagnostics)
      request.doing = [&](const std::string &what) { waiting.at(what); };
    request.kernels = r_.kernels;
    request.targets = r_.targets;
    request.points = r_.point;
    request.ptx = ptx_;
    Bundle bundle;
    if (!buildBundle(*loaded_, request, bundle, diags_))
      return InputFault;
    std::string name = identifierOf(r_.output.empty() ? r_.file : r_.output);
    if (r_.output.empty() && emit_ == "bundle") {
      std::cerr << "phobos-compile: a bundle is not text: name a file with -o\n";
      return UsageFault;
    }
    return write(emit_ == "c"        ? bundleAsC(bundle, name)
                 : emit_ == "header" ? bundleAsHeader(bundle, name)
                                     : encodeBundle(bundle));
  }

  int compileKernels(const Point &overrides) {
    std::string out;
    bool failed = false;
    auto kernels = chosen();
    if (kernels.size() > 1 && !r_.checkOnly && !r_.explain &&
        (emit_ == "obj" || emit_ == "cubin" || emit_ == "ptx" || emit_ == "asm" || emit_ == "llvm")) {
      std::string names;
      for (const ast::Kernel *k : kernels)
        names += (names.empty() ? "" : ", ") + k->name.text;
      diags_.report(diag::SeveralKernels, {}, names)
          .help("--emit " + emit_ + " writes one kernel: name it with --kernel " +
                kernels.front()->name.text);
      return InputFault;
    }
    Waiting waiting("phobos-compile", r_.isTerminal);
    for (const ast::Kernel *k : kernels) {
      // One kernel's errors do not hide another's.
      Diagnostics own;
      if (r_.checkOnly && r_.point.empty()) {
        SpaceCheck checked = checkSpace(*loaded_, *k, own);
        failed |= own.hasErrors();
        diags_.append(own);
        if (checked.points > double(checked.checked) && !own.hasErrors() && !r_.jsonDiagnostics)
          std::cerr << "phobos-compile: " << k->name.text << ": checked at " << checked.checked
                    << " points of a larger space\n";
        continue;
      }
      auto typed = checkAt(*loaded_, *k, overrides, own);
      diags_.append(own);
      failed |= !typed;
      if (typed && r_.checkOnly)
        failed |= !isTakenByTargets(*typed);
      if (!typed || r_.checkOnly)
        continue;
      if (emit_ == "typed") {
        out += sema::dump(*typed);
        continue;
      }
      EmitOptions options;
      options.target = r_.targets.front();
      options.ptx = ptx_;
      options.kind = emit_ == "ir"                        ? EmitKind::Ir
                     : emit_ == "target-ir"               ? EmitKind::TargetIr
                     : emit_ == "llvm"                    ? EmitKind::Llvm
                     : emit_ == "obj" || emit_ == "cubin" ? EmitKind::Obj
                                                          : EmitKind::Asm;
      options.printAfter = r_.printAfter;
      options.printAfterAll = r_.printAfterAll;
      if (r_.explain)
        options.kind = EmitKind::Explanation;
      if (!r_.jsonDiagnostics) {
        options.doing = [&](const std::string &what) { waiting.at(what); };
        options.doing(compiling(typed->name, options.target));
      }
      auto e = emit(*typed, loaded_->sources, options, diags_);
      failed |= !e;
      if (e)
        out += (r_.explain ? "kernel " + typed->name + " at " +
                                 (typed->point.empty() ? "its only point" : typed->point.str()) + "\n"
                           : "") +
               e->bytes;
    }
    if (failed || diags_.hasErrors())
      return InputFault;
    return r_.checkOnly ? Success : write(out);
  }

  /// Whether the rules of every target that is asked for take the point.
  bool isTakenByTargets(const sema::TypedKernel &typed) {
    bool isTaken = true;
    for (const std::string &target : r_.targets) {
      EmitOptions options;
      options.target = target;
      options.ptx = ptx_;
      isTaken &= judge(typed, loaded_->sources, options, diags_);
    }
    return isTaken;
  }

  int write(const std::string &bytes) {
    if (r_.output.empty() || r_.output == "-") {
      std::cout << bytes << std::flush;
      return Success;
    }
    std::string error;
    if (writeFileWhole(r_.output, bytes, error))
      return Success;
    diags_.report(diag::CannotWriteFile, {}, r_.output, error);
    return EnvironmentFault;
  }

  int finish(int status) {
    std::cerr << (r_.jsonDiagnostics ? renderJson(diags_, loaded_->sources)
                                     : renderText(diags_, loaded_->sources, r_.color));
    if (diags_.hasErrors())
      return statusOf(diags_);
    return status == Success && r_.warningsAreErrors && !diags_.all().empty() ? InputFault : status;
  }

  const CompileRequest &r_;
  std::string emit_;
  unsigned ptx_ = 0; ///< of GPU targets; 0: the usual one
  Diagnostics diags_;
  std::unique_ptr<LoadedFile> loaded_;
};

} // namespace

static std::string didYouMean(const std::string &name, const std::vector<std::string> &names) {
  const auto near = nearest(name, names);
  return near ? "help: did you mean '" + *near + "'?\n" : "";
}

static int runLegality(const CompileRequest &request) {
  std::string error;
  if (!legality::pathNamed(request.legality)) {
    std::cerr << "phobos-compile: no list of rules is called '" << request.legality << "'; there are";
    std::vector<std::string> names;
    for (std::string_view name : legality::listNames()) {
      std::cerr << " " << name;
      names.emplace_back(name);
    }
    std::cerr << "\n" << didYouMean(request.legality, names);
    return UsageFault;
  }
  if (!request.file.empty() && request.file != "-") {
    std::cerr << "phobos-compile: --legality reads points from standard input, and no FILE: write '< "
              << request.file << "' if it holds them\n";
    return UsageFault;
  }
  const bool isToFile = !request.output.empty() && request.output != "-";
  std::ostringstream verdicts; // a file is written whole, or not
  if (!legality::judgeCsv(std::cin, request.legality, request.sharedLimit, isToFile ? verdicts : std::cout,
                          error)) {
    std::cerr << "phobos-compile: " << error << "\n";
    return InputFault;
  }
  if (!isToFile || writeFileWhole(request.output, verdicts.str(), error))
    return Success;
  std::cerr << "phobos-compile: cannot write '" << request.output << "': " << error << "\n";
  return EnvironmentFault;
}

int runCompile(const CompileRequest &request) {
  std::string error;
  if (!request.legality.empty())
    return runLegality(request);
  for (const std::string &target : request.targets)
    if (!isKnownTarget(target, error)) {
      Diagnostics diags;
      diags.report(diag::UnknownTarget, {}, error);
      SourceManager none;
      std::cerr << (request.jsonDiagnostics ? renderJson(diags, none)
                                            : renderText(diags, none, request.color));
      return UsageFault;
    }
  std::vector<std::string> passes = passes::pipelinePassNames();
  for (const std::string &name : request.printAfter)
    if (std::find(passes.begin(), passes.end(), name) == passes.end()) {
      std::cerr << "phobos-compile: no pass is called '" << name << "'; there are";
      for (const std::string &p : passes)
        std::cerr << " " << p;
      std::cerr << "\n" << didYouMean(name, passes);
      return UsageFault;
    }
  return Compile(request).run();
}

} // namespace phobos::driver
