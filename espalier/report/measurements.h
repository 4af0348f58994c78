// The trials of one comparison: run, kept in memory and in a folder, and asked for scores.
//
// Tested in compare_test.cc.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/eval/significance.h"
#include "espalier/report/trial.h"

namespace espalier::report {

/// A part of the data: eighths of the training data, and the fold that is scored (−1: the development data).
struct Part {
  int eighths = 8, fold = -1;
  auto operator<=>(const Part&) const = default;
};

/// A trial: which candidate on which part.
struct Wanted {
  size_t candidate = 0;
  Part part = {};
};

class Measurements {
 public:
  /// An error if a file cannot be read or the folder cannot be made.
  static Result<Measurements> open(const Files& train, const CompareOptions& options,
                                   std::vector<Candidate> candidates);

  /// Runs the trial unless its result is known. `limit` in seconds; 0: none. What fails is remembered as the
  /// candidate's failure and is no error; returns whether there is a result.
  bool measure(size_t candidate, Part part, double limit = 0);
  /// Runs these, as many at a time as the options allow, begun in their order; those of candidates that have
  /// failed are left out. `limit` is asked before each, with the number that has not begun, for the seconds
  /// that it may take (0: no limit); negative: no more are begun.
  void measure_each(std::span<const Wanted> trials, const std::function<double(size_t left)>& limit);
  size_t at_once() const;
  /// The candidate trained on all training data and scored on other files.
  Result<TrialResult> measure_on(size_t candidate, const Files& test);

  const std::vector<Candidate>& candidates() const { return candidates_; }
  const std::map<Part, TrialResult>& of(size_t candidate) const { return results_[candidate]; }
  const std::string& failure(size_t candidate) const { return failures_[candidate]; }
  bool stopped() const {
    const std::lock_guard lock(*mutex_);
    return stopped_;
  }
  void plan(size_t trials) { planned_ = done_ + trials; }  ///< that will be run from now on, for the progress

  /// The largest part of the training data that there are results for, in eighths; 0: there are none.
  int largest(size_t candidate) const;
  /// The folds that there are results for.
  std::vector<int> folds(size_t candidate, int eighths) const;
  /// The statistics of these folds, one after the other.
  std::vector<eval::SequenceStatistics> pooled(size_t candidate, int eighths,
                                               const std::vector<int>& folds) const;
  eval::Metric metric() const { return spans_ ? eval::Metric::kF1 : eval::Metric::kAccuracy; }
  double score(size_t candidate, int eighths, const std::vector<int>& folds) const;
  /// The second against the first where both have results; nothing if they have none in common.
  std::optional<eval::BootstrapResult> compare(size_t first, size_t second) const;

 private:
  Measurements(Files train, CompareOptions options, std::vector<Candidate> candidates);
  Trial trial_of(size_t candidate, Part part) const;
  Result<TrialResult> run_or_restore(const Trial& trial, double limit);
  bool may_begin(const Trial& trial);

  Files train_;
  CompareOptions options_;
  std::vector<Candidate> candidates_;
  std::vector<std::map<Part, TrialResult>> results_;
  std::vector<std::string> failures_;
  uint64_t fingerprint_ = 0;  ///< of the contents of all files
  /// Of results, failures and what follows, while trials run at once.
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
  size_t planned_ = 0, done_ = 0;
  bool stopped_ = false, spans_ = false;
};

}  // namespace espalier::report
