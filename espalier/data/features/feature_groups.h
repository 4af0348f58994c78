// Sorts the state features of a plan by the rows they look at, so that scores of what recurs in text can be
// kept. Internal to features.cc; what it gives is described in features.h.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "espalier/data/features/feature_plan.h"
#include "espalier/data/features/feature_program.h"
#include "espalier/data/features/features.h"
#include "espalier/data/features/token_views.h"

namespace espalier::data {

/// Which templates form groups:
///   the token    every template that looks at one row only, at whatever distance;
///   a column     templates that look at two or three neighbouring rows of one column other than the word's:
///   such
///                columns hold tags, of which few combinations exist. Templates that look at one row of this
///                column alone join them.
/// All others (pairs of words, absolute rows, lexicons, whose entries span rows …) belong to no group.
/// Immutable and thread-safe.
class FeatureGroups {
 public:
  /// One object per thread.
  struct Buffers {
    TokenViews::Table rows;   ///< the views of the features without a group, and every cell's hash
    TokenViews::Table inner;  ///< for the views of a group's features
    std::vector<uint64_t> row_keys, window;
  };

  /// No groups.
  FeatureGroups() : FeatureGroups(FeaturePlan(), 0, std::make_shared<const WordTables>()) {}
  FeatureGroups(const FeaturePlan& plan, size_t word_column, std::shared_ptr<const WordTables> lists);

  const std::vector<FeatureGroup>& groups() const { return groups_; }
  void extract(const Sequence& sequence, Buffers& buffers, GroupedFeatures& out) const;
  void extract_group(const Sequence& sequence, size_t group, size_t anchor, Buffers& buffers,
                     HashedFeatures& out) const;

 private:
  struct Draft;
  struct Programs {
    std::vector<size_t>
        cells;  ///< places of the hashes, in a row of the other features' views, that make its key
    std::vector<FeatureProgram> place;  ///< features of each place, from the views of the group's rows
  };
  struct Sorted;
  static Sorted sort(const FeaturePlan& plan, size_t word_column);
  FeatureGroups(const FeaturePlan& plan, const Sorted& sorted, std::shared_ptr<const WordTables> lists);

  std::vector<FeatureGroup> groups_;
  std::vector<Programs> programs_;
  TokenViews views_;
  FeaturePlan other_plan_;
  TokenViews other_views_;
  FeatureProgram others_, edge_;
};

}  // namespace espalier::data
