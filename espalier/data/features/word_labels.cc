#include "espalier/data/features/word_labels.h"

#include <algorithm>

#include "espalier/base/text/format.h"
#include "espalier/base/text/text.h"

namespace espalier::data {

void WordLabels::add(const Sequence& sequence) {
  if (!sequence.has_labels()) return;
  std::string lower;
  for (size_t t = 0; t < sequence.length(); ++t) {
    if (sequence.label(t) == kUnknownLabelText) continue;
    to_lower(sequence.cell(t, column_), lower);
    const auto [known, is_new] = numbers_.try_emplace(lower, static_cast<uint32_t>(words_.size()));
    if (is_new) {
      words_.push_back(lower);
      counts_.emplace_back();
    }
    const Label label = labels_.add(sequence.label(t));
    Counts& counts = counts_[known->second];
    const auto seen =
        std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.first == label; });
    if (seen == counts.end()) {
      counts.emplace_back(label, 1);
    } else {
      ++seen->second;
    }
  }
}

std::string WordLabels::text_of(const Counts& counts) const {
  constexpr uint64_t kRarest = 20;  // one of so many
  uint64_t all = 0;
  for (const auto& [label, count] : counts) all += count;
  std::vector<std::string> names;
  for (const auto& [label, count] : counts)
    if (count > 0 && kRarest * count >= all) names.push_back(labels_.name(label));
  std::sort(names.begin(), names.end());
  return joined(names, "+");
}

std::optional<WordList> WordLabels::list() const {
  WordList out{WordList::Kind::kLabels, "the labels of words", {}};
  const auto unfit = [](std::string_view text) {
    return text.find_first_of("\t\n\r") != text.npos || !valid_utf8(text);
  };
  if (std::any_of(labels_.names().begin(), labels_.names().end(), unfit)) return std::nullopt;
  for (size_t w = 0; w < words_.size(); ++w) {
    if (unfit(words_[w]) || words_[w].find_first_not_of(' ') == std::string::npos) continue;
    out.text += words_[w];
    out.text += '\t';
    out.text += text_of(counts_[w]);
    out.text += '\n';
  }
  if (out.text.empty() || out.text.size() > kLargestWordList) return std::nullopt;
  return out;
}

Sequence WordLabels::with_labels_of_others(const Sequence& sequence) const {
  const size_t T = sequence.length();
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<std::pair<uint32_t, size_t>> rows;  // by word
  std::string lower;
  for (size_t t = 0; t < T; ++t) {
    to_lower(sequence.cell(t, column_), lower);
    const auto known = numbers_.find(lower);
    rows.emplace_back(known == numbers_.end() ? kNone : known->second, t);
  }
  std::sort(rows.begin(), rows.end());
  std::vector<std::string> texts(T);
  for (size_t i = 0; i < T && rows[i].first != kNone;) {
    size_t end = i;
    Counts others = counts_[rows[i].first];
    for (; end < T && rows[end].first == rows[i].first; ++end) {
      if (!sequence.has_labels()) continue;
      const auto own = labels_.find(sequence.label(rows[end].second));
      for (auto& [label, count] : others)
        if (own && *own == label) --count;
    }
    const std::string text = text_of(others);
    for (; i < end; ++i) texts[rows[i].second] = text;
  }
  Sequence out;
  out.clear(sequence.columns() + 1);
  for (size_t t = 0; t < T; ++t) {
    out.begin_row({}, sequence.line(t));
    for (size_t c = 0; c < sequence.columns(); ++c) out.add_cell(sequence.cell(t, c));
    out.add_cell(texts[t]);
    if (sequence.has_labels()) out.set_label(sequence.label(t));
  }
  out.set_weight(sequence.weight());
  return out;
}

}  // namespace espalier::data
