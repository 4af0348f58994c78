// The features of a sequence: the observations at every position, as 64-bit hashes. Call
// FeatureExtractor::make once, then extract() for each sequence. No strings are built.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/base/text/text_buffer.h"
#include "espalier/data/features/word_lists.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/sequence.h"

namespace espalier::data {

/// The features of one sequence, position after position. State features are combined with the label of their
/// position, edge features with that label and the one before. `values` is empty if every value is 1.
/// Features of position t: state[state_begin[t] .. state_begin[t+1]). The order within a position is fixed by
/// the extractor and the sequence alone; FeatureExtractor::state_name gives the name of each.
struct HashedFeatures {
  std::vector<uint32_t> state_begin{0};
  std::vector<uint64_t> state;
  std::vector<float> state_values;
  std::vector<uint32_t> edge_begin{0};
  std::vector<uint64_t> edge;

  size_t length() const { return state_begin.size() - 1; }
  void clear() {
    state_begin.assign(1, 0);
    edge_begin.assign(1, 0);
    state.clear();
    state_values.clear();
    edge.clear();
  }
};

/// Features that a few neighbouring rows alone decide. Those of a stretch of `rows` rows belong to several
/// positions, the places of the group: with the first row at r, the features of place p belong to position r
/// − places[p].
/// (`low[-1]` and `low[0]` look at one row each; what they say about row r belongs to positions r + 1 and r.)
struct FeatureGroup {
  size_t rows = 1;
  std::vector<int> places;  ///< descending, so that positions ascend

  /// The first row of the first stretch that any position looks at; anchors count from here.
  int first_row() const { return places.back(); }
  /// How many stretches of rows the positions of a sequence look at.
  size_t anchors(size_t length) const {
    return length == 0 ? 0 : length + static_cast<size_t>(places.front() - places.back());
  }
  /// The position to which a place of an anchor belongs; it may be outside the sequence.
  ptrdiff_t position(size_t anchor, size_t place) const {
    return static_cast<ptrdiff_t>(anchor) + first_row() - places[place];
  }
};

/// The features of one sequence, those of groups as keys: equal keys of a group mean equal features.
struct GroupedFeatures {
  std::vector<std::vector<uint64_t>> keys;  ///< per group, per anchor
  HashedFeatures others;                    ///< state features without a group, and all edge features
};

/// What to extract. Stored in the model as text; parse and check once with FeatureExtractor::make.
struct FeatureOptions {
  /// The text of a CRF++ or Wapiti template; empty: the default features for words (or the attributes
  /// themselves, for formats that have them).
  std::string template_text;
  /// Where the template came from, for error messages.
  std::string template_name;
  /// The columns that features may use, from 0, ascending; the first is the word. Templates are checked
  /// against these.
  std::vector<size_t> feature_columns;
  /// 1, or 2 to add the product of every pair of a position's state features (an explicit quadratic kernel).
  int degree = 1;
  /// Whether rows have attributes instead of cells.
  bool attributes = false;
  /// Patterns and lower case of the template see bytes and ASCII letters instead of characters: set by the
  /// import of models of Wapiti, which does.
  bool bytes = false;
  /// Lexicons and word classes, whose features are added to those of the template or to the default ones.
  std::vector<WordList> lists;
  /// The labels of words (WordList::Kind::kLabels) are in this column instead of in the list: set where
  /// training data is encoded (word_labels.h). Not part of a model.
  std::optional<size_t> labels_column = {};

  bool operator==(const FeatureOptions& other) const {  // what it is called does not matter
    return template_text == other.template_text && feature_columns == other.feature_columns &&
           degree == other.degree && attributes == other.attributes && bytes == other.bytes &&
           lists == other.lists;
  }
};

/// Turns sequences into hashed features. Immutable and thread-safe; the caller provides the scratch.
///
/// Each token's strings (and their case, affix and shape variants) are hashed once; a template's feature is a
/// combination of those hashes.
class FeatureExtractor {
 public:
  /// Buffers reused from sequence to sequence, one object per thread.
  class Scratch {
   public:
    Scratch();
    ~Scratch();
    Scratch(Scratch&&) noexcept;
    Scratch& operator=(Scratch&&) noexcept;
    struct Buffers;
    std::unique_ptr<Buffers> buffers;
  };

  /// Checks the template (syntax, columns) and prepares it. Errors name the template's file and line.
  static Result<FeatureExtractor> make(const FeatureOptions& options);
  ~FeatureExtractor();
  FeatureExtractor(FeatureExtractor&&) noexcept;
  FeatureExtractor& operator=(FeatureExtractor&&) noexcept;

  /// Replaces the contents of `out`. Deterministic: the same sequence gives the same features in the same
  /// order.
  void extract(const Sequence& sequence, Scratch& scratch, HashedFeatures& out) const;

  /// The groups of state features; empty for attributes and for products of features.
  std::span<const FeatureGroup> groups() const;
  /// The same features as extract(), sorted into groups. Precondition: there are groups.
  void extract_grouped(const Sequence& sequence, Scratch& scratch, GroupedFeatures& out) const;
  /// The state features of a group at an anchor: entry p of `out` has those of place p.
  void extract_group(const Sequence& sequence, size_t group, size_t anchor, Scratch& scratch,
                     HashedFeatures& out) const;

  /// Whether labels of neighbours interact (a template without any B line has no transitions).
  bool has_transitions() const;
  /// Whether some edge feature depends on observations (`B01:%x[0,0]`), in addition to the plain label
  /// bigram.
  bool has_edge_features() const;

  /// The readable name of the slot-th state (edge) feature of a position, as the template would expand to it.
  /// FeatureNames is faster if many are wanted.
  std::string state_name(const Sequence& sequence, size_t row, size_t slot) const;
  std::string edge_name(const Sequence& sequence, size_t row, size_t slot) const;

 private:
  friend class FeatureNames;
  struct Plan;
  explicit FeatureExtractor(std::unique_ptr<const Plan> plan);
  std::unique_ptr<const Plan> plan_;
};

/// Names the features of one position after another. All names of a position take time linear in their
/// length, in whatever order they are asked for. One object per thread; the extractor must outlive it.
class FeatureNames {
 public:
  explicit FeatureNames(const FeatureExtractor& extractor);
  ~FeatureNames();
  FeatureNames(FeatureNames&&) noexcept;
  FeatureNames& operator=(FeatureNames&&) noexcept;

  /// The position whose features are asked for next; the sequence must not change meanwhile.
  void move_to(const Sequence& sequence, size_t row);
  /// Appends the name of the slot-th state (edge) feature.
  void append_state(size_t slot, TextBuffer& out);
  void append_edge(size_t slot, TextBuffer& out);
  std::string state_name(size_t slot);

 private:
  struct Position;
  std::unique_ptr<Position> position_;
};

}  // namespace espalier::data
