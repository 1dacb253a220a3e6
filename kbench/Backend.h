// What a target must provide so that kbench can search on it. Everything else (search, supervision,
// verification, statistics, ledger, report) is the same for all targets.
#pragma once
#include "compiler/sema/Typed.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Source.h"
#include "kbench/Status.h"
#include "runtime/contract/Contract.h"
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace phobos::kbench {

/// Named numbers of a point: registers, shared bytes, scratch bytes. The order is the one in which a tie
/// compares them.
using Resources = std::vector<std::pair<std::string, double>>;

/// What keeps more blocks from a multiprocessor, as the resource `limited_by` holds it.
enum class Limiter : uint8_t { Threads, Registers, Shared, Blocks };
inline constexpr std::string_view limiterResource = "limited_by";
inline constexpr std::string_view limiterNames[] = {"threads", "registers", "shared", "blocks"};
/// The name of a limiter; of any other resource its number.
std::string resourceText(const std::string &name, double value);

/// What a compiler makes of a point and a device loads: it crosses a process boundary as a file.
struct Code {
  std::string bytes;
  std::string entry;         ///< symbol
  uint64_t scratchBytes = 0; ///< a thread
  Resources resources;
};

/// What a phase's errors mean for the point: `illegal` where they say so (E0801, E0802), else
/// `compile-error` with code and place.
Verdict verdictOf(const Diagnostics &diags, const SourceManager &sources);

/// Lives in a compile worker. May abort or hang: that costs one point.
class Compiler {
public:
  virtual ~Compiler() = default;
  /// `illegal` comes before any code is made.
  virtual Verdict compile(const sema::TypedKernel &kernel, const SourceManager &sources, Code &code) = 0;
  /// Told what may take long, before it is begun.
  std::function<void(const std::string &)> doing = [](const std::string &) {};
  /// What `compile` would say of the target's rules, without making code.
  virtual Verdict judge(const sema::TypedKernel &, const SourceManager &) { return {}; }
};

using Address = uint64_t; ///< of device memory; on the CPU a pointer

struct LaunchArgument {
  Address data = 0;             ///< of a tensor
  std::vector<int64_t> strides; ///< in elements
  uint64_t scalar = 0;          ///< of a scalar: its bytes, in its own type
};

struct LaunchRequest {
  std::vector<LaunchArgument> args; ///< one a parameter
  std::vector<int64_t> dims;
  std::array<int64_t, 3> grid{1, 1, 1};
};

/// A loaded kernel.
class DeviceKernel {
public:
  virtual ~DeviceKernel() = default;
  /// Runs it and waits; false with a reason the device gave.
  virtual bool run(const LaunchRequest &launch, std::string &error) = 0;
  /// Runs it once and measures; with `cold`, what it reads is not in the last cache before.
  virtual bool time(const LaunchRequest &launch, bool cold, double &nanoseconds, std::string &error) = 0;
  /// All of the point's, where only the device could tell them; empty: the compiler told them.
  virtual Resources resources() const { return {}; }
};

/// C = A @ B of whole row-major matrices, as a library computes it: which parameters, and their extents.
struct PlainGemm {
  size_t a = 0, b = 0, c = 0;
  ScalarType in = ScalarType::F32, out = ScalarType::F32;
  ContractExtent m, n, k;
};

/// A library's routine in the place of a point's code, verified and timed like it.
struct Reference {
  std::unique_ptr<DeviceKernel> kernel;
  std::string name; ///< with its version: `cublas 13.1.0`
};

/// How fast products of one type can be at most, as measured on the device.
struct ProductRoof {
  std::string type;      ///< of the operands: `bf16`, `f64`; `tf32` for f32 rounded to it
  double flopsPerNs = 0; ///< a multiplication and an addition are two
  std::string how;       ///< what makes them: `wgmma m64n256k16`
};

/// What a device can do at most, as measured on it in this run.
struct Roof {
  double bytesPerNs = 0;             ///< that a copy moves, read and written; 0: not known
  std::vector<ProductRoof> products; ///< of the types that are known
  /// False: repeated measurements did not agree, so that something else may have held all of them up.
  bool isSteady = true;
  const ProductRoof *of(const std::string &type) const {
    for (const ProductRoof &p : products)
      if (p.type == type)
        return &p;
    return nullptr;
  }
  /// Measured once more: of each the larger counts, since other work only slows it.
  void raise(const Roof &again) {
    bytesPerNs = std::max(bytesPerNs, again.bytesPerNs);
    for (const ProductRoof &p : again.products) {
      auto known = std::find_if(products.begin(), products.end(), [&](auto &k) { return k.type == p.type; });
      if (known == products.end())
        products.push_back(p);
      else if (p.flopsPerNs > known->flopsPerNs)
        *known = p;
    }
  }
};

/// Lives in the device worker, alone. A fault may take the process with it.
class Device {
public:
  virtual ~Device() = default;
  virtual Address allocate(size_t bytes, std::string &error) = 0; ///< 64-byte aligned; 0 on failure
  virtual void release(Address address) = 0;
  virtual bool write(Address to, const void *from, size_t bytes, std::string &error) = 0;
  virtual bool read(void *to, Address from, size_t bytes, std::string &error) = 0;
  virtual bool copy(Address to, Address from, size_t bytes, std::string &error) = 0;
  /// `kernel` is the point's typed tree, which outlives the result.
  virtual std::unique_ptr<DeviceKernel> load(const Code &code, const sema::TypedKernel &kernel,
                                             const Contract &contract, std::string &error) = 0;
  /// What `library` offers for the same product; without a kernel, and with the reason in `error`, where this
  /// device has none. It must not outlive the device.
  virtual Reference reference(const std::string &library, const PlainGemm &gemm, std::string &error);
  /// The copy, and what products cost no time beside it. False with a reason where nothing is measured.
  virtual bool measureRoof(Roof &roof, std::string &error);
  /// Adds products of one type, which measureRoof() leaves out. False with a reason where they are not
  /// measured.
  virtual bool measureProducts(const std::string &type, Roof &roof, std::string &error);
};

/// An extent's value at a launch.
inline int64_t valueOf(const ContractExtent &e, const std::vector<int64_t> &dims) {
  return e.fixed ? e.value : dims[static_cast<size_t>(e.value)];
}

/// What the ledger records of a device, so that only like is compared with like.
struct DeviceInfo {
  std::string name;      ///< `AMD EPYC 9654, 2 threads`
  std::string driver;    ///< empty where there is none
  std::string processor; ///< as --target names it: `sm_90a`; empty: the target's own name is enough
  std::string facts;     ///< for the target's compilers, which then need not ask the device; may be empty
  std::string assembler; ///< what makes machine code of what the compiler emits: `ptxas`; empty: itself
};

struct Target {
  std::string name;
  /// All threads of a block go through the code together: how many there are matters to code that asks alone,
  /// and nothing is pipelined or shared out by the GEMM names but the block tile.
  bool runsInLockStep = false;
  /// Compile workers would disturb its timings: they rest meanwhile.
  bool sharesProcessor = false;
  bool roundsProducts = false;        ///< honours @tensorcore
  int devices = 0;                    ///< how many there are; 0: the driver knows
  std::vector<std::string> resources; ///< names of all that its compilers tell, some only at times
  int64_t defaultExtent = 1024;       ///< of an axis of a matrix for which no extent is given
  /// For device `index`; `facts` as `describe` gave them, or empty.
  std::unique_ptr<Compiler> (*makeCompiler)(int index, const std::string &facts) = nullptr;
  /// Whether --target `text` means a kind of this target's devices (`sm_90a`); null: only its name does.
  bool (*isKind)(const std::string &text) = nullptr;
  /// What the compilers must know of a kind of devices, of which none need be here; null as isKind is.
  std::string (*factsOf)(const std::string &kind) = nullptr;
  std::unique_ptr<Device> (*makeDevice)(int index,
                                        std::string &error) = nullptr; ///< in the device worker only
  /// Whether there is such a device, without touching it; asked in the parent.
  bool (*isPresent)() = nullptr;
  DeviceInfo (*describe)(int index) = nullptr; ///< in the device worker
};

} // namespace phobos::kbench
