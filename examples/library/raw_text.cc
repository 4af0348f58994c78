// Raw text: sentences and words are found, each word gets a label and keeps its place in the text. Then a
// pipeline: a second model reads these labels.
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

  es::Corpus people({.columns = {"word", "tag"}});
  for (int i = 0; i < 10; ++i) {
    people.add_rows({{"Anna", "NAME"}, {"slept", "VERB"}, {".", "MARK"}}, {"B-PER", "O", "O"});
    people.add_rows({{"She", "PRON"}, {"did", "VERB"}, {"not", "PART"}, {".", "MARK"}}, {"O", "O", "O", "O"});
  }
  const es::Tagger entities = es::train(people).value();
  // [docs: pipeline]
  const es::Pipeline pipeline = es::Pipeline::make({{"tags", tagger}, {"entities", entities}}).value();
  const es::Tagged tagged = pipeline.tag_words({"Anna", "slept", "."}).value();
  std::cout << tagged[0].other_labels[0] << ' ' << tagged[0].label << '\n';  // NAME B-PER
  // [end]
}
