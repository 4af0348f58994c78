// The scores as text and as JSON. Tested in scores_test.cc.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

#include "espalier/base/text/counted.h"
#include "espalier/base/text/format.h"
#include "espalier/base/text/json.h"
#include "espalier/eval/scores.h"

namespace espalier::eval {
namespace {

constexpr size_t kConfusionsInTable = 10;
constexpr size_t kConfusionsInJson = 100;

/// Width in characters, not bytes: continuation bytes of UTF-8 take no column.
size_t width(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(std::string_view text, size_t columns) {
  std::string result(text);
  const size_t used = width(text);
  if (used < columns) result.append(columns - used, ' ');
  return result;
}

}  // namespace

std::string TaggingScores::conlleval_report() const {
  const Counts all = overall();
  std::string out;
  append_format(out, "processed {} tokens with {} phrases; found: {} phrases; correct: {}.\n", tokens_,
                all.gold, all.found, all.correct);
  if (tokens_ > 0)
    append_format(out, "accuracy: {:6.2f}%; precision: {:6.2f}%; recall: {:6.2f}%; FB1: {:6.2f}\n",
                  accuracy(), all.precision(), all.recall(), all.f1());
  for (const LabelScore& score : by_label()) {
    // Padded by hand, in bytes like the script: a format width would count characters.
    if (score.label.size() < 17) out.append(17 - score.label.size(), ' ');
    append_format(out, "{}: precision: {:6.2f}%; recall: {:6.2f}%; FB1: {:6.2f}  {}\n", score.label,
                  score.precision(), score.recall(), score.f1(), score.found);
  }
  return out;
}

std::string TaggingScores::table() const {
  std::string out;
  append_format(out, "sequences: {}, {:.2f}% without an error\n", sequences_, sequence_accuracy());
  for (const auto& [label, tokens] : stray_labels())
    append_format(out, "the gold label '{}' ({}) is none of a segment: a mistake?\n", label,
                  counted(tokens, "token"));

  const std::vector<Confusion> worst = confusions(kConfusionsInTable);
  if (!worst.empty()) {
    size_t gold_width = 4;
    size_t predicted_width = 9;
    for (const Confusion& c : worst) {
      gold_width = std::max(gold_width, width(c.gold));
      predicted_width = std::max(predicted_width, width(c.predicted));
    }
    append_format(out, "\nmost common confusions (errors in all: {})\n", tokens_ - correct_tokens_);
    append_format(out, "  {}  {}     count  of errors\n", padded("gold", gold_width),
                  padded("predicted", predicted_width));
    for (const Confusion& c : worst)
      append_format(out, "  {}  {}  {:8}  {:8.2f}%\n", padded(c.gold, gold_width),
                    padded(c.predicted, predicted_width), c.count,
                    100 * static_cast<double>(c.count) / static_cast<double>(tokens_ - correct_tokens_));
  }

  if (calibration_.count() > 0) {
    append_format(out, "\ncalibration: expected calibration error {:.4f}, Brier score {:.4f}\n",
                  calibration_.expected_calibration_error(), calibration_.brier_score());
    out += "  confidence      tokens    mean   right\n";
    for (const Reliability::Bin& bin : calibration_.bins())
      if (bin.count > 0)
        append_format(out, "  {:.3f}-{:.3f}  {:8}  {:.4f}  {:.4f}\n", bin.low, bin.high, bin.count,
                      bin.confidence, bin.accuracy);
  }
  return out;
}

Json TaggingScores::to_json() const {
  const Counts all = overall();
  Json labels = Json::object();
  for (const LabelScore& score : by_label())
    labels[score.label] = {{"gold", score.gold},       {"found", score.found},
                           {"correct", score.correct}, {"precision", score.precision()},
                           {"recall", score.recall()}, {"f1", score.f1()}};
  Json errors = Json::array();
  for (const Confusion& c : confusions(kConfusionsInJson))
    errors.push_back({{"gold", c.gold}, {"predicted", c.predicted}, {"count", c.count}});
  Json stray = Json::object();
  for (const auto& [label, tokens] : stray_labels()) stray[label] = tokens;
  Json calibration = nullptr;
  if (calibration_.count() > 0) {
    Json bins = Json::array();
    for (const Reliability::Bin& bin : calibration_.bins())
      if (bin.count > 0)
        bins.push_back({{"low", bin.low},
                        {"high", bin.high},
                        {"tokens", bin.count},
                        {"confidence", bin.confidence},
                        {"accuracy", bin.accuracy}});
    calibration = {{"tokens", calibration_.count()},
                   {"expected_calibration_error", calibration_.expected_calibration_error()},
                   {"brier_score", calibration_.brier_score()},
                   {"bins", std::move(bins)}};
  }
  return {{"sequences", sequences_},
          {"tokens", tokens_},
          {"accuracy", accuracy()},
          {"sequence_accuracy", sequence_accuracy()},
          {"precision", all.precision()},
          {"recall", all.recall()},
          {"f1", all.f1()},
          {"unit", chunked() ? "chunk" : "label"},
          {"gold", all.gold},
          {"found", all.found},
          {"correct", all.correct},
          {"by_label", std::move(labels)},
          {"stray_labels", std::move(stray)},
          {"confusions", std::move(errors)},
          {"calibration", std::move(calibration)}};
}

}  // namespace espalier::eval
