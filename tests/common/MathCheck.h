// The one-argument f32 functions with their references and stated accuracy, and the comparison over ranges of
// bit patterns.
#pragma once
#include "compiler/target/common/Math.h"
#include "tests/common/HostJit.h"
#include <span>

namespace phobos::testing {

struct MathCase {
  const char *name;
  target::MathFunction fn;
  double (*reference)(double); ///< in f64: its own error is negligible beside an f32's last place
  long double (*longReference)(long double);
  double boundF32, boundF64; ///< ulps; LANGUAGE.md, "Accuracy of f32 built-ins"
};

/// exp: the tighter bound that holds on the CPU.
std::span<const MathCase> mathCases();

/// |got - exact| in units of the last place of `exact`'s binade; an infinite result counts as the next power
/// of two. Infinite where one is NaN and the other is not, or the sign of a zero is wrong.
double ulpsF32(float got, double exact);
double ulpsF64(double got, long double exact);

Kernel compileMath(HostJit &jit, target::MathFunction fn, ScalarType type, unsigned width,
                   unsigned operands = 1);

struct Worst {
  double ulps = 0;
  float at = 0, got = 0;
};
/// Compares at the bit patterns first, first + stride, .. below `end`.
Worst compareF32(const MathCase &m, Kernel f, uint64_t first, uint64_t end, uint64_t stride);

} // namespace phobos::testing
