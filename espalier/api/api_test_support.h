// Small corpora and models for the tests of the public API. Used in api/*_test.cc.
#pragma once

#include <string>
#include <vector>

#include "espalier/espalier.h"

namespace espalier {

/// Columns word, tag and label: made sentences of noun and verb phrases, `count` of them, which a model learns at once.
inline Corpus phrases(size_t count, size_t first = 0) {
  static const std::vector<std::string> kNouns = {"cat", "dog", "bird", "fish"}, kVerbs = {"slept", "sang", "ate"};
  Corpus corpus({.columns = {"word", "tag"}});
  for (size_t i = first; i < first + count; ++i) {
    std::vector<std::vector<std::string>> rows = {{"the", "DT"}, {kNouns[i % 4], "NN"}, {kVerbs[i % 3], "VB"}};
    std::vector<std::string> labels = {"B-NP", "I-NP", "B-VP"};
    if (i % 2 == 0) {
      rows.push_back({kNouns[(i + 1) % 4], "NN"});
      labels.push_back("B-NP");
    }
    rows.push_back({".", "."});
    labels.push_back("O");
    corpus.add_rows(rows, labels);
  }
  return corpus;
}

/// The rows of a sentence that is not among them.
inline std::vector<std::vector<std::string>> a_sentence() {
  return {{"the", "DT"}, {"wolf", "NN"}, {"sang", "VB"}, {".", "."}};
}

/// A model of these sentences.
inline Tagger a_tagger() { return train(phrases(40), Learner("crf", {{"passes", "8"}})).value(); }

}  // namespace espalier
