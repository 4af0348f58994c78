#include "espalier/model/joint_scores.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "espalier/base/text/json.h"
#include "espalier/eval/add_counts.h"

namespace espalier::model {
namespace {

double percent(uint64_t part, uint64_t all) {
  return all == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

void JointScores::add(const data::Predictor& predictor, const data::Sequence& sequence,
                      const data::Prediction& prediction, std::span<const std::string_view> gold,
                      std::span<const std::string_view> predicted) {
  std::vector<bool> known(sequence.length(), true), right(sequence.length(), true);
  const auto count = [&](std::span<const std::string_view> of_gold, std::span<const std::string_view> given) {
    for (size_t row = 0; row < sequence.length(); ++row) {
      if (of_gold[row] == data::kUnknownLabelText) {
        known[row] = false;
        continue;
      }
      ++labels;
      if (of_gold[row] == given[row]) {
        ++right_labels;
      } else {
        right[row] = false;
      }
    }
  };
  count(gold, predicted);
  std::vector<std::string_view> other_gold(sequence.length()), other(sequence.length());
  for (size_t c = 0; c < others.size(); ++c) {
    for (size_t row = 0; row < sequence.length(); ++row) {
      other_gold[row] = sequence.cell(row, cells[c]);
      other[row] = predictor.labels_of_column(c).name(prediction.best.front().others[c][row]);
    }
    others[c].add(other_gold, other);
    count(other_gold, other);
  }
  uint64_t known_here = 0, right_here = 0;
  for (size_t row = 0; row < sequence.length(); ++row)
    if (known[row]) {
      ++known_here;
      if (right[row]) ++right_here;
    }
  tokens += known_here;
  right_tokens += right_here;
  if (known_here == 0) return;
  ++sequences;
  if (right_here == known_here) ++right_sequences;
}

double JointScores::label_accuracy() const { return percent(right_labels, labels); }
double JointScores::token_accuracy() const { return percent(right_tokens, tokens); }
double JointScores::sequence_accuracy() const { return percent(right_sequences, sequences); }

void JointScores::merge(const JointScores& other) {
  if (!any()) {
    *this = other;
    return;
  }
  for (size_t c = 0; c < others.size(); ++c) others[c].merge(other.others[c]);
  using S = JointScores;
  eval::add_counts(
      *this, other,
      {&S::labels, &S::right_labels, &S::tokens, &S::right_tokens, &S::sequences, &S::right_sequences});
}

std::string JointScores::table(const eval::TaggingScores& last) const {
  std::string out = "column    accuracy  whole seq.  precision  recall      F1\n";
  for (size_t c = 0; c < cells.size(); ++c) {
    const eval::TaggingScores& s = c < others.size() ? others[c] : last;
    out += fmt::format("{:<8}  {:8.2f}  {:10.2f}  {:9.2f}  {:6.2f}  {:6.2f}\n", cells[c] + 1, s.accuracy(),
                       s.sequence_accuracy(), s.precision(), s.recall(), s.f1());
  }
  return out + fmt::format(
                   "all labels: {:.2f} % right; tokens with every label right: {:.2f} %; whole sequences: "
                   "{:.2f} %\n",
                   label_accuracy(), token_accuracy(), sequence_accuracy());
}

Json JointScores::to_json(const eval::TaggingScores& last) const {
  Json columns = Json::array();
  for (size_t c = 0; c < cells.size(); ++c) {
    const eval::TaggingScores& s = c < others.size() ? others[c] : last;
    columns.push_back({{"column", cells[c] + 1},
                       {"accuracy", s.accuracy()},
                       {"sequence_accuracy", s.sequence_accuracy()},
                       {"precision", s.precision()},
                       {"recall", s.recall()},
                       {"f1", s.f1()}});
  }
  return {{"columns", std::move(columns)},
          {"label_accuracy", label_accuracy()},
          {"token_accuracy", token_accuracy()},
          {"sequence_accuracy", sequence_accuracy()}};
}

}  // namespace espalier::model
