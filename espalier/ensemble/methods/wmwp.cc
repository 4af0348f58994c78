#include "espalier/ensemble/methods/wmwp.h"

#include <algorithm>
#include <cmath>

namespace espalier::ensemble {

Wmwp::Wmwp(size_t experts, const WmwpOptions& options)
    : experts_(experts), options_(options), log_beta_(std::log(options.beta)), losses_(experts) {
  ESPALIER_CHECK(experts > 0 && options.beta > 0 && options.beta < 1);
}

void Wmwp::reserve_slots(size_t slots) {
  if (slots * experts_ <= weight_.size()) return;
  log_weight_.resize(slots * experts_, 0);
  weight_.resize(slots * experts_, 1.0 / static_cast<double>(experts_));
}

double Wmwp::predict(const VoteView& view) {
  losses_.measure(view);
  reserve_slots(losses_.slots());
  if (losses_.known() == 0) return 0;
  double expected = 0;
  if (!losses_.any_silent()) {
    for (const uint32_t slot : losses_.changed()) {
      const std::span<const double> w = weights(slot), errors = losses_.errors(slot);
      for (size_t j = 0; j < experts_; ++j) expected += w[j] * errors[j];
    }
  } else {
    // Item by item, since each may have other experts that speak.
    for (size_t i = 0; i < view.items(); ++i) {
      if (view.gold[i] == kAbsent) continue;
      const std::span<const double> w = weights(view.slot[i]);
      const std::span<const Value> item = view.item(i);
      double awake = 0, wrong = 0;
      for (size_t j = 0; j < experts_; ++j) {
        if (item[j] == kAbsent) continue;
        awake += w[j];
        if (item[j] != view.gold[i]) wrong += w[j];
      }
      expected += awake > 0 ? wrong / awake : 1;
    }
  }
  return expected / static_cast<double>(losses_.known());
}

void Wmwp::normalise(size_t slot) {
  double* const log_w = log_weight_.data() + slot * experts_;
  double* const w = weight_.data() + slot * experts_;
  const double highest = *std::max_element(log_w, log_w + experts_);
  double sum = 0;
  for (size_t j = 0; j < experts_; ++j) {
    log_w[j] -= highest;  // stays bounded: only differences count
    w[j] = std::exp(log_w[j]);
    sum += w[j];
  }
  for (size_t j = 0; j < experts_; ++j) w[j] /= sum;
}

void Wmwp::update_awake(size_t slot, double unit) {
  // Those who speak lose by their errors, then are scaled back to the weight they had together.
  double* const log_w = log_weight_.data() + slot * experts_;
  const std::span<const double> w = weights(slot), errors = losses_.errors(slot);
  double before = 0, after = 0;
  for (size_t j = 0; j < experts_; ++j) {
    if (losses_.asleep(slot, j)) continue;
    before += w[j];
    after += w[j] * std::exp(unit * errors[j]);
  }
  if (!(after > 0)) return;  // no expert votes, or only experts with weight 0
  const double scale = std::log(before / after);
  for (size_t j = 0; j < experts_; ++j)
    if (!losses_.asleep(slot, j)) log_w[j] += unit * errors[j] + scale;
}

void Wmwp::update() {
  if (losses_.known() == 0) return;
  const double unit =
      options_.normalised_exponent ? log_beta_ / static_cast<double>(losses_.known()) : log_beta_;
  for (const uint32_t slot : losses_.changed()) {
    if (losses_.any_silent()) {
      update_awake(slot, unit);
    } else {
      double* const log_w = log_weight_.data() + slot * experts_;
      const std::span<const double> errors = losses_.errors(slot);
      for (size_t j = 0; j < experts_; ++j) log_w[j] += unit * errors[j];
    }
    normalise(slot);
  }
}

}  // namespace espalier::ensemble
