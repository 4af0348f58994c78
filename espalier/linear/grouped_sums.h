// The scores of whole sequences from packed weight rows, with the sums of what recurs kept: the features that
// a token alone decides are summed once for each token and window position, however often the token occurs
// (data::FeatureGroup). The sums are integers, so a score is the same to the last bit whether its parts were
// kept, computed, or added row by row by PackedRows::add.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/data/features/features.h"
#include "espalier/linear/encoding/feature_map.h"
#include "espalier/linear/packed_rows.h"
#include "espalier/linear/row_sums.h"

namespace espalier::linear {

/// Belongs to one thread; the model it reads must outlive it.
class GroupedSums {
 public:
  struct Source {
    const data::FeatureExtractor& extractor;
    const FeatureMap& map;  ///< from the hash of a feature to the offset of its row …
    /// … or, if this is not empty, to its number n, with the offset of its row in rows[l] at n · rows.size()
    /// + l.
    std::span<const uint32_t> offsets;
    std::vector<const PackedRows*> rows;  ///< one set of rows or several, of the same width
    /// If not empty: every feature counts once combined with each of these, and has sums for each.
    std::vector<uint64_t> roles;
  };
  /// Whether sums are exact and there is something to keep.
  static bool possible(const Source& source);

  explicit GroupedSums(Source source);

  static constexpr size_t kAllRows = ~size_t{0};
  /// Sums the rows of a sequence's state features; `features.others` gets its edge features. False if too
  /// little of the text recurs for this to be worth while: nothing was summed, and features must be looked up
  /// one by one. Only the first `sets` sets of rows are summed for all columns; ask scores_of for the others.
  bool sum(const data::Sequence& sequence, data::FeatureExtractor::Scratch& extraction,
           data::GroupedFeatures& features, size_t sets = kAllRows);

  /// The scores of the sequence summed last, T × padded width: those of a set of rows, in a role.
  void scores(size_t rows, size_t role, float* out) const;
  /// The same as integers, those of one position.
  const int32_t* sums(size_t position, size_t rows, size_t role) const {
    return sums_.data() + (part(rows, role) * positions_ + position) * stride_;
  }
  /// The scores of some columns of each position by a set of rows, whether that was summed or not: those
  /// of position t are [begin[t], begin[t+1]) of `column`, ascending, and of `out`; at least one. Without
  /// roles.
  void scores_of(size_t rows, std::span<const uint32_t> begin, std::span<const data::Label> column,
                 float* out);
  size_t roles() const { return std::max<size_t>(1, source_.roles.size()); }

 private:
  size_t parts() const { return source_.rows.size() * roles(); }
  size_t part(size_t rows, size_t role) const { return role * source_.rows.size() + rows; }
  void find_rows(const data::HashedFeatures& features, size_t role, std::vector<uint32_t>& found);
  void find_all(std::span<const uint64_t> hashes, std::vector<uint32_t>& found) const;
  void find_others(const data::HashedFeatures& features, size_t role);
  /// The offsets of the rows of a set.
  std::span<const uint32_t> offsets_in(size_t rows, const std::vector<uint32_t>& found);
  void find_other_rows(const data::HashedFeatures& features, size_t role);
  std::span<const uint32_t> other_rows(size_t rows) const;
  void find_groups(const data::Sequence& sequence, data::FeatureExtractor::Scratch& extraction,
                   const data::GroupedFeatures& features);
  const int32_t* new_sums(const data::Sequence& sequence, size_t group, size_t anchor,
                          data::FeatureExtractor::Scratch& extraction, uint64_t key);
  void find_places(size_t part);

  Source source_;
  size_t stride_;
  std::vector<SumTable> tables_;  ///< entries: parts × places × stride
  /// What the tables have for the sequence: per group, per anchor.
  std::vector<std::vector<const int32_t*>> known_;
  std::vector<PositionSums::Place> places_;    ///< of these, in the part that is summed …
  std::vector<PositionSums::Run> fresh_;       ///< … and what a position is the first to ask for
  std::vector<AlignedVector<int32_t>> spare_;  ///< the same, where a table has no room
  AlignedVector<int32_t> sums_;                ///< parts × T × stride
  size_t positions_ = 0;
  uint64_t asked_ = 0, missed_ = 0;  ///< in the tables, of late
  uint64_t pause_ = 0;               ///< tokens until it is tried again
  struct Recent {
    uint64_t hash;
    uint32_t value;
  };
  static constexpr int kRecentBits = 13;
  std::vector<Recent> recent_;  ///< what the map has for some of the hashes that came up of late
  data::HashedFeatures group_features_;
  std::vector<uint64_t> hashes_;
  std::vector<uint32_t> found_, row_offsets_, missing_;
  std::vector<uint32_t> others_, others_begin_;  ///< features without a group, as the map has them …
  std::vector<uint32_t> other_offsets_;          ///< … and where each set has their rows
};

}  // namespace espalier::linear
