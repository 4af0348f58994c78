// Computes the hashes of all views of all cells of a sequence: a table with one row per token and one entry
// per view. Internal to features.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/hash.h"
#include "espalier/data/features/feature_plan.h"
#include "espalier/data/features/word_lists.h"
#include "espalier/data/sequence.h"

namespace espalier::data {

/// The entry of a view that gives nothing.
inline constexpr uint64_t kAbsent = 0;

/// Hash of a view's text; never kAbsent.
inline uint64_t view_hash(std::string_view text) {
  const uint64_t hash = hash_bytes(text);
  return hash + (hash == kAbsent);
}

/// Computes the views of one cell after another; what several views need (lower case, shape) is computed once
/// per cell.
class CellViews {
 public:
  void set(std::string_view cell);
  /// The view's text, or nothing; valid until the next call of set or text.
  std::optional<std::string_view> text(const View& view, const std::vector<Pattern>& patterns,
                                       const WordTables& lists);
  const std::string& lower();

 private:
  bool flag(const View& view) const;

  std::string_view cell_;
  std::string lower_, made_;
  bool lower_known_ = false;
};

/// Fills tables of view hashes. Immutable and thread-safe; a table belongs to one thread.
///
/// Rows are contiguous, with `margin` rows on either side for what is outside the sequence, so that a
/// reference to a view `offset` rows away is always at a fixed distance in memory. Because words repeat, the
/// hashes of a cell's variants are kept in a direct-mapped cache, keyed by the hash of the cell.
class TokenViews {
 public:
  struct Table {
    std::vector<uint64_t> hashes;  ///< (margin + length + margin) rows × width
    std::vector<uint64_t> cache;
    std::vector<uint64_t> cells;  ///< hashes of the cells of a few rows ahead
    uint64_t owner = 0;           ///< whose hashes the cache holds
    std::vector<uint64_t> words;  ///< of the rows, as lexicons look them up
    CellViews cell;
  };

  /// `margin`: how far outside the sequence references reach.
  TokenViews(std::vector<View> views, std::vector<Pattern> patterns, size_t margin,
             std::shared_ptr<const WordTables> lists = nullptr);

  size_t width() const { return views_.size(); }
  size_t margin() const { return margin_; }
  /// Position of the view within a row.
  size_t place(size_t view) const { return places_[view]; }

  /// Hashes the sequence's cells. Precondition: it has all columns that the views use.
  void fill(const Sequence& sequence, Table& table) const;

  /// The hashes of one row, which may be up to `margin` rows outside the sequence; `out` has room for
  /// width().
  void fill_row(const Sequence& sequence, ptrdiff_t row, Table& table, uint64_t* out) const;

  /// The cell whose views text() gave last: neighbouring calls often ask about the same one. For one sequence
  /// at a time: start another one with a new object.
  struct Reading {
    CellViews cell;
    std::string outside;
    ptrdiff_t row = -1;
    size_t column = 0;
    std::vector<uint64_t> words;  ///< of the rows, as lexicons look them up
  };
  /// The text of one entry of the table, or nothing if that is kAbsent. Rows outside the sequence are
  /// allowed. The text is valid until the next call with the same `reading`.
  std::optional<std::string_view> text(const Sequence& sequence, ptrdiff_t row, size_t view,
                                       Reading& reading) const {
    const View& wanted = views_[view];
    if (wanted.kind == ViewKind::kText && static_cast<size_t>(row) < sequence.length())
      return sequence.cell(static_cast<size_t>(row), wanted.column);
    return other_text(sequence, row, view, reading);
  }

 private:
  /// The views of one column: the `plain` entries are the hash of the cell, `count` entries from `first` on
  /// its variants.
  struct Group {
    size_t column;
    std::vector<size_t> plain;
    size_t first = 0, count = 0;
    size_t cache = 0;  ///< where the group's part of the cache starts
  };

  /// What text() gives of anything but a cell as it is.
  std::optional<std::string_view> other_text(const Sequence& sequence, ptrdiff_t row, size_t view,
                                             Reading& reading) const;
  void own_cache(const Sequence& sequence, Table& table) const;
  /// Where the cache has what a group gives for a cell.
  static size_t cached(const Group& group, uint64_t hash);
  void fill_group(const Sequence& sequence, size_t t, const Group& group, uint64_t hash, Table& table,
                  uint64_t* row) const;
  void fill_inner_row(const Sequence& sequence, size_t t, Table& table, uint64_t* row) const;
  std::optional<std::string> outside_text(const View& view, ptrdiff_t distance) const;
  /// The hashes by which lexicons look up the cells of a column.
  static void hash_words(const Sequence& sequence, size_t column, CellViews& cell,
                         std::vector<uint64_t>& out);

  std::vector<View> views_;  ///< in the order of the plan
  std::vector<Pattern> patterns_;
  size_t margin_;
  std::vector<size_t> places_;
  std::vector<size_t> order_;  ///< the view at each place
  std::vector<Group> groups_;
  std::vector<size_t> in_lexicons_;  ///< views of lexicons, which depend on neighbours and are in no group
  std::shared_ptr<const WordTables> lists_;
  std::vector<uint64_t> before_, after_;  ///< the margins' rows
  /// The same as text: of view v, `distance` rows outside (−margin … −1, 1 … margin), at [v][distance +
  /// margin].
  std::vector<std::vector<std::optional<std::string>>> outside_;
  size_t cache_size_ = 0;
  size_t columns_ = 0;
  uint64_t identity_;
};

}  // namespace espalier::data
