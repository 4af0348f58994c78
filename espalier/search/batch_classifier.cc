#include "espalier/search/batch_classifier.h"

#include <numeric>

namespace espalier::search {

Result<RowWeights> learn_liblinear(const ExportedExamples& examples,
                                   std::shared_ptr<const linear::StateRows> layout, size_t labels,
                                   const linear::LiblinearOptions& options, const Monitor& monitor) {
  linear::StateRows all = *layout;
  for (size_t i = 0; i < examples.hashes.size(); ++i) {
    for (size_t l = 0; l < labels; ++l) all.column.push_back(static_cast<uint16_t>(l));
    all.begin.push_back(static_cast<uint32_t>(all.column.size()));
  }
  linear::LiblinearOptions grouped = options;
  grouped.groups = examples.groups;
  ESPALIER_ASSIGN(const linear::LinearClassifier classifier,
                  linear::train_liblinear(examples.data, all, grouped, monitor));
  RowWeights weights(layout, labels);
  const size_t split = layout->weights();
  std::copy_n(classifier.weights.begin(), split, weights.static_weights().begin());
  for (size_t i = 0; i < examples.hashes.size(); ++i)
    std::copy_n(classifier.weights.begin() + static_cast<ptrdiff_t>(split + i * labels), labels,
                weights.hashed().row(weights.hashed().insert(examples.hashes[i])));
  return weights;
}

RowWeights mean_of(std::span<const RowWeights> classifiers) {
  ESPALIER_CHECK(!classifiers.empty());
  RowWeights mean(classifiers[0].layout(), classifiers[0].labels());
  const float share = 1.0f / static_cast<float>(classifiers.size());
  for (const RowWeights& one : classifiers) {
    ESPALIER_CHECK(one.layout() == mean.layout());
    for (size_t i = 0; i < one.static_weights().size(); ++i)
      mean.static_weights()[i] += share * one.static_weights()[i];
    for (uint32_t r = 0; r < one.hashed().size(); ++r) {
      float* const row = mean.hashed().row(mean.hashed().insert(one.hashed().hashes()[r]));
      for (size_t l = 0; l < one.labels(); ++l) row[l] += share * one.hashed().row(r)[l];
    }
  }
  return mean;
}

std::span<const float> KernelScorer::score(const FeatureSink& features) {
  ids_.clear();
  values_.clear();
  for (const uint32_t b : features.blocks()) {
    const auto ids = blocks_[b];
    const float* const values = blocks_.values_of(b);
    for (size_t i = 0; i < ids.size(); ++i) {
      ids_.push_back(ids[i]);
      values_.push_back(values == nullptr ? 1.0f : values[i]);
    }
  }
  for (const auto& e : features.entries()) {
    const uint32_t number = machine_->numbers.find(e.hash);
    if (number == linear::kNoFeature) continue;
    ids_.push_back(number);
    values_.push_back(static_cast<float>(e.value));
  }
  machine_->model.scores(ids_, values_.data(), scratch_, {row_.data(), machine_->model.labels()});
  return row_;
}

Result<std::shared_ptr<Scorer>> learn_kernel(const ExportedExamples& examples, size_t labels,
                                             const linear::LibsvmOptions& options) {
  ESPALIER_ASSIGN(linear::KernelModel model, linear::train_libsvm(examples.data, labels, options));
  std::vector<uint32_t> numbers(examples.hashes.size());
  std::iota(numbers.begin(), numbers.end(), static_cast<uint32_t>(examples.static_features));
  linear::FeatureMap map = linear::FeatureMap::build(examples.hashes, numbers, nullptr);
  auto machine = std::make_shared<const KernelScorer::Machine>(
      KernelScorer::Machine{std::move(model), std::move(map), examples.hashes});
  return std::shared_ptr<Scorer>(std::make_shared<KernelScorer>(std::move(machine)));
}

}  // namespace espalier::search
