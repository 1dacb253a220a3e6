// Kernels over values at the edges of their types: denormals, infinities, NaN, zeros of both signs, the
// largest, any bits. Every operation here has one right result (it is rounded once, or moves and chooses), so
// that all is compared bit for bit; a product is never a term of a sum, which could become one fma.
#include "tests/differential/Generate.h"
#include <algorithm>

namespace phobos::differential {

namespace {

using S = ScalarType;
std::string number(int64_t n) { return std::to_string(n); }

/// A name of the kernel; all have one shape.
struct Edge {
  std::string name;
  S elem;
  bool isProduct = false; ///< perhaps computed by a multiplication, through what may be moved over one
};

bool isF8(S t) { return t == S::F8E4M3 || t == S::F8E5M2; }

const std::vector<S> kElems = {S::F16, S::BF16, S::F32, S::F64, S::F8E4M3, S::F8E5M2,
                               S::I8,  S::U8,   S::I32, S::U32, S::I64,    S::Bool};

class Edges {
public:
  Edges(Random &random, bool isTile, int64_t rows, int64_t columns)
      : random_(random), isTile_(isTile), rows_(rows), columns_(columns) {}

  std::vector<Edge> names;

  /// A further name's value.
  std::string next(Edge &result) {
    for (;;) {
      const Edge a = random_.pick(names), b = random_.pick(names);
      std::string text = of(a, b, result);
      if (!text.empty())
        return text;
    }
  }

private:
  std::string of(const Edge &a, const Edge &b, Edge &result) {
    const std::string elem(name(a.elem)), x = a.name;
    result.elem = a.elem, result.isProduct = a.isProduct;
    switch (random_.below(isTile_ ? 8 : 5)) {
    case 0: { // a conversion
      result.elem = random_.pick(kElems), result.isProduct = false;
      return std::string(name(result.elem)) + "(" + x + ")";
    }
    case 1: // a choice
      return b.elem == S::Bool ? (isTile_ ? "where(" + b.name + ", " + x + ", " + other(a) + ")"
                                          : "(" + x + " if " + b.name + " else " + other(a) + ")")
                               : "";
    case 2: { // a comparison
      static const std::vector<std::string> kOps = {" == ", " != ", " < ", " <= ", " > ", " >= "};
      result.elem = S::Bool, result.isProduct = false;
      return x + (a.elem == S::Bool ? " == " : random_.pick(kOps)) + other(a);
    }
    case 3:
    case 4:
      return a.elem == S::Bool ? logical(a) : isFloat(a.elem) ? floats(a, result) : wholes(a);
    case 5: // an extreme along an axis
      if (a.elem == S::Bool)
        return "";
      return "broadcast(" +
             random_.pick(std::vector<std::string>{"rowmax(", "rowmin(", "colmax(", "colmin("}) + x + "), " +
             shape() + ")";
    case 6: {
      if (a.elem == S::Bool)
        return "";
      if (random_.chance(50))
        return (random_.chance(50) ? "cummax(" : "tril(") + x + (random_.chance(50) ? ", 1)" : ", 0)");
      result.elem = S::I32, result.isProduct = false;
      return "broadcast(" + std::string(random_.chance(50) ? "rowargmax(" : "rowargmin(") + x + "), " +
             shape() + ")";
    }
    default:
      return random_.chance(50)
                 ? "transpose(reshape(transpose(" + x + "), [" + number(columns_) + ", " + number(rows_) +
                       "]))"
                 : "broadcast(" + x + "[" + number(random_.below(rows_)) + ", :], " + shape() + ")";
    }
  }

  std::string logical(const Edge &a) {
    return random_.chance(30)
               ? "!" + a.name
               : a.name + random_.pick(std::vector<std::string>{" && ", " || ", " ^ ", " & "}) + other(a);
  }

  std::string floats(const Edge &a, Edge &result) {
    const std::string x = a.name;
    if (isF8(a.elem))
      result.elem = S::F32;
    switch (random_.below(9)) {
    case 0:
      result.isProduct = true;
      return x + " * " + other(a);
    case 1:
      result.isProduct = false;
      return x + " / " + other(a);
    case 2:
    case 3: {
      const Edge y = same(a);
      if (a.isProduct || y.isProduct)
        return "";
      return x + (random_.chance(50) ? " + " : " - ") + y.name;
    }
    case 4:
      return random_.pick(std::vector<std::string>{"max(", "min("}) + x + ", " + other(a) + ")";
    case 5:
      return random_.pick(std::vector<std::string>{"floor(", "ceil(", "round(", "abs(", "sqrt("}) + x + ")";
    case 6:
      return "-" + x;
    case 7: { // the sign of a zero, and bits of what is no NaN
      if (a.elem != S::F32 && a.elem != S::F64)
        return "";
      result.elem = a.elem == S::F32 ? S::I32 : S::I64, result.isProduct = false;
      const std::string zero = std::string(name(a.elem)) + "(0)";
      return "bitcast<" + std::string(name(result.elem)) + ">(" +
             (isTile_ ? "where(" + x + " == " + x + ", " + x + ", " + zero + "))"
                      : x + " if " + x + " == " + x + " else " + zero + ")");
    }
    default:
      if (a.elem != S::F32 && a.elem != S::F64)
        return "";
      result.isProduct = false;
      return "fma(" + x + ", " + other(a) + ", " + other(a) + ")";
    }
  }

  std::string wholes(const Edge &a) {
    static const std::vector<std::string> kOps = {" + ", " - ", " * ", " / ",  " % ",
                                                  " & ", " | ", " ^ ", " << ", " >> "};
    switch (random_.below(5)) {
    case 0:
      return random_.pick(std::vector<std::string>{"max(", "min(", "cdiv("}) + a.name + ", " + other(a) + ")";
    case 1:
      return random_.pick(std::vector<std::string>{"abs(", "-(", "~("}) + a.name + ")";
    default:
      return a.name + random_.pick(kOps) + other(a);
    }
  }

  /// Another name of its type, or itself.
  Edge same(const Edge &a) {
    std::vector<Edge> fitting;
    for (const Edge &e : names)
      if (e.elem == a.elem)
        fitting.push_back(e);
    return random_.pick(fitting);
  }
  std::string other(const Edge &a) { return same(a).name; }
  std::string shape() const { return "[" + number(rows_) + ", " + number(columns_) + "]"; }

  Random &random_;
  bool isTile_;
  int64_t rows_, columns_;
};

} // namespace

void Generator::makeEdgesKernel() {
  isPerThread_ = random_.chance(40);
  const bool isTile = !isPerThread_;
  program_.dims = {{"M", random_.range(1, 40)}, {"N", random_.range(1, 40)}};
  const int64_t rows = random_.pick(std::vector<int64_t>{1, 4, 5, 8, 16}),
                columns = random_.pick(std::vector<int64_t>{1, 7, 8, 16, 32});
  auto line = [&](const std::string &text) { program_.body.push_back({text, {}, {}}); };
  const std::string at = isTile ? "[ctx.block.x * " + number(rows) + " :+ " + number(rows) +
                                      ", ctx.block.y * " + number(columns) + " :+ " + number(columns) + "]"
                                : "[ctx.block.x, ctx.thread]";
  Edges edges(random_, isTile, rows, columns);
  const int64_t inputs = random_.range(2, 4);
  for (int64_t k = 0; k < inputs; ++k) {
    // The last one is in place.
    const S elem = random_.pick(kElems);
    const Tensor t = addTensor(elem, {"M", "N"},
                               elem == S::Bool ? "bools"
                               : isFloat(elem) ? "edges"
                                               : "integers");
    inputs_.push_back(t);
    edges.names.push_back({"x" + number(k), elem});
    line("let x" + number(k) + " = " + t.name + at);
  }
  const int64_t count = random_.range(4, 16);
  for (int64_t k = 0; k < count; ++k) {
    Edge e;
    const std::string value = edges.next(e);
    e.name = fresh("v");
    line((random_.chance(30) ? "var " : "let ") + e.name + " = " + value);
    edges.names.push_back(e);
    if (program_.body.back().text.starts_with("var ")) { // carried and chosen
      std::vector<std::string> fitting;
      for (const Edge &f : edges.names)
        if (f.elem == e.elem)
          fitting.push_back(f.name);
      line("for " + fresh("c") + " in range(" + number(random_.range(0, 3)) + ") { " + e.name + " = " +
           (isTile ? "where(" + e.name + " == " + e.name + ", " + random_.pick(fitting) + ", " + e.name + ")"
                   : e.name + " if " + e.name + " == " + e.name + " else " + random_.pick(fitting)) +
           " }");
      for (Edge &f : edges.names)
        if (f.name == e.name)
          f.isProduct = true; // of any of them
    }
  }
  const int64_t outputs = std::min<int64_t>(5, static_cast<int64_t>(edges.names.size()));
  for (int64_t k = 0; k < outputs; ++k) {
    const Edge &e = edges.names[edges.names.size() - 1 - static_cast<size_t>(k)];
    const Tensor out = addOutput(e.elem, {"M", "N"}, 0);
    line(out.name + at + " = " + e.name);
  }
  program_.attributes = isTile ? "" : "@launch(64)\n@grid(x = M)\n";
}

} // namespace phobos::differential
