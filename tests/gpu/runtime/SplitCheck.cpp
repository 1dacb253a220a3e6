// gpu-split-check ONE OTHER..: bundles of split.pho in one part of k (ONE) and in several. Each kernel is
// launched by the driver alone at several shapes, twice on one workspace of which the counters alone were
// zeroed, once: what it writes is the same, bit for bit, as in one part, and the counters are 0 again. Prints
// a line a failure and last `N passed, N failed`; 77 (CTest: skipped) without a device.
#include "runtime/bundle/Bundle.h"
#include "runtime/contract/GpuAbi.h"
#include "tests/gpu/runtime/Cuda.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>

namespace {

using phobos::ScalarType;
using Bytes = std::vector<uint8_t>;

int passed = 0, failed = 0;

/// The small number n in an element type: sums of products of such are exact in every accumulator.
void put(ScalarType type, int n, uint8_t *to) {
  const auto f = static_cast<float>(n);
  const auto d = static_cast<double>(n);
  const auto i = static_cast<int64_t>(n);
  uint32_t bits = 0;
  std::memcpy(&bits, &f, 4);
  switch (type) {
  case ScalarType::F64:
    std::memcpy(to, &d, 8);
    return;
  case ScalarType::F32:
    std::memcpy(to, &f, 4);
    return;
  case ScalarType::BF16:
    bits >>= 16;
    std::memcpy(to, &bits, 2);
    return;
  case ScalarType::F16: // of a normal number: the exponent's bias is 15, not 127
    bits = n == 0 ? 0 : (bits >> 16 & 0x8000) | (((bits >> 23 & 0xff) - 112) << 10) | (bits >> 13 & 0x3ff);
    std::memcpy(to, &bits, 2);
    return;
  default:
    std::memcpy(to, &i, phobos::byteSize(type));
  }
}

struct Tensor {
  phobos::TensorShape shape;
  Bytes bytes;
};

/// Small numbers that no two tensors share, the same for each bundle.
std::vector<Tensor> tensorsOf(const phobos::Contract &c, const std::vector<int64_t> &dims) {
  std::vector<Tensor> out;
  uint32_t state = 12345;
  for (const phobos::ContractParam &p : c.params) {
    Tensor t;
    t.shape.elem = p.elem;
    int64_t size = 1;
    for (const phobos::ContractExtent &e : p.extents)
      t.shape.extents.push_back(e.fixed ? e.value : dims[static_cast<size_t>(e.value)]);
    t.shape.strides.assign(t.shape.extents.size(), 1);
    for (size_t axis = t.shape.extents.size(); axis-- > 0; size *= t.shape.extents[axis])
      t.shape.strides[axis] = size;
    const size_t each = phobos::byteSize(p.elem);
    t.bytes.resize(static_cast<size_t>(size) * each);
    for (size_t at = 0; at < t.bytes.size(); at += each) {
      state = state * 1664525 + 1013904223;
      put(p.elem, static_cast<int>(state >> 24) % 7 - 3, &t.bytes[at]);
    }
    out.push_back(std::move(t));
  }
  return out;
}

phobos::GpuKernel kernelOf(const phobos::Variant &v) {
  std::vector<phobos::GpuEntry> entries;
  for (const phobos::EntryPoint &e : v.entries) {
    phobos::GpuEntry out;
    out.symbol = e.symbol;
    for (const phobos::EntryPredicate &p : e.predicates) {
      out.aligned16 |= p.kind == phobos::EntryPredicate::Kind::Aligned16;
      out.nativeGrid |= p.kind == phobos::EntryPredicate::Kind::NativeGrid;
      if (p.kind == phobos::EntryPredicate::Kind::StridesBelow)
        out.stridesBelow = p.value;
    }
    out.threads = static_cast<uint32_t>(e.threads);
    out.sharedBytes = static_cast<uint32_t>(e.sharedBytes);
    out.parts = static_cast<uint32_t>(e.parts);
    out.workspaceBytes = static_cast<uint64_t>(e.workspaceBytes);
    entries.push_back(out);
  }
  return phobos::gpuKernel(v.contract, entries, v.entries.front().persistent);
}

/// What two launches wrote, one after the other; empty where something else is wrong.
std::vector<Bytes> run(const phobos::Variant &v, const std::vector<int64_t> &dims, bool anyEntry,
                       const std::string &what) {
  const cuda::Api &cu = cuda::open();
  const phobos::GpuKernel kernel = kernelOf(v);
  std::vector<Tensor> tensors = tensorsOf(v.contract, dims);
  std::vector<std::unique_ptr<cuda::Array<uint8_t>>> arrays;
  std::vector<const phobos::TensorShape *> shapes;
  std::vector<uint64_t> addresses;
  for (const Tensor &t : tensors) {
    arrays.push_back(std::make_unique<cuda::Array<uint8_t>>(t.bytes));
    shapes.push_back(&t.shape);
    addresses.push_back(reinterpret_cast<uint64_t>(arrays.back()->data()));
  }
  phobos::BoundLaunch bound;
  bound.dims = dims;
  for (size_t axis = 0; axis < 3; ++axis)
    bound.grid[axis] = v.contract.grid[axis].evaluate(dims);
  const phobos::GpuEntry &entry =
      anyEntry ? kernel.entries.back() : phobos::chooseEntry(kernel, shapes, addresses, bound.grid);
  const auto needs = phobos::workspaceOf(entry, bound.grid).value();
  Bytes dirt(needs.bytes, 0xff); // NaN in every float type
  std::fill_n(dirt.begin(), needs.counterBytes, uint8_t(0));
  cuda::Array<uint8_t> workspace(dirt);
  phobos::GpuArguments packed(kernel, shapes, addresses, std::vector<const void *>(shapes.size()), bound,
                              reinterpret_cast<uint64_t>(workspace.data()));
  cuda::Handle module = nullptr, function = nullptr;
  cuda::check(cu.moduleLoad(&module, v.images.front().bytes.c_str()), "loading the code");
  cuda::check(cu.moduleFunction(&function, module, entry.symbol.c_str()), "finding the function");
  cuda::check(cu.functionSet(function, 8, static_cast<int>(entry.sharedBytes)), "shared memory");
  const auto grid = phobos::hardwareGrid(kernel, entry, bound.grid, 1);
  std::vector<Bytes> results;
  for (int launch = 0; launch < 2; ++launch) {
    for (size_t p = 0; p < tensors.size(); ++p)
      if (!tensors[p].bytes.empty())
        cuda::check(cu.upload(addresses[p], tensors[p].bytes.data(), tensors[p].bytes.size()), "uploading");
    cuda::check(cu.launch(function, grid[0], grid[1], grid[2], entry.threads, 1, 1, entry.sharedBytes,
                          nullptr, packed.pointers(), nullptr),
                "launching");
    cuda::check(cu.synchronize(), what.c_str());
    for (size_t p = 0; p < tensors.size(); ++p)
      if (v.contract.params[p].isWritten)
        results.push_back(arrays[p]->values());
  }
  Bytes after = workspace.values();
  const bool isClear =
      std::all_of(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(needs.counterBytes),
                  [](uint8_t b) { return b == 0; });
  cu.moduleUnload(module);
  if (isClear)
    return results;
  ++failed;
  std::printf("FAIL %s: its counters are not 0 after it\n", what.c_str());
  return {};
}

phobos::Bundle read(const char *path) {
  phobos::Bundle b;
  std::string error;
  if (phobos::readBundle(path, b, error))
    return b;
  std::printf("FAULT %s\n", error.c_str());
  std::exit(1);
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    return std::puts("usage: gpu-split-check ONE OTHER.."), 2;
  const cuda::Api &cu = cuda::open();
  int device = 0;
  cuda::Handle context = nullptr;
  cuda::check(cu.deviceGet(&device, 0), "device");
  cuda::check(cu.primaryRetain(&context, device), "context");
  cuda::check(cu.contextSet(context), "context");
  // Whole tiles and edges, k of less steps than parts, of none, of one and a bit.
  const std::map<std::string, int64_t> shapes[] = {
      {{"M", 128}, {"N", 128}, {"K", 1024}, {"Z", 2}}, {{"M", 70}, {"N", 45}, {"K", 203}, {"Z", 3}},
      {{"M", 33}, {"N", 130}, {"K", 17}, {"Z", 2}},    {{"M", 1}, {"N", 1}, {"K", 1}, {"Z", 1}},
      {{"M", 40}, {"N", 36}, {"K", 0}, {"Z", 2}},      {{"M", 300}, {"N", 20}, {"K", 1000}, {"Z", 1}},
      {{"M", 64}, {"N", 64}, {"K", 4096}, {"Z", 16}},  {{"M", 640}, {"N", 512}, {"K", 96}, {"Z", 1}}};
  const phobos::Bundle one = read(argv[1]);
  for (int b = 2; b < argc; ++b) {
    const phobos::Bundle other = read(argv[b]);
    for (size_t k = 0; k < one.variants.size() && k < other.variants.size(); ++k)
      for (const auto &shape : shapes)
        for (bool anyEntry : {false, true}) {
          const phobos::Variant &v = other.variants[k];
          std::vector<int64_t> dims;
          std::string what = std::string(argv[b]) + " " + v.contract.kernel + (anyEntry ? "_any" : "");
          for (const std::string &d : v.contract.dims) {
            dims.push_back(shape.at(d));
            what += " " + d + "=" + std::to_string(dims.back());
          }
          const std::vector<Bytes> want = run(one.variants[k], dims, anyEntry, what + " in one part"),
                                   got = run(v, dims, anyEntry, what);
          if (got.empty())
            continue; // counted where it was found
          ++(got == want ? passed : failed);
          if (got != want)
            std::printf("FAIL %s: not what it is in one part%s\n", what.c_str(),
                        got.front() == got.back() ? "" : "; the second launch differs from the first");
        }
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
