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
    : source_(std::move(source)), stride_(padded(source_.rows.front()->width())), step_(parts() * stride_) {
  ESPALIER_CHECK(possible(source_));
  for (const data::FeatureGroup& group : source_.extractor.groups())
    tables_.emplace_back(group.places.size() * step_, kMostEntries, kMostBytes);
}

void GroupedSums::add_features(const data::HashedFeatures& features, size_t step, int32_t* sums) {
  const size_t n = features.state.size(), levels = source_.rows.size();
  found_.resize(n);
  for (size_t role = 0; role < roles(); ++role) {
    std::span<const uint64_t> hashes = features.state;
    if (!source_.roles.empty()) {
      hashes_.resize(n);
      for (size_t i = 0; i < n; ++i) hashes_[i] = hash_combine(source_.roles[role], features.state[i]);
      hashes = hashes_;
    }
    source_.map.find_all(hashes, found_.data());
    for (size_t l = 0; l < levels; ++l) {
      std::span<const uint32_t> offsets = found_;
      if (!source_.offsets.empty()) {
        row_offsets_.resize(n);
        for (size_t i = 0; i < n; ++i)
          row_offsets_[i] =
              found_[i] == kNoFeature ? kNoFeature : source_.offsets[size_t{found_[i]} * levels + l];
        offsets = row_offsets_;
      }
      add_to_sums(*source_.rows[l], offsets, features.state_begin, step,
                  sums + (role * levels + l) * stride_);
    }
  }
}

const int32_t* GroupedSums::sums_at(const data::Sequence& sequence, size_t group, size_t anchor,
                                    data::FeatureExtractor::Scratch& extraction, uint64_t key) {
  if (const int32_t* known = tables_[group].find(key)) return known;
  ++missed_;
  source_.extractor.extract_group(sequence, group, anchor, extraction, group_features_);
  int32_t* const sums = tables_[group].insert(key);
  std::fill_n(sums, group_features_.length() * step_, 0);
  add_features(group_features_, step_, sums);
  return sums;
}

bool GroupedSums::sum(const data::Sequence& sequence, data::FeatureExtractor::Scratch& extraction,
                      data::GroupedFeatures& features) {
  const size_t length = sequence.length();
  if (pause_ > 0) {
    pause_ -= std::min<uint64_t>(pause_, length);
    return false;
  }
  source_.extractor.extract_grouped(sequence, extraction, features);
  positions_ = length;
  sums_.assign(length * step_, 0);
  const std::span<const data::FeatureGroup> groups = source_.extractor.groups();
  for (size_t g = 0; g < groups.size(); ++g) {
    const data::FeatureGroup& group = groups[g];
    const std::vector<uint64_t>& keys = features.keys[g];
    constexpr size_t kAhead = 4;
    for (size_t anchor = 0; anchor < keys.size(); ++anchor) {
      if (anchor + kAhead < keys.size()) tables_[g].prefetch(keys[anchor + kAhead]);
      const int32_t* const known = sums_at(sequence, g, anchor, extraction, keys[anchor]);
      // Neighbouring places belong to neighbouring positions, so they are added in one go.
      const auto end = static_cast<ptrdiff_t>(length);
      for (size_t p = 0; p < group.places.size();) {
        const ptrdiff_t t = group.position(anchor, p);
        size_t n = 1;
        while (p + n < group.places.size() && group.places[p + n] == group.places[p] - static_cast<int>(n))
          ++n;
        const ptrdiff_t first = std::max<ptrdiff_t>(0, t),
                        last = std::min(end, t + static_cast<ptrdiff_t>(n));
        if (first < last)
          add_sums(known + (p + static_cast<size_t>(first - t)) * step_,
                   static_cast<size_t>(last - first) * step_,
                   sums_.data() + static_cast<size_t>(first) * step_);
        p += n;
      }
    }
    asked_ += keys.size();
  }
  add_features(features.others, step_, sums_.data());
  if (asked_ >= kWindow) {
    if (missed_ > asked_ / 2) pause_ = kPause;
    asked_ = missed_ = 0;
  }
  return true;
}

void GroupedSums::scores(size_t rows, size_t role, float* out) const {
  scores_of_sums(sums_.data() + (role * source_.rows.size() + rows) * stride_, positions_, step_,
                 source_.rows[rows]->scale(), stride_, out);
}

}  // namespace espalier::linear
