#include "compiler/syntax/Words.h"
#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace phobos::syntax {

namespace {

constexpr size_t kMaxTokens = size_t(1)
                              << 19; ///< what keeps the parse tree of a hostile text near half a gigabyte

/// A character as a message shows it: itself if it is printable UTF-8, else its bytes in hexadecimal.
std::string shown(std::string_view c) {
  auto first = static_cast<unsigned char>(c[0]);
  if (c.size() > 1 || (first >= 0x20 && first < 0x7f))
    return std::string(c);
  static const char *digits = "0123456789abcdef";
  return std::string("\\x") + digits[first >> 4] + digits[first & 15];
}

/// The length of the UTF-8 sequence at `at`, 1 if it is not one.
uint32_t sequenceLength(std::string_view text, uint32_t at) {
  auto first = static_cast<unsigned char>(text[at]);
  uint32_t n = first >= 0xF0 && first < 0xF5 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1;
  if (first >= 0xF5 || at + n > text.size())
    return 1;
  for (uint32_t i = 1; i < n; ++i)
    if ((static_cast<unsigned char>(text[at + i]) & 0xC0) != 0x80)
      return 1;
  return n;
}

bool isAsciiLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// A letter outside of ASCII, as people write them in names: Latin, Greek, Cyrillic, the scripts of Asia,
/// subscripts.
bool isForeignLetter(std::string_view text, uint32_t at) {
  uint32_t length = sequenceLength(text, at);
  if (length < 2)
    return false;
  uint32_t c = static_cast<unsigned char>(text[at]) & (0x7Fu >> length);
  for (uint32_t i = 1; i < length; ++i)
    c = (c << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3Fu);
  auto in = [c](uint32_t from, uint32_t to) { return c >= from && c <= to; };
  return (in(0xC0, 0x24F) && c != 0xD7 && c != 0xF7) || c == 0xB5 || in(0x370, 0x1FFF) ||
         in(0x2080, 0x209C) || in(0x3041, 0x9FFF) || in(0xAC00, 0xD7A3);
}

/// What a character is in ASCII; null where nothing stands for it.
const char *inAscii(std::string_view c) {
  static constexpr std::pair<std::string_view, const char *> kCharacters[] = {
      {"≤", "<="}, {"≥", ">="}, {"≠", "!="}, {"×", "*"},  {"·", "*"},  {"÷", "/"},
      {"−", "-"},  {"–", "-"},  {"，", ","}, {"（", "("}, {"）", ")"}, {"：", ":"}};
  for (auto [from, to] : kCharacters)
    if (from == c)
      return to;
  return nullptr;
}

constexpr const char *kStrings = "strings stand only in attributes, in double quotes";

std::string hashHelp(std::string_view rest) {
  if (rest.starts_with("include"))
    return "there is nothing to include: built-ins and the standard library are there";
  if (rest.starts_with("define"))
    return "a constant is declared with 'let', or by '@autotune(..)' before the kernel";
  if (rest.starts_with("pragma unroll"))
    return "write 'for<unroll 4> i in range(..) { .. }'";
  return "a comment begins with //";
}

std::string helpFor(diag id, std::string_view spelled) {
  std::string text(spelled.substr(0, 40));
  if (spelled == "?")
    return "write 'a if c else b'";
  if (spelled == "\\")
    return "a statement goes on in the next line after an operator, and inside brackets";
  if (spelled == "“" || spelled == "”")
    return kStrings;
  if (const char *ascii = inAscii(spelled))
    return std::string("write '") + ascii + "'";
  if (id != diag::MalformedNumber)
    return "";
  if (spelled.ends_with(".0f") || spelled.ends_with(".0F"))
    return "a literal takes the type of what it meets: '" +
           std::string(spelled.substr(0, spelled.size() - 1)) + "'";
  if (spelled.back() == '.')
    return "a float has a digit on both sides of the point: '" + text + "0'";
  if (spelled.front() == '.')
    return "a float has a digit on both sides of the point: '0" + text + "'";
  return "";
}

Word::Kind kindOf(size_t type) {
  switch (type) {
  case PhobosLexer::IDENT:
    return Word::Kind::Name;
  case PhobosLexer::INT:
  case PhobosLexer::FLOAT:
  case PhobosLexer::STRING:
  case PhobosLexer::TRUE:
  case PhobosLexer::FALSE:
    return Word::Kind::Literal;
  default:
    return Word::Kind::Other;
  }
}

class LexerRun {
public:
  LexerRun(std::string_view text, uint32_t file, Diagnostics &diags)
      : text_(text), file_(file), diags_(diags) {}

  Lexed run(ByteStream &stream) {
    PhobosLexer lexer(&stream);
    lexer.removeErrorListeners();
    if (text_.starts_with("\xEF\xBB\xBF"))
      stream.seek(3);
    bool newline = false;
    for (;;) {
      std::unique_ptr<antlr4::Token> t = lexer.nextToken();
      if (t->getType() == antlr4::Token::EOF) {
        commentAfter(static_cast<uint32_t>(text_.size()), newline);
        return std::move(out_);
      }
      auto begin = static_cast<uint32_t>(t->getStartIndex()),
           end = static_cast<uint32_t>(t->getStopIndex() + 1);
      size_t type = t->getType();
      switch (type) {
      case PhobosLexer::NEWLINE:
        commentAfter(begin, newline);
        newline = true;
        lineHasError_ = false;
        break;
      case PhobosLexer::BLOCK_COMMENT:
        newline |= text_.substr(begin, end - begin).find('\n') != std::string_view::npos;
        if (out_.words.size() < wordsBeforeNested_ &&
            text_.substr(begin + 1, end - begin - 1).find("/*") != std::string_view::npos)
          wordsBeforeNested_ = out_.words.size();
        break;
      case PhobosLexer::OPEN_COMMENT:
        lineHasError_ = false;
        error(diag::UnterminatedComment, begin, end);
        if (wordsBeforeNested_ < out_.words.size())
          out_.words.resize(wordsBeforeNested_);
        return std::move(out_);
      case PhobosLexer::BAD_CHARACTER:
        stream.seek(isForeignLetter(text_, begin) ? foreignName(begin, newline)
                                                  : badCharacter(begin, newline));
        newline = false;
        break;
      case PhobosLexer::OPEN_STRING:
        error(diag::MalformedString, begin, end);
        break;
      case PhobosLexer::BAD_NUMBER:
        if (text_.substr(end - 1, 2) == "..")
          error(diag::MalformedNumber, begin, end, std::string(text_.substr(begin, end - begin)),
                "write 'range(lo, hi)'");
        else
          error(diag::MalformedNumber, begin, end);
        type = PhobosLexer::FLOAT; // to the parser it is a number all the same
        [[fallthrough]];
      default:
        if (out_.words.size() == kMaxTokens) {
          diags_.report(diag::TooManyTokens, {begin, end, file_}, kMaxTokens);
          out_.complete = false;
          return std::move(out_);
        }
        out_.words.push_back(
            {text_.substr(begin, end - begin), begin, end, uint32_t(type), kindOf(type), newline});
        newline = false;
      }
    }
  }

private:
  /// `n // 2` divides in Python. Told where a statement that is whole ends in an operand, and the comment
  /// right after it holds nothing but a number, or a name in capitals that the text has used before. Where it
  /// is not whole, as in `f(n // 2)`, the parser's error tells it.
  void commentAfter(uint32_t lineEnd, bool isEmptyLine) {
    if (isEmptyLine || out_.words.empty())
      return;
    const Word &operand = out_.words.back();
    std::string_view rest = text_.substr(operand.end, lineEnd - operand.end);
    const size_t slashes = rest.find_first_not_of(' ');
    if (slashes == std::string_view::npos || slashes > 1 || !rest.substr(slashes).starts_with("//") ||
        !(operand.kind == Word::Kind::Name || operand.type == PhobosLexer::INT || operand.text == ")" ||
          operand.text == "]"))
      return;
    rest.remove_prefix(slashes + 2);
    const size_t first = rest.find_first_not_of(' '), last = rest.find_last_not_of(" \t\r");
    if (first == std::string_view::npos || first > 1 || last == std::string_view::npos || last < first ||
        !isWholeStatement())
      return;
    const std::string_view divisor = rest.substr(first, last + 1 - first);
    const bool isNumber = divisor.find_first_not_of("0123456789") == std::string_view::npos;
    if (!isNumber &&
        (!isInCapitals(divisor) || std::none_of(out_.words.begin(), out_.words.end(),
                                                [&](const Word &w) { return w.text == divisor; })))
      return;
    const auto at = operand.end + static_cast<uint32_t>(slashes);
    diags_.report(diag::CommentedOperand, {at, at + 2, file_}, divisor)
        .help(
            "integers are divided by '/'; what is meant as a comment is told from a division by a word more");
  }

  /// Whether the last line assigns or returns, and leaves no bracket open.
  bool isWholeStatement() const {
    int depth = 0;
    bool hasValue = false;
    for (size_t i = out_.words.size(); i-- > 0 && depth >= 0;) {
      const Word &w = out_.words[i];
      hasValue |= depth == 0 && (w.text.ends_with("=") || w.text == "return");
      depth += w.text == ")" || w.text == "]" ? 1 : w.text == "(" || w.text == "[" ? -1 : 0;
      if (w.newlineBefore)
        return hasValue && depth == 0 && w.text != "if" && w.text != "while" && w.text != "}";
    }
    return hasValue && depth == 0;
  }

  static bool isInCapitals(std::string_view name) {
    return name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string_view::npos &&
           isAsciiLetter(name.front());
  }

  /// One a line: what follows on it is likely noise of the same mistake.
  void error(diag id, uint32_t begin, uint32_t end) {
    std::string_view spelled = text_.substr(begin, end - begin);
    error(id, begin, end,
          id == diag::UnexpectedCharacter ? shown(spelled) : std::string(spelled.substr(0, 40)),
          helpFor(id, spelled));
  }
  void error(diag id, uint32_t begin, uint32_t end, const std::string &argument, const std::string &help) {
    if (lineHasError_)
      return;
    lineHasError_ = true;
    out_.errors.push_back(begin);
    auto report = diags_.report(id, {begin, end, file_}, argument);
    if (!help.empty())
      report.help(help);
  }

  void add(uint32_t begin, uint32_t end, size_t type, Word::Kind kind, bool newline) {
    if (out_.words.size() < kMaxTokens)
      out_.words.push_back({text_.substr(begin, end - begin), begin, end, uint32_t(type), kind, newline});
  }

  /// A name with letters outside of ASCII is one word, whose error is told once. Where it ends.
  uint32_t foreignName(uint32_t letter, bool newline) {
    uint32_t begin = letter, end = letter;
    if (!out_.words.empty() && out_.words.back().end == letter && !newline &&
        (isAsciiLetter(text_[out_.words.back().begin]) || isForeignLetter(text_, out_.words.back().begin))) {
      begin = out_.words.back().begin;
      newline = out_.words.back().newlineBefore;
      out_.words.pop_back();
    }
    while (end < text_.size() && (isWordCharacter(text_[end]) || isForeignLetter(text_, end)))
      end += sequenceLength(text_, end);
    std::string_view name = text_.substr(begin, end - begin);
    if (!lineHasError_ && foreignNames_.insert(name).second) {
      uint32_t length = sequenceLength(text_, letter);
      error(diag::UnexpectedCharacter, letter, letter + length, std::string(text_.substr(letter, length)),
            "names are ASCII: letters, digits and '_'");
    }
    add(begin, end, PhobosLexer::IDENT, Word::Kind::Name, newline);
    return end;
  }

  /// Reports what stands at `at` and gives the parser a word that no rule has, so that its statement is known
  /// to be broken. Where reading goes on.
  uint32_t badCharacter(uint32_t at, bool newline) {
    auto lineEnd = static_cast<uint32_t>(std::min(text_.find('\n', at), text_.size()));
    uint32_t end = at + sequenceLength(text_, at);
    if (text_[at] == '#') { // Python's comment
      error(diag::UnexpectedCharacter, at, end, "#", hashHelp(text_.substr(at + 1, lineEnd - at - 1)));
      return lineEnd;
    }
    if (text_[at] == '\'') { // a string of Python, a character of C
      auto close = static_cast<uint32_t>(std::min(text_.find('\'', at + 1), size_t(lineEnd)));
      std::string_view inside = text_.substr(at + 1, close - at - 1);
      end = std::min(close + 1, lineEnd);
      error(diag::UnexpectedCharacter, at, end, "'",
            inside == "inf" || inside == "-inf" || inside == "nan" ? "write " + std::string(inside)
                                                                   : kStrings);
    } else {
      error(diag::UnexpectedCharacter, at, end);
    }
    add(at, end, PhobosLexer::BAD_CHARACTER, Word::Kind::Other, newline);
    return end;
  }

  std::string_view text_;
  uint32_t file_;
  Diagnostics &diags_;
  Lexed out_;
  bool lineHasError_ = false;
  std::set<std::string_view> foreignNames_; ///< that were complained about
  /// Before the first comment that holds another's opening: if the text ends in an open comment, what follows
  /// was meant to be inside one.
  size_t wordsBeforeNested_ = ~size_t(0);
};

} // namespace

Lexed readWords(ByteStream &stream, std::string_view text, uint32_t file, Diagnostics &diags) {
  return LexerRun(text, file, diags).run(stream);
}

} // namespace phobos::syntax
