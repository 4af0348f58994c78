#include "espalier/cascade/training/train.h"

#include <algorithm>
#include <cmath>

#include "espalier/base/text/counted.h"
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
    cascade_.notes.push_back(fmt::format("{} with unknown labels left out", counted(partly, "sequence")));
  folds_ = usable_.size() < 4 * options_.folds ? 1 : options_.folds;
  if (folds_ < options_.folds && options_.orders.size() > 1)
    cascade_.notes.push_back(
        fmt::format("{}, too few for a jackknife of {} folds: later levels learn from lattices that "
                    "look better than those of new data will",
                    counted(usable_.size(), "sequence"), options_.folds));
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
    if (!was_trained(index + 1)) ESPALIER_TRY(load_notes());
  } else {
    filters = learn_filters(index);
    level.report.train_alpha = filters.train_alpha;
    level.report.passes = filters.passes + warm_up(index);
    const auto held_out = [&](size_t s) -> const LevelWeights& {
      return filters.held_out[std::min<size_t>(fold_of_sequence_[s], filters.held_out.size() - 1)];
    };
    std::vector<uint32_t> judged = usable_;
    if (ends_here(index) && folds_ > 1)
      std::erase_if(judged, [&](uint32_t s) { return fold_of_sequence_[s] != 0; });
    const TradeOff measured =
        trade_off(held_out, learns_quickly() ? sample_of(judged) : judged, !ends_here(index));
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
  const bool last_filter = index + 2 == options_.orders.size();
  if (context_.checkpoints) held_out_.push_back(filters.held_out);
  before_ = learns_quickly() && !last_filter ? std::move(filters.held_out) : std::vector<LevelWeights>();
  if (!context_.checkpoints) return {};
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
