#include "espalier/ensemble/pronunciation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "espalier/base/array.h"
#include "espalier/data/formats/lines.h"
#include "espalier/data/label_set.h"

namespace espalier::ensemble {
namespace {

/// Calls read(line, lines) for every line of the file that is not blank; `lines` makes errors that name the
/// line.
template <typename Read>
Status for_each_line(const std::string& path, const Read& read) {
  ESPALIER_ASSIGN(Input input, Input::open(path));
  data::Lines lines(std::move(input), data::Encoding::kUtf8);
  std::string_view line;
  while (true) {
    ESPALIER_ASSIGN(const bool more, lines.next(line));
    if (!more) return {};
    if (!data::is_blank(line)) ESPALIER_TRY(read(line, lines));
  }
}

/// Where EM begins: a letter with no phoneme, or with several, is rarer than one with one. Uniform beginnings
/// end in alignments that put two phonemes on one letter and none on the next.
constexpr double kSilentStart = 0.2, kSeveralStart = 0.05;

/// The words of a dictionary in numbers, and the model P(chunk | letter).
class LetterAligner {
 public:
  LetterAligner(std::vector<Pronunciation>& words, const AlignmentOptions& options)
      : words_(words), most_(options.most_phonemes) {
    for (const Pronunciation& word : words) {
      std::vector<uint16_t> phonemes;
      for (const std::string& phoneme : word.phonemes) phonemes.push_back(phonemes_.add(phoneme));
      coded_.append(phonemes);
    }
  }

  bool can_align(size_t w) const {
    return !words_[w].word.empty() && coded_[w].size() <= most_ * words_[w].word.size();
  }
  /// One round of EM; the log-likelihood before it.
  double round();
  void label(size_t w);

 private:
  /// The number of (letter, phonemes [from, to)), made where it is new.
  size_t chunk(uint8_t letter, std::span<const uint16_t> phonemes, size_t from, size_t to) {
    uint64_t key = letter;
    for (size_t i = from; i < to; ++i) key = key << 14 | (phonemes[i] + 1u);
    key = key << 3 | (to - from);
    const auto [it, fresh] = chunks_.try_emplace(key, letter_of_.size());
    if (fresh) {
      letter_of_.push_back(letter);
      probability_.push_back(to - from == 1 ? 1 : to == from ? kSilentStart : kSeveralStart);
      count_.push_back(0);
    }
    return it->second;
  }
  void normalise();

  std::vector<Pronunciation>& words_;
  size_t most_;
  data::LabelSet phonemes_;
  Ragged<uint16_t> coded_;
  std::unordered_map<uint64_t, size_t> chunks_;
  std::vector<uint8_t> letter_of_;           ///< per chunk
  std::vector<double> probability_, count_;  ///< per chunk
};

void LetterAligner::normalise() {
  std::vector<double> total(256, 0);
  for (size_t c = 0; c < count_.size(); ++c) total[letter_of_[c]] += count_[c];
  for (size_t c = 0; c < count_.size(); ++c) {
    probability_[c] = total[letter_of_[c]] > 0 ? count_[c] / total[letter_of_[c]] : 0;
    count_[c] = 0;
  }
}

double LetterAligner::round() {
  // forward[i][j]: letters before i, phonemes before j. Words are short, so probabilities do not underflow.
  double log_likelihood = 0;
  std::vector<double> forward, backward;
  for (size_t w = 0; w < words_.size(); ++w) {
    if (!can_align(w)) continue;
    const std::string& word = words_[w].word;
    const std::span<const uint16_t> phonemes = coded_[w];
    const size_t n = word.size(), m = phonemes.size(), width = m + 1;
    forward.assign((n + 1) * width, 0);
    backward.assign((n + 1) * width, 0);
    forward[0] = 1;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j <= m; ++j) {
        if (forward[i * width + j] == 0) continue;
        for (size_t k = 0; k <= most_ && j + k <= m; ++k)
          forward[(i + 1) * width + j + k] +=
              forward[i * width + j] * probability_[chunk(static_cast<uint8_t>(word[i]), phonemes, j, j + k)];
      }
    const double total = forward[n * width + m];
    if (!(total > 0)) continue;
    log_likelihood += std::log(total);
    backward[n * width + m] = 1;
    for (size_t i = n; i-- > 0;)
      for (size_t j = 0; j <= m; ++j)
        for (size_t k = 0; k <= most_ && j + k <= m; ++k) {
          const double after = backward[(i + 1) * width + j + k];
          if (after == 0) continue;
          const size_t c = chunk(static_cast<uint8_t>(word[i]), phonemes, j, j + k);
          const double through = probability_[c] * after;
          backward[i * width + j] += through;
          count_[c] += forward[i * width + j] * through / total;
        }
  }
  normalise();
  return log_likelihood;
}

void LetterAligner::label(size_t w) {
  Pronunciation& word = words_[w];
  word.labels.clear();
  if (!can_align(w)) return;
  const std::span<const uint16_t> phonemes = coded_[w];
  const size_t n = word.word.size(), m = phonemes.size(), width = m + 1;
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  std::vector<double> best((n + 1) * width, kNone);
  std::vector<size_t> taken((n + 1) * width, 0);
  best[0] = 0;
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j <= m; ++j) {
      if (best[i * width + j] == kNone) continue;
      for (size_t k = 0; k <= most_ && j + k <= m; ++k) {
        const double p = probability_[chunk(static_cast<uint8_t>(word.word[i]), phonemes, j, j + k)];
        const double score = best[i * width + j] + (p > 0 ? std::log(p) : -1e3);
        double& to = best[(i + 1) * width + j + k];
        if (score > to) {
          to = score;
          taken[(i + 1) * width + j + k] = k;
        }
      }
    }
  word.labels.resize(n);
  for (size_t i = n, j = m; i-- > 0;) {
    const size_t k = taken[(i + 1) * width + j];
    std::string label;
    for (size_t x = j - k; x < j; ++x) {
      if (!label.empty()) label.push_back(kPhonemeJoint);
      label += word.phonemes[x];
    }
    word.labels[i] = label.empty() ? std::string(kSilentLetter) : label;
    j -= k;
  }
}

}  // namespace

Result<std::vector<Pronunciation>> read_cmudict(const std::string& path, bool first_only) {
  std::vector<Pronunciation> words;
  ESPALIER_TRY(for_each_line(path, [&](std::string_view line, const data::Lines& lines) -> Status {
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos || tab == 0)
      return lines.error("expected a word, a tab and phonemes, found {}", data::in_quotes(line));
    Pronunciation entry;
    entry.word = line.substr(0, tab);
    if (first_only && !words.empty() && words.back().word == entry.word) return {};
    std::string_view rest = line.substr(tab + 1);
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(' '), rest.size());
      if (end > 0) entry.phonemes.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (entry.phonemes.empty())
      return lines.error("the word {} has no phonemes", data::in_quotes(entry.word));
    words.push_back(std::move(entry));
    return {};
  }));
  if (words.empty()) return fail("{}: no pronunciations", path);
  return words;
}

Result<std::vector<Pronunciation>> read_nettalk(const std::string& path) {
  std::vector<Pronunciation> words;
  ESPALIER_TRY(for_each_line(path, [&](std::string_view line, const data::Lines& lines) -> Status {
    const size_t tab = line.find('\t');
    const size_t second = tab == std::string_view::npos ? tab : line.find('\t', tab + 1);
    if (second == std::string_view::npos)
      return lines.error("expected letters, phonemes and stress with tabs between, found {}",
                         data::in_quotes(line));
    Pronunciation entry;
    entry.word = line.substr(0, tab);
    const std::string_view phonemes = line.substr(tab + 1, second - tab - 1);
    if (entry.word.empty() || phonemes.size() != entry.word.size())
      return lines.error("{} has {} letters but {} phoneme symbols", data::in_quotes(entry.word),
                         entry.word.size(), phonemes.size());
    for (const char symbol : phonemes) {
      entry.labels.emplace_back(1, symbol);
      if (std::string_view(&symbol, 1) != kSilentLetter) entry.phonemes.emplace_back(1, symbol);
    }
    words.push_back(std::move(entry));
    return {};
  }));
  if (words.empty()) return fail("{}: no words", path);
  return words;
}

AlignmentReport align_letters(std::vector<Pronunciation>& words, const AlignmentOptions& options) {
  ESPALIER_CHECK(options.most_phonemes >= 1 && options.most_phonemes <= 3 && options.rounds > 0);
  AlignmentReport report;
  LetterAligner aligner(words, options);
  for (int r = 0; r < options.rounds; ++r) report.log_likelihood.push_back(aligner.round());
  report.log_likelihood.erase(report.log_likelihood.begin());  // the first was before there was a model
  for (size_t w = 0; w < words.size(); ++w) {
    aligner.label(w);
    ++(words[w].labels.empty() ? report.skipped : report.aligned);
  }
  return report;
}

std::vector<std::string> phonemes_of(const std::vector<std::string_view>& labels) {
  std::vector<std::string> phonemes;
  for (const std::string_view label : labels) {
    if (label == kSilentLetter) continue;
    size_t from = 0;
    while (from <= label.size()) {
      const size_t end = std::min(label.find(kPhonemeJoint, from), label.size());
      // NETtalk has a phoneme that is written like the joint itself.
      if (end > from || label.size() == 1)
        phonemes.emplace_back(label.substr(from, std::max<size_t>(end - from, 1)));
      from = end + 1;
      if (label.size() == 1) break;
    }
  }
  return phonemes;
}

}  // namespace espalier::ensemble
