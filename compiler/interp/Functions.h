// The language's functions of real numbers, one value at a time, for results of f32 or narrower (computed in
// double) and of f64 (computed in long double). Each is rounded to its type by the caller.
#pragma once
#include "compiler/sema/Typed.h"

namespace phobos::interp {

using Function = double (*)(double);

Function narrowFunction(sema::Op op);
Function wideFunction(sema::Op op);
double powNarrow(double x, double y);
double powWide(double x, double y);
/// `x` to the power of `y` modulo 2^64; 0 for negative powers of anything but 1 and -1.
int64_t powInt(int64_t x, int64_t y);
/// x * y + z of values of f32 or narrower as a double rounded to odd: rounded again to f32 or narrower, it is
/// the fma.
double fmaToOdd(double x, double y, double z);

} // namespace phobos::interp
