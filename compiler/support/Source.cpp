#include "compiler/support/Source.h"
#include <algorithm>

namespace phobos {

SourceRange SourceRange::join(SourceRange other) const {
  if (!isValid())
    return other;
  if (!other.isValid() || other.file != file)
    return *this;
  return {std::min(begin, other.begin), std::max(end, other.end), file};
}

SourceFile::SourceFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  lineStarts_.push_back(0);
  for (uint32_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n')
      lineStarts_.push_back(i + 1);
}

LineColumn SourceFile::lineColumn(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text_.size()));
  auto it = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset) - 1;
  uint32_t column = 1;
  for (uint32_t i = *it; i < offset; ++i)
    column += (static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80; // continuation bytes do not count
  return {static_cast<uint32_t>(it - lineStarts_.begin()) + 1, column};
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
  return range.isValid() ? file(range.file).text().substr(range.begin, range.end - range.begin) : std::string_view{};
}

} // namespace phobos
