// Classifiers of whole packages behind a search: liblinear's and libsvm's, from examples that are written
// out.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/linear/feature_map.h"
#include "espalier/linear/kernel_model.h"
#include "espalier/linear/liblinear_classifier.h"
#include "espalier/linear/libsvm_classifier.h"
#include "espalier/search/examples.h"
#include "espalier/search/policy/direct.h"
#include "espalier/search/policy/row_weights.h"

namespace espalier::search {

/// Examples as the packages want them: a row of features for each candidate, hashed features numbered after
/// the static ones, and what each action costs.
struct ExportedExamples {
  struct Option {
    uint32_t row;  ///< of its candidate's features
    uint32_t label;
    float cost;
  };
  /// One choice: options[begin .. end of the next).
  struct Decision {
    size_t begin;
    size_t target;  ///< the option to imitate, one of the cheapest
  };
  linear::TokenRows rows;  ///< their gold labels are not used
  std::vector<Option> options;
  std::vector<Decision> decisions;
  std::vector<uint64_t> hashes;  ///< feature static_features + i is hashes[i]
  size_t static_features = 0;

  std::span<const Option> options_of(size_t d) const {
    const size_t end = d + 1 < decisions.size() ? decisions[d + 1].begin : options.size();
    return {options.data() + decisions[d].begin, end - decisions[d].begin};
  }
};

/// Writes out the features of one candidate, ascending, each once.
void append_features(const FeatureSink& sink, const StaticBlocks& blocks, size_t static_features,
                     HashedRows& numbers, linear::TokenRows& rows);

/// Exports the examples for which keep(instance) holds; where candidates stand apart each is a decision by
/// itself. Memory: 8 bytes for each feature of each candidate.
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

/// Costing (Zadrozny, Langford and Abe 2003): the packages take no weights, so where those of the examples
/// differ, samples are drawn in which each example stays with probability weight / largest weight. One sample
/// leaves much unseen; classifiers of several decide together.
struct CostingOptions {
  int samples = 10;
  uint64_t seed = 1;
};

/// What the label's machine is to say of a row, 1 or −1; 0: nothing. Rows × labels.
struct OneVsAllSample {
  std::vector<int8_t> wanted;
  bool drawn = false;  ///< some examples weighed less than others
};
/// Is this option the right one? The target weighs as much as the worst that may be done instead, another
/// option what it costs; those that cost nothing are no examples.
OneVsAllSample draw_one_vs_all(const ExportedExamples& examples, size_t labels, uint64_t seed);

struct AllPairsSample {
  std::vector<linear::KernelProblem> problems;
  bool drawn = false;
};
/// Weighted all-pairs: for every two labels of a decision an example of the machine between them, which is to
/// take the cheaper one, weighted |v_i − v_j| (all_pairs_values). Precondition: one candidate a decision.
AllPairsSample draw_all_pairs(const ExportedExamples& examples, size_t labels, uint64_t seed);

struct DirectSample {
  linear::TokenRows rows;  ///< gold: the label of the target
  bool drawn = false;
};
/// Decisions as they are, each weighing what the worst of its options costs. Precondition: one candidate a
/// decision.
DirectSample draw_decisions(const ExportedExamples& examples, uint64_t seed);

/// The monitor of a part of several.
using MonitorOfPart = std::function<Monitor(int part, int parts)>;

/// liblinear's classifiers as rows: static features by `layout`, hashed ones with all labels. One-vs-all: a
/// binary machine a label. Direct: Crammer and Singer's machine over all labels, with a weight for every
/// feature and label. All-pairs is pair_classifier.h's. Fails where the monitor stops it before the first
/// sample is learned.
Result<RowWeights> learn_liblinear(const ExportedExamples& examples,
                                   std::shared_ptr<const linear::StateRows> layout, size_t labels,
                                   Reduction reduction, const linear::LiblinearOptions& options,
                                   const CostingOptions& costing, const MonitorOfPart& monitor);

/// The classifier whose scores are the mean of the classifiers' scores: what linear machines of several
/// samples have to say together. Costing lets its hypotheses vote; a mean is the same vote with each one's
/// margin as its weight, costs no more than one machine when it is used, and stays graded, as sums along a
/// beam must be. Precondition: there are some, and they share their layout.
RowWeights mean_of(std::span<const RowWeights> classifiers);

/// A kernel machine that scores candidates. The model is shared and immutable; this is a thread's view of it.
class KernelScorer final : public Scorer {
 public:
  /// What is learned and stored: the machine, and the number of every hashed feature it knows.
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

/// libsvm's machines, one for every two labels or one a label against the rest; those of all samples vote.
/// Precondition: not kDirect; one candidate a decision where all-pairs.
Result<std::shared_ptr<Scorer>> learn_kernel(const ExportedExamples& examples, size_t labels,
                                             Reduction reduction, const linear::LibsvmOptions& options,
                                             const CostingOptions& costing, const Monitor& monitor);

}  // namespace espalier::search
