#include "espalier/tasks/trees/tree_weights.h"

#include "espalier/linear/rows.h"

namespace espalier::tasks {
namespace {
constexpr size_t kFirstSlots = size_t{1} << 16;
constexpr int kFirstShift = 48;
}  // namespace

TreeWeights::TreeWeights(size_t relations)
    : relations_(relations),
      stride_(linear::padded(relations)),
      slots_(kFirstSlots),
      shift_(kFirstShift),
      rows_(stride_),
      row_(kTreeMoves + stride_, 0.0f) {}

TreeWeights::Slot& TreeWeights::insert(uint64_t hash) {
  if (3 * (used_ + 1) > 2 * slots_.size()) grow();
  size_t at = place(hash);
  while (!slots_[at].empty && slots_[at].hash != hash) at = (at + 1) & (slots_.size() - 1);
  if (slots_[at].empty) {
    slots_[at].empty = false;
    slots_[at].hash = hash;
    ++used_;
  }
  return slots_[at];
}

void TreeWeights::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  --shift_;
  for (const Slot& slot : old) {
    if (slot.empty) continue;
    size_t at = place(slot.hash);
    while (!slots_[at].empty) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
}

std::span<const float> TreeWeights::row(const ParseSpace& space, const ParseSpace::State& state, uint32_t) {
  const std::vector<uint64_t>& hashes = space.hashes(state);
  if (state.pending != 0) {
    float* const sums = row_.data() + kTreeMoves;
    std::fill(sums, sums + stride_, 0.0f);
    for (const uint64_t hash : hashes) {
      const uint32_t found = rows_.find(hash);
      if (found != search::HashedRows::kNone) linear::add_padded(rows_.row(found), stride_, sums);
    }
    return {row_.data(), kTreeMoves + relations_};
  }
  for (const uint64_t hash : hashes) __builtin_prefetch(&slots_[place(hash)]);
  std::array<float, kTreeMoves> sums{};
  for (const uint64_t hash : hashes) {
    size_t at = place(hash);
    while (!slots_[at].empty && slots_[at].hash != hash) at = (at + 1) & (slots_.size() - 1);
    // Empty slots have weights 0.
    for (size_t m = 0; m < kTreeMoves; ++m) sums[m] += slots_[at].weight[m];
  }
  std::copy(sums.begin(), sums.end(), row_.begin());
  return {row_.data(), kTreeMoves + relations_};
}

void TreeWeights::add(const ParseSpace& space, const ParseSpace::State& state, search::Action action,
                      double x) {
  const auto by = static_cast<float>(x);
  const auto lag = static_cast<float>(x * static_cast<double>(ticks_ + 1));
  for (const uint64_t hash : space.hashes(state)) {
    if (state.pending != 0) {
      const uint32_t found = rows_.insert(hash);
      row_lag_.resize(rows_.size() * stride_, 0.0f);
      const size_t at = found * stride_ + (action.label - kTreeMoves);
      rows_.weights()[at] += by;
      row_lag_[at] += lag;
    } else {
      Slot& slot = insert(hash);
      slot.weight[action.label] += by;
      slot.lag[action.label] += lag;
    }
  }
}

AveragedTreeWeights TreeWeights::averaged(bool average) const {
  // With Δ_s the change in step s of c, the average of w_0 … w_{c−1} is w_c − (1/c) Σ_s (s+1)·Δ_s.
  const float share = average && ticks_ > 0 ? 1.0f / static_cast<float>(ticks_) : 0.0f;
  AveragedTreeWeights out;
  out.relations = relations_;
  for (const Slot& slot : slots_) {
    if (slot.empty) continue;
    out.move_hashes.push_back(slot.hash);
    auto& made = out.moves.emplace_back();
    for (size_t m = 0; m < kTreeMoves; ++m) made[m] = slot.weight[m] - share * slot.lag[m];
  }
  out.relation_hashes = rows_.hashes();
  out.relation.reserve(rows_.size() * relations_);
  for (uint32_t r = 0; r < rows_.size(); ++r)
    for (size_t l = 0; l < relations_; ++l)
      out.relation.push_back(rows_.row(r)[l] - share * row_lag_[r * stride_ + l]);
  return out;
}

}  // namespace espalier::tasks
