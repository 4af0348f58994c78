// The search for a summary: pieces of the documents are added one by one, in any order, until no more fit in
// the limit of words. With sentences as pieces this is extraction; with words, the vine-growth model of
// Daumé, Langford and Marcu (2009, section 6.2): a word can be added when its parent is in.
//
// A SummaryInstance is one cluster with everything that the search needs; SummarySpace is the space over it,
// for training if the instance has an oracle. Actions are pieces (Action::candidate) with the one label 0.
// Tested in summary_space_test.cc.
#pragma once

#include <memory>
#include <vector>

#include "espalier/search/policy/scorer.h"
#include "espalier/search/space.h"
#include "espalier/tasks/spaces/decision_plan.h"
#include "espalier/tasks/summary/summary_features.h"
#include "espalier/tasks/summary/summary_oracle.h"

namespace espalier::tasks {

/// Not copyable: its parts refer to each other.
struct SummaryInstance {
  SummaryInstance(Cluster read, SummaryInput made)
      : cluster(std::move(read)), input(std::move(made)), features(input, cluster) {}
  SummaryInstance(const SummaryInstance&) = delete;
  SummaryInstance& operator=(const SummaryInstance&) = delete;

  Cluster cluster;
  SummaryInput input;
  SummaryFeatures features;
  std::unique_ptr<SummaryOracle> oracle;  ///< in training
  mutable SummaryContext context;         ///< scratch: one thread at a time
};

class SummarySpace {
 public:
  struct State {
    std::vector<uint32_t> chosen;  ///< in the order of choice
    uint32_t words = 0;
    uint64_t key = 0;
    bool goal = false;
  };
  explicit SummarySpace(const SummaryInstance& instance) : at_(&instance) {}

  State initial() const;
  bool is_goal(const State& state) const { return state.goal; }
  void actions(const State& state, std::vector<search::Action>& out) const;
  State apply(const State& state, search::Action action) const {
    State next = state;
    advance(next, action);
    return next;
  }
  void advance(State& state, search::Action action) const;
  size_t labels() const { return 1; }
  void features(const State& state, uint32_t candidate, search::FeatureSink& sink) const;

  // ---- training ---------------------------------------------------------------------------------------
  double loss(const State& goal) const;
  void optimal_actions(const State& state, std::vector<search::Action>& out) const;
  double best_loss(const State& state) const;
  double best_loss_after(const State& state, search::Action action) const;

 private:
  const SummaryContext& load(const State& state) const;
  void find_goal(State& state) const;

  const SummaryInstance* at_;
};

/// A training set (search::Problem).
struct SummaryProblem {
  using Space = SummarySpace;
  static constexpr SearchKind kKind = SearchKind::kSummary;
  static constexpr bool kBatchClassifiers = false;
  std::vector<std::unique_ptr<SummaryInstance>> instances;
  size_t size() const { return instances.size(); }
  Space space(size_t i) const { return Space(*instances[i]); }
  search::StaticBlocks blocks(size_t) const { return {}; }
};

}  // namespace espalier::tasks
