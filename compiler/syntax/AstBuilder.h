// ANTLR's parse tree to the syntax tree. Internal to the two files that include ANTLR.
#pragma once
#include "compiler/syntax/Ast.h"
#include "compiler/support/Diagnostics.h"
#include "PhobosParser.h"

namespace phobos::syntax {

/// What an AstBuilder needs to know about the text.
struct TextPlace {
  std::string_view text;
  uint32_t file;
};

/// Declarations and statements with a syntax error are left out.
void buildFile(PhobosParser::FileContext *tree, TextPlace place, ast::File &file, Diagnostics &diags);
ast::ExprP buildExpression(PhobosParser::ExprContext *tree, TextPlace place, ast::File &owner, Diagnostics &diags);

} // namespace phobos::syntax
