#include "compiler/sema/Builtins.h"
#include <algorithm>

namespace phobos::sema {

const std::vector<Builtin> &builtins() {
  static const std::vector<Builtin> list = {
#define BUILTIN(NAME, PARAMS, GROUP, SUMMARY)                                                                \
  {BuiltinId::NAME, #NAME, PARAMS, #GROUP, SUMMARY, std::string_view(PARAMS).starts_with("<T>")},
#include "compiler/sema/Builtins.def"
#undef BUILTIN
  };
  return list;
}

const Builtin *findBuiltin(std::string_view name) {
  const auto &list = builtins();
  auto it = std::find_if(list.begin(), list.end(), [&](const Builtin &b) { return b.name == name; });
  return it == list.end() ? nullptr : &*it;
}

std::vector<Builtin::Parameter> Builtin::parameters() const {
  std::vector<Parameter> result;
  std::string_view rest = params;
  if (takesType)
    rest.remove_prefix(3);
  while (!rest.empty()) {
    size_t space = rest.find(' ');
    std::string_view word = rest.substr(0, space);
    rest = space == std::string_view::npos ? std::string_view{} : rest.substr(space + 1);
    if (word.empty())
      continue;
    Parameter p;
    if ((p.keywordOnly = word.front() == '*'))
      word.remove_prefix(1);
    if ((p.isOptional = word.back() == '?'))
      word.remove_suffix(1);
    if ((p.isRest = word.ends_with("..")))
      word.remove_suffix(2);
    p.name = word;
    result.push_back(p);
  }
  return result;
}

std::string signature(const Builtin &b) {
  std::string s = std::string(b.name) + (b.takesType ? "<T>(" : "(");
  bool first = true;
  for (const Builtin::Parameter &p : b.parameters()) {
    std::string word = std::string(p.name) + (p.isRest ? ".." : "") + (p.keywordOnly ? " = x" : "");
    word = (first ? "" : ", ") + word;
    s += p.isOptional ? "[" + word + "]" : word;
    first = false;
  }
  return s + ")";
}

} // namespace phobos::sema
