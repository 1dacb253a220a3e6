#include "compiler/support/Printable.h"

namespace phobos {

static unsigned char byteAt(std::string_view text, size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

unsigned printableLength(std::string_view text, size_t at) {
  unsigned char first = byteAt(text, at);
  if (first < 0x80)
    return first >= 0x20 && first != 0x7f ? 1 : 0;
  unsigned length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4)
    return 0;
  unsigned code = first & (0xFFu >> (length + 1));
  for (unsigned i = 1; i < length; ++i) {
    unsigned char next = byteAt(text, at + i);
    if ((next & 0xC0) != 0x80)
      return 0;
    code = code << 6 | (next & 0x3F);
  }
  constexpr unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  bool isScalar = code >= least[length] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  bool isControl = code < 0xA0 || code == 0x2028 || code == 0x2029;
  bool reorders = code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
                  (code >= 0x2066 && code <= 0x2069);
  return isScalar && !isControl && !reorders ? length : 0;
}

std::string printable(std::string_view text) {
  static const char *digits = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < text.size();) {
    unsigned length = text[i] == '\n' || text[i] == '\t' ? 1 : printableLength(text, i);
    if (length) {
      out += text.substr(i, length);
      i += length;
      continue;
    }
    auto byte = static_cast<unsigned char>(text[i++]);
    out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
  return out;
}

std::string shortened(std::string_view text, size_t most) {
  if (text.size() <= most)
    return std::string(text);
  size_t tail = most / 4, head = most - tail;
  return std::string(text.substr(0, head)) + ".." + std::string(text.substr(text.size() - tail)) + " (" +
         std::to_string(text.size()) + " characters)";
}

} // namespace phobos
