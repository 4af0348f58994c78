// Features of adding a piece to a summary (Daumé, Langford and Marcu 2009, section 6.2.4).
//
// Of the input: word, stem, tag, relation to the parent, position and length of the sentence, quotation
// marks, length of the document, words of its first sentence, pronouns and verbs of attribution in the
// subtree, and the scores of word, sentence and subtree under models of the query and the topic
// (language_models.h). Of the summary so far: what the piece adds to its words and pairs of words, its score
// under a model of the summary, the pairs that it makes with its neighbours there, and how much of its
// sentence is in.
//
// Tested in summary_space_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "espalier/search/space.h"
#include "espalier/tasks/summary/summary_context.h"

namespace espalier::tasks {

struct NamedSummaryFeature {
  std::string name;
  uint64_t hash = 0;
  double value = 1;
};

class SummaryFeatures {
 public:
  /// Both must outlive this.
  SummaryFeatures(const SummaryInput& input, const Cluster& cluster);

  void add(const SummaryContext& context, uint32_t piece, search::FeatureSink& sink) const;
  std::vector<NamedSummaryFeature> named(const SummaryContext& context, uint32_t piece) const;

 private:
  template <typename Out>
  void visit_static(uint32_t piece, Out& out) const;
  template <typename Out>
  void visit_dynamic(const SummaryContext& context, uint32_t piece, Out& out) const;
  /// How much of a piece's words, or of a word's subtree, is new in the summary: means over its words.
  struct Novelty {
    float topic = 0, spread = 0, pairs = 0, seen = 0, summary = 0;
  };
  Novelty novelty(const SummaryContext& context, std::span<const uint32_t> words) const;
  float pair_weight(uint32_t pair) const;

  const SummaryInput& input_;
  const Cluster& cluster_;
  float least_spread_;  ///< of what one document (or sentence) has
  std::vector<search::FeatureSink::Entry> fixed_;
  std::vector<uint32_t> fixed_begin_;
};

}  // namespace espalier::tasks
