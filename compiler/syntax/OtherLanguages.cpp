#include "compiler/syntax/OtherLanguages.h"
#include "compiler/support/ForeignWords.h"
#include "compiler/support/Suggest.h"
#include "compiler/support/Types.h"
#include <algorithm>
#include <initializer_list>

namespace phobos::syntax {

using P = PhobosParser;

namespace {

bool isOneOf(const std::string &word, std::initializer_list<const char *> list) {
  return std::any_of(list.begin(), list.end(), [&](const char *w) { return word == w; });
}

class Habit {
public:
  explicit Habit(const ErrorPlace &place)
      : place_(place), at_(place.found->getTokenIndex()), type_(place.found->getType()),
        found_(place.found->getText()), before_(at_ > 0 ? text(at_ - 1) : ""),
        first_(place.statement < at_ ? text(place.statement) : found_) {
    antlr4::Token *next = place.tokens.index() == at_ ? place.tokens.LT(2) : nullptr;
    nextType_ = next ? next->getType() : antlr4::Token::EOF;
    next_ = next && nextType_ != antlr4::Token::EOF ? next->getText() : "";
  }

  std::string help() const {
    for (std::string help : {ofFile(), ofOperator(), ofLoop(), ofBeginning(), ofMember(), ofType(), ofRest()})
      if (!help.empty())
        return help;
    return "";
  }

private:
  std::string text(size_t i) const { return place_.tokens.get(i)->getText(); }
  size_t typeAt(size_t i) const { return place_.tokens.get(i)->getType(); }
  bool expects(const char *what) const { return place_.expected.find(what) != std::string::npos; }
  bool endsStatement() const { return place_.expected == "the end of the statement"; }
  /// Right behind the statement's first word.
  bool isSecond() const { return at_ == place_.statement + 1 && typeAt(place_.statement) == P::IDENT; }

  /// Between declarations.
  std::string ofFile() const {
    if (!expects("'kernel', 'fn'"))
      return "";
    if (isOneOf(found_, {"import", "from", "using", "extern"}))
      return "there is nothing to import: built-ins and the standard library are there";
    if (found_ == "def" && nextType_ == P::IDENT)
      return "write 'kernel " + next_ + "(..) { .. }', or 'fn " + next_ + "(..) -> T { .. }' for a function";
    if (found_ == "." && isAttribute())
      return "an attribute is one word; a kernel begins with 'kernel name(..) {'";
    if (isOneOf(found_, {"struct", "class", "enum", "typedef", "def", "void", "__global__", "__device__",
                         "static", "template", "func", "function", "proc", "if"}))
      return "a file holds 'kernel name(..) { .. }' and 'fn name(..) -> T { .. }'";
    return "";
  }
  bool isAttribute() const { return at_ > 1 && typeAt(at_ - 2) == P::AT; }

  /// Words and signs that are operators elsewhere.
  std::string ofOperator() const {
    if (found_ == "and" || found_ == "or")
      return found_ == "and" ? "write '&&'" : "write '||'";
    if (found_ == "is")
      return next_ == "not" ? "write '!='" : "write '=='";
    if (type_ == P::IN || (found_ == "not" && next_ == "in"))
      if (place_.rule != P::RuleForStatement)
        return "there is no 'in' of values: compare with '==' and '||'";
    if (before_ == "not")
      return "write '!'";
    if (before_ == "lambda")
      return "there are no lambdas: declare 'fn name(x: f32) -> f32 { .. }' outside of the kernel";
    if (type_ == P::FOR && (expects("')'") || expects("']'")))
      return "there are no comprehensions: write a loop, or 'iota(0, [n])' for a tile of coordinates";
    if (type_ == P::ASSIGN && (expects("'{'") || expects("')'")))
      return "a comparison is '=='";
    if (type_ == P::MUL && before_ == "*")
      return "write 'pow(x, y)'";
    if ((type_ == P::ADD && before_ == "+") || (type_ == P::SUB && before_ == "-"))
      return "write '" + before_ + "= 1'";
    if ((type_ == P::ADD || type_ == P::SUB) && place_.expected == "a statement" && next_ == found_)
      return "write 'x " + found_ + "= 1'";
    if (endsStatement() && type_ == P::AT)
      return "write 'dot(a, b)'";
    return "";
  }

  std::string ofLoop() const {
    if (type_ == P::COLON && place_.rule == P::RulePostfix)
      return "a slice has no step: 's : e' has an end, 's :+ n' a length";
    if (place_.rule != P::RuleForStatement)
      return "";
    if (type_ == P::LPAREN && place_.expected == "a name")
      return "write 'for i in range(lo, hi, step) { .. }'";
    if (type_ == P::COMMA)
      return "a loop has one counter";
    if (type_ == P::DOT && next_ == "static_range")
      return "write 'for<unroll 4> i in range(lo, hi) { .. }'";
    if (type_ == P::INT || type_ == P::LBRACE || type_ == P::LBRACKET || type_ == P::DOT)
      return "a loop walks over a range: 'for i in range(lo, hi, step) { .. }'";
    return "";
  }

  /// What the statement begins with.
  std::string ofBeginning() const {
    if (found_ == "elif")
      return "write 'else if'";
    if (place_.rule == P::RuleLetStatement && type_ == P::COMMA)
      return "a declaration has one name";
    if (place_.rule == P::RuleLetStatement && before_ == "mut" && type_ == P::IDENT)
      return "write 'var " + found_ + "'";
    if (type_ == P::COLON && isSecond()) {
      if (nextType_ == P::ASSIGN)
        return "write 'let " + first_ + " = ..', or 'var' where it changes";
      if (nextType_ == P::IDENT && declares(next_))
        return "write 'let " + first_ + typeOf(next_) + " = ..', or 'var' where it changes";
    }
    if (!isSecond() || !endsStatement())
      return "";
    if (first_ == "elif")
      return "write '} else if' on the line of the '}'";
    if (isOneOf(first_, {"def", "func", "function", "__device__"}))
      return "functions stand outside of kernels: 'fn name(..) -> T { .. }'";
    if (isOneOf(first_, {"import", "from", "using"}))
      return "there is nothing to import: built-ins and the standard library are there";
    if (type_ == P::IDENT && declares(first_) && declares(found_) && nextType_ == P::IDENT)
      return "a declaration begins with let or var: 'let " + next_ + typeOf(found_) + " = ..'";
    if (type_ == P::IDENT && declares(first_))
      return "a declaration begins with let or var: 'let " + found_ + typeOf(first_) + " = ..'";
    if (type_ == P::IDENT || type_ == P::INT || type_ == P::FLOAT)
      if (auto near = nearest(first_, {"for", "if", "while", "let", "var", "return", "break", "continue"}))
        return "did you mean '" + *near + "'?";
    return "";
  }
  static bool declares(const std::string &word) {
    return !foreignType(word).empty() || scalarTypeNamed(word) ||
           isOneOf(word, {"auto", "const", "constexpr", "static", "mut", "short", "signed", "__shared__"});
  }
  static std::string typeOf(const std::string &word) {
    if (scalarTypeNamed(word))
      return ": " + word;
    return foreignType(word).empty() ? "" : ": " + std::string(foreignType(word));
  }

  /// `tl.load(..)`, `x.sum()`, `math.inf`
  std::string ofMember() const {
    if (type_ == P::FLOAT && before_ == ".")
      return "there are no modules: write '" + found_ + "'";
    if (type_ == P::COLON && nextType_ == P::COLON)
      return "there are no modules: built-in functions and types have no prefix";
    if (!endsStatement() && !expects("')'") && !expects("']'") && !expects("'{'"))
      return "";
    if (type_ != P::LPAREN || at_ < 2 || typeAt(at_ - 2) != P::DOT || typeAt(at_ - 1) != P::IDENT)
      return "";
    if (const char *here = foreignCall(before_))
      return here;
    if (std::string_view type = foreignType(before_); !type.empty())
      return "write '" + std::string(type) + "(x)'";
    return "there are no methods and no modules";
  }

  /// `tl.float16`, `x: tl.constexpr`, `tensor[M]`
  std::string ofType() const {
    if (next_ == "constexpr" && type_ == P::DOT)
      return "a constant is declared before the kernel: '@autotune(NAME in [64])'";
    if (type_ == P::DOT && nextType_ == P::IDENT && !foreignType(next_).empty())
      return "write '" + std::string(foreignType(next_)) + "'";
    if (type_ == P::LBRACKET && (before_ == "tensor" || before_ == "tile"))
      return "write '" + before_ + "<f32>[M, N]'";
    if (type_ == P::MUL && (place_.rule == P::RuleParam || place_.rule == P::RuleHead))
      return "there are no pointers: an array is 'name: tensor<f32>[N]'";
    if (place_.rule == P::RuleParam && place_.expected == "':'") {
      if (type_ == P::IDENT && declares(before_))
        return "the type comes behind the name: '" + found_ + typeOf(before_) + "'";
      return "a parameter has a type: 'x: f32'";
    }
    return "";
  }

  std::string ofRest() const {
    if (type_ == P::STRING)
      return ofString();
    if (place_.expected == "'{'" && (type_ == P::COLON || found_ == "then"))
      return "a body stands in braces: '{ .. }'";
    if (place_.expected == "'{'" && type_ == P::TERMINATOR)
      return "a body begins with '{' on this line";
    if (place_.expected == "')'" && type_ == P::COMMA)
      return "there are no tuples: a shape is written '[m, n]'";
    if (place_.expected == "'{'" && type_ == P::ARROW)
      return "a kernel returns nothing: it stores its results to tensors";
    return "";
  }
  std::string ofString() const {
    std::string inside = found_.size() > 2 ? found_.substr(1, found_.size() - 2) : "";
    if (inside == "inf" || inside == "-inf" || inside == "nan")
      return "write " + inside;
    if (before_ == "(" && at_ > 1)
      if (std::string callee = text(at_ - 2); isOneOf(callee, {"print", "printf"}))
        return foreignCall(callee);
    if (place_.expected == "a statement")
      return "a comment begins with //";
    return "strings stand only in attributes";
  }

  const ErrorPlace &place_;
  size_t at_, type_, nextType_;
  std::string found_, before_, first_, next_;
};

} // namespace

std::string habitHelp(const ErrorPlace &place) { return Habit(place).help(); }

} // namespace phobos::syntax
