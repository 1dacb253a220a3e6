// Elementwise operations over values: operands have as many cells as the result, or one.
#pragma once
#include "compiler/interp/Value.h"
#include "compiler/sema/Typed.h"

namespace phobos::interp {

/// Neg, BitNot, Not, Abs and the functions of one operand, in type `t`, rounded or wrapped to it.
Value unary(sema::Op op, ScalarType t, const Value &a);
/// Arithmetic, bit operations, shifts, Max, Min, CDiv, Pow in type `t`.
Value binary(sema::Op op, ScalarType t, const Value &a, const Value &b);
/// Eq .. Ge of operands of type `t`; bool.
Value compare(sema::Op op, ScalarType t, const Value &a, const Value &b);
/// LogicalAnd, LogicalOr of operands that are both at hand.
Value logical(sema::Op op, const Value &a, const Value &b);
/// a * b + c rounded once.
Value fma(ScalarType t, const Value &a, const Value &b, const Value &c);
/// `a` where the condition holds, else `b`.
Value select(const Value &condition, const Value &a, const Value &b);
Value convert(ScalarType from, ScalarType to, const Value &a);
Value bitcast(ScalarType from, ScalarType to, const Value &a);
Value rand(const Value &seed, const Value &offset);

/// The larger, NaN if either is, 0 of 0 and -0; and the smaller.
double maxOf(double a, double b);
double minOf(double a, double b);
/// Rounds cells computed in double to float type `t`.
void roundCells(ScalarType t, double *cells, size_t n);
/// Wraps cells computed modulo 2^64 to integer type `t`.
void wrapCells(ScalarType t, int64_t *cells, size_t n);

} // namespace phobos::interp
