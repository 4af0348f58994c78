// Classes of words from unlabelled text: words that occur between the same neighbours get the same class.
//
// Call cluster_words with the sentences. The exchange algorithm (Kneser and Ney 1993) maximises the
// likelihood of the text under a bigram model of classes, P(w | v) = P(w | c(w)) · P(c(w) | c(v)): each word
// in turn moves to the class where that is largest, until few words move. Words are tried in batches of fixed
// size, in parallel, so the result is the same at any number of threads. Memory: the word bigrams and
// classes². Time per round: for each word, classes × (classes of its neighbours).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/base/result.h"

namespace espalier::data {

struct ClusteringOptions {
  size_t classes = 512;
  uint32_t least_count = 2;  ///< words seen fewer times get no class
  int rounds = 15;           ///< at most
};

/// Counts the words and their neighbours, sentence by sentence. A sentence begins and ends with its edge,
/// which has a class of its own.
class WordBigrams {
 public:
  void add(const std::vector<std::string_view>& sentence);
  size_t tokens() const { return tokens_; }

 private:
  friend class WordClustering;
  uint32_t number_of(std::string_view word);
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>> numbers_;
  std::vector<std::string> words_;
  std::vector<uint64_t> counts_;
  std::unordered_map<uint64_t, uint32_t> pairs_;  ///< first << 32 | second; 0 is the edge
  size_t tokens_ = 0;
};

/// A word, its class (0 … classes − 1) and how often it was seen.
struct ClassedWord {
  std::string word;
  uint32_t its_class = 0;
  uint64_t count = 0;
};

/// Words with their classes, most frequent first, ties in the order of the text. Where there are no more
/// words than classes, each has its own. An error if there are none, or if the monitor asks to stop.
Result<std::vector<ClassedWord>> cluster_words(const WordBigrams& text, const ClusteringOptions& options,
                                               const Workers& workers, const Monitor& monitor);

}  // namespace espalier::data
