#include "espalier/search/policy/stored_policy.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "espalier/base/hash.h"
#include "espalier/base/text/json_as.h"
#include "espalier/linear/encoding/kept_features.h"
#include "espalier/linear/encoding/number_map.h"
#include "espalier/linear/grouped_sums.h"
#include "espalier/linear/grown_rows.h"
#include "espalier/search/policy/present_rows.h"

namespace espalier::search {

namespace {

/// Packed rows of weights, those of static features and those of hashed ones.
class StoredRows final : public StoredPolicy {
 public:
  linear::FeatureMap state_map, hashed_map;
  linear::PackedRows state, hashed;
  size_t labels = 0, stride = 0, feature_count = 0, weight_count = 0;

  std::unique_ptr<InputScorer> make_scorer() const override;
  size_t features() const override { return feature_count; }
  size_t weights() const override { return weight_count; }
  int bits() const override { return state.bits(); }
  const linear::PackedRows* rows() const override { return &state; }
  std::optional<OldRows> old_rows() const override {
    return OldRows{&state_map, &state, &hashed_map, &hashed};
  }
  void visit_hashed(uint64_t hash,
                    const std::function<void(uint32_t label, float weight)>& visit) const override {
    if (const uint32_t offset = hashed_map.find(hash); offset != linear::kNoFeature)
      hashed.for_each(offset, visit);
  }
};

class StoredRowScorer final : public InputScorer {
 public:
  explicit StoredRowScorer(const StoredRows& rows)
      : rows_(rows),
        row_(rows.stride, 0.0f),
        parts_(rows.stride, 0.0f),
        kept_(kKept * rows.stride, 0.0f),
        kept_key_(kKept, 0) {}

  void begin(const StaticBlocks&) override {}
  void prepare(const data::HashedFeatures& blocks) override {
    offsets_.resize(blocks.state.size());
    rows_.state_map.find_all(blocks.state, offsets_.data());
    blocks_ = &blocks;
    scores_.assign(blocks.length() * rows_.stride, 0.0f);
    rows_.state.add(offsets_, blocks.state_begin,
                    blocks.state_values.empty() ? nullptr : blocks.state_values.data(), rows_.stride,
                    scores_.data());
  }
  bool keep_sums(const data::FeatureExtractor& extractor, std::vector<uint64_t> roles) override {
    linear::GroupedSums::Source source{extractor, rows_.state_map, {}, {&rows_.state}, std::move(roles)};
    if (linear::GroupedSums::possible(source)) sums_.emplace(std::move(source));
    return sums_.has_value();
  }
  bool prepare_grouped(const data::Sequence& sequence, data::FeatureExtractor::Scratch& extraction,
                       data::GroupedFeatures& features, const data::HashedFeatures* more) override {
    if (!sums_ || !sums_->sum(sequence, extraction, features)) return false;
    const size_t S = rows_.stride, T = sequence.length();
    blocks_ = nullptr;
    if (more == nullptr) {
      scores_.resize(T * S);
      sums_->scores(0, 0, scores_.data());
      return true;
    }
    ESPALIER_CHECK(more->state_values.empty() && more->length() >= sums_->roles() * T);
    block_sums_.resize(more->length() * S);
    for (size_t role = 0; role < sums_->roles(); ++role)
      for (size_t t = 0; t < T; ++t)
        std::copy_n(sums_->sums(t, 0, role), S, block_sums_.data() + (role * T + t) * S);
    offsets_.resize(more->state.size());
    rows_.state_map.find_all(more->state, offsets_.data(), rows_.state.words().data());
    // The blocks of roles have what is summed for tokens, the others nothing yet.
    const size_t summed = sums_->roles() * T;
    const std::span<const uint32_t> begin = more->state_begin;
    linear::add_to_sums(rows_.state, offsets_, begin.first(summed + 1), S, block_sums_.data());
    linear::sum_positions(rows_.state, {{}, {}, offsets_, begin.subspan(summed)}, S,
                          block_sums_.data() + summed * S);
    scores_.resize(block_sums_.size());
    linear::scores_of_sums(block_sums_.data(), more->length(), S, rows_.state.scale(), S, scores_.data());
    return true;
  }
  std::span<const float> score(const FeatureSink& features) override {
    const size_t S = rows_.stride;
    float* const row = row_.data();
    const auto blocks = features.blocks();
    const auto entries = features.entries();
    const bool few = !entries.empty() && entries.size() <= kFew && features.plain();
    std::fill_n(row, S, 0.0f);
    for (const uint32_t b : blocks) linear::add_padded(scores_.data() + b * S, S, row);
    if (few) {
      linear::add_padded(kept_sum(entries), S, row);
    } else {
      // Many entries are spread over the table, so they are prefetched before they are looked up.
      for (const auto& e : entries)
        if (rows_.hashed_map.may_have(e.hash)) rows_.hashed_map.prefetch(e.hash);
      add_entries(entries, row);
    }
    return row_;
  }
  bool start_parts() override {
    std::fill_n(parts_.data(), rows_.stride, 0.0f);
    return true;
  }
  void add_part(const FeatureSink& features) override { add_features(features, parts_.data()); }
  std::span<const float> score_with_parts(const FeatureSink& rest) override {
    std::copy_n(parts_.data(), rows_.stride, row_.data());
    add_features(rest, row_.data());
    return row_;
  }
  std::span<const float> recall(const Recall& known) override {
    const size_t slot = slot_of(known.key), S = rows_.stride;
    if (kept_key_[slot] != known.key) return {};
    linear::sum_padded(scores_.data() + known.block * S, kept_.data() + slot * S, S, row_.data());
    return row_;
  }
  Best recall_best(const Recall& known, LabelRange range) override {
    const size_t slot = slot_of(known.key), S = rows_.stride;
    if (kept_key_[slot] != known.key) return {kNoLabel, 0};
    const float* const block = scores_.data() + known.block * S + range.first;
    const float* const kept = kept_.data() + slot * S + range.first;
    const size_t best = linear::place_of_largest_sum(block, kept, range.last - range.first);
    return {range.first + static_cast<uint32_t>(best), block[best] + kept[best]};
  }
  bool keep(const FeatureSink& features, uint64_t key) override {
    keep_entries(features.entries(), key);
    return true;
  }
  void visit_block(uint32_t block, const Visit& visit) const override {
    ESPALIER_CHECK(blocks_ != nullptr);
    const std::vector<uint32_t>& begin = blocks_->state_begin;
    for (uint32_t i = begin[block]; i < begin[block + 1]; ++i) {
      if (offsets_[i] == linear::kNoFeature) continue;
      const double value = blocks_->state_values.empty() ? 1.0 : blocks_->state_values[i];
      rows_.state.for_each(offsets_[i],
                           [&](uint32_t label, float w) { visit(i - begin[block], label, value * w); });
    }
  }
  void visit_entry(uint64_t hash, const Visit& visit) const override {
    const uint32_t offset = rows_.hashed_map.find(hash);
    if (offset == linear::kNoFeature) return;
    rows_.hashed.for_each(offset, [&](uint32_t label, float w) { visit(0, label, w); });
  }

 private:
  void add_features(const FeatureSink& features, float* row) {
    for (const uint32_t b : features.blocks())
      linear::add_padded(scores_.data() + b * rows_.stride, rows_.stride, row);
    if (features.entries().empty()) return;
    for (const auto& e : features.entries())
      if (rows_.hashed_map.may_have(e.hash)) rows_.hashed_map.prefetch(e.hash);
    add_entries(features.entries(), row);
  }
  static size_t slot_of(uint64_t key) { return key * kSpreading >> (64 - kKeptBits); }
  void keep_entries(std::span<const FeatureSink::Entry> entries, uint64_t key) {
    const size_t slot = slot_of(key);
    float* const kept = kept_.data() + slot * rows_.stride;
    std::fill_n(kept, rows_.stride, 0.0f);
    add_entries(entries, kept);
    kept_key_[slot] = key;
  }
  /// If there are few entries, they are label n-grams, which recur often, so their sums are kept.
  const float* kept_sum(std::span<const FeatureSink::Entry> entries) {
    uint64_t key = kSeed;
    for (const auto& e : entries) key = hash_combine(key, e.hash);
    if (kept_key_[slot_of(key)] != key) keep_entries(entries, key);
    return kept_.data() + slot_of(key) * rows_.stride;
  }
  void add_entries(std::span<const FeatureSink::Entry> entries, float* row) {
    found_.clear();
    found_values_.clear();
    bool valued = false;
    for (const auto& e : entries) {
      if (!rows_.hashed_map.may_have(e.hash)) continue;
      const uint32_t offset = rows_.hashed_map.find(e.hash);
      if (offset == linear::kNoFeature) continue;
      found_.push_back(offset);
      found_values_.push_back(static_cast<float>(e.value));
      valued = valued || e.value != 1;
    }
    if (found_.empty()) return;
    const uint32_t all[2] = {0, static_cast<uint32_t>(found_.size())};
    rows_.hashed.add(found_, all, valued ? found_values_.data() : nullptr, rows_.stride, row);
  }

  static constexpr size_t kFew = 4, kKeptBits = 9, kKept = size_t{1} << kKeptBits;
  static constexpr uint64_t kSeed = 0x2545F4914F6CDD1Dull, kSpreading = 0x9E3779B97F4A7C15ull;
  const StoredRows& rows_;
  const data::HashedFeatures* blocks_ = nullptr;
  std::optional<linear::GroupedSums> sums_;
  AlignedVector<int32_t> block_sums_;
  std::vector<uint32_t> offsets_, found_;
  std::vector<float> found_values_;
  AlignedVector<float> scores_, row_;
  AlignedVector<float> parts_;      ///< the scores of what was added since start_parts
  AlignedVector<float> kept_;       ///< kKept sums of entries, indexed by slot_of(key)
  std::vector<uint64_t> kept_key_;  ///< 0: the slot is empty
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

/// The weights of the hashed rows, row by row.
std::vector<float> dense_rows(const RowWeights& weights) {
  const HashedRows& rows = weights.hashed();
  std::vector<float> dense;
  dense.reserve(rows.size() * weights.labels());
  for (uint32_t r = 0; r < rows.size(); ++r)
    for (size_t l = 0; l < weights.labels(); ++l) dense.push_back(rows.weight(r, l));
  return dense;
}

/// Rows of a classifier that began as that of another model.
Json save_grown_rows(const std::string& prefix, const RowWeights& weights,
                     const linear::FeatureSpace& features, int bits, SectionWriter& out) {
  const OldRows& old = *weights.old();
  const AlignedVector<float>& fixed = weights.static_weights();
  const linear::GrownRows state = linear::pack_grown(*weights.layout(), {fixed.begin(), fixed.end()},
                                                     features, *old.state_map, old.old_value, bits);
  out.add_array(prefix + "state.map", state.table);
  out.add_array(prefix + "state.rows", state.rows.words());
  if (!state.names.empty()) out.add_text(prefix + "state.names", state.names);
  const HashedRows& rows = weights.hashed();
  const linear::GrownRows hashed = linear::pack_grown(
      linear::full_rows(rows.size(), weights.labels()), dense_rows(weights),
      linear::FeatureSpace{rows.hashes(), {}, {}}, *old.hashed_map, rows.old_values(), bits);
  out.add_array(prefix + "hashed.map", hashed.table);
  out.add_array(prefix + "hashed.rows", hashed.rows.words());
  return {{"scorer", "rows"},
          {"bits", state.rows.bits()},
          {"scale", state.rows.scale()},
          {"hashed_scale", hashed.rows.scale()},
          {"features", state.features + hashed.features}};
}

Json save_rows(const std::string& prefix, const RowWeights& weights, const linear::FeatureSpace& features,
               int bits, SectionWriter& out) {
  const linear::KeptFeatures kept_rows =
      linear::keep_features(*weights.layout(), weights.static_weights().data(), features, bits);
  out.add_array(prefix + "state.map", kept_rows.map().slots());
  out.add_array(prefix + "state.rows", kept_rows.rows.words());
  const std::string& names = kept_rows.names(features);
  if (!names.empty()) out.add_text(prefix + "state.names", names);

  const HashedRows& hashed = weights.hashed();
  const PresentRows present(weights);
  const linear::KeptFeatures kept_hashed = linear::keep_features(
      present.layout, present.weights.data(), linear::FeatureSpace{hashed.hashes(), {}, {}}, bits);
  out.add_array(prefix + "hashed.map", kept_hashed.map().slots());
  out.add_array(prefix + "hashed.rows", kept_hashed.rows.words());
  return {{"scorer", "rows"},
          {"bits", kept_rows.rows.bits()},
          {"scale", kept_rows.rows.scale()},
          {"hashed_scale", kept_hashed.rows.scale()},
          {"features", kept_rows.hashes.size() + kept_hashed.hashes.size()}};
}

Json save_kernel(const std::string& prefix, const KernelScorer& kernel, const linear::FeatureSpace& features,
                 SectionWriter& out) {
  out.add_array(prefix + "state.map", linear::number_map(features.hashes).slots());
  out.add_array(prefix + "hashed.map", kernel.machine()->numbers.slots());
  kernel.machine()->model.save(out, prefix + "k.");
  return {{"scorer", "kernel"}, {"features", features.size() + kernel.machine()->hashes.size()}};
}

Result<linear::FeatureMap> load_map(const SectionFile& file, const std::string& section, uint64_t limit) {
  ESPALIER_ASSIGN(const auto slots, file.array<linear::FeatureMap::Slot>(section));
  auto map = linear::FeatureMap::view(slots, limit);
  if (!map.ok()) return fail("{}: section '{}': {}", file.name(), section, map.error().message);
  return map;
}

Result<std::unique_ptr<StoredPolicy>> load_rows(const SectionFile& file, const std::string& prefix,
                                                const Json& header, size_t labels) {
  auto policy = std::make_unique<StoredRows>();
  policy->labels = labels;
  policy->stride = linear::padded(labels);
  const int bits = json_as<int>(header.at("bits"));
  const auto load = [&](const std::string& part, float scale, linear::PackedRows& rows,
                        linear::FeatureMap& map) -> Status {
    const std::string rows_name = prefix + part + ".rows", map_name = prefix + part + ".map";
    ESPALIER_ASSIGN(const auto words, file.array<uint32_t>(rows_name));
    std::vector<uint32_t> starts;
    auto viewed = linear::PackedRows::view(words, labels, bits, scale, &starts);
    if (!viewed.ok()) return fail("{}: section '{}': {}", file.name(), rows_name, viewed.error().message);
    rows = std::move(viewed).value();
    ESPALIER_ASSIGN(map, load_map(file, map_name, rows.offset_limit()));
    // An offset that is not the beginning of a row would be read as if it were.
    if (!rows.all_begin_rows(starts, &map.slots().front().value, map.slots().size(), 2))
      return fail("{}: section '{}': an entry points into the middle of a row", file.name(), map_name);
    policy->feature_count += starts.size();
    for (const uint32_t start : starts) policy->weight_count += rows.weights_at(start);
    return {};
  };
  ESPALIER_TRY(load("state", header.at("scale").get<float>(), policy->state, policy->state_map));
  ESPALIER_TRY(load("hashed", header.at("hashed_scale").get<float>(), policy->hashed, policy->hashed_map));
  return std::unique_ptr<StoredPolicy>(std::move(policy));
}

Result<std::unique_ptr<StoredPolicy>> load_kernel(const SectionFile& file, const std::string& prefix,
                                                  const Json& header, size_t labels) {
  auto policy = std::make_unique<StoredKernel>();
  ESPALIER_ASSIGN(linear::KernelModel model, linear::KernelModel::load(file, prefix + "k."));
  if (model.labels() != labels)
    return fail("{}: the kernel machine scores {} labels, but the model has {}", file.name(), model.labels(),
                labels);
  ESPALIER_ASSIGN(policy->state_map, load_map(file, prefix + "state.map", linear::kNoFeature));
  ESPALIER_ASSIGN(linear::FeatureMap hashed, load_map(file, prefix + "hashed.map", linear::kNoFeature));
  policy->feature_count = json_as<size_t>(header.at("features"));
  policy->machine = std::make_shared<const KernelScorer::Machine>(
      KernelScorer::Machine{std::move(model), std::move(hashed), {}});
  return std::unique_ptr<StoredPolicy>(std::move(policy));
}

}  // namespace

std::string save_policy(const std::string& prefix, const Scorer& scorer, const linear::FeatureSpace& features,
                        int bits, SectionWriter& out) {
  if (const auto* kernel = dynamic_cast<const KernelScorer*>(&scorer))
    return json_text(save_kernel(prefix, *kernel, features, out));
  const auto* rows = dynamic_cast<const RowWeights*>(&scorer);
  ESPALIER_CHECK(rows != nullptr);
  if (rows->old() != nullptr) return json_text(save_grown_rows(prefix, *rows, features, bits, out));
  return json_text(save_rows(prefix, *rows, features, bits, out));
}

Result<std::unique_ptr<StoredPolicy>> load_policy(const SectionFile& file, const std::string& prefix,
                                                  const std::string& header, size_t labels) {
  const Json about = try_parse_json(header);
  if (!about.is_object()) return fail("{}: a policy's header is not a JSON object", file.name());
  try {
    const std::string kind = about.at("scorer").get<std::string>();
    if (kind == "rows") return load_rows(file, prefix, about, labels);
    if (kind == "kernel") return load_kernel(file, prefix, about, labels);
    return fail("{}: unknown scorer '{}'", file.name(), kind);
  } catch (const Json::exception&) {
    return fail("{}: a policy's header lacks a field or has one of the wrong type", file.name());
  }
}

}  // namespace espalier::search
