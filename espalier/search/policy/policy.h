// Policies, which decide what action to take in a state: Mixture (the oracle and classifiers, one drawn per
// decision) and the decoders that use it, decode_by_vote() and decode_stochastically(). Normalised turns a
// mixture into a scorer for beam search. With n classifiers a decision costs n rows of scores. Header only;
// tested in searn_test.cc and roll_out_test.cc.
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

/// A stochastic mixture of classifiers and the initial policy π: each time it is asked, it draws which of
/// them decides. One step of SEARN's interpolation, h ← β h' + (1 − β) h, is interpolate(h', β). Classifiers
/// keep scratch, so a mixture belongs to one thread.
class Mixture {
 public:
  /// Only π.
  Mixture() = default;

  void interpolate(std::shared_ptr<Scorer> classifier, double beta) {
    ESPALIER_CHECK(beta > 0 && beta <= 1);
    for (double& share : shares_) share *= 1 - beta;
    oracle_ *= 1 - beta;
    if (beta == 1) {  // nothing of the old mixture remains
      classifiers_.clear();
      shares_.clear();
      oracle_ = 0;
    }
    classifiers_.push_back(std::move(classifier));
    shares_.push_back(beta);
  }

  /// The mixture without π, renormalised. Precondition: there is a classifier.
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
  /// Which member decides the n-th time on a path, drawn from a random stream.
  size_t draw(const Random& stream, uint64_t n) const {
    if (classifiers_.size() == 1 && oracle_ == 0) return 0;  // no need to draw
    return draw(stream.split(n).uniform());
  }
  /// Which member decides, given a number drawn uniformly from [0, 1).
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
  /// With one classifier, its scores; with several, the total share of the classifiers that would take each
  /// action. Precondition: π has no share.
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

/// A mixture whose scores are log-probabilities: the log softmax, over the actions of a state, of one
/// classifier's scores or of the logarithms of several classifiers' votes. Classifiers are trained to rank
/// the actions of one state; sums of their raw scores along paths would not be comparable.
struct Normalised {
  using Value = float;
  const Mixture& policy;

  template <SearchSpace S>
  void score_actions(const S& space, const typename S::State& state, std::span<const Action> actions,
                     std::vector<float>& scores) const {
    policy.score_actions(space, state, actions, scores);
    if (scores.empty()) return;
    if (policy.size() > 1) {
      constexpr float kNoVote = 1e-3f;  // an action without votes is unlikely, not impossible
      for (float& s : scores) s = std::log(s + kNoVote);
    }
    probabilities.resize(linear::padded(scores.size()));
    std::copy(scores.begin(), scores.end(), probabilities.begin());
    const float log_sum = chain::softmax(probabilities.data(), scores.size());
    for (float& s : scores) s -= log_sum;
  }
  mutable AlignedVector<float> probabilities = {};  ///< scratch
};

/// All classifiers of a mixture along one path through a space with separate candidates. Each rescores only
/// what has changed: n classifiers take O(n (T log T + T·L)) instead of O(n T²·L).
template <HasSeparateCandidates S>
class MixtureWalk {
 public:
  MixtureWalk(const S& space, const Mixture& mixture) : mixture_(mixture), best_(mixture.size()) {
    for (size_t i = 0; i < mixture.size(); ++i) walks_.emplace_back(space, mixture.classifier(i));
  }

  /// Call this for each state of a path in order; the path may begin at any state. False if the state has no
  /// actions.
  bool enter(const typename S::State& state) {
    // All classifiers see the same actions, so either each has a best one or none has.
    for (size_t i = 0; i < walks_.size(); ++i) {
      const auto best = walks_[i].best(state);
      if (!best) return false;
      best_[i] = *best;
    }
    return !walks_.empty();
  }
  /// What classifier `who` would do in the state entered last.
  const Scored<float>& best_of(size_t who) const { return best_[who]; }
  /// The action with the most votes and their share: the one that Mixture::score_actions ranks first. Ties go
  /// to the lower candidate, then to the lower label.
  Scored<float> vote() const {
    if (best_.size() == 1) return best_[0];
    std::vector<Scored<float>> tally;  // short: most classifiers agree
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

/// Decodes greedily by the scores of one classifier or the votes of several. Precondition: π has no share.
template <SearchSpace S>
Found<S> decode_by_vote(const S& space, const Mixture& mixture, size_t expected = 0) {
  if constexpr (HasSeparateCandidates<S> && !HasPreference<S>) {
    MixtureWalk<S> walk(space, mixture);
    return follow(space, expected, [&](const typename S::State& state) -> std::optional<Scored<float>> {
      if (!walk.enter(state)) return std::nullopt;
      return walk.vote();
    });
  } else {
    // A single classifier scores its rows directly, without a vote.
    return mixture.size() == 1 ? decode_greedily(space, mixture.classifier(0), expected)
                               : decode_greedily(space, mixture, expected);
  }
}

/// Decodes greedily, drawing a classifier for each decision. This is the stochastic policy that SEARN's
/// theory is about. Precondition: π has no share.
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
