// Kernels around contraction loops, in tiles as large as the paths of products want them: how operands lie,
// what else the loop and the kernel do, and the edges, are random.
#include "tests/differential/Generate.h"

namespace phobos::differential {

static std::string number(int64_t n) { return std::to_string(n); }

namespace {
/// A slice of rows x columns of `tensor`, whose first axis is a batch where `batch` is not empty; `isTurned`:
/// stored the other way round.
std::string slice(const std::string &tensor, const std::string &batch, std::string rows, std::string columns,
                  bool isTurned) {
  if (isTurned)
    std::swap(rows, columns);
  return tensor + "[" + batch + rows + ", " + columns + "]";
}

std::string productOf(const std::string &a, bool isTurnedA, const std::string &b, bool isTurnedB) {
  return std::string(isTurnedB ? "dot_t(" : "dot(") + (isTurnedA ? "transpose(" + a + ")" : a) + ", " + b +
         ")";
}
} // namespace

void Generator::makeProductKernel() {
  const S elem = random_.pick(std::vector<S>{S::F16, S::BF16, S::F16, S::BF16, S::F32, S::I8});
  const S acc = elem == S::I8 ? S::I32 : S::F32;
  const bool isPlain = elem == S::F32 || elem == S::I8; // what fits the registers of every processor
  const int64_t m = random_.pick(isPlain ? std::vector<int64_t>{16, 48, 64}
                                         : std::vector<int64_t>{16, 64, 64, 64, 128}),
                n = random_.pick(isPlain ? std::vector<int64_t>{8, 16, 32, 64}
                                         : std::vector<int64_t>{8, 16, 32, 64, 64}),
                k = random_.pick(std::vector<int64_t>{16, 32, 32, 48, 64, 96});
  auto extent = [&](int64_t most) { // rows that start at multiples of 16 bytes, mostly
    const int64_t e = random_.range(1, most);
    return random_.chance(80) ? (e + 15) / 16 * 16 : e;
  };
  program_.dims = {{"M", extent(150)}, {"N", extent(140)}, {"K", extent(220)}, {"L", 2}};
  const bool isTurnedA = random_.chance(30), isTurnedB = random_.chance(30), isBatched = random_.chance(20);
  auto tensor = [&](const char *rows, const char *columns, bool isTurned) {
    std::vector<std::string> extents{isTurned ? columns : rows, isTurned ? rows : columns};
    if (isBatched)
      extents.insert(extents.begin(), "L");
    inputs_.push_back(addTensor(elem, extents, isFloat(elem) ? "quarters" : "integers"));
    return inputs_.back().name;
  };
  const std::string a = tensor("M", "K", isTurnedA), b = tensor("K", "N", isTurnedB);
  const bool isTwo = random_.chance(25);
  const std::string c = isTwo ? tensor("K", "N", isTurnedB) : "";
  const std::string type = std::string(name(acc)), zero = acc == S::I32 ? "0" : "0.0";
  const std::string tile = "tile<" + type + ">[" + number(m) + ", " + number(n) + "]";
  const std::string batch = isBatched ? "ctx.block.z, " : "", rows = "m :+ " + number(m),
                    columns = "n :+ " + number(n);

  auto line = [&](const std::string &text) { program_.body.push_back({text, {}, {}}); };
  line("let m = ctx.block.x * " + number(m));
  line("let n = ctx.block.y * " + number(n));
  line("var acc: " + tile + " = " + (random_.chance(70) ? zero : acc == S::I32 ? "3" : "0.75"));
  if (isTwo)
    line("var more: " + tile + " = " + zero);
  // Steps that are the tile's, leave some of k out or take some twice; runs that begin late or end early.
  const int64_t step = random_.chance(80) ? k : random_.range(1, 2 * k);
  const std::string from = random_.chance(80) ? "0" : number(random_.range(0, 40)),
                    to = random_.chance(80)   ? "K"
                         : random_.chance(50) ? "K - " + number(random_.range(1, 40))
                                              : "K / 2";
  const int64_t loops = random_.chance(25) ? 2 : 1;
  for (int64_t loop = 0; loop < loops; ++loop) {
    Statement s{"for" + std::string(random_.chance(10) ? "<unroll 2>" : "") + " k in range(" + from + ", " +
                    to + ", " + number(step) + ") #0",
                {},
                {{}}};
    auto inside = [&](const std::string &text) { s.bodies[0].push_back({text, {}, {}}); };
    std::string at = "k";
    if (random_.chance(20)) {
      inside("let shifted = k + " + number(8 * random_.range(0, 3)));
      at = "shifted";
    }
    const std::string inner = at + " :+ " + number(k);
    inside("let x = " + slice(a, batch, rows, inner, isTurnedA));
    const std::string y = slice(loop ? (isTwo ? c : b) : b, batch, inner, columns, isTurnedB);
    inside((random_.chance(50) ? "acc += " : "acc = acc + ") + productOf("x", isTurnedA, y, isTurnedB));
    if (isTwo)
      inside("more += " + productOf("x", isTurnedA, slice(c, batch, inner, columns, isTurnedB), isTurnedB));
    if (random_.chance(10)) // then it is not a contraction alone
      inside("acc = max(acc, -" + type + "(" + (acc == S::I32 ? "100000" : "1000.0") + "))");
    program_.body.push_back(std::move(s));
    if (loop + 1 < loops && random_.chance(50))
      line("acc = acc - " + type + "(1)");
  }
  std::string result = isTwo ? "where(more > " + zero + ", acc, more)" : "acc";
  if (random_.chance(25))
    result = "(" + result + ") + colmax(acc)";
  const Tensor out = addOutput(
      acc, isBatched ? std::vector<std::string>{"L", "M", "N"} : std::vector<std::string>{"M", "N"}, 0);
  line(slice(out.name, batch, rows, columns, false) + " = " + result);
  if (random_.chance(20)) { // threads of their own beside the tiles
    const Tensor seen = addOutput(S::I32, {"128"}, 0);
    line("if ctx.block.x + ctx.block.y + ctx.block.z == 0 { " + seen.name +
         "[ctx.thread % 128] = i32(ctx.threads) }");
    program_.attributes = "@launch(128)\n";
  } else if (random_.chance(30)) {
    program_.attributes = random_.chance(50) ? "@launch(256)\n" : "@launch(128)\n";
  }
  if (random_.chance(20))
    program_.attributes += "@persistent\n";
  if (random_.chance(15))
    program_.attributes += "@autotune(STAGES in [2])\n";
  program_.attributes += "@grid(x = cdiv(M, " + number(m) + "), y = cdiv(N, " + number(n) + ")" +
                         (isBatched ? ", z = L" : "") + ")\n";
}

} // namespace phobos::differential
