// Early exits became flags: random programs of nested branches, loops, break, continue and return give what
// the interpreter gives.
#include "tests/differential/Compare.h"
#include <gtest/gtest.h>
#include <random>

using namespace phobos;

namespace {

/// Statements over the i32 variables a, b, c; every loop ends after a few turns.
class Generator {
public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  std::string program(uint64_t seed) {
    std::string f = "fn f(x: i32, y: i32) -> i32 {\n  var a = x\n  var b = y\n  var c = 1\n" +
                    block(1, 0, true) + "  return " + expression() + "\n}\n";
    std::string k = "kernel k(X: tensor<i32>[N], Y: tensor<i32>[N], Z: tensor<i32>[N]) {\n  let p = "
                    "ctx.block.x\n  var a = X[p]\n  var b = 7\n  var c = "
                    "f(a, 3)\n";
    inKernel_ = true;
    k += block(1, 0, true) + "  Y[p] = a * 31 + b * 7 + c\n}\n";
    return "//! seed " + std::to_string(seed) +
           "\n//! dim N 24\n//! in X integers\n//! in Y integers\n//! in Z integers\n//! out Y 0\n//! out Z "
           "0\n@grid(x = N)\n" +
           k + f;
  }

private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::string variable() { return std::string(1, "abc"[pick(3)]); }
  std::string number() { return std::to_string(static_cast<int>(pick(9)) - 4); }

  std::string expression() {
    static const char *const operators[] = {"+", "-", "*", "&", "^", "/", "%"};
    std::string left = pick(4) ? variable() : number(), right = pick(3) ? variable() : number();
    if (pick(8) == 0)
      return "(" + left + " if " + condition() + " else " + right + ")";
    if (inKernel_ && pick(10) == 0)
      return "f(" + left + ", " + right + ")";
    return left + " " + operators[pick(7)] + " " + right;
  }

  std::string condition() {
    static const char *const relations[] = {"<", "<=", ">", ">=", "==", "!="};
    std::string simple = variable() + " % 5 " + relations[pick(6)] + " " + number();
    if (pick(5) == 0)
      return simple + (pick(2) ? " && " : " || ") + variable() + " > " + number();
    return simple;
  }

  /// `loops`: how many are around, for break and continue.
  std::string block(unsigned depth, unsigned loops, bool mayReturn) {
    std::string text;
    for (unsigned n = 1 + pick(4); n--;)
      text += statement(depth, loops, mayReturn);
    return text;
  }

  std::string statement(unsigned depth, unsigned loops, bool mayReturn) {
    std::string in(2 * depth, ' ');
    unsigned kind = pick(depth > 4 ? 4 : 10);
    if (kind < 3)
      return in + variable() + " = " + expression() + "\n";
    if (kind == 3) {
      if (loops && pick(2))
        return in + "if " + condition() + " { " + (pick(2) ? "break" : "continue") + " }\n";
      if (inKernel_ && pick(2))
        return in + "Z[p] = " + expression() + "\n";
      std::string name = "d" + std::to_string(++names_);
      return in + "let " + name + " = " + expression() + "\n" + in + "a = a + " + name + "\n";
    }
    if (kind < 7) {
      std::string text = in + "if " + condition() + " {\n" + block(depth + 1, loops, mayReturn) +
                         exit(depth + 1, loops, mayReturn) + in + "}";
      if (pick(2))
        text +=
            " else {\n" + block(depth + 1, loops, mayReturn) + exit(depth + 1, loops, mayReturn) + in + "}";
      return text + "\n";
    }
    std::string name = "n" + std::to_string(++names_);
    if (kind < 9)
      return in + "for " + name + " in range(0, " + std::to_string(1 + pick(6)) + ") {\n" +
             block(depth + 1, loops + 1, mayReturn) + in + "  c = c + i32(" + name + ")\n" + in + "}\n";
    return in + "var " + name + " = 0\n" + in + "while " + name + " < 5" +
           (pick(2) ? " && " + variable() + " != 3" : "") + " {\n" + in + "  " + name + " += 1\n" +
           block(depth + 1, loops + 1, mayReturn) + in + "}\n";
  }

  /// What may end a branch: nothing, or an exit.
  std::string exit(unsigned depth, unsigned loops, bool mayReturn) {
    std::string in(2 * depth, ' ');
    switch (pick(5)) {
    case 0:
      return loops ? in + "break\n" : "";
    case 1:
      return loops ? in + "continue\n" : "";
    case 2:
      if (!mayReturn)
        return "";
      return inKernel_ ? in + "Y[p] = a\n" + in + "return\n" : in + "return " + expression() + "\n";
    default:
      return "";
    }
  }

  std::mt19937_64 random_;
  bool inKernel_ = false;
  unsigned names_ = 0;
};

TEST(ControlFlow, RandomProgramsAgreeWithTheInterpreter) {
  unsigned same = 0;
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    std::string text = Generator(seed).program(seed);
    auto result = differential::compare(text, "cpu");
    ASSERT_TRUE(result.verdict == differential::Verdict::Same ||
                result.verdict == differential::Verdict::Undefined)
        << "seed " << seed << ": " << result.message << "\n"
        << text;
    same += result.verdict == differential::Verdict::Same;
  }
  EXPECT_GE(same, 20u);
}

} // namespace
