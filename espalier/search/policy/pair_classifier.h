// learn_pairs(): weighted all-pairs with liblinear, as one binary machine on the feature differences of two
// actions. Faster online training of the same reduction is in online_classifier.h. The costs are stated at
// learn_pairs(). Tested in batch_classifier_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "espalier/base/hash.h"
#include "espalier/base/progress.h"
#include "espalier/linear/liblinear_classifier.h"
#include "espalier/search/examples.h"
#include "espalier/search/policy/batch_classifier.h"
#include "espalier/search/policy/online_classifier.h"
#include "espalier/search/policy/row_weights.h"

namespace espalier::search {

/// The pairs that a machine is trained on, as differences of features in the weights of RowWeights. Static
/// features have the weights that `layout` defines, hashed ones a weight for every label. The number of
/// weight w_(f,l) is the position of (f, l) in the layout; for hashed features, the size of the layout plus
/// (hashed number · labels + l).
class PairRows {
 public:
  PairRows(std::shared_ptr<const linear::StateRows> layout, size_t labels)
      : layout_(std::move(layout)), labels_(labels), numbers_(1) {}

  /// One action: the features of its candidate, and its label.
  struct Side {
    const FeatureSink& features;
    uint32_t label;
  };
  /// Adds the example f(first) − f(second), whose score is to be positive if the first action is the better
  /// one. Returns false and adds nothing if both have the same features.
  bool add(const StaticBlocks& blocks, const Side& first, const Side& second, bool first_is_better);
  size_t size() const { return rows_.size(); }
  const linear::TokenRows& rows() const { return rows_; }
  size_t weights() const { return layout_->weights() + numbers_.size() * labels_; }

  /// Trains the machine that tells the better from the worse action and returns it as rows.
  Result<RowWeights> solve(const linear::LiblinearOptions& options);
  /// Drops the examples that the last machine classifies correctly with a margin above this; they did not
  /// influence it. Returns the former indexes of the remaining examples.
  std::vector<uint32_t> drop_beyond(double margin);

 private:
  void collect(const StaticBlocks& blocks, const Side& side, float sign);

  std::shared_ptr<const linear::StateRows> layout_;
  size_t labels_;
  HashedRows numbers_;
  linear::TokenRows rows_;
  std::vector<float> margins_;  ///< margins of the rows that the last machine was trained on
  std::vector<std::pair<uint32_t, float>> terms_;  ///< scratch
};

struct PairOptions {
  linear::LiblinearOptions liblinear;
  CostingOptions costing;
  /// The number of pairs per example that are added in each round, the most violated first.
  size_t joining = 2;
  int rounds = 12;
  /// A pair is violated if its margin is below 1 − tolerance.
  double tolerance = 0.1;
};

/// Pairs have the weight |v_i − v_j| (all_pairs_values). If weights differ, samples are drawn as in costing:
/// each pair is kept with probability weight / largest weight, by a draw that depends only on the seed and
/// the pair, and the machines of all samples are averaged.
///
/// A state with A actions has up to A(A−1)/2 pairs, of which few matter in the end. The machine for all pairs
/// is therefore found from a working set (cutting planes): pairs that the last machine gets wrong, or right
/// by too small a margin, are added until there are none. A pair outside the set has no loss, so what is
/// optimal for the set is optimal for all, within the tolerance. Pairs well beyond their margin leave the set
/// again, so it stays about as large as the number of support vectors. A round costs the scores and pairs of
/// all states, plus liblinear on the set. If the monitor stops training, the machine so far is returned, or
/// an error if there is none yet.
template <Problem P, typename Keep>
Result<RowWeights> learn_pairs(const P& problem, const Examples<typename P::Space>& examples,
                               std::shared_ptr<const linear::StateRows> layout, size_t labels,
                               const PairOptions& options, const Keep& keep, const MonitorOfPart& monitor) {
  using Space = typename P::Space;
  struct Violation {
    float margin;
    uint64_t tie_break;
    uint32_t first, second;
  };
  std::vector<Action> actions;
  std::vector<float> scores;
  std::vector<double> v;
  /// The actions of an example and their v. With separate candidates, v compares actions of the same
  /// candidate only.
  const auto values_of = [&](const Space& space, const auto& example) {
    example_actions(space, example.state, actions);
    v.assign(actions.size(), 0.0);
    const float* const costs = examples.costs.data() + example.first_cost;
    for (size_t from = 0; from < actions.size();) {
      size_t to = actions.size();
      if constexpr (HasSeparateCandidates<Space>)
        for (to = from; to < actions.size() && actions[to].candidate == actions[from].candidate;) ++to;
      const auto some = all_pairs_values({costs + from, to - from});
      std::copy(some.begin(), some.end(), v.begin() + static_cast<ptrdiff_t>(from));
      from = to;
    }
  };
  const auto comparable = [&](size_t i, size_t j) {
    return !HasSeparateCandidates<Space> || actions[i].candidate == actions[j].candidate;
  };
  constexpr double kRounding = 1e-6;
  double largest = 0, least = 0;
  for (const auto& example : examples.list) {
    if (!keep(example.instance)) continue;
    values_of(problem.space(example.instance), example);
    for (size_t i = 0; i < actions.size(); ++i)
      for (size_t j = i + 1; j < actions.size(); ++j) {
        const double weight = comparable(i, j) ? std::abs(v[i] - v[j]) : 0.0;
        if (weight <= 0) continue;
        largest = std::max(largest, weight);
        least = least == 0 ? weight : std::min(least, weight);
      }
  }
  if (largest == 0) return fail("all actions cost the same, so there is nothing to learn");
  const bool drawn = least < largest * (1 - kRounding);
  const int samples = drawn ? std::max(1, options.costing.samples) : 1;

  std::vector<RowWeights> machines;
  FeatureSink first_sink, second_sink;
  std::vector<Violation> violations;
  for (int sample = 0; sample < samples; ++sample) {
    const Monitor part = monitor(sample, samples);
    const uint64_t seed =
        hash_combine(hash_combine(0x70616972, options.costing.seed), static_cast<uint64_t>(sample));
    PairRows rows(layout, labels);
    RowWeights weights(layout, labels);
    struct Member {
      uint32_t example, first, second;
    };
    std::vector<Member> member_of;  // the pair of each row
    std::vector<std::vector<std::pair<uint32_t, uint32_t>>> members(examples.list.size()),
        alike(examples.list.size());  // members: in the set; alike: equal features, never added
    bool learned = false;
    for (int round = 1; round <= options.rounds; ++round) {
      if (part.stop_requested()) break;
      const size_t before = rows.size();
      std::optional<uint32_t> begun;
      for (size_t e = 0; e < examples.list.size(); ++e) {
        const auto& example = examples.list[e];
        if (!keep(example.instance)) continue;
        const Space space = problem.space(example.instance);
        const StaticBlocks blocks = problem.blocks(example.instance);
        if (begun != example.instance) {
          part.report({.phase = "training",
                       .done = round - 1 + static_cast<double>(e) / static_cast<double>(examples.list.size()),
                       .total = static_cast<double>(options.rounds),
                       .round = {},
                       .objective = {},
                       .dev_score = {}});
          weights.begin(blocks);
          begun = example.instance;
        }
        values_of(space, example);
        score_actions(space, weights, example.state, std::span<const Action>(actions), scores);
        violations.clear();
        for (uint32_t i = 0; i < actions.size(); ++i)
          for (uint32_t j = i + 1; j < actions.size(); ++j) {
            const double weight = std::abs(v[i] - v[j]);
            const float margin = v[i] < v[j] ? scores[i] - scores[j] : scores[j] - scores[i];
            if (weight <= 0 || margin >= 1 - options.tolerance || !comparable(i, j)) continue;
            const uint64_t draw = hash_combine(hash_combine(seed, e), uint64_t{i} << 32 | j);
            const double u = static_cast<double>(draw >> 11) * 0x1p-53;
            if (weight < largest * (1 - kRounding) && u * largest >= weight) continue;
            violations.push_back({margin, hash_combine(draw, 1), i, j});
          }
        std::erase_if(violations, [&](const Violation& one) {
          const std::pair pair(one.first, one.second);
          return std::find(members[e].begin(), members[e].end(), pair) != members[e].end() ||
                 std::find(alike[e].begin(), alike[e].end(), pair) != alike[e].end();
        });
        const size_t joining = std::min(options.joining, violations.size());
        std::partial_sort(violations.begin(), violations.begin() + static_cast<ptrdiff_t>(joining),
                          violations.end(), [](const Violation& a, const Violation& b) {
                            return a.margin != b.margin ? a.margin < b.margin : a.tie_break < b.tie_break;
                          });
        for (size_t n = 0; n < joining; ++n) {
          const auto [margin, tie_break, i, j] = violations[n];
          first_sink.clear();
          second_sink.clear();
          space.features(example.state, actions[i].candidate, first_sink);
          space.features(example.state, actions[j].candidate, second_sink);
          const bool differ =
              rows.add(blocks, {first_sink, actions[i].label}, {second_sink, actions[j].label}, v[i] < v[j]);
          (differ ? members : alike)[e].emplace_back(i, j);
          if (differ) member_of.push_back({static_cast<uint32_t>(e), i, j});
        }
      }
      if (rows.size() == before) break;  // nothing is violated except pairs with equal features
      ESPALIER_ASSIGN(weights, rows.solve(options.liblinear));
      learned = true;
      std::vector<Member> left;
      for (const uint32_t r : rows.drop_beyond(1 + options.tolerance)) left.push_back(member_of[r]);
      member_of = std::move(left);
      for (auto& list : members) list.clear();
      for (const Member& one : member_of) members[one.example].emplace_back(one.first, one.second);
    }
    if (!learned && machines.empty())
      return fail("nothing was learned: training was stopped, or no two actions differ in their features");
    if (learned) machines.push_back(std::move(weights));
    if (part.stop_requested()) break;
  }
  return mean_of(machines);
}

}  // namespace espalier::search
