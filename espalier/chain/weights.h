// The weights of a first-order chain in training: make_weights lays them out for a training set,
// score_sequence scores a sequence with them. Tested in espalier/chain/learners/learners_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/chain/kernels.h"
#include "espalier/linear/encoding/dataset.h"
#include "espalier/linear/encoding/token_features.h"
#include "espalier/linear/rows.h"

namespace espalier::chain {

/// Which (feature, label) pairs get a weight.
struct PairOptions {
  /// Features seen at least this often get a weight for every label; the rest only for the labels they were
  /// seen with. 0: no feature does; 1: all do. Weights for labels never seen with a frequent feature improve
  /// accuracy a little, because they can be negative; for rare features they only cost memory.
  uint32_t full_rows_from = 0;
};

/// score(x, y) = Σ_t Σ_{f ∈ x_t} state[f][y_t] + trans[y_{t−1}][y_t] + Σ_{f ∈ edges of t} edge[f][y_{t−1},
/// y_t]. The layouts say which weights exist; see linear/rows.h.
struct ChainWeights {
  size_t labels = 0;  ///< K
  size_t stride = 0;  ///< S
  bool transitions = true;
  linear::StateRows state_rows;
  AlignedVector<float> state;
  AlignedVector<float> trans;  ///< K×S, padding lanes 0
  linear::EdgeRows edge_rows;  ///< columns i·K + j
  AlignedVector<float> edge;

  size_t parameters() const {
    return state_rows.weights() + (transitions ? labels * labels : 0) + edge_rows.weights();
  }
};

/// Rows of state features for `labels` labels: the pairs of a feature and a label that occur together. `gold`
/// has the same number of labels for every token (kNoLabel where one is not known), which need not be the
/// data's own.
linear::StateRows state_rows(const linear::EncodedTraining& training, std::span<const data::Label> gold,
                             size_t labels, const PairOptions& options, const Workers& workers = Workers(1));

/// Lays out rows for the pairs that occur in the data, on any rank of the team; all weights 0.
ChainWeights make_weights(const linear::EncodedTraining& training, bool transitions,
                          const PairOptions& options, const Workers& workers = Workers(1),
                          const Team& team = Team());

/// Scores of one sequence; buffers are reused.
struct SequenceScores {
  AlignedVector<float> node, edge;
  ChainScores view;
  linear::SequenceBuffer features;
};
void score_sequence(const ChainWeights& weights, const linear::Dataset& data, size_t sequence,
                    SequenceScores& out);
/// The same for a sequence of this length with these features.
void score_sequence(const ChainWeights& weights, size_t length, const linear::SequenceFeatures& features,
                    SequenceScores& out);

/// Score of a given labelling under scores already computed. Precondition: every label is known.
double score_of(const ChainScores& scores, std::span<const data::Label> labels);

/// Sets all labels but the known one to −∞ at every position whose label is known.
/// `plain`, if not empty, has the number by which `given` calls each label; several can share one.
void force_labels(SequenceScores& scores, std::span<const data::Label> given,
                  std::span<const data::Label> plain = {});

}  // namespace espalier::chain
