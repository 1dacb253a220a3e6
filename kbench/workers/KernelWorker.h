// What both kinds of worker process have: the kernel of the session's file, what --arg gave, the faults that
// a test injects. A worker answers one request after another (Worker.h).
#pragma once
#include "compiler/sema/Typed.h"
#include "kbench/verify/Inputs.h"
#include "kbench/verify/Oracle.h"
#include "kbench/workers/Fault.h"
#include "kbench/workers/Messages.h"
#include "kbench/workers/Session.h"
#include <functional>
#include <memory>
#include <optional>

namespace phobos::driver {
struct LoadedFile;
}
namespace phobos::ast {
struct Kernel;
}

namespace phobos::kbench {

class KernelWorker {
public:
  using Say = std::function<void(const std::string &)>;

  KernelWorker(const Target &target, const Session &session);
  virtual ~KernelWorker();
  KernelWorker(const KernelWorker &) = delete;
  KernelWorker &operator=(const KernelWorker &) = delete;

  /// Reads the kernel and makes what the worker works with. False with a reason.
  virtual bool start(std::string &error) = 0;
  /// The line that says that it has started.
  virtual std::string ready() const { return "ready"; }
  /// `say` takes a line for the parent at once, before the answer.
  virtual Reply answer(const Request &request, const Say &say) = 0;

protected:
  /// Of the session's file.
  bool loadKernel(std::string &error);
  /// Without warnings; null if the point does not check. `isGridGiven`: --grid covers the full size.
  std::unique_ptr<sema::TypedKernel> check(const Point &point, bool isGridGiven, Diagnostics &diags) const;
  /// What --arg gave, read at the first point; null with a reason.
  const InputRules *rules(const Contract &contract, std::string &error);

  const Target &target_;
  const Session &session_;
  std::unique_ptr<driver::LoadedFile> loaded_;
  const ast::Kernel *kernel_ = nullptr;
  Faults faults_;

private:
  std::optional<InputRules> rules_;
};

/// The extents at which points are timed, in the contract's order.
std::vector<int64_t> dimsOf(const Session &session, const Contract &contract);

/// Binds a launch at the session's full size, or at `dims` with the grid that covers them. False with what
/// the contract refuses.
bool bindAt(const Contract &contract, const std::vector<int64_t> &dims,
            const std::optional<std::array<int64_t, 3>> &grid, BoundLaunch &bound, std::string &error);

/// ` at M=3 N=5`; empty of a kernel without dimensions.
std::string sizeText(const Contract &contract, const std::vector<int64_t> &dims);

/// Reads an output's expected values and their bounds back. False with a reason.
bool readExpected(const std::string &folder, size_t caseIndex, size_t param, ScalarType elem,
                  std::vector<int64_t> extents, ExpectedOutput &expected, std::string &error);

} // namespace phobos::kbench
