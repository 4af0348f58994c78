#include "espalier/eval/losses.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "espalier/base/result.h"

namespace espalier::eval {
namespace {

bool known(data::Label label) { return label != data::kNoLabel; }
bool known(std::string_view label) { return label != data::kUnknownLabelText; }

template <typename T>
size_t count_differences(std::span<const T> gold, std::span<const T> predicted) {
  ESPALIER_CHECK(gold.size() == predicted.size());
  size_t differences = 0;
  for (size_t t = 0; t < gold.size(); ++t) differences += known(gold[t]) && gold[t] != predicted[t] ? 1 : 0;
  return differences;
}

template <typename T>
bool any_difference(std::span<const T> gold, std::span<const T> predicted) {
  ESPALIER_CHECK(gold.size() == predicted.size());
  for (size_t t = 0; t < gold.size(); ++t)
    if (known(gold[t]) && gold[t] != predicted[t]) return true;
  return false;
}

/// tag_of is asked for known gold labels and for predicted ones.
template <typename T, typename TagOf>
double chunk_loss(std::span<const T> gold, std::span<const T> predicted, const TagOf& tag_of) {
  ESPALIER_CHECK(gold.size() == predicted.size());
  ChunkMatcher matcher;
  Counts counts;
  const auto count = [&](const ChunkMatcher::Events& events) {
    counts.gold += events.gold_starts ? 1 : 0;
    counts.found += events.found_starts ? 1 : 0;
    counts.correct += events.correct_ends ? 1 : 0;
  };
  for (size_t t = 0; t < gold.size(); ++t)
    count(known(gold[t]) ? matcher.step(tag_of(gold[t]), tag_of(predicted[t])) : matcher.finish());
  count(matcher.finish());
  const uint64_t chunks = counts.gold + counts.found;
  if (chunks == 0) return 0;
  // F1 = 2PR/(P+R) with P = c/f, R = c/g is 2c/(g+f).
  return 1 - 2 * static_cast<double>(counts.correct) / static_cast<double>(chunks);
}

template <typename Items>
size_t levenshtein(const Items& gold, const Items& predicted) {
  std::vector<size_t> row(predicted.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < gold.size(); ++i) {
    size_t diagonal = row[0];  // D[i][j] while D[i+1][j+1] is computed.
    row[0] = i + 1;
    for (size_t j = 0; j < predicted.size(); ++j) {
      const size_t substituted = diagonal + (gold[i] == predicted[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j + 1] + 1, row[j] + 1});
    }
  }
  return row.back();
}

template <typename T>
EditAlignment unit_alignment(std::span<const T> gold, std::span<const T> predicted) {
  EditCosts costs;
  costs.substitution = [&](size_t i, size_t j) { return gold[i] == predicted[j] ? 0.0 : 1.0; };
  return align(gold.size(), predicted.size(), costs);
}

}  // namespace

size_t hamming_loss(Labels gold, Labels predicted) { return count_differences(gold, predicted); }
size_t hamming_loss(LabelTexts gold, LabelTexts predicted) { return count_differences(gold, predicted); }

int zero_one_loss(Labels gold, Labels predicted) { return any_difference(gold, predicted) ? 1 : 0; }
int zero_one_loss(LabelTexts gold, LabelTexts predicted) { return any_difference(gold, predicted) ? 1 : 0; }

ChunkF1Loss::ChunkF1Loss(const data::LabelSet& labels) {
  LabelTable table;
  tags_.reserve(labels.size());
  for (const std::string& name : labels.names()) tags_.push_back(table.tag(table.add(name)));
}

double ChunkF1Loss::operator()(Labels gold, Labels predicted) const {
  return chunk_loss(gold, predicted, [&](data::Label label) { return tag(label); });
}

EditAlignment align(size_t gold_size, size_t predicted_size, const EditCosts& costs) {
  ESPALIER_CHECK(costs.substitution || gold_size == 0 || predicted_size == 0);
  // D[i][j]: cost of turning the first i gold items into the first j predicted ones; `last` has the step that
  // ends a cheapest way there.
  const size_t columns = predicted_size + 1;
  std::vector<double> above(columns);
  std::vector<double> row(columns);
  std::vector<Edit> last((gold_size + 1) * columns, Edit::kInsert);
  for (size_t j = 1; j < columns; ++j) row[j] = row[j - 1] + costs.insertion;
  for (size_t i = 1; i <= gold_size; ++i) {
    std::swap(above, row);
    row[0] = above[0] + costs.deletion;
    last[i * columns] = Edit::kDelete;
    for (size_t j = 1; j < columns; ++j) {
      const double substitution = costs.substitution(i - 1, j - 1);
      double best = above[j - 1] + substitution;
      Edit edit = substitution == 0 ? Edit::kMatch : Edit::kSubstitute;
      if (const double deleted = above[j] + costs.deletion; deleted < best) {
        best = deleted;
        edit = Edit::kDelete;
      }
      if (const double inserted = row[j - 1] + costs.insertion; inserted < best) {
        best = inserted;
        edit = Edit::kInsert;
      }
      row[j] = best;
      last[i * columns + j] = edit;
    }
  }
  EditAlignment result;
  result.distance = row[predicted_size];
  for (size_t i = gold_size, j = predicted_size; i > 0 || j > 0;) {
    const Edit edit = last[i * columns + j];
    if (edit != Edit::kInsert) --i;
    if (edit != Edit::kDelete) --j;
    result.steps.push_back({edit, i, j});
  }
  std::reverse(result.steps.begin(), result.steps.end());
  return result;
}

size_t edit_distance(Labels gold, Labels predicted) { return levenshtein(gold, predicted); }
size_t edit_distance(LabelTexts gold, LabelTexts predicted) { return levenshtein(gold, predicted); }
size_t edit_distance(std::string_view gold, std::string_view predicted) {
  return levenshtein(gold, predicted);
}

EditAlignment edit_alignment(Labels gold, Labels predicted) { return unit_alignment(gold, predicted); }
EditAlignment edit_alignment(LabelTexts gold, LabelTexts predicted) {
  return unit_alignment(gold, predicted);
}

}  // namespace espalier::eval
