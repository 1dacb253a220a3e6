// Loads a relocatable x86-64 ELF object (what the compiler puts into a bundle for the CPU) into this process:
// no linker, no LLVM.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace phobos {

/// Owns the mapped code; entries are valid while it lives. Immutable and thread-safe once loaded.
class LoadedObject {
public:
  ~LoadedObject();
  LoadedObject(const LoadedObject &) = delete;
  LoadedObject &operator=(const LoadedObject &) = delete;

  /// The address of a defined symbol, or null.
  void *symbol(std::string_view name) const;

  /// Null with a message for anything but a well-formed object that refers to nothing outside itself but
  /// memcpy, memmove, memset, and fma and the roundings, which processors before AVX2 lack.
  static std::unique_ptr<LoadedObject> load(std::string_view bytes, std::string &error);

private:
  LoadedObject() = default;
  void *base_ = nullptr;
  size_t size_ = 0;
  std::vector<std::pair<std::string, void *>> symbols_;
  friend class ObjectLinker;
};

/// Whether the running processor has every feature of `features` (LLVM's names); otherwise `missing` names
/// the first it lacks or that this runtime does not know.
bool processorHas(const std::vector<std::string> &features, std::string &missing);

} // namespace phobos
