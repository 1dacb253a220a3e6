#include "compiler/host/ArgSpec.h"
#include "compiler/host/Philox.h"
#include "compiler/support/Parallel.h"
#include "compiler/support/Suggest.h"
#include "runtime/contract/Numeric.h"
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace phobos {

// Numbers ------------------------------------------------------------

namespace {
struct Number {
  double value = 0;
  std::optional<int64_t> integer;
};
} // namespace

/// A whole string as a number: decimal or 0x integers with `_` between digits, floats, inf, nan, true, false,
/// a sign.
static std::optional<Number> readNumber(std::string_view text) {
  if (text == "true" || text == "false")
    return Number{text == "true" ? 1.0 : 0.0, text == "true"};
  bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+'))
    text.remove_prefix(1);
  if (text.empty())
    return std::nullopt;
  double sign = negative ? -1 : 1;
  if (text == "inf")
    return Number{sign * std::numeric_limits<double>::infinity(), std::nullopt};
  if (text == "nan")
    return Number{std::numeric_limits<double>::quiet_NaN(), std::nullopt};
  if (text[0] != '.' && (text[0] < '0' || text[0] > '9'))
    return std::nullopt;
  std::string digits;
  for (char c : text)
    if (c != '_')
      digits += c;
  bool hex = digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  const char *first = digits.data() + (hex ? 2 : 0), *last = digits.data() + digits.size();
  uint64_t magnitude = 0;
  auto [end, status] = std::from_chars(first, last, magnitude, hex ? 16 : 10);
  if (status == std::errc() && end == last && magnitude <= (uint64_t(1) << 63) - !negative)
    return Number{sign * static_cast<double>(magnitude),
                  static_cast<int64_t>(negative ? 0 - magnitude : magnitude)};
  if (hex)
    return std::nullopt;
  double value = 0;
  auto [floatEnd, floatStatus] = std::from_chars(first, last, value);
  if (floatEnd != last || floatStatus == std::errc::invalid_argument)
    return std::nullopt;
  if (floatStatus ==
      std::errc::result_out_of_range) // from_chars leaves the value alone; strtod gives 0 or infinity
    value = std::strtod(digits.c_str(), nullptr);
  return Number{sign * value, std::nullopt};
}

/// Whether digits came out infinite.
static bool overflows(std::string_view text, const Number &n) {
  return std::isinf(n.value) && text.find_first_of("0123456789") != std::string_view::npos;
}

static std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ')
    s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ')
    s.remove_suffix(1);
  return s;
}

// Parsing ------------------------------------------------------------

/// `word(x)`, `word(x, y)` or `word` alone; nullopt if `text` is something else. Values that are not numbers
/// are an error.
static std::optional<std::vector<Number>> readCall(std::string_view text, std::string_view word,
                                                   std::string &error) {
  if (!text.starts_with(word))
    return std::nullopt;
  std::string_view rest = trim(text.substr(word.size()));
  std::vector<Number> args;
  if (rest.empty())
    return args;
  if (rest.front() != '(' || rest.back() != ')')
    return std::nullopt;
  rest = rest.substr(1, rest.size() - 2);
  while (true) {
    size_t comma = rest.find(',');
    std::string_view item = trim(rest.substr(0, comma));
    std::optional<Number> n = readNumber(item);
    if (!n || overflows(item, *n)) {
      error = "'" + std::string(item) +
              (n ? "' is larger than a number can be; infinity is written inf" : "' is not a number");
      return args;
    }
    args.push_back(*n);
    if (comma == std::string_view::npos)
      return args;
    rest.remove_prefix(comma + 1);
  }
}

namespace {
struct Rule {
  std::string_view word;
  ArgSpec::Kind kind;
  bool bare;    ///< may stand without arguments
  size_t count; ///< arguments if it has any
  const char *form;
};
} // namespace

static constexpr Rule kRules[] = {
    {"uniform", ArgSpec::Kind::Uniform, false, 2, "uniform(low, high)"},
    {"normal", ArgSpec::Kind::Normal, true, 2, "normal or normal(mean, deviation)"},
    {"arange", ArgSpec::Kind::Arange, true, 0, "arange"},
    {"const", ArgSpec::Kind::Const, false, 1, "const(value)"},
};

std::optional<std::string> nearestRule(std::string_view text) {
  std::vector<std::string> words;
  for (const Rule &rule : kRules)
    words.emplace_back(rule.word);
  return nearest(text.substr(0, text.find('(')), words);
}

/// `word(..)`: nobody calls a file so, and a misspelt rule must not be looked for on the disk.
static bool looksLikeRule(std::string_view text) {
  size_t open = text.find('(');
  return open != 0 && open != std::string_view::npos && text.back() == ')' &&
         text.find_first_of("./\\") > open;
}

bool parseArgValue(std::string_view text, ArgSpec &spec, std::string &error) {
  spec = {};
  spec.text = text;
  error.clear();
  if (text.empty()) {
    error = "the value is empty";
    return false;
  }
  if (std::optional<Number> n = readNumber(text)) {
    if (overflows(text, *n)) {
      error = "'" + spec.text + "' is larger than a number can be; infinity is written inf";
      return false;
    }
    spec.kind = ArgSpec::Kind::Number;
    spec.a = n->value, spec.integer = n->integer;
    return true;
  }
  for (const Rule &rule : kRules) {
    std::optional<std::vector<Number>> args = readCall(text, rule.word, error);
    if (!args)
      continue;
    if (!error.empty())
      return false;
    if (args->size() != rule.count && !(rule.bare && args->empty())) {
      error = std::string("it should be written ") + rule.form;
      return false;
    }
    spec.kind = rule.kind;
    if (rule.kind == ArgSpec::Kind::Normal)
      spec.b = 1;
    if (!args->empty())
      spec.a = (*args)[0].value, spec.integer = (*args)[0].integer;
    if (args->size() > 1)
      spec.b = (*args)[1].value, spec.integer.reset();
    bool finite = std::isfinite(spec.a) && std::isfinite(spec.b);
    if ((rule.kind == ArgSpec::Kind::Uniform && (!finite || spec.a > spec.b)) ||
        (rule.kind == ArgSpec::Kind::Normal && (!finite || spec.b < 0))) {
      error = rule.kind == ArgSpec::Kind::Normal ? "a mean and a deviation from 0 are needed"
                                                 : "a low and a high end are needed, in this order";
      return false;
    }
    return true;
  }
  if (looksLikeRule(text)) {
    error = "no rule is called '" + std::string(text.substr(0, text.find('('))) + "'; there are ";
    for (const Rule &rule : kRules)
      error += std::string(&rule == kRules ? "" : ", ") + rule.form;
    return false;
  }
  spec.kind = ArgSpec::Kind::File;
  return true;
}

bool parseArg(std::string_view text, std::string &name, ArgSpec &spec, std::string &error) {
  size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    error = "it should be written NAME=VALUE";
    return false;
  }
  name = text.substr(0, equals);
  return parseArgValue(text.substr(equals + 1), spec, error);
}

// Filling ------------------------------------------------------------

/// FNV-1a: the stream of random numbers that belongs to a parameter's name.
static uint64_t streamOf(std::string_view name) {
  uint64_t h = 0xcbf29ce484222325u;
  for (char c : name)
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

namespace {
/// Two doubles in [0, 1) with 53 bits each.
struct Pair {
  double u, v;
};
} // namespace

static Pair uniformPair(uint64_t seed, uint64_t stream, uint64_t index, uint32_t attempt) {
  auto w = philox({static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32),
                   static_cast<uint32_t>(stream) + attempt, static_cast<uint32_t>(stream >> 32)},
                  {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  auto unit = [](uint32_t high, uint32_t low) {
    return static_cast<double>(((uint64_t(high) << 32) | low) >> 11) * 0x1p-53;
  };
  return {unit(w[0], w[1]), unit(w[2], w[3])};
}

/// The natural logarithm of x in (0, 1], by arithmetic alone, so that every machine has the same last bit.
static double portableLog(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent); // [0.5, 1)
  if (m < 0.70710678118654752)
    m *= 2, --exponent;
  double s = (m - 1) / (m + 1), s2 = s * s, sum = 0; // log m = 2 atanh s, |s| <= 0.172
  for (int k = 25; k >= 1; k -= 2)
    sum = sum * s2 + 1.0 / k;
  return 2 * s * sum + exponent * 0.69314718055994531;
}

/// Marsaglia's polar method: a point of the unit disc becomes a normal deviate.
static double normalDeviate(uint64_t seed, uint64_t stream, uint64_t index) {
  for (uint32_t attempt = 0;; ++attempt) {
    Pair p = uniformPair(seed, stream, index, attempt);
    double x = 2 * p.u - 1, y = 2 * p.v - 1, r = x * x + y * y;
    if (r > 0 && r < 1)
      return x * std::sqrt(-2 * portableLog(r) / r);
  }
}

static void fillPart(HostArray &array, const ArgSpec &spec, uint64_t seed, uint64_t stream, int64_t begin,
                     int64_t end) {
  bool asFloat = isFloat(array.elem());
  for (int64_t i = begin; i < end; ++i) {
    switch (spec.kind) {
    case ArgSpec::Kind::File:
      return;
    case ArgSpec::Kind::Number:
    case ArgSpec::Kind::Const:
      spec.integer ? array.setInt(i, *spec.integer) : array.setFloat(i, spec.a);
      break;
    case ArgSpec::Kind::Arange:
      array.setInt(i, i);
      break;
    case ArgSpec::Kind::Uniform: {
      double u = uniformPair(seed, stream, static_cast<uint64_t>(i), 0).u;
      double low = std::ceil(spec.a), high = std::floor(spec.b);
      array.setFloat(i, asFloat ? spec.a + u * (spec.b - spec.a)
                                : std::min(high, std::floor(low + u * (high - low + 1))));
      break;
    }
    case ArgSpec::Kind::Normal: {
      double x = spec.a + spec.b * normalDeviate(seed, stream, static_cast<uint64_t>(i));
      array.setFloat(i, asFloat ? x : std::nearbyint(x));
      break;
    }
    }
  }
}

void fillArray(HostArray &array, const ArgSpec &spec, uint64_t seed, std::string_view name) {
  const uint64_t stream = streamOf(name);
  inParallel(array.size(),
             [&](int64_t begin, int64_t end) { fillPart(array, spec, seed, stream, begin, end); });
}

/// The ends of an integer type.
static std::pair<int64_t, int64_t> rangeOf(ScalarType elem) {
  if (elem == ScalarType::Bool)
    return {0, 1};
  unsigned bits = bitWidth(elem);
  int64_t high = bits == 64 ? std::numeric_limits<int64_t>::max()
                            : (int64_t(1) << (isSigned(elem) ? bits - 1 : bits)) - 1;
  return {isSigned(elem) ? -high - 1 : 0, high};
}

static std::string wholeText(double x) {
  char text[64];
  std::snprintf(text, sizeof text, "%.0f", x);
  return std::abs(x) < 1e18 ? text : std::to_string(x);
}

/// Whether a finite number stays one in a float type.
static bool staysFinite(const ArgSpec &spec, ScalarType elem, std::string &error) {
  const bool isExact = spec.kind == ArgSpec::Kind::Number || spec.kind == ArgSpec::Kind::Const;
  if (!isExact || !std::isfinite(spec.a))
    return true;
  HostArray one(elem, {1});
  one.setFloat(0, spec.a);
  if (std::isfinite(one.getFloat(0)))
    return true;
  error = spec.text + " is larger than any number of " + std::string(phobos::name(elem)) +
          "; infinity is written inf";
  return false;
}

bool fitsElement(const ArgSpec &spec, ScalarType elem, int64_t count, std::string &error) {
  if (count == 0)
    return true;
  if (isFloat(elem))
    return staysFinite(spec, elem, error);
  constexpr double kFarOut = 6; // deviations: one value of a thousand million lies beyond, and is cut
  auto [least, most] = rangeOf(elem);
  double low = spec.a, high = spec.a;
  switch (spec.kind) {
  case ArgSpec::Kind::File:
    return true;
  case ArgSpec::Kind::Number:
  case ArgSpec::Kind::Const:
    if (!spec.integer) {
      error = spec.text + " is not a whole number";
      return false;
    }
    if (*spec.integer >= least && *spec.integer <= most)
      return true;
    break;
  case ArgSpec::Kind::Arange:
    low = 0, high = static_cast<double>(count - 1);
    break;
  case ArgSpec::Kind::Uniform:
    low = std::ceil(spec.a), high = std::floor(spec.b);
    if (low > high) {
      error = "no whole number lies in " + spec.text;
      return false;
    }
    break;
  case ArgSpec::Kind::Normal:
    low = std::nearbyint(spec.a - kFarOut * spec.b), high = std::nearbyint(spec.a + kFarOut * spec.b);
    break;
  }
  bool exact = spec.kind == ArgSpec::Kind::Number || spec.kind == ArgSpec::Kind::Const;
  if (!exact && low >= static_cast<double>(least) && high <= static_cast<double>(most))
    return true;
  error = spec.text +
          (exact ? std::string(" does not fit: ")
                 : " reaches from " + wholeText(low) + " to " + wholeText(high) + ", but ") +
          std::string(phobos::name(elem)) + " holds " + std::to_string(least) + " to " + std::to_string(most);
  return false;
}

bool scalarValue(const ArgSpec &spec, ScalarType elem, uint64_t seed, std::string_view name, double &f,
                 int64_t &i, std::string &error) {
  if (spec.kind == ArgSpec::Kind::File) {
    error = "a number is needed, found '" + spec.text + "'";
    return false;
  }
  bool exact = spec.kind == ArgSpec::Kind::Number || spec.kind == ArgSpec::Kind::Const;
  if (exact && !isFloat(elem)) {
    if (!spec.integer || numeric::wrapTo(elem, *spec.integer) != *spec.integer) {
      error = "'" + spec.text + "' is not a value of " + std::string(phobos::name(elem));
      return false;
    }
    i = *spec.integer;
    return true;
  }
  if (!fitsElement(spec, elem, 1, error))
    return false;
  HostArray one(elem, {1});
  fillArray(one, spec, seed, name);
  isFloat(elem) ? void(f = one.getFloat(0)) : void(i = one.getInt(0));
  return true;
}

} // namespace phobos
