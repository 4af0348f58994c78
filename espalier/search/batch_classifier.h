// Classifiers of whole packages behind a search: liblinear and libsvm, for spaces with one candidate a state.
#pragma once

#include <memory>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/linear/dataset.h"
#include "espalier/linear/feature_map.h"
#include "espalier/linear/kernel_model.h"
#include "espalier/linear/liblinear_classifier.h"
#include "espalier/linear/libsvm_classifier.h"
#include "espalier/search/examples.h"
#include "espalier/search/row_weights.h"

namespace espalier::search {

/// Examples as the packages want them: one token an example, hashed features numbered after the static ones.
struct ExportedExamples {
  linear::Dataset data;
  std::vector<uint64_t> hashes;  ///< feature static_features + i is hashes[i]
  size_t static_features = 0;
  bool sampled = false;  ///< some examples weighed less than others and had to be drawn
  /// Per label, the least of the labels it competes with, directly or through others: labels are of one group
  /// where a state has both.
  std::vector<uint32_t> groups;
};

/// Which labels compete: a union-find whose roots are the least labels of their groups.
class LabelGroups {
 public:
  void reserve(size_t labels) {
    while (parent_.size() < labels) parent_.push_back(static_cast<uint32_t>(parent_.size()));
  }
  void join(uint32_t a, uint32_t b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  std::vector<uint32_t> of_labels() {
    for (uint32_t l = 0; l < parent_.size(); ++l) parent_[l] = root(l);
    return parent_;
  }

 private:
  uint32_t root(uint32_t l) {
    while (parent_[l] != l) l = parent_[l] = parent_[parent_[l]];
    return l;
  }
  std::vector<uint32_t> parent_;
};

/// Exports the examples for which keep(instance) holds. The label is that of the oracle's action among the
/// cheapest. Examples weigh as much as their worst action costs; the packages take no weights, so where these
/// differ the examples are drawn by costing's rejection sampling (Zadrozny, Langford and Abe 2003): kept with
/// probability weight / largest weight. Under Hamming loss all stay. One sample leaves much unseen, so
/// classifiers of several, drawn with other seeds, are to decide together. Precondition: one candidate a
/// state.
template <Problem P, typename Keep>
ExportedExamples export_examples(const P& problem, const Examples<typename P::Space>& examples,
                                 size_t static_features, uint64_t seed, const Keep& keep) {
  ExportedExamples out;
  out.static_features = static_features;
  HashedRows numbers(1);
  FeatureSink sink;
  std::vector<Action> actions, optimal;
  bool valued = false;
  std::vector<float> values;
  const auto weight_of = [&](size_t i, size_t n) {
    const auto first = examples.costs.begin() + static_cast<ptrdiff_t>(examples.list[i].first_cost);
    return n == 0 ? 0.0f : *std::max_element(first, first + static_cast<ptrdiff_t>(n));
  };
  float largest = 0;
  for (size_t i = 0; i < examples.list.size(); ++i) {
    const uint64_t end =
        i + 1 < examples.list.size() ? examples.list[i + 1].first_cost : examples.costs.size();
    largest = std::max(largest, weight_of(i, end - examples.list[i].first_cost));
  }
  Random random(seed);
  LabelGroups groups;
  for (size_t i = 0; i < examples.list.size(); ++i) {
    const auto& example = examples.list[i];
    if (!keep(example.instance)) continue;
    const auto space = problem.space(example.instance);
    actions.clear();
    optimal.clear();
    space.actions(example.state, actions);
    groups.reserve(space.labels());
    for (const Action& a : actions) groups.join(actions[0].label, a.label);
    space.optimal_actions(example.state, optimal);
    const float weight = weight_of(i, actions.size());
    out.sampled = out.sampled || weight < largest;
    if (weight < largest && random.uniform() * largest >= weight) continue;
    size_t label = 0;
    const float* const costs = examples.costs.data() + example.first_cost;
    for (size_t a = 0; a < actions.size(); ++a)
      if (costs[a] < costs[label] || (costs[a] == costs[label] && actions[a] == optimal[0])) label = a;
    sink.clear();
    space.features(example.state, 0, sink);
    const StaticBlocks blocks = problem.blocks(example.instance);
    for (const uint32_t b : sink.blocks())
      for (size_t j = 0; j < blocks[b].size(); ++j) {
        out.data.state.push(blocks[b][j]);
        const float* const v = blocks.values_of(b);
        values.push_back(v == nullptr ? 1.0f : v[j]);
        valued = valued || values.back() != 1;
      }
    for (const auto& e : sink.entries()) {
      out.data.state.push(static_cast<uint32_t>(static_features) + numbers.insert(e.hash));
      values.push_back(static_cast<float>(e.value));
      valued = valued || values.back() != 1;
    }
    out.data.state.close();
    out.data.edge.close();
    out.data.gold.push_back(static_cast<data::Label>(actions[label].label));
    out.data.weight.push_back(1.0f);
    out.data.sequence_begin.push_back(out.data.gold.size());
  }
  if (valued) out.data.state_values = std::move(values);
  out.hashes = numbers.hashes();
  out.groups = groups.of_labels();
  return out;
}

/// liblinear's classifiers as rows: static features by `layout`, hashed ones with all labels.
Result<RowWeights> learn_liblinear(const ExportedExamples& examples,
                                   std::shared_ptr<const linear::StateRows> layout, size_t labels,
                                   const linear::LiblinearOptions& options, const Monitor& monitor);

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

/// libsvm's machine for every pair of labels: with all weights equal that is weighted all-pairs.
Result<std::shared_ptr<Scorer>> learn_kernel(const ExportedExamples& examples, size_t labels,
                                             const linear::LibsvmOptions& options);

}  // namespace espalier::search
