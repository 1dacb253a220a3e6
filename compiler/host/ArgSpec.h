// The values of `--arg NAME=VALUE`: a file, a number, or a rule that fills an array.
#pragma once
#include "compiler/host/HostArray.h"
#include <optional>
#include <string>
#include <string_view>

namespace phobos {

/// `X=a.npy`, `alpha=0.5`, `X=uniform(-1,1)`, `normal`, `normal(mean,std)`, `arange`, `const(c)`.
struct ArgSpec {
  enum class Kind : uint8_t { File, Number, Uniform, Normal, Arange, Const };
  Kind kind = Kind::File;
  std::string text;               ///< as written; of a file its path
  double a = 0, b = 0;            ///< Number and Const: a; Uniform: [a, b); Normal: mean, standard deviation
  std::optional<int64_t> integer; ///< Number and Const: the value where it was written as an integer
  bool isFile() const { return kind == Kind::File; }
};

/// Reads `NAME=VALUE`. False with a reason.
bool parseArg(std::string_view text, std::string &name, ArgSpec &spec, std::string &error);
/// Reads VALUE alone.
bool parseArgValue(std::string_view text, ArgSpec &spec, std::string &error);

/// The rule that a value which is none was perhaps meant to be: `uniform` for `unifrm(0, 1)` or `unifrm`.
std::optional<std::string> nearestRule(std::string_view text);

/// Whether all values of the rule are values of `elem`, in an array of `count` elements. False with a reason
/// that names both ranges. Floats always fit: what is given for a narrower one is rounded to it.
bool fitsElement(const ArgSpec &spec, ScalarType elem, int64_t count, std::string &error);

/// Fills an array by the rule (any kind but File). The same seed and name give the same elements on every
/// machine, whatever else is filled. Integers: uniform takes both ends and whole numbers between, normal
/// rounds.
void fillArray(HostArray &array, const ArgSpec &spec, uint64_t seed, std::string_view name);

/// The value as a scalar of type `elem`: floats in `f`, integers and bool in `i`. False with a reason where
/// it does not fit.
bool scalarValue(const ArgSpec &spec, ScalarType elem, uint64_t seed, std::string_view name, double &f,
                 int64_t &i, std::string &error);

} // namespace phobos
