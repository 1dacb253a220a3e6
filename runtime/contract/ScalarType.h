// The element types of the language. Part of the runtime: no LLVM here.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace phobos {

enum class ScalarType : uint8_t { Bool, I8, U8, I32, U32, I64, Index, F8E4M3, F8E5M2, F16, BF16, F32, F64 };

std::string_view name(ScalarType t);
std::optional<ScalarType> scalarTypeNamed(std::string_view name);
/// Width in bits: bool is 1 as a value (a byte in memory), index is 64.
unsigned bitWidth(ScalarType t);
/// Bytes of an element in memory.
unsigned byteSize(ScalarType t);
bool isFloat(ScalarType t);
bool isInteger(ScalarType t); ///< index too; bool not
bool isSigned(ScalarType t);  ///< of integers
/// What `dot` and the sums accumulate in and return: f16, bf16, f8 -> f32; i8, u8, bool -> i32; the rest
/// themselves.
ScalarType accumulatorOf(ScalarType t);

} // namespace phobos
