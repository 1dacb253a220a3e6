// Whole programs: parameters, statements, control flow, stores.
#include "tests/differential/Generate.h"
#include <algorithm>
#include <cmath>
#include <utility>

namespace phobos::differential {

static std::string number(int64_t n) { return std::to_string(n); }

Program generate(uint64_t seed) { return Generator(seed).run(); }

Program Generator::run() {
  program_.seed = seed_;
  int64_t flavour =
      random_.below(10); // 0..2 integers, 3..6 exact floats, 7 with NaN and infinities, 8..9 inexact too
  hasFloats_ = flavour >= 3;
  hasSpecials_ = flavour == 7;
  hasInexact_ = flavour >= 8;
  isPerThread_ = random_.chance(35);
  const std::vector<int64_t> extents = {1, 2, 3, 4, 5, 7, 8, 8, 12, 16, 16, 20, 32};
  rows_ = random_.pick(extents), columns_ = random_.pick(extents), inner_ = random_.pick(extents);
  if (seed_ % 8 == 5) // not by random_: the other programs stay what they were
    makeProductKernel();
  else if (seed_ % 8 == 3)
    makeEdgesKernel();
  else if (seed_ % 8 == 7)
    makeFormsKernel();
  else
    isPerThread_ ? makeThreadKernel() : makeTileKernel();
  if (seed_ % 4 == 0)
    program_.attributes = "@persistent\n" + program_.attributes;
  return std::move(program_);
}

// Types ------------------------------------------------------------

ScalarType Generator::pickFloat() {
  return random_.pick(std::vector<S>{S::F32, S::F32, S::F32, S::F64, S::F16, S::BF16, S::F8E4M3, S::F8E5M2});
}

ScalarType Generator::pickElem() {
  if (random_.chance(8))
    return S::Bool;
  return hasFloats_ && random_.chance(60) ? pickFloat() : pickInt();
}

std::vector<int64_t> Generator::pickShape() {
  switch (random_.below(10)) {
  case 0:
    return {columns_};
  case 1:
    return {rows_, 1};
  case 2:
    return {1, columns_};
  case 3:
    return {rows_, inner_};
  default:
    return {rows_, columns_};
  }
}

// Parameters ------------------------------------------------------------

void Generator::addDims() {
  for (const char *dim : {"M", "N", "L"})
    program_.dims.emplace_back(dim, random_.range(1, dim[0] == 'L' ? 24 : 40));
}

Generator::Tensor Generator::addTensor(S elem, std::vector<std::string> extents, const std::string &fill) {
  Tensor t;
  t.name = std::string(1, static_cast<char>('A' + inputs_.size() + histograms_.size()));
  t.elem = elem;
  t.extents = std::move(extents);
  std::string shape;
  for (const std::string &e : t.extents) {
    auto dim = std::ranges::find(program_.dims, e, &std::pair<std::string, int64_t>::first);
    t.sizes.push_back(dim == program_.dims.end() ? std::stoll(e) : dim->second);
    shape += (shape.empty() ? "" : ", ") + e;
  }
  bool isNarrow = isFloat(elem) && bitWidth(elem) < 32;
  t.bounds = isFloat(elem) ? Bounds{isNarrow ? 1.75 : 7.75, 2, 0} : Bounds{};
  program_.params.push_back(
      {t.name, "tensor<" + std::string(name(elem)) + ">[" + shape + "]", fill, false, 0});
  return t;
}

void Generator::addInputs(bool rankOneOnly) {
  auto extent = [&] {
    return random_.chance(70) ? std::string(random_.chance(50) ? "M" : "N") : number(random_.range(1, 40));
  };
  int64_t n = random_.range(2, 4);
  for (int64_t i = 0; i < n; ++i) {
    S elem = i == 0 ? (hasFloats_ ? S::F32 : S::I32) : pickElem();
    int64_t rank = rankOneOnly ? random_.range(1, 2) : random_.pick(std::vector<int64_t>{1, 2, 2, 2, 3});
    std::vector<std::string> extents;
    for (int64_t axis = 0; axis < rank; ++axis)
      extents.push_back(i == 0 && axis == 0 ? "L" : extent()); // so that L has a value
    bool special = isFloat(elem) && hasSpecials_ && elem != S::F8E4M3 && elem != S::F8E5M2;
    inputs_.push_back(addTensor(elem, extents,
                                elem == S::Bool ? "bools"
                                : isFloat(elem) ? special ? "specials" : "quarters"
                                                : "integers"));
  }
  for (const char *scalar : {"p", "q"}) {
    S elem = scalar[0] == 'p' ? pickInt() : hasFloats_ ? S::F32 : pickInt();
    program_.params.push_back(
        {scalar, std::string(name(elem)), isFloat(elem) ? "quarters" : "integers", false, 0});
    variables_.push_back(
        {scalar, Type::scalar(elem), false, false, isFloat(elem) ? Bounds{7.75, 2, 0} : Bounds{}, 0});
  }
}

Generator::Tensor Generator::addOutput(S elem, std::vector<std::string> extents, double tolerance) {
  Tensor t = addTensor(elem, std::move(extents), "");
  program_.params.back().name = t.name = fresh("Out");
  program_.params.back().isOutput = true;
  program_.params.back().tolerance = tolerance;
  return t;
}

void Generator::addFunctions() {
  if (!random_.chance(50))
    return;
  program_.functions = {"fn larger(a: tile<T>[R, C], b: tile<T>[R, C]) -> tile<T>[R, C] {\n  let d = where(a "
                        "< b, b, a)\n  return max(d, a)\n}",
                        "fn early(x: i32, y: i32) -> i32 {\n  if x < y {\n    return y - x\n  }\n  var s = "
                        "x\n  if y > 7 { s = s * y }\n  return s + 1\n}",
                        "fn looped(x: i32, y: i32) -> i32 {\n  var s = x\n  for i in range(0, 6) {\n    if s "
                        "% 5 == 3 { return s }\n    if s > y { continue }\n"
                        "    s = s * 3 + i32(i)\n  }\n  return s\n}"};
}

// Statements ------------------------------------------------------------

double Generator::tripsSince(size_t loopDepth) const {
  double n = 1;
  for (size_t i = loopDepth; i < trips_.size(); ++i)
    n *= trips_[i];
  return n;
}

/// Begins a loop: some of the floats declared just outside become its accumulators, which only `accumulate`
/// touches.
void Generator::enterLoop(double trips) {
  for (Variable &v : variables_)
    if (v.isMutable && isFloat(v.type.elem) && v.loopDepth == trips_.size())
      v.isHidden = random_.chance(60);
  trips_.push_back(trips);
}

/// Ends it; names from `mark` on were its own.
void Generator::leaveLoop(size_t mark) {
  trips_.pop_back();
  variables_.resize(mark);
  for (Variable &v : variables_)
    if (v.loopDepth == trips_.size())
      v.isHidden = false;
}

Statement Generator::declare(Type type, bool isMutable, Node value) {
  std::string name = fresh("v");
  std::string annotation = random_.chance(30) ? ": " + str(type) : "";
  variables_.push_back({name, std::move(type), isMutable, false, value.bounds, trips_.size()});
  return {(isMutable ? "var " : "let ") + name + annotation + " = $0", {std::move(value)}, {}};
}

/// Assigns a variable anew. Of floats only outside the loops that began after its declaration: its bounds
/// must hold for all rounds.
std::optional<Statement> Generator::reassign() {
  std::vector<size_t> fitting;
  for (size_t i = 0; i < variables_.size(); ++i)
    if (variables_[i].isMutable && !variables_[i].isHidden &&
        (!isFloat(variables_[i].type.elem) || variables_[i].loopDepth == trips_.size()))
      fitting.push_back(i);
  if (fitting.empty())
    return std::nullopt;
  size_t v = random_.pick(fitting);
  Type type = variables_[v].type;
  Node value = expr(type, 3);
  variables_[v].bounds = join(variables_[v].bounds, value.bounds);
  static const std::vector<std::string> kCompound = {" += ", " -= ", " *= ", " ^= ", " = "};
  std::string op = isFloat(type.elem) || type.elem == S::Bool ? " = " : random_.pick(kCompound);
  return Statement{variables_[v].name + op + "$0", {std::move(value)}, {}};
}

std::optional<Statement> Generator::sliceAssign() {
  for (Variable &v : variables_) {
    if (!v.isMutable || v.isHidden || v.type.rank() != 2 || v.loopDepth != trips_.size() ||
        random_.chance(50))
      continue;
    int64_t r = v.type.shape[0], c = v.type.shape[1], r0 = random_.below(r), c0 = random_.below(c);
    int64_t h = random_.range(1, r - r0), w = random_.range(1, c - c0);
    bool point = random_.chance(25);
    Node value =
        expr(Type::tile(v.type.elem, point ? std::vector<int64_t>{w} : std::vector<int64_t>{h, w}), 2);
    v.bounds = join(v.bounds, value.bounds);
    std::string rows = point ? number(r0) : number(r0) + " :+ " + number(h);
    return Statement{
        v.name + "[" + rows + ", " + number(c0) + " : " + number(c0 + w) + "] = $0", {std::move(value)}, {}};
  }
  return std::nullopt;
}

/// `v += e` of an accumulator; its bounds are those after all rounds.
std::optional<Statement> Generator::accumulate() {
  for (size_t i = 0; i < variables_.size(); ++i) {
    const Variable v = variables_[i];
    if (!v.isHidden || v.type.elem == S::F8E4M3 || v.type.elem == S::F8E5M2 || random_.chance(40))
      continue;
    Node e = expr(v.type, 3);
    double trips = tripsSince(v.loopDepth), m = v.bounds.magnitude + trips * e.bounds.magnitude;
    Bounds after{m, std::max(v.bounds.fraction, e.bounds.fraction), 0};
    if (!e.bounds.isExact() || !v.bounds.isExact())
      after.error =
          v.bounds.error + trips * (e.bounds.error + m * (v.type.elem == S::F64 ? 0x1p-52 : 0x1p-23));
    if (!fit(make(v.type, "", {}, after)))
      return std::nullopt;
    variables_[i].bounds = after;
    return Statement{v.name + (random_.chance(70) ? " += $0" : " = " + v.name + " + $0"), {std::move(e)}, {}};
  }
  return std::nullopt;
}

Statement Generator::forLoop(int nesting, bool perThread) {
  std::string i = fresh("c");
  int64_t step = random_.range(1, 4), trips = random_.range(0, 5);
  std::string bounds;
  std::vector<Node> nodes;
  switch (random_.below(perThread ? 4 : 3)) {
  case 0:
    bounds = number(random_.range(-3, 3)) + ", " + number(trips * step);
    trips += 4;
    break;
  case 1:
    bounds = "0, L, " + number(inner_);
    trips = (program_.dims[2].second + inner_ - 1) / inner_;
    step = 0;
    break;
  case 2:
    bounds = "$0 % 5, 6";
    trips = 11;
    nodes.push_back(intExpr(Type::scalar(S::I32), 1));
    break;
  default:
    bounds = "ctx.thread, L, " + number(threads_);
    trips = 3;
    step = 0;
    break;
  }
  if (step > 1)
    bounds += ", " + number(step);
  std::string unroll = random_.chance(25) ? "<unroll " + number(random_.range(1, 5)) + ">" : "";
  size_t mark = variables_.size();
  counters_.push_back(i);
  enterLoop(static_cast<double>(std::max<int64_t>(trips, 1)));
  bool outerBreak = std::exchange(mayBreak_, true);
  int count = static_cast<int>(random_.range(1, 3));
  std::vector<Statement> body =
      perThread ? threadStatements(count, nesting - 1) : tileStatements(count, nesting - 1);
  mayBreak_ = outerBreak;
  counters_.pop_back();
  leaveLoop(mark);
  return {"for" + unroll + " " + i + " in range(" + bounds + ") #0", std::move(nodes), {std::move(body)}};
}

Statement Generator::whileLoop(int nesting, bool perThread) {
  std::string w = fresh("w");
  int64_t limit = random_.range(1, 6);
  size_t mark = variables_.size();
  Node condition = boolExpr(Type::scalar(S::Bool), 2);
  variables_.push_back({w, Type::scalar(S::I32), false, false, {}, trips_.size()});
  enterLoop(static_cast<double>(limit));
  bool outerBreak = std::exchange(mayBreak_, true);
  std::vector<Statement> body = perThread ? threadStatements(2, nesting - 1) : tileStatements(2, nesting - 1);
  mayBreak_ = outerBreak;
  leaveLoop(mark);
  body.insert(body.begin(), {w + " += 1", {}, {}});
  return {"var " + w + " = 0\nwhile " + w + " < " + number(limit) + " && $0 #0",
          {std::move(condition)},
          {std::move(body)}};
}

Statement Generator::ifElse(int nesting, bool perThread) {
  Node condition = boolExpr(Type::scalar(S::Bool), 3);
  size_t mark = variables_.size();
  auto body = [&] {
    int count = static_cast<int>(random_.range(1, 2));
    std::vector<Statement> b =
        perThread ? threadStatements(count, nesting - 1) : tileStatements(count, nesting - 1);
    variables_.resize(mark);
    return b;
  };
  std::vector<std::vector<Statement>> bodies;
  bodies.push_back(body());
  if (mayBreak_ && random_.chance(30))
    bodies[0].push_back({random_.chance(50) ? "break" : "continue", {}, {}});
  bool hasElse = random_.chance(50);
  if (hasElse)
    bodies.push_back(body());
  return {hasElse ? "if $0 #0 else #1" : "if $0 #0", {std::move(condition)}, std::move(bodies)};
}

/// On a tensor that nothing but this operation touches, so that the order does not show.
std::optional<Statement> Generator::atomic() {
  if (histograms_.empty())
    return std::nullopt;
  size_t h = static_cast<size_t>(random_.below(static_cast<int64_t>(histograms_.size())));
  Node at = integer(2);
  at.text = "(" + at.text + ") % 9";
  Node value = intExpr(Type::scalar(histograms_[h].elem), 2);
  return Statement{
      histogramOps_[h] + "(" + histograms_[h].name + ", $0, $1)", {std::move(at), std::move(value)}, {}};
}

/// Loads and stores of the block's own part of one tensor, whole or a piece, in program order. Outside loops
/// and conditions, so that the bounds of what a load sees are known.
std::optional<Statement> Generator::inPlace() {
  if (!own_)
    return std::nullopt;
  auto place = [&](int64_t r0, int64_t rows, int64_t c0, int64_t columns) {
    return own_->name + "[ctx.block.x * " + number(rows_) + " + " + number(r0) + " :+ " + number(rows) +
           ", ctx.block.y * " + number(columns_) + " + " + number(c0) + " :+ " + number(columns) + "]";
  };
  int64_t r0 = random_.below(rows_), c0 = random_.below(columns_), rows = random_.range(1, rows_ - r0),
          columns = random_.range(1, columns_ - c0);
  if (random_.chance(30))
    r0 = c0 = 0, rows = rows_, columns = columns_;
  Type type = Type::tile(own_->elem, {rows, columns});
  if (random_.chance(40)) {
    std::string v = fresh("v");
    variables_.push_back({v, type, false, false, own_->bounds, trips_.size()});
    return Statement{"let " + v + " = " + place(r0, rows, c0, columns), {}, {}};
  }
  if (!isFloat(own_->elem)) {
    static const std::vector<std::string> kOps = {" = ", " = ", " += ", " ^= ", " *= "};
    return Statement{place(r0, rows, c0, columns) + random_.pick(kOps) + "$0", {intExpr(type, 3)}, {}};
  }
  std::optional<Node> value = exact(type, 3);
  if (!value)
    return std::nullopt;
  own_->bounds = join(own_->bounds, value->bounds);
  return Statement{place(r0, rows, c0, columns) + " = $0", {std::move(*value)}, {}};
}

std::vector<Statement> Generator::tileStatements(int count, int nesting) {
  std::vector<Statement> out;
  for (int n = 0; n < count; ++n) {
    int64_t kind = random_.below(20);
    std::optional<Statement> s;
    if (kind < 3 && !trips_.empty())
      s = accumulate();
    else if (kind < 6)
      s = reassign();
    else if (kind < 7)
      s = sliceAssign();
    else if (kind < 9 && nesting > 0)
      s = forLoop(nesting, false);
    else if (kind < 10 && nesting > 0)
      s = whileLoop(nesting, false);
    else if (kind < 12 && nesting > 0)
      s = ifElse(nesting, false);
    else if (kind < 13)
      s = atomic();
    else if (kind < 16 && nesting == 2)
      s = inPlace();
    if (!s) {
      S elem = pickElem();
      Type type = random_.chance(25) ? Type::scalar(elem) : Type::tile(elem, pickShape());
      s = declare(type, random_.chance(60), expr(type, static_cast<int>(random_.range(1, 4))));
    }
    out.push_back(std::move(*s));
  }
  return out;
}

std::vector<Statement> Generator::threadStatements(int count, int nesting) {
  std::vector<Statement> out;
  for (int n = 0; n < count; ++n) {
    int64_t kind = random_.below(20);
    std::optional<Statement> s;
    if (kind < 3 && !trips_.empty())
      s = accumulate();
    else if (kind < 7)
      s = reassign();
    else if (kind < 10 && nesting > 0)
      s = forLoop(nesting, true);
    else if (kind < 11 && nesting > 0)
      s = whileLoop(nesting, true);
    else if (kind < 14 && nesting > 0)
      s = ifElse(nesting, true);
    else if (kind < 16)
      s = atomic();
    if (!s) {
      Type type = Type::scalar(pickElem());
      s = declare(type, random_.chance(60), expr(type, static_cast<int>(random_.range(1, 4))));
    }
    out.push_back(std::move(*s));
  }
  return out;
}

} // namespace phobos::differential
