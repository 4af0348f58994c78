// A cluster made ready for the search for a summary: its words with their stems and statistics, and the
// pieces that a summary is made of. Pieces are whole sentences (extraction), or single words, each of which
// can be added when its parent in the dependency tree is in (vine growth).
//
// make_summary_input() does all of it once per cluster, in time linear in the words. Tested in
// summary_space_test.cc.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/eval/rouge.h"
#include "espalier/tasks/summary/cluster.h"
#include "espalier/tasks/summary/language_models.h"

namespace espalier::tasks {

enum class SummaryUnit : uint8_t { kSentence, kWord };

inline constexpr uint32_t kNoPiece = std::numeric_limits<uint32_t>::max();

/// A word of the cluster; punctuation is none.
struct SummaryWord {
  uint32_t token = 0, sentence = 0;
  uint32_t stem = 0;                         ///< a number, from 0
  uint32_t pair = kNoPiece;                  ///< the pair of stems that it makes with the next word
  uint32_t first_rouge = 0, last_rouge = 0;  ///< of SummaryInput::rouge
};

struct SummaryPiece {
  uint32_t first = 0, last = 0;  ///< its words, which are neighbours
  uint32_t sentence = 0;
  uint32_t parent = kNoPiece;
  uint32_t first_child = 0, last_child = 0;  ///< of SummaryInput::children
  uint32_t size() const { return last - first; }
};

/// Statistics of a stem, or of a pair of neighbouring stems.
struct StemStatistics {
  uint64_t hash = 0;
  float spread = 0;    ///< share of the documents that have it; of the sentences, if there is one document
  float topic = 0;     ///< its probability under the topic, by the largest of any stem
  float ratio = 0;     ///< log p(topic) − log p(general), from −1 to 1
  float query = 0;     ///< the same for the query; 0 if there is none
  float document = 0;  ///< log of its share of the cluster's words, less log p(general), from −1 to 1
};
struct PairStatistics {
  float spread = 0;
};

/// Features of a sentence as a whole.
struct SentenceStatistics {
  uint32_t first = 0, last = 0;  ///< its words
  uint32_t first_piece = 0, last_piece = 0;
  uint8_t pronouns = 0, attributions = 0;
  bool quoted = false;
  float topic = 0, ratio = 0, query = 0, spread = 0, pair_spread = 0;  ///< means over its words
  float title = 0;  ///< share of its words that the first sentence of its document has; 0 for that one
  uint8_t ratio_rank = 0, spread_rank = 0,
          pair_rank = 0;  ///< tenth of the cluster's sentences, 9: the highest
};

struct SummaryInput {
  SummaryUnit unit = SummaryUnit::kSentence;
  size_t limit = 0;
  bool has_query = false;
  std::vector<SummaryWord> words;
  std::vector<uint64_t> rouge;  ///< words as ROUGE counts them, in order
  std::vector<SummaryPiece> pieces;
  std::vector<uint32_t> children;
  std::vector<uint32_t> under, under_begin;  ///< see words_under()
  std::vector<StemStatistics> stems;
  std::vector<PairStatistics> pairs;
  std::unordered_map<uint64_t, uint32_t> pair_number;  ///< by first stem · 2³² + second
  std::vector<SentenceStatistics> sentences;
  std::vector<uint8_t> quoted;     ///< per word: between quotation marks
  std::vector<uint8_t> word_kind;  ///< per word: 1 pronoun, 2 verb of attribution

  /// The words of a sentence, or of a word's subtree with itself, ascending.
  std::span<const uint32_t> words_under(uint32_t piece) const {
    return {under.data() + under_begin[piece], under.data() + under_begin[piece + 1]};
  }
  /// The pair of two stems that are neighbours somewhere in the cluster, or kNoPiece.
  uint32_t pair_of(uint32_t first, uint32_t second) const {
    const auto found = pair_number.find(uint64_t{first} << 32 | second);
    return found == pair_number.end() ? kNoPiece : found->second;
  }
};

struct SummaryInputOptions {
  SummaryUnit unit = SummaryUnit::kSentence;
  size_t limit = 100;
  std::string stemmer;
};

/// The words of a cluster as the background counts them.
Result<WordCounts> cluster_words(const Cluster& cluster, const std::string& stemmer);

/// Precondition, for words: the cluster has trees. `own` as in background_probability().
Result<SummaryInput> make_summary_input(const Cluster& cluster, const SummaryInputOptions& options,
                                        const WordCounts& background, const WordCounts* own);

/// Which tokens of the cluster are in some pieces.
std::vector<bool> tokens_of_pieces(const SummaryInput& input, const Cluster& cluster,
                                   const std::vector<uint32_t>& pieces);

}  // namespace espalier::tasks
