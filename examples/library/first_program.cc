// The program that README.md shows. Reads train.txt and test.txt (word, tag, chunk, entity) in the current directory.
// [docs: a whole program]
#include <espalier/espalier.h>

#include <iostream>

namespace es = espalier;

int main() {
  es::Corpus train = es::Corpus::read("train.txt").value();
  es::Tagger tagger = es::train(train, es::Crf{.l2 = 0.5}).value();
  tagger.save("entities.model").value();

  es::Tagger opened = es::Tagger::open("entities.model").value();
  es::Tagged tagged = opened.tag_rows({{"Anna", "PROPN", "B-NP"}, {"flew", "VERB", "B-VP"}}).value();
  for (const es::Token& token : tagged) std::cout << token.label << ' ' << token.probability << '\n';

  es::Scores scores = es::evaluate(opened, es::Corpus::read("test.txt").value()).value();
  std::cout << "F1 " << scores.f1 << '\n';
}
// [end]
