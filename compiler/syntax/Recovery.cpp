#include "compiler/syntax/Recovery.h"
#include "compiler/syntax/OtherLanguages.h"
#include <algorithm>

namespace phobos::syntax {

using P = PhobosParser;

namespace {

/// What stands before a body: after an error in it the body is read all the same.
bool isSignature(size_t rule) { return rule == P::RuleParam || rule == P::RuleHead || rule == P::RuleResult; }

/// The rule that goes on after an error inside it.
bool goesOn(size_t rule) {
  return rule == P::RuleLine || rule == P::RuleAttribute || rule == P::RuleDeclaration ||
         rule == P::RuleFile || rule == P::RuleExpressionFile || isSignature(rule);
}

antlr4::ParserRuleContext *goingOn(antlr4::Parser *parser) {
  antlr4::RuleContext *c = parser->getContext();
  while (c && (!goesOn(c->getRuleIndex()) || c->getRuleIndex() == P::RuleParam)) // its bracket opens outside
    c = dynamic_cast<antlr4::RuleContext *>(c->parent);
  return dynamic_cast<antlr4::ParserRuleContext *>(c);
}

/// At a declaration: `@name`, or the last of a run of `kernel` and `fn`, so that a run of any of them is one
/// error.
bool isAtDeclaration(antlr4::TokenStream &tokens) {
  size_t type = tokens.LA(1), next = tokens.LA(2);
  if (type == P::AT)
    return next == P::IDENT && tokens.LT(2)->getStartIndex() == tokens.LT(1)->getStopIndex() + 1;
  return (type == P::KERNEL || type == P::FN) && next != P::KERNEL && next != P::FN &&
         next != antlr4::Token::EOF;
}

/// How many tokens stand before the `{` of the declaration that is being read, the result's `->` first where
/// `orResult`; nothing where another declaration or the end comes before it.
std::optional<size_t> distanceToBody(antlr4::TokenStream &tokens, bool orResult) {
  for (size_t n = 0;; ++n) {
    size_t type = tokens.LA(static_cast<ssize_t>(n + 1));
    if (type == P::LBRACE || (orResult && type == P::ARROW))
      return n;
    if (type == antlr4::Token::EOF || type == P::RBRACE || type == P::KERNEL || type == P::FN ||
        type == P::AT)
      return std::nullopt;
  }
}

/// How many tokens stand before the `,` or `)` that ends a parameter; nothing where none does.
std::optional<size_t> distanceToNextParameter(antlr4::TokenStream &tokens) {
  int depth = 0;
  for (size_t n = 0;; ++n) {
    switch (tokens.LA(static_cast<ssize_t>(n + 1))) {
    case P::COMMA:
    case P::RPAREN:
      if (depth == 0)
        return n;
      break;
    case P::LBRACKET:
      ++depth;
      break;
    case P::RBRACKET:
      --depth;
      break;
    case P::LPAREN:
    case P::LBRACE:
    case P::RBRACE:
    case P::KERNEL:
    case P::FN:
    case P::AT:
    case antlr4::Token::EOF:
      return std::nullopt;
    default:
      break;
    }
  }
}

/// Where reading goes on after an error in a parameter, or in what stands before a body.
std::optional<size_t> distanceToGoOn(antlr4::TokenStream &tokens, size_t rule) {
  return rule == P::RuleParam ? distanceToNextParameter(tokens) : distanceToBody(tokens, rule == P::RuleHead);
}

bool isKeyword(size_t type) { return type >= P::KERNEL && type <= P::FALSE; }

} // namespace

SourceRange Recovery::range(antlr4::Token *t) const {
  auto begin = static_cast<uint32_t>(t->getStartIndex()), end = static_cast<uint32_t>(t->getStopIndex() + 1);
  if (t->getType() == P::TERMINATOR && end > begin && place_.text[begin] != ';')
    end = begin; // the end of the line, not the comment and the spaces after it
  return {begin, std::max(begin, end), place_.file};
}

/// At the end of a line that a `//` cut off, as Python's division in brackets does.
bool Recovery::isBeforeComment(antlr4::Token *t) const {
  if (t->getType() != P::TERMINATOR && t->getType() != antlr4::Token::EOF)
    return false;
  std::string_view rest = place_.text.substr(range(t).begin);
  size_t at = rest.find_first_not_of(" \t");
  rest = rest.substr(0, rest.find('\n'));
  return at < rest.size() && rest.substr(at).starts_with("//") &&
         rest.find_first_of(")]") != std::string_view::npos; // the bracket that is missed is in the comment
}

std::string Recovery::foundText(antlr4::Token *t) const {
  if (t->getType() == antlr4::Token::EOF)
    return "the end of the text";
  SourceRange r = range(t);
  std::string spelled(place_.text.substr(r.begin, std::min<size_t>(r.end - r.begin, 40)));
  if (t->getType() == P::TERMINATOR)
    return spelled == ";"                                 ? "';'"
           : place_.text.substr(r.begin).starts_with("}") ? "'}'"
                                                          : "the end of the line";
  if (isKeyword(t->getType()))
    return "the keyword '" + spelled + "'";
  return t->getType() == P::STRING ? "a string" : "'" + spelled + "'";
}

/// A short name for the tokens that may come: all the ways to begin an operand are "an expression".
std::string Recovery::expectedText(antlr4::Parser *parser, antlr4::Token *found) const {
  antlr4::misc::IntervalSet set = parser->getATN().nextTokens(parser->getATN().states[parser->getState()]);
  auto has = [&](size_t type) { return set.contains(type); };
  size_t rule = parser->getContext()->getRuleIndex();
  if (has(P::TERMINATOR))
    return "the end of the statement";
  if (has(P::INT))
    return rule == P::RuleBlock || rule == P::RuleStatement || rule == P::RuleLine ? "a statement"
                                                                                   : "an expression";
  if (has(P::KERNEL))
    return "'kernel', 'fn' or an attribute";
  if (rule == P::RuleBlock && has(P::RBRACE))
    return "'}'";
  bool inList = rule == P::RuleList || rule == P::RuleHead || rule == P::RuleAttribute ||
                rule == P::RuleForStatement || rule == P::RulePostfix ||
                (rule == P::RulePrimary && parser->getContext()->getStart()->getType() == P::IDENT);
  if (has(P::RPAREN))
    return inList ? "',' or ')'" : "')'";
  if (has(P::RBRACKET))
    return inList ? "',' or ']'" : "']'";
  if (has(P::IDENT))
    return "a name";
  std::string text;
  for (size_t type : set.toList()) {
    if (type == antlr4::Token::EPSILON)
      continue;
    text +=
        (text.empty() ? "" : " or ") +
        (type == antlr4::Token::EOF ? "the end of the text" : parser->getVocabulary().getDisplayName(type));
  }
  return text.empty() ? "something else than " + foundText(found) : text;
}

antlr4::Token *Recovery::openBracket(antlr4::Parser *parser, size_t from) const {
  antlr4::TokenStream *tokens = parser->getTokenStream();
  std::vector<antlr4::Token *> open;
  for (size_t i = from; i < tokens->index(); ++i) {
    antlr4::Token *t = tokens->get(i);
    switch (t->getType()) {
    case P::LPAREN:
    case P::LBRACKET:
    case P::LBRACE:
      open.push_back(t);
      break;
    case P::RPAREN:
    case P::RBRACKET:
    case P::RBRACE:
      if (!open.empty())
        open.pop_back();
      break;
    default:
      break;
    }
  }
  return open.empty() ? nullptr : open.back();
}

void Recovery::report(antlr4::Parser *parser, antlr4::Token *found, const std::string &expected) {
  antlr4::ParserRuleContext *place = goingOn(parser);
  size_t from = place && place->getStart() ? place->getStart()->getTokenIndex() : 0;
  size_t bracketsFrom = from;
  if (parser->getContext()->getRuleIndex() == P::RuleBlock) { // between statements
    from = found->getTokenIndex();
    if (parser->getContext()->getStart())
      bracketsFrom = parser->getContext()->getStart()->getTokenIndex();
  }
  // What the lexer dropped before the first token on its line is part of the statement too.
  size_t newline = place_.text.rfind('\n', parser->getTokenStream()->get(from)->getStartIndex());
  auto begin = newline == std::string_view::npos ? 0 : static_cast<uint32_t>(newline);
  auto end = static_cast<uint32_t>(found->getStopIndex() + 1);
  if (std::any_of(lexerErrors_.begin(), lexerErrors_.end(),
                  [&](uint32_t at) { return at >= begin && at <= end; }))
    return;
  // An open comment took the rest of the text with it.
  if (found->getType() == antlr4::Token::EOF &&
      std::any_of(lexerErrors_.begin(), lexerErrors_.end(),
                  [&](uint32_t at) { return place_.text.substr(at, 2) == "/*"; }))
    return;
  // What follows an attribute that could not be read is part of the same mistake.
  if (auto *d = dynamic_cast<P::DeclarationContext *>(parser->getContext()))
    for (P::AttributeContext *a : d->attribute())
      if (a->exception)
        return;
  auto report = diags_.report(diag::UnexpectedToken, range(found), expected, foundText(found));
  bool closing = expected.find("')'") != std::string::npos || expected.find("']'") != std::string::npos ||
                 expected == "'}'";
  if (antlr4::Token *open = closing ? openBracket(parser, bracketsFrom) : nullptr)
    report.note(range(open), "the bracket is opened here");
  if (found->getType() == P::NOT)
    report.help("'!' binds more loosely than comparisons: put parentheses around it");
  else if (closing && isBeforeComment(found))
    report.help("'//' begins a comment: integers divide with '/'");
  else if (std::string help = habitHelp(
               {*parser->getTokenStream(), found, parser->getContext()->getRuleIndex(), from, expected});
           !help.empty())
    report.help(help);
  else if (expected == "a statement" && found->getType() >= P::LOGICAL_AND && found->getType() <= P::XOR)
    report.help("a statement goes on in the next line after an operator, not before one");
}

void Recovery::reportError(antlr4::Parser *parser, const antlr4::RecognitionException &e) {
  if (inErrorRecoveryMode(parser))
    return;
  beginErrorCondition(parser);
  antlr4::Token *found = parser->getCurrentToken();
  if (antlr4::Token *offending = e.getOffendingToken())
    found = offending;
  report(parser, found, expectedText(parser, found));
}

/// Something between a signature and its body is one error, and the body is read.
antlr4::Token *Recovery::recoverInline(antlr4::Parser *parser) {
  antlr4::InputMismatchException mismatch(parser);
  antlr4::ParserRuleContext *c = parser->getContext();
  auto *outer = dynamic_cast<antlr4::RuleContext *>(c->parent);
  bool isBody = c->getRuleIndex() == P::RuleBlock && c->children.empty() && outer &&
                (outer->getRuleIndex() == P::RuleKernel || outer->getRuleIndex() == P::RuleFunction);
  auto distance = isBody ? distanceToBody(*parser->getTokenStream(), false) : std::nullopt;
  if (!distance)
    throw mismatch;
  reportError(parser, mismatch);
  c->exception = std::make_exception_ptr(mismatch);
  for (size_t i = 0; i < *distance; ++i)
    parser->consume();
  endErrorCondition(parser);
  return parser->consume();
}

void Recovery::recover(antlr4::Parser *parser, std::exception_ptr e) {
  antlr4::ParserRuleContext *c = parser->getContext();
  size_t rule = c->getRuleIndex();
  antlr4::TokenStream &tokens = *parser->getTokenStream();
  auto skipped = isSignature(rule) ? distanceToGoOn(tokens, rule) : std::nullopt;
  if (!goesOn(rule) || (isSignature(rule) && !skipped))
    std::rethrow_exception(e);
  if (diags_.isFull())
    while (tokens.LA(1) != antlr4::Token::EOF)
      parser->consume(); // nothing more would be said
  else if (skipped)
    for (size_t i = 0; i < *skipped; ++i)
      parser->consume();
  else if (rule == P::RuleLine)
    skipLine(parser, c->getStart()->getTokenIndex());
  else if (rule != P::RuleExpressionFile)
    skipToDeclaration(parser);
  endErrorCondition(parser);
}

/// To behind the terminator that ends the statement which begins at token `from`, its blocks included, or to
/// what ends the block around it.
void Recovery::skipLine(antlr4::Parser *parser, size_t from) {
  antlr4::TokenStream *tokens = parser->getTokenStream();
  unsigned depth = 0;
  for (size_t i = from; i < tokens->index(); ++i) {
    size_t type = tokens->get(i)->getType();
    depth += type == P::LBRACE;
    depth -= type == P::RBRACE && depth > 0;
  }
  for (;;) {
    size_t type = tokens->LA(1);
    bool isDeclaration = (type == P::KERNEL || type == P::FN) && isAtDeclaration(*tokens);
    if (type == antlr4::Token::EOF || isDeclaration || (type == P::RBRACE && depth == 0))
      return;
    depth += type == P::LBRACE;
    depth -= type == P::RBRACE;
    parser->consume();
    if (type == P::TERMINATOR && depth == 0)
      return;
  }
}

void Recovery::skipToDeclaration(antlr4::Parser *parser) {
  antlr4::TokenStream *tokens = parser->getTokenStream();
  while (tokens->LA(1) != antlr4::Token::EOF && !isAtDeclaration(*tokens))
    parser->consume();
}

/// Before each round of a block's and the file's loop: what cannot begin one is skipped with one message.
void Recovery::sync(antlr4::Parser *parser) {
  size_t rule = parser->getContext()->getRuleIndex();
  if ((rule != P::RuleBlock && rule != P::RuleFile) || inErrorRecoveryMode(parser))
    return;
  antlr4::TokenStream *tokens = parser->getTokenStream();
  for (;;) {
    size_t type = tokens->LA(1);
    bool ends =
        type == antlr4::Token::EOF || isAtDeclaration(*tokens) || (rule == P::RuleBlock && type == P::RBRACE);
    antlr4::misc::IntervalSet set = parser->getATN().nextTokens(parser->getATN().states[parser->getState()]);
    if (ends || set.contains(type))
      return;
    report(parser, parser->getCurrentToken(), expectedText(parser, parser->getCurrentToken()));
    if (rule == P::RuleBlock)
      skipLine(parser, tokens->index());
    else
      skipToDeclaration(parser);
  }
}

} // namespace phobos::syntax
