#include "espalier/eval/scores.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "espalier/base/result.h"
#include "espalier/data/label_set.h"

namespace espalier::eval {
namespace {

uint64_t cell(uint32_t gold, uint32_t predicted) { return (static_cast<uint64_t>(gold) << 32) | predicted; }

}  // namespace

SequenceStatistics TaggingScores::add(std::span<const std::string_view> gold,
                                      std::span<const std::string_view> predicted,
                                      std::span<const float> confidence) {
  ESPALIER_CHECK(gold.size() == predicted.size());
  ESPALIER_CHECK(confidence.empty() || confidence.size() == gold.size());
  SequenceStatistics result;
  ChunkMatcher matcher;
  const auto count = [&](const ChunkMatcher::Events& events, ChunkTag gold_tag, ChunkTag found_tag) {
    if (types_.size() < table_.types()) types_.resize(table_.types());
    if (events.correct_ends) {
      ++types_[events.correct_type].correct;
      ++result.chunks.correct;
    }
    if (events.gold_starts) {
      ++types_[gold_tag.type].gold;
      ++result.chunks.gold;
    }
    if (events.found_starts) {
      ++types_[found_tag.type].found;
      ++result.chunks.found;
    }
  };
  for (size_t t = 0; t < gold.size(); ++t) {
    if (gold[t] == data::kUnknownLabelText) {
      count(matcher.finish(), {}, {});
      continue;
    }
    const bool correct = gold[t] == predicted[t];
    const uint32_t gold_label = table_.add(gold[t]);
    const uint32_t predicted_label = correct ? gold_label : table_.add(predicted[t]);
    if (labels_.size() < table_.size()) labels_.resize(table_.size());
    ++labels_[gold_label].gold;
    ++labels_[predicted_label].found;
    if (correct) {
      ++labels_[gold_label].correct;
      ++result.correct;
    } else {
      ++confusions_[cell(gold_label, predicted_label)];
    }
    ++result.tokens;
    if (!confidence.empty()) calibration_.add(confidence[t], correct);
    const ChunkTag gold_tag = table_.tag(gold_label);
    const ChunkTag found_tag = table_.tag(predicted_label);
    count(matcher.step(gold_tag, found_tag), gold_tag, found_tag);
  }
  count(matcher.finish(), {}, {});
  if (result.tokens > 0) {
    ++sequences_;
    if (result.correct == result.tokens) ++correct_sequences_;
  }
  tokens_ += result.tokens;
  correct_tokens_ += result.correct;
  return result;
}

void TaggingScores::merge(const TaggingScores& other) {
  // Numbers differ between shards, names do not. (An object merged with itself already has all labels, so
  // nothing is inserted during the iteration.)
  std::vector<uint32_t> number(other.table_.size());
  for (uint32_t label = 0; label < number.size(); ++label)
    number[label] = table_.add(other.table_.name(label));
  labels_.resize(std::max(labels_.size(), table_.size()));
  for (size_t label = 0; label < other.labels_.size(); ++label)
    labels_[number[label]] += other.labels_[label];
  for (uint32_t type = 0; type < other.types_.size(); ++type) {
    const uint32_t mine = table_.add_type(other.table_.type_name(type));
    if (types_.size() < table_.types()) types_.resize(table_.types());
    types_[mine] += other.types_[type];
  }
  for (const auto& [key, times] : other.confusions_)
    confusions_[cell(number[key >> 32], number[key & 0xFFFFFFFF])] += times;
  calibration_.merge(other.calibration_);
  sequences_ += other.sequences_;
  correct_sequences_ += other.correct_sequences_;
  tokens_ += other.tokens_;
  correct_tokens_ += other.correct_tokens_;
}

bool TaggingScores::chunked() const {
  // A prediction outside the scheme is simply wrong; it must not turn an F1 into an accuracy. Predictions are
  // considered only if the gold labels do not decide (all O).
  uint64_t in_chunks = 0, stray = 0;
  bool predictions_fit = true;
  for (uint32_t label = 0; label < labels_.size(); ++label) {
    const bool fits = is_chunk_label(table_.name(label));
    if (!fits) stray += labels_[label].gold;
    if (fits && table_.tag(label).tag != Tag::kOutside) in_chunks += labels_[label].gold;
    predictions_fit &= fits;
  }
  if (stray > 0) return stray * kChunksPerStray <= in_chunks;
  return in_chunks > 0 || predictions_fit;
}

std::vector<std::pair<std::string, uint64_t>> TaggingScores::stray_labels() const {
  std::vector<std::pair<std::string, uint64_t>> stray;
  if (!chunked()) return stray;
  for (uint32_t label = 0; label < labels_.size(); ++label)
    if (labels_[label].gold > 0 && !is_chunk_label(table_.name(label)))
      stray.emplace_back(table_.name(label), labels_[label].gold);
  std::sort(stray.begin(), stray.end());
  return stray;
}

double TaggingScores::accuracy() const { return percent(correct_tokens_, tokens_); }
double TaggingScores::sequence_accuracy() const { return percent(correct_sequences_, sequences_); }

Counts TaggingScores::overall() const {
  if (!chunked()) return {tokens_, tokens_, correct_tokens_};
  Counts total;
  for (const Counts& counts : types_) total += counts;
  return total;
}

std::vector<LabelScore> TaggingScores::by_label() const {
  const bool by_type = chunked();
  const std::vector<Counts>& counts = by_type ? types_ : labels_;
  std::vector<LabelScore> result;
  for (uint32_t i = 0; i < counts.size(); ++i) {
    if (counts[i].gold + counts[i].found == 0) continue;
    result.push_back({counts[i], by_type ? table_.type_name(i) : table_.name(i)});
  }
  std::sort(result.begin(), result.end(),
            [](const LabelScore& a, const LabelScore& b) { return a.label < b.label; });
  return result;
}

std::vector<Confusion> TaggingScores::confusions(size_t most) const {
  std::vector<Confusion> result;
  result.reserve(confusions_.size());
  for (const auto& [key, times] : confusions_)
    result.push_back({table_.name(static_cast<uint32_t>(key >> 32)),
                      table_.name(static_cast<uint32_t>(key & 0xFFFFFFFF)), times});
  std::sort(result.begin(), result.end(), [](const Confusion& a, const Confusion& b) {
    return std::tie(b.count, a.gold, a.predicted) < std::tie(a.count, b.gold, b.predicted);
  });
  if (result.size() > most) result.resize(most);
  return result;
}

}  // namespace espalier::eval
