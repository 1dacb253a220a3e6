// Checks of a launch, the choice of point and entry, packing, launching.
#include "runtime/contract/Numeric.h"
#include "runtime/core/Module.h"
#include "runtime/cpu/Run.h"
#include <algorithm>
#include <cstring>

namespace phobos::runtime {

static std::string quoted(const std::string &s) { return "'" + s + "'"; }

/// What is wrong with `data` as an address of parameter `p` for a kernel on `device` (null: the CPU), whose
/// caller says that it lies on `stated`; empty where nothing is.
static std::string misplaced(const ContractParam &p, const void *data, int32_t stated,
                             const cuda::Device *device) {
  using Place = cuda::Device::Place;
  const int here = device ? device->info().ordinal : PHOBOS_DEVICE_HOST;
  const std::string runs = device ? "device " + std::to_string(here) : std::string("the CPU");
  auto text = [&](const std::string &where, const std::string &rest = {}) {
    return "parameter " + quoted(p.name) + " is " + where + ", the kernel runs on " + runs + rest;
  };
  auto at = [](int32_t d) {
    return d == PHOBOS_DEVICE_HOST ? std::string("in host memory") : "on device " + std::to_string(d);
  };
  // What the caller says cannot be right unless it is another device, which may have given access.
  if (stated != PHOBOS_DEVICE_UNKNOWN && stated != here && (!device || stated < 0))
    return text(at(stated));
  if (!device)
    return {};
  int ordinal = -1;
  const Place place = device->locate(reinterpret_cast<uint64_t>(data), ordinal);
  if (place == Place::Unknown)
    return text("at an address that the driver knows nothing of (" +
                addressText(reinterpret_cast<uintptr_t>(data)) + ": host memory, or freed)");
  if (stated != PHOBOS_DEVICE_UNKNOWN && stated != here && ordinal != stated)
    return text(at(stated) + " by its view", ", and the memory is not there");
  if (place == Place::Foreign)
    return text(at(ordinal), ", which has no peer access to it");
  if (place == Place::PeerRead && p.isWritten)
    return text(at(ordinal), ", which may only read there, and the kernel writes it");
  return {};
}

/// Number, kind and type of the arguments; and where tensors live.
static Status checkArguments(const Contract &c, const std::vector<Argument> &args,
                             const cuda::Device *device) {
  auto broken = [](std::string m) { return Status::failure(PHOBOS_CONTRACT, std::move(m)); };
  if (args.size() != c.params.size())
    return broken("kernel " + quoted(c.kernel) + " has " + std::to_string(c.params.size()) + " parameters, " +
                  std::to_string(args.size()) + " arguments were given");
  for (size_t i = 0; i < args.size(); ++i) {
    const ContractParam &p = c.params[i];
    const Argument &a = args[i];
    if (p.isTensor != a.isTensor)
      return broken("parameter " + quoted(p.name) + " is a " + (p.isTensor ? "tensor" : "scalar") +
                    ", the argument is a " + (a.isTensor ? "tensor" : "scalar"));
    if (!p.isTensor) {
      if (a.type != p.elem)
        return broken("parameter " + quoted(p.name) + " is of " + std::string(name(p.elem)) +
                      ", the argument is of " + std::string(name(a.type)));
      continue;
    }
    bool empty = false;
    for (int64_t e : a.shape.extents)
      empty |= e == 0;
    if (!a.shape.data && !empty)
      return broken("parameter " + quoted(p.name) + " has a null address");
    if (a.shape.data && !empty)
      if (std::string why = misplaced(p, a.shape.data, a.device, device); !why.empty())
        return broken(std::move(why));
  }
  return Status::success();
}

static void makeDense(TensorShape &t) {
  if (!t.strides.empty())
    return;
  t.strides.assign(t.extents.size(), 1);
  for (size_t axis = t.extents.size(); axis-- > 1;)
    t.strides[axis - 1] = static_cast<int64_t>(static_cast<uint64_t>(t.strides[axis]) *
                                               static_cast<uint64_t>(t.extents[axis])); // bindLaunch judges
}

static bool holds(const EntryPoint &entry, const EntryPredicate &p, const std::vector<Argument> &args,
                  const BoundLaunch &bound) {
  using Kind = EntryPredicate::Kind;
  switch (p.kind) {
  case Kind::Aligned16:
    for (const Argument &a : args) {
      if (!a.isTensor)
        continue;
      if (reinterpret_cast<uintptr_t>(a.shape.data) % 16 != 0)
        return false;
      for (size_t axis = 0; axis + 1 < a.shape.strides.size(); ++axis)
        if (a.shape.strides[axis] * static_cast<int64_t>(byteSize(a.shape.elem)) % 16 != 0)
          return false;
    }
    return true;
  case Kind::StridesBelow:
    return std::all_of(args.begin(), args.end(),
                       [&](const Argument &a) { return !a.isTensor || longestStride(a.shape) < p.value; });
  case Kind::NativeGrid:
    return isNativeGrid(bound.grid, static_cast<uint32_t>(entry.parts));
  case Kind::WholeTiles:
    return bound.dims[static_cast<size_t>(p.dim)] % p.value == 0;
  case Kind::ExtentBelow:
    return bound.dims[static_cast<size_t>(p.dim)] < p.value;
  case Kind::DenseStrides: {
    TensorShape dense = args[static_cast<size_t>(p.param)].shape;
    dense.strides.clear();
    makeDense(dense);
    return dense.strides == args[static_cast<size_t>(p.param)].shape.strides;
  }
  }
  return false;
}

Status Module::prepare(const Kernel &kernel, std::vector<Argument> args, const phobos_launch_options *options,
                       Prepared &out) {
  std::optional<cuda::Device::DuringCapture> duringCapture;
  if (device_)
    duringCapture.emplace(*device_); // code may be loaded below
  if (Status s = checkArguments(kernel.contract(), args, device_.get()); !s.ok())
    return s;
  BindOptions bind;
  if (options) {
    bind.assumeDisjoint = options->assume_disjoint != 0;
    if (options->has_grid)
      bind.grid = {options->grid[0], options->grid[1], options->grid[2]};
    out.threads_ = static_cast<unsigned>(std::max(options->threads, 0));
  }
  std::vector<const TensorShape *> tensors;
  for (Argument &a : args) {
    tensors.push_back(a.isTensor ? &a.shape : nullptr);
    if (a.isTensor && a.shape.strides.size() == 0)
      makeDense(a.shape);
  }
  // The first variant whose contract and shape predicate hold; if none, the reason of the first (they agree
  // on all but the point).
  std::string firstError, error;
  for (size_t index : kernel.variants) {
    const Variant &v = bundle_.variants[index];
    if (!bindLaunch(v.contract, tensors, bind, out.bound_, error)) {
      if (firstError.empty())
        firstError = error;
      continue;
    }
    if (v.hasServes && v.serves.evaluate(out.bound_.dims) == 0) {
      if (firstError.empty())
        firstError = "no point of kernel " + quoted(kernel.name) +
                     " serves these extents; the first serves " + v.servesText;
      continue;
    }
    if (Status s = ensureLoaded(index, out.loaded_); !s.ok())
      return s;
    for (const auto &[name, value] : v.point)
      out.point_ += (out.point_.empty() ? "" : " ") + name + "=" + std::to_string(value);
    out.kernel_ = &kernel;
    out.args_ = std::move(args);
    out.entryIndex_ = v.entries.size() - 1;
    for (size_t e = v.entries.size(); e-- > 0;)
      if (std::all_of(v.entries[e].predicates.begin(), v.entries[e].predicates.end(),
                      [&](auto &p) { return holds(v.entries[e], p, out.args_, out.bound_); }))
        out.entryIndex_ = e;
    out.entry_ = &v.entries[out.entryIndex_];
    for (const EntryPredicate &p : out.entry_->predicates)
      out.needsAligned16_ |= p.kind == EntryPredicate::Kind::Aligned16;
    return isCpu() ? packCpu(out) : packGpu(out);
  }
  return Status::failure(PHOBOS_CONTRACT, firstError);
}

/// The bytes of a scalar argument in its parameter's own type, in the low bytes of a word.
static uint64_t scalarWord(ScalarType t, double f, int64_t i) {
  uint64_t word = 0;
  if (t == ScalarType::F64) {
    std::memcpy(&word, &f, 8);
  } else if (t == ScalarType::F32) {
    auto x = static_cast<float>(f);
    std::memcpy(&word, &x, 4);
  } else if (isFloat(t)) {
    word = numeric::encodeFloat(t, f);
  } else {
    word = static_cast<uint64_t>(i);
  }
  return word;
}

Status Module::packCpu(Prepared &p) {
  const Contract &c = p.loaded_->variant->contract;
  p.words_.assign(c.params.size(), 0);
  p.cpuTensors_.assign(c.params.size(), {});
  p.wordOfParam_.resize(c.params.size());
  for (size_t i = 0; i < c.params.size(); ++i) {
    const Argument &a = p.args_[i];
    p.wordOfParam_[i] = i;
    if (a.isTensor) {
      p.cpuTensors_[i].data = const_cast<void *>(a.shape.data);
      std::copy(a.shape.strides.begin(), a.shape.strides.end(), p.cpuTensors_[i].strides);
      p.pointers_.push_back(&p.cpuTensors_[i]);
    } else {
      p.words_[i] = scalarWord(a.type, a.f, a.i);
      p.pointers_.push_back(&p.words_[i]);
    }
  }
  return Status::success();
}

Status Module::packGpu(Prepared &p) {
  const Variant &v = *p.loaded_->variant;
  const bool needsWorkspace = std::any_of(v.entries.begin(), v.entries.end(),
                                          [](const EntryPoint &e) { return e.workspaceBytes > 0; });
  std::vector<GpuParam> params = gpuParams(v.contract, needsWorkspace);
  p.words_.assign(params.size(), 0);
  p.wordOfParam_.assign(v.contract.params.size(), 0);
  for (size_t k = 0; k < params.size(); ++k) {
    const GpuParam &g = params[k];
    auto param = static_cast<size_t>(g.param), axis = static_cast<size_t>(g.axis);
    switch (g.kind) {
    case GpuParam::Kind::Pointer:
      p.words_[k] = reinterpret_cast<uint64_t>(p.args_[param].shape.data);
      p.wordOfParam_[param] = k;
      break;
    case GpuParam::Kind::Scalar:
      p.words_[k] = scalarWord(g.elem, p.args_[param].f, p.args_[param].i);
      p.wordOfParam_[param] = k;
      break;
    case GpuParam::Kind::Stride:
      p.words_[k] = static_cast<uint64_t>(p.args_[param].shape.strides[axis]);
      break;
    case GpuParam::Kind::Dim:
      p.words_[k] = static_cast<uint64_t>(p.bound_.dims[param]);
      break;
    case GpuParam::Kind::Grid:
      p.words_[k] = static_cast<uint64_t>(p.bound_.grid[axis]);
      break;
    case GpuParam::Kind::Workspace: // the last one; each launch has its own
      break;
    }
  }
  for (uint64_t &word : p.words_)
    p.pointers_.push_back(&word);
  GpuKernel kernel;
  kernel.persistent = p.entry_->persistent;
  GpuEntry entry;
  entry.parts = static_cast<uint32_t>(p.entry_->parts);
  entry.workspaceBytes = static_cast<uint64_t>(p.entry_->workspaceBytes);
  entry.nativeGrid =
      std::any_of(p.entry_->predicates.begin(), p.entry_->predicates.end(),
                  [](const EntryPredicate &q) { return q.kind == EntryPredicate::Kind::NativeGrid; });
  int64_t resident = 1;
  if (kernel.persistent) {
    int perMultiprocessor = 0;
    std::string error;
    if (!device_->residentBlocks(p.loaded_->functions[p.entryIndex_], static_cast<int>(p.entry_->threads),
                                 p.entry_->sharedBytes, perMultiprocessor, error))
      return Status::failure(PHOBOS_DRIVER, error);
    resident = int64_t(perMultiprocessor) * device_->info().multiprocessors;
  }
  if (!p.bound_.isEmpty()) {
    auto grid = hardwareGrid(kernel, entry, p.bound_.grid, resident);
    std::copy(grid.begin(), grid.end(), p.grid_);
    const auto workspace = workspaceOf(entry, p.bound_.grid);
    if (!workspace)
      return Status::failure(PHOBOS_OUT_OF_MEMORY,
                             "kernel " + quoted(p.kernel_->name) +
                                 ": its workspace would be larger than an address space");
    p.workspace_ = *workspace;
    if (workspace->bytes) {
      if (Status s = ensurePool(); !s.ok())
        return s;
      p.pool_ = pool_.handle();
    }
  }
  p.driver_ = &device_->driver();
  p.context_ = device_->context();
  p.function_ = p.loaded_->functions[p.entryIndex_].handle;
  return Status::success();
}

Status Prepared::launch(void *stream) {
  if (bound_.isEmpty())
    return Status::success();
  if (kernel_->module->isCpu()) {
    if (stream)
      return Status::failure(PHOBOS_INVALID_ARGUMENT, "a kernel on the CPU takes no stream");
    CpuLaunch launch{pointers_.data(), bound_.dims.data(), {bound_.grid[0], bound_.grid[1], bound_.grid[2]}};
    if (runOnCpu(loaded_->entries[entryIndex_], static_cast<uint64_t>(entry_->scratchBytes), launch,
                 threads_))
      return Status::success();
    return Status::failure(PHOBOS_OUT_OF_MEMORY, "kernel " + quoted(kernel_->name) +
                                                     ": there is no memory for the " +
                                                     std::to_string(entry_->scratchBytes) +
                                                     " bytes of scratch that a thread needs");
  }
  return launchGpu(stream);
}

Status Module::ensurePool() {
  std::lock_guard lock(mutex_);
  std::string error;
  if (pool_.isMade() || device_->makePool(pool_, error))
    return Status::success();
  return Status::failure(PHOBOS_DRIVER, error);
}

int Prepared::start(void *stream, void **pointers) const {
  return driver_->launchKernel(function_, grid_[0], grid_[1], grid_[2],
                               static_cast<unsigned>(entry_->threads), 1, 1,
                               static_cast<unsigned>(entry_->sharedBytes), stream, pointers, nullptr);
}

/// Nothing here allocates, locks or waits, but for a kernel with a workspace: one look at the current
/// context, then the driver's own launch. A thread whose current context is another one (or none) pays for a
/// push and a pop.
Status Prepared::launchGpu(void *stream) {
  void *current = nullptr, *ignored = nullptr;
  const bool foreign = driver_->contextGetCurrent(&current) != 0 || current != context_;
  int status = foreign ? driver_->contextPush(context_) : 0;
  Status result;
  if (status == 0) {
    if (workspace_.bytes)
      result = launchWithWorkspace(stream);
    else
      status = start(stream, pointers_.data());
    if (foreign)
      driver_->contextPop(&ignored);
  }
  if (status == 0) [[likely]]
    return result;
  return Status::failure(PHOBOS_DRIVER, "kernel " + quoted(kernel_->name) +
                                            ": launching: " + cuda::errorText(*driver_, status));
}

/// Each launch has a workspace of its own, taken and given back in the order of the stream, so that launches
/// on several streams do not meet; captured, all four are nodes of the graph.
Status Prepared::launchWithWorkspace(void *stream) {
  auto failure = [&](int status, const std::string &what) {
    return Status::failure(status == cuda::outOfMemory ? PHOBOS_OUT_OF_MEMORY : PHOBOS_DRIVER,
                           "kernel " + quoted(kernel_->name) + ": " + what + ": " +
                               cuda::errorText(*driver_, status));
  };
  uint64_t address = 0;
  if (int status = driver_->memAllocFromPoolAsync(&address, workspace_.bytes, pool_, stream))
    return failure(status,
                   "taking the " + std::to_string(workspace_.bytes) + " bytes of its workspace (SPLIT_K)");
  std::vector<void *> pointers = pointers_; // of this call alone: other threads may launch, too
  pointers.back() = &address;
  std::string what = "clearing its workspace";
  int status = driver_->memsetD8Async(address, 0, workspace_.counterBytes, stream);
  if (status == 0)
    what = "launching", status = start(stream, pointers.data());
  const int freed = driver_->memFreeAsync(address, stream);
  if (status == 0)
    what = "giving its workspace back", status = freed;
  return status == 0 ? Status::success() : failure(status, what);
}

/// `kind`: "a tensor", "a float scalar", ..
static Status noSuchParam(const Kernel &k, size_t param, const char *kind) {
  const std::vector<ContractParam> &params = k.contract().params;
  if (param >= params.size())
    return Status::failure(PHOBOS_INVALID_ARGUMENT,
                           "kernel " + quoted(k.name) + " has " + std::to_string(params.size()) +
                               " parameters, counted from 0; there is no parameter " + std::to_string(param));
  const ContractParam &p = params[param];
  return Status::failure(PHOBOS_INVALID_ARGUMENT, "parameter " + quoted(p.name) + " of kernel " +
                                                      quoted(k.name) + " is " +
                                                      (p.isTensor ? "a tensor of " : "a scalar of ") +
                                                      std::string(name(p.elem)) + ", not " + kind);
}

Status Prepared::setPointer(size_t param, void *data) {
  if (param >= args_.size() || !args_[param].isTensor)
    return noSuchParam(*kernel_, param, "a tensor");
  const ContractParam &p = kernel_->contract().params[param];
  if (!data)
    return Status::failure(PHOBOS_CONTRACT, "parameter " + quoted(p.name) + " has a null address");
  const auto address = reinterpret_cast<uintptr_t>(data);
  if (address % byteSize(args_[param].shape.elem) != 0)
    return Status::failure(PHOBOS_CONTRACT, misaligned(p.name, address, args_[param].shape.elem));
  if (std::string why = misplaced(p, data, PHOBOS_DEVICE_UNKNOWN, kernel_->module->device_.get());
      !why.empty())
    return Status::failure(PHOBOS_CONTRACT, std::move(why));
  if (needsAligned16_ && address % 16 != 0)
    return Status::failure(PHOBOS_CONTRACT, "parameter " + quoted(p.name) +
                                                ": the launch was prepared for addresses that are multiples "
                                                "of 16; prepare it again for this one");
  args_[param].shape.data = data;
  if (kernel_->module->isCpu())
    cpuTensors_[param].data = data;
  else
    words_[wordOfParam_[param]] = reinterpret_cast<uint64_t>(data);
  return Status::success();
}

Status Prepared::setFloat(size_t param, double value) {
  if (param >= args_.size() || args_[param].isTensor || !isFloat(args_[param].type))
    return noSuchParam(*kernel_, param, "a float scalar");
  words_[wordOfParam_[param]] = scalarWord(args_[param].type, value, 0);
  return Status::success();
}

Status Prepared::setInt(size_t param, int64_t value) {
  if (param >= args_.size() || args_[param].isTensor || isFloat(args_[param].type))
    return noSuchParam(*kernel_, param, "an integer scalar");
  words_[wordOfParam_[param]] = static_cast<uint64_t>(value);
  return Status::success();
}

} // namespace phobos::runtime
