// Losses of a predicted sequence compared with a gold one: Hamming, 0/1, 1 − F1 of chunks, and edit distances
// with their alignments.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "espalier/data/label_set.h"
#include "espalier/eval/chunks.h"

namespace espalier::eval {

using Labels = std::span<const data::Label>;
using LabelTexts = std::span<const std::string_view>;

/// Number of positions whose labels differ. Positions whose gold label is not known (kNoLabel, `_`) cost
/// nothing. Precondition: equal lengths.
size_t hamming_loss(Labels gold, Labels predicted);
size_t hamming_loss(LabelTexts gold, LabelTexts predicted);

/// 1 if any position with a known gold label differs, otherwise 0. Precondition: equal lengths.
int zero_one_loss(Labels gold, Labels predicted);
int zero_one_loss(LabelTexts gold, LabelTexts predicted);

/// 1 − F1 of the sequence's chunks (chunks.h), in [0, 1]; 0 where neither side has any. A position whose gold
/// label is not known is outside on both sides. Precondition: equal lengths.
/// Labels are taken apart once, when it is made. Immutable, so threads may share it.
class ChunkF1Loss {
 public:
  explicit ChunkF1Loss(const data::LabelSet& labels);
  /// Precondition: equal lengths; every label is one of the set or kNoLabel.
  double operator()(Labels gold, Labels predicted) const;

 private:
  ChunkTag tag(data::Label label) const { return label == data::kNoLabel ? ChunkTag{} : tags_[label]; }
  std::vector<ChunkTag> tags_;
};

/// What editing costs. Substitution is the cost of replacing gold item i by predicted item j; it is also
/// called for equal items, where it is normally 0. Costs must not be negative.
struct EditCosts {
  double insertion = 1;
  double deletion = 1;
  std::function<double(size_t gold, size_t predicted)> substitution;
};

enum class Edit : unsigned char { kMatch, kSubstitute, kDelete, kInsert };

/// One step of an alignment. A deletion has no predicted item, an insertion no gold item; the index is then
/// that of the item after the gap.
struct EditStep {
  Edit edit;
  size_t gold;
  size_t predicted;
  bool operator==(const EditStep&) const = default;
};

struct EditAlignment {
  double distance = 0;
  std::vector<EditStep> steps;
};

/// A cheapest alignment of `gold_size` gold items with `predicted_size` predicted ones. O(nm) time and space.
/// Ties go to substitution, then deletion, then insertion, seen from the end. A step of cost 0 is a match.
EditAlignment align(size_t gold_size, size_t predicted_size, const EditCosts& costs);

/// Levenshtein distance: unit costs. O(nm) time, O(m) space. Bytes, for the overload on texts.
size_t edit_distance(Labels gold, Labels predicted);
size_t edit_distance(LabelTexts gold, LabelTexts predicted);
size_t edit_distance(std::string_view gold, std::string_view predicted);

/// The alignment that goes with it.
EditAlignment edit_alignment(Labels gold, Labels predicted);
EditAlignment edit_alignment(LabelTexts gold, LabelTexts predicted);

}  // namespace espalier::eval
