// Text laid out for a screen: how wide it is, padded, cut, wrapped.
//
// All functions are linear in the text. Widths count code points without combining marks; characters that
// take two columns are counted once. Tested in base/text/layout_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace espalier {

/// How wide a text is on the screen.
size_t display_width(std::string_view text);
/// The text, filled up with spaces to that width (pad_left: for numbers).
std::string pad_right(std::string_view text, size_t width);
std::string pad_left(std::string_view text, size_t width);
/// The text cut to that width, with "…" as its last character where something was cut.
std::string cut(std::string_view text, size_t width);

}  // namespace espalier
