// Integer and bool expressions: everything wraps and is exact, so anything goes.
#include "tests/differential/Generate.h"

namespace phobos::differential {

static std::string elemText(const Type &t) { return std::string(name(t.elem)); }

Node Generator::intExpr(const Type &type, int depth) {
  if (depth <= 0)
    return leaf(type);
  for (int tries = 0; tries < 4; ++tries)
    if (std::optional<Node> n = intOp(type, depth))
      return std::move(*n);
  return leaf(type);
}

std::optional<Node> Generator::intOp(const Type &type, int depth) {
  int64_t kind = random_.below(100);
  auto other = [&](Type t) { return expr(t, depth - 1); };
  bool isReduced = type.isTile() && (type.shape.back() == 1 || type.shape[0] == 1);
  if (isReduced && random_.chance(30))
    return reduction(type, depth);
  if (kind < 38) {
    static const std::vector<std::string> kOps = {
        "($0 + $1)", "($0 - $1)",  "($0 * $1)",  "($0 / $1)",   "($0 % $1)",   "($0 & $1)",   "($0 | $1)",
        "($0 ^ $1)", "($0 << $1)", "($0 >> $1)", "max($0, $1)", "min($0, $1)", "cdiv($0, $1)"};
    Node a = other(type);
    Node b = other(type.isTile() && random_.chance(25) ? Type::scalar(type.elem) : type);
    return make(type, random_.pick(kOps), {std::move(a), std::move(b)});
  }
  if (kind < 46) {
    static const std::vector<std::string> kOps = {"(-$0)", "(~$0)", "abs($0)"};
    return make(type, random_.pick(kOps), {other(type)});
  }
  if (kind < 50)
    return make(type, "clamp($0, $1, $2)", {other(type), other(Type::scalar(type.elem)), other(type)});
  if (kind < 60)
    return make(type, elemText(type) + "($0)", {other(type.withElem(pickInt()))});
  if (kind < 64)
    return make(type, elemText(type) + "($0)", {other(type.withElem(S::Bool))});
  if (kind < 68) {
    if (!hasFloats_)
      return std::nullopt;
    std::optional<Node> x = exact(type.withElem(pickFloat()), depth - 1);
    return x ? std::optional(make(type, elemText(type) + "($0)", {std::move(*x)})) : std::nullopt;
  }
  if (kind < 71) {
    S same = type.elem == S::I32   ? S::U32
             : type.elem == S::U32 ? S::I32
             : type.elem == S::I8  ? S::U8
             : type.elem == S::U8  ? S::I8
                                   : S::I64;
    return make(type, "bitcast<" + elemText(type) + ">($0)", {other(type.withElem(same))});
  }
  if (kind < 77)
    return choose(type, depth);
  if (kind < 84)
    return shapeOp(type, depth);
  if (kind < 90)
    return reduction(type, depth);
  if (kind < 93)
    return scan(type, depth);
  if (kind < 97)
    return dot(type, depth);
  return call(type, depth);
}

Node Generator::boolExpr(const Type &type, int depth) {
  if (depth <= 0)
    return leaf(type);
  auto other = [&](Type t) { return expr(t, depth - 1); };
  static const std::vector<std::string> kCompare = {"($0 == $1)", "($0 != $1)", "($0 < $1)",
                                                    "($0 <= $1)", "($0 > $1)",  "($0 >= $1)"};
  int64_t kind = random_.below(100);
  if (kind < 45) {
    Type t = type.withElem(pickInt());
    return make(type, random_.pick(kCompare),
                {other(t), other(type.isTile() && random_.chance(40) ? Type::scalar(t.elem) : t)});
  }
  if (kind < 60 && hasFloats_) {
    Type t = type.withElem(pickFloat());
    std::optional<Node> a = exact(t, depth - 1), b = exact(t, depth - 1);
    if (a && b)
      return make(type, random_.pick(kCompare), {std::move(*a), std::move(*b)});
  }
  if (kind < 80) {
    static const std::vector<std::string> kOps = {"($0 && $1)", "($0 || $1)", "($0 & $1)", "($0 | $1)",
                                                  "($0 ^ $1)",  "($0 == $1)", "($0 != $1)"};
    return make(type, random_.pick(kOps), {other(type), other(type)});
  }
  if (kind < 88)
    return make(type, "(!$0)", {other(type)});
  if (kind < 94)
    if (std::optional<Node> n = shapeOp(type, depth))
      return std::move(*n);
  return leaf(type);
}

/// The element types whose sums and products of pairs have type `t`.
static std::vector<ScalarType> summedInto(ScalarType t) {
  using S = ScalarType;
  switch (t) {
  case S::I32:
    return {S::I8, S::U8, S::I32};
  case S::F32:
    return {S::F16, S::BF16, S::F32, S::F8E4M3, S::F8E5M2};
  case S::U32:
  case S::I64:
  case S::F64:
    return {t};
  default:
    return {};
  }
}

/// n values added up.
static Bounds summed(const Bounds &b, ScalarType t, int64_t n) {
  double count = static_cast<double>(n), eps = t == ScalarType::F64 ? 0x1p-52 : 0x1p-23;
  return {count * b.magnitude, b.fraction,
          b.isExact() ? 0 : count * b.error + count * eps * count * b.magnitude};
}

std::optional<Node> Generator::reduction(const Type &type, int depth) {
  int64_t n = random_.pick(std::vector<int64_t>{rows_, columns_, inner_});
  std::vector<int64_t> shape;
  std::string sum, largest, smallest, position;
  if (type.isScalar()) {
    if (isPerThread_)
      return std::nullopt;
    shape = random_.chance(50) ? std::vector<int64_t>{n} : std::vector<int64_t>{rows_, n};
    sum = "sum($0)", largest = "max($0)", smallest = "min($0)";
  } else if (type.rank() == 1 ? type.shape[0] == 1 : type.shape[1] == 1) {
    shape = type.rank() == 1 ? std::vector<int64_t>{n} : std::vector<int64_t>{type.shape[0], n};
    sum = "rowsum($0)", largest = "rowmax($0)", smallest = "rowmin($0)";
    position = random_.chance(50) ? "rowargmax($0)" : "rowargmin($0)";
  } else if (type.rank() == 2 && type.shape[0] == 1) {
    shape = {n, type.shape[1]};
    sum = "colsum($0)", largest = "colmax($0)", smallest = "colmin($0)";
  } else {
    return std::nullopt;
  }
  int64_t count = type.isScalar() ? product(shape) : n, kind = random_.below(10);
  if (kind < 4 && !position.empty() && type.elem == S::I32) {
    if (hasFloats_ && random_.chance(50)) {
      std::optional<Node> x = exact(Type::tile(random_.chance(50) ? S::F32 : S::F64, shape), depth - 1);
      return x ? std::optional(make(type, position, {std::move(*x)})) : std::nullopt;
    }
    return make(type, position, {expr(Type::tile(pickInt(), shape), depth - 1)});
  }
  std::vector<S> sources = summedInto(type.elem);
  if (kind < 6 && !sources.empty()) {
    S from = type.elem == S::I32 && random_.chance(20) ? S::Bool : random_.pick(sources);
    Node a = expr(Type::tile(from, shape), depth - 1);
    Bounds b = summed(a.bounds, type.elem, count);
    bool isProduct = kind == 5 && !isFloat(type.elem) && from != S::Bool && sum == "rowsum($0)";
    return fit(make(type, isProduct ? "rowprod($0)" : sum, {std::move(a)}, b));
  }
  if (type.elem == S::F8E4M3 || type.elem == S::F8E5M2)
    return std::nullopt;
  Node a = expr(Type::tile(type.elem, shape), depth - 1);
  Bounds b = a.bounds;
  return make(type, random_.chance(50) ? largest : smallest, {std::move(a)}, b);
}

std::optional<Node> Generator::scan(const Type &type, int depth) {
  if (!type.isTile())
    return std::nullopt;
  int64_t axis = random_.below(type.rank());
  std::string tail = axis ? ", 1)" : ")";
  if (random_.chance(30)) {
    if (type.elem == S::F8E4M3 || type.elem == S::F8E5M2)
      return std::nullopt;
    Node a = expr(type, depth - 1);
    Bounds b = a.bounds;
    return make(type, "cummax($0" + tail, {std::move(a)}, b);
  }
  std::vector<S> sources = summedInto(type.elem);
  if (sources.empty())
    return std::nullopt;
  Node a = expr(type.withElem(random_.pick(sources)), depth - 1);
  Bounds b = summed(a.bounds, type.elem, type.shape[static_cast<size_t>(axis)]);
  bool isProduct = !isFloat(type.elem) && random_.chance(30);
  return fit(make(type, (isProduct ? "cumprod($0" : "cumsum($0") + tail, {std::move(a)}, b));
}

std::optional<Node> Generator::dot(const Type &type, int depth) {
  std::vector<S> sources = summedInto(type.elem);
  if (type.rank() != 2 || sources.empty())
    return std::nullopt;
  S elem = random_.pick(sources);
  int64_t m = type.shape[0], n = type.shape[1], k = random_.pick(std::vector<int64_t>{inner_, inner_, rows_});
  static const std::vector<std::string> kForms = {"dot($0, $1)", "dot_t($0, $1)", "dot(transpose($0), $1)"};
  int64_t form = random_.below(3);
  Type a = Type::tile(elem, form == 2 ? std::vector<int64_t>{k, m} : std::vector<int64_t>{m, k});
  Type b = Type::tile(elem, form == 1 ? std::vector<int64_t>{n, k} : std::vector<int64_t>{k, n});
  Node x = expr(a, depth - 1), y = expr(b, depth - 1);
  Bounds product{x.bounds.magnitude * y.bounds.magnitude, x.bounds.fraction + y.bounds.fraction,
                 x.bounds.error * y.bounds.magnitude + y.bounds.error * x.bounds.magnitude};
  Bounds bounds = summed(product, type.elem, k);
  return fit(make(type, kForms[static_cast<size_t>(form)], {std::move(x), std::move(y)}, bounds));
}

} // namespace phobos::differential
