// Turns a point into code and into what the interpreter says it must compute. No device is touched here.
#pragma once
#include "kbench/analysis/Effort.h"
#include "kbench/verify/Inputs.h"
#include "kbench/verify/Oracle.h"
#include "kbench/workers/Fault.h"
#include "kbench/workers/Messages.h"
#include "kbench/workers/Session.h"
#include <functional>

namespace phobos::driver {
struct LoadedFile;
}
namespace phobos::ast {
struct Kernel;
}

namespace phobos::kbench {

/// What the interpreter may spend on one case, in multiplications or elements.
inline constexpr double maxCaseWork = 4e8;

/// The extents at which points are timed, in the contract's order.
std::vector<int64_t> dimsOf(const Session &session, const Contract &contract);

class CompileWorker {
public:
  using Say = std::function<void(const std::string &)>;

  CompileWorker(const Target &target, const Session &session);
  ~CompileWorker();
  bool start(std::string &error);
  /// `say` takes a line for the parent at once: `phase the interpreter at N=17`, when the compiling is done
  /// and the expected results are being made.
  Reply answer(const Request &request, const Say &say);

private:
  Verdict compile(const Request &request, Reply &reply, const Say &say);
  Verdict makeCases(const sema::TypedKernel &kernel, const Contract &contract, const BoundLaunch &full,
                    const Request &request, PointFiles &files, std::string &warning, const Say &say);

  /// Why `plain` computes something else than the point by the interpreter, at one of the point's small
  /// sizes; empty if it does not.
  std::string differsFrom(const Point &plain, const sema::TypedKernel &kernel, const Contract &contract,
                          const Request &request, const PointFiles &files);
  /// At a size that is neither's own, where none of the point's is one of the plain point's too.
  std::string differsElsewhere(const sema::TypedKernel &plain, const Contract &plainContract,
                               const sema::TypedKernel &kernel, const Contract &contract,
                               const Request &request, const PointFiles &files);

  /// What --arg gave, read at the first point; null with a reason.
  const InputRules *rules(const Contract &contract, std::string &error);

  const Target &target_;
  const Session &session_;
  std::unique_ptr<driver::LoadedFile> loaded_;
  const ast::Kernel *kernel_ = nullptr;
  std::unique_ptr<Compiler> compiler_;
  std::optional<InputRules> rules_;
  Faults faults_;
};

/// Reads both back. False with a reason.
bool readExpected(const std::string &folder, size_t caseIndex, size_t param, ScalarType elem,
                  std::vector<int64_t> extents, ExpectedOutput &expected, std::string &error);

/// Binds a launch at the session's full size, or at `dims` with the grid that covers them. False with what
/// the contract refuses.
bool bindAt(const Contract &contract, const std::vector<int64_t> &dims,
            const std::optional<std::array<int64_t, 3>> &grid, BoundLaunch &bound, std::string &error);

} // namespace phobos::kbench
