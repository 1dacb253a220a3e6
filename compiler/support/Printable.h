// Source text in messages: nothing that a terminal would obey, and never more of it than helps.
#pragma once
#include <string>
#include <string_view>

namespace phobos {

/// The length of the UTF-8 sequence at `at` that a terminal shows as a character; 0 for a byte that is none:
/// a control, a stray or overlong byte, or one of the characters that reorder a line.
unsigned printableLength(std::string_view text, size_t at);
/// `text` with every such byte as `\x1b`; newlines and tabs stay.
std::string printable(std::string_view text);
/// A word of the source as a message shows it: of one longer than `most`, its two ends.
std::string shortened(std::string_view text, size_t most);

} // namespace phobos
