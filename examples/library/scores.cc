// Scores, cross-validation, and scores of labels that come from elsewhere.
//
//   scores TRAIN TEST
#include <espalier/espalier.h>

#include <iostream>

namespace es = espalier;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const es::Corpus corpus = es::Corpus::read(argv[1]).value(), test = es::Corpus::read(argv[2]).value();
  const es::Tagger tagger = es::train(corpus, es::Perceptron{.passes = 5}).value();
  // [docs: scores]
  es::Scores scores = es::evaluate(tagger, test).value();
  std::cout << "F1 " << scores.f1 << ", accuracy " << scores.accuracy << '\n';
  for (const es::LabelScores& one : scores.by_label) std::cout << one.label << ' ' << one.f1 << '\n';

  es::TrainOptions options{.learner = es::Perceptron{.passes = 5}};
  es::CrossValidation folds = es::cross_validate(corpus, options, 3).value();
  std::cout << folds.mean(&es::Scores::f1) << " +- " << folds.deviation(&es::Scores::f1) << '\n';

  es::Scores other = es::evaluate_labels({{"B-NP", "I-NP", "O"}}, {{"B-NP", "O", "O"}}).value();
  std::cout << other.accuracy << '\n';
  // [end]
}
