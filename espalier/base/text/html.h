// Text made safe for HTML and SVG documents. Tested in html_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace espalier {

/// The text with the characters that have a meaning in markup (& < > " ') as entities, so that it is safe
/// between tags and inside quoted attributes. Control characters, which XML does not allow, and bytes that
/// are not UTF-8 become U+FFFD; tabs and line feeds stay. Linear.
std::string html_escaped(std::string_view text);

}  // namespace espalier
