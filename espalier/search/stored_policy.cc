#include "espalier/search/stored_policy.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "espalier/linear/kept_features.h"

namespace espalier::search {

namespace {

using nlohmann::json;

/// Rows of weights: packed ones for static features, dense ones for hashed.
class StoredRows final : public StoredPolicy {
 public:
  linear::FeatureMap state_map, hashed_map;
  linear::PackedRows state;
  std::span<const float> hashed;
  size_t labels = 0, stride = 0, feature_count = 0, weight_count = 0;

  std::unique_ptr<InputScorer> make_scorer() const override;
  size_t features() const override { return feature_count; }
  size_t weights() const override { return weight_count; }
  int bits() const override { return state.bits(); }
  const linear::PackedRows* rows() const override { return &state; }
};

class StoredRowScorer final : public InputScorer {
 public:
  explicit StoredRowScorer(const StoredRows& rows) : rows_(rows), row_(rows.stride, 0.0f) {}

  void begin(const StaticBlocks&) override {}
  void prepare(const data::HashedFeatures& blocks) override {
    offsets_.resize(blocks.state.size());
    rows_.state_map.find_all(blocks.state, offsets_.data());
    begin_ = blocks.state_begin;
    values_ = blocks.state_values;
    scores_.assign(blocks.length() * rows_.stride, 0.0f);
    rows_.state.add(offsets_, begin_, values_.empty() ? nullptr : values_.data(), rows_.stride,
                    scores_.data());
  }
  std::span<const float> score(const FeatureSink& features) override {
    const size_t S = rows_.stride;
    float* const row = row_.data();
    bool first = true;
    for (const uint32_t b : features.blocks()) {
      const float* const sum = scores_.data() + b * S;
      if (first) {
        std::copy_n(sum, S, row);
        first = false;
      } else {
        for (size_t l = 0; l < S; ++l) row[l] += sum[l];
      }
    }
    if (first) std::fill_n(row, S, 0.0f);
    for (const auto& e : features.entries()) {
      const uint32_t r = rows_.hashed_map.find(e.hash);
      if (r == linear::kNoFeature) continue;
      const float value = static_cast<float>(e.value);
      const float* const w = rows_.hashed.data() + r * S;
      for (size_t l = 0; l < S; ++l) row[l] += value * w[l];
    }
    return row_;
  }
  void visit_block(uint32_t block, const Visit& visit) const override {
    for (uint32_t i = begin_[block]; i < begin_[block + 1]; ++i) {
      if (offsets_[i] == linear::kNoFeature) continue;
      const double value = values_.empty() ? 1.0 : values_[i];
      rows_.state.for_each(offsets_[i],
                           [&](uint32_t label, float w) { visit(i - begin_[block], label, value * w); });
    }
  }
  void visit_entry(uint64_t hash, const Visit& visit) const override {
    const uint32_t r = rows_.hashed_map.find(hash);
    if (r == linear::kNoFeature) return;
    for (uint32_t l = 0; l < rows_.labels; ++l) visit(0, l, rows_.hashed[r * rows_.stride + l]);
  }

 private:
  const StoredRows& rows_;
  std::vector<uint32_t> offsets_, begin_;
  std::vector<float> values_;
  AlignedVector<float> scores_, row_;
};

std::unique_ptr<InputScorer> StoredRows::make_scorer() const {
  return std::make_unique<StoredRowScorer>(*this);
}

class StoredKernel final : public StoredPolicy {
 public:
  std::shared_ptr<const KernelScorer::Machine> machine;
  linear::FeatureMap state_map;
  size_t feature_count = 0;

  std::unique_ptr<InputScorer> make_scorer() const override;
  size_t features() const override { return feature_count; }
  size_t weights() const override { return machine->model.parts().coefficients.size(); }
};

class StoredKernelScorer final : public InputScorer {
 public:
  explicit StoredKernelScorer(const StoredKernel& kernel) : kernel_(kernel), scorer_(kernel.machine) {}
  void begin(const StaticBlocks&) override {}
  void prepare(const data::HashedFeatures& blocks) override {
    found_.resize(blocks.state.size());
    kernel_.state_map.find_all(blocks.state, found_.data());
    begin_.assign(1, 0);
    ids_.clear();
    values_.clear();
    for (size_t b = 0; b < blocks.length(); ++b) {
      for (uint32_t i = blocks.state_begin[b]; i < blocks.state_begin[b + 1]; ++i) {
        if (found_[i] == linear::kNoFeature) continue;
        ids_.push_back(found_[i]);
        values_.push_back(blocks.state_values.empty() ? 1.0f : blocks.state_values[i]);
      }
      begin_.push_back(ids_.size());
    }
    scorer_.begin({begin_, ids_.data(), values_.data()});
  }
  std::span<const float> score(const FeatureSink& features) override { return scorer_.score(features); }
  void visit_block(uint32_t, const Visit&) const override {}
  void visit_entry(uint64_t, const Visit&) const override {}

 private:
  const StoredKernel& kernel_;
  KernelScorer scorer_;
  std::vector<uint32_t> found_, ids_;
  std::vector<uint64_t> begin_;
  std::vector<float> values_;
};

std::unique_ptr<InputScorer> StoredKernel::make_scorer() const {
  return std::make_unique<StoredKernelScorer>(*this);
}

json save_rows(const std::string& prefix, const RowWeights& weights, const linear::FeatureSpace& features,
               int bits, SectionWriter& out) {
  const linear::KeptFeatures kept_rows =
      linear::keep_features(*weights.layout(), weights.static_weights().data(), features, bits);
  out.add_array(prefix + "state.map", kept_rows.map().slots());
  out.add_array(prefix + "state.rows", kept_rows.rows.words());
  if (!kept_rows.names.empty()) out.add_text(prefix + "state.names", kept_rows.names);

  // Hashed rows that stayed 0 are left out.
  std::vector<uint64_t> kept;
  std::vector<uint32_t> numbers;
  AlignedVector<float> dense;
  const HashedRows& hashed = weights.hashed();
  for (uint32_t r = 0; r < hashed.size(); ++r) {
    const float* const row = hashed.row(r);
    if (std::all_of(row, row + weights.labels(), [](float w) { return w == 0; })) continue;
    numbers.push_back(static_cast<uint32_t>(kept.size()));
    kept.push_back(hashed.hashes()[r]);
    dense.insert(dense.end(), row, row + weights.labels());
    dense.resize(kept.size() * weights.stride(), 0.0f);
  }
  out.add_array(prefix + "hashed.map", linear::FeatureMap::build(kept, numbers, nullptr).slots());
  out.add_array(prefix + "hashed.rows", dense);
  return {{"scorer", "rows"},
          {"bits", kept_rows.rows.bits()},
          {"scale", kept_rows.rows.scale()},
          {"features", kept_rows.hashes.size() + kept.size()}};
}

json save_kernel(const std::string& prefix, const KernelScorer& kernel, const linear::FeatureSpace& features,
                 SectionWriter& out) {
  std::vector<uint32_t> numbers(features.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  out.add_array(prefix + "state.map", linear::FeatureMap::build(features.hashes, numbers, nullptr).slots());
  out.add_array(prefix + "hashed.map", kernel.machine()->numbers.slots());
  kernel.machine()->model.save(out);
  return {{"scorer", "kernel"}, {"features", features.size() + kernel.machine()->hashes.size()}};
}

Result<linear::FeatureMap> load_map(const SectionFile& file, const std::string& section, uint64_t limit) {
  ESPALIER_ASSIGN(const auto slots, file.array<linear::FeatureMap::Slot>(section));
  auto map = linear::FeatureMap::view(slots, limit);
  if (!map.ok()) return fail("{}: section '{}': {}", file.name(), section, map.error().message);
  return map;
}

Result<std::unique_ptr<StoredPolicy>> load_rows(const SectionFile& file, const std::string& prefix,
                                                const json& header, size_t labels) {
  auto policy = std::make_unique<StoredRows>();
  policy->labels = labels;
  policy->stride = linear::padded(labels);
  ESPALIER_ASSIGN(const auto words, file.array<uint32_t>(prefix + "state.rows"));
  std::vector<uint32_t> starts;
  auto viewed = linear::PackedRows::view(words, labels, header.at("bits").get<int>(),
                                         header.at("scale").get<float>(), &starts);
  if (!viewed.ok())
    return fail("{}: section '{}state.rows': {}", file.name(), prefix, viewed.error().message);
  policy->state = std::move(viewed).value();
  ESPALIER_ASSIGN(policy->state_map, load_map(file, prefix + "state.map", policy->state.offset_limit()));
  // An offset that is no row's beginning would be read as one.
  for (const auto& slot : policy->state_map.slots())
    if (slot.value != linear::kNoFeature && !std::binary_search(starts.begin(), starts.end(), slot.value))
      return fail("{}: section '{}state.map': an entry points into the middle of a row", file.name(), prefix);
  ESPALIER_ASSIGN(policy->hashed, file.array<float>(prefix + "hashed.rows"));
  if (policy->hashed.size() % policy->stride != 0)
    return fail("{}: section '{}hashed.rows' does not hold whole rows", file.name(), prefix);
  for (const float w : policy->hashed)
    if (!std::isfinite(w)) return fail("{}: a weight is not a finite number", file.name());
  const size_t rows = policy->hashed.size() / policy->stride;
  ESPALIER_ASSIGN(policy->hashed_map, load_map(file, prefix + "hashed.map", rows));
  policy->feature_count = starts.size() + rows;
  policy->weight_count = rows * labels;
  for (const uint32_t start : starts) policy->weight_count += words[start];
  return std::unique_ptr<StoredPolicy>(std::move(policy));
}

Result<std::unique_ptr<StoredPolicy>> load_kernel(const SectionFile& file, const std::string& prefix,
                                                  const json& header, size_t labels) {
  auto policy = std::make_unique<StoredKernel>();
  ESPALIER_ASSIGN(linear::KernelModel model, linear::KernelModel::load(file));
  if (model.labels() != labels)
    return fail("{}: the kernel machine scores {} labels, the model has {}", file.name(), model.labels(),
                labels);
  ESPALIER_ASSIGN(policy->state_map, load_map(file, prefix + "state.map", linear::kNoFeature));
  ESPALIER_ASSIGN(linear::FeatureMap hashed, load_map(file, prefix + "hashed.map", linear::kNoFeature));
  policy->feature_count = header.at("features").get<size_t>();
  policy->machine = std::make_shared<const KernelScorer::Machine>(
      KernelScorer::Machine{std::move(model), std::move(hashed), {}});
  return std::unique_ptr<StoredPolicy>(std::move(policy));
}

}  // namespace

std::string save_policy(const std::string& prefix, const Scorer& scorer, const linear::FeatureSpace& features,
                        int bits, SectionWriter& out) {
  if (const auto* kernel = dynamic_cast<const KernelScorer*>(&scorer))
    return save_kernel(prefix, *kernel, features, out).dump();
  const auto* rows = dynamic_cast<const RowWeights*>(&scorer);
  ESPALIER_CHECK(rows != nullptr);
  return save_rows(prefix, *rows, features, bits, out).dump();
}

Result<std::unique_ptr<StoredPolicy>> load_policy(const SectionFile& file, const std::string& prefix,
                                                  const std::string& header, size_t labels) {
  const json about = json::parse(header, nullptr, false);
  if (!about.is_object()) return fail("{}: a policy's header is not a JSON object", file.name());
  try {
    const std::string kind = about.at("scorer").get<std::string>();
    if (kind == "rows") return load_rows(file, prefix, about, labels);
    if (kind == "kernel") return load_kernel(file, prefix, about, labels);
    return fail("{}: unknown scorer '{}'", file.name(), kind);
  } catch (const json::exception&) {
    return fail("{}: a policy's header lacks a field or has one of the wrong kind", file.name());
  }
}

}  // namespace espalier::search
