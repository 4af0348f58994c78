// Training: from labelled data to a Tagger, with any learner.
//
//   es::Tagger tagger = es::train(corpus).value();                         // crf, default features
//   es::Tagger better = es::train(corpus, es::Cascade{.order = 4}).value();
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "espalier/public/corpus.h"
#include "espalier/public/learners.h"
#include "espalier/public/progress.h"
#include "espalier/public/tagger.h"

#pragma GCC visibility push(default)
namespace espalier {

struct TrainOptions {
  Learner learner = {};             ///< default: the first learner of the task (crf for labels)
  std::string task = "label";  ///< label, segment, joint, roles, brackets, variables
  std::optional<Data> dev = {};     ///< training stops when the score on it no longer rises; the best pass is kept
  std::optional<Constraints> constraints = {};  ///< learn under these rules; the model remembers them
  bool allow_contradictions = false;       ///< learn even where most training sequences break the rules
  std::optional<Tagger> start_from = {};        ///< go on from the weights of this model
  /// CRF++ or Wapiti syntax; not set: words, affixes, case and shape in a window.
  std::optional<std::string> feature_template = {};
  std::string template_name = "template";  ///< what errors call it
  std::vector<size_t> feature_columns = {};     ///< from 1, the first is the word; empty: all but the label
  uint64_t seed = 1;                       ///< the same seed gives the same model at any number of threads
  int threads = 0;                         ///< 0: every core
  std::function<bool(const Progress&)> on_progress = {};  ///< false ends training early, with a usable model
  const std::atomic<bool>* stop = nullptr;           ///< true ends training early, with a usable model
  /// A file that the model is written to when training ends; empty: none. Checkpoints go next to it, every so many
  /// passes; resume goes on from the last one.
  std::string save_to = {};
  int checkpoint_every = 0;
  bool resume = false;
};

/// A trained model and how training went.
struct Training {
  struct Pass {
    int number = 0;
    std::optional<double> objective;  ///< the learner's own measure
    std::optional<double> dev_score;  ///< F1 for spans, accuracy otherwise; percent
    double seconds = 0;
  };
  explicit Training(Tagger trained) : tagger(std::move(trained)) {}
  Tagger tagger;
  std::vector<Pass> log;
  double seconds = 0, reading_seconds = 0;
  size_t sequences = 0, tokens = 0, features = 0, weights = 0, labels = 0, model_bytes = 0;
  std::optional<int> best_pass;
  bool stopped_early = false;      ///< by the dev data
  bool interrupted = false;        ///< by the caller
  std::vector<std::string> notes;  ///< what the user should know: repaired labels, dropped features …
  std::string details = "{}";      ///< what only this kind of model reports, as a JSON object
};

Result<Tagger> train(const Data& data, const TrainOptions& options = {});
Result<Tagger> train(const Data& data, const Learner& learner);
Result<Tagger> train(const Data& data, std::string_view learner, const Settings& settings);
Result<Training> train_with_report(const Data& data, const TrainOptions& options = {});
/// What can be wrong before any data is read (nothing is read here, not even files): unknown names, values out of range, parameters that mean
/// nothing or do not go together.
Status check_options(const Data& data, const TrainOptions& options);

}  // namespace espalier
#pragma GCC visibility pop
