#include "espalier/cascade/training/train.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "espalier/cascade/training/training.h"

namespace espalier::cascade {

using data::Label;

void CascadeTraining::choose_sequences() {
  fold_of_sequence_.assign(data_.sequences(), 0);
  size_t partly = 0;
  for (uint32_t s = 0; s < data_.sequences(); ++s) {
    if (data_.length(s) == 0) continue;
    if (!data_.fully_labelled(s)) {
      ++partly;
      continue;
    }
    usable_.push_back(s);
    positions_ += data_.length(s);
  }
  if (partly > 0)
    cascade_.notes.push_back(fmt::format("{} sequences with unknown labels were left out", partly));
  folds_ = usable_.size() < 4 * options_.folds ? 1 : options_.folds;
  if (folds_ < options_.folds && options_.orders.size() > 1)
    cascade_.notes.push_back(fmt::format(
        "{} sequences are too few for a jackknife of {} folds: later levels learn from lattices that "
        "look better than those of new data will",
        usable_.size(), options_.folds));
  for (size_t i = 0; i < usable_.size(); ++i)
    fold_of_sequence_[usable_[i]] = static_cast<uint32_t>(fold_of(i));
}

void CascadeTraining::make_dictionary() {
  std::vector<std::pair<uint32_t, Label>> seen;
  for (const uint32_t s : usable_)
    for (uint64_t i = data_.sequence_begin[s]; i < data_.sequence_begin[s + 1]; ++i)
      for (const uint32_t f : data_.state[i])
        if (options_.word_feature[f]) seen.emplace_back(f, data_.gold[i]);
  std::sort(seen.begin(), seen.end());
  Dictionary& dictionary = cascade_.dictionary;
  dictionary.begin.assign(context_.training.state.size() + 1, 0);
  for (size_t i = 0; i < seen.size(); ++i) {
    if (i > 0 && seen[i] == seen[i - 1]) {
      ++dictionary.count.back();
      continue;
    }
    ++dictionary.begin[seen[i].first + 1];
    dictionary.label.push_back(seen[i].second);
    dictionary.count.push_back(1);
  }
  for (size_t f = 0; f + 1 < dictionary.begin.size(); ++f) dictionary.begin[f + 1] += dictionary.begin[f];
}

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

TradeOff CascadeTraining::trade_off(const std::function<const LevelWeights&(size_t)>& weights_of,
                                    std::span<const uint32_t> which) {
  std::vector<TradeOff> parts(kPieces, TradeOff(measure(), options_.loss_unit));
  context_.workers.for_each(kPieces, [&](size_t piece) {
    Work work;
    std::vector<float> items;
    const Range range = piece_of(which.size(), kPieces, piece);
    for (size_t i = range.first; i < range.last && !stopped(); ++i) {
      const uint32_t s = which[i];
      judge(weights_of(s), data_, s, unigram() ? nullptr : &lattices_[s].trellis, work);
      if (unigram()) {
        parts[piece].add(work.items, work.truth);
        continue;
      }
      const Ratings& ratings = work.ratings;
      for (size_t t = 0; t < lattices_[s].lost.size(); ++t)
        if (lattices_[s].lost[t]) work.truth[t] = kAbsent;
      if (options_.unit == Unit::kStates) {
        parts[piece].add(ratings.state, work.truth);
      } else {
        const size_t first = lattices_[s].trellis.lattice.states_at(0).last;
        items.assign(ratings.state.begin(), ratings.state.begin() + static_cast<ptrdiff_t>(first));
        items.insert(items.end(), ratings.arc.begin(), ratings.arc.end());
        parts[piece].add(items, work.truth);
      }
    }
  });
  for (size_t p = 1; p < kPieces; ++p) parts[0].merge(parts[p]);
  return parts[0];
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
      judge(weights, data_, s, unigram() ? nullptr : &lattices_[s].trellis, work);
      sum[piece] += static_cast<double>(data_.length(s)) * work.scratch.mean_regret;
      weight[piece] += static_cast<double>(data_.length(s));
    }
  });
  return {std::accumulate(sum.begin(), sum.end(), 0.0) /
              std::max(1.0, std::accumulate(weight.begin(), weight.end(), 0.0)),
          options_.threshold_prior_length};
}

CascadeTraining::Filters CascadeTraining::learn_filters(size_t index) {
  Filters filters;
  if (filter_ == Filter::kDictionary) {
    filters.full = start_of(index);
    filters.held_out.push_back(filters.full);
    return filters;
  }
  const double epsilon = options_.filter_loss[std::min(index, options_.filter_loss.size() - 1)];
  const auto all_but = [&](size_t fold) {
    std::vector<uint32_t> rest;
    for (const uint32_t s : usable_)
      if (folds_ == 1 || fold_of_sequence_[s] != fold) rest.push_back(s);
    return rest;
  };
  const auto members = [&](size_t fold) {
    std::vector<uint32_t> own;
    for (const uint32_t s : usable_)
      if (folds_ == 1 || fold_of_sequence_[s] == fold) own.push_back(s);
    return own;
  };
  const std::string phase = fmt::format("filter of order {}", options_.orders[index]);
  const bool uses_alpha = filter_ == Filter::kCascade;
  const std::vector<double> alphas = uses_alpha ? options_.train_alphas : std::vector<double>{1};
  const bool old = context_.old != nullptr;
  const int warm = uses_alpha && !old ? options_.warm_up : 0;
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
  const auto warmed = [&](std::span<const uint32_t> sequences) {
    LevelLearner learner =
        learner_of(index, warm > 0 ? log_options() : filter_options(1), sequences, options_.filter_passes);
    for (int pass = 1; pass <= warm && !stopped(); ++pass) {
      learner.pass(sequences, pass, 2 * pass > warm);
      report_progress(phase, ++done, rounds);
    }
    return learner;
  };
  const LevelLearner start = warmed(rest);
  if (has_start) {
    best = start.weights();
    best.prior = find_usual(index, best, own);
    is_better(best);
  }
  for (const double alpha : alphas) {
    LevelLearner learner = start;
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
  const auto learn = [&](std::span<const uint32_t> sequences) {
    LevelLearner learner = warmed(sequences);
    if (filters.passes > 0) learner.go_on_with(filter_options(filters.train_alpha));
    for (int pass = 1; pass <= filters.passes; ++pass) {
      learner.pass(sequences, warm + pass, true);
      report_progress(phase, ++done, rounds);
      if (stopped()) break;
    }
    return learner.weights();
  };
  for (size_t fold = 1; fold < folds_ && !ends_here(index); ++fold) {
    filters.held_out.push_back(stopped() ? filters.held_out.front() : learn(all_but(fold)));
    filters.held_out.back().prior = find_usual(index, filters.held_out.back(), members(fold));
  }
  filters.full = folds_ == 1 || stopped() ? filters.held_out.front() : learn(usable_);
  // The filter that has seen all data says nothing about new data; the held-out ones do.
  filters.full.prior = filters.held_out.front().prior;
  filters.full.prior.regret = 0;
  for (const LevelWeights& held_out : filters.held_out)
    filters.full.prior.regret += held_out.prior.regret / static_cast<double>(filters.held_out.size());
  return filters;
}

/// How many items per position fit into the training lattices of the next level. An item has `item_length`
/// labels, an arc of the next level `arc_length`; if x^item_length items are alive, there are about
/// x^arc_length arcs.
double CascadeTraining::room_after(size_t index) const {
  const double arcs = static_cast<double>(options_.most_arcs) / static_cast<double>(positions_);
  const double arc_length = static_cast<double>(std::max<size_t>(2, options_.orders[index + 1]));
  return std::pow(arcs, static_cast<double>(item_length(options_.orders[index])) / arc_length);
}

Status CascadeTraining::choose_alpha(size_t index, const TradeOff& measured, Level& level) {
  const auto curve = measured.curve();
  const double epsilon = options_.filter_loss[std::min(index, options_.filter_loss.size() - 1)];
  // A dictionary keeps or drops the same labels at any threshold. And if the user gave no filter loss, do not
  // spend time on lattices that keep nearly everything.
  std::span<const TradeOff::Point> choice = curve;
  if (filter_ == Filter::kDictionary) {
    choice = usual_part(curve).first(1);
  } else if (!options_.insist) {
    choice = usual_part(curve);
  }
  TradeOff::Point point = choice.front();
  const auto chosen = choose_point(choice, index + 1, epsilon, options_.budget, room_after(index));
  if (chosen.ok()) {
    point = *chosen;
  } else {
    if (options_.insist) return chosen.error();
    if (filter_ != Filter::kDictionary) cascade_.notes.push_back(chosen.error().message);
    const TradeOff::Point* const fits = TradeOff::best_alive(choice, room_after(index));
    point = options_.budget > 0 || fits == nullptr ? choice.back() : *fits;
  }
  // New data may show that a threshold loses too much, but a few sentences cannot show that it could be
  // stricter than it was.
  const auto not_stricter = [&](double alpha) {
    return context_.old == nullptr ? alpha : std::min(alpha, context_.old->alphas[index]);
  };
  level.report.lattice_alpha = not_stricter(point.alpha);
  if (index + 2 == options_.orders.size() && options_.orders[index] > 1 && options_.budget == 0)
    if (const TradeOff::Point* later = TradeOff::best_within(choice, options_.loss_in_use))
      if (later->alpha > point.alpha) point = *later;
  level.alpha = not_stricter(point.alpha);
  level.report.alpha = level.alpha;
  level.report.filter_loss = point.filter_loss;
  level.report.efficiency = point.efficiency;
  level.report.alive = point.alive;
  return {};
}

Status CascadeTraining::train_filter(size_t index) {
  const auto start = Clock::now();
  const size_t order = options_.orders[index];
  filter_ = index == 0 ? options_.first_filter.value_or(options_.filter) : options_.filter;
  Level level;
  level.measure = measure();
  level.unit = options_.unit;
  level.report.order = order;
  describe_lattices(level.report);
  Filters filters;
  if (was_trained(index)) {
    ESPALIER_ASSIGN(filters, load_filter(index, level));
  } else {
    filters = learn_filters(index);
    level.report.train_alpha = filters.train_alpha;
    const bool warmed_up = filter_ == Filter::kCascade && context_.old == nullptr;
    level.report.passes = filters.passes + (warmed_up ? options_.warm_up : 0);
    const auto held_out = [&](size_t s) -> const LevelWeights& {
      return filters.held_out[std::min<size_t>(fold_of_sequence_[s], filters.held_out.size() - 1)];
    };
    std::vector<uint32_t> judged = usable_;
    if (ends_here(index) && folds_ > 1)
      std::erase_if(judged, [&](uint32_t s) { return fold_of_sequence_[s] != 0; });
    const TradeOff measured = trade_off(held_out, judged);
    ESPALIER_TRY(not_stopped());
    ESPALIER_TRY(choose_alpha(index, measured, level));
    level.weights = std::move(filters.full);
  }
  const size_t next_order = options_.orders[index + 1];
  advance_dev(level, next_order);
  ESPALIER_TRY(trouble_);
  if (!ends_here(index)) ESPALIER_TRY(next_lattices(filters, level, next_order));
  ESPALIER_TRY(not_stopped());
  level.report.seconds += seconds_since(start);
  cascade_.levels.push_back(std::move(level));
  if (!context_.checkpoints) return {};
  held_out_.push_back(std::move(filters.held_out));
  if (was_trained(index)) return {};
  if (!context_.round_ended({{0, std::nullopt, saver(0, nullptr)}, nullptr}).go_on)
    return fail("training was ended after the filter of level {}", index + 1);
  return {};
}

Status CascadeTraining::prepare() {
  ESPALIER_CHECK(!options_.orders.empty() && options_.orders.front() >= 1);
  ESPALIER_CHECK(std::is_sorted(options_.orders.begin(), options_.orders.end()));
  cascade_.loss_unit = options_.loss_unit;
  cascade_.quantiles = options_.quantiles;
  choose_sequences();
  if (usable_.empty()) return fail("no training sequence is fully labelled; a cascade needs such sequences");
  cascade_.layout = context_.old != nullptr ? context_.old->layout
                                            : make_layout(context_.training, options_.full_rows_from,
                                                          options_.orders.back(), options_.edge_order);
  filter_ = options_.first_filter.value_or(options_.filter);
  if (filter_ == Filter::kDictionary) make_dictionary();
  if (options_.orders.front() > 1) return first_lattices(options_.orders.front());
  return {};
}

namespace {
/// Grams first numbered by later levels have weight 0 in earlier levels.
Cascade finished(Cascade cascade) {
  for (Level& level : cascade.levels)
    if (level.weights.order > 1)
      level.weights.gram.resize(cascade.layout.grams.size() + linear::kLanes, 0.0f);
  return cascade;
}
}  // namespace

Result<Cascade> CascadeTraining::run() {
  ESPALIER_TRY(prepare());
  for (size_t index = 0; index + 1 < options_.orders.size(); ++index) ESPALIER_TRY(train_filter(index));
  ESPALIER_TRY(train_last(options_.orders.size() - 1));
  return finished(std::move(cascade_));
}

Result<std::vector<Cascade>> CascadeTraining::run_all() {
  ESPALIER_TRY(prepare());
  std::vector<Cascade> all;
  for (size_t index = 0; index < options_.orders.size(); ++index) {
    ESPALIER_TRY(train_last(index));
    all.push_back(finished(cascade_));
    cascade_.levels.pop_back();
    if (index + 1 < options_.orders.size()) ESPALIER_TRY(train_filter(index));
  }
  return all;
}

Result<Cascade> train_cascade(const TrainContext& context, const Options& options) {
  return CascadeTraining(context, options).run();
}

Result<std::vector<Cascade>> train_cascades(const TrainContext& context, const Options& options) {
  return CascadeTraining(context, options).run_all();
}

}  // namespace espalier::cascade
