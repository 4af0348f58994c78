// Training: labelled data in, a model out. The one entry to all learners.
//
// Fill in a TrainRequest, call check_request for what is wrong before any data is read, then train. Costs what the
// learner costs; memory holds the encoded data. Does not print, and writes no file unless the request names one.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/data/formats/source.h"
#include "espalier/model/constraint_file.h"
#include "espalier/model/model.h"

namespace espalier::model {

/// A feature template: its text, and what errors call it.
struct TemplateText {
  std::string name, text;
};

/// The text of a template file; nothing where `path` is empty.
Result<std::optional<TemplateText>> read_template(const std::string& path);

struct TrainRequest {
  std::vector<data::Source> train;  ///< read one after the other
  std::vector<data::Source> dev;    ///< for stopping early and keeping the best pass; may be empty
  std::string model;                ///< the file that the model is written to; empty: none
  std::string task = "label";
  std::string learner = "crf";
  std::vector<std::string> settings;         ///< "name=value"
  std::optional<TemplateText> feature_text;  ///< not set: the default features
  std::vector<size_t> feature_columns;       ///< from 1; empty: all but the label (FORM alone for CoNLL-U)
  data::ReadOptions reading;                 ///< how files are read, and how the sequences in memory were
  std::optional<data::ReadOptions> dev_reading;  ///< where dev differs (other folds of the same file)
  std::shared_ptr<const Model> start_from;       ///< go on from its weights; null: from nothing
  bool resume = false;                        ///< go on from the checkpoint of an interrupted run (model + ".checkpoint")
  int checkpoint_every = 0;                   ///< write a checkpoint after this many rounds; 0: never
  std::optional<ConstraintFile> constraints;  ///< train under these, and remember them
  bool allow_contradictions = false;          ///< train even where most training sequences break them
  uint64_t seed = 1;
  int threads = 0;  ///< 0: every core
};

struct TrainReport {
  struct Round {
    int number = 0;
    std::optional<double> objective;  ///< the learner's own measure, where it has one
    std::optional<double> dev_score;  ///< F1 for span labels, token accuracy otherwise; percent
    double seconds = 0;
  };
  double seconds = 0, reading_seconds = 0;
  size_t sequences = 0, tokens = 0, features = 0, weights = 0, labels = 0, model_bytes = 0;
  std::vector<Round> log;
  std::optional<int> best_round;
  bool stopped_early = false;      ///< by the dev set
  bool interrupted = false;        ///< by the caller; the model is usable
  std::vector<std::string> notes;  ///< what the user should know (repaired labels, dropped features, …)
  std::string details = "{}";      ///< what only this kind of model has to report, as a JSON object
};

/// An error where the request itself cannot be met, whatever is in its files: unknown names, values out of
/// range, parameters that mean nothing beside the others, settings that contradict each other.
Status check_request(const TrainRequest& request);

struct Trained {
  Model model;  ///< as it was written, or in memory where the request names no file
  TrainReport report;
};
/// Checks the request first.
Result<Trained> train(const TrainRequest& request, const Monitor& monitor);

}  // namespace espalier::model
