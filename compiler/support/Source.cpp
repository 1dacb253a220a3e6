#include "compiler/support/Source.h"
#include <algorithm>

namespace phobos {

/// Bytes after the first of a UTF-8 code point: they do not count as columns.
static bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
static constexpr uint32_t kStride = 1024;

SourceRange SourceRange::join(SourceRange other) const {
  if (!isValid())
    return other;
  if (!other.isValid() || other.file != file)
    return *this;
  return {std::min(begin, other.begin), std::max(end, other.end), file};
}

SourceFile::SourceFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  lineStarts_.push_back(0);
  uint32_t continuations = 0;
  for (uint32_t i = 0; i < text_.size(); ++i) {
    if (i % kStride == 0)
      continuations_.push_back(continuations);
    continuations += isContinuation(text_[i]);
    if (text_[i] == '\n')
      lineStarts_.push_back(i + 1);
  }
  continuations_.push_back(continuations);
}

uint32_t SourceFile::continuationsBefore(uint32_t offset) const {
  uint32_t stride = offset / kStride, count = continuations_[stride];
  for (uint32_t i = stride * kStride; i < offset; ++i)
    count += isContinuation(text_[i]);
  return count;
}

LineColumn SourceFile::lineColumn(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text_.size()));
  auto it = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset) - 1;
  uint32_t column = offset - *it - (continuationsBefore(offset) - continuationsBefore(*it)) + 1;
  return {static_cast<uint32_t>(it - lineStarts_.begin()) + 1, column};
}

uint32_t SourceFile::offset(LineColumn at) const {
  if (at.line == 0 || at.line > lineStarts_.size())
    return static_cast<uint32_t>(text_.size());
  uint32_t i = lineStarts_[at.line - 1];
  for (uint32_t column = 1; i < text_.size() && text_[i] != '\n' && column < at.column; ++column)
    do
      ++i;
    while (i < text_.size() && isContinuation(text_[i]));
  return i;
}

std::string_view SourceFile::line(uint32_t line) const {
  if (line == 0 || line > lineStarts_.size())
    return {};
  uint32_t begin = lineStarts_[line - 1];
  uint32_t end = line < lineStarts_.size() ? lineStarts_[line] - 1 : static_cast<uint32_t>(text_.size());
  if (end > begin && text_[end - 1] == '\r')
    --end;
  return std::string_view(text_).substr(begin, end - begin);
}

uint32_t SourceManager::add(std::string name, std::string text) {
  files_.push_back(std::make_unique<SourceFile>(std::move(name), std::move(text)));
  return size() - 1;
}

std::string_view SourceManager::text(SourceRange range) const {
  return range.isValid() ? file(range.file).text().substr(range.begin, range.end - range.begin)
                         : std::string_view{};
}

} // namespace phobos
