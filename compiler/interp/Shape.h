// Operations that move elements: tiles of rank 1 or 2, row-major. Splats are written out where needed.
#pragma once
#include "compiler/interp/Value.h"
#include "compiler/sema/Typed.h"

namespace phobos::interp {

Value broadcast(const Value &a, const Type &from, const Type &to);
Value transpose(const Value &a, const Type &from);
Value iota(const Type &type, int axis);
Value cat(const Value &a, const Type &aType, const Value &b, const Type &bType, int axis);
/// The node's offsets and lengths over `whole`.
Value tileSlice(const sema::Expr &e, const Value &a, const Type &whole);
Value insertSlice(const sema::Expr &e, Value tile, const Value &value);
/// Tril (lower) or Triu with diagonal `k`.
Value triangle(const Value &a, const Type &type, bool lower, int64_t k);

Value reduce(const sema::Expr &e, const Value &a, const Type &type);
Value argReduce(const sema::Expr &e, const Value &a, const Type &type);
Value scan(const sema::Expr &e, const Value &a, const Type &type);
Value dot(const sema::Expr &e, const Value &a, const Value &b);

} // namespace phobos::interp
