#include "espalier/ensemble/sample.h"

namespace espalier::ensemble {
namespace {

void count_uses(const TokenVotes& votes, size_t labels, Sample& sample) {
  const size_t p = votes.experts;
  sample.fingerprint.resize(p, 0);
  sample.uses.resize(labels * p, 0);
  for (size_t t = 0; t < votes.length(); ++t)
    for (size_t j = 0; j < p; ++j) {
      const data::Label label = votes.label(t, j);
      sample.fingerprint[j] = (sample.fingerprint[j] ^ label) * 0x9E3779B97F4A7C15ull + 1;
      if (label != data::kNoLabel) ++sample.uses[label * p + j];
    }
}

}  // namespace

std::vector<std::string> Sample::remarks(const std::vector<std::string>& names,
                                         const data::LabelSet& labels) const {
  constexpr size_t kShown = 5;
  std::vector<std::string> notes;
  const size_t p = names.size();
  if (p == 1) notes.push_back("there is only one expert: its labels are returned unchanged");
  for (size_t j = 1; j < p; ++j)
    for (size_t k = 0; k < j; ++k)
      if (fingerprint[j] == fingerprint[k]) {
        notes.push_back(fmt::format("{} says the same as {} throughout", names[j], names[k]));
        break;
      }
  for (size_t j = 0; j < p; ++j) {
    std::string text;
    size_t unseen = 0;
    for (size_t label = 0; label < labels.size(); ++label) {
      const size_t times = label * p + j < uses.size() ? uses[label * p + j] : 0;
      const std::string& name = labels.name(static_cast<data::Label>(label));
      if (times == 0 || (label < in_gold.size() && in_gold[label]) || name == kGapText) continue;
      if (unseen++ < kShown) text += fmt::format("{}{} ({} times)", text.empty() ? "" : ", ", name, times);
    }
    if (unseen > kShown) text += fmt::format(" and {} more", unseen - kShown);
    if (unseen > 0)
      notes.push_back(fmt::format("{} uses labels that gold does not have: {}", names[j], text));
  }
  return notes;
}

Result<Sample> read_sample(AlignedExperts& aligned, const data::LabelSet& labels, size_t memory,
                           const Monitor& monitor) {
  constexpr size_t kReportEvery = 1024;
  Sample sample(memory);
  data::SchemeDetector detector;
  std::vector<std::string_view> gold;
  TokenVotes votes;
  Progress progress;
  progress.phase = "reading";
  ESPALIER_TRY(aligned.rewind());
  while (true) {
    if (monitor.stop_requested()) return fail("interrupted while reading");
    bool left_out = false;
    ESPALIER_ASSIGN(const bool more, aligned.next(votes, left_out));
    if (!more) break;
    sample.left_out += left_out;
    if (left_out) continue;
    gold.clear();
    for (const data::Label label : votes.gold) {
      gold.push_back(label == data::kNoLabel ? data::kUnknownLabelText
                                             : std::string_view(labels.name(label)));
      if (label == data::kNoLabel || (aligned.aligning() && label == aligned.gap())) continue;
      if (label >= sample.in_gold.size()) sample.in_gold.resize(label + 1u, 0);
      sample.in_gold[label] = 1;
    }
    detector.add(gold);
    const size_t length = votes.length();
    if (length > 0) {
      sample.one_length &= sample.length == 0 || sample.length == length;
      sample.length = length;
    }
    ++sample.sequences;
    sample.tokens += length;
    count_uses(votes, labels.size(), sample);
    ESPALIER_TRY(sample.votes.add(votes));
    if (sample.sequences % kReportEvery == 0) {
      progress.done = static_cast<double>(sample.sequences);
      monitor.report(progress);
    }
  }
  ESPALIER_TRY(sample.votes.finish());
  if (sample.tokens == 0) return fail("{}: every sequence is empty or left out", aligned.reference().name());
  sample.scheme = detector.scheme();
  return sample;
}

}  // namespace espalier::ensemble
