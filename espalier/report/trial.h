// Trials: one candidate trained on a part of the data and scored on another. What compare() is made of.
//
// A trial is a plain value that travels between processes as JSON, and so is its result. Tested in
// compare_test.cc.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/eval/scores.h"
#include "espalier/public/compare.h"

namespace espalier::report {

struct Trial {
  Files train;
  Candidate candidate;
  std::optional<std::string> feature_template;
  std::string template_name;
  std::vector<size_t> feature_columns;
  uint64_t seed = 1;
  int threads = 0;
  int folds = 0, fold = -1;   ///< fold of `folds` is left out of training; −1: none is
  int eighths = 8;            ///< of the rest that are trained on
  std::optional<Files> test;  ///< what is scored; not set: the fold

  std::string to_json() const;
  static Result<Trial> from_json(const std::string& text);
};

struct TrialResult {
  std::vector<eval::SequenceStatistics> statistics;  ///< of the scored sequences, in order
  bool spans = false;                                ///< the labels form spans
  size_t train_sequences = 0, train_tokens = 0;
  double train_seconds = 0, tokens_per_second = 0;
  size_t peak_bytes = 0, model_bytes = 0;
  double legal = -1;  ///< percent; −1: there is no scheme

  std::string to_json() const;
  static Result<TrialResult> from_json(const std::string& text);
};

/// Which sequences a trial trains on: `number` counts over all files. The parts of the data are nested: what
/// is in an eighth is in every larger part.
bool trained_on(const Trial& trial, size_t number);
/// Whether the sequence is in the fold that the trial is scored on.
bool held_out(const Trial& trial, size_t number);

Result<TrialResult> run(const Trial& trial, const std::function<size_t()>& peak_bytes,
                        const Monitor& monitor);

}  // namespace espalier::report
