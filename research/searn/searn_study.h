// What the experiments on search learners share: train_and_score() trains as the command does, tags the test
// file and scores it. Tested in apps/tests/reproduce_test.sh, which runs every experiment.
#pragma once

#include <string>
#include <vector>

#include "espalier/eval/scores.h"
#include "research/public_run.h"

namespace espalier::research {

/// One training run and its test, in the terms of the command.
struct SearnRun {
  std::string learner;
  std::vector<std::string> settings;
  std::string task = "label";
  std::string train, test;  ///< files
  ReadOptions train_reading, test_reading;
  std::string template_file;
  size_t most_sequences = 0;  ///< of the training file; 0: all
  size_t last_sequences = 0;  ///< of the test file, if it is the end of the training file; 0: all
  std::vector<size_t> feature_columns = {};  ///< counted from 1; empty: all except the labels
  bool keep_labels = false;                  ///< fill SearnOutcome::predicted
};

struct SearnOutcome {
  eval::TaggingScores scores;
  double most_frequent = 0;  ///< percent of the test tokens that have the most frequent label
  double train_seconds = 0, test_seconds = 0;
  std::vector<double> dev;  ///< test scores after each round, if asked for
  /// Each round's own measure; for learners that update while they search, updates per sequence.
  std::vector<double> objectives;
  /// By column of labels, token by token; if asked for.
  std::vector<std::vector<std::string>> predicted = {};
};

/// Where figures of Table 1 are from that the paper's text at hand does not hold.
inline constexpr std::string_view kTable1 =
    "the paper's Table 1 as cited elsewhere; the text at hand has lost its numbers";

/// Trains, tags the test file and scores it. With `by_round`, the test file is also
/// scored after every round, like a development set, which chooses the model that is returned: only `dev` may
/// then be reported. Patience is unlimited.
Result<SearnOutcome> train_and_score(const Request& request, const SearnRun& run, bool by_round = false);
/// The data that a run names, read once for many runs on it.
struct SearnData {
  Data train;
  Corpus test;
};
Result<SearnData> read_data(const SearnRun& run);
/// The same on data that was read before; the files of the run are not read.
Result<SearnOutcome> train_and_score(const Request& request, const SearnRun& run, const Data& train,
                                     const Corpus& test, bool by_round = false);

}  // namespace espalier::research
