// What the parser does at an error: one message, then on at the next statement or declaration.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "compiler/syntax/AstBuilder.h"

namespace phobos::syntax {

/// An error leaves every rule up to the one that can go on: a line of a block, an attribute, a declaration,
/// the file. Nothing is inserted or deleted to mend the text: what is parsed after an error is what stands
/// there.
class Recovery final : public antlr4::DefaultErrorStrategy {
public:
  /// `lexerErrors`: offsets that have been complained about; a statement that holds one gets no second
  /// message.
  Recovery(TextPlace place, std::vector<uint32_t> lexerErrors, Diagnostics &diags)
      : place_(place), lexerErrors_(std::move(lexerErrors)), diags_(diags) {}

  void reportError(antlr4::Parser *parser, const antlr4::RecognitionException &e) override;
  void recover(antlr4::Parser *parser, std::exception_ptr e) override;
  antlr4::Token *recoverInline(antlr4::Parser *parser) override;
  void sync(antlr4::Parser *parser) override;

private:
  void report(antlr4::Parser *parser, antlr4::Token *found, const std::string &expected);
  std::string expectedText(antlr4::Parser *parser, antlr4::Token *found) const;
  std::string foundText(antlr4::Token *t) const;
  bool isBeforeComment(antlr4::Token *t) const;
  SourceRange range(antlr4::Token *t) const;
  void skipLine(antlr4::Parser *parser, size_t from);
  void skipToDeclaration(antlr4::Parser *parser);
  /// The bracket that is still open where the parser stands, counted from token `from`.
  antlr4::Token *openBracket(antlr4::Parser *parser, size_t from) const;

  TextPlace place_;
  std::vector<uint32_t> lexerErrors_;
  Diagnostics &diags_;
};

} // namespace phobos::syntax
