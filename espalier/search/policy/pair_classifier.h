// learn_pairs(): weighted all-pairs with liblinear, as one binary machine on the feature differences of two
// actions. Faster online training of the same reduction is in online_classifier.h. The costs are stated at
// learn_pairs(). Tested in batch_classifier_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "espalier/base/hash.h"
#include "espalier/base/progress.h"
#include "espalier/linear/classifiers/liblinear_classifier.h"
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

/// The examples that learn_pairs() learns from, whatever their space. Examples are asked for in order.
class PairExamples {
 public:
  virtual ~PairExamples() = default;
  virtual size_t size() const = 0;
  virtual uint32_t instance(size_t example) const = 0;
  virtual bool kept(uint32_t instance) const = 0;
  virtual StaticBlocks blocks(uint32_t instance) const = 0;
  /// The actions of an example; returns their costs.
  virtual const float* actions(size_t example, std::vector<Action>& actions) const = 0;
  virtual void score(size_t example, std::span<const Action> actions, RowWeights& weights,
                     std::vector<float>& scores) const = 0;
  virtual void features(size_t example, uint32_t candidate, FeatureSink& sink) const = 0;
  /// Whether only actions of the same candidate are compared.
  virtual bool separate_candidates() const = 0;
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
Result<RowWeights> learn_pairs(const PairExamples& examples, std::shared_ptr<const linear::StateRows> layout,
                               size_t labels, const PairOptions& options, const MonitorOfPart& monitor);

/// The same for examples of a space; `keep` says which instances to learn from.
template <Problem P, typename Keep>
Result<RowWeights> learn_pairs(const P& problem, const Examples<typename P::Space>& examples,
                               std::shared_ptr<const linear::StateRows> layout, size_t labels,
                               const PairOptions& options, const Keep& keep, const MonitorOfPart& monitor) {
  using Space = typename P::Space;
  class Asked final : public PairExamples {
   public:
    Asked(const P& problem, const Examples<Space>& examples, const Keep& keep)
        : problem_(problem), examples_(examples), keep_(keep) {}
    size_t size() const override { return examples_.list.size(); }
    uint32_t instance(size_t example) const override { return examples_.list[example].instance; }
    bool kept(uint32_t instance) const override { return keep_(instance); }
    StaticBlocks blocks(uint32_t instance) const override { return problem_.blocks(instance); }
    const float* actions(size_t example, std::vector<Action>& actions) const override {
      example_actions(space(example), examples_.list[example].state, actions);
      return examples_.costs.data() + examples_.list[example].first_cost;
    }
    void score(size_t example, std::span<const Action> actions, RowWeights& weights,
               std::vector<float>& scores) const override {
      score_actions(space(example), weights, examples_.list[example].state, actions, scores);
    }
    void features(size_t example, uint32_t candidate, FeatureSink& sink) const override {
      space(example).features(examples_.list[example].state, candidate, sink);
    }
    bool separate_candidates() const override { return HasSeparateCandidates<Space>; }

   private:
    Space space(size_t example) const { return problem_.space(examples_.list[example].instance); }
    const P& problem_;
    const Examples<Space>& examples_;
    const Keep& keep_;
  };
  return learn_pairs(Asked(problem, examples, keep), std::move(layout), labels, options, monitor);
}

}  // namespace espalier::search
