#include "compiler/syntax/Layout.h"
#include <algorithm>
#include <array>

namespace phobos::syntax {

namespace {

template <size_t N> bool isOneOf(std::string_view text, const std::array<std::string_view, N> &list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// Words that stand nowhere else than at the beginning of a statement or declaration, or behind the last one.
bool beginsStatement(std::string_view t) {
  static constexpr std::array<std::string_view, 8> list = {"let",   "var",      "for",    "while",
                                                           "break", "continue", "return", "}"};
  return isOneOf(t, list);
}

/// Tokens after which a statement goes on in the next line.
bool continuesAfter(std::string_view t) {
  static constexpr std::array<std::string_view, 41> list = {
      "+",  "-",  "*", "/",   "%",   "&",   "|",   "^",  "<<", ">>", "&&",   "||", "==", "!=",
      "<",  "<=", ">", ">=",  "!",   "~",   ",",   "=",  "+=", "-=", "*=",   "/=", "%=", "&=",
      "|=", "^=", "{", "<<=", ">>=", "&&=", "||=", "->", ".",  "in", "else", "(",  "["};
  return isOneOf(t, list);
}

bool isOperator(std::string_view t) {
  static constexpr std::array<std::string_view, 22> list = {
      "+",  "-",  "*",  "/", "%",  "&", "|",  "^", "<<", ">>",   "&&",
      "||", "==", "!=", "<", "<=", ">", ">=", "!", "~",  "else", "."};
  return isOneOf(t, list);
}

bool isParen(char c) { return c == '(' || c == '['; }
char closerOf(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

class Layout {
public:
  Layout(const std::vector<Word> &words, uint32_t file, uint32_t textEnd, bool single, Diagnostics &diags)
      : words_(words), file_(file), textEnd_(textEnd), single_(single), diags_(diags) {
    levels_.push_back({0, 0, 0});
  }

  std::vector<LaidOut> run(bool &tooDeep) {
    for (size_t i = 0; i < words_.size() && !tooDeep_; ++i) {
      const Word &w = words_[i];
      if (i > 0 && w.newlineBefore && !single_)
        newline(words_[i - 1], w, beginsDeclaration(i));
      word(i);
    }
    while (levels_.size() > 1 && isParen(levels_.back().open))
      close();
    if (levels_.size() > 1)
      terminator(textEnd_, textEnd_);
    tooDeep = tooDeep_;
    return std::move(out_);
  }

private:
  struct Level {
    char open;          ///< 0 for the file
    unsigned operators; ///< since the last separator in it
    unsigned elseIfs;   ///< of the chain in it
  };

  bool inParens() const { return isParen(levels_.back().open); }

  /// `kernel`, `fn`, or an attribute: an `@` with a name right behind it.
  bool beginsDeclaration(size_t i) const {
    const Word &w = words_[i];
    return w.text == "kernel" || w.text == "fn" ||
           (w.text == "@" && i + 1 < words_.size() && words_[i + 1].kind == Word::Kind::Name &&
            words_[i + 1].begin == w.end);
  }

  void newline(const Word &before, const Word &w, bool isDeclaration) {
    bool leftOpen = false;
    if (inParens() && (isDeclaration || beginsStatement(w.text) || startsAnotherLine(before, w)))
      for (leftOpen = true; inParens();)
        close();
    if (isDeclaration)
      for (; levels_.size() > 1; close())
        leftOpen = true;
    if (leftOpen) {
      terminator(before.end, w.begin);
      return;
    }
    if (inParens() || levels_.size() == 1 || continuesAfter(before.text))
      return;
    if (before.text == "}" && w.text == "else") {
      diags_.report(diag::ElseOnNextLine, range(w)).help("write '} else' on one line");
      return;
    }
    terminator(before.end, w.begin);
  }

  /// Two operands beside each other in brackets, with a newline between them: the bracket was left open.
  static bool startsAnotherLine(const Word &before, const Word &w) {
    bool ends = before.kind != Word::Kind::Other || before.text == ")" || before.text == "]";
    return ends && w.kind != Word::Kind::Other;
  }

  void word(size_t i) {
    const Word &w = words_[i];
    std::string_view t = w.text;
    std::string_view next = i + 1 < words_.size() ? words_[i + 1].text : std::string_view();
    if (t == ";" && !single_ && !inParens()) {
      if (levels_.size() > 1)
        terminator(w.begin, w.end);
      return;
    }
    if (t == "," && (next == ")" || next == "]") && i > 0 && !continuesAfter(words_[i - 1].text))
      return;
    if (t == "{")
      while (inParens())
        close();
    if (t == ")" || t == "]")
      closeParen(t[0]);
    if (t == "}")
      closeBlock(w);
    LaidOut token{LaidOut::Role::Word, w.type, w.begin, w.end};
    if (t == "<" && isGeneric(i))
      token.role = LaidOut::Role::Generic;
    out_.push_back(token);
    last_ = t;
    count(w, next);
    if (t == "(" || t == "[" || t == "{") {
      levels_.push_back({t[0], 0, 0});
      deepen(w);
    }
  }

  /// `name<T>(`, nothing between the name and the `<`.
  bool isGeneric(size_t i) const {
    return i > 0 && i + 3 < words_.size() && words_[i - 1].kind == Word::Kind::Name &&
           words_[i - 1].end == words_[i].begin && words_[i + 1].kind == Word::Kind::Name &&
           words_[i + 2].text == ">" && words_[i + 3].text == "(";
  }

  void closeParen(char c) {
    if (!inParens())
      return; // the parser says so
    if (closerOf(levels_.back().open) != c && levels_.size() > 2) {
      char below = levels_[levels_.size() - 2].open;
      if (isParen(below) && closerOf(below) == c)
        close();
    }
    close();
  }

  void closeBlock(const Word &w) {
    while (inParens())
      close();
    if (levels_.size() == 1)
      return;
    terminator(w.begin, w.begin);
    close();
    operators_ -=
        levels_.back().operators; // the expression before a block is over, that of a declaration too
    levels_.back().operators = 0;
  }

  void close() {
    operators_ -= levels_.back().operators;
    nesting_ -= levels_.back().elseIfs + 1;
    levels_.pop_back();
  }

  void count(const Word &w, std::string_view next) {
    Level &level = levels_.back();
    if (w.text == ",") {
      operators_ -= level.operators;
      level.operators = 0;
      return;
    }
    if (w.text == "else" && next == "if" && !inParens()) {
      ++level.elseIfs;
      deepen(w);
    } else if (isOperator(w.text) || w.text == "(" || w.text == "[") {
      ++level.operators;
      if (++operators_ > kMaxOperators)
        fail(diag::ExpressionTooLong, w, kMaxOperators);
    }
  }

  void deepen(const Word &w) {
    if (++nesting_ > kMaxNesting)
      fail(diag::TooManyLevels, w, kMaxNesting);
  }

  void fail(diag id, const Word &w, unsigned limit) {
    if (!tooDeep_)
      diags_.report(id, range(w), limit);
    tooDeep_ = true;
  }

  /// A terminator, unless there is one or a block has just begun.
  void terminator(uint32_t begin, uint32_t end) {
    Level &level = levels_.back();
    operators_ -= level.operators;
    nesting_ -= level.elseIfs;
    level.operators = level.elseIfs = 0;
    if (!out_.empty() && out_.back().role != LaidOut::Role::Terminator && last_ != "{")
      out_.push_back({LaidOut::Role::Terminator, 0, begin, end});
  }

  SourceRange range(const Word &w) const { return {w.begin, w.end, file_}; }

  const std::vector<Word> &words_;
  uint32_t file_, textEnd_;
  bool single_;
  Diagnostics &diags_;
  std::vector<Level> levels_;
  std::vector<LaidOut> out_;
  unsigned nesting_ = 0, operators_ = 0;
  bool tooDeep_ = false;
  std::string_view last_; ///< the last word put out
};

} // namespace

std::vector<LaidOut> layOut(const std::vector<Word> &words, uint32_t file, uint32_t textEnd, bool single,
                            Diagnostics &diags, bool &tooDeep) {
  return Layout(words, file, textEnd, single, diags).run(tooDeep);
}

} // namespace phobos::syntax
