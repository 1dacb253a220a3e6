// phobos.h over runtime/core.
#include "runtime/core/Module.h"
#include "runtime/files/ReadFile.h"
#include <new>

using namespace phobos;
using namespace phobos::runtime;

struct phobos_module {
  std::unique_ptr<Module> impl;
};
struct phobos_prepared {
  Prepared impl;
};

namespace {

thread_local std::string lastError; // the one mutable thing that outlives a call: the thread's last message

phobos_status done(Status s) {
  if (!s.ok())
    lastError = std::move(s.message);
  return s.code;
}

phobos_status invalid(std::string message) {
  return done(Status::failure(PHOBOS_INVALID_ARGUMENT, std::move(message)));
}

/// Runs `f`; memory that cannot be had becomes a status.
template <typename F> phobos_status guarded(F f) {
  try {
    return done(f());
  } catch (const std::bad_alloc &) {
    lastError.assign("out of memory"); // fits where the text is, without memory
    return PHOBOS_OUT_OF_MEMORY;
  }
}

bool isType(int32_t t) { return t >= 0 && t <= PHOBOS_F64; }

Status convert(const Kernel &kernel, const phobos_arg *args, size_t count, std::vector<Argument> &out) {
  const Contract &c = kernel.contract();
  auto nameOf = [&](size_t i) {
    return i < c.params.size() ? "'" + c.params[i].name + "'" : std::to_string(i);
  };
  for (size_t i = 0; i < count; ++i) {
    Argument a;
    a.isTensor = args[i].is_tensor != 0;
    if (!a.isTensor) {
      if (!isType(args[i].type))
        return Status::failure(PHOBOS_INVALID_ARGUMENT, "argument " + nameOf(i) + ": " +
                                                            std::to_string(args[i].type) +
                                                            " is no phobos_type");
      a.type = static_cast<ScalarType>(args[i].type);
      a.f = args[i].f;
      a.i = args[i].i;
      out.push_back(std::move(a));
      continue;
    }
    const phobos_tensor *t = args[i].tensor;
    if (!t)
      return Status::failure(PHOBOS_INVALID_ARGUMENT,
                             "argument " + nameOf(i) + " is a tensor but `tensor` is null");
    if (!isType(t->type))
      return Status::failure(PHOBOS_INVALID_ARGUMENT, "argument " + nameOf(i) + ": the tensor's type " +
                                                          std::to_string(t->type) + " is no phobos_type");
    if (t->rank < 1 || t->rank > PHOBOS_MAX_RANK)
      return Status::failure(PHOBOS_INVALID_ARGUMENT, "argument " + nameOf(i) + ": the tensor's rank is " +
                                                          std::to_string(t->rank) + "; ranks 1 to " +
                                                          std::to_string(PHOBOS_MAX_RANK) + " are supported");
    if (t->device < PHOBOS_DEVICE_UNKNOWN)
      return Status::failure(PHOBOS_INVALID_ARGUMENT, "argument " + nameOf(i) + ": the tensor's device " +
                                                          std::to_string(t->device) +
                                                          " is none; -1 is host memory, -2 is not known");
    a.shape.elem = static_cast<ScalarType>(t->type);
    a.shape.data = t->data;
    a.shape.extents.assign(t->extents, t->extents + t->rank);
    if (t->has_strides)
      a.shape.strides.assign(t->strides, t->strides + t->rank);
    a.device = t->device;
    out.push_back(std::move(a));
  }
  return Status::success();
}

} // namespace

phobos_status phobosFail(phobos_status code, std::string message);
phobos_status phobosFail(phobos_status code, std::string message) {
  return done(Status::failure(code, std::move(message)));
}

extern "C" {

int phobos_abi_version(void) { return PHOBOS_ABI_VERSION; }
const char *phobos_version(void) { return PHOBOS_VERSION_TEXT; }
const char *phobos_last_error(void) { return lastError.c_str(); }

const char *phobos_status_name(phobos_status status) {
  static const char *const names[] = {"ok",       "invalid argument", "bad bundle",   "no device",
                                      "contract", "driver",           "out of memory"};
  return status >= 0 && status <= PHOBOS_OUT_OF_MEMORY ? names[status] : "unknown status";
}

const char *phobos_type_name(phobos_type type) {
  return isType(type) ? name(static_cast<ScalarType>(type)).data() : "unknown type";
}

phobos_status phobos_device_target(int32_t device, const char **out) {
  if (!out)
    return invalid("phobos_device_target: a null pointer");
  return guarded([&] {
    static thread_local std::string text;
    cuda::DeviceInfo info;
    std::string error;
    if (!cuda::Device::describe(device, info, error))
      return Status::failure(PHOBOS_NO_DEVICE, error);
    text = info.target();
    *out = text.c_str();
    return Status::success();
  });
}

phobos_status phobos_module_load_memory(const void *bytes, size_t size, const phobos_module_options *options,
                                        phobos_module **out) {
  if (!bytes || !out)
    return invalid("phobos_module_load_memory: a null pointer");
  return guarded([&] {
    auto m = std::make_unique<phobos_module>();
    Status s = Module::load(std::string_view(static_cast<const char *>(bytes), size), options, m->impl);
    if (s.ok())
      *out = m.release();
    return s;
  });
}

phobos_status phobos_module_load_file(const char *path, const phobos_module_options *options,
                                      phobos_module **out) {
  if (!path || !out)
    return invalid("phobos_module_load_file: a null pointer");
  return guarded([&] {
    std::string error, name = path;
    std::optional<ReadFile> file = readFile(name == "-" ? "./-" : name, kMaxBundleBytes, error);
    if (!file || file->isCut)
      return Status::failure(PHOBOS_BAD_BUNDLE,
                             name + ": " + (file ? tooLargeForBundle() : "cannot be read: " + error));
    auto m = std::make_unique<phobos_module>();
    Status s = Module::load(file->bytes, options, m->impl);
    if (s.ok())
      *out = m.release();
    else
      s.message = std::string(path) + ": " + s.message;
    return s;
  });
}

void phobos_module_release(phobos_module *module) { delete module; }
const char *phobos_module_device_name(const phobos_module *module) {
  return module ? module->impl->deviceName().c_str() : "";
}
int32_t phobos_module_is_cpu(const phobos_module *module) { return module && module->impl->isCpu(); }
size_t phobos_module_kernel_count(const phobos_module *module) {
  return module ? module->impl->kernels().size() : 0;
}

const char *phobos_module_kernel_name(const phobos_module *module, size_t index) {
  return module && index < module->impl->kernels().size() ? module->impl->kernels()[index]->name.c_str()
                                                          : nullptr;
}

phobos_status phobos_module_kernel(phobos_module *module, const char *name, phobos_kernel **out) {
  if (!module || !name || !out)
    return invalid("phobos_module_kernel: a null pointer");
  return guarded([&] {
    Kernel *k = nullptr;
    Status s = module->impl->kernel(name, k);
    if (s.ok())
      *out = k;
    return s;
  });
}

size_t phobos_kernel_param_count(const phobos_kernel *kernel) {
  return kernel ? kernel->contract().params.size() : 0;
}

static const ContractParam *paramAt(const phobos_kernel *kernel, size_t index) {
  return kernel && index < kernel->contract().params.size() ? &kernel->contract().params[index] : nullptr;
}
const char *phobos_kernel_param_name(const phobos_kernel *kernel, size_t index) {
  const ContractParam *p = paramAt(kernel, index);
  return p ? p->name.c_str() : nullptr;
}
int32_t phobos_kernel_param_is_tensor(const phobos_kernel *kernel, size_t index) {
  const ContractParam *p = paramAt(kernel, index);
  return p && p->isTensor;
}
phobos_type phobos_kernel_param_type(const phobos_kernel *kernel, size_t index) {
  const ContractParam *p = paramAt(kernel, index);
  return p ? static_cast<phobos_type>(p->elem) : PHOBOS_F32;
}

phobos_status phobos_prepare(phobos_kernel *kernel, const phobos_arg *args, size_t count,
                             const phobos_launch_options *options, phobos_prepared **out) {
  if (!kernel || (!args && count) || !out)
    return invalid("phobos_prepare: a null pointer");
  return guarded([&] {
    std::vector<Argument> list;
    if (Status s = convert(*kernel, args, count, list); !s.ok())
      return s;
    auto p = std::make_unique<phobos_prepared>();
    Status s = kernel->module->prepare(*kernel, std::move(list), options, p->impl);
    if (s.ok())
      *out = p.release();
    return s;
  });
}

phobos_status phobos_launch(phobos_kernel *kernel, void *stream, const phobos_arg *args, size_t count,
                            const phobos_launch_options *options) {
  if (!kernel || (!args && count))
    return invalid("phobos_launch: a null pointer");
  return guarded([&] {
    std::vector<Argument> list;
    if (Status s = convert(*kernel, args, count, list); !s.ok())
      return s;
    Prepared p;
    if (Status s = kernel->module->prepare(*kernel, std::move(list), options, p); !s.ok())
      return s;
    return p.launch(stream);
  });
}

phobos_status phobos_prepared_launch(phobos_prepared *prepared, void *stream) {
  return prepared ? guarded([&] { return prepared->impl.launch(stream); })
                  : invalid("phobos_prepared_launch: a null pointer");
}
phobos_status phobos_prepared_set_pointer(phobos_prepared *prepared, size_t param, void *data) {
  return prepared ? guarded([&] { return prepared->impl.setPointer(param, data); })
                  : invalid("phobos_prepared_set_pointer: a null pointer");
}
phobos_status phobos_prepared_set_float(phobos_prepared *prepared, size_t param, double value) {
  return prepared ? guarded([&] { return prepared->impl.setFloat(param, value); })
                  : invalid("phobos_prepared_set_float: a null pointer");
}
phobos_status phobos_prepared_set_int(phobos_prepared *prepared, size_t param, int64_t value) {
  return prepared ? guarded([&] { return prepared->impl.setInt(param, value); })
                  : invalid("phobos_prepared_set_int: a null pointer");
}
const char *phobos_prepared_point(const phobos_prepared *prepared) {
  return prepared ? prepared->impl.point().c_str() : "";
}
const char *phobos_prepared_target(const phobos_prepared *prepared) {
  return prepared ? prepared->impl.target().c_str() : "";
}
void phobos_prepared_release(phobos_prepared *prepared) { delete prepared; }

} // extern "C"
