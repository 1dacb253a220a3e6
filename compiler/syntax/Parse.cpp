// Runs ANTLR's lexer, the layout, ANTLR's parser and the AST builder. Exceptions of ANTLR stay in here.
#include "compiler/syntax/Parse.h"
#include "PhobosLexer.h"
#include "compiler/syntax/AstBuilder.h"
#include "compiler/syntax/Layout.h"
#include "compiler/syntax/Recovery.h"

namespace phobos::syntax {

namespace {

constexpr size_t kMaxTokens = size_t(1)
                              << 19; ///< what keeps the parse tree of a hostile text near half a gigabyte

/// The bytes of a text as ANTLR's characters, so that its offsets are ours and no encoding can be wrong.
class ByteStream final : public antlr4::CharStream {
public:
  explicit ByteStream(std::string_view text) : text_(text) {}
  void consume() override { ++at_; }
  size_t LA(ssize_t i) override {
    if (i == 0)
      return 0;
    size_t at = i > 0 ? at_ + static_cast<size_t>(i) - 1 : at_ - static_cast<size_t>(-i);
    return at < text_.size() ? static_cast<unsigned char>(text_[at]) : antlr4::IntStream::EOF;
  }
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  size_t index() override { return at_; }
  void seek(size_t index) override { at_ = std::min(index, text_.size()); }
  size_t size() override { return text_.size(); }
  std::string getSourceName() const override { return "text"; }
  std::string getText(const antlr4::misc::Interval &i) override {
    auto from = static_cast<size_t>(i.a), to = std::min(static_cast<size_t>(i.b) + 1, text_.size());
    return from < to ? std::string(text_.substr(from, to - from)) : std::string();
  }
  std::string toString() const override { return std::string(text_); }

private:
  std::string_view text_;
  size_t at_ = 0;
};

/// Hands the laid-out tokens to the parser, then end-of-file for ever.
class LaidOutSource final : public antlr4::TokenSource {
public:
  LaidOutSource(std::vector<LaidOut> tokens, ByteStream &text) : tokens_(std::move(tokens)), text_(text) {}
  std::unique_ptr<antlr4::Token> nextToken() override {
    auto end = static_cast<uint32_t>(text_.size());
    LaidOut t = next_ < tokens_.size() ? tokens_[next_++]
                                       : LaidOut{LaidOut::Role::Word, uint32_t(antlr4::Token::EOF), end, end};
    size_t type = t.role == LaidOut::Role::Terminator      ? size_t(PhobosParser::TERMINATOR)
                  : t.role == LaidOut::Role::Generic       ? size_t(PhobosParser::GENERIC)
                  : t.type == uint32_t(antlr4::Token::EOF) ? antlr4::Token::EOF
                                                           : size_t(t.type);
    return std::make_unique<antlr4::CommonToken>(
        std::pair<antlr4::TokenSource *, antlr4::CharStream *>(this, &text_), type,
        antlr4::Token::DEFAULT_CHANNEL, t.begin, size_t(t.end) - 1);
  }
  size_t getLine() const override { return 0; }
  size_t getCharPositionInLine() override { return 0; }
  antlr4::CharStream *getInputStream() override { return &text_; }
  std::string getSourceName() override { return "text"; }
  antlr4::TokenFactory<antlr4::CommonToken> *getTokenFactory() override {
    return antlr4::CommonTokenFactory::DEFAULT.get();
  }

private:
  std::vector<LaidOut> tokens_;
  ByteStream &text_;
  size_t next_ = 0;
};

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

struct Lexed {
  std::vector<Word> words;
  std::vector<uint32_t>
      errors;               ///< where words could not be read: the parser keeps quiet about their statements
  bool complete = true;     ///< false past a limit
  bool openComment = false; ///< the rest of the text is in one that is never closed
};

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
      if (t->getType() == antlr4::Token::EOF)
        return std::move(out_);
      auto begin = static_cast<uint32_t>(t->getStartIndex()),
           end = static_cast<uint32_t>(t->getStopIndex() + 1);
      size_t type = t->getType();
      switch (type) {
      case PhobosLexer::NEWLINE:
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
        out_.openComment = true;
        if (wordsBeforeNested_ < out_.words.size())
          out_.words.resize(wordsBeforeNested_);
        return std::move(out_);
      case PhobosLexer::BAD_CHARACTER:
        error(diag::UnexpectedCharacter, begin, begin + sequenceLength(text_, begin));
        break;
      case PhobosLexer::OPEN_STRING:
        error(diag::MalformedString, begin, end);
        break;
      case PhobosLexer::BAD_NUMBER:
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
  /// One a line: what follows on it is likely noise of the same mistake.
  void error(diag id, uint32_t begin, uint32_t end) {
    if (lineHasError_)
      return;
    lineHasError_ = true;
    out_.errors.push_back(begin);
    std::string_view spelled = text_.substr(begin, end - begin);
    auto report =
        diags_.report(id, {begin, end, file_},
                      id == diag::UnexpectedCharacter ? shown(spelled) : std::string(spelled.substr(0, 40)));
    if (spelled == "#")
      report.help("a comment begins with //");
    else if (spelled == "?")
      report.help("write 'a if c else b'");
    else if (id == diag::MalformedNumber && (spelled.ends_with(".0f") || spelled.ends_with(".0F")))
      report.help("a literal takes the type of what it meets: '" +
                  std::string(spelled.substr(0, spelled.size() - 1)) + "'");
    else if (id == diag::MalformedNumber && spelled.back() == '.')
      report.help("a float has a digit on both sides of the point: '" + std::string(spelled.substr(0, 40)) +
                  "0'");
    else if (id == diag::MalformedNumber && spelled.front() == '.')
      report.help("a float has a digit on both sides of the point: '0" + std::string(spelled.substr(0, 40)) +
                  "'");
  }

  std::string_view text_;
  uint32_t file_;
  Diagnostics &diags_;
  Lexed out_;
  bool lineHasError_ = false;
  /// Before the first comment that holds another's opening: if the text ends in an open comment, what follows
  /// was meant to be inside one.
  size_t wordsBeforeNested_ = ~size_t(0);
};

/// Everything up to the parse tree; `use` gets the parser at its start.
template <typename Use>
void parseWith(const SourceManager &sources, uint32_t index, bool single, Diagnostics &diags, Use use) {
  std::string_view text = sources.file(index).text();
  if (text.size() > kMaxTextBytes) {
    diags.report(diag::TextTooLong, {0, 0, index}, text.size(), kMaxTextBytes);
    return;
  }
  ByteStream stream(text);
  Lexed lexed = LexerRun(text, index, diags).run(stream);
  if (!lexed.complete)
    return;
  bool tooDeep = false;
  std::vector<LaidOut> tokens =
      layOut(lexed.words, index, static_cast<uint32_t>(text.size()), single, diags, tooDeep);
  if (tooDeep)
    return; // what could be parsed would end in errors of our own making
  LaidOutSource source(std::move(tokens), stream);
  antlr4::CommonTokenStream tokenStream(&source);
  PhobosParser parser(&tokenStream);
  parser.removeErrorListeners();
  parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
      antlr4::atn::PredictionMode::SLL);
  parser.setErrorHandler(std::make_shared<Recovery>(TextPlace{text, index}, std::move(lexed.errors), diags));
  use(parser, TextPlace{text, index});
}

} // namespace

std::unique_ptr<ast::File> parse(const SourceManager &sources, uint32_t index, Diagnostics &diags) {
  auto file = std::make_unique<ast::File>();
  Diagnostics own; // the lexer's come before the parser's: put into the order of the text at the end
  parseWith(sources, index, false, own, [&](PhobosParser &parser, TextPlace place) {
    AstBuilder(place, *file, own).file(parser.file());
  });
  own.sortByPlace();
  diags.append(own);
  return file;
}

ast::ExprP parseExpression(const SourceManager &sources, uint32_t index, ast::File &owner,
                           Diagnostics &diags) {
  ast::ExprP result = nullptr;
  unsigned before = diags.errorCount();
  parseWith(sources, index, true, diags, [&](PhobosParser &parser, TextPlace place) {
    PhobosParser::ExpressionFileContext *tree = parser.expressionFile();
    if (diags.errorCount() == before && !tree->exception)
      result = AstBuilder(place, owner, diags).expr(tree->expr());
  });
  return diags.errorCount() == before ? result : nullptr;
}

} // namespace phobos::syntax
