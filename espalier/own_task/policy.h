// The inside of a public Policy: a section file with the weights of one or more classifiers, and how to
// search with them.
//
// PolicyBuilder::from_weights makes one from learned weights, with the same code that opens a file, so that a
// learned policy and an opened one cannot differ. The file has a section "search-policy" (JSON: the fields of
// PolicyInfo, and how to search) and the sections of search/policy/stored_policy.h under the prefixes p0.,
// p1. and so on. Tested in task_test.cc.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "espalier/base/files/section_file.h"
#include "espalier/own_task/scorer.h"
#include "espalier/own_task/space.h"
#include "espalier/public/policy.h"
#include "espalier/search/policy/policy.h"
#include "espalier/search/policy/stored_policy.h"

namespace espalier {

struct Policy::State {
  explicit State(SectionFile f) : file(std::move(f)) {}

  SectionFile file;
  PolicyInfo info;
  size_t beam = 1;
  bool best_first = false;
  bool normalise = false;  ///< scores are for single decisions and become log-probabilities on a beam
  std::vector<std::unique_ptr<search::StoredPolicy>> stored;
  /// Their weights unpacked; empty if there are too many labels for that.
  std::vector<std::shared_ptr<const own_task::DenseTaskRows>> dense;
  std::vector<double> shares;

  /// What one thread needs to score; kept for the next call.
  struct Scorers {
    search::Mixture policy;
    own_task::TaskScratch scratch;
  };
  std::unique_ptr<Scorers> take() const;
  void give_back(std::unique_ptr<Scorers> scorers) const noexcept;

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Scorers>> idle_;
};

struct PolicyBuilder {
  /// How a policy searches by default.
  struct Usage {
    size_t beam = 1;
    bool best_first = false;
    bool normalise = false;
  };
  /// An error if weights are not finite. Precondition: the mixture's classifiers are RowWeights.
  static Result<Policy> from_weights(const search::Mixture& mixture, const PolicyInfo& info,
                                     const Usage& usage);
  static Result<Policy> from_file(SectionFile file);
  static const Policy::State& state(const Policy& policy) { return *policy.state_; }
};

namespace own_task {

/// The section that distinguishes policies from models that label sequences.
inline constexpr std::string_view kPolicySection = "search-policy";

/// Scorers for the duration of a call.
class PolicyLease {
 public:
  explicit PolicyLease(const Policy::State& state) : state_(state), scorers_(state.take()) {}
  ~PolicyLease() { state_.give_back(std::move(scorers_)); }
  PolicyLease(const PolicyLease&) = delete;
  PolicyLease& operator=(const PolicyLease&) = delete;
  search::Mixture& policy() const { return scorers_->policy; }
  TaskScratch& scratch() const { return scorers_->scratch; }

 private:
  const Policy::State& state_;
  std::unique_ptr<Policy::State::Scorers> scorers_;
};

/// How to decode a task; an error if its number of labels differs from the policy's.
Result<TaskRules> rules_for_decoding(const Policy::State& state, const SearchTask& task, size_t most_actions);

/// Policy::decode; `number` is the example's for errors, 0: none.
Result<SearchResult> decode_task(const Policy::State& state, const SearchTask& task,
                                 const SearchOptions& options, size_t number);

}  // namespace own_task
}  // namespace espalier
