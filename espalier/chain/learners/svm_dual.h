// The dual variables of the structured SVM, as sparse lists, and sparse step directions over all weights.
// Tested in svm_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/base/files/section_file.h"
#include "espalier/data/label_set.h"

namespace espalier::chain {

/// One coefficient of a block: a node (token t of the block, label) or a pair of labels. If pairs have the
/// same weight at every position (no edge features), t is 0 and positions are summed.
struct DualTerm {
  uint64_t key;  ///< t · 2³² + label, or t · 2³² + row-major index of the pair
  double value;
};
inline uint64_t dual_key(size_t t, size_t index) { return static_cast<uint64_t>(t) << 32 | index; }
inline size_t dual_token(uint64_t key) { return key >> 32; }
inline size_t dual_index(uint64_t key) { return key & 0xFFFFFFFF; }

/// A list of terms by ascending key, none 0. Most tokens of a trained model agree with gold and have none, so
/// this is smaller than a row of labels per token.
using DualTerms = std::vector<DualTerm>;

/// A block's distribution over its labellings, as marginals relative to gold: indicator(gold) −
/// marginal. Empty: all on gold. w = start + Σ_blocks C·weight·Σ value·feature.
struct BlockDual {
  DualTerms nodes, pairs;
};

/// indicator(gold) − indicator(y). `per_position`: pairs keep their t. `stride`: of the pairs' index.
void difference(std::span<const data::Label> gold, std::span<const data::Label> y, size_t stride,
                bool per_position, BlockDual& out);
/// a·x + b·y, zeros left out.
void combine(double a, const DualTerms& x, double b, const DualTerms& y, DualTerms& out);

/// Saves all blocks' terms as three sections, and loads them; every key is checked: t below the block's
/// length, index below `indices`.
void save_terms(SectionWriter& out, const std::string& name, const std::vector<BlockDual>& duals,
                DualTerms BlockDual::*part);
Status load_terms(const SectionFile& in, const std::string& name, std::span<const uint32_t> lengths,
                  uint64_t indices, std::vector<BlockDual>& duals, DualTerms BlockDual::*part);

/// A sparse vector over all weights: the direction of a step.
class SparseDirection {
 public:
  explicit SparseDirection(size_t n = 0) : dense_(n, 0.0f) {}
  void add(size_t i, float x) {
    if (dense_[i] == 0) touched_.push_back(static_cast<uint32_t>(i));
    dense_[i] += x;
  }
  /// Ends adding; the terms do not change until clear().
  void close();
  double square() const;
  double dot(const AlignedVector<float>& w) const;
  /// w += step·direction, lag += factor·step·direction.
  void apply(double step, double factor, AlignedVector<float>& w, AlignedVector<float>& lag) const;
  void clear() { touched_.clear(), values_.clear(); }

 private:
  AlignedVector<float> dense_;  ///< 0 outside add … close
  std::vector<uint32_t> touched_;
  std::vector<float> values_;
};

}  // namespace espalier::chain
