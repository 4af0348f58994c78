// The two passes that turn any online learner into hypotheses (online.h has the equations): total_loss()
// plays all rounds once, BatchChoice says in the second pass where the best suffix begins and which round is
// the best by cross-validation. Tested in online_test.cc, fpl_test.cc and automaton_test.cc.
#pragma once

#include <cstddef>
#include <limits>

#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/ensemble/methods/online.h"
#include "espalier/ensemble/votes/votes.h"

namespace espalier::ensemble {

/// The loss of all rounds, each of which is predict(), then update(), as of Wmwp.
template <typename Learner>
Result<double> total_loss(VoteSource& source, const Monitor& monitor, Learner learner) {
  double total = 0;
  ESPALIER_TRY(for_each_sequence(source, [&](const VoteView& view) {
    if (monitor.stop_requested()) return;
    total += learner.predict(view);
    learner.update();
  }));
  if (monitor.stop_requested()) return fail("interrupted while learning");
  return total;
}

/// Sets mean_loss, suffix_begin, gamma, cv_round and cv_value of a result that has its rounds. In each round
/// call begins_suffix(), then is_best(), then end_round().
template <typename Learned>
class BatchChoice {
 public:
  BatchChoice(double total, double loss_bound, double delta, Learned& result)
      : left_(total), loss_bound_(loss_bound), delta_(delta), result_(result) {
    result_.mean_loss = total / static_cast<double>(result_.rounds);
    result_.gamma = result_.cv_value = std::numeric_limits<double>::infinity();
  }
  size_t round() const { return round_; }

  /// Whether the suffix from this round on has the least Γ so far.
  bool begins_suffix() {
    const double gamma = left_ / size() + suffix_penalty(loss_bound_, delta_, rounds_left());
    if (!(gamma < result_.gamma)) return false;
    result_.gamma = gamma;
    result_.suffix_begin = round_;
    return true;
  }
  /// Whether this round's distribution, which loses `remaining` on the rounds that are left, is the best.
  bool is_best(double remaining) {
    const double cv = remaining / size() + cv_penalty(loss_bound_, delta_, result_.rounds, rounds_left());
    if (!(cv < result_.cv_value)) return false;
    result_.cv_value = cv;
    result_.cv_round = round_;
    return true;
  }
  void end_round(double loss) {
    left_ -= loss;
    ++round_;
  }

 private:
  size_t rounds_left() const { return result_.rounds - round_; }
  double size() const { return static_cast<double>(rounds_left()); }

  double left_;  ///< S_T − S_{t−1}
  double loss_bound_, delta_;
  Learned& result_;
  size_t round_ = 0;  ///< t, from 0
};

}  // namespace espalier::ensemble
