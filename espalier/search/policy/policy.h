// Policies: which action is taken in a state, by the oracle, by a classifier, or by chance among these.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/base/result.h"
#include "espalier/chain/kernels.h"
#include "espalier/search/decode.h"
#include "espalier/search/policy/scorer.h"
#include "espalier/search/space.h"

namespace espalier::search {

/// A stochastic mixture of classifiers and the initial policy π: every time it is asked, it draws who
/// answers. One step of SEARN's interpolation, h ← β h' + (1 − β) h, is interpolate(h', β). Classifiers keep
/// scratch, so a mixture belongs to one thread.
class Mixture {
 public:
  /// π alone.
  Mixture() = default;

  void interpolate(std::shared_ptr<Scorer> classifier, double beta) {
    ESPALIER_CHECK(beta > 0 && beta <= 1);
    for (double& share : shares_) share *= 1 - beta;
    oracle_ *= 1 - beta;
    if (beta == 1) {  // nothing of what was before is left
      classifiers_.clear();
      shares_.clear();
      oracle_ = 0;
    }
    classifiers_.push_back(std::move(classifier));
    shares_.push_back(beta);
  }

  /// The mixture without π, the rest brought back to 1. Precondition: there is a classifier.
  Mixture without_oracle() const {
    ESPALIER_CHECK(!classifiers_.empty());
    Mixture rest = *this;
    rest.oracle_ = 0;
    double sum = 0;
    for (const double share : shares_) sum += share;
    for (double& share : rest.shares_) share /= sum;
    return rest;
  }

  double oracle_share() const { return oracle_; }
  size_t size() const { return classifiers_.size(); }
  Scorer& classifier(size_t i) const { return *classifiers_[i]; }
  double share(size_t i) const { return shares_[i]; }

  void begin(const StaticBlocks& blocks) const {
    for (const auto& classifier : classifiers_) classifier->begin(blocks);
  }

  static constexpr size_t kOracle = static_cast<size_t>(-1);
  /// Who answers the n-th time on a path with this luck.
  size_t draw(const Random& luck, uint64_t n) const {
    if (classifiers_.size() == 1 && oracle_ == 0) return 0;  // no need for luck
    return draw(luck.split(n).uniform());
  }
  /// Who answers, for a number drawn uniformly from [0, 1).
  size_t draw(double u) const {
    if (u < oracle_ || classifiers_.empty()) return kOracle;
    u -= oracle_;
    for (size_t i = 0; i + 1 < shares_.size(); ++i) {
      if (u < shares_[i]) return i;
      u -= shares_[i];
    }
    return shares_.size() - 1;
  }

  // ---- As a scorer: a deterministic reading of the mixture ---------------------------------------------
  using Value = float;
  /// The scores of the one classifier, or with several the share of those that would take the action.
  /// Precondition: π has no share.
  template <SearchSpace S>
  void score_actions(const S& space, const typename S::State& state, std::span<const Action> actions,
                     std::vector<float>& scores) const {
    ESPALIER_CHECK(oracle_ == 0 && !classifiers_.empty());
    if (classifiers_.size() == 1) {
      search::score_actions(space, *classifiers_[0], state, actions, scores);
      return;
    }
    std::vector<float> votes(actions.size(), 0.0f);
    for (size_t i = 0; i < classifiers_.size(); ++i) {
      search::score_actions(space, *classifiers_[i], state, actions, scores);
      votes[best_action(space, state, actions, scores)] += static_cast<float>(shares_[i]);
    }
    scores = std::move(votes);
  }

 private:
  std::vector<std::shared_ptr<Scorer>> classifiers_;
  std::vector<double> shares_;
  double oracle_ = 1;
};

/// A mixture whose scores are log-probabilities: log softmax over the actions of a state, for one classifier
/// of its scores, for several of their votes. Classifiers are trained to rank the actions of one state; sums
/// of their bare scores along paths would compare what was never meant to be compared.
struct Normalised {
  using Value = float;
  const Mixture& policy;

  template <SearchSpace S>
  void score_actions(const S& space, const typename S::State& state, std::span<const Action> actions,
                     std::vector<float>& scores) const {
    policy.score_actions(space, state, actions, scores);
    if (scores.empty()) return;
    if (policy.size() > 1) {
      constexpr float kNoVote = 1e-3f;  // what nobody voted for is unlikely, not impossible
      for (float& s : scores) s = std::log(s + kNoVote);
    }
    probabilities.resize(linear::padded(scores.size()));
    std::copy(scores.begin(), scores.end(), probabilities.begin());
    const float log_sum = chain::softmax(probabilities.data(), scores.size());
    for (float& s : scores) s -= log_sum;
  }
  mutable AlignedVector<float> probabilities = {};  ///< scratch
};

/// The classifiers of a mixture side by side along one path through a space whose candidates stand apart,
/// each scoring only what has changed: n classifiers take O(n (T log T + T·L)) instead of O(n T²·L).
template <HasSeparateCandidates S>
class MixtureWalk {
 public:
  MixtureWalk(const S& space, const Mixture& mixture) : mixture_(mixture), best_(mixture.size()) {
    for (size_t i = 0; i < mixture.size(); ++i) walks_.emplace_back(space, mixture.classifier(i));
  }

  /// To be called for every state of the path in turn, wherever it begins. False: it has no actions.
  bool enter(const typename S::State& state) {
    // All see the same actions, so that either each has a best one or none.
    for (size_t i = 0; i < walks_.size(); ++i) {
      const auto best = walks_[i].best(state);
      if (!best) return false;
      best_[i] = *best;
    }
    return !walks_.empty();
  }
  /// What one of them would do in the state entered last.
  const Scored<float>& best_of(size_t who) const { return best_[who]; }
  /// The action with most votes, and their share: what Mixture::score_actions puts first, of equals the one
  /// with the lower candidate and label.
  Scored<float> vote() const {
    if (best_.size() == 1) return best_[0];
    std::vector<Scored<float>> tally;  // few: most agree
    for (size_t i = 0; i < best_.size(); ++i) {
      const auto same = [&](const Scored<float>& t) { return t.action == best_[i].action; };
      auto line = std::find_if(tally.begin(), tally.end(), same);
      if (line == tally.end()) line = tally.insert(line, {best_[i].action, 0.0f});
      line->score += static_cast<float>(mixture_.share(i));
    }
    return *std::max_element(tally.begin(), tally.end(), [](const auto& a, const auto& b) {
      return a.score != b.score ? a.score < b.score : b.action < a.action;
    });
  }

 private:
  const Mixture& mixture_;
  std::vector<EasiestWalk<S, Scorer>> walks_;
  std::vector<Scored<float>> best_;
};

/// Decodes greedily by the scores of one classifier, or the votes of several. Precondition: π has no share.
template <SearchSpace S>
Found<S> decode_by_vote(const S& space, const Mixture& mixture, size_t expected = 0) {
  if constexpr (HasSeparateCandidates<S> && !HasPreference<S>) {
    MixtureWalk<S> walk(space, mixture);
    return follow(space, expected, [&](const typename S::State& state) -> std::optional<Scored<float>> {
      if (!walk.enter(state)) return std::nullopt;
      return walk.vote();
    });
  } else {
    // One classifier scores its rows without the detour of a vote.
    return mixture.size() == 1 ? decode_greedily(space, mixture.classifier(0), expected)
                               : decode_greedily(space, mixture, expected);
  }
}

/// Decodes greedily, drawing the classifier of every decision: the stochastic policy that SEARN's theory is
/// about. Precondition: π has no share.
template <SearchSpace S>
Found<S> decode_stochastically(const S& space, const Mixture& mixture, Random random) {
  const auto draw = [&] { return mixture.draw(random.uniform()); };
  if constexpr (HasSeparateCandidates<S> && !HasPreference<S>) {
    MixtureWalk<S> walk(space, mixture);
    return follow(space, 0, [&](const typename S::State& state) -> std::optional<Scored<float>> {
      if (!walk.enter(state)) return std::nullopt;
      return walk.best_of(draw());
    });
  } else {
    std::vector<Action> actions;
    std::vector<float> scores;
    return follow(space, 0, [&](const typename S::State& state) {
      return best_of(space, mixture.classifier(draw()), state, actions, scores);
    });
  }
}

}  // namespace espalier::search
