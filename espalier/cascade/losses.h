// Losses of one sequence over the lattice of a level, with gradients with respect to states and arcs: the
// convex filter loss, log loss, perceptron and margin.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/cascade/max_pass.h"
#include "espalier/cascade/trellis.h"

namespace espalier::cascade {

enum class Loss {
  kFilter,      ///< equation 8: gold must score above the threshold by its length
  kLog,         ///< −log P(truth | x) over the lattice
  kPerceptron,  ///< score of the best path minus that of the truth
  kMargin,      ///< the same with the number of wrong labels added to each path (Hamming loss)
};

struct LossOptions {
  Loss loss = Loss::kLog;
  double alpha = 0;  ///< kFilter: of the threshold
  Unit unit = Unit::kStates;
  /// The cost of a mistake on a token, by its gold label; empty: 1 each. Log losses become the softmax-margin
  /// of Gimpel and Smith (2010), the margin a weighted Hamming loss, the length in equation 8 a weighted one.
  std::span<const float> label_weight = {};
};

/// ∂loss/∂state_score and ∂loss/∂arc_score.
struct LatticeGradient {
  std::vector<double> state, arc;
};

struct LossScratch {
  MaxPass pass;
  std::vector<float> plain_scores;
};

/// The loss of a scored lattice that contains the gold path; `truth` and its arcs as returned by find_path
/// and arcs_of_path. If the loss is 0, so is the gradient. The scores of the lattice do not change.
double lattice_loss(chain::Lattice& lattice, std::span<const uint32_t> truth,
                    std::span<const uint32_t> truth_arcs, std::span<const data::Label> gold,
                    const LossOptions& options, LossScratch& scratch, LatticeGradient& out);

/// The same for a level of order 1, whose positions are independent: node is T×S, with K labels per position,
/// and the gradient has the same shape. The best path through label j of position t takes j there and the
/// best label elsewhere, so no lattice is needed. kMargin and kPerceptron treat each position by itself.
double unigram_loss(const float* node, size_t labels, size_t stride, std::span<const data::Label> gold,
                    const LossOptions& options, float* gradient);

}  // namespace espalier::cascade
