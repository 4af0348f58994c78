// Templates compiled to short programs that combine the hashes of views around a position. Internal to
// features.cc. Tested in features_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/text/text_buffer.h"
#include "espalier/data/features/feature_plan.h"
#include "espalier/data/features/token_views.h"

namespace espalier::data {

/// The features that some templates give at every position of a sequence. Immutable and thread-safe.
///
/// A template's feature is h(…h(h(literals), view₁), …, viewₙ). Templates are grouped by what they need, so
/// that each group runs in its own loop without branches. Features come out in that order at every position,
/// without those that are absent there.
class FeatureProgram {
 public:
  /// `chosen` are the templates of the plan to compile.
  FeatureProgram(const FeaturePlan& plan, const std::vector<size_t>& chosen, const TokenViews& views);

  /// The largest number of features a position can have.
  size_t capacity() const { return order_.size(); }

  /// Writes the features of position t at `out`, which has room for capacity(), and returns their end.
  uint64_t* run(const Sequence& sequence, size_t t, const TokenViews::Table& table, uint64_t* out) const;
  /// The same for the position whose views are at `row`, with those of its neighbours around it.
  /// Precondition: every template is regular.
  uint64_t* run_at(const uint64_t* row, uint64_t* out) const;
  /// Runs at the positions from `first` on: the features of position t are [begin[t], begin[t+1]).
  void run_all(const Sequence& sequence, const TokenViews::Table& table, size_t first,
               std::vector<uint32_t>& begin, std::vector<uint64_t>& features) const;

  /// How far the features of a position have been looked at to find out which of them are absent there. A new
  /// object, or clear(), for every position.
  struct Walk {
    std::vector<uint32_t> present;  ///< index into order_ of the slots that are not certain
    size_t next = 0;                ///< how many of the uncertain ones were looked at
    TokenViews::Reading reading;

    void clear() {
      present.clear();
      next = 0;
      reading.row = -1;
    }
  };
  /// Appends the name of the slot-th feature of position t; false if there are fewer. All names of a position
  /// together take time linear in their length.
  bool append_name(const TokenViews& views, const Sequence& sequence, size_t t, size_t slot, Walk& walk,
                   TextBuffer& out) const;

 private:
  template <size_t n>
  struct Join {
    uint64_t seed;
    int32_t at[n];  ///< distance of each view's hash from the start of the position's row
  };
  /// Any number of references of any origin.
  struct General {
    uint64_t seed;
    std::vector<Reference> references;  ///< with the view's place instead of its index
    std::vector<int32_t> at;            ///< as in Join, if all rows are at fixed distances; else empty
  };

  /// A text of a name and the reference after it.
  struct NamePart {
    uint32_t text_end;  ///< in texts_; the text begins where the one before ends
    bool optional;      ///< whether the view may give nothing
    Reference reference;
  };
  /// Where a name begins: in parts_, in texts_.
  struct NameBegin {
    uint32_t part, text;
  };
  void lay_out_names(const FeaturePlan& plan);

  size_t width_, margin_;
  std::vector<size_t> order_;  ///< the template of the plan behind each slot
  // The names of the slots, in their order: they are asked for in it, and there may be thousands.
  std::vector<NameBegin> names_;  ///< one more than slots
  std::vector<NamePart> parts_;
  std::string texts_;
  size_t certain_ = 0;  ///< so many slots at the front are present at every position
  std::vector<uint64_t> constant_;
  std::vector<Join<1>> one_;
  std::vector<Join<2>> two_;
  std::vector<Join<3>> three_;
  std::vector<Join<1>> one_or_none_;
  std::vector<General> general_;
};

/// Whether a template looks at rows at fixed distances in one of the ways that run in a loop of their own.
bool is_regular(const Template& feature, const FeaturePlan& plan);

/// The hash of a template before its views are added: that of its literals.
uint64_t seed_of(const Template& feature);

/// The row that a reference names at position t; it may be outside the sequence.
ptrdiff_t referenced_row(const Reference& reference, const Sequence& sequence, size_t t);

/// How far outside the sequence the plan's references reach.
size_t margin_of(const FeaturePlan& plan);

}  // namespace espalier::data
