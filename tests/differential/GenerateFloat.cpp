// Float expressions, with what is known of their values.
#include "tests/differential/Generate.h"
#include <cmath>

namespace phobos::differential {

static std::string elemText(const Type &t) { return std::string(name(t.elem)); }

int precision(ScalarType t) {
  switch (t) {
  case ScalarType::F8E4M3:
    return 4;
  case ScalarType::F8E5M2:
    return 3;
  case ScalarType::F16:
    return 11;
  case ScalarType::BF16:
    return 8;
  case ScalarType::F32:
    return 24;
  default:
    return 53;
  }
}

double largest(ScalarType t) {
  switch (t) {
  case ScalarType::F8E4M3:
    return 256;
  case ScalarType::F8E5M2:
  case ScalarType::F16:
    return 32768;
  default:
    return 0x1p100;
  }
}

static double epsilon(ScalarType t) { return t == ScalarType::F64 ? 0x1p-52 : 0x1p-23; }
static bool isF8(ScalarType t) { return t == ScalarType::F8E4M3 || t == ScalarType::F8E5M2; }

std::optional<Node> Generator::fit(Node node) const {
  ScalarType t = node.type.elem;
  if (!isFloat(t))
    return node;
  const Bounds &b = node.bounds;
  bool ok = b.isExact() ? std::ldexp(b.magnitude, b.fraction) <= std::ldexp(1.0, precision(t)) &&
                              b.magnitude <= largest(t)
                        : (t == ScalarType::F32 || t == ScalarType::F64) && b.magnitude < 1e5 &&
                              b.error < 1e-3 * std::max(b.magnitude, 1.0);
  return ok ? std::optional(std::move(node)) : std::nullopt;
}

std::optional<Node> Generator::exact(const Type &type, int depth) {
  for (int tries = 0; tries < 3; ++tries) {
    Node n = floatExpr(type, tries < 2 ? depth : 0);
    if (n.bounds.isExact())
      return n;
  }
  return std::nullopt;
}

Node Generator::floatExpr(const Type &type, int depth) {
  for (int tries = 0; depth > 0 && tries < 6; ++tries) {
    int64_t kind = random_.below(100);
    bool isReduced = type.isTile() && (type.shape.back() == 1 || type.shape[0] == 1);
    std::optional<Node> n;
    if (isReduced && random_.chance(30))
      n = reduction(type, depth);
    else if (kind < (hasInexact_ ? 28 : 40))
      n = isF8(type.elem) ? convertToFloat(type, depth) : exactOp(type, depth);
    else if (kind < 55)
      n = hasInexact_ ? inexactOp(type, depth) : exactOp(type, depth);
    else if (kind < 66)
      n = convertToFloat(type, depth);
    else if (kind < 74)
      n = choose(type, depth);
    else if (kind < 82)
      n = shapeOp(type, depth);
    else if (kind < 88)
      n = reduction(type, depth);
    else if (kind < 92)
      n = scan(type, depth);
    else if (kind < 97)
      n = dot(type, depth);
    else
      n = call(type, depth);
    if (n)
      return std::move(*n);
  }
  return leaf(type);
}

std::optional<Node> Generator::exactOp(const Type &type, int depth) {
  if (isF8(type.elem)) // operators on f8 give f32
    return std::nullopt;
  double eps = epsilon(type.elem);
  Node a = expr(type, depth - 1);
  int64_t kind = random_.below(14);
  if (kind < 3) { // no rounding
    static const std::vector<std::string> kOps = {"(-$0)", "abs($0)", "max($0, $0)"};
    Bounds b = a.bounds;
    return make(type, kOps[static_cast<size_t>(kind)], {std::move(a)}, b);
  }
  if (kind < 5) {
    if (!a.bounds.isExact())
      return std::nullopt;
    static const std::vector<std::string> kOps = {"floor($0)", "ceil($0)", "round($0)"};
    Bounds b{std::ceil(a.bounds.magnitude), 0, 0};
    return fit(make(type, random_.pick(kOps), {std::move(a)}, b));
  }
  Node b = expr(type.isTile() && random_.chance(25) ? Type::scalar(type.elem) : type, depth - 1);
  const Bounds &x = a.bounds, &y = b.bounds;
  bool inexact = !x.isExact() || !y.isExact();
  if (kind < 7) {
    Bounds r = join(x, y);
    return make(type, kind == 5 ? "max($0, $1)" : "min($0, $1)", {std::move(a), std::move(b)}, r);
  }
  if (kind < 11) {
    double m = x.magnitude + y.magnitude;
    Bounds r{m, std::max(x.fraction, y.fraction), inexact ? x.error + y.error + eps * m : 0};
    return fit(make(type, kind < 9 ? "($0 + $1)" : "($0 - $1)", {std::move(a), std::move(b)}, r));
  }
  double m = x.magnitude * y.magnitude;
  Bounds r{m, x.fraction + y.fraction,
           inexact ? x.error * y.magnitude + y.error * x.magnitude + x.error * y.error + eps * m : 0};
  if (kind < 13)
    return fit(make(type, "($0 * $1)", {std::move(a), std::move(b)}, r));
  Node c = expr(type, depth - 1);
  Bounds f{m + c.bounds.magnitude, std::max(r.fraction, c.bounds.fraction), r.error + c.bounds.error};
  if (inexact || !c.bounds.isExact())
    f.error += eps * f.magnitude;
  return fit(make(type, random_.chance(50) ? "fma($0, $1, $2)" : "($0 * $1 + $2)",
                  {std::move(a), std::move(b), std::move(c)}, f));
}

std::optional<Node> Generator::inexactOp(const Type &type, int depth) {
  if (type.elem != S::F32 && type.elem != S::F64)
    return std::nullopt;
  Node a = expr(type, depth - 1);
  double m = a.bounds.magnitude, e = a.bounds.error, eps = epsilon(type.elem);
  auto node = [&](const char *text, double magnitude, double error) {
    return fit(make(type, text, {std::move(a)}, {magnitude, 0, error + 0x1p-1000}));
  };
  if (m > 1e4)
    return std::nullopt;
  switch (random_.below(13)) {
  case 0:
    return node("exp(clamp($0, -3.0, 3.0))", 20.1, 20.1 * (e + 8 * eps));
  case 1:
    return node("exp2(clamp($0, -4.0, 4.0))", 16, 16 * (e + 4 * eps));
  case 2:
    return node("log(abs($0) + 1.0)", std::log(m + 1), e + eps * (m + 1) + 4 * eps * std::log(m + 2));
  case 3:
    return node("log2(abs($0) + 1.0)", 1.45 * std::log(m + 1),
                1.45 * (e + eps * (m + 1)) + 4 * eps * std::log2(m + 2));
  case 4:
    return node("sqrt(abs($0) + 0.25)", std::sqrt(m + 1), e + eps * (m + 1));
  case 5:
    return node("rsqrt(abs($0) + 1.0)", 1, e + eps * (m + 1) + 4 * eps);
  case 6:
    return node("tanh($0)", 1, e + 4 * eps);
  case 7:
    return node("sigmoid($0)", 1, e + 4 * eps);
  case 8:
    return node("erf($0)", 1, 1.2 * e + 4 * eps);
  case 9:
    return node("sin($0)", 1, e + 4 * eps);
  case 10:
    return node("cos($0)", 1, e + 4 * eps);
  case 11:
    if (m > 16)
      return std::nullopt;
    return node("pow(abs($0) + 0.5, 1.5)", std::pow(m + 1, 1.5),
                1.5 * std::sqrt(m + 1) * (e + eps * (m + 1)) + 16 * eps * std::pow(m + 1, 1.5));
  default:
    break;
  }
  Node b = expr(type, depth - 1);
  Bounds r{m, 0, e + m * (b.bounds.error + eps * (b.bounds.magnitude + 1)) + 3 * eps * m + 0x1p-1000};
  return fit(make(type, "($0 / (abs($1) + 1.0))", {std::move(a), std::move(b)}, r));
}

std::optional<Node> Generator::convertToFloat(const Type &type, int depth) {
  std::string text = elemText(type) + "($0)";
  int64_t kind = random_.below(10);
  if (kind < 3) {
    S from = pickInt();
    Node a = expr(type.withElem(from), depth - 1);
    double m = std::ldexp(1.0, static_cast<int>(bitWidth(from)));
    return make(type, text, {std::move(a)}, {std::min(m, largest(type.elem)), 0, 0});
  }
  if (kind < 4)
    return make(type, text, {expr(type.withElem(S::Bool), depth - 1)}, {1, 0, 0});
  if (kind < 5 && type.elem == S::F32) {
    Node a = expr(type.withElem(S::I32), depth - 1);
    return make(type, "rand(7, $0)", {std::move(a)}, {1, 24, 0});
  }
  S from = pickFloat();
  Node a = expr(type.withElem(from), depth - 1);
  bool widens = precision(type.elem) >= precision(from) && largest(type.elem) >= largest(from);
  if (!a.bounds.isExact() && (!widens || isF8(type.elem)))
    return std::nullopt;
  // A rounded value may reach the next power of two; what overflows becomes infinite, which is exact too.
  double m = a.bounds.magnitude > 0 ? std::exp2(std::ceil(std::log2(a.bounds.magnitude))) : 0;
  Bounds b{std::min(m, largest(type.elem)), a.bounds.fraction, a.bounds.error};
  return make(type, text, {std::move(a)}, b);
}

} // namespace phobos::differential
