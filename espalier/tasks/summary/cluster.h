// The input of a summariser: a cluster of documents about one topic, read from a line of JSON.
//
//   {"id": "t1", "query": "…", "limit": 100,
//    "docs": [{"id": "d1", "sents": ["A sentence.", {"tokens": ["Another", "."], "heads": [0, 1]}]}],
//    "refs": [{"id": "r1", "sents": ["A summary."]}]}
//
// `query`, `limit` (words) and `refs` (summaries that people wrote) are optional, and other keys are kept. A
// sentence is text, which is split into words by Unicode's rules, or an object with `tokens` and, as far as
// they are known, `tags`, `heads` (from 1; 0: the root) and `relations`.
//
// parse_cluster() reads a line; summary_text() and summary_json() show a choice of words. Tested in
// cluster_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/base/text/json.h"
#include "espalier/data/sequence.h"

namespace espalier::tasks {

struct ClusterToken {
  std::string text;
  bool word = false;    ///< has a letter or a digit; other tokens are punctuation
  bool joined = false;  ///< no blank between the token before and this one
  uint32_t sentence = 0;
  std::string tag, relation;  ///< empty: not known
  uint32_t head = 0;          ///< from 1 within the sentence; 0: the root
};

struct ClusterSentence {
  uint32_t document = 0, number = 0;  ///< number: within the document
  uint32_t first = 0, last = 0;       ///< its tokens
  bool tagged = false, parsed = false;
};

struct ClusterDocument {
  std::string id;
  uint32_t first = 0, last = 0;  ///< its sentences
};

struct Cluster {
  std::string id;
  std::vector<std::string> query;  ///< its words
  std::optional<size_t> limit;
  std::vector<ClusterDocument> documents;
  std::vector<ClusterSentence> sentences;
  std::vector<ClusterToken> tokens;
  std::vector<std::vector<std::string>> references;  ///< sentences

  /// Whether every sentence of two words or more has a tree.
  bool parsed() const;
};

/// Errors begin with "where:".
Result<Cluster> parse_cluster(std::string_view line, const std::string& where);

/// One row per token, with the cells token, document, sentence and number in the sentence.
void cluster_sequence(const Cluster& cluster, std::string_view line, uint64_t line_number,
                      data::Sequence& out);

/// The cluster that a sequence was made from.
Cluster cluster_of(const data::Sequence& sequence);

/// The labels of tokens: whether they are in the summary.
inline constexpr std::string_view kOutOfSummary = "out", kInSummary = "in";

/// Which tokens are shown for a choice of words (by token): these, and punctuation that goes with them. The
/// last mark of a sentence is shown with any word of it, other marks where the words next to them on both
/// sides are there.
std::vector<bool> shown_tokens(const Cluster& cluster, const std::vector<bool>& chosen);
/// Sentence by sentence, with blanks as in the source.
std::vector<std::string> summary_sentences(const Cluster& cluster, const std::vector<bool>& chosen);
/// {"id": …, "summary": …, "words": N, "sources": [{"text": …, "document": …, "sentence": …, "token": …}]};
/// numbers count from 0, a document without `id` has its number. One entry per token shown.
Json summary_json(const Cluster& cluster, const std::vector<bool>& chosen);

}  // namespace espalier::tasks
