#include "tests/emulate/Launch.h"
#include "compiler/driver/Compile.h"
#include "compiler/driver/Lower.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/emulate/Load.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <algorithm>
#include <cstring>

namespace phobos::emulate {

namespace {

/// The tensors of a launch in the device's memory.
class Placed {
public:
  Placed(Machine &machine, const sema::TypedKernel &kernel, const driver::HostArguments &given,
         bool isAligned)
      : shapes_(kernel.params.size()), arrays_(kernel.params.size(), nullptr), bits_(kernel.params.size()) {
    machine.memory.removeAll();
    for (size_t i = 0; i < kernel.params.size(); ++i) {
      const sema::Param &p = kernel.params[i];
      tensors.push_back(p.isTensor ? &shapes_[i] : nullptr);
      if (p.isTensor) {
        place(machine, p, given.arrays[i], i, isAligned);
      } else {
        HostArray one(p.elem, {1});
        isFloat(p.elem) ? one.setFloat(0, given.scalars[i].f) : one.setInt(0, given.scalars[i].i);
        bits_[i] = one.getBits(0);
      }
      addresses.push_back(p.isTensor ? arrays_[i]->address : 0);
      scalars.push_back(p.isTensor ? nullptr : &bits_[i]);
    }
  }

  /// What the arrays hold now.
  void takeBack(driver::HostArguments &out) const {
    for (size_t i = 0; i < arrays_.size(); ++i)
      if (arrays_[i])
        eachRow(i, out.arrays[i], [](void *host, unsigned char *device, uint8_t *, size_t bytes) {
          std::memcpy(host, device, bytes);
        });
  }

  std::vector<const TensorShape *> tensors;
  std::vector<uint64_t> addresses;
  std::vector<const void *> scalars;

private:
  /// Rows are further apart than they are long, and what is between them is not to be touched.
  void place(Machine &machine, const sema::Param &p, const HostArray &array, size_t i, bool isAligned) {
    const int64_t each = byteSize(p.elem);
    TensorShape &s = shapes_[i];
    s.elem = p.elem;
    s.extents = array.extents();
    s.strides.assign(s.extents.size(), 1);
    int64_t bytes = each;
    for (size_t axis = s.extents.size(); axis-- > 0;) {
      s.strides[axis] = bytes / each;
      bytes = std::max<int64_t>(bytes * s.extents[axis], 0);
      if (axis > 0)
        bytes = isAligned ? (bytes + 31) / 16 * 16 : bytes + each;
    }
    arrays_[i] = &machine.memory.add(p.name, static_cast<uint64_t>(bytes),
                                     isAligned ? 16 : static_cast<uint64_t>(each), p.isWritten);
    s.data = reinterpret_cast<const void *>(arrays_[i]->address);
    eachRow(i, const_cast<HostArray &>(array),
            [](void *host, unsigned char *device, uint8_t *isElement, size_t length) {
              std::memcpy(device, host, length);
              std::memset(isElement, 1, length);
            });
  }

  template <typename Visit> void eachRow(size_t i, HostArray &host, Visit visit) const {
    const TensorShape &s = shapes_[i];
    if (host.size() == 0)
      return;
    const auto each = static_cast<int64_t>(byteSize(s.elem));
    const int64_t length = s.extents.empty() ? 1 : s.extents.back();
    for (int64_t row = 0; row < host.size() / length; ++row) {
      int64_t rest = row, at = 0;
      for (size_t axis = s.extents.size() - 1; axis-- > 0; rest /= s.extents[axis])
        at += rest % s.extents[axis] * s.strides[axis];
      visit(static_cast<unsigned char *>(host.data()) + row * length * each,
            reinterpret_cast<unsigned char *>(arrays_[i]->address) + at * each,
            arrays_[i]->isElement.data() + at * each, static_cast<size_t>(length * each));
    }
  }

  std::vector<TensorShape> shapes_;
  std::vector<Memory::Array *> arrays_;
  std::vector<uint64_t> bits_;
};

/// Where accesses to shared memory conflict; empty if nowhere.
std::string conflictsText(const Banks &banks) {
  std::string text;
  for (const Banks::Place &p : banks.places())
    if (p.wavefronts > p.needed)
      text += (text.empty() ? "" : "; ") + p.name + " of " + std::to_string(p.bytes) + " bytes at line " +
              std::to_string(p.line) + " takes " + std::to_string(p.wavefronts) + " wavefronts for " +
              std::to_string(p.needed);
  return text;
}

} // namespace

Outcome launch(const sema::TypedKernel &kernel, const SourceManager &sources, const std::string &target,
               const driver::HostArguments &given, const BoundLaunch &bound, const How &how,
               const std::function<std::string(const driver::HostArguments &)> &judge) {
  Diagnostics diags;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = driver::lower(kernel, sources, target, context, diags);
  if (!module)
    return {Verdict::Failed, renderText(diags, sources)};
  driver::FirstError first(context);
  nvptx::Options options;
  if (!nvptx::parseProcessor(target, options))
    return {Verdict::Failed, "no processor is called " + target};
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  nvptx::EntryInfo info;
  auto code = nvptx::emitLLVM(*module, *llvmContext, options, info);
  if (!code) {
    driver::reportTargetError(code.takeError(), first, kernel, target, diags);
    const bool isIllegal = std::any_of(diags.all().begin(), diags.all().end(),
                                       [](const Diagnostic &d) { return d.id == diag::IllegalPoint; });
    return {isIllegal ? Verdict::Illegal : Verdict::Failed, renderText(diags, sources)};
  }
  nvptx::optimize(**code, options);
  Machine machine;
  machine.sm = options.sm;
  Program program;
  rewrite(**code, machine, program);
  if (!program.unknown.empty()) {
    std::string text = "not emulated: ";
    for (const std::string &what : program.unknown)
      text += (&what == &program.unknown.front() ? "" : ", ") + what;
    return {Verdict::NotEmulated, text};
  }
  auto loaded = load(std::move(*code), std::move(llvmContext));
  if (!loaded)
    return {Verdict::NotEmulated, "not emulated: " + llvm::toString(loaded.takeError())};

  const GpuKernel gpu = gpuKernel(driver::contractOf(kernel), info.entries, info.persistent);
  for (const GpuEntry &entry : gpu.entries) {
    if (entry.nativeGrid && !isNativeGrid(bound.grid, entry.parts))
      continue;
    Placed placed(machine, kernel, given, entry.aligned16);
    driver::HostArguments got = given;
    if (!bound.isEmpty()) {
      const int64_t total = bound.grid[0] * bound.grid[1] * bound.grid[2] * entry.parts;
      const auto needs = workspaceOf(entry, bound.grid).value_or(GpuWorkspace{});
      Memory::Array &workspace = machine.memory.add("the workspace", needs.bytes, 0, true);
      std::fill(workspace.isElement.begin(), workspace.isElement.end(), 1);
      if (needs.bytes) {
        std::memset(reinterpret_cast<void *>(workspace.address), 0x7f, needs.bytes);
        std::memset(reinterpret_cast<void *>(workspace.address), 0, needs.counterBytes);
      }
      GpuArguments packed(gpu, placed.tensors, placed.addresses, placed.scalars, bound, workspace.address);
      std::vector<uint64_t> words;
      for (size_t k = 0; k < gpu.params.size(); ++k)
        words.push_back(*static_cast<uint64_t *>(packed.pointers()[k]));
      auto function = (*loaded)->kernel(entry.symbol);
      if (!function)
        return {Verdict::NotEmulated, "not emulated: " + llvm::toString(function.takeError())};
      // Of a persistent kernel half as many blocks, so that each has a second round.
      const Grid grid{hardwareGrid(gpu, entry, bound.grid, (total + 1) / 2), entry.threads,
                      entry.sharedBytes};
      Banks banks;
      machine.banks = how.seesBanks ? &banks : nullptr;
      if (std::string why = machine.run(*function, words.data(), grid, how.order, how.seed); !why.empty())
        return {why.find("not emulated: ") == std::string::npos ? Verdict::Failed : Verdict::NotEmulated,
                entry.symbol + ": " + why};
      if (std::string why = conflictsText(banks); !why.empty())
        return {Verdict::Failed, entry.symbol + ": " + why};
    }
    placed.takeBack(got);
    if (std::string why = judge(got); !why.empty())
      return {Verdict::Failed, entry.symbol + ": " + why};
  }
  return {};
}

} // namespace phobos::emulate
