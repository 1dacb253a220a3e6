// What the signature of a function says by itself, before any call.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "compiler/syntax/Ast.h"

namespace phobos::sema {

/// Type variables of functions are single capital letters.
bool isTypeVariable(const std::string &name);
/// `bool`, `i8`, ..: what a misspelt type may have meant.
std::vector<std::string> scalarTypeNames();
/// What to say of a name that is no type: the one that it was meant to be, or those of its kind.
std::string unknownTypeHelp(const std::string &name);
/// Unknown types and impossible ranks; false if any was reported.
bool checkSignature(const ast::Function &f, Diagnostics &diags);

} // namespace phobos::sema
