// Exact conversions of the language's scalar types on the host (spec/types.md), one scalar at a time. No
// hardware rounding modes, no libm: the interpreter and the file readers lean on these.
#pragma once
#include "runtime/contract/ScalarType.h"
#include <cstdint>

namespace phobos::numeric {

/// The value of `bits` (low bits, of a float type) as a double; exact.
double decodeFloat(ScalarType t, uint64_t bits);
/// The bits of `x` rounded to float type `t`, nearest even in one step from the double; f16, bf16, f32
/// overflow to infinity, f8 types saturate to their largest finite value; NaN stays NaN.
uint64_t encodeFloat(ScalarType t, double x);
/// The bits of a value that `t` has: as encodeFloat, but an infinite f8e5m2, which no conversion makes, stays
/// one.
uint64_t bitsOf(ScalarType t, double x);
/// decodeFloat(t, encodeFloat(t, x)).
double roundTo(ScalarType t, double x);
/// `x` truncated toward zero and saturated to integer type `t`; NaN gives 0. u32 and u8 results are
/// non-negative.
int64_t floatToInt(ScalarType t, double x);
/// `x` wrapped to integer type `t`, sign- or zero-extended to 64 bits.
int64_t wrapTo(ScalarType t, int64_t x);
/// An integer to float type `t`, rounded once (an i64 does not go through a double first).
double intToFloat(ScalarType t, int64_t x);

} // namespace phobos::numeric
