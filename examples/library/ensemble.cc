// Three annotators, one of whom did not answer everything, combined by whom to trust where.
#include <espalier/espalier.h>

#include <iostream>

namespace es = espalier;

int main() {
  // Names of one or two words. Ann always hears a second word, Ben never does and misses some names, Cy is
  // right but leaves out every third sentence.
  es::Corpus gold;
  std::vector<es::Labels> ann, ben, cy;
  for (int i = 0; i < 60; ++i) {
    const es::Labels right = {"B", i % 2 == 0 ? "I" : "O", "O", "O"};
    gold.add_words({"Mr", "Smith", "left", "."}, right);
    ann.push_back({"B", "I", "O", i % 7 == 0 ? "B" : "O"});
    ben.push_back({i % 5 == 0 ? "O" : "B", "O", "O", "O"});
    cy.push_back(i % 3 == 0 ? es::Labels{} : right);
  }
  // [docs: ensembles]
  es::Ensemble votes =
      es::Ensemble::learn(gold, {{ann, "Ann"}, {ben, "Ben"}, {cy, "Cy"}}, {.missing = "spread"}).value();
  es::Combined answer =
      votes.combine({{"B", "I", "O", "B"}, {"B", "O", "O", "O"}, {"B", "O", "O", "O"}}).value();
  for (size_t t = 0; t < answer.labels.size(); ++t)
    std::cout << answer.labels[t] << ' ' << answer.confidence[t] << '\n';
  // [end]
}
