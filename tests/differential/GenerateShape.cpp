// Expressions of any type: leaves, loads, and what only moves or chooses elements.
#include "tests/differential/Generate.h"
#include <cmath>

namespace phobos::differential {

std::string shapeText(const std::vector<int64_t> &shape) { return str(shape); }

int64_t product(const std::vector<int64_t> &shape) {
  int64_t n = 1;
  for (int64_t e : shape)
    n *= e;
  return n;
}

Bounds join(const Bounds &a, const Bounds &b) {
  return {std::max(a.magnitude, b.magnitude), std::max(a.fraction, b.fraction), std::max(a.error, b.error)};
}

static std::string elemText(const Type &t) { return std::string(name(t.elem)); }
static std::string number(int64_t n) { return std::to_string(n); }

Node Generator::expr(const Type &type, int depth) {
  if (type.elem == S::Bool)
    return boolExpr(type, depth);
  return isFloat(type.elem) ? floatExpr(type, depth) : intExpr(type, depth);
}

Node Generator::leaf(const Type &type) {
  for (int tries = 0; tries < 2; ++tries) {
    int64_t kind = random_.below(10);
    std::optional<Node> n = kind < 5 ? variable(type) : kind < 9 ? load(type) : std::nullopt;
    if (n)
      return std::move(*n);
  }
  return constant(type);
}

std::optional<Node> Generator::variable(const Type &type) {
  std::vector<const Variable *> fitting;
  for (const Variable &v : variables_)
    if (v.type == type && !v.isHidden)
      fitting.push_back(&v);
  if (fitting.empty())
    return std::nullopt;
  const Variable &v = *random_.pick(fitting);
  return make(type, v.name, {}, v.bounds);
}

/// A subscript that begins a slice of `length`, or a point.
std::string Generator::start(int64_t length) {
  std::vector<std::string> from = {number(random_.range(0, 6)),
                                   number(random_.range(0, 3)),
                                   number(random_.range(-3, 12)),
                                   "ctx.block.x * " + number(length),
                                   "ctx.block.y * " + number(length),
                                   "(ctx.block.x + ctx.block.y) * " + number(random_.range(1, 5)) + " - 2"};
  for (const std::string &c : counters_) {
    from.push_back(c);
    from.push_back(c + " * 2 + " + number(random_.range(0, 3)));
  }
  if (isPerThread_ && length == 1)
    for (const char *t : {"ctx.thread", "ctx.thread", "ctx.block.x * ctx.threads + ctx.thread",
                          "ctx.lane + 1", "ctx.warp * 3"})
      from.push_back(t);
  return random_.pick(from);
}

Node Generator::integer(int depth) {
  Type index = Type::scalar(S::Index);
  if (depth > 0 && random_.chance(30)) {
    S elem = random_.chance(50) ? S::I32 : S::I64;
    return make(index, "$0 % " + number(random_.range(2, 40)), {intExpr(Type::scalar(elem), depth - 1)});
  }
  return make(index, start(1));
}

std::optional<Node> Generator::load(const Type &type) {
  std::vector<const Tensor *> fitting;
  for (const Tensor &t : inputs_)
    if (t.elem == type.elem && t.extents.size() >= type.rank())
      fitting.push_back(&t);
  if (fitting.empty())
    return std::nullopt;
  const Tensor &t = *random_.pick(fitting);
  size_t rank = t.extents.size(), first = rank - type.rank(); // the axes that stay are the last ones
  if (type.rank() == 1 && random_.chance(25))
    first = static_cast<size_t>(random_.below(static_cast<int64_t>(rank)));
  std::string access = t.name + "[";
  std::vector<Node> args;
  for (size_t axis = 0; axis < rank; ++axis) {
    access += axis ? ", " : "";
    bool stays = axis >= first && axis < first + type.rank();
    if (!stays) {
      access += "$" + number(static_cast<int64_t>(args.size()));
      args.push_back(integer(1));
      continue;
    }
    int64_t n = type.shape[axis - first];
    access += start(n) + " :+ " + number(n);
  }
  access += "]";
  Bounds bounds = t.bounds;
  if (random_.chance(12)) {
    access = "load(" + access + ", fill = $" + number(static_cast<int64_t>(args.size())) + ")";
    args.push_back(constant(Type::scalar(type.elem)));
    bounds = join(bounds, args.back().bounds);
  }
  return make(type, access, std::move(args), bounds);
}

/// A literal of an integer type, small or an extreme.
static std::string integerLiteral(Random &random, ScalarType t) {
  unsigned width = bitWidth(t);
  int64_t most = width == 64   ? INT64_MAX
                 : isSigned(t) ? (int64_t(1) << (width - 1)) - 1
                               : (int64_t(1) << width) - 1;
  int64_t least = isSigned(t) ? -most - 1 : 0;
  switch (random.below(6)) {
  case 0:
    return number(most);
  case 1:
    return number(width == 64 ? -most : least); // the least i64 cannot be written as a literal everywhere
  case 2:
    return number(int64_t(1) << random.below(width - 1));
  default:
    return number(random.range(isSigned(t) ? -9 : 0, 9));
  }
}

Node Generator::constant(const Type &type) {
  std::string literal;
  Bounds bounds;
  if (type.elem == S::Bool) {
    literal = random_.chance(50) ? "true" : "false";
    if (type.isTile())
      return make(type, "(iota(" + number(random_.below(type.rank())) + ", " + shapeText(type.shape) +
                            ") % " + number(random_.range(2, 4)) + " == 0)");
    return make(type, literal);
  }
  if (!isFloat(type.elem)) {
    if (type.isTile() && random_.chance(50))
      return make(type, elemText(type) + "(iota(" + number(random_.below(type.rank())) + ", " +
                            shapeText(type.shape) + "))");
    static const std::vector<std::string> kThreads = {"ctx.thread", "ctx.thread", "ctx.lane", "ctx.warp",
                                                      "ctx.block.x"};
    static const std::vector<std::string> kBlocks = {"ctx.block.x", "ctx.block.y", "ctx.grid.x"};
    if (type.isScalar() && random_.chance(50))
      return make(type, elemText(type) + "(" + random_.pick(isPerThread_ ? kThreads : kBlocks) + ")");
    literal = integerLiteral(random_, type.elem);
  } else {
    // Two significant bits, exact in every float type.
    static const std::vector<std::pair<const char *, double>> kLiterals = {
        {"0.0", 0}, {"0.25", 0.25}, {"0.5", 0.5}, {"1.0", 1},    {"1.5", 1.5},
        {"2.0", 2}, {"3.0", 3},     {"-1.0", 1},  {"-0.5", 0.5}, {"-1.5", 1.5}};
    auto [text, magnitude] = random_.pick(kLiterals);
    literal = text;
    bounds = {magnitude, 2, 0};
  }
  if (type.isScalar())
    return make(type, elemText(type) + "(" + literal + ")", {}, bounds);
  return make(type, "full<" + elemText(type) + ">(" + shapeText(type.shape) + ", " + literal + ")", {},
              bounds);
}

std::optional<Node> Generator::shapeOp(const Type &type, int depth) {
  auto from = [&](std::vector<int64_t> shape, std::string text) -> std::optional<Node> {
    Type source = shape.empty() ? Type::scalar(type.elem) : Type::tile(type.elem, std::move(shape));
    Node a = expr(source, depth - 1);
    Bounds b = a.bounds;
    return make(type, std::move(text), {std::move(a)}, b);
  };
  if (type.isScalar()) {
    if (isPerThread_)
      return std::nullopt;
    int64_t r = random_.pick(std::vector<int64_t>{rows_, inner_}), c = columns_;
    return from({r, c}, "($0)[" + number(random_.below(r)) + ", " + number(random_.below(c)) + "]");
  }
  const std::vector<int64_t> &s = type.shape;
  std::string shape = shapeText(s);
  if (type.rank() == 1) {
    int64_t n = s[0], more = random_.range(1, 3);
    switch (random_.below(5)) {
    case 0:
      return from({1, n}, "reshape($0, " + shape + ")");
    case 1:
      return from({more, n}, "($0)[" + number(random_.below(more)) + ", :]");
    case 2:
      return from({n, more}, "($0)[:, " + number(random_.below(more)) + "]");
    case 3:
      return from({n + more}, "($0)[" + number(random_.below(more + 1)) + " :+ " + number(n) + "]");
    default:
      return from({}, "broadcast($0, " + shape + ")");
    }
  }
  int64_t r = s[0], c = s[1];
  switch (random_.below(10)) {
  case 0:
    return from({c, r}, "transpose($0)");
  case 1:
    return from({r, 1}, "broadcast($0, " + shape + ")");
  case 2:
    return from({1, c}, "broadcast($0, " + shape + ")");
  case 3:
    return from({c}, "broadcast($0, " + shape + ")");
  case 4:
    if (r == 1 && c % 2 == 0)
      return from({2, c / 2}, "flat($0)");
    return from({r * c}, "reshape($0, " + shape + ")");
  case 5:
    return from({c, r}, "reshape($0, " + shape + ")");
  case 6: {
    int64_t dr = random_.range(0, 2), dc = random_.range(0, 2);
    return from({r + dr, c + dc}, "($0)[" + number(random_.below(dr + 1)) + " :+ " + number(r) + ", " +
                                      number(random_.below(dc + 1)) + " :+ " + number(c) + "]");
  }
  case 7:
    if (type.elem == S::Bool)
      return from({}, "broadcast($0, " + shape + ")");
    return from({r, c},
                (random_.chance(50) ? "tril($0, " : "triu($0, ") + number(random_.range(-2, 2)) + ")");
  default:
    break;
  }
  int axis = static_cast<int>(random_.below(2));
  int64_t n = s[static_cast<size_t>(axis)];
  if (n < 2)
    return r == 1 ? from({2, c}, "reshape(($0)[1, :], " + shape + ")") : from({r, c}, "$0");
  std::vector<int64_t> left = s, right = s;
  left[static_cast<size_t>(axis)] = random_.range(1, n - 1);
  right[static_cast<size_t>(axis)] = n - left[static_cast<size_t>(axis)];
  Node a = expr(Type::tile(type.elem, left), depth - 1), b = expr(Type::tile(type.elem, right), depth - 1);
  Bounds bounds = join(a.bounds, b.bounds);
  return make(type, "cat($0, $1, " + number(axis) + ")", {std::move(a), std::move(b)}, bounds);
}

std::optional<Node> Generator::choose(const Type &type, int depth) {
  Node a = expr(type, depth - 1), b = expr(type, depth - 1);
  Bounds bounds = join(a.bounds, b.bounds);
  if (type.isTile() && random_.chance(70)) {
    Node c = boolExpr(type.withElem(S::Bool), depth - 1);
    return make(type, "where($0, $1, $2)", {std::move(c), std::move(a), std::move(b)}, bounds);
  }
  Node c = boolExpr(Type::scalar(S::Bool), depth - 1);
  return make(type, "($0 if $1 else $2)", {std::move(a), std::move(c), std::move(b)}, bounds);
}

std::optional<Node> Generator::call(const Type &type, int depth) {
  if (program_.functions.empty())
    return std::nullopt;
  bool isF8 = type.elem == S::F8E4M3 || type.elem == S::F8E5M2;
  if (type.rank() == 2 && type.elem != S::Bool && !isF8) {
    Node a = expr(type, depth - 1), b = expr(type, depth - 1);
    if (!a.bounds.isExact() || !b.bounds.isExact())
      return std::nullopt;
    Bounds bounds = join(a.bounds, b.bounds);
    return make(type, "larger($0, $1)", {std::move(a), std::move(b)}, bounds);
  }
  if (type == Type::scalar(S::I32)) {
    Node a = expr(type, depth - 1), b = expr(type, depth - 1);
    return make(type, random_.chance(50) ? "early($0, $1)" : "looped($0, $1)", {std::move(a), std::move(b)});
  }
  return std::nullopt;
}

} // namespace phobos::differential
