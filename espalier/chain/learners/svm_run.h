// One run of the structured SVM (svm.h has the objective and the options): its state, one Frank–Wolfe step,
// the duality gap, and checkpoints. Internal to svm.cc and svm_state.cc. Tested in svm_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "espalier/chain/gradients.h"
#include "espalier/chain/learners/svm.h"
#include "espalier/chain/learners/svm_dual.h"

namespace espalier::chain {

class SvmRun {
 public:
  SvmRun(TrainingContext context, const SvmOptions& options)
      : context_(std::move(context)),
        data_(context_.training.data),
        options_(options),
        weights_(std::move(context_.start)),
        state_(weights_.state),
        trans_(weights_.trans),
        edge_(weights_.edge),
        gold_(data_.gold),
        by_token_(!weights_.transitions && weights_.edge_rows.rows() == 0 &&
                  context_.restriction == nullptr) {
    for (uint32_t s = 0; s < data_.sequences(); ++s) {
      const uint64_t begin = data_.sequence_begin[s];
      const uint32_t length = static_cast<uint32_t>(data_.length(s));
      if (by_token_) {
        for (uint32_t t = 0; t < length; ++t) blocks_.push_back({s, 1, begin + t});
      } else {
        blocks_.push_back({s, length, begin});
      }
    }
    duals_.resize(blocks_.size());
    dual_penalty_.assign(blocks_.size(), 0.0);
    row_.assign(weights_.stride, 0.0f);
  }

  Result<ChainWeights> run();

 private:
  /// A sequence, or one token of it.
  struct Block {
    uint32_t sequence;
    uint32_t length;
    uint64_t first;  ///< token of the data set
  };

  /// Buffers for decoding a block, one per thread.
  struct Bench {
    SequenceScores scores;
    ChainScratch scratch;
    std::vector<data::Label> answer;
  };

  /// A weight array's own part of the run. With Δ_i the change made in step i of k, the average Σ_i i·w_i /
  /// Σ_i i is w_k − Σ_i i(i−1)·Δ_i / k(k+1): each change is also added to a lagging sum with the factor
  /// i(i−1).
  struct Part {
    AlignedVector<float> origin;  ///< empty where training starts from 0
    AlignedVector<float> lag;
    SparseDirection direction;
    explicit Part(const AlignedVector<float>& start) : lag(start.size(), 0.0f), direction(start.size()) {
      if (std::any_of(start.begin(), start.end(), [](float w) { return w != 0; })) origin = start;
    }
  };

  double one_pass(int pass);
  double step(size_t b);
  void score(const Block& block, SequenceScores& scores) const;
  void complete(size_t b);
  double hinge(const Block& block, Bench& bench) const;
  double cost(uint64_t token) const;
  double loss(size_t b) const;
  double soft_penalty(const Block& block, std::span<const data::Label> labels) const;
  void set_direction(const Block& block, const BlockDual& terms);
  double scale(const Block& block) const {
    return options_.c * static_cast<double>(data_.weight[block.sequence]);
  }
  void move(double by, double factor);
  DualityGap gap(int pass) const;
  double penalty() const;
  ChainWeights result() const;
  void save(SectionWriter& out, int pass) const;
  Result<int> load(const SectionFile& in);
  std::span<const data::Label> gold_of(const Block& block) const {
    return {gold_.data() + block.first, block.length};
  }

  TrainingContext context_;
  const linear::Dataset& data_;
  SvmOptions options_;
  ChainWeights weights_;
  Part state_, trans_, edge_;
  std::vector<data::Label> gold_;  ///< completed where it is not known; kNoLabel before the first visit
  bool by_token_;
  std::vector<Block> blocks_;
  std::vector<BlockDual> duals_;
  std::vector<double>
      dual_penalty_;  ///< per block: what soft constraints cost its dual labelling beyond gold
  uint64_t steps_ = 0;
  bool stopped_ = false;

  Bench bench_;
  std::vector<data::Label> completed_;
  BlockDual corner_, towards_;
  DualTerms moved_;
  std::vector<float> row_;
};

}  // namespace espalier::chain
