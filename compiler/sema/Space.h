// The shape environment of a kernel: declared names with their choices, and the constraints over them. Made
// from the attributes alone (no body is judged).
#pragma once
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Point.h"
#include "compiler/syntax/Ast.h"
#include <functional>
#include <string>
#include <vector>

namespace phobos::sema {

struct Dimension {
  std::string name;
  std::vector<int64_t> choices; ///< in the order of the spec's table; at least one
  bool isSound = true;          ///< false after an error in its choices: no point gives it a value
  SourceRange range;
};

/// One @require. Over constants only: prunes points. With runtime dimensions: decided per shape.
struct Constraint {
  ast::ExprP expr = nullptr;
  std::string text;                      ///< as written
  std::string reason;                    ///< may be empty
  std::vector<std::string> names;        ///< declared names it uses
  std::vector<std::string> runtimeNames; ///< runtime dimensions it uses
  SourceRange range;
};

struct Space {
  std::vector<Dimension> dimensions; ///< in declaration order
  std::vector<Constraint> constraints;
  const Dimension *find(std::string_view name) const;
  /// Each sound name at its first choice.
  Point firstPoint() const;
  /// The product of the choices, constraints not applied.
  double rawSize() const;
};

/// The reserved names of a GEMM (spec/shape-environment.md), in order.
const std::vector<std::string> &gemmNames();
bool isGemmName(std::string_view name);
/// The names as a message lists them: `A, B`, or `none`.
std::string declaredNames(const Space &space);

/// Errors E02xx: empty lists, bad values, duplicates, clashes, a space past 2^40. What is in error is left
/// out of the constraints, and its names have no value at a point: the rest can be judged all the same.
Space buildSpace(const ast::Kernel &kernel, Diagnostics &diags);

/// Value of an integer or bool expression over names that `lookup` knows (integers wrap at 64 bits, division
/// total as in the language); nullopt if it uses anything else, with the name in `unknown` if that is why.
std::optional<int64_t> evaluateConstant(ast::ExprP e,
                                        const std::function<std::optional<int64_t>(std::string_view)> &lookup,
                                        std::string *unknown = nullptr);

/// The first constraint that is false at `point` with these runtime dimensions (unknown ones skip the
/// constraint), or null.
const Constraint *firstViolated(const Space &space, const Point &point, const Point &runtimeDims);

/// Completes `overrides` with first choices and checks its names: a name that is neither declared nor a GEMM
/// name is error E02xx that lists the declared ones and suggests the nearest. False on error.
bool completePoint(const Space &space, const Point &overrides, Point &point, Diagnostics &diags);

} // namespace phobos::sema
