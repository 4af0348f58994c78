#include "espalier/chain/learners/batch.h"

#include <algorithm>

namespace espalier::chain {

double BatchRunner::compute(const ChainWeights& weights, std::span<const uint32_t> sequences,
                            bool with_potentials, const Gradient& gradient) {
  stride_ = weights.stride;
  labels_ = weights.labels;
  const size_t K = labels_, S = stride_;
  // Sequences in random order map many pages around those that are read. In scratch memory they leave with about every
  // eighth batch, long before whoever watches over the size of the process would look.
  constexpr uint32_t kDropEvery = 8;
  if (!sequences.empty() && sequences.front() % kDropEvery == 0)
    if (const auto memory = data_.state.values.get_allocator().memory) memory->drop_pages();
  slots_.clear();
  size_t rows = 0;
  for (const uint32_t s : sequences) {
    slots_.push_back({s, rows});
    rows += data_.length(s);
  }
  features_.make_places(slots_.size());
  const bool edges = weights.edge_rows.rows() > 0;
  node_.assign(rows * S, 0.0f);
  active_.assign(rows, 0);
  edge_.resize(edges ? rows * K * S : 0);
  if (with_potentials) potentials_.assign(weights.trans.data(), K, S);

  // Pieces are cut by tokens, so that one long sequence does not hold up the others.
  const size_t pieces = std::min(kPieces, std::max<size_t>(1, slots_.size()));
  pieces_.resize(std::max(pieces_.size(), pieces));
  std::vector<size_t> first_slot(pieces + 1, slots_.size());
  for (size_t p = 0, slot = 0; p < pieces; ++p) {
    first_slot[p] = slot;
    while (slot < slots_.size() && slots_[slot].first_row < rows * (p + 1) / pieces) ++slot;
  }
  workers_.for_each(pieces, [&](size_t p) {
    Piece& piece = pieces_[p];
    piece.pairs.assign(K * S, 0.0f);
    piece.loss = 0;
    for (size_t i = first_slot[p]; i < first_slot[p + 1]; ++i) {
      const Slot& slot = slots_[i];
      const linear::SequenceFeatures features = features_.put(i, slot.sequence, pass_);
      if (monitor_.stop_requested()) continue;
      score_sequence(weights, data_, slot.sequence, features, piece.scores);
      const ScoreGradient out{node_.data() + slot.first_row * S, piece.pairs.data(),
                              edges ? edge_.data() + slot.first_row * K * S : nullptr,
                              active_.data() + slot.first_row};
      piece.loss += gradient(slot.sequence, piece.scores, piece.scratch, potentials_, out);
    }
  });
  double loss = 0;
  for (size_t p = 0; p < pieces; ++p) {
    loss += pieces_[p].loss;
    if (p == 0) continue;
    for (size_t i = 0; i < K * S; ++i) pieces_[0].pairs[i] += pieces_[p].pairs[i];
  }
  return loss;
}

}  // namespace espalier::chain
