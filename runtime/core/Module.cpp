#include "runtime/core/Module.h"
#include <algorithm>
#include <tuple>

const phobos::Contract &phobos_kernel::contract() const {
  return module->variantOf(variants.front()).contract;
}

namespace phobos::runtime {

Status Module::load(std::string_view bytes, const phobos_module_options *options,
                    std::unique_ptr<Module> &out) {
  auto m = std::make_unique<Module>();
  std::string error;
  if (!decodeBundle(bytes, m->bundle_, error))
    return Status::failure(PHOBOS_BAD_BUNDLE, error);
  if (Status s = m->choosePlace(options); !s.ok())
    return s;
  if (Status s = m->collectKernels(); !s.ok())
    return s;
  m->loaded_.resize(m->bundle_.variants.size());
  out = std::move(m);
  return Status::success();
}

Status Module::choosePlace(const phobos_module_options *options) {
  std::string target = options && options->target ? options->target : "auto";
  int32_t ordinal = options ? options->device : -1;
  if (ordinal < -1)
    return Status::failure(PHOBOS_INVALID_ARGUMENT,
                           "device " + std::to_string(ordinal) + " is none; -1 is the current context's");
  if (target != "auto" && target != "cuda" && target != "cpu")
    return Status::failure(PHOBOS_INVALID_ARGUMENT,
                           "target '" + target + "' is not known; it is auto, cuda or cpu");
  if (target == "cpu")
    return Status::success();
  bool anyGpu = std::any_of(bundle_.variants.begin(), bundle_.variants.end(),
                            [](const Variant &v) { return v.target != "cpu"; });
  std::string why = "the bundle holds no code for a GPU";
  if (anyGpu)
    device_ = cuda::Device::openBeside(ordinal, why);
  if (device_) {
    std::string reason;
    bool served = std::any_of(bundle_.variants.begin(), bundle_.variants.end(),
                              [&](const Variant &v) { return canRun(v, reason); });
    if (served) {
      deviceName_ = device_->info().name;
      return Status::success();
    }
    why = reason;
    device_.reset();
  }
  return target == "cuda" ? Status::failure(PHOBOS_NO_DEVICE, why) : Status::success();
}

/// The number in `sm_90a`; `specific` where a letter follows it.
static unsigned architectureOf(const std::string &target, bool &specific) {
  unsigned sm = 0;
  size_t i = 3;
  for (; i < target.size() && i < 8 && target[i] >= '0' && target[i] <= '9'; ++i)
    sm = sm * 10 + static_cast<unsigned>(target[i] - '0');
  specific = i < target.size();
  return sm;
}

/// Architecture-specific code (sm_90a) runs on that processor only; other code on it and on later ones of its
/// PTX.
bool Module::canRun(const Variant &v, std::string &why) const {
  if (isCpu()) {
    std::string missing;
    if (v.target != "cpu") {
      why = "it is for " + v.target;
      return false;
    }
    if (processorHas(v.cpuFeatures, missing))
      return true;
    why = "it was compiled for " + v.cpu + ", and this processor has no " + missing;
    return false;
  }
  if (!v.target.starts_with("sm_")) {
    why = "it is for " + v.target;
    return false;
  }
  bool specific = false;
  const unsigned sm = architectureOf(v.target, specific);
  bool hasPtx = std::any_of(v.images.begin(), v.images.end(),
                            [](const CodeImage &c) { return c.format == CodeImage::Format::Ptx; });
  unsigned have = device_->info().sm;
  if (specific ? have == sm : have == sm || (have > sm && (hasPtx || have / 10 == sm / 10)))
    return true;
  why = "it is for " + v.target + ", the device is sm_" + std::to_string(have);
  return false;
}

Status Module::collectKernels() {
  std::string reasons;
  for (const std::string &name : bundle_.kernels()) {
    auto k = std::make_unique<Kernel>();
    k->module = this;
    k->name = name;
    for (size_t i = 0; i < bundle_.variants.size(); ++i) {
      const Variant &v = bundle_.variants[i];
      std::string why;
      if (v.contract.kernel != name)
        continue;
      if (canRun(v, why))
        k->variants.push_back(i);
      else
        reasons += "\n  " + name + " for " + v.target + ": " + why;
    }
    // The code made for this very device first, then that for the nearest older one; in a bundle's own order
    // (that of the points) among equals.
    auto key = [&](size_t index) {
      bool specific = false;
      const unsigned sm = architectureOf(bundle_.variants[index].target, specific);
      return std::tuple(device_->info().sm - sm, !specific, index);
    };
    if (device_)
      std::sort(k->variants.begin(), k->variants.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
    if (!k->variants.empty())
      kernels_.push_back(std::move(k));
  }
  if (kernels_.empty())
    return Status::failure(PHOBOS_NO_DEVICE, "no variant of the bundle runs on " + deviceName_ +
                                                 (reasons.empty() ? ": it is empty" : ":" + reasons));
  return Status::success();
}

Status Module::kernel(const char *name, Kernel *&out) {
  std::string known;
  for (auto &k : kernels_) {
    if (k->name == name) {
      out = k.get();
      return Status::success();
    }
    known += (known.empty() ? "" : ", ") + k->name;
  }
  return Status::failure(PHOBOS_INVALID_ARGUMENT, "the bundle has no kernel '" + std::string(name) +
                                                      "' for " + deviceName_ + "; it has " + known);
}

Status Module::ensureLoaded(size_t index, LoadedVariant *&out) {
  std::lock_guard lock(mutex_);
  LoadedVariant &v = loaded_[index];
  out = &v;
  if (v.variant)
    return Status::success();
  LoadedVariant fresh;
  fresh.variant = &bundle_.variants[index];
  if (Status s = isCpu() ? loadCpu(fresh) : loadGpu(fresh); !s.ok())
    return s;
  v = std::move(fresh);
  return Status::success();
}

Status Module::loadCpu(LoadedVariant &v) {
  for (const CodeImage &image : v.variant->images) {
    if (image.format != CodeImage::Format::ElfObject)
      continue;
    std::string error;
    v.object = LoadedObject::load(image.bytes, error);
    if (!v.object)
      return Status::failure(PHOBOS_BAD_BUNDLE, error);
    for (const EntryPoint &e : v.variant->entries) {
      auto entry = reinterpret_cast<CpuEntry>(v.object->symbol(e.symbol));
      if (!entry)
        return Status::failure(PHOBOS_BAD_BUNDLE, "the object code has no function '" + e.symbol + "'");
      v.entries.push_back(entry);
    }
    return Status::success();
  }
  return Status::failure(PHOBOS_BAD_BUNDLE, "the variant for the CPU holds no object code");
}

Status Module::loadGpu(LoadedVariant &v) {
  std::string error = "the variant holds no code for a GPU";
  for (const CodeImage &image : v.variant->images) {
    if (image.format == CodeImage::Format::ElfObject)
      continue;
    if (!device_->load(image.bytes, v.cudaModule, error))
      continue; // a cubin of another processor; PTX may follow
    for (const EntryPoint &e : v.variant->entries) {
      cuda::Function f;
      if (!device_->function(v.cudaModule, e.symbol.c_str(), f, error) ||
          !device_->allowShared(f, e.sharedBytes, error))
        return Status::failure(PHOBOS_DRIVER, error);
      v.functions.push_back(f);
    }
    return Status::success();
  }
  return Status::failure(PHOBOS_DRIVER, error);
}

} // namespace phobos::runtime
