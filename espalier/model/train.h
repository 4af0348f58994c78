// Training as the command, the binding and the examples call it: files in, a model file out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"

namespace espalier::model {

struct TrainRequest {
  std::vector<std::string> train;  ///< files, read one after the other
  std::vector<std::string> dev;    ///< early stopping and best-model keeping; may be empty
  std::string model;               ///< where the model goes
  std::string task = "label";
  std::string learner = "crf";
  std::vector<std::string> settings;    ///< "name=value"
  std::string template_file;            ///< empty: the default features
  std::vector<size_t> feature_columns;  ///< from 1; empty: all but the label (FORM alone for CoNLL-U)
  data::ReadOptions reading;
  std::optional<data::ReadOptions>
      dev_reading;           ///< where the dev set is read otherwise (other folds of the same file)
  std::string start_from;    ///< a model to warm-start from, or empty
  bool resume = false;       ///< go on from the checkpoint of an interrupted run (model + ".checkpoint")
  int checkpoint_every = 0;  ///< write a checkpoint after this many rounds; 0: never
  std::string constraints;   ///< a file of constraints to train with, or empty
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

/// Checks the request first.
Result<TrainReport> train(const TrainRequest& request, const Monitor& monitor);

}  // namespace espalier::model
