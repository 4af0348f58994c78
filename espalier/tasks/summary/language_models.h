// Unigram models of the words of a cluster, for the features of a summariser. Words are hashes of stems.
//
// WordCounts is a table of counts: the background, made from the documents of the training clusters, or one
// cluster's own words. topic_model() estimates what a cluster is about in the way of BayeSum (Daumé and Marcu
// 2006): every word of a document is drawn from general language (the background), from the document's own
// words or from the topic, with fixed shares; expectation maximisation finds the last two. A query, if there
// is one, is a prior of the topic. Departs from BayeSum, which has latent shares per sentence and a topic per
// query over many documents. Tested in language_models_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "espalier/base/files/section_file.h"
#include "espalier/base/result.h"

namespace espalier::tasks {

class WordCounts {
 public:
  void add(uint64_t word, uint64_t times = 1) {
    counts_[word] += times;
    total_ += times;
  }
  void add(const WordCounts& other);
  uint64_t count(uint64_t word) const;
  uint64_t total() const { return total_; }
  size_t words() const { return counts_.size(); }
  const std::unordered_map<uint64_t, uint64_t>& counts() const { return counts_; }

  /// Sections `prefix.words` and `prefix.counts`, sorted. Words seen once are left out: they say no more than
  /// words that were never seen.
  void save(const std::string& prefix, SectionWriter& out) const;
  static Result<WordCounts> load(const SectionFile& file, const std::string& prefix);

 private:
  std::unordered_map<uint64_t, uint64_t> counts_;
  uint64_t total_ = 0;
};

/// The probability of a word in general language, smoothed by adding one half. `own`, if not null, was
/// counted in it and is taken out.
double background_probability(const WordCounts& background, const WordCounts* own, uint64_t word);

/// p(word) under the topic for each of `words` words, which documents name by number. `general` has their
/// probabilities in general language, `query` their share of the query, all 0 if there is none. `documents`
/// has the words of each document.
std::vector<double> topic_model(size_t words, std::span<const std::vector<uint32_t>> documents,
                                std::span<const double> general, std::span<const double> query);

}  // namespace espalier::tasks
