// WMWP and FPL over the paths of an automaton that the user gives. Tested in automaton_test.cc.
#pragma once

#include "espalier/base/progress.h"
#include "espalier/ensemble/automaton/automaton.h"
#include "espalier/ensemble/methods/fpl.h"
#include "espalier/ensemble/methods/item_losses.h"
#include "espalier/ensemble/methods/online.h"

namespace espalier::ensemble {

/// WMWP where paths may visit different states. Equation 3's local normalisation is then no longer equation
/// 2's distribution: arcs are multiplied by β^ℓ, pushed in the log semiring, and the expected loss is
/// Σ_e P(e) ℓ_e with P(e) the posterior of an arc, not its weight. O(arcs) per round.
class AutomatonWmwp {
 public:
  AutomatonWmwp(const ExpertAutomaton& automaton, const WmwpOptions& options);

  /// The expected normalised loss of a path drawn now. Precondition: slots are positions of the automaton.
  double predict(const VoteView& view);
  void update();
  const ItemLosses& losses() const { return losses_; }
  std::span<const double> conditionals() const { return conditional_; }
  std::span<const double> posteriors() const { return posterior_; }

 private:
  const ExpertAutomaton& automaton_;
  WmwpOptions options_;
  openfst::Algorithms algorithms_;
  ItemLosses losses_;
  std::vector<double> cost_, conditional_, posterior_;
};

/// learn_online for an automaton: Γ and H_CV by arc posteriors; the tables hold the posteriors summed by
/// position and expert. The suffix, where kept, has one "slot" of conditionals of all arcs.
Result<OnlineResult> learn_online(VoteSource& source, const ExpertAutomaton& automaton,
                                  const OnlineOptions& options, const Monitor& monitor = {});

/// learn_fpl for an automaton: the path of each round is a shortest one under c + q.
Result<FplResult> learn_fpl(VoteSource& source, const ExpertAutomaton& automaton, const FplOptions& options,
                            const Monitor& monitor = {});

}  // namespace espalier::ensemble
