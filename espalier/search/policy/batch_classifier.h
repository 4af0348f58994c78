// Classifiers trained by liblinear and libsvm for the decisions of a search. export_examples() writes out the
// examples with their features, then learn_liblinear() or learn_kernel() trains. Needs memory for all
// examples at once. All-pairs with liblinear is in pair_classifier.h; online_classifier.h trains without
// exporting.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/linear/classifiers/kernel_model.h"
#include "espalier/linear/classifiers/liblinear_classifier.h"
#include "espalier/linear/classifiers/libsvm_classifier.h"
#include "espalier/linear/encoding/feature_map.h"
#include "espalier/search/examples.h"
#include "espalier/search/policy/online_classifier.h"
#include "espalier/search/policy/row_weights.h"

namespace espalier::search {

/// Examples in the form that liblinear and libsvm take: one row of features per candidate, hashed features
/// numbered after the static ones, and the cost of each action.
struct ExportedExamples {
  struct Option {
    uint32_t row;  ///< the row of its candidate
    uint32_t label;
    float cost;
  };
  /// One decision between options[begin .. begin of the next decision).
  struct Decision {
    size_t begin;
    size_t target;  ///< the option to imitate, one of the cheapest
  };
  linear::TokenRows rows;  ///< the gold labels are not used
  std::vector<Option> options;
  std::vector<Decision> decisions;
  std::vector<uint64_t> hashes;  ///< feature static_features + i is hashes[i]
  size_t static_features = 0;

  std::span<const Option> options_of(size_t d) const {
    const size_t end = d + 1 < decisions.size() ? decisions[d + 1].begin : options.size();
    return {options.data() + decisions[d].begin, end - decisions[d].begin};
  }
};

/// Appends one candidate's features to the rows, in ascending order and each once.
void append_features(const FeatureSink& sink, const StaticBlocks& blocks, size_t static_features,
                     HashedRows& numbers, linear::TokenRows& rows);

/// Exports the examples for which keep(instance) is true. With separate candidates, each candidate is a
/// decision by itself. Takes 8 bytes per feature of each candidate.
template <Problem P, typename Keep>
ExportedExamples export_examples(const P& problem, const Examples<typename P::Space>& examples,
                                 size_t static_features, const Keep& keep) {
  using Space = typename P::Space;
  ExportedExamples out;
  out.static_features = static_features;
  HashedRows numbers(1);
  FeatureSink sink;
  std::vector<Action> actions, optimal;
  for (const auto& example : examples.list) {
    if (!keep(example.instance)) continue;
    const Space space = problem.space(example.instance);
    example_actions(space, example.state, actions);
    optimal.clear();
    if constexpr (!HasSeparateCandidates<Space>) space.optimal_actions(example.state, optimal);
    const float* const costs = examples.costs.data() + example.first_cost;
    const StaticBlocks blocks = problem.blocks(example.instance);
    for (size_t a = 0; a < actions.size(); ++a) {
      const bool fresh = a == 0 || actions[a].candidate != actions[a - 1].candidate;
      if (a == 0 || (fresh && HasSeparateCandidates<Space>))
        out.decisions.push_back({out.options.size(), out.options.size()});
      if (fresh) {
        sink.clear();
        space.features(example.state, actions[a].candidate, sink);
        append_features(sink, blocks, static_features, numbers, out.rows);
      }
      out.options.push_back({static_cast<uint32_t>(out.rows.size() - 1), actions[a].label, costs[a]});
      size_t& target = out.decisions.back().target;
      const float least = out.options[target].cost;
      const bool imitated = !optimal.empty() && actions[a] == optimal[0];
      if (costs[a] < least || (costs[a] == least && imitated)) target = out.options.size() - 1;
    }
  }
  out.hashes = numbers.hashes();
  return out;
}

/// Costing (Zadrozny, Langford and Abe 2003): the packages take no weights, so if examples differ in weight,
/// samples are drawn in which each example is kept with probability weight / largest weight. A single sample
/// omits many examples, so the classifiers of several samples are combined.
struct CostingOptions {
  int samples = 10;
  uint64_t seed = 1;
};

/// For each row and label, what the label's machine should say: 1, −1, or 0 if the row is not an example for
/// it.
struct OneVsAllSample {
  std::vector<int8_t> wanted;
  bool drawn = false;  ///< whether examples differed in weight, so that some may be missing
};
/// One-vs-all: is this option the right one? The target weighs as much as the worst option costs, every other
/// option as much as it costs itself; options without cost are not examples.
OneVsAllSample draw_one_vs_all(const ExportedExamples& examples, size_t labels, uint64_t seed);

struct AllPairsSample {
  std::vector<linear::KernelProblem> problems;
  bool drawn = false;
};
/// Weighted all-pairs: each pair of labels of a decision is an example for the machine between these labels,
/// which should prefer the cheaper one. The weight is |v_i − v_j| (all_pairs_values). Precondition: one
/// candidate per decision.
AllPairsSample draw_all_pairs(const ExportedExamples& examples, size_t labels, uint64_t seed);

struct DirectSample {
  linear::TokenRows rows;  ///< gold is the label of the target
  bool drawn = false;
};
/// Whole decisions, each weighted by the cost of its worst option. Precondition: one candidate per decision.
DirectSample draw_decisions(const ExportedExamples& examples, uint64_t seed);

/// Makes the monitor for one of several parts of the training.
using MonitorOfPart = std::function<Monitor(int part, int parts)>;

/// Trains liblinear and returns rows: static features have the weights that `layout` defines, hashed ones a
/// weight for every label. One-vs-all trains one binary machine per label. Direct trains Crammer and Singer's
/// machine over all labels, with a weight for every feature and label. All-pairs is not supported here (see
/// pair_classifier.h). Fails if the monitor stops training before the first sample is learned.
Result<RowWeights> learn_liblinear(const ExportedExamples& examples,
                                   std::shared_ptr<const linear::StateRows> layout, size_t labels,
                                   Reduction reduction, const linear::LiblinearOptions& options,
                                   const CostingOptions& costing, const MonitorOfPart& monitor);

/// The classifier whose scores are the mean of the given classifiers' scores; used to combine the machines of
/// several samples. Costing lets its machines vote. A mean is a vote weighted by the margins; it costs no
/// more to apply than one machine, and its scores can be summed along a beam. Precondition: at least one
/// classifier, all with the same layout.
RowWeights mean_of(std::span<const RowWeights> classifiers);

/// A kernel machine as a scorer. The model is shared and immutable; the scorer itself belongs to one thread.
class KernelScorer final : public Scorer {
 public:
  /// What is learned and stored: the machine and the numbers of the hashed features it knows.
  struct Machine {
    linear::KernelModel model;
    linear::FeatureMap numbers;
    std::vector<uint64_t> hashes;
  };
  explicit KernelScorer(std::shared_ptr<const Machine> machine)
      : machine_(std::move(machine)), row_(linear::padded(machine_->model.labels()), 0.0f) {}

  void begin(const StaticBlocks& blocks) override { blocks_ = blocks; }
  std::span<const float> score(const FeatureSink& features) override;
  const std::shared_ptr<const Machine>& machine() const { return machine_; }

 private:
  std::shared_ptr<const Machine> machine_;
  StaticBlocks blocks_;
  std::vector<uint32_t> ids_;
  std::vector<float> values_;
  AlignedVector<float> row_;
  linear::KernelModel::Scratch scratch_;
};

/// Trains libsvm's machines, one per pair of labels or one per label against the rest. The machines of all
/// samples vote. Precondition: the reduction is not kDirect; all-pairs needs one candidate per decision.
Result<std::shared_ptr<Scorer>> learn_kernel(const ExportedExamples& examples, size_t labels,
                                             Reduction reduction, const linear::LibsvmOptions& options,
                                             const CostingOptions& costing, const Monitor& monitor);

}  // namespace espalier::search
