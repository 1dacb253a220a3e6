#include "compiler/driver/BundleBuild.h"
#include "compiler/driver/Condition.h"
#include "compiler/driver/Emit.h"
#include "compiler/driver/Progress.h"
#include "runtime/cuda/Assemble.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/SHA256.h"
#include "llvm/TargetParser/Host.h"
#include <elf.h>
#include <link.h>

namespace phobos::driver {

/// The linker's identifier of the program or library that holds this code, shortened; "" without one. Two
/// builds of one version differ in it, so that neither takes the other's results from the cache.
static std::string linkedBuildId() {
  std::string id;
  auto look = [](dl_phdr_info *info, size_t, void *out) {
    const auto here = reinterpret_cast<uintptr_t>(&linkedBuildId);
    auto segmentOf = [&](uintptr_t address) {
      for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto &p = info->dlpi_phdr[i];
        if (p.p_type == PT_LOAD && address - info->dlpi_addr - p.p_vaddr < p.p_memsz)
          return true;
      }
      return false;
    };
    if (!segmentOf(here))
      return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto &p = info->dlpi_phdr[i];
      if (p.p_type != PT_NOTE)
        continue;
      const auto *at = reinterpret_cast<const uint8_t *>(info->dlpi_addr + p.p_vaddr), *end = at + p.p_memsz;
      while (at + sizeof(ElfW(Nhdr)) <= end) {
        const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
        const uint8_t *bytes = at + sizeof *note + (note->n_namesz + 3) / 4 * 4;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_descsz <= 64)
          *static_cast<std::string *>(out) =
              llvm::toHex(llvm::ArrayRef(bytes, std::min<size_t>(note->n_descsz, 6)), true);
        at = bytes + (note->n_descsz + 3) / 4 * 4;
      }
    }
    return 1;
  };
  dl_iterate_phdr(look, &id);
  return id;
}

std::string compilerBuild() {
  static const std::string id = linkedBuildId();
  return std::string("phobos ") + PHOBOS_VERSION_TEXT + (id.empty() ? "" : " build " + id) + " (LLVM " +
         LLVM_VERSION_STRING + ")";
}

std::string bytesHash(std::string_view bytes) {
  auto digest =
      llvm::SHA256::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  return llvm::toHex(digest, true);
}

std::string sourceHash(std::string_view text) {
  std::string canonical;
  size_t i = 0;
  while (i < text.size()) {
    size_t end = std::min(text.find('\n', i), text.size());
    std::string_view line = text.substr(i, end - i);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r'))
      line.remove_suffix(1);
    canonical += std::string(line) + "\n";
    i = end + 1;
  }
  return bytesHash(canonical);
}

namespace {

/// The features that object code for this machine may use and that the loader can ask the processor for.
std::vector<std::string> hostFeatures() {
  std::vector<std::string> out;
  auto have = llvm::sys::getHostCPUFeatures();
  for (const char *f : {"sse4.2", "avx", "avx2", "fma", "bmi", "bmi2", "avx512f", "avx512dq", "avx512bw",
                        "avx512vl", "avx512cd", "avx512vnni", "avx512bf16"})
    if (have.lookup(f))
      out.emplace_back(f);
  return out;
}

std::string_view trimmed(std::string_view s) {
  const size_t begin = std::min(s.find_first_not_of(" \t\r\n"), s.size());
  return s.substr(begin, s.find_last_not_of(" \t\r\n") + 1 - begin);
}

class Builder {
public:
  Builder(const LoadedFile &loaded, const BundleRequest &request, Bundle &bundle, Diagnostics &diags)
      : loaded_(loaded), request_(request), bundle_(bundle), diags_(diags) {}

  bool run() {
    unique(request_.targets);
    unique(request_.kernels);
    bundle_.compilerBuild = compilerBuild();
    bundle_.sourceHash = sourceHash(loaded_.sources.file(0).text());
    const std::vector<const ast::Kernel *> kernels = chosen();
    for (const ast::Kernel *k : kernels)
      for (const std::string &point : pointsOf(*k, kernels))
        for (const std::string &target : request_.targets)
          addVariant(*k, point, target);
    return !diags_.hasErrors();
  }

private:
  /// What is named twice is meant once.
  static void unique(std::vector<std::string> &names) {
    std::vector<std::string> out;
    for (std::string &n : names)
      if (std::find(out.begin(), out.end(), n) == out.end())
        out.push_back(std::move(n));
    names = std::move(out);
  }

  std::vector<const ast::Kernel *> chosen() {
    std::vector<const ast::Kernel *> list;
    for (const std::string &name : request_.kernels)
      if (const ast::Kernel *k = selectKernel(*loaded_.file, name, diags_))
        list.push_back(k);
    if (request_.kernels.empty())
      for (const auto &k : loaded_.file->kernels)
        list.push_back(k.get());
    if (list.empty() && !diags_.hasErrors())
      diags_.report(diag::NoKernel, {});
    return list;
  }

  /// Whether `kernel` declares every name that `point` sets.
  static bool declares(const ast::Kernel &kernel, const std::string &point) {
    Diagnostics ignored; // both are judged again where they are used
    Point names;
    std::string error;
    if (!parsePoint(point.substr(0, point.find('@')), names, error))
      return false;
    const sema::Space space = sema::buildSpace(kernel, ignored);
    return std::all_of(names.entries().begin(), names.entries().end(), [&](const auto &entry) {
      return std::any_of(space.dimensions.begin(), space.dimensions.end(),
                         [&](const sema::Dimension &d) { return d.name == entry.first; });
    });
  }

  /// Of several kernels each takes the points whose names it declares (first choices where there is none),
  /// and every kernel those that nobody declares.
  std::vector<std::string> pointsOf(const ast::Kernel &kernel,
                                    const std::vector<const ast::Kernel *> &kernels) const {
    std::vector<std::string> out;
    for (const std::string &point : request_.points)
      if (kernels.size() == 1 || declares(kernel, point) ||
          std::none_of(kernels.begin(), kernels.end(),
                       [&](const ast::Kernel *k) { return declares(*k, point); }))
        out.push_back(point);
    if (out.empty())
      out.emplace_back();
    return out;
  }

  void addVariant(const ast::Kernel &kernel, const std::string &pointText, const std::string &target) {
    size_t at = pointText.find('@');
    Point overrides;
    std::string error;
    if (!parsePoint(pointText.substr(0, at), overrides, error)) {
      diags_.report(diag::BadPoint, {}, pointText, error);
      return;
    }
    auto typed = checkAt(loaded_, kernel, overrides, diags_, request_.check);
    if (!typed)
      return;
    Variant v;
    v.target = target;
    v.contract = contractOf(*typed);
    v.point = typed->point.entries();
    if (at != std::string::npos &&
        !addServes(v, typed->point, pointText,
                   std::string(trimmed(std::string_view(pointText).substr(at + 1)))))
      return;
    for (const Variant &before : bundle_.variants)
      if (before.target == target && servesAllOf(before, v)) {
        diags_.report(diag::UnreachedPoint, {}, pointText, kernel.name.text, pointOf(before))
            .help("put the points with a condition (TILE_M=64 @ M <= 1024) before the one without");
        return;
      }
    EmitOptions options;
    options.target = target;
    options.ptx = request_.ptx;
    options.kind = target == "cpu" ? EmitKind::Obj : EmitKind::Asm;
    if (request_.doing)
      request_.doing(compiling(typed->name, target));
    auto e = emit(*typed, loaded_.sources, options, diags_);
    if (!e)
      return;
    v.entries = std::move(e->entries);
    if (target == "cpu") {
      v.images.push_back({CodeImage::Format::ElfObject, std::move(e->bytes)});
      v.cpu = llvm::sys::getHostCPUName().str();
      v.cpuFeatures = hostFeatures();
    } else {
      // The cubin starts at once on its own processor; PTX serves later ones, and machines where nothing here
      // can assemble.
      cuda::AssembleOptions assemble;
      assemble.target = target;
      if (request_.doing)
        request_.doing(assembling(target));
      if (cuda::Assembled cubin = cuda::assemble(e->bytes, assemble); cubin.ok())
        v.images.push_back({CodeImage::Format::Cubin, std::move(cubin.cubin)});
      v.images.push_back({CodeImage::Format::Ptx, std::move(e->bytes)});
    }
    bundle_.variants.push_back(std::move(v));
  }

  static std::string pointOf(const Variant &v) {
    std::string s;
    for (const auto &[name, value] : v.point)
      s += (s.empty() ? "" : " ") + name + "=" + std::to_string(value);
    return s + (v.hasServes ? " @ " + v.servesText : "");
  }

  /// Whether no launch that `before` refuses would be taken by `v`: they ask for the same, and `before` has
  /// no condition or the same one.
  static bool servesAllOf(const Variant &before, const Variant &v) {
    const Contract &a = before.contract, &b = v.contract;
    if (a.kernel != b.kernel ||
        (before.hasServes && (!v.hasServes || before.serves.str(a.dims) != v.serves.str(b.dims))))
      return false;
    auto asks = [](const Contract &c) {
      std::string s;
      for (const ContractParam &p : c.params)
        for (const ContractExtent &e : p.extents)
          s += (e.fixed ? " " : " dim ") + std::to_string(e.value);
      for (const ContractRequire &r : c.requires_)
        s += ";" + r.condition.str(c.dims);
      for (const ContractAligned &x : c.aligned)
        s += ";" + std::to_string(x.dim) + ":" + std::to_string(x.multiple);
      return s;
    };
    return a.dims == b.dims && asks(a) == asks(b);
  }

  bool addServes(Variant &v, const Point &point, const std::string &pointText, const std::string &text) {
    std::string bad;
    auto condition = readCondition(text, v.contract, point, bad);
    if (!condition) {
      diags_.report(diag::BadPoint, {}, pointText, bad)
          .help("after @ stands a condition over runtime dimensions, as in \"TILE_M=64 @ M <= 1024\"");
      return false;
    }
    v.hasServes = true;
    v.serves = std::move(*condition);
    v.servesText = text;
    return true;
  }

  const LoadedFile &loaded_;
  BundleRequest request_;
  Bundle &bundle_;
  Diagnostics &diags_;
};

} // namespace

std::string hostProcessor() {
  std::string s = llvm::sys::getHostCPUName().str();
  for (const std::string &f : hostFeatures())
    s += " " + f;
  return s;
}

bool buildBundle(const LoadedFile &loaded, const BundleRequest &request, Bundle &bundle, Diagnostics &diags) {
  return Builder(loaded, request, bundle, diags).run();
}

} // namespace phobos::driver
