// Training: labelled data in, a model out. The one entry point for all learners.
//
// Fill in a TrainRequest, call check_request to find errors before any data is read, then train. Memory holds
// the encoded data; time depends on the learner. Does not print, and writes no file unless the request names
// one.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/data/formats/source.h"
#include "espalier/model/constraint_file.h"
#include "espalier/model/model.h"
#include "espalier/public/ranks.h"

namespace espalier::model {

/// A feature template: its text, and its name for error messages.
struct TemplateText {
  std::string name, text;
};

struct TrainRequest {
  std::vector<data::Source> train;  ///< read one after the other
  std::vector<data::Source> dev;    ///< development data, to stop early and keep the best pass; may be empty
  std::string model;                ///< the file that the model is written to; empty: none
  std::string task = "label";
  std::string learner = "crf";
  std::vector<std::string> settings;         ///< "name=value"
  std::optional<TemplateText> feature_text;  ///< not set: the default features
  std::vector<size_t> feature_columns;       ///< from 1; empty: all but the label (FORM alone for CoNLL-U)
  std::vector<data::WordList> word_lists;    ///< lexicons and classes, for features besides those
  data::ReadOptions reading;                 ///< how files are read, and how the sequences in memory were
  std::optional<data::ReadOptions>
      dev_reading;            ///< set if dev is read differently (other folds of the same file)
  size_t matrix_columns = 0;  ///< the sequences are matrices of numbers, this wide; 0: they are not
  std::shared_ptr<const Model> start_from;  ///< start from its weights; null: from zero
  bool resume = false;       ///< continue an interrupted run from its checkpoint (model + ".checkpoint")
  int checkpoint_every = 0;  ///< write a checkpoint after this many rounds; 0: never
  std::optional<ConstraintFile> constraints;  ///< train under these, and store them in the model
  std::vector<std::string>
      parsers;  ///< task summary: files of taggers and a parser for sentences without trees
  bool allow_contradictions = false;  ///< train even if most training sequences break them
  uint64_t seed = 1;
  int threads = 0;         ///< 0: all cores
  Ranks* ranks = nullptr;  ///< the processes that train together; null: this one alone
  /// Above 0: bytes of memory that training may take. Data and counts that do not fit go to temporary files;
  /// the model is the same.
  size_t memory = 0;
  /// The labels of words are features of chains, too, and not only of cascades and svm. For members of
  /// committees: chains that users train must be the same on many ranks and within a bound of memory.
  bool word_labels = false;
};

struct TrainReport {
  struct Round {
    int number = 0;
    std::optional<double> objective;  ///< what the learner minimises, if it has a measure
    std::optional<double> dev_score;  ///< F1 if labels form spans, otherwise token accuracy; percent
    double seconds = 0;
  };
  std::string objective_name;  ///< of the log's `objective`
  std::string dev_measure;     ///< of the log's `dev_score`: "F1" or "accuracy"
  double seconds = 0, reading_seconds = 0;
  int ranks = 1;
  size_t sequences = 0, tokens = 0, features = 0, weights = 0, labels = 0, model_bytes = 0;
  std::vector<Round> log;
  std::optional<int> best_round;
  bool stopped_early = false;      ///< because the development score no longer rose
  bool interrupted = false;        ///< by the caller; the model is usable
  std::vector<std::string> notes;  ///< messages for the user (repaired labels, dropped features, …)
  std::string details = "{}";      ///< figures specific to this kind of model, as a JSON object
};

/// An error if the request cannot be met, whatever is in its files: unknown names, values out of range,
/// parameters that have no effect, settings that contradict each other.
Status check_request(const TrainRequest& request);

struct Trained {
  Model model;  ///< as it was written, or in memory if the request names no file
  TrainReport report;
};
/// Checks the request first.
Result<Trained> train(const TrainRequest& request, const Monitor& monitor);

}  // namespace espalier::model
