// For tests only: a small sequence-labelling task whose features are all hashed, and a scorer with random
// scores.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "espalier/base/hash.h"
#include "espalier/base/random.h"
#include "espalier/search/examples.h"
#include "espalier/search/policy/row_weights.h"

namespace espalier::search {

/// Labels observations from left to right; the loss is the number of wrong labels.
struct ToySpace {
  struct State {
    uint32_t at = 0;
    uint32_t before = 99;  ///< the previous label; 99 at the beginning
    uint32_t errors = 0;
    uint64_t history = 0;  ///< hash of all labels so far
  };
  std::vector<uint32_t> x;
  std::vector<uint32_t> y;
  uint32_t k = 2;
  bool all_history = false;  ///< every state gets a feature of its own, so that any policy can be expressed

  State initial() const { return {}; }
  bool is_goal(const State& s) const { return s.at == x.size(); }
  void actions(const State&, std::vector<Action>& out) const {
    for (uint32_t l = 0; l < k; ++l) out.push_back({0, l});
  }
  State apply(const State& s, Action a) const {
    return {s.at + 1, a.label, s.errors + (a.label != y[s.at] ? 1u : 0u),
            hash_combine(s.history, a.label + 1)};
  }
  size_t labels() const { return k; }
  void features(const State& s, uint32_t, FeatureSink& sink) const {
    if (all_history) {
      uint64_t input = 17;
      for (const uint32_t v : x) input = hash_combine(input, v);
      sink.add(hash_combine(input, hash_combine(s.history, s.at)));
      return;
    }
    sink.add(hash_combine(1, x[s.at]));
    sink.add(hash_combine(2, s.before));
    sink.add(hash_combine(hash_combine(3, s.before), x[s.at]));
  }
  double loss(const State& s) const { return s.errors; }
  double best_loss(const State& s) const { return s.errors; }
  void optimal_actions(const State& s, std::vector<Action>& out) const { out.push_back({0, y[s.at]}); }
  double loss_so_far(const State& s) const { return s.errors; }
};

struct ToyProblem {
  using Space = ToySpace;
  std::vector<ToySpace> spaces;
  size_t size() const { return spaces.size(); }
  ToySpace space(size_t i) const { return spaces[i]; }
  StaticBlocks blocks(size_t) const { return {}; }
};

/// Random problems in which the label depends on the observation and the previous label, so history helps:
/// observation 0 keeps the previous label, 1 flips it, 2 sets it to 1. Each label is flipped with probability
/// `noise`.
inline ToyProblem toggles(uint64_t seed, size_t instances, size_t length, double noise) {
  Random random(seed);
  ToyProblem problem;
  for (size_t i = 0; i < instances; ++i) {
    ToySpace space;
    uint32_t label = 0;
    for (size_t t = 0; t < length; ++t) {
      const uint32_t x = t == 0 ? 2 : static_cast<uint32_t>(random.below(3));
      label = x == 0 ? label : x == 1 ? 1 - label : 1;
      space.x.push_back(x);
      space.y.push_back(random.uniform() < noise ? 1 - label : label);
    }
    problem.spaces.push_back(std::move(space));
  }
  return problem;
}

/// An arbitrary policy: scores are pseudo-random numbers determined by the features.
class RandomScorer final : public Scorer {
 public:
  RandomScorer(size_t labels, uint64_t seed) : row_(labels), seed_(seed) {}
  void begin(const StaticBlocks&) override {}
  std::span<const float> score(const FeatureSink& features) override {
    uint64_t h = seed_;
    for (const auto& e : features.entries()) h = hash_combine(h, e.hash);
    for (size_t l = 0; l < row_.size(); ++l) row_[l] = static_cast<float>(Random(h).split(l).uniform());
    return row_;
  }

 private:
  std::vector<float> row_;
  uint64_t seed_;
};

}  // namespace espalier::search
