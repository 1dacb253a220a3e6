// A source text and places in it.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace phobos {

/// Half-open byte range [begin, end) of one source buffer. `file` indexes the SourceManager; the default
/// range is "nowhere".
struct SourceRange {
  uint32_t begin = 0, end = 0;
  uint32_t file = ~0u;
  bool isValid() const { return file != ~0u; }
  /// The smallest range that holds both; an invalid one adds nothing.
  SourceRange join(SourceRange other) const;
};

struct LineColumn {
  uint32_t line = 0, column = 0; ///< 1-based; columns count UTF-8 code points
};

/// One text with its name and line table. Immutable once made.
class SourceFile {
public:
  SourceFile(std::string name, std::string text);
  const std::string &name() const { return name_; }
  std::string_view text() const { return text_; }
  LineColumn lineColumn(uint32_t offset) const;
  /// The byte at a line and column; the nearest there is for one that the text does not have.
  uint32_t offset(LineColumn at) const;
  /// The line (1-based) without its newline; empty past the end.
  std::string_view line(uint32_t line) const;

private:
  uint32_t continuationsBefore(uint32_t offset) const;

  std::string name_, text_;
  std::vector<uint32_t> lineStarts_;
  std::vector<uint32_t> continuations_; ///< bytes that start no code point, before every 1024th byte: a
                                        ///< column costs the same on any line
};

/// Owns the files of one compilation (the user's file and the stdlib's); a file's index is what ranges carry.
class SourceManager {
public:
  uint32_t add(std::string name, std::string text);
  const SourceFile &file(uint32_t index) const { return *files_[index]; }
  uint32_t size() const { return static_cast<uint32_t>(files_.size()); }
  std::string_view text(SourceRange range) const;

private:
  std::vector<std::unique_ptr<SourceFile>> files_;
};

} // namespace phobos
