// Runs the lexer, the layout, ANTLR's parser and the AST builder. Exceptions of ANTLR stay in here.
#include "compiler/syntax/Parse.h"
#include "compiler/syntax/AstBuilder.h"
#include "compiler/syntax/Layout.h"
#include "compiler/syntax/Recovery.h"
#include "compiler/syntax/Words.h"
#include <algorithm>

namespace phobos::syntax {

namespace {

/// What else the bytes are than a text, and what makes one of them. Empty: they may be one, if with a wrong
/// character.
struct OtherThanText {
  const char *what = "", *help = "";
};
OtherThanText otherThanText(std::string_view bytes) {
  constexpr size_t looked = 4096, few = 8, oneIn = 32; // a stray control is an unexpected character
  bytes = bytes.substr(0, looked);
  size_t zeros[2] = {}; // at even and at odd places: of ASCII in UTF-16 all at one of them
  for (size_t i = 0; i < bytes.size(); ++i)
    zeros[i % 2] += bytes[i] == '\0';
  const auto [fewer, more] = std::minmax(zeros[0], zeros[1]);
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF") ||
      (more > few && fewer * oneIn < more && more * 5 > bytes.size() * 2))
    return {"UTF-16", "convert it: iconv -f UTF-16 -t UTF-8 OLD > NEW"};
  const auto controls = static_cast<size_t>(std::count_if(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' &&
           std::string_view("\t\n\v\f\r").find(c) == std::string_view::npos;
  }));
  return controls > few && controls * oneIn > bytes.size() ? OtherThanText{"binary data", ""}
                                                           : OtherThanText{};
}

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

/// Everything up to the parse tree; `use` gets the parser at its start.
template <typename Use>
void parseWith(const SourceManager &sources, uint32_t index, bool single, Diagnostics &diags, Use use) {
  std::string_view text = sources.file(index).text();
  if (text.size() > kMaxTextBytes) {
    diags.report(diag::TextTooLong, {0, 0, index}, text.size(), kMaxTextBytes);
    return;
  }
  if (const OtherThanText other = otherThanText(text); *other.what) {
    auto report = diags.report(diag::NotText, {0, 0, index}, other.what);
    if (*other.help)
      report.help(other.help);
    return;
  }
  ByteStream stream(text);
  Lexed lexed = readWords(stream, text, index, diags);
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
