// Training: from labelled data to a Tagger, with any learner and for any built-in task.
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
#include "espalier/public/ranks.h"
#include "espalier/public/tagger.h"

#pragma GCC visibility push(default)
namespace espalier {

/// The contents of a file, and its name for error messages.
struct NamedText {
  std::string name, text;
};

/// What to train and how. Every field has a usable default.
struct TrainOptions {
  Learner learner = {};  ///< unnamed: that of start_from, or the first of the task (crf for task label)
  std::string task =
      "label";  ///< label, segment, joint, roles, brackets, variables, parse or summary; see all_tasks()
  std::optional<Data> dev = {};  ///< development data: training stops when the score on it no longer rises,
                                 ///< and the best pass is kept
  std::optional<Constraints> constraints =
      {};  ///< train under these; the model stores them and obeys them when it tags
  bool allow_contradictions = false;  ///< train even if most training sequences break the constraints
  std::optional<Tagger> start_from =
      {};  ///< train this model further: it keeps what it knows where the new data say nothing else
  /// The text of a feature template in CRF++ or Wapiti syntax. Not set: words, affixes, case and shape in a
  /// window.
  std::optional<std::string> feature_template = {};
  std::string template_name = "template";  ///< the template's name in error messages
  std::vector<size_t> feature_columns =
      {};  ///< columns to take features from, counted from 1, the word first; empty: all but the label
  /// Lists of names or words, one entry per line, after a tab its type ("New York\tcity"): whether a word is
  /// part of an entry becomes a feature. The model stores them.
  std::vector<NamedText> lexicons = {};
  /// Classes of words as features: lines of word and class, or paths of Brown clustering (path, word, count),
  /// whose beginnings are classes, too. The model stores them.
  std::vector<NamedText> word_classes = {};
  /// Task summary with unit=word: files of models that give sentences tags and trees where the data have
  /// none, in the order of their use; the last is a parser. The summariser keeps a copy of them.
  std::vector<std::string> parsers = {};
  /// Several processes that train together, each with a part of the data (public/ranks.h); null: this one
  /// alone. Learners crf, memm, local and perceptron; the members of a committee are shared among the ranks.
  Ranks* ranks = nullptr;
  uint64_t seed = 1;  ///< the same seed gives the same model, whatever the number of threads and ranks
  int threads = 0;    ///< 0: all cores
  /// Above 0: bytes of memory that training may take, 64 million or more; data and counts that do not fit go
  /// to temporary files in $TMPDIR or /var/tmp. The model is the same. For crf, memm and perceptron.
  size_t memory = 0;
  std::function<bool(const Progress&)> on_progress =
      {};  ///< return false to end training early with a usable model
  const std::atomic<bool>* stop =
      nullptr;               ///< set it to true (from any thread) to end training early with a usable model
  std::string save_to = {};  ///< write the model to this file when training ends; empty: no file
  int checkpoint_every = 0;  ///< write SAVE_TO.checkpoint after this many passes; 0: never
  bool resume = false;       ///< continue an interrupted run from SAVE_TO.checkpoint
};

/// A trained model and how training went.
struct Training {
  struct Pass {
    int number = 0;                   ///< from 1
    std::optional<double> objective;  ///< what the learner minimises, as measured during the pass; see
                                      ///< objective_name
    std::optional<double>
        dev_score;  ///< on the development data: F1 if labels form spans, otherwise accuracy; percent
    double seconds = 0;
  };
  explicit Training(Tagger trained) : tagger(std::move(trained)) {}
  Tagger tagger;
  std::vector<Pass> log;                    ///< one entry per pass
  std::string objective_name;               ///< what the log's objective is, for example "loss per token"
  std::string dev_measure;                  ///< what the log's dev_score is: "F1" or "accuracy"
  double seconds = 0, reading_seconds = 0;  ///< in total, and spent reading and encoding the data
  int ranks = 1;                            ///< that trained together
  size_t sequences = 0, tokens = 0, features = 0, weights = 0, labels = 0, model_bytes = 0;
  std::optional<int> best_pass;    ///< the pass that was kept, if there is development data
  bool stopped_early = false;      ///< because the development score no longer rose
  bool interrupted = false;        ///< by on_progress or stop
  std::vector<std::string> notes;  ///< messages for the user: repaired labels, dropped features …
  std::string details = "{}";      ///< figures specific to this kind of model, as a JSON object
};

/// Trains a model. The error says which option, file and line is wrong. Interrupted training is not an error.
Result<Tagger> train(const Data& data, const TrainOptions& options = {});
Result<Tagger> train(const Data& data, const Learner& learner);
Result<Tagger> train(const Data& data, std::string_view learner, const Settings& settings);
/// The same, with a report on how training went.
Result<Training> train_with_report(const Data& data, const TrainOptions& options = {});
/// The same from sequences that are made while they are read: the text of only a few is in memory at a time.
Result<Training> train_with_report(const Generator& data, const TrainOptions& options = {});
/// The errors that train() would find before it reads data: unknown names, values out of range, parameters
/// that have no effect or contradict each other. Reads no files.
Status check_options(const Data& data, const TrainOptions& options);

}  // namespace espalier
#pragma GCC visibility pop
