// Why learning to rank for beam search is hard: NP-complete problems written as beam-search problems (Xu and
// Fern 2007, Theorems 4 to 6), and brute-force solvers of the originals to compare the answers with.
#pragma once

#include <array>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/base/result.h"
#include "research/beam/theory_problem.h"

namespace espalier::research {

/// Minimum disagreement: is there a w that misclassifies at most `allowed` examples, where x is classified as
/// positive iff w·x ≥ 0?
struct DisagreementProblem {
  std::vector<std::vector<double>> positive, negative;
  size_t allowed = 0;  ///< k
};

/// Random examples with whole values between −largest and largest.
DisagreementProblem random_disagreement(Random random, size_t dimension, size_t positive, size_t negative,
                                        int largest, size_t allowed);
/// The smallest number of misclassifications of any w, by trying a w from every cell of weight space. Fails
/// as weight_cells does: for more than three features.
Result<size_t> least_disagreement(const DisagreementProblem& problem);
/// Theorem 4 (n = d = t = 1, b = k + 1): nodes −x for positive, x for negative examples, and the target at 0;
/// an example ranks above the target iff it is misclassified.
BeamProblem disagreement_as_beam_problem(const DisagreementProblem& problem, BeamMode mode);

struct Literal {
  size_t variable = 0;
  bool positive = true;
};
using Clause = std::array<Literal, 3>;
struct SatProblem {
  size_t variables = 0;
  std::vector<Clause> clauses;
};

/// Clauses of three different variables each. Precondition: variables ≥ 3.
SatProblem random_3sat(Random random, size_t variables, size_t clauses);
/// By trying all assignments. Precondition: at most 24 variables.
bool satisfiable(const SatProblem& problem);
/// Theorem 5 (d = b = 1, c = 6, t = 3): one instance per clause. A target ranks first iff a literal is true
/// when u_k is read as w_k > 0.
BeamProblem sat_as_beam_problem(const SatProblem& problem, BeamMode mode);

/// Theorem 6: instances of depth 1 stacked into one, whose level i holds the nodes of instance i, all of them
/// children of each node above. With b = 1 the two problems have the same solutions. Precondition: all
/// instances have depth 1.
BeamProblem stacked(const BeamProblem& problem);

}  // namespace espalier::research
