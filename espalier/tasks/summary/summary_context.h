// A state of the search for a summary in a form that answers questions about it: what is in, what can be
// added, and what words and pairs of words there are. Loading one takes time linear in the cluster. Tested in
// summary_space_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/tasks/summary/summary_input.h"

namespace espalier::tasks {

/// One state of the search, unpacked into arrays that features read.
struct SummaryContext {
  uint64_t key = ~uint64_t{0};  ///< of the state that is loaded
  uint32_t words = 0;
  std::vector<uint8_t> in;            ///< by piece
  std::vector<uint32_t> left, right;  ///< by word, for single words: the nearest in the summary, or kNoPiece
  std::vector<uint16_t> stem_count, pair_count;  ///< in the summary
  std::vector<uint16_t> sentence_words;
  std::vector<uint16_t> document_sentences;
  std::vector<uint32_t> available;  ///< pieces that can be added, ascending

  void load(const SummaryInput& input, const Cluster& cluster, const std::vector<uint32_t>& chosen,
            uint64_t state_key);
};

}  // namespace espalier::tasks
