// Comparing learners on your data: which one to take, how much better it is than the others, and what it
// costs.
//
//   es::Comparison found = es::compare(es::Files{{"train.txt"}}, {.time_budget = 600}).value();
//   std::cout << found.text << found.command;
//
// Every candidate is trained and scored on the same parts of the data. Takes hours without a time budget if
// the data is large: each candidate is trained once per fold.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "espalier/public/corpus.h"
#include "espalier/public/learners.h"
#include "espalier/public/progress.h"
#include "espalier/public/result.h"

#pragma GCC visibility push(default)
namespace espalier {

/// A learner with its settings, and the task that it learns: label or segment.
struct Candidate {
  std::string task = "label", learner;
  Settings settings = {};
  /// "laso-br beam=5, task segment".
  std::string name() const;
};

struct CompareOptions {
  std::optional<Files> dev = {};   ///< score candidates on this; not set: on folds of the training data
  std::optional<Files> test = {};  ///< score what is recommended on this, once, at the end
  /// Names of learners, or {"all"}; empty: those that are worth trying first.
  std::vector<std::string> learners = {};
  /// Settings to try: "l2=0.1,1,10" for every learner that has the parameter, "crf:l2=0.1,1" for one.
  std::vector<std::string> grid = {};
  int folds = 5;           ///< drawn with the seed; at least 2
  double time_budget = 0;  ///< seconds; 0: none, everything is measured in full
  bool learning_curve =
      false;  ///< also measure what is recommended on an eighth, a quarter and half of the data
  std::optional<std::string> feature_template = {};
  std::string template_name = "template";
  std::vector<size_t> feature_columns = {};  ///< as in TrainOptions
  uint64_t seed = 1;
  int threads = 0;        ///< 0: all cores
  std::string work = {};  ///< folder that keeps measurements, from which a later call goes on; empty: none
  /// Runs one trial, by calling run_trial() in a process of its own, and returns what that returned; an error
  /// if it took longer than `seconds` (0: no limit). Not set: in this process, where the memory that a trial
  /// takes is not known.
  std::function<Result<std::string>(const std::string& trial, double seconds)> run_trial = {};
  size_t trials_at_once =
      1;  ///< how many threads may call run_trial at a time, if that runs trials elsewhere
  std::function<bool(const Progress&)> on_progress = {};  ///< return false to end early with what is known
  const std::atomic<bool>* stop = nullptr;                ///< set to true to end early with what is known
};

/// What was measured of a candidate, on the largest share of the training data that it was trained on.
struct Measured {
  Candidate candidate;
  double share = 0;                     ///< of the training data: 1, or less if it was given up before
  size_t folds = 0;                     ///< that it was scored on
  double score = 0, low = 0, high = 0;  ///< F1 if labels form spans, otherwise accuracy; interval of 95 %
  double behind = 0;   ///< score of the best minus this one's, on the data that both were scored on
  double p_value = 1;  ///< of that difference (paired bootstrap over sequences)
  double train_seconds = 0, tokens_per_second = 0;
  size_t peak_bytes = 0;  ///< of the training process; 0: not known
  size_t model_bytes = 0;
  std::optional<double> legal;  ///< percent of sequences whose labels obey the scheme, if there is one
  std::string failure;          ///< why it was not measured; empty: it was
};

/// Scores on growing parts of the training data, and a power law through them.
struct LearningCurve {
  std::vector<double> sequences, scores;      ///< an eighth, a quarter, half, all
  double limit = 0, scale = 0, exponent = 0;  ///< score(n) = limit − scale · n^−exponent
  double twice = 0, twice_low = 0,
         twice_high = 0;  ///< with twice the data; the interval of 95 % is that of the gain
};

struct Comparison {
  std::vector<Measured> candidates;  ///< best first; those without any measurement last
  std::string measure;               ///< "F1" or "accuracy"
  size_t sequences = 0, tokens = 0;  ///< of the training data
  bool interrupted = false, out_of_time = false;
  std::string advice;   ///< what to take, in words
  std::string command;  ///< the command that trains it
  std::optional<LearningCurve> curve;
  std::optional<double> test_score, test_low, test_high;  ///< of the first candidate
  std::string text, json, html;  ///< all of this as a table, as one JSON object, and as a page
};

/// What would be tried. An error if a name is unknown or a setting is refused. Reads the training data to see
/// whether its labels form spans.
Result<std::vector<Candidate>> candidates(const Files& train, const CompareOptions& options);
/// Trains and scores candidates and recommends one. An error if nothing could be measured.
Result<Comparison> compare(const Files& train, const CompareOptions& options = {});

/// One trial of compare(): trains and scores one candidate. `trial` and the result are JSON. `peak_bytes`, if
/// given, tells how much memory the process has needed at most so far. `on_progress` hears of the training,
/// and ends it by returning false.
Result<std::string> run_trial(const std::string& trial, const std::function<size_t()>& peak_bytes = {},
                              const std::atomic<bool>* stop = nullptr,
                              const std::function<bool(const Progress&)>& on_progress = {});

}  // namespace espalier
#pragma GCC visibility pop
