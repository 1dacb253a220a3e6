// The Phobos runtime in C++: a header over phobos.h, so that the binary interface stays C.
//
//   auto module = phobos::Module::load("gemm.phx");
//   if (!module) fail(module.error());
//   phobos::Kernel gemm = module->kernel("gemm").value();
//   auto status = gemm.launch(stream, A, B, C);       // phobos::TensorView; scalars are C++ scalars
//
//   // Checks once: a prepared launch costs what the driver costs.
//   auto prepared = gemm.prepare({}, A, B, C).value();
//   prepared.launch(stream);
//
// Nothing throws. Errors are phobos::Error: a code and a text that names the parameter, the rule and the
// values. Ownership, threads and units are those of phobos.h.
#ifndef PHOBOS_PHOBOS_HPP
#define PHOBOS_PHOBOS_HPP

#include <phobos/phobos.h>

#include <array>
#include <cassert>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace phobos {

/// Bits of narrow floats, for views of such tensors.
struct float16 {
  uint16_t bits;
};
struct bfloat16 {
  uint16_t bits;
};
struct float8_e4m3 {
  uint8_t bits;
};
struct float8_e5m2 {
  uint8_t bits;
};

template <typename T> struct TypeOf; ///< a C++ type that no tensor can have does not compile
template <> struct TypeOf<bool> {
  static constexpr phobos_type value = PHOBOS_BOOL;
};
template <> struct TypeOf<int8_t> {
  static constexpr phobos_type value = PHOBOS_I8;
};
template <> struct TypeOf<uint8_t> {
  static constexpr phobos_type value = PHOBOS_U8;
};
template <> struct TypeOf<int32_t> {
  static constexpr phobos_type value = PHOBOS_I32;
};
template <> struct TypeOf<uint32_t> {
  static constexpr phobos_type value = PHOBOS_U32;
};
template <> struct TypeOf<int64_t> {
  static constexpr phobos_type value = PHOBOS_I64;
};
template <> struct TypeOf<float16> {
  static constexpr phobos_type value = PHOBOS_F16;
};
template <> struct TypeOf<bfloat16> {
  static constexpr phobos_type value = PHOBOS_BF16;
};
template <> struct TypeOf<float8_e4m3> {
  static constexpr phobos_type value = PHOBOS_F8E4M3;
};
template <> struct TypeOf<float8_e5m2> {
  static constexpr phobos_type value = PHOBOS_F8E5M2;
};
template <> struct TypeOf<float> {
  static constexpr phobos_type value = PHOBOS_F32;
};
template <> struct TypeOf<double> {
  static constexpr phobos_type value = PHOBOS_F64;
};

struct [[nodiscard]] Status {
  phobos_status code = PHOBOS_OK;
  std::string message;
  explicit operator bool() const { return code == PHOBOS_OK; }
  static Status of(phobos_status code) {
    return code == PHOBOS_OK ? Status{} : Status{code, phobos_last_error()};
  }
};
using Error = Status;

/// A value or an error.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}
  explicit operator bool() const { return value_.has_value(); }
  T &value() & {
    assert(value_);
    return *value_;
  }
  T value() && {
    assert(value_);
    return std::move(*value_);
  }
  T *operator->() {
    assert(value_);
    return &*value_;
  }
  T &operator*() {
    assert(value_);
    return *value_;
  }
  const Error &error() const { return error_; }

private:
  std::optional<T> value_;
  Error error_;
};

/// What to compile for so that code runs best on CUDA device `device`: "sm_90a"; an error where there is
/// none.
inline Result<std::string> deviceTarget(int32_t device = 0) {
  const char *text = nullptr;
  Status s = Status::of(phobos_device_target(device, &text));
  return s ? Result<std::string>(std::string(text)) : Result<std::string>(s);
}

/// A tensor of `T` in memory that somebody else owns; T const for one that is only read.
class TensorView {
public:
  /// Dense, C order.
  template <typename T>
  TensorView(T *data, std::initializer_list<int64_t> extents, int32_t device = PHOBOS_DEVICE_UNKNOWN) {
    fill(data, TypeOf<std::remove_cv_t<T>>::value, extents.begin(), extents.size(), device);
  }
  /// With a stride for each axis, in elements.
  template <typename T>
  TensorView(T *data, std::initializer_list<int64_t> extents, std::initializer_list<int64_t> strides,
             int32_t device = PHOBOS_DEVICE_UNKNOWN) {
    assert(strides.size() == extents.size());
    fill(data, TypeOf<std::remove_cv_t<T>>::value, extents.begin(), extents.size(), device);
    tensor_.has_strides = 1;
    for (size_t i = 0; i < strides.size() && i < PHOBOS_MAX_RANK; ++i)
      tensor_.strides[i] = strides.begin()[i];
  }
  explicit TensorView(const phobos_tensor &tensor) : tensor_(tensor) {}

  /// `dl` points at a DLTensor.
  static Result<TensorView> fromDLPack(const void *dl) {
    phobos_tensor t;
    Status s = Status::of(phobos_tensor_from_dlpack(dl, &t));
    return s ? Result<TensorView>(TensorView(t)) : Result<TensorView>(s);
  }
  /// From the fields of a __cuda_array_interface__ (`strides` in bytes or null); with device
  /// PHOBOS_DEVICE_HOST of an __array_interface__.
  static Result<TensorView> fromArrayInterface(uint64_t data, const char *typestr, const int64_t *shape,
                                               const int64_t *strides, int32_t rank, int32_t device) {
    phobos_tensor t;
    Status s =
        Status::of(phobos_tensor_from_array_interface(data, typestr, shape, strides, rank, device, &t));
    return s ? Result<TensorView>(TensorView(t)) : Result<TensorView>(s);
  }
  const phobos_tensor &get() const { return tensor_; }

private:
  void fill(const void *data, phobos_type type, const int64_t *extents, size_t rank, int32_t device) {
    assert(rank >= 1 && rank <= PHOBOS_MAX_RANK);
    tensor_ = {};
    tensor_.data = const_cast<void *>(data);
    tensor_.type = type;
    tensor_.rank = static_cast<int32_t>(rank);
    tensor_.device = device;
    for (size_t i = 0; i < rank && i < PHOBOS_MAX_RANK; ++i)
      tensor_.extents[i] = extents[i];
  }
  phobos_tensor tensor_;
};

struct LaunchOptions {
  std::optional<std::array<int64_t, 3>> grid; ///< wins over the kernel's own
  bool assumeDisjoint = false;                ///< skip the overlap check
  int threads = 0;                            ///< on the CPU; 0: all

  phobos_launch_options get() const {
    phobos_launch_options o{};
    if (grid)
      o.has_grid = 1, o.grid[0] = (*grid)[0], o.grid[1] = (*grid)[1], o.grid[2] = (*grid)[2];
    o.assume_disjoint = assumeDisjoint;
    o.threads = threads;
    return o;
  }
};

namespace detail {
inline phobos_arg toArg(const TensorView &t) { return {1, 0, &t.get(), 0, 0}; }
template <typename T>
  requires std::is_arithmetic_v<T>
phobos_arg toArg(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return {0, TypeOf<T>::value, nullptr, static_cast<double>(value), 0};
  else
    return {0, TypeOf<T>::value, nullptr, 0, static_cast<int64_t>(value)};
}
/// A scalar parameter of a type that C++ has no arithmetic type for (f16, bf16, f8), or one given by its
/// type's name.
struct Scalar {
  phobos_type type;
  double f;
  int64_t i;
};
inline phobos_arg toArg(const Scalar &s) { return {0, s.type, nullptr, s.f, s.i}; }
} // namespace detail

/// A scalar argument of type `type`, rounded to it.
inline detail::Scalar scalar(phobos_type type, double value) {
  return {type, value, static_cast<int64_t>(value)};
}
/// An argument for a parameter of type `index`.
inline detail::Scalar index(int64_t value) { return {PHOBOS_INDEX, 0, value}; }

/// A scalar parameter of a generated signature: takes what `T` holds without narrowing. A double for a float,
/// an int for a float, a number for a bool do not compile.
template <typename T> struct Exactly {
  T value;
  template <typename U>
    requires std::is_arithmetic_v<U> && requires(U u) { T{u}; }
  constexpr Exactly(U u) : value{u} {}
};

/// Checks done, arguments packed. Move-only; valid while its module lives.
class Prepared {
public:
  Status launch(void *stream = nullptr) { return Status::of(phobos_prepared_launch(impl_.get(), stream)); }
  Status setPointer(size_t param, void *data) {
    return Status::of(phobos_prepared_set_pointer(impl_.get(), param, data));
  }
  Status set(size_t param, double value) {
    return Status::of(phobos_prepared_set_float(impl_.get(), param, value));
  }
  Status set(size_t param, int64_t value) {
    return Status::of(phobos_prepared_set_int(impl_.get(), param, value));
  }
  std::string point() const { return phobos_prepared_point(impl_.get()); }
  std::string target() const { return phobos_prepared_target(impl_.get()); } ///< "sm_90a", "cpu"

private:
  friend class Kernel;
  explicit Prepared(phobos_prepared *p) : impl_(p) {}
  struct Release {
    void operator()(phobos_prepared *p) const { phobos_prepared_release(p); }
  };
  std::unique_ptr<phobos_prepared, Release> impl_;
};

/// Belongs to its module and is valid while that lives; copies are cheap.
class Kernel {
public:
  explicit Kernel(phobos_kernel *k) : impl_(k) {}

  template <typename... Args> Status launch(void *stream, const Args &...args) const {
    return launchWith({}, stream, args...);
  }
  template <typename... Args>
  Status launchWith(const LaunchOptions &options, void *stream, const Args &...args) const {
    const std::array<phobos_arg, sizeof...(Args)> list{detail::toArg(args)...};
    phobos_launch_options o = options.get();
    return Status::of(phobos_launch(impl_, stream, list.data(), list.size(), &o));
  }
  template <typename... Args>
  Result<Prepared> prepare(const LaunchOptions &options, const Args &...args) const {
    const std::array<phobos_arg, sizeof...(Args)> list{detail::toArg(args)...};
    phobos_launch_options o = options.get();
    phobos_prepared *p = nullptr;
    Status s = Status::of(phobos_prepare(impl_, list.data(), list.size(), &o, &p));
    return s ? Result<Prepared>(Prepared(p)) : Result<Prepared>(s);
  }
  size_t paramCount() const { return phobos_kernel_param_count(impl_); }
  std::string paramName(size_t i) const { return phobos_kernel_param_name(impl_, i); }
  phobos_kernel *get() const { return impl_; }

private:
  phobos_kernel *impl_;
};

struct ModuleOptions {
  std::string target = "auto"; ///< auto, cuda, cpu
  int32_t device = -1;
};

class Module {
public:
  static Result<Module> load(const std::string &path, const ModuleOptions &options = {}) {
    phobos_module_options o{options.target.c_str(), options.device};
    phobos_module *m = nullptr;
    Status s = Status::of(phobos_module_load_file(path.c_str(), &o, &m));
    return s ? Result<Module>(Module(m)) : Result<Module>(s);
  }
  static Result<Module> load(const void *bytes, size_t size, const ModuleOptions &options = {}) {
    phobos_module_options o{options.target.c_str(), options.device};
    phobos_module *m = nullptr;
    Status s = Status::of(phobos_module_load_memory(bytes, size, &o, &m));
    return s ? Result<Module>(Module(m)) : Result<Module>(s);
  }
  Result<Kernel> kernel(const std::string &name) const & {
    phobos_kernel *k = nullptr;
    Status s = Status::of(phobos_module_kernel(impl_.get(), name.c_str(), &k));
    return s ? Result<Kernel>(Kernel(k)) : Result<Kernel>(s);
  }
  Result<Kernel> kernel(const std::string &name) const && = delete; ///< it would outlive its module
  std::vector<std::string> kernels() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < phobos_module_kernel_count(impl_.get()); ++i)
      names.emplace_back(phobos_module_kernel_name(impl_.get(), i));
    return names;
  }
  bool isCpu() const { return phobos_module_is_cpu(impl_.get()) != 0; }
  std::string deviceName() const { return phobos_module_device_name(impl_.get()); }

private:
  explicit Module(phobos_module *m) : impl_(m) {}
  struct Release {
    void operator()(phobos_module *m) const { phobos_module_release(m); }
  };
  std::unique_ptr<phobos_module, Release> impl_;
};

} // namespace phobos

#endif
