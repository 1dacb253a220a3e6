// A bundle: compiled kernels with their launch contracts, as one value and as one file (.phx).
//
// The container is CBOR (RFC 8949), so that any CBOR reader can look inside:
//   { "format": "phobos-bundle", "version": 1, "crc32": <of the payload>, "payload": <byte string, itself
//   CBOR> }
// The payload describes itself by names; byte strings hold the code images. Unknown names are ignored, so
// that a newer minor change is read by an older runtime; a change of meaning raises `version`, which an older
// runtime refuses.
#pragma once
#include "runtime/contract/Contract.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phobos {

/// A condition that an entry point leans on; the runtime takes the first entry point all of whose predicates
/// hold.
struct EntryPredicate {
  enum class Kind : uint8_t {
    Aligned16,   ///< the address of every tensor, and its strides but the last in bytes, are multiples of 16
    NativeGrid,  ///< the hardware takes the grid as it is (isNativeGrid); else it is launched flat (GpuAbi.h)
    WholeTiles,  ///< dimension `dim` is a multiple of `value`
    ExtentBelow, ///< dimension `dim` is below `value`
    DenseStrides, ///< `param` is dense in C order
    StridesBelow, ///< no stride of a tensor but its last is negative, or `value` bytes or more
  };
  Kind kind = Kind::Aligned16;
  int64_t param = 0; ///< DenseStrides: index into the contract's params
  int64_t dim = 0;   ///< index into the contract's dims
  int64_t value = 0;
};

/// One machine-code function of an image, and what a launch of it needs.
struct EntryPoint {
  std::string symbol;
  std::vector<EntryPredicate> predicates; ///< none: serves every launch that the contract allows
  int64_t threads = 1;                    ///< a block, helper warps included
  int64_t sharedBytes = 0;                ///< dynamic shared memory a block
  int64_t scratchBytes = 0;               ///< CPU: private to each thread
  int64_t workspaceBytes = 0; ///< GPU: of the workspace, a block of the grid (workspaceOf); 0: none
  bool persistent = false;    ///< launched with as many blocks as fit the device
  int64_t parts = 1;          ///< GPU: blocks that share one block of the grid (GpuEntry::parts)
};

struct CodeImage {
  enum class Format : uint8_t { Ptx, Cubin, ElfObject };
  Format format = Format::Ptx;
  std::string bytes;
};

/// One kernel at one point for one target.
struct Variant {
  std::string target;                   ///< "cpu", "sm_90a", ..
  std::string cpu;                      ///< of a CPU object: what it was compiled for, as LLVM names it
  std::vector<std::string> cpuFeatures; ///< .. and the features that the running processor must have
  std::vector<std::pair<std::string, int64_t>> point;
  bool hasServes = false; ///< chosen only for launches whose dimensions satisfy `serves`
  HostExpr serves;
  std::string servesText;
  Contract contract;               ///< at this point
  std::vector<CodeImage> images;   ///< the most specific first
  std::vector<EntryPoint> entries; ///< the most specific first; the last has no predicates
};

struct Bundle {
  static constexpr int64_t kVersion = 1;
  std::string compilerBuild;
  std::string sourceHash; ///< of the canonical source, hexadecimal
  std::vector<Variant> variants;

  /// Kernels in it, in order of appearance.
  std::vector<std::string> kernels() const;
};

std::string encodeBundle(const Bundle &bundle);

/// Reads what encodeBundle wrote. Anything else (foreign, truncated, corrupt, newer) is false with a message
/// that says which.
bool decodeBundle(std::string_view bytes, Bundle &bundle, std::string &error);

/// What to say of a file of more than kMaxBundleBytes.
std::string tooLargeForBundle();

/// Reads a file. False with a message that starts with the path.
bool readBundle(const std::string &path, Bundle &bundle, std::string &error);
bool writeBundle(const std::string &path, const Bundle &bundle, std::string &error);

} // namespace phobos
