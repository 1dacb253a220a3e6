// What users of Python, Triton, C and CUDA write is one error each, whose help says what to write here.
#include "tests/syntax/Parsed.h"
#include <gtest/gtest.h>

namespace phobos::test {

namespace {

struct Habit {
  const char *line; ///< of a kernel's body, or a whole file where it says `kernel` or FILE
  const char *at;   ///< code@line:column
  const char *help;
};

const Habit kHabits[] = {
    // operators and words of Python
    {"if a { } elif b { }", "E0102@2:10", "write 'else if'"},
    {"if a {\n}\nelif b { }", "E0102@4:6", "write '} else if' on the line of the '}'"},
    {"if n = 1 { }", "E0102@2:6", "a comparison is '=='"},
    {"if (n = 1) { }", "E0102@2:7", "a comparison is '=='"},
    {"while n = 1 { }", "E0102@2:9", "a comparison is '=='"},
    {"if n is 1 { }", "E0102@2:6", "write '=='"},
    {"let a = n is not m", "E0102@2:11", "write '!='"},
    {"if n in [1, 2] { }", "E0102@2:6", "there is no 'in' of values: compare with '==' and '||'"},
    {"let a = n not in m", "E0102@2:11", "there is no 'in' of values: compare with '==' and '||'"},
    {"if not a { }", "E0102@2:8", "write '!'"},
    {"let a = b and c", "E0102@2:11", "write '&&'"},
    {"let a = b or c", "E0102@2:11", "write '||'"},
    {"let a = n ** 2", "E0102@2:12", "write 'pow(x, y)'"},
    {"let a = (n // 2) * 3\n  b = 1", "E0102@2:11", "'//' begins a comment: integers divide with '/'"},
    {"let a = X[n // 2]\n  b = 1", "E0102@2:12", "'//' begins a comment: integers divide with '/'"},
    {"let a = f(n\n  b = 1", "E0102@2:12", ""},
    {"let a = f(n // a note\n  b = 1", "E0102@2:12", ""},
    {"let a = b @ c", "E0102@2:11", "write 'dot(a, b)'"},
    {"let f = lambda x: x + 1", "E0102@2:16",
     "there are no lambdas: declare 'fn name(x: f32) -> f32 { .. }' outside of the kernel"},
    {"let f = [i for i in range(3)]", "E0102@2:12",
     "there are no comprehensions: write a loop, or 'iota(0, [n])' for a tile of coordinates"},
    {"let f = sum(i for i in range(3))", "E0102@2:15",
     "there are no comprehensions: write a loop, or 'iota(0, [n])' for a tile of coordinates"},
    {"let a = X[0:8:2, 0]", "E0102@2:14", "a slice has no step: 's : e' has an end, 's :+ n' a length"},
    {"let a = zeros<f32>((4, 4))", "E0102@2:22", "there are no tuples: a shape is written '[m, n]'"},
    // declarations
    {"a := 1", "E0102@2:3", "write 'let a = ..', or 'var' where it changes"},
    {"a: f32 = 1.0", "E0102@2:2", "write 'let a: f32 = ..', or 'var' where it changes"},
    {"a: float = 1.0", "E0102@2:2", "write 'let a: f32 = ..', or 'var' where it changes"},
    {"int a = 1;", "E0102@2:5", "a declaration begins with let or var: 'let a: i32 = ..'"},
    {"f32 a = 1.0", "E0102@2:5", "a declaration begins with let or var: 'let a: f32 = ..'"},
    {"auto a = 1", "E0102@2:6", "a declaration begins with let or var: 'let a = ..'"},
    {"const int a = 1", "E0102@2:7", "a declaration begins with let or var: 'let a: i32 = ..'"},
    {"let mut a = 1", "E0102@2:9", "write 'var a'"},
    {"let a, b = c", "E0102@2:6", "a declaration has one name"},
    {"let a: tl.float16 = 1.0", "E0102@2:10", "write 'f16'"},
    {"x++", "E0102@2:3", "write '+= 1'"},
    {"++x", "E0102@2:1", "write 'x += 1'"},
    // loops and bodies
    {"for (int i = 0; i < 8; i++) { a = 1 }", "E0102@2:5", "write 'for i in range(lo, hi, step) { .. }'"},
    {"for (i in range(3)) { }", "E0102@2:5", "write 'for i in range(lo, hi, step) { .. }'"},
    {"for i in 3 { }", "E0102@2:10", "a loop walks over a range: 'for i in range(lo, hi, step) { .. }'"},
    {"for i in n { }", "E0102@2:12", "a loop walks over a range: 'for i in range(lo, hi, step) { .. }'"},
    {"for i in 0..8 { }", "E0104@2:10", "write 'range(lo, hi)'"},
    {"for i, j in range(3) { }", "E0102@2:6", "a loop has one counter"},
    {"for i in static_range(3) { }", "E0115@2:10", "write 'for<unroll 4> i in range(lo, hi) { .. }'"},
    {"for i in tl.static_range(3) { }", "E0102@2:12", "write 'for<unroll 4> i in range(lo, hi) { .. }'"},
    {"for i in range(3):\n  a = 1", "E0102@2:18", "a body stands in braces: '{ .. }'"},
    {"if n then { }", "E0102@2:6", "a body stands in braces: '{ .. }'"},
    {"if n\n{ }", "E0102@2:5", "a body begins with '{' on this line"},
    {"fro i in range(3) { }", "E0102@2:5", "did you mean 'for'?"},
    {"wihle n { }", "E0102@2:7", "did you mean 'while'?"},
    {"lte a = 3", "E0102@2:5", "did you mean 'let'?"},
    {"retrun 3", "E0102@2:8", "did you mean 'return'?"},
    // modules, methods, strings
    {"let a = tl.program_id(0)", "E0102@2:22", "write 'ctx.block.x', 'ctx.block.y' or 'ctx.block.z'"},
    {"let a = tl.load(p)", "E0102@2:16", "a slice is read as 'A[i :+ n]'"},
    {"tl.store(p, a)", "E0102@2:9", "a slice is written as 'A[i :+ n] = t'"},
    {"let a = tl.arange(0, 16)", "E0102@2:18", "write 'iota(0, [n])'"},
    {"let a = tl.dot(b, c)", "E0102@2:15", "write 'dot(a, b)'"},
    {"let a = f(b).to(c)", "E0102@2:16", "a conversion is a call of the type: 'f16(x)'"},
    {"let a = np.float32(b)", "E0102@2:19", "write 'f32(x)'"},
    {"let a = b.frobnicate(c)", "E0102@2:21", "there are no methods and no modules"},
    {"let a = std::max(b, c)", "E0102@2:12",
     "there are no modules: built-in functions and types have no prefix"},
    {"let a = math.inf", "E0102@2:14", "there are no modules: write 'inf'"},
    {"let a = float(\"inf\")", "E0102@2:15", "write inf"},
    {"let a = float('inf')", "E0101@2:15", "write inf"},
    {"let a = f\"{n}\"", "E0102@2:10", "strings stand only in attributes"},
    {"let a = 'a'", "E0101@2:9", "strings stand only in attributes, in double quotes"},
    {"print(\"n\", n)", "E0102@2:7", "a kernel prints nothing: store the value to a tensor"},
    {"\"\"\"text\"\"\"", "E0102@2:1", "a comment begins with //"},
    {"let a = 1 # a note, of (any", "E0101@2:11", "a comment begins with //"},
    {"#pragma unroll", "E0101@2:1", "write 'for<unroll 4> i in range(..) { .. }'"},
    {"let a = b \xE2\x89\xA4 c", "E0101@2:11", "write '<='"},
    // the file and signatures
    {"FILE import math", "E0102@1:1",
     "there is nothing to import: built-ins and the standard library are there"},
    {"FILE def f(x):\n  return x", "E0102@1:1",
     "write 'kernel f(..) { .. }', or 'fn f(..) -> T { .. }' for a function"},
    {"def f(x):\n  return x", "E0102@2:5", "functions stand outside of kernels: 'fn name(..) -> T { .. }'"},
    {"FILE @triton.jit\ndef f(x):\n  return x", "E0102@1:8",
     "an attribute is one word; a kernel begins with 'kernel name(..) {'"},
    {"FILE __global__ void f(float *x) { }", "E0102@1:1",
     "a file holds 'kernel name(..) { .. }' and 'fn name(..) -> T { .. }'"},
    {"FILE #include <math.h>", "E0101@1:1",
     "there is nothing to include: built-ins and the standard library are there"},
    {"kernel k(B: tl.constexpr) { }", "E0102@1:15",
     "a constant is declared before the kernel: '@autotune(NAME in [64])'"},
    {"kernel k(x: float*) { }", "E0102@1:18", "there are no pointers: an array is 'name: tensor<f32>[N]'"},
    {"kernel k(float *x) { }", "E0102@1:16", "there are no pointers: an array is 'name: tensor<f32>[N]'"},
    {"kernel k(int n) { }", "E0102@1:14", "the type comes behind the name: 'n: i32'"},
};

} // namespace

TEST(OtherLanguages, EachHabitIsOneErrorWithHelp) {
  for (const Habit &h : kHabits) {
    std::string text = h.line;
    if (text.starts_with("FILE "))
      text = text.substr(5);
    else if (text.find("kernel") == std::string::npos)
      text = "kernel k() {\n" + text + "\n}\n";
    Parsed p(text);
    EXPECT_EQ(p.codes(), h.at) << text << p.messages();
    if (!p.diags.all().empty())
      EXPECT_EQ(p.diags.all()[0].help.value_or(""), h.help) << text;
  }
}

/// The ends of statements in C are nothing special.
TEST(OtherLanguages, SemicolonsEndStatements) {
  EXPECT_EQ(Parsed("kernel k() {\n  x += 1;\n  y = 2; z = 3;;\n}\n").codes(), "");
}

TEST(OtherLanguages, ALetterOutsideOfAsciiIsToldOncePerName) {
  Parsed p("kernel k() {\n  let gr\xC3\xB6\xC3\x9F\x65 = 3\n  x[gr\xC3\xB6\xC3\x9F\x65] = \xCE\xB1 + "
           "gr\xC3\xB6\xC3\x9F\x65\n  \xCE\xB1 = 1\n}\n");
  EXPECT_EQ(p.codes(), "E0101@2:9 E0101@3:14");
  EXPECT_EQ(p.diags.all()[0].help.value_or(""), "names are ASCII: letters, digits and '_'");
  ASSERT_EQ(p.file->kernels.size(), 1u);
  EXPECT_EQ(p.file->kernels[0]->body.statements[0]->name.text, "gr\xC3\xB6\xC3\x9F\x65");
}

TEST(OtherLanguages, ACommentThatMayBeADivisionIsWarnedOf) {
  auto codes = [](const std::string &body) {
    return Parsed("kernel k(A: tensor<f32>[N]) {\n" + body + "\n}").codes();
  };
  for (const char *division : {"let h = n // 2", "let h = n// 2", "let h = A[n] //2  \t",
                               "let h = (n + 1) // 16", "h += n // N", "return n // 2"})
    EXPECT_EQ(codes(division).substr(0, 5), "W0120") << division;
  EXPECT_EQ(codes("f(n // 2)"), "E0102@2:4") << "the error of the bracket says it";
  for (const char *comment :
       {"let h = n // half of it", "let h = n  // 2", "let h = 0.5 // 2", "let h = n // n",
        "let h = n // TODO", "let h = n // 2 of them", "let h = n // 2.", "for i in range(4) { // 2\n}",
        "f(n) // 2", "// 2", "let h = n\n// 2", "let h = n // (2)", "let h = n // -> 2",
        "let h = n / 2 // 3 of 4", "let h = f( // 2\n1)", "let h = n //", "let h = n /* 2 */",
        "let h = n // // 2"})
    EXPECT_EQ(codes(comment), "") << comment;
}

} // namespace phobos::test
