// The labels that words have in training data, as a feature: a word that is ambiguous in the same way as
// others shares their weights. Count with add(), then list() is stored in the model like a class file
// (word_lists.h).
//
// In its own sequence a word would always have the right label among those it was seen with; a model that
// learned from that would trust the feature too much. So each training sequence is encoded with the labels
// that its words have in all other sequences: with_labels_of_others().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "espalier/data/features/word_lists.h"
#include "espalier/data/label_set.h"
#include "espalier/data/sequence.h"

namespace espalier::data {

/// Counts how often each word, in lower case, has each label. Labels with less than a twentieth of a word's
/// occurrences are not named. Memory: linear in words.
class WordLabels {
 public:
  /// `column` has the words.
  explicit WordLabels(size_t column) : column_(column) {}

  /// Labels that are not known do not count.
  void add(const Sequence& sequence);
  /// The labels of every word that a list can have (one in UTF-8, without tabs); nothing if there are none,
  /// if a label has a tab, or if that were more than a list may have.
  std::optional<WordList> list() const;
  /// A copy of cells, labels and weight with one more column: the labels that the word of the row has in the
  /// other sequences; empty where it has none. Precondition: the sequence was added. O(length · log length).
  Sequence with_labels_of_others(const Sequence& sequence) const;

 private:
  using Counts = std::vector<std::pair<Label, uint32_t>>;
  std::string text_of(const Counts& counts) const;

  size_t column_;
  LabelSet labels_;
  std::unordered_map<std::string, uint32_t> numbers_;  ///< of words
  std::vector<std::string> words_;
  std::vector<Counts> counts_;
};

}  // namespace espalier::data
