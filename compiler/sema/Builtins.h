// The built-ins by name, from the one list Builtins.def.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace phobos::sema {

enum class BuiltinId : uint8_t {
#define BUILTIN(NAME, PARAMS, GROUP, SUMMARY) NAME,
#include "compiler/sema/Builtins.def"
#undef BUILTIN
};

struct Builtin {
  BuiltinId id;
  std::string_view name;
  std::string_view params; ///< as Builtins.def writes them
  std::string_view group, summary;
  bool takesType; ///< name<T>(..)

  struct Parameter {
    std::string_view name;
    bool isOptional = false, keywordOnly = false, isRest = false;
  };
  std::vector<Parameter> parameters() const;
};

const std::vector<Builtin> &builtins();
const Builtin *findBuiltin(std::string_view name);
/// `cat(a, b, axis)`
std::string signature(const Builtin &b);

} // namespace phobos::sema
