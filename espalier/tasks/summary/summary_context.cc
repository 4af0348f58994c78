#include "espalier/tasks/summary/summary_context.h"

namespace espalier::tasks {

void SummaryContext::load(const SummaryInput& input, const Cluster& cluster,
                          const std::vector<uint32_t>& chosen, uint64_t state_key) {
  if (key == state_key) return;
  key = state_key;
  words = 0;
  in.assign(input.pieces.size(), 0);
  stem_count.assign(input.stems.size(), 0);
  pair_count.assign(input.pairs.size(), 0);
  sentence_words.assign(input.sentences.size(), 0);
  document_sentences.assign(cluster.documents.size(), 0);
  for (const uint32_t p : chosen) {
    const SummaryPiece& piece = input.pieces[p];
    in[p] = 1;
    words += piece.size();
    uint16_t& of_sentence = sentence_words[piece.sentence];
    if (of_sentence == 0) ++document_sentences[cluster.sentences[piece.sentence].document];
    of_sentence = static_cast<uint16_t>(of_sentence + piece.size());
    for (uint32_t w = piece.first; w < piece.last; ++w) ++stem_count[input.words[w].stem];
  }
  available.clear();
  const bool single = input.unit == SummaryUnit::kWord;
  if (single) {
    left.resize(input.pieces.size());
    right.resize(input.pieces.size());
  }
  uint32_t before = kNoPiece;
  for (uint32_t p = 0; p < input.pieces.size(); ++p) {
    const SummaryPiece& piece = input.pieces[p];
    if (single) left[p] = before;
    if (in[p] != 0) {
      if (before != kNoPiece) {
        const uint32_t pair =
            input.pair_of(input.words[input.pieces[before].last - 1].stem, input.words[piece.first].stem);
        if (pair != kNoPiece) ++pair_count[pair];
      }
      for (uint32_t w = piece.first; w + 1 < piece.last; ++w) ++pair_count[input.words[w].pair];
      before = p;
    } else if ((piece.parent == kNoPiece || in[piece.parent] != 0) && words + piece.size() <= input.limit) {
      available.push_back(p);
    }
  }
  if (!single) return;
  uint32_t after = kNoPiece;
  for (size_t p = input.pieces.size(); p-- > 0;) {
    right[p] = after;
    if (in[p] != 0) after = static_cast<uint32_t>(p);
  }
}

}  // namespace espalier::tasks
