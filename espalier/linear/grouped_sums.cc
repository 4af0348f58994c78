#include "espalier/linear/grouped_sums.h"

#include <algorithm>

#include "espalier/base/hash.h"

namespace espalier::linear {
namespace {

// Bounds of each table. Frequent tokens, which are most of every text, fit into much less.
constexpr size_t kMostEntries = 16384;
constexpr size_t kMostBytes = size_t{40} << 20;
// Where more than half of the last tokens were new, keeping sums costs more than it saves.
constexpr uint64_t kWindow = 16384;
constexpr uint64_t kPause = 16 * kWindow;

}  // namespace

bool GroupedSums::possible(const Source& source) {
  return !source.extractor.groups().empty() &&
         std::all_of(source.rows.begin(), source.rows.end(),
                     [](const PackedRows* r) { return r->sums_exactly(); });
}

GroupedSums::GroupedSums(Source source)
    : source_(std::move(source)), stride_(padded(source_.rows.front()->width())) {
  ESPALIER_CHECK(possible(source_));
  for (const data::FeatureGroup& group : source_.extractor.groups())
    tables_.emplace_back(parts() * group.places.size() * stride_, kMostEntries, kMostBytes);
  known_.resize(tables_.size());
  recent_.assign(size_t{1} << kRecentBits, {0, source_.map.find(0)});
}

void GroupedSums::find_rows(const data::HashedFeatures& features, size_t role, std::vector<uint32_t>& found) {
  const size_t n = features.state.size();
  std::span<const uint64_t> hashes = features.state;
  if (!source_.roles.empty()) {
    hashes_.resize(n);
    for (size_t i = 0; i < n; ++i) hashes_[i] = hash_combine(source_.roles[role], features.state[i]);
    hashes = hashes_;
  }
  found.resize(n);
  find_all(hashes, found);
}

void GroupedSums::find_all(std::span<const uint64_t> hashes, std::vector<uint32_t>& found) const {
  const bool numbers = !source_.offsets.empty();
  source_.map.find_all(hashes, found.data(),
                       numbers ? source_.offsets.data() : source_.rows.front()->words().data(),
                       numbers ? source_.rows.size() : 1);
}

std::span<const uint32_t> GroupedSums::offsets_in(size_t rows, const std::vector<uint32_t>& found) {
  if (source_.offsets.empty()) return found;
  const size_t n = found.size(), sets = source_.rows.size();
  row_offsets_.resize(n);
  for (size_t i = 0; i < n; ++i)
    row_offsets_[i] = found[i] == kNoFeature ? kNoFeature : source_.offsets[size_t{found[i]} * sets + rows];
  return row_offsets_;
}

/// The same as find_rows for features without a group. Many of these recur, too, such as two shapes of
/// neighbours: what the map said of known ones is kept where a core finds it at once.
void GroupedSums::find_others(const data::HashedFeatures& features, size_t role) {
  const size_t n = features.state.size();
  hashes_.resize(n);
  others_.resize(n);
  missing_.resize(n + 1);
  size_t missing = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t hash =
        source_.roles.empty() ? features.state[i] : hash_combine(source_.roles[role], features.state[i]);
    const Recent& recent = recent_[hash >> (64 - kRecentBits)];
    others_[i] = recent.value;
    hashes_[missing] = hash;
    missing_[missing] = static_cast<uint32_t>(i);
    missing += recent.hash != hash;
  }
  found_.resize(missing);
  find_all(std::span(hashes_).first(missing), found_);
  for (size_t k = 0; k < missing; ++k) {
    others_[missing_[k]] = found_[k];
    if (found_[k] != kNoFeature) recent_[hashes_[k] >> (64 - kRecentBits)] = {hashes_[k], found_[k]};
  }
}

/// The offsets of the rows of all sets for features without a group.
void GroupedSums::find_other_rows(const data::HashedFeatures& features, size_t role) {
  find_others(features, role);
  if (source_.offsets.empty()) return;
  const size_t n = others_.size(), sets = source_.rows.size();
  std::vector<uint32_t>& out = other_offsets_;
  if (out.size() < n * sets) out.resize(n * sets);
  for (size_t i = 0; i < n; ++i) {
    const uint32_t number = others_[i];
    for (size_t l = 0; l < sets; ++l) {
      const uint32_t offset = number == kNoFeature ? kNoFeature : source_.offsets[size_t{number} * sets + l];
      out[l * n + i] = offset;
      __builtin_prefetch(source_.rows[l]->words().data() + (offset == kNoFeature ? 0 : offset));
    }
  }
}

std::span<const uint32_t> GroupedSums::other_rows(size_t rows) const {
  if (source_.offsets.empty()) return others_;
  return {other_offsets_.data() + rows * others_.size(), others_.size()};
}

/// The sums of a stretch of rows that was not seen of late.
const int32_t* GroupedSums::new_sums(const data::Sequence& sequence, size_t group, size_t anchor,
                                     data::FeatureExtractor::Scratch& extraction, uint64_t key) {
  ++missed_;
  source_.extractor.extract_group(sequence, group, anchor, extraction, group_features_);
  const size_t of_part = source_.extractor.groups()[group].places.size() * stride_;
  int32_t* sums = tables_[group].insert(key);
  if (sums == nullptr) sums = spare_.emplace_back(parts() * of_part).data();
  std::fill_n(sums, parts() * of_part, 0);
  for (size_t role = 0; role < roles(); ++role) {
    find_rows(group_features_, role, found_);
    for (size_t l = 0; l < source_.rows.size(); ++l)
      add_to_sums(*source_.rows[l], offsets_in(l, found_), group_features_.state_begin, stride_,
                  sums + part(l, role) * of_part);
  }
  return sums;
}

void GroupedSums::find_groups(const data::Sequence& sequence, data::FeatureExtractor::Scratch& extraction,
                              const data::GroupedFeatures& features) {
  constexpr size_t kAhead = 6;
  spare_.clear();
  for (size_t g = 0; g < tables_.size(); ++g) {
    const std::vector<uint64_t>& keys = features.keys[g];
    SumTable& table = tables_[g];
    table.begin();
    known_[g].resize(keys.size());
    for (size_t anchor = 0; anchor < keys.size(); ++anchor) {
      if (anchor + kAhead < keys.size()) table.prefetch(keys[anchor + kAhead]);
      const int32_t* known = table.find(keys[anchor]);
      if (known == nullptr) known = new_sums(sequence, g, anchor, extraction, keys[anchor]);
      known_[g][anchor] = known;
    }
    asked_ += keys.size();
  }
  if (asked_ < kWindow) return;
  if (missed_ > asked_ / 2) pause_ = kPause;
  asked_ = missed_ = 0;
}

/// Where sum_positions finds what the groups add to each position in a part.
void GroupedSums::find_places(size_t part) {
  const std::span<const data::FeatureGroup> groups = source_.extractor.groups();
  places_.clear();
  fresh_.clear();
  for (size_t g = 0; g < groups.size(); ++g) {
    const data::FeatureGroup& group = groups[g];
    const size_t places = group.places.size(), first = part * places * stride_;
    const auto entries = [&](size_t place) {
      return known_[g].data() + (group.places[place] - group.first_row());
    };
    for (size_t p = 0; p < places; ++p) places_.push_back({entries(p), first + p * stride_});
    fresh_.push_back({entries(0), first, places * stride_});
  }
}

bool GroupedSums::sum(const data::Sequence& sequence, data::FeatureExtractor::Scratch& extraction,
                      data::GroupedFeatures& features, size_t sets) {
  const size_t length = sequence.length();
  if (pause_ > 0) {
    pause_ -= std::min<uint64_t>(pause_, length);
    return false;
  }
  source_.extractor.extract_grouped(sequence, extraction, features);
  positions_ = length;
  find_groups(sequence, extraction, features);
  sets = std::min(sets, source_.rows.size());
  const size_t room = parts() * length * stride_;
  if (sums_.size() < room) sums_.resize(room);
  others_begin_ = features.others.state_begin;
  for (size_t role = 0; role < roles(); ++role) {
    find_other_rows(features.others, role);
    for (size_t l = 0; l < sets; ++l) {
      int32_t* const sums = sums_.data() + part(l, role) * length * stride_;
      if (length > 0) find_places(part(l, role));
      sum_positions(*source_.rows[l], {places_, fresh_, other_rows(l), others_begin_}, stride_, sums);
    }
  }
  return true;
}

void GroupedSums::scores(size_t rows, size_t role, float* out) const {
  scores_of_sums(sums_.data() + part(rows, role) * positions_ * stride_, positions_, stride_,
                 source_.rows[rows]->scale(), stride_, out);
}

void GroupedSums::scores_of(size_t rows, std::span<const uint32_t> begin, std::span<const data::Label> column,
                            float* out) {
  ESPALIER_CHECK(source_.roles.empty() && begin.size() == positions_ + 1);
  if (positions_ > 0) find_places(part(rows, 0));
  column_scores(*source_.rows[rows], {places_, other_rows(rows), others_begin_, column, begin}, out);
}

}  // namespace espalier::linear
