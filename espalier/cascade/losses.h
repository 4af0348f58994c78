// Losses of one sequence over a level's lattice, with their gradients by states and arcs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/cascade/max_pass.h"
#include "espalier/cascade/trellis.h"

namespace espalier::cascade {

enum class Loss {
  kFilter,      ///< equation 8: the truth is to score above the threshold by its length
  kLog,         ///< −log P(truth | x) over the lattice
  kPerceptron,  ///< score of the best path minus that of the truth
  kMargin,      ///< the same with the number of wrong labels added to each path (Hamming loss)
};

struct LossOptions {
  Loss loss = Loss::kLog;
  double alpha = 0;  ///< kFilter: of the threshold
  Unit unit = Unit::kStates;
  /// What a mistake on a token costs, by its gold label; empty: 1 each. Log losses become the softmax-margin
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

/// The loss of a scored lattice that holds the truth; `truth` and its arcs as find_path and arcs_of_path give
/// them. The gradient is all 0 where the loss is. Scores of the lattice are as before afterwards.
double lattice_loss(chain::Lattice& lattice, std::span<const uint32_t> truth,
                    std::span<const uint32_t> truth_arcs, std::span<const data::Label> gold,
                    const LossOptions& options, LossScratch& scratch, LatticeGradient& out);

/// The same for a level of order 1, whose positions are independent: node is T×S, K labels a position, and
/// the gradient has the same shape. The best path through label j of t is j there and the best label
/// elsewhere, so that everything is known without a lattice. kMargin and kPerceptron take each position by
/// itself.
double unigram_loss(const float* node, size_t labels, size_t stride, std::span<const data::Label> gold,
                    const LossOptions& options, float* gradient);

}  // namespace espalier::cascade
