// From the lexer's words to what the grammar reads: newlines become terminators or vanish.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Source.h"
#include <string_view>
#include <vector>

namespace phobos::syntax {

/// Levels of brackets, blocks and else-ifs.
inline constexpr unsigned kMaxNesting = 256;
/// Operators on the way from a statement's root to a leaf: later phases walk the tree recursively.
inline constexpr unsigned kMaxOperators = 1000;

/// One word of the text as the lexer found it, newlines and comments left out.
struct Word {
  enum class Kind : uint8_t { Name, Literal, Other };
  std::string_view text;
  uint32_t begin = 0, end = 0;
  uint32_t type = 0; ///< of the grammar
  Kind kind = Kind::Other;
  bool newlineBefore = false;
};

/// One token for the parser.
struct LaidOut {
  enum class Role : uint8_t { Word, Terminator, Generic };
  Role role = Role::Word;
  uint32_t type = 0; ///< of a Word
  uint32_t begin = 0, end = 0;
};

/// Drops newlines inside `( )` and `[ ]`, after tokens that cannot end a statement and outside of blocks;
/// puts a terminator for the others, for `;` and before each `}`. A bracket that is left open does not
/// swallow the rest of the file: a word that can only begin a statement ends it. A comma before a closing
/// bracket is dropped. The `<` of `name<T>(` is told apart from a comparison. Reports `else` on a line of its
/// own and what is nested too deep; then the result is cut there and `tooDeep` is set. In a `single`
/// expression no newline counts.
std::vector<LaidOut> layOut(const std::vector<Word> &words, uint32_t file, uint32_t textEnd, bool single,
                            Diagnostics &diags, bool &tooDeep);

} // namespace phobos::syntax
