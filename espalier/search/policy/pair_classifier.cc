#include "espalier/search/policy/pair_classifier.h"

#include <algorithm>

namespace espalier::search {

void PairRows::collect(const StaticBlocks& blocks, const Side& side, float sign) {
  for (const uint32_t b : side.features.blocks()) {
    const auto ids = blocks[b];
    const float* const values = blocks.values_of(b);
    for (size_t i = 0; i < ids.size(); ++i) {
      if (const auto at = linear::weight_at(*layout_, ids[i], side.label))
        terms_.emplace_back(*at, sign * (values == nullptr ? 1.0f : values[i]));
    }
  }
  for (const FeatureSink::Entry& e : side.features.entries()) {
    const size_t at = layout_->weights() + numbers_.insert(e.hash) * labels_ + side.label;
    ESPALIER_CHECK(at < linear::kNoFeature);
    terms_.emplace_back(static_cast<uint32_t>(at), sign * static_cast<float>(e.value));
  }
}

bool PairRows::add(const StaticBlocks& blocks, const Side& first, const Side& second, bool first_is_better) {
  terms_.clear();
  collect(blocks, first, 1);
  collect(blocks, second, -1);
  std::stable_sort(terms_.begin(), terms_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  size_t kept = 0;
  for (size_t i = 0; i < terms_.size();) {
    float sum = 0;
    const uint32_t at = terms_[i].first;
    for (; i < terms_.size() && terms_[i].first == at; ++i) sum += terms_[i].second;
    if (sum != 0) terms_[kept++] = {at, sum};
  }
  if (kept == 0) return false;
  for (size_t i = 0; i < kept; ++i) {
    rows_.features.push(terms_[i].first);
    rows_.values.push_back(terms_[i].second);
  }
  rows_.features.close();
  rows_.gold.push_back(first_is_better ? 1 : 0);
  return true;
}

std::vector<uint32_t> PairRows::drop_beyond(double margin) {
  linear::TokenRows left;
  std::vector<uint32_t> stay;
  for (uint32_t i = 0; i < rows_.size(); ++i) {
    if (i < margins_.size() && margins_[i] > margin) continue;
    const auto features = rows_.features[i];
    left.features.append(features);
    left.values.insert(left.values.end(), rows_.values_of(i), rows_.values_of(i) + features.size());
    left.gold.push_back(rows_.gold[i]);
    stay.push_back(i);
  }
  rows_ = std::move(left);
  margins_.clear();
  return stay;
}

Result<RowWeights> PairRows::solve(const linear::LiblinearOptions& options) {
  ESPALIER_ASSIGN(const std::vector<float> all, linear::train_liblinear_binary(rows_, weights(), options));
  margins_.clear();
  for (size_t i = 0; i < rows_.size(); ++i) {
    float score = 0;
    for (size_t j = 0; j < rows_.features[i].size(); ++j)
      score += rows_.values_of(i)[j] * all[rows_.features[i][j]];
    margins_.push_back(rows_.gold[i] == 1 ? score : -score);
  }
  RowWeights out(layout_, labels_);
  const auto split = static_cast<ptrdiff_t>(layout_->weights());
  std::copy(all.begin(), all.begin() + split, out.static_weights().begin());
  for (size_t i = 0; i < numbers_.size(); ++i)
    std::copy_n(all.begin() + split + static_cast<ptrdiff_t>(i * labels_), labels_,
                out.hashed().row(out.hashed().insert(numbers_.hashes()[i])));
  return out;
}

}  // namespace espalier::search
