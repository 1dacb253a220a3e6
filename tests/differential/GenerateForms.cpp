// Kernels around products of every element type and in the forms that GenerateProduct.cpp leaves out: chained
// products, several loops around one, SPLIT_K, roundings by @tensorcore, narrow accumulators, epilogues that
// convert, sums by atomics, tensors of up to four axes, tensors without elements.
//
// Every value is exact in its type and every sum in the type that it is summed in, whatever its order, so
// that all is compared bit for bit: inputs are quarters of a few bits or integers.
#include "tests/differential/Generate.h"

namespace phobos::differential {

namespace {

using S = ScalarType;
std::string number(int64_t n) { return std::to_string(n); }
std::string typeName(S t) { return std::string(name(t)); }

/// The types of a product's operands and of what it accumulates in.
struct Kinds {
  S a, b, acc;
  bool isInteger() const { return !isFloat(acc); }
  std::string zero() const { return isInteger() ? "0" : "0.0"; }
};

Kinds pickKinds(Random &random) {
  static const std::vector<Kinds> kKinds = {
      {S::F8E4M3, S::F8E4M3, S::F32}, {S::F8E5M2, S::F8E5M2, S::F32}, {S::F8E4M3, S::F8E5M2, S::F32},
      {S::F64, S::F64, S::F64},       {S::F32, S::F32, S::F32},       {S::F32, S::F32, S::F64},
      {S::F16, S::F16, S::F32},       {S::F16, S::F16, S::F16},       {S::BF16, S::BF16, S::F32},
      {S::F16, S::BF16, S::F32},      {S::BF16, S::F32, S::F32},      {S::F8E5M2, S::F16, S::F32},
      {S::I8, S::I8, S::I32},         {S::U8, S::U8, S::I32},         {S::I8, S::U8, S::I32},
      {S::I32, S::I32, S::I32},       {S::I8, S::I8, S::I64}};
  return random.pick(kKinds);
}

/// An operand as it is stored: its tensor, and how a block takes a tile of it.
struct Operand {
  std::string tensor, batch,
      fill; ///< `batch`: the leading subscripts; `fill`: of what is past an end, or empty
  bool isTurned = false;

  std::string tile(const std::string &rows, const std::string &columns) const {
    const std::string place =
        tensor + "[" + batch + (isTurned ? columns + ", " + rows : rows + ", " + columns) + "]";
    return fill.empty() ? place : "load(" + place + ", fill = " + fill + ")";
  }
};

std::string dotOf(const Operand &a, const std::string &x, const Operand &b, const std::string &y) {
  return (b.isTurned ? "dot_t(" : "dot(") + (a.isTurned ? "transpose(" + x + ")" : x) + ", " + y + ")";
}

/// A value of at most 4 bits, exact in each type of `t`'s kind.
std::string fewBits(const std::string &value, S t) {
  return isFloat(t) ? typeName(t) + "(clamp(floor(" + value + "), -4.0, 4.0))"
                    : typeName(t) + "(" + value + " % 8)";
}

} // namespace

void Generator::makeFormsKernel() {
  const Kinds kinds = pickKinds(random_);
  const bool isWide = bitWidth(kinds.acc) == 64, isLong = bitWidth(kinds.a) < 32 && bitWidth(kinds.b) < 32;
  const std::vector<int64_t> sizes =
      isWide ? std::vector<int64_t>{8, 16, 32} : std::vector<int64_t>{8, 16, 32, 32, 64};
  const int64_t m = random_.pick(sizes), n = random_.pick(sizes),
                k = random_.pick(isLong ? std::vector<int64_t>{8, 16, 32, 32, 64, 128}
                                        : std::vector<int64_t>{8, 16, 32, 32}),
                depth = 32; // of a chained product
  auto extent = [&](int64_t most) {
    const int64_t e = random_.range(1, most);
    return random_.chance(3) ? 0 : random_.chance(50) ? (e + 15) / 16 * 16 : e;
  };
  program_.dims = {{"M", extent(90)}, {"N", extent(90)}, {"K", extent(200)}, {"L", 2}, {"H", 3}};
  const int64_t batches = random_.pick(std::vector<int64_t>{0, 0, 0, 1, 2});
  const std::string batch = batches == 0   ? ""
                            : batches == 1 ? "ctx.block.z, "
                                           : "ctx.block.z % 2, ctx.block.z / 2, ";
  auto shape = [&](const std::string &rows, const std::string &columns) {
    std::vector<std::string> all{rows, columns};
    if (batches == 2)
      all.insert(all.begin(), "H");
    if (batches >= 1)
      all.insert(all.begin(), "L");
    return all;
  };
  auto operand = [&](S elem, const std::string &rows, const std::string &columns, int turned) {
    Operand o{"", batch, "", random_.chance(turned)};
    if (random_.chance(8))
      o.fill = isFloat(elem) ? "0.5" : "3";
    inputs_.push_back(addTensor(elem, o.isTurned ? shape(columns, rows) : shape(rows, columns),
                                isFloat(elem) ? "quarters" : "integers"));
    o.tensor = inputs_.back().name;
    return o;
  };
  auto line = [&](const std::string &text) { program_.body.push_back({text, {}, {}}); };
  auto loop = [&](const std::string &head, std::vector<std::string> texts) {
    Statement s{head + " #0", {}, {{}}};
    for (std::string &text : texts)
      s.bodies[0].push_back({std::move(text), {}, {}});
    return s;
  };

  const Operand a = operand(kinds.a, "M", "K", 30), b = operand(kinds.b, "K", "N", 40);
  const std::string rows = "m :+ " + number(m), columns = "n :+ " + number(n), inner = "k :+ " + number(k);
  auto declare = [&](const char *variable, int64_t wide) {
    line("var " + std::string(variable) + ": tile<" + typeName(kinds.acc) + ">[" + number(m) + ", " +
         number(wide) + "] = " + kinds.zero());
  };
  const std::string product = dotOf(a, a.tile(rows, inner), b, b.tile(inner, columns));
  std::string names, result = "acc", outColumns = "N", at = columns;
  int64_t width = n;
  bool isSplit = false;

  line("let m = ctx.block.x * " + number(m));
  if (random_.chance(25)) { // chained: rows of A by B's columns, n at a time, then by a third tensor
    width = depth, outColumns = number(depth), at = "0 : " + number(depth);
    const Operand c = operand(kinds.b, "N", number(depth), 0);
    declare("acc", depth);
    line("let k = 0");
    const bool isKept = random_.chance(50); // outside of the loop
    if (isKept)
      line("let q = " + a.tile(rows, inner));
    const std::string s = dotOf(a, isKept ? "q" : a.tile(rows, inner), b, b.tile(inner, columns));
    const std::string masked =
        random_.chance(50) ? "s" : "where(n + iota(1, [1, " + number(n) + "]) < N, s, " + kinds.zero() + ")";
    const std::string p = fewBits(masked, kinds.b);
    program_.body.push_back(loop("for n in range(0, N, " + number(n) + ")",
                                 {"let s = " + s, "acc += dot(" + p + ", " + c.tile(columns, at) + ")"}));
  } else {
    line("let n = ctx.block.y * " + number(n));
    declare("acc", n);
    const std::string head = "for k in range(0, K, " + number(k) + ")", add = "acc += " + product;
    switch (random_.below(6)) {
    case 0: // once
      line("let k = " + number(8 * random_.below(3)));
      line(random_.chance(50) ? add : "acc = " + product);
      break;
    case 1: { // in another loop, or under a condition
      Statement outer{random_.chance(60) ? "for r in range(0, " + number(random_.range(0, 3)) + ") #0"
                                         : "if M % 3 > 0 #0",
                      {},
                      {{}}};
      outer.bodies[0].push_back(loop(head, {add}));
      program_.body.push_back(std::move(outer));
      break;
    }
    case 2: // the sum of steps, and something of each
      line("var most: tile<" + typeName(kinds.acc) + ">[" + number(m) + ", " + number(n) + "] = acc");
      program_.body.push_back(loop(head, {"let d = " + product, "acc += d", "most = max(most, acc)"}));
      result = "acc - most";
      break;
    case 3:
      isSplit = true;
      names = "SPLIT_K in [" + number(random_.range(2, 4)) + "]";
      [[fallthrough]];
    default:
      program_.body.push_back(loop(head, {add}));
    }
  }

  // The epilogue.
  if (random_.chance(30)) {
    const Tensor bias = addTensor(kinds.acc == S::F16 ? S::F32 : kinds.acc, {outColumns},
                                  kinds.isInteger() ? "integers" : "quarters");
    inputs_.push_back(bias);
    result = result + " + " + bias.name + "[" + at + "]";
  }
  if (random_.chance(30))
    result = "max(" + result + ", " + kinds.zero() + ")";
  S out = kinds.acc;
  if (random_.chance(50)) {
    out = random_.pick(kinds.isInteger() ? std::vector<S>{S::I8, S::U8, S::I32, S::I64, S::F32, S::F64}
                                         : std::vector<S>{S::F16, S::BF16, S::F8E4M3, S::F8E5M2, S::F32,
                                                          S::F64, S::I32, S::I8});
    result = typeName(out) + "(" + result + ")";
  } else if (out == S::F16 && result != "acc") {
    result = "f16(" + result + ")"; // a sum with f32, or it does nothing
  }
  const Tensor target = addOutput(out, shape("M", outColumns), 0);
  line(target.name + "[" + batch + rows + ", " + at + "]" +
       (random_.chance(10) && out == kinds.acc ? " += " : " = ") + result);
  if (random_.chance(20)) {
    const S sum = kinds.acc == S::F16 ? S::F32 : kinds.acc;
    const Tensor total = addOutput(sum, {"3"}, 0);
    line("atomic_add(" + total.name + ", ctx.block.x % 3, sum(acc))");
  }

  const bool isTensorCore =
      kinds.a == S::F32 && kinds.b == S::F32 && kinds.acc == S::F32 && m >= 16 && n >= 16 && k >= 16;
  if (isTensorCore && random_.chance(50))
    program_.attributes += "@tensorcore(f16)\n";
  if (!isSplit && random_.chance(15))
    program_.attributes += "@persistent\n";
  if (random_.chance(20))
    names += (names.empty() ? "" : ", ") + std::string("STAGES in [") + number(random_.range(1, 3)) + "]";
  if (random_.chance(15))
    names += (names.empty() ? "" : ", ") + std::string("GROUP_M in [2]");
  if (!names.empty())
    program_.attributes += "@autotune(" + names + ")\n";
  if (random_.chance(25))
    program_.attributes += "@launch(" + number(64 << random_.below(3)) + ")\n";
  program_.attributes += "@grid(x = cdiv(M, " + number(m) + ")" +
                         (width == n && outColumns == "N" ? ", y = cdiv(N, " + number(n) + ")" : "") +
                         (batches == 1   ? ", z = L"
                          : batches == 2 ? ", z = L * H"
                                         : "") +
                         ")\n";
}

} // namespace phobos::differential
