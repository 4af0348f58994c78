// Scores for policies of few labels: stored rows are unpacked once, so that a feature costs one table probe
// and one vector addition.
//
// Packed rows of 32-bit weights are added column by column for up to 64 labels, which is slow when a search
// asks for the features of one candidate at a time. DenseTaskRows is immutable and shared; a DenseTaskScorer
// belongs to one thread. Costs 4 bytes per label, rounded up to a whole vector, for every feature. Tested in
// task_test.cc.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/base/files/section_file.h"
#include "espalier/linear/encoding/feature_map.h"
#include "espalier/linear/packed_rows.h"
#include "espalier/search/policy/scorer.h"

namespace espalier::own_task {

class DenseTaskRows {
 public:
  static constexpr size_t kMostLabels = 64;
  /// The hashed features of the classifier under a prefix. The file must outlive this. Precondition:
  /// load_policy has found nothing wrong with the classifier, whose rows have 32-bit weights.
  static Result<std::shared_ptr<const DenseTaskRows>> load(const SectionFile& file, const std::string& prefix,
                                                           size_t labels) {
    auto dense = std::make_shared<DenseTaskRows>();
    dense->stride_ = linear::padded(labels);
    ESPALIER_ASSIGN(const auto words, file.array<uint32_t>(prefix + "hashed.rows"));
    std::vector<uint32_t> starts;
    ESPALIER_ASSIGN(const linear::PackedRows rows, linear::PackedRows::view(words, labels, 32, 1, &starts));
    ESPALIER_ASSIGN(const auto slots, file.array<linear::FeatureMap::Slot>(prefix + "hashed.map"));
    ESPALIER_ASSIGN(dense->map_, linear::FeatureMap::view(slots, rows.offset_limit()));
    dense->row_at_.resize(rows.offset_limit(), 0);
    dense->weights_.resize(starts.size() * dense->stride_, 0.0f);
    for (uint32_t r = 0; r < starts.size(); ++r) {
      dense->row_at_[starts[r]] = r;
      rows.for_each(starts[r], [&](uint32_t label, float weight) {
        dense->weights_[r * dense->stride_ + label] = weight;
      });
    }
    return std::shared_ptr<const DenseTaskRows>(std::move(dense));
  }

  size_t stride() const { return stride_; }
  void prefetch(uint64_t hash) const { map_.prefetch(hash); }
  /// The weights of a feature for every label; null if it has none.
  const float* find(uint64_t hash) const {
    const uint32_t offset = map_.find(hash);
    return offset == linear::kNoFeature ? nullptr : weights_.data() + row_at_[offset] * stride_;
  }

 private:
  size_t stride_ = 0;
  linear::FeatureMap map_;
  std::vector<uint32_t> row_at_;  ///< by offset in the packed rows
  AlignedVector<float> weights_;
};

class DenseTaskScorer final : public search::Scorer {
 public:
  explicit DenseTaskScorer(std::shared_ptr<const DenseTaskRows> rows)
      : rows_(std::move(rows)), row_(rows_->stride(), 0.0f) {}
  void begin(const search::StaticBlocks&) override {}
  std::span<const float> score(const search::FeatureSink& features) override {
    const size_t stride = rows_->stride();
    std::fill(row_.begin(), row_.end(), 0.0f);
    for (const auto& e : features.entries()) rows_->prefetch(e.hash);
    for (const auto& e : features.entries())
      if (const float* const weights = rows_->find(e.hash))
        linear::add_padded(static_cast<float>(e.value), weights, stride, row_.data());
    return row_;
  }

 private:
  std::shared_ptr<const DenseTaskRows> rows_;
  AlignedVector<float> row_;
};

}  // namespace espalier::own_task
