// From a file to a model to labels: trains on a file, saves, opens, tags and scores.
//
//   from_file_to_labels TRAIN TEST MODEL
#include <espalier/espalier.h>

#include <iostream>

namespace es = espalier;

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string train_file = argv[1], test_file = argv[2], model_file = argv[3];
  // [docs: from a file to labels]
  es::Corpus corpus = es::Corpus::read(train_file).value();
  es::Tagger tagger = es::train(corpus, es::Crf{.l2 = 0.5}).value();
  tagger.save(model_file).value();

  es::Tagger opened = es::Tagger::open(model_file).value();
  for (const es::Token& token : opened.tag_rows({{"Anna", "PROPN", "B-NP"}, {"flew", "VERB", "B-VP"}}).value())
    std::cout << token.label << ' ' << token.probability << '\n';

  es::Scores scores = es::evaluate(opened, es::Corpus::read(test_file).value()).value();
  std::cout << "F1 " << scores.f1 << '\n';
  // [end]
}
