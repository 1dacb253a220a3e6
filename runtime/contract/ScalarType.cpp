#include "runtime/contract/ScalarType.h"
#include <iterator>

namespace phobos {

namespace {
enum class Class : uint8_t { Bool, Signed, Unsigned, Float };
struct ScalarInfo {
  std::string_view name;
  unsigned bits, bytes;
  Class cls;
  ScalarType accumulator;
};
} // namespace

using S = ScalarType;
static constexpr ScalarInfo kScalars[] = {
    {"bool", 1, 1, Class::Bool, S::I32},       {"i8", 8, 1, Class::Signed, S::I32},
    {"u8", 8, 1, Class::Unsigned, S::I32},     {"i32", 32, 4, Class::Signed, S::I32},
    {"u32", 32, 4, Class::Unsigned, S::U32},   {"i64", 64, 8, Class::Signed, S::I64},
    {"index", 64, 8, Class::Signed, S::Index}, {"f8e4m3", 8, 1, Class::Float, S::F32},
    {"f8e5m2", 8, 1, Class::Float, S::F32},    {"f16", 16, 2, Class::Float, S::F32},
    {"bf16", 16, 2, Class::Float, S::F32},     {"f32", 32, 4, Class::Float, S::F32},
    {"f64", 64, 8, Class::Float, S::F64},
};

static const ScalarInfo &get(ScalarType t) { return kScalars[static_cast<size_t>(t)]; }

std::string_view name(ScalarType t) { return get(t).name; }
std::optional<ScalarType> scalarTypeNamed(std::string_view n) {
  for (size_t i = 0; i < std::size(kScalars); ++i)
    if (kScalars[i].name == n)
      return static_cast<ScalarType>(i);
  return std::nullopt;
}
unsigned bitWidth(ScalarType t) { return get(t).bits; }
unsigned byteSize(ScalarType t) { return get(t).bytes; }
bool isFloat(ScalarType t) { return get(t).cls == Class::Float; }
bool isInteger(ScalarType t) { return get(t).cls == Class::Signed || get(t).cls == Class::Unsigned; }
bool isSigned(ScalarType t) { return get(t).cls == Class::Signed; }
ScalarType accumulatorOf(ScalarType t) { return get(t).accumulator; }

} // namespace phobos
