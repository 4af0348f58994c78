// Raw text, split by Unicode's rules and at blanks: tokens come in order, do not overlap, and are the text
// that their places name.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "espalier/public/text.h"

namespace {

bool begins_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

/// Where code point `count` steps after the one at `byte` begins.
size_t advance(std::string_view text, size_t byte, size_t count) {
  while (count > 0 && byte < text.size()) {
    ++byte;
    while (byte < text.size() && !begins_code_point(text[byte])) ++byte;
    --count;
  }
  return count == 0 ? byte : std::string_view::npos;
}

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace espalier;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  for (const TextSplit split : {TextSplit::words, TextSplit::blanks}) {
    const auto sentences = split_text(text, split);
    if (!sentences.ok()) continue;
    size_t place = 0, byte = 0;  // of the end of the last token
    for (const TextSentence& sentence : *sentences) {
      check(!sentence.tokens.empty());
      check(sentence.begin == sentence.tokens.front().begin && sentence.end == sentence.tokens.back().end);
      for (const TextToken& token : sentence.tokens) {
        check(token.begin >= place && token.end > token.begin);
        const size_t begin = advance(text, byte, token.begin - place);
        check(begin != std::string_view::npos);
        const size_t end = advance(text, begin, token.end - token.begin);
        check(end != std::string_view::npos);
        check(text.substr(begin, end - begin) == token.text);
        place = token.end;
        byte = end;
      }
    }
  }
  return 0;
}
