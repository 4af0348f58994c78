// Systems of homogeneous linear inequalities, weak and strict: which weights rank nodes as demanded.
#pragma once

#include <span>
#include <vector>

namespace espalier::research {

/// w·g ≥ 0, or w·g > 0 where strict.
struct Demand {
  std::vector<double> g;
  bool strict = false;
};

enum class Decision {
  kYes,
  kNo,
  kUndecided,  ///< double precision does not suffice to tell, or a limit was reached
};

struct DemandsMet {
  Decision decision = Decision::kUndecided;
  std::vector<double> w;  ///< meets every demand; empty unless kYes
};

/// Whether w meets the demand beyond doubt: by more than rounding can amount to, or exactly by 0 where that
/// is enough.
bool surely_met(const Demand& demand, std::span<const double> w);

/// Finds w that meets all demands, or says that there is none.
///
/// Solutions form a cone, so w·g > 0 may be written w·g ≥ 1 (a multiple of any solution satisfies it), and
/// one linear program decides. Where some solution meets the weak demands strictly, too, the one found does:
/// nothing in it hangs on rounding. Otherwise a second program finds those weak demands that every solution
/// meets with equality, and the weights are computed from these ties by elimination in whole numbers, so that
/// they are exact. That needs features of some 20 bits; where others tie, the answer may be
/// kUndecided, never a wrong kYes. Whole weights are preferred: searches with them know no rounding.
/// A kNo is only given with a proof of infeasibility (Motzkin's theorem of the alternative) from the prices
/// of the program, checked up to 1e−7. Precondition: every g has `dimension` finite values.
DemandsMet meet_demands(size_t dimension, std::span<const Demand> demands);

}  // namespace espalier::research
