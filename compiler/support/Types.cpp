#include "compiler/support/Types.h"

namespace phobos {

int64_t Type::elements() const {
  int64_t n = 1;
  for (int64_t e : shape)
    n *= e;
  return n;
}

std::string str(const std::vector<int64_t> &shape) {
  std::string s = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    s += (i ? ", " : "") + std::to_string(shape[i]);
  return s + "]";
}

std::string str(const Type &t) {
  if (t.isVoid())
    return "nothing";
  std::string elem(name(t.elem));
  return t.isScalar() ? elem : "tile<" + elem + ">" + str(t.shape);
}

} // namespace phobos
