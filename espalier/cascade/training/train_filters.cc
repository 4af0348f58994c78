// Part of training.h: how the filters of a level are learned. Tested in train_test.cc.
#include <algorithm>
#include <numeric>

#include "espalier/cascade/training/training.h"

namespace espalier::cascade {

/// Options for log loss: crf filters, and the first passes of learned filters.
LearnerOptions CascadeTraining::log_options() const {
  LearnerOptions learner;
  learner.loss.loss = Loss::kLog;
  learner.loss.unit = options_.unit;
  learner.loss.label_weight = options_.label_weight;
  learner.steps = Steps::kAdaptive;
  learner.rate = options_.rate;
  learner.l2 = options_.filter_l2;
  learner.batch = options_.batch;
  learner.seed = options_.seed;
  return learner;
}

LearnerOptions CascadeTraining::filter_options(double alpha) const {
  if (filter_ == Filter::kCrf) return log_options();
  LearnerOptions learner = log_options();
  learner.loss.loss = filter_ == Filter::kPerceptron ? Loss::kPerceptron : Loss::kFilter;
  learner.loss.alpha = alpha;
  learner.batch = options_.filter_batch;
  if (filter_ == Filter::kPerceptron || !options_.adaptive_filters) {
    learner.rate = filter_ == Filter::kPerceptron ? 1 : options_.filter_rate;
    learner.steps = learner.rate == 0 ? Steps::kPegasos : Steps::kPlain;
    learner.lambda = options_.filter_lambda;
    learner.ignore = 0;
    return learner;
  }
  learner.rate = options_.filter_rate;
  // Equation 8 is a mean over sequences; AdaGrad's penalty is weighed against their sum.
  learner.l2 = 0.5 * options_.filter_lambda * static_cast<double>(usable_.size());
  learner.ignore = 1e-3;
  return learner;
}

namespace {
/// So many ratings are kept between the choice of a threshold and its use: 32 MB.
constexpr size_t kMostJudgements = size_t{8} << 20;
}  // namespace

TradeOff CascadeTraining::trade_off(const std::function<const LevelWeights&(size_t)>& weights_of,
                                    std::span<const uint32_t> which, bool keep) {
  if (keep) judged_.resize(data_.sequences());
  std::vector<TradeOff> parts(kPieces, TradeOff(measure(), options_.loss_unit));
  context_.workers.for_each(kPieces, [&](size_t piece) {
    Work work;
    std::vector<float> items;
    size_t room = keep ? kMostJudgements / kPieces : 0;
    const Range range = piece_of(which.size(), kPieces, piece);
    for (size_t i = range.first; i < range.last && !stopped(); ++i) {
      const uint32_t s = which[i];
      Trellis* const trellis = open_lattice(s, work);
      judge(weights_of(s), data_, s, trellis, work);
      const size_t size = trellis == nullptr ? work.items.size() : work.ratings.arc.size();
      if (keep && size <= room) {
        room -= size;
        judged_[s] = judgement_of(work, trellis != nullptr);
      }
      if (trellis == nullptr) {
        parts[piece].add(work.items, work.truth);
        continue;
      }
      const Ratings& ratings = work.ratings;
      for (size_t t = 0; t < lattices_[s].lost.size(); ++t)
        if (lattices_[s].lost[t]) work.truth[t] = kAbsent;
      if (options_.unit == Unit::kStates) {
        parts[piece].add(ratings.state, work.truth);
      } else {
        const size_t first = trellis->lattice.states_at(0).last;
        items.assign(ratings.state.begin(), ratings.state.begin() + static_cast<ptrdiff_t>(first));
        items.insert(items.end(), ratings.arc.begin(), ratings.arc.end());
        parts[piece].add(items, work.truth);
      }
    }
  });
  for (size_t p = 1; p < kPieces; ++p) parts[0].merge(parts[p]);
  return parts[0];
}

namespace {
/// The mean of every weight.
LevelWeights mean_of(std::span<const LevelWeights> filters) {
  LevelWeights mean = filters.front();
  const auto average = [&](auto&& weights_of) {
    auto& out = weights_of(mean);
    for (size_t i = 0; i < out.size(); ++i) {
      double sum = 0;
      for (const LevelWeights& filter : filters) sum += static_cast<double>(weights_of(filter)[i]);
      out[i] = static_cast<float>(sum / static_cast<double>(filters.size()));
    }
  };
  average([](auto& w) -> auto& { return w.state; });
  average([](auto& w) -> auto& { return w.gram; });
  average([](auto& w) -> auto& { return w.edge; });
  average([](auto& w) -> auto& { return w.quantile; });
  return mean;
}

/// The prior of the filter in use: it has seen all data and says nothing about new data; the held-out ones
/// do.
PriorMean mean_prior(std::span<const LevelWeights> held_out) {
  PriorMean prior = held_out.front().prior;
  prior.regret = 0;
  for (const LevelWeights& filter : held_out)
    prior.regret += filter.prior.regret / static_cast<double>(held_out.size());
  return prior;
}
}  // namespace

std::vector<uint32_t> CascadeTraining::all_but(size_t fold) const {
  std::vector<uint32_t> rest;
  for (const uint32_t s : usable_)
    if (folds_ == 1 || fold_of_sequence_[s] != fold) rest.push_back(s);
  return rest;
}

std::vector<uint32_t> CascadeTraining::sample_of(std::span<const uint32_t> sequences) const {
  // A loss of 0.001 is that of 100 of these positions.
  constexpr size_t kEnough = 100'000;
  const size_t every = std::max<size_t>(1, positions_ / kEnough);
  // Whole rounds of the folds are taken or left out, so that each of their filters is asked as often.
  std::vector<uint32_t> sample;
  for (size_t i = 0; i < sequences.size(); ++i)
    if (i / folds_ % every == 0) sample.push_back(sequences[i]);
  return sample;
}

std::vector<uint32_t> CascadeTraining::members(size_t fold) const {
  std::vector<uint32_t> own;
  for (const uint32_t s : usable_)
    if (folds_ == 1 || fold_of_sequence_[s] == fold) own.push_back(s);
  return own;
}

PriorMean CascadeTraining::find_usual(size_t index, const LevelWeights& weights,
                                      std::span<const uint32_t> which) {
  if (context_.old != nullptr) return context_.old->levels[index].prior;
  if (measure() != Measure::kMaxMarginal || options_.threshold_prior_length == 0) return {};
  constexpr size_t kMost = 1000;
  const size_t n = std::min(kMost, which.size());
  std::vector<double> sum(kPieces, 0.0), weight(kPieces, 0.0);
  context_.workers.for_each(kPieces, [&](size_t piece) {
    Work work;
    const Range range = piece_of(n, kPieces, piece);
    for (size_t i = range.first; i < range.last && !stopped(); ++i) {
      const uint32_t s = which[i * which.size() / n];
      judge(weights, data_, s, open_lattice(s, work), work);
      sum[piece] += static_cast<double>(data_.length(s)) * work.scratch.mean_regret;
      weight[piece] += static_cast<double>(data_.length(s));
    }
  });
  return {std::accumulate(sum.begin(), sum.end(), 0.0) /
              std::max(1.0, std::accumulate(weight.begin(), weight.end(), 0.0)),
          options_.threshold_prior_length};
}

CascadeTraining::Filters CascadeTraining::learn_quick_filters(size_t index) {
  Filters filters;
  const int warm = warm_up(index);
  filters.passes = goes_on(index) ? 0 : options_.filter_passes;
  filters.train_alpha = filters.passes > 0 ? options_.train_alphas.front() : 0;
  const std::string phase = fmt::format("filter of order {}", options_.orders[index]);
  const double rounds = static_cast<double>(folds_) * (warm + filters.passes);
  double done = 0;
  LevelLearner::Memory memory;
  for (size_t fold = 0; fold < folds_; ++fold) {
    const std::vector<uint32_t> sequences = all_but(fold);
    LevelLearner learner =
        filter_learner_of(index, fold, warm > 0 ? log_options() : filter_options(filters.train_alpha),
                          sequences, std::move(memory));
    for (int pass = 1; pass <= warm + filters.passes && !stopped(); ++pass) {
      if (pass == warm + 1) learner.go_on_with(filter_options(filters.train_alpha));
      learner.pass(sequences, pass, 2 * pass > warm);
      report_progress(phase, ++done, rounds);
    }
    filters.held_out.push_back(learner.take_weights());
    memory = learner.take_memory();
    filters.held_out.back().prior = find_usual(index, filters.held_out.back(), members(fold));
  }
  memory = {};
  filters.full = mean_of(filters.held_out);
  filters.full.prior = mean_prior(filters.held_out);
  return filters;
}

CascadeTraining::Filters CascadeTraining::learn_filters(size_t index) {
  if (learns_quickly()) return learn_quick_filters(index);
  Filters filters;
  if (filter_ == Filter::kDictionary) {
    filters.full = start_of(index);
    filters.held_out.push_back(filters.full);
    return filters;
  }
  const double epsilon = options_.filter_loss[std::min(index, options_.filter_loss.size() - 1)];
  const std::string phase = fmt::format("filter of order {}", options_.orders[index]);
  const bool uses_alpha = filter_ == Filter::kCascade;
  const std::vector<double> alphas = uses_alpha ? options_.train_alphas : std::vector<double>{1};
  const bool old = context_.old != nullptr;
  const int warm = warm_up(index);
  const bool has_start = warm > 0 || old;  // a filter from which passes may only get better
  const double rounds = static_cast<double>(alphas.size()) * options_.filter_passes +
                        static_cast<double>(folds_) * (warm + options_.filter_passes) + warm;
  double done = 0;

  // The first fold decides on the training α and the number of passes, by (7): the least efficiency loss
  // within ε or, if no threshold is within ε, the least filter loss.
  const std::vector<uint32_t> rest = all_but(0), own = members(0);
  double best_efficiency = 2, best_loss = 2;
  LevelWeights best;
  const auto is_better = [&](const LevelWeights& weights) {
    const auto curve = trade_off([&](size_t) -> const LevelWeights& { return weights; }, own).curve();
    if (stopped()) return false;
    double efficiency = 1, loss = 0;
    if (options_.budget > 0) {
      const TradeOff::Point* point = TradeOff::best_alive(curve, options_.budget);
      efficiency = 0;
      loss = point == nullptr ? 1 : point->filter_loss;
    } else if (const TradeOff::Point* point = TradeOff::best_within(curve, epsilon)) {
      efficiency = point->efficiency;
    } else {
      loss = curve.front().filter_loss;
    }
    if (std::pair(loss, efficiency) >= std::pair(best_loss, best_efficiency)) return false;
    best_loss = loss;
    best_efficiency = efficiency;
    return true;
  };
  const auto warmed = [&](size_t fold, std::span<const uint32_t> sequences) {
    LevelLearner learner =
        filter_learner_of(index, fold, warm > 0 ? log_options() : filter_options(1), sequences);
    for (int pass = 1; pass <= warm && !stopped(); ++pass) {
      learner.pass(sequences, pass, 2 * pass > warm);
      report_progress(phase, ++done, rounds);
    }
    return learner;
  };
  LevelLearner start = warmed(0, rest);
  if (has_start) {
    best = start.weights();
    best.prior = find_usual(index, best, own);
    is_better(best);
  }
  for (const double& alpha : alphas) {
    LevelLearner learner = &alpha == &alphas.back() ? std::move(start) : start;
    learner.go_on_with(filter_options(alpha));
    for (int pass = 1; pass <= options_.filter_passes; ++pass) {
      learner.pass(rest, warm + pass, true);
      report_progress(phase, ++done, rounds);
      LevelWeights weights = learner.weights();
      weights.prior = find_usual(index, weights, own);
      const bool better = is_better(weights) || (!has_start && filters.passes == 0);
      if (better) {
        best = std::move(weights);
        filters.train_alpha = alpha;
        filters.passes = pass;
      }
      if (stopped() || (has_start && !better)) break;
    }
    if (stopped()) break;
  }
  filters.held_out.push_back(std::move(best));
  done = warm + static_cast<double>(alphas.size()) * options_.filter_passes;
  const auto learn = [&](size_t fold, std::span<const uint32_t> sequences) {
    LevelLearner learner = warmed(fold, sequences);
    if (filters.passes > 0) learner.go_on_with(filter_options(filters.train_alpha));
    for (int pass = 1; pass <= filters.passes; ++pass) {
      learner.pass(sequences, warm + pass, true);
      report_progress(phase, ++done, rounds);
      if (stopped()) break;
    }
    return learner.take_weights();
  };
  for (size_t fold = 1; fold < folds_ && !ends_here(index); ++fold) {
    filters.held_out.push_back(stopped() ? filters.held_out.front() : learn(fold, all_but(fold)));
    filters.held_out.back().prior = find_usual(index, filters.held_out.back(), members(fold));
  }
  filters.full = folds_ == 1 || stopped() ? filters.held_out.front() : learn(folds_, usable_);
  filters.full.prior = mean_prior(filters.held_out);
  return filters;
}

}  // namespace espalier::cascade
