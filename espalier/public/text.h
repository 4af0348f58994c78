// Raw text to sentences and words, so that a model can tag text that nobody has split.
//
//   for (const es::TextSentence& s : es::split_text("Anna flew. She slept.").value()) use(s.tokens);
//
// Sentences and words end where Unicode's rules (UAX #29, as in ICU) say, in every script; Chinese, Japanese,
// Thai and other scripts without blanks are split by dictionaries. Time is linear in the text. It does not
// know abbreviations: "Dr. Smith" is two sentences. To tag text, call Tagger::tag_text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/public/result.h"

#pragma GCC visibility push(default)
namespace espalier {

/// A word or a punctuation mark.
struct TextToken {
  std::string text;
  std::size_t begin = 0, end = 0;  ///< [begin, end) in the input, counted in code points
};

struct TextSentence {
  std::vector<TextToken> tokens;   ///< never empty
  std::size_t begin = 0, end = 0;  ///< from its first token to the end of its last, in code points
};

/// How text is split.
enum class TextSplit {
  words,  ///< by Unicode's rules; a line end is like a blank, an empty line always ends a sentence
  blanks  ///< at blanks and tabs; each line is a sentence: for text that is already tokenised
};

/// The sentences of a text, in order. White space belongs to no token; lines that hold nothing else are left
/// out. Text that is not UTF-8 is an error. Safe to call from any thread.
Result<std::vector<TextSentence>> split_text(std::string_view utf8, TextSplit split = TextSplit::words);

}  // namespace espalier
#pragma GCC visibility pop
