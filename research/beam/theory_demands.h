// Systems of homogeneous linear inequalities, weak and strict, which say how weights must rank nodes:
// meet_demands() solves them exactly or proves that there is no solution. One or two linear programs per
// call. Tested in theory_trajectories_test.cc.
#pragma once

#include <span>
#include <vector>

namespace espalier::research {

/// w·g ≥ 0, or w·g > 0 if strict.
struct Demand {
  std::vector<double> g;
  bool strict = false;
};

enum class Decision {
  kYes,
  kNo,
  kUndecided,  ///< double precision is not enough, or a limit was reached
};

struct DemandsMet {
  Decision decision = Decision::kUndecided;
  std::vector<double> w;  ///< meets every demand; empty unless kYes
  size_t programs = 0;    ///< linear programs solved: none if demands contradict each other openly, one, or
                          ///< two if some demands hold only with equality
};

/// Whether w certainly meets the demand: by more than the largest rounding error, or exactly with 0 if the
/// demand is weak.
bool surely_met(const Demand& demand, std::span<const double> w);

/// Finds w that meets all demands, or proves that there is none.
///
/// Solutions form a cone, so w·g > 0 may be written w·g ≥ 1 (a multiple of any solution satisfies it), and
/// one linear program decides. If some solution also meets the weak demands strictly, the one found does, and
/// nothing depends on rounding. Otherwise a second program finds the weak demands that every solution meets
/// with equality, and the weights are computed from these ties by elimination in whole numbers, so they are
/// exact. That needs features of about 20 bits; with ties among others the answer may be kUndecided, but
/// never a wrong kYes. Whole weights are preferred, since searches with them have no rounding errors. kNo is
/// only returned with a proof of infeasibility (Motzkin's theorem of the alternative) from the prices of the
/// program, checked up to 1e−7. Precondition: every g has `dimension` finite values.
DemandsMet meet_demands(size_t dimension, std::span<const Demand> demands);

}  // namespace espalier::research
