#include "espalier/tasks/summary/language_models.h"

#include <algorithm>

namespace espalier::tasks {

void WordCounts::add(const WordCounts& other) {
  for (const auto& [word, times] : other.counts_) add(word, times);
}

uint64_t WordCounts::count(uint64_t word) const {
  const auto found = counts_.find(word);
  return found == counts_.end() ? 0 : found->second;
}

void WordCounts::save(const std::string& prefix, SectionWriter& out) const {
  std::vector<std::pair<uint64_t, uint64_t>> sorted;
  for (const auto& [word, times] : counts_)
    if (times > 1) sorted.emplace_back(word, times);
  std::sort(sorted.begin(), sorted.end());
  std::vector<uint64_t> words, times;
  for (const auto& [word, count] : sorted) {
    words.push_back(word);
    times.push_back(count);
  }
  out.add_array(prefix + ".words", words);
  out.add_array(prefix + ".counts", times);
}

Result<WordCounts> WordCounts::load(const SectionFile& file, const std::string& prefix) {
  ESPALIER_ASSIGN(const auto words, file.array<uint64_t>(prefix + ".words"));
  ESPALIER_ASSIGN(const auto times, file.array<uint64_t>(prefix + ".counts"));
  if (words.size() != times.size())
    return fail("{}: damaged: {} words and {} counts in '{}'", file.name(), words.size(), times.size(),
                prefix);
  WordCounts out;
  constexpr uint64_t kMost = uint64_t{1} << 40;
  for (size_t i = 0; i < words.size(); ++i) {
    if (times[i] > kMost || out.counts_.contains(words[i]))
      return fail("{}: damaged: a word of '{}' has an impossible count", file.name(), prefix);
    out.add(words[i], times[i]);
  }
  return out;
}

double background_probability(const WordCounts& background, const WordCounts* own, uint64_t word) {
  constexpr double kSmooth = 0.5;
  uint64_t count = background.count(word), total = background.total();
  if (own != nullptr) {
    count -= std::min(count, own->count(word));
    total -= std::min(total, own->total());
  }
  const double types = static_cast<double>(background.words()) + 1;
  return (static_cast<double>(count) + kSmooth) / (static_cast<double>(total) + kSmooth * types);
}

std::vector<double> topic_model(size_t words, std::span<const std::vector<uint32_t>> documents,
                                std::span<const double> general, std::span<const double> query) {
  // Shares of general language, document and topic. A single document has no words of its own besides those
  // of the topic.
  constexpr double kGeneral = 0.5;
  constexpr int kRounds = 20;
  constexpr double kPrior = 20;  ///< words that a query is worth
  const bool several = documents.size() > 1;
  const double own_share = several ? 0.25 : 0, topic_share = 1 - kGeneral - own_share;
  std::vector<double> topic(words, 1.0 / static_cast<double>(std::max<size_t>(1, words))), next(words);
  std::vector<std::vector<double>> own(documents.size(), topic);
  std::vector<double> next_own(words);
  const auto normalise = [](std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += v;
    for (double& v : values) v = sum > 0 ? v / sum : 0;
  };
  for (int round = 0; round < kRounds; ++round) {
    for (size_t w = 0; w < words; ++w) next[w] = kPrior * query[w];
    for (size_t d = 0; d < documents.size(); ++d) {
      std::fill(next_own.begin(), next_own.end(), 0.0);
      for (const uint32_t w : documents[d]) {
        const double by_topic = topic_share * topic[w], by_document = own_share * own[d][w];
        const double all = by_topic + by_document + kGeneral * general[w];
        next[w] += by_topic / all;
        next_own[w] += by_document / all;
      }
      if (several) {
        own[d] = next_own;
        normalise(own[d]);
      }
    }
    topic = next;
    normalise(topic);
  }
  return topic;
}

}  // namespace espalier::tasks
