// Lexicons (lists of names, of places …) and word classes as features: parsed once, stored in the model as
// text.
//
// A lexicon has one entry per line, words separated by blanks, and, after a tab, its type: `New
// York<tab>city`. Without a tab the type is "1". Entries match in any letter case. A class file has lines
// `word class` or, as Brown clustering writes them, `path<tab>word<tab>count` with a path of 0 and 1, whose
// beginnings are features, too. Words are looked up as they are, then in lower case. The labels of words
// (word_labels.h) are a list that training makes: `word<tab>labels`, words in lower case.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "espalier/base/hash.h"
#include "espalier/base/result.h"
#include "espalier/data/features/feature_plan.h"
#include "espalier/data/sequence.h"

namespace espalier::data {

/// A list as it is stored: FeatureOptions has these.
struct WordList {
  enum class Kind { kLexicon, kClasses, kLabels };
  Kind kind = Kind::kLexicon;
  std::string name;  ///< the file, for error messages
  std::string text;
  bool operator==(const WordList& other) const { return kind == other.kind && text == other.text; }
};

/// Longer lists are refused: they are part of every model file.
inline constexpr size_t kLargestWordList = size_t{64} << 20;

/// A list, parsed. Immutable and thread-safe. Look-ups take constant time.
class WordTable {
 public:
  /// Errors name file and line: nothing in it, no UTF-8, too large, lines that are no entries, a word with
  /// two classes.
  static Result<WordTable> parse(const WordList& list);

  WordList::Kind kind() const { return kind_; }
  /// Whether classes are paths of 0 and 1, whose beginnings are classes of their own.
  bool paths() const { return paths_; }
  size_t size() const { return words_.size(); }

  /// The class of a word; `lower` is the word in lower case.
  std::optional<std::string_view> class_of(std::string_view word, std::string_view lower) const;
  /// The longest entry that covers a row, as place and type: `B-city` for its first word, `I-`, `E-`, `S-`
  /// for an entry of one word. Ties go to the entry that begins first. `words` has the word_hash of every
  /// row.
  std::optional<std::string_view> covering(std::span<const uint64_t> words, size_t row) const;
  static uint64_t word_hash(std::string_view lower) { return hash_bytes(lower); }

 private:
  static constexpr uint32_t kNone = 0xFFFFFFFF;
  Status add_entry(std::string_view line, std::string& lower);
  Status add_word(std::string_view word, std::string_view its_class);
  uint32_t number_of(std::string_view text);

  WordList::Kind kind_ = WordList::Kind::kLexicon;
  bool paths_ = false;
  size_t longest_ = 0;                            ///< words of the longest entry
  std::unordered_map<uint64_t, uint32_t> words_;  ///< classes: hash of a word; lexicons: of the words so far
  std::vector<std::string> texts_;                ///< classes; of lexicons, four places for each type
  std::unordered_map<std::string, uint32_t> numbers_;
};

/// All lists of a model.
using WordTables = std::vector<WordTable>;
Result<std::shared_ptr<const WordTables>> parse_word_lists(const std::vector<WordList>& lists);

/// Adds features of the lists to a plan: the classes, labels and entries in a window around a word of the
/// column. `labels_column`: where the labels of words are cells of their own.
void add_list_features(const WordTables& lists, size_t column, std::optional<size_t> labels_column,
                       FeaturePlan& plan);

}  // namespace espalier::data
