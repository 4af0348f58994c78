#include "espalier/chain/learners/batch.h"

#include <algorithm>
#include <numeric>

#include "espalier/chain/learners/importance.h"
#include "espalier/chain/stop_kernels.h"

namespace espalier::chain {

BatchRunner::BatchRunner(const linear::Dataset& data, const Workers& workers, const Monitor& monitor,
                         linear::Dropout dropout, const Team* team)
    : data_(data),
      workers_(workers),
      monitor_(monitor),
      team_(team != nullptr && !team->alone() ? team : nullptr),
      pair_unit_(counted_tokens(data)),  // a token changes the gradient of a pair by 1 at most
      features_(data, dropout) {}

/// The sequences of the batch that this rank has.
void BatchRunner::choose_slots(std::span<const uint32_t> sequences) {
  slots_.clear();
  size_t rows = 0;
  for (size_t place = 0; place < sequences.size(); ++place) {
    uint32_t sequence = sequences[place];
    if (team_ != nullptr) {
      const std::optional<uint32_t> here = data_.find_number(sequence);
      if (!here) continue;
      sequence = *here;
    }
    slots_.push_back({static_cast<uint32_t>(place), sequence, rows});
    rows += data_.length(sequence);
  }
  features_.make_places(slots_.size());
  node_.resize(rows * stride_);
  active_.assign(rows, 0);
  edge_.resize(edges_ ? rows * labels_ * stride_ : 0);
}

/// Adds the gradient of one sequence's pairs to sums, and sets it to 0. Threads have sums of their own where
/// these are small: in those of the batch, the next sequence would find no cache line left.
void BatchRunner::add_pairs(Buffers& buffers) {
  constexpr size_t kSmall = size_t{1} << 14;
  const bool own = buffers.pairs.size() <= kSmall;
  std::unique_lock lock(mutex_, std::defer_lock);
  if (own) {
    buffers.pair_sums.resize(buffers.pairs.size(), 0);
  } else {
    lock.lock();
  }
  int64_t* const sums = own ? buffers.pair_sums.data() : pair_sums_.data();
  for (size_t i = 0; i < buffers.pairs.size(); ++i)
    if (buffers.pairs[i] != 0)
      sums[i] += pair_unit_.multiple(static_cast<double>(std::exchange(buffers.pairs[i], 0.0f)));
}

/// Adds the threads' sums to those of the batch, and sets them to 0.
void BatchRunner::merge_pairs() {
  for (const std::unique_ptr<Buffers>& buffers : buffers_)
    for (size_t i = 0; i < buffers->pair_sums.size(); ++i)
      pair_sums_[i] += std::exchange(buffers->pair_sums[i], 0);
}

void BatchRunner::compute_piece(const ChainWeights& weights, Range slots, const Gradient& gradient) {
  std::unique_ptr<Buffers> buffers;
  {
    const std::scoped_lock lock(mutex_);
    if (!buffers_.empty()) {
      buffers = std::move(buffers_.back());
      buffers_.pop_back();
    }
  }
  if (!buffers) buffers = std::make_unique<Buffers>();
  buffers->pairs.resize(labels_ * stride_, 0.0f);
  std::optional<StopKernels> stop;
  if (team_ == nullptr) stop.emplace(monitor_);
  for (size_t i = slots.first; i < slots.last && !dropped(); ++i) {
    const Slot& slot = slots_[i];
    const size_t length = data_.length(slot.sequence);
    float* const node = node_.data() + slot.first_row * stride_;
    std::fill_n(node, length * stride_, 0.0f);
    const linear::SequenceFeatures features = features_.put(i, slot.sequence, pass_);
    if (monitor_.stop_requested()) continue;
    score_sequence(weights, length, features, buffers->scores);
    const ScoreGradient out{node, buffers->pairs.data(),
                            edges_ ? edge_.data() + slot.first_row * labels_ * stride_ : nullptr,
                            active_.data() + slot.first_row};
    const double loss = gradient(slot.sequence, buffers->scores, buffers->scratch, potentials_, out);
    losses_[slot.place] = loss;
    if (!transitions_) continue;
    if (loss == 0) {  // rounding may have left something
      std::fill(buffers->pairs.begin(), buffers->pairs.end(), 0.0f);
    } else {
      add_pairs(*buffers);
    }
  }
  const std::scoped_lock lock(mutex_);
  buffers_.push_back(std::move(buffers));
}

/// Lists what the updates are to see of one of this rank's sequences.
void BatchRunner::list_tokens(const Slot& slot, size_t number) {
  const linear::SequenceFeatures sequence = features_[number];
  const size_t T = data_.length(slot.sequence);
  for (size_t t = 0; t < T; ++t)
    if (active_[slot.first_row + t] != 0)
      tokens_.push_back({sequence[t], node_.data() + (slot.first_row + t) * stride_});
  if (!edges_) return;
  for (size_t t = 1; t < T; ++t)
    if (!sequence.edge(t).empty())
      edge_tokens_.push_back({sequence.edge(t), edge_.data() + (slot.first_row + t) * labels_ * stride_});
}

double BatchRunner::compute(const ChainWeights& weights, std::span<const uint32_t> sequences,
                            bool with_potentials, const Gradient& gradient) {
  stride_ = weights.stride;
  labels_ = weights.labels;
  // With thousands of labels every array of pairs takes 100 MB and more; nobody waits for those.
  if (dropped()) return drop();
  transitions_ = weights.transitions;
  edges_ = weights.edge_rows.rows() > 0;
  choose_slots(sequences);
  losses_.assign(sequences.size(), 0.0);
  pair_sums_.assign(labels_ * stride_, 0);
  if (with_potentials) {
    std::optional<StopKernels> stop;
    if (team_ == nullptr) stop.emplace(monitor_);
    potentials_.assign(weights.trans.data(), labels_, stride_);
  }
  if (dropped()) return drop();

  // Each sequence of a small batch is a piece. Those of larger ones are cut by tokens, so that one long
  // sequence does not hold up the others.
  constexpr size_t kSmall = 32;
  const size_t rows = active_.size();
  const size_t pieces = slots_.size() <= kSmall ? std::max<size_t>(1, slots_.size()) : kPieces;
  std::vector<size_t> first_slot(pieces + 1, slots_.size());
  for (size_t p = 0, slot = 0; p < pieces; ++p) {
    first_slot[p] = slot;
    if (slots_.size() <= kSmall) {
      ++slot;
    } else {
      while (slot < slots_.size() && slots_[slot].first_row < rows * (p + 1) / pieces) ++slot;
    }
  }
  // Large pieces come first, so that no thread begins one when the others are about to end.
  const auto row_of = [&](size_t slot) { return slot < slots_.size() ? slots_[slot].first_row : rows; };
  const auto size_of = [&](size_t p) { return row_of(first_slot[p + 1]) - row_of(first_slot[p]); };
  std::vector<size_t> order(pieces);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return size_of(a) > size_of(b); });
  workers_.for_each(pieces, [&](size_t i) {
    const size_t p = order[i];
    compute_piece(weights, {first_slot[p], first_slot[p + 1]}, gradient);
  });
  if (dropped()) return drop();
  merge_pairs();

  tokens_.clear();
  edge_tokens_.clear();
  if (team_ != nullptr) {
    exchange();
  } else {
    for (size_t i = 0; i < slots_.size(); ++i) list_tokens(slots_[i], i);
  }
  pairs_.resize(pair_sums_.size());
  for (size_t i = 0; i < pairs_.size(); ++i) pairs_[i] = static_cast<float>(pair_unit_.value(pair_sums_[i]));
  double loss = 0;
  for (const double one : losses_) loss += one;
  return loss;
}

double BatchRunner::drop() {
  for (const std::unique_ptr<Buffers>& buffers : buffers_) buffers->pair_sums.clear();
  slots_.clear();
  edge_.clear();
  tokens_.clear();
  edge_tokens_.clear();
  pairs_.clear();
  pair_sums_.clear();
  return 0;
}

}  // namespace espalier::chain
