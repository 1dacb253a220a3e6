#include "compiler/legality/Formula.h"
#include <algorithm>
#include <cctype>

namespace phobos::legality {

namespace {

using Wide = __int128;
constexpr Wide kEnd = Wide(1) << 120;

Wide stop(Wide v) { return std::clamp(v, -kEnd, kEnd); }

Wide multiply(Wide x, Wide y) {
  Wide product;
  if (!__builtin_mul_overflow(x, y, &product))
    return stop(product);
  return (x < 0) == (y < 0) ? kEnd : -kEnd;
}

} // namespace

//===-- text to nodes --===//

class Formula::Parser {
public:
  Parser(std::string_view text, Formula &out, std::string &error) : text_(text), out_(out), error_(error) {}

  bool run() {
    uint32_t root;
    if (!parseLevel(0, root))
      return false;
    skipSpace();
    return at_ == text_.size() || fail("expected an operator");
  }

private:
  struct Binary {
    std::string_view text;
    Op op;
  };
  // Loosest first; `<=` before `<`.
  static constexpr Binary kOr[] = {{"||", Op::Or}}, kAnd[] = {{"&&", Op::And}},
                          kCompare[] = {{"==", Op::Eq}, {"!=", Op::Ne}, {"<=", Op::Le},
                                        {">=", Op::Ge}, {"<", Op::Lt},  {">", Op::Gt}},
                          kSum[] = {{"+", Op::Add}, {"-", Op::Sub}},
                          kProduct[] = {{"*", Op::Mul}, {"/", Op::Div}, {"%", Op::Rem}};

  bool parseLevel(unsigned level, uint32_t &result) {
    switch (level) {
    case 0:
      return parseBinary(level, kOr, result);
    case 1:
      return parseBinary(level, kAnd, result);
    case 2: // ! binds looser than comparisons, as in the language
      if (take("!", "="))
        return parseUnary(Op::Not, 2, result);
      return parseLevel(3, result);
    case 3:
      return parseBinary(level, kCompare, result);
    case 4:
      return parseBinary(level, kSum, result);
    case 5:
      return parseBinary(level, kProduct, result);
    default:
      return take("-") ? parseUnary(Op::Neg, 6, result) : parsePrimary(result);
    }
  }

  template <size_t N> bool parseBinary(unsigned level, const Binary (&operators)[N], uint32_t &result) {
    if (!parseLevel(level + 1, result))
      return false;
    for (;;) {
      const Binary *found = std::find_if(std::begin(operators), std::end(operators),
                                         [&](const Binary &b) { return take(b.text); });
      if (found == std::end(operators))
        return true;
      uint32_t right;
      if (!parseLevel(level + 1, right))
        return false;
      result = add({found->op, 0, result, right});
    }
  }

  bool parseUnary(Op op, unsigned level, uint32_t &result) {
    uint32_t operand;
    if (++depth_ > 64)
      return fail("nested too deeply");
    if (!parseLevel(level, operand))
      return false;
    --depth_;
    result = add({op, 0, operand, 0});
    return true;
  }

  bool parsePrimary(uint32_t &result) {
    skipSpace();
    if (at_ == text_.size())
      return fail("expected a number, a name or '('");
    char c = text_[at_];
    if (take("(")) {
      if (++depth_ > 64)
        return fail("nested too deeply");
      if (!parseLevel(0, result))
        return false;
      --depth_;
      return take(")") || fail("expected ')'");
    }
    if (std::isdigit(static_cast<unsigned char>(c)))
      return parseNumber(result);
    if (std::isalpha(static_cast<unsigned char>(c)) || c == '_')
      return parseName(result);
    return fail("expected a number, a name or '('");
  }

  bool parseNumber(uint32_t &result) {
    int64_t n = 0;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); ++at_)
      if (__builtin_mul_overflow(n, int64_t(10), &n) ||
          __builtin_add_overflow(n, int64_t(text_[at_] - '0'), &n))
        return fail("the number is past 2^63");
    result = add({Op::Number, n, 0, 0});
    return true;
  }

  bool parseName(uint32_t &result) {
    size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    std::string name(text_.substr(begin, at_ - begin));
    if (take("(")) {
      Op op = name == "min" ? Op::Min : name == "max" ? Op::Max : name == "cdiv" ? Op::CDiv : Op::Name;
      if (op == Op::Name)
        return fail("unknown function '" + name + "'");
      uint32_t a, b;
      if (!parseLevel(0, a) || !(take(",") || fail("expected ','")) || !parseLevel(0, b) ||
          !(take(")") || fail("expected ')'")))
        return false;
      result = add({op, 0, a, b});
      return true;
    }
    auto known = std::find(out_.names_.begin(), out_.names_.end(), name);
    int64_t index = known - out_.names_.begin();
    if (known == out_.names_.end())
      out_.names_.push_back(name);
    result = add({Op::Name, index, 0, 0});
    return true;
  }

  uint32_t add(Node n) {
    out_.nodes_.push_back(n);
    return static_cast<uint32_t>(out_.nodes_.size() - 1);
  }

  void skipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n'))
      ++at_;
  }

  /// Takes `token`, unless `not_` follows.
  bool take(std::string_view token, std::string_view not_ = {}) {
    skipSpace();
    std::string_view rest = text_.substr(at_);
    if (!rest.starts_with(token) || (!not_.empty() && rest.substr(token.size()).starts_with(not_)))
      return false;
    at_ += token.size();
    return true;
  }

  bool fail(const std::string &message) {
    if (error_.empty())
      error_ = message + " at column " + std::to_string(at_ + 1) + " of '" + std::string(text_) + "'";
    return false;
  }

  std::string_view text_;
  Formula &out_;
  std::string &error_;
  size_t at_ = 0;
  unsigned depth_ = 0;
};

std::optional<Formula> Formula::parse(std::string_view text, std::string &error) {
  Formula f;
  error.clear();
  if (!Parser(text, f, error).run())
    return std::nullopt;
  return f;
}

//===-- nodes to a number --===//

struct Formula::Evaluator {
  const Formula &f;
  const Lookup &lookup;

  std::optional<Wide> operator()(uint32_t index) const {
    const Node &n = f.nodes_[index];
    if (n.op == Op::Number)
      return n.number;
    if (n.op == Op::Name) {
      auto v = lookup(f.names_[static_cast<size_t>(n.number)]);
      return v ? std::optional<Wide>(*v) : std::nullopt;
    }
    auto left = (*this)(n.a);
    if (!left)
      return std::nullopt;
    Wide x = *left;
    if (n.op == Op::Neg)
      return -x;
    if (n.op == Op::Not)
      return x == 0;
    if ((n.op == Op::And && x == 0) || (n.op == Op::Or && x != 0))
      return n.op == Op::Or;
    auto right = (*this)(n.b);
    return right ? binary(n.op, x, *right) : std::nullopt;
  }

  static std::optional<Wide> binary(Op op, Wide x, Wide y) {
    if ((op == Op::Div || op == Op::Rem || op == Op::CDiv) && y == 0)
      return std::nullopt;
    switch (op) {
    case Op::Add:
      return stop(x + y);
    case Op::Sub:
      return stop(x - y);
    case Op::Mul:
      return multiply(x, y);
    case Op::Div:
      return x / y;
    case Op::Rem:
      return x % y;
    case Op::CDiv:
      return x / y + (x % y != 0 && (x < 0) == (y < 0));
    case Op::Eq:
      return x == y;
    case Op::Ne:
      return x != y;
    case Op::Lt:
      return x < y;
    case Op::Le:
      return x <= y;
    case Op::Gt:
      return x > y;
    case Op::Ge:
      return x >= y;
    case Op::Min:
      return std::min(x, y);
    case Op::Max:
      return std::max(x, y);
    default: // And, Or: the left side did not decide
      return y != 0;
    }
  }
};

std::optional<int64_t> Formula::evaluate(const Lookup &lookup) const {
  auto v = Evaluator{*this, lookup}(static_cast<uint32_t>(nodes_.size() - 1));
  if (!v)
    return std::nullopt;
  return static_cast<int64_t>(std::clamp<Wide>(*v, INT64_MIN, INT64_MAX));
}

} // namespace phobos::legality
