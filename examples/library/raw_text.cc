// Raw text: sentences and words are found, each word gets a label and keeps its place in the text.
#include <espalier/espalier.h>

#include <iostream>

namespace es = espalier;

int main() {
  es::Corpus corpus;
  for (int i = 0; i < 10; ++i) {
    corpus.add_words({"Anna", "slept", "."}, {"NAME", "VERB", "MARK"});
    corpus.add_words({"She", "did", "not", "."}, {"PRON", "VERB", "PART", "MARK"});
  }
  const es::Tagger tagger = es::train(corpus).value();
  // [docs: raw text]
  for (const es::TaggedSentence& sentence : tagger.tag_text("She slept. Anna did not.").value())
    for (size_t i = 0; i < sentence.tagged.size(); ++i) {
      const es::TextToken& token = sentence.text.tokens[i];
      std::cout << token.text << ' ' << token.begin << '-' << token.end << ' ' << sentence.tagged[i].label
                << '\n';
    }
  // [end]
}
