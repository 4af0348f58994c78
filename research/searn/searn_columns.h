// Words and stacking for the experiments on chunks: classed_words() makes classes of words, with_answers()
// adds the answers of other learners to the rows of training and test sentences. Tested in
// apps/tests/reproduce_test.sh, which runs the experiments.
#pragma once

#include <string>
#include <vector>

#include "espalier/data/word_clustering.h"
#include "research/public_run.h"

namespace espalier::research {

/// The words of a corpus, in classes of words between the same neighbours.
Result<std::vector<data::ClassedWord>> classed_words(const Corpus& sentences, size_t classes,
                                                     const Request& request);

/// A learner whose answers are wanted, and the number of word classes among its features (0: none), which are
/// made of the words that it learns from.
struct Answerer {
  std::string learner;
  std::vector<std::string> settings;
  size_t classes = 0;
};

struct AnsweredData {
  Corpus train, test;
};

/// The sentences with the cells of columns_of() (answer_columns.h) after their word and part of speech, by
/// the mean probabilities of all answerers. What they say of a training sentence they learned without its
/// part of the training data, one of `folds`; of the test data, from all of the training data. The labels of
/// the test data are not looked at.
Result<AnsweredData> with_answers(const Request& request, const std::vector<Answerer>& answerers,
                                  const Corpus& train, const Corpus& test, size_t folds);

}  // namespace espalier::research
