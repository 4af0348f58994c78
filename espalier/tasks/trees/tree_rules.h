// Constraints on trees: TreeRules::resolve makes them of a file of constraints
// (constrain/language.h), SentenceRules are what they say about one sentence,
// and ParseSpace keeps to them as far as a search can.
//
//   forbid head PUNCT of any      no word with this tag has dependents; also
//   with a pair of tags forbid root {PUNCT, ADP}      no word with these tags
//   is the root exactly 1 of root             no word but the root has the
//   root's relation force column 9                arcs that must be there: "4",
//   "4:nsubj", "0"; _ leaves the word free
//
// Arcs that are forced are kept as long as they are part of some tree without
// crossing arcs (the dynamic oracle tells). A forbidden arc is made only by a
// search that has no other move left. Tested in tree_rules_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/constrain/language.h"
#include "espalier/data/label_set.h"
#include "espalier/data/sequence.h"

namespace espalier::tasks {

/// A head that nothing is said about. Heads are words from 0 or kNoWord, the
/// root.
inline constexpr uint32_t kFreeHead = 0xFFFFFFFE;

/// What rules say about one sentence. Empty vectors: nothing.
struct SentenceRules {
  std::vector<uint64_t> as_head,
      as_dependent;                      ///< by word, a bit for each pair of tags that is forbidden
  std::vector<uint8_t> not_root;         ///< by word
  std::vector<uint32_t> heads;           ///< that are forced, or kFreeHead
  std::vector<data::Label> relations;    ///< that are forced, or kNoLabel
  std::optional<data::Label> only_root;  ///< a relation that the root alone has

  bool forbids(uint32_t head, uint32_t dependent) const {
    return !as_head.empty() && (as_head[head] & as_dependent[dependent]) != 0;
  }
  bool forces() const { return !heads.empty(); }
  /// How many words have a head or relation that the rules rule out; heads from
  /// 1, 0 for the root.
  size_t broken(std::span<const uint32_t> tree, std::span<const data::Label> tree_relations) const;
};

/// Adds the arcs in a column (from 0) of the sequence. An error, which begins
/// with "line N: ", where a cell is no arc, a relation is not known, or the
/// arcs cannot be part of a tree.
Status read_forced_arcs(const data::Sequence& sequence, size_t column, const data::LabelSet& relations,
                        SentenceRules& out);

/// A file of constraints for a parser. Immutable; safe for any number of
/// threads.
class TreeRules {
 public:
  static constexpr size_t kMostPairs = 64;

  /// Errors name file, line and column: constraints that do not apply to trees,
  /// soft ones, unknown relations. `tags` is the column (from 0) of the tags if
  /// there is one, `columns` how many a row has, `root` the relation of the
  /// root.
  static Result<TreeRules> resolve(std::string_view text, const std::string& file,
                                   const data::LabelSet& relations, data::Label root,
                                   std::optional<size_t> tags, size_t columns);
  /// What they say about a sentence; `relations` as above. Errors are those of
  /// read_forced_arcs.
  Status apply(const data::Sequence& sequence, const data::LabelSet& relations, SentenceRules& out) const;
  /// The names of the constraints that a tree breaks.
  std::vector<std::string> broken(const SentenceRules& rules, std::span<const uint32_t> heads,
                                  std::span<const data::Label> relations) const;
  bool forces() const { return force_column_.has_value(); }
  std::string about() const;

 private:
  std::vector<constrain::Statement> pairs_, roots_;
  std::optional<size_t> tags_, force_column_;
  std::optional<data::Label> only_root_;
  std::string only_root_name_, force_name_;
};

}  // namespace espalier::tasks
