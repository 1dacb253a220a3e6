// Turns a point into code and into what the interpreter says it must compute. No device is touched here.
#pragma once
#include "kbench/analysis/Effort.h"
#include "kbench/workers/KernelWorker.h"

namespace phobos::kbench {

/// What the interpreter may spend on one case, in multiplications or elements.
inline constexpr double maxCaseWork = 4e8;

class CompileWorker : public KernelWorker {
public:
  using KernelWorker::KernelWorker;
  bool start(std::string &error) override;
  /// It says `phase the interpreter at N=17` when the compiling is done and the expected results are being
  /// made.
  Reply answer(const Request &request, const Say &say) override;

private:
  Verdict compile(const Request &request, Reply &reply, const Say &say);
  Verdict makeCases(const sema::TypedKernel &kernel, const Contract &contract, const BoundLaunch &full,
                    const Request &request, PointFiles &files, Reply &reply, const Say &say);

  /// Ok; where `plain` computes something else than the point by the interpreter, at one of the point's small
  /// sizes, or that is not known, with why.
  Verdict differsFrom(const Point &plain, const sema::TypedKernel &kernel, const Contract &contract,
                      const Request &request, const PointFiles &files);
  /// At a size that is neither's own, where none of the point's is one of the plain point's too.
  Verdict differsElsewhere(const sema::TypedKernel &plain, const Contract &plainContract,
                           const sema::TypedKernel &kernel, const Contract &contract, const Request &request,
                           const PointFiles &files);

  std::unique_ptr<Compiler> compiler_;
};

} // namespace phobos::kbench
