// ANTLR's lexer run over a text: its words, and what cannot be one. Internal to the files that include ANTLR.
#pragma once
#include "PhobosLexer.h"
#include "compiler/syntax/Layout.h"

namespace phobos::syntax {

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

struct Lexed {
  std::vector<Word> words;
  std::vector<uint32_t>
      errors;           ///< where words could not be read: the parser keeps quiet about their statements
  bool complete = true; ///< false past a limit
};

/// Reports characters, numbers and strings that cannot be read. A character that no word has stands in the
/// result as one that no rule has; a comment of Python is a comment, a name with letters outside of ASCII a
/// name.
Lexed readWords(ByteStream &stream, std::string_view text, uint32_t file, Diagnostics &diags);

} // namespace phobos::syntax
