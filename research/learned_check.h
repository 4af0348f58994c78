// A check that fits every experiment that trains taggers: what was learned is better than the most frequent
// label everywhere. add() each learner's score, then report_to(). Header only; tested in
// apps/tests/reproduce_test.sh, which runs every experiment.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "research/experiment.h"

namespace espalier::research {

/// The share of the most frequent label, in percent.
class MostFrequent {
 public:
  void add(std::string_view label) {
    most_ = std::max(most_, ++counts_[std::string(label)]);
    ++all_;
  }
  double share() const {
    return all_ == 0 ? 0 : 100.0 * static_cast<double>(most_) / static_cast<double>(all_);
  }

 private:
  std::map<std::string, size_t> counts_;
  size_t most_ = 0, all_ = 0;
};

/// Collects scores that must be above a baseline, and reports them as one check.
class LearnedCheck {
 public:
  void add(const std::string& what, double score, double baseline) {
    ++learners_;
    if (!(score > baseline)) failed_.push_back(fmt::format("{}: {:.2f} and {:.2f}", what, score, baseline));
  }
  void report_to(Report& report) const {
    report.check(
        "every learner is better than the most frequent label everywhere", learners_ > 0 && failed_.empty(),
        failed_.empty() ? fmt::format("{} scores", learners_) : fmt::format("{}", fmt::join(failed_, "; ")));
  }

 private:
  size_t learners_ = 0;
  std::vector<std::string> failed_;
};

}  // namespace espalier::research
