#include "espalier/model/learners/cascade_options.h"

#include <algorithm>

#include "espalier/base/text/counted.h"

namespace espalier::model {

std::vector<size_t> orders_of(const CascadeOptions& o, size_t usual) {
  if (o.levels) return {o.levels->begin(), o.levels->end()};
  const size_t order = o.order.value_or(usual);
  if (o.filter == FilterChoice::kNone) return {order};
  if (o.filter == FilterChoice::kDictionary && order > 1) return {1, order};
  std::vector<size_t> orders;
  for (size_t n = 1; n <= order; ++n) orders.push_back(n);
  return orders;
}

double filter_rate_of(const CascadeOptions& o) {
  return o.filter_rate.value_or(o.adaptive_filters ? 0.1 : 1);
}

Status check_filter_losses(const CascadeOptions& o, size_t levels) {
  const size_t given = o.filter_loss->size(), filters = levels - 1;
  if (given <= 1 || given == filters || filters == 0) return {};
  return fail("parameter filter-loss: {}, but the cascade has {}: one number for all, or one for each",
              counted(given, "number"), counted(filters, "filter"));
}

namespace {

Status check_levels(const CascadeOptions& o, const Situation&) {
  if (!o.levels) return {};
  const std::string text = parameter::text_of(*o.levels);
  for (const double n : *o.levels)
    if (n != static_cast<double>(static_cast<size_t>(n)))
      return fail("parameter levels: '{:g}' is not a whole number", n);
  const std::vector<size_t> orders = orders_of(o);
  if (!std::is_sorted(orders.begin(), orders.end()))
    return fail("parameter levels: '{}': no level may have a lower order than the one before it", text);
  if (orders.size() > cascade::kMostLevels)
    return fail("parameter levels: {} levels are more than {}", orders.size(), cascade::kMostLevels);
  if (std::count(orders.begin(), orders.end(), size_t{1}) > 1)
    return fail("parameter levels: order 1 makes sense at the first level only");
  if (o.order && orders.back() != *o.order)
    return fail("parameter levels: '{}' ends with another order than order={}", text, *o.order);
  if (o.filter == FilterChoice::kNone && orders.size() > 1)
    return fail("parameter levels: with filter=none there is one level");
  if (o.filter == FilterChoice::kDictionary && (orders.size() != 2 || orders.front() != 1))
    return fail("parameter levels: with filter=dictionary there are two levels, the first of order 1");
  return {};
}

Status check_filters(const CascadeOptions& o, const Situation&) {
  // Without order and levels, the data decides how many filters there are; cascade.cc then asks again.
  if (o.filter_loss && (o.order || o.levels)) ESPALIER_TRY(check_filter_losses(o, orders_of(o).size()));
  if (o.budget > 0 && o.budget < 1)
    return fail("parameter budget: {:g} is below 1, and one label per position must stay", o.budget);
  if (o.budget > 0 && o.filter_loss) return fail("parameters budget and filter-loss exclude each other");
  if (o.budget > 0 && o.loss_in_use) return fail("parameters budget and loss-in-use exclude each other");
  if (filter_rate_of(o) * o.filter_lambda >= 1)
    return fail("parameters filter-rate and filter-lambda: their product must be below 1");
  if (o.filter == FilterChoice::kDictionary && !o.names)
    return fail("filter=dictionary finds words by the names of features; leave names=yes");
  return {};
}

/// What the levels before the last one are, in the rules below.
bool filters(const CascadeOptions& o) { return orders_of(o).size() > 1; }
bool filter_among(const CascadeOptions& o, std::initializer_list<FilterChoice> those) {
  return filters(o) && std::find(those.begin(), those.end(), o.filter) != those.end();
}
/// Something is learned by log loss, or by margin with the same steps.
bool takes_gradient_steps(const CascadeOptions& o) {
  return o.last != cascade::Loss::kPerceptron || filter_among(o, {FilterChoice::kCrf}) ||
         (filter_among(o, {FilterChoice::kCascade}) && o.warm_up > 0);
}

void add_filter_parameters(ParameterTable<CascadeOptions>& table) {
  using O = CascadeOptions;
  table.choice(
      "filter", &O::filter,
      {{"cascade", FilterChoice::kCascade},
       {"perceptron", FilterChoice::kPerceptron},
       {"crf", FilterChoice::kCrf},
       {"dictionary", FilterChoice::kDictionary},
       {"none", FilterChoice::kNone}},
      "how the levels before the last one filter: cascade (the convex filter loss), perceptron and crf "
      "to compare with, dictionary (labels seen with the word), none",
      kAdvanced);
  table.list(
      "filter-loss", &O::filter_loss, {0, 1},
      "share of the truth a level may lose beyond the levels before, one number or one per level; auto: "
      "0.0005, with scheme=iobes 0.001 and then 0.003, or the nearest that is possible");
  table.number(
      "loss-in-use", &O::loss_in_use, {0, 1},
      "what the last filter (of order 2 or more) may lose when the model is used, where that is more "
      "than filter-loss: the last level then learns against more than it meets; auto: 0.006, or "
      "nothing more where filter-loss is given",
      kAdvanced);
  table.number(
      "budget", &O::budget, {0, 1e6},
      "in place of filter-loss: label n-grams each filter leaves alive per position on average; 0: no "
      "budget");
  table.choice("loss-unit", &O::loss_unit,
               {{"positions", cascade::LossUnit::kPositions}, {"sequences", cascade::LossUnit::kSequences}},
               "what filter-loss is a share of", kAdvanced);
  table.choice("filter-unit", &O::filter_unit,
               {{"cliques", cascade::Unit::kCliques}, {"states", cascade::Unit::kStates}},
               "what a filter of order n drops: cliques of n labels, or states of n-1", kAdvanced);
  table.whole("warm-up", &O::warm_up, {0, 1e4},
              "filter=cascade: passes with log loss that the first filter begins with, later ones half of "
              "them; 0: none",
              kAdvanced);
  table.list(
      "train-alphas", &O::train_alphas, {-1, 1},
      "filter=cascade: thresholds to learn filters with; the first, or in further training the best by "
      "held-out data, is taken",
      kAdvanced);
  table.whole(
      "filter-passes", &O::filter_passes, {1, 1e4},
      "passes over the data a filter makes at most, the warm-up not counted; filter=cascade: those of the "
      "first filter",
      kAdvanced);
  table.choice("filter-steps", &O::adaptive_filters, {{"plain", false}, {"adaptive", true}},
               "filter=cascade: how filters step: plain, or adaptive (AdaGrad)", kAdvanced);
  table.number("filter-rate", &O::filter_rate, {1e-9, 1e6},
               "filter=cascade: step size; auto: 0.1 adaptive, 1 plain", kAdvanced);
  table.number("filter-lambda", &O::filter_lambda, {0, 1}, "penalty of the filters (cascade, perceptron)",
               kAdvanced);
  table.number(
      "threshold-prior-length", &O::threshold_prior_length, {0, 1e9},
      "a sequence's threshold is measured in its mean regret, averaged with the usual one as if that "
      "had been seen at this many more positions; 0: the sequence's alone",
      kAdvanced);
  table.whole(
      "folds", &O::folds, {2, 100},
      "parts of the jackknife, by which later levels learn on lattices of new data; the filter in use "
      "is the mean of theirs",
      kAdvanced);
  table.flag("quantiles", &O::quantiles, "tell a level in which eighth a state was at the level before",
             kAdvanced);
  table.text("word-feature", &O::word_feature,
             "filter=dictionary: what the names of the features that stand for the word begin with",
             kAdvanced);

  const auto only_with = [&](std::vector<std::string_view> names, std::initializer_list<FilterChoice> those,
                             std::string_view what) {
    table.only_where(
        std::move(names),
        [list = std::vector<FilterChoice>(those)](const O& o, const Situation&) {
          return filters(o) && std::find(list.begin(), list.end(), o.filter) != list.end();
        },
        what);
  };
  table.only_where(
      {"filter-loss", "loss-in-use", "budget", "loss-unit", "quantiles"},
      [](const O& o, const Situation&) { return filters(o); },
      "cascades of several levels, whose filter is not none");
  only_with({"warm-up", "train-alphas", "filter-steps", "filter-rate"}, {FilterChoice::kCascade},
            "filter=cascade with several levels");
  only_with({"filter-lambda", "threshold-prior-length"}, {FilterChoice::kCascade, FilterChoice::kPerceptron},
            "filter=cascade and perceptron with several levels");
  only_with({"filter-passes", "folds"},
            {FilterChoice::kCascade, FilterChoice::kPerceptron, FilterChoice::kCrf},
            "filters that learn: cascade, perceptron and crf, with several levels");
  table.only_where(
      {"filter-unit"},
      [](const O& o, const Situation&) {
        const std::vector<size_t> orders = orders_of(o);
        return orders.size() > 1 && orders[orders.size() - 2] > 1;
      },
      "cascades with a filter of order 2 or more");
  only_with({"word-feature"}, {FilterChoice::kDictionary}, "filter=dictionary with several levels");
  table.only_where(
      {"loss-in-use"},
      [](const O& o, const Situation&) {
        const std::vector<size_t> orders = orders_of(o);
        return o.filter != FilterChoice::kDictionary && orders.size() > 1 && orders[orders.size() - 2] > 1;
      },
      "cascades whose last filter learns and has order 2 or more");
  table.require(check_filters);
}

}  // namespace

ParameterTable<CascadeOptions> cascade_table() {
  using O = CascadeOptions;
  ParameterTable<O> table;
  table.whole(
      "order", &O::order, {1, static_cast<double>(cascade::kMostOrder)},
      "labels the last level looks at together: 3 is a trigram model; auto: 3, for handwritten letters 5");
  table.list("levels", &O::levels, {1, static_cast<double>(cascade::kMostOrder)},
             "orders of the levels, as 1,2,3; auto: 1 up to the order", kAdvanced);
  table.require(check_levels);
  table.clash([](const O& o,
                 const Situation& situation) { return situation.constraints && orders_of(o).back() == 1; },
              "a cascade of order 1 labels each token by itself and cannot be trained with constraints");
  table.choice(
      "last", &O::last,
      {{"crf", cascade::Loss::kLog},
       {"perceptron", cascade::Loss::kPerceptron},
       {"margin", cascade::Loss::kMargin}},
      "how the last level learns: log loss, perceptron, or margin (wrong labels added to the score)");
  add_filter_parameters(table);
  table.whole("edge-order", &O::edge_order, {2, 5},
              "edge features (B lines that look at the input) speak about up to this many labels", kAdvanced);
  table.whole(
      "passes", &O::passes, {1, 1e6},
      "passes of the last level; auto: 6, more where there are under 300,000 tokens; 3 with --start-from");
  table.whole("batch", &O::batch, {1, 1e6}, "sequences per step (the same at any number of threads)",
              kAdvanced);
  table.number("rate", &O::rate, {1e-9, 1e3}, "step size of the last level", kAdvanced);
  table.number(
      "dropout", &O::dropout, {0, 0.95},
      "share of each token's features left out at random whenever the last level learns from it; auto: "
      "0.25 where last=crf, otherwise 0; 0 where --start-from gets a handful of sentences");
  table.number(
      "l2", &O::l2, {0},
      "L2 penalty of the last level and of the log loss of filters, as for crf; auto: 1, where there "
      "is dropout 0.3");
  table.number("average-from", &O::average_from, {0, 1}, "average the weights after this part of the passes",
               kAdvanced);
  table.flag("calibrate", &O::calibrate, "last=perceptron, margin: fit the temperature", kAdvanced);
  add_common_parameters(table);
  add_full_rows(table);
  add_label_weights(table);
  add_scheme(table);
  table.only_where(
      {"rate", "l2"}, [](const O& o, const Situation&) { return takes_gradient_steps(o); },
      "last=crf or margin, or filters that learn by log loss");
  table.only_where(
      {"average-from"}, [](const O& o, const Situation&) { return o.last != cascade::Loss::kPerceptron; },
      "last=crf and margin; the perceptron averages all passes");
  table.only_where(
      {"calibrate"}, [](const O& o, const Situation&) { return o.last != cascade::Loss::kLog; },
      "last=perceptron and margin");
  table.only_where(
      {"edge-order"}, [](const O& o, const Situation&) { return o.edge_order <= orders_of(o).back(); },
      "cascades of at least that order");
  return table;
}

}  // namespace espalier::model
