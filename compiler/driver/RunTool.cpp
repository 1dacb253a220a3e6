#include "compiler/driver/RunTool.h"
#include "compiler/driver/Compile.h"
#include "compiler/driver/RunArguments.h"
#include "compiler/host/Npy.h"
#include <cstdio>
#include <iostream>

namespace phobos::driver {

namespace {

enum Status : int { Success = 0, InputFault = 1, UsageFault = 2, EnvironmentFault = 3 };

class Run {
public:
  explicit Run(const RunRequest &r) : r_(r) {}

  int run() {
    int status = work();
    std::cerr << (r_.jsonDiagnostics ? renderJson(diags_, loaded_->sources)
                                     : renderText(diags_, loaded_->sources, r_.color));
    return status;
  }

private:
  int work() {
    loaded_ = load(r_.file, {.stdlib = !r_.noStd}, diags_);
    if (diags_.hasErrors())
      return diags_.all().front().id == diag::CannotReadFile ? EnvironmentFault : InputFault;
    Point overrides;
    for (const std::string &text : r_.point) {
      std::string error;
      if (!parsePoint(text, overrides, error)) {
        diags_.report(diag::BadPoint, {}, text, error);
        return UsageFault;
      }
    }
    const ast::Kernel *kernel = selectKernel(*loaded_->file, r_.kernel, diags_);
    if (!kernel)
      return InputFault;
    std::unique_ptr<sema::TypedKernel> typed = checkAt(*loaded_, *kernel, overrides, diags_);
    if (!typed)
      return InputFault;
    if (int status = readOutputs(*typed))
      return status;
    PreparedLaunch prepared;
    if (int status = prepareLaunch(contractOf(*typed), r_, prepared, diags_))
      return status;
    return execute(*typed, prepared);
  }

  int execute(const sema::TypedKernel &kernel, PreparedLaunch &prepared) {
    interp::Options options;
    options.check = r_.check;
    options.cancel = r_.cancel;
    if (r_.maxSteps)
      options.maxSteps = r_.maxSteps;
    std::unique_ptr<Executable> executable = prepare(r_.target, kernel, loaded_->sources, options, diags_);
    if (!executable)
      return InputFault;
    bool ok = prepared.launch.isEmpty() || executable->run(prepared.arguments, prepared.launch, diags_);
    if (r_.cancel && r_.cancel->load())
      return InputFault;
    int status = writeOutputs(kernel, prepared.arguments);
    return status ? status : ok ? Success : InputFault;
  }

  int readOutputs(const sema::TypedKernel &kernel) {
    for (const std::string &text : r_.outputs) {
      size_t equals = text.find('=');
      std::string name = text.substr(0, equals);
      size_t i = 0;
      while (i < kernel.params.size() && !(kernel.params[i].name == name && kernel.params[i].isTensor))
        ++i;
      if (equals == std::string::npos || equals + 1 == text.size()) {
        diags_.report(diag::BadOutput, {}, text, "it should be written NAME=FILE.npy");
        return UsageFault;
      }
      if (i == kernel.params.size()) {
        std::string names;
        for (const sema::Param &p : kernel.params)
          if (p.isTensor)
            names += (names.empty() ? "" : ", ") + p.name;
        diags_.report(diag::BadOutput, {}, text,
                      "the tensors of kernel '" + kernel.name + "' are " + (names.empty() ? "none" : names));
        return InputFault;
      }
      outputs_.emplace_back(i, text.substr(equals + 1));
    }
    return Success;
  }

  int writeOutputs(const sema::TypedKernel &kernel, const HostArguments &arguments) {
    for (const auto &[i, path] : outputs_) {
      std::string error;
      if (!writeNpy(path, arguments.arrays[i], error)) {
        diags_.report(diag::CannotWriteFile, {}, path, error);
        return EnvironmentFault;
      }
    }
    if (outputs_.empty())
      for (size_t i = 0; i < kernel.params.size(); ++i)
        if (kernel.params[i].isTensor && kernel.params[i].isWritten)
          print(kernel.params[i].name, arguments.arrays[i]);
    return Success;
  }

  /// Where no file was asked for: the shape and the first elements, so that a run shows something.
  static void print(const std::string &name, const HostArray &array) {
    constexpr int64_t kShown = 8;
    std::string line = name + ": " + std::string(phobos::name(array.elem())) + str(array.extents());
    for (int64_t i = 0; i < std::min(array.size(), kShown); ++i) {
      char text[32];
      if (isFloat(array.elem()))
        std::snprintf(text, sizeof text, " %.9g", array.getFloat(i));
      else
        std::snprintf(text, sizeof text, " %lld", static_cast<long long>(array.getInt(i)));
      line += text;
    }
    std::cout << line << (array.size() > kShown ? " .." : "") << "\n";
  }

  const RunRequest &r_;
  Diagnostics diags_;
  std::unique_ptr<LoadedFile> loaded_;
  std::vector<std::pair<size_t, std::string>> outputs_; ///< parameter and path
};

} // namespace

int runKernel(const RunRequest &request) {
  if (!isExecutableTarget(request.target)) {
    std::cerr << "phobos-run: target '" << request.target << "' is not known; this build runs on "
              << executableTargets() << "\n";
    return UsageFault;
  }
  return Run(request).run();
}

} // namespace phobos::driver
