// split_text and Tagger::tag_text: from raw text to sentences and to labels. Tested in text_test.cc.
#include "espalier/public/text.h"

#include "espalier/data/formats/text_split.h"
#include "espalier/public/tagger.h"

namespace espalier {

Result<std::vector<TextSentence>> split_text(std::string_view utf8, TextSplit split) {
  ESPALIER_ASSIGN(data::TextSplitter splitter, data::TextSplitter::make(split));
  std::vector<TextSentence> out;
  ESPALIER_TRY(splitter.split(utf8, [&](const std::vector<data::TextPiece>& tokens) {
    TextSentence& sentence = out.emplace_back();
    sentence.begin = tokens.front().begin;
    sentence.end = tokens.back().end;
    for (const data::TextPiece& t : tokens) sentence.tokens.push_back({std::string(t.text), t.begin, t.end});
  }));
  return out;
}

Result<std::vector<TaggedSentence>> Tagger::tag_text(std::string_view utf8, TextSplit split,
                                                     const TagOptions& options) const {
  ESPALIER_ASSIGN(std::vector<TextSentence> sentences, split_text(utf8, split));
  std::vector<TaggedSentence> out;
  out.reserve(sentences.size());
  std::vector<std::string> words;
  for (TextSentence& sentence : sentences) {
    words.clear();
    for (const TextToken& token : sentence.tokens) words.push_back(token.text);
    ESPALIER_ASSIGN(Tagged tagged, tag_words(words, options));
    out.push_back({std::move(sentence), std::move(tagged)});
  }
  return out;
}

}  // namespace espalier
