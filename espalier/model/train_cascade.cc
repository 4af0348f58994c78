#include "espalier/model/train_cascade.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "espalier/base/text.h"
#include "espalier/cascade/model.h"
#include "espalier/cascade/model_json.h"
#include "espalier/cascade/train.h"
#include "espalier/constrain/training.h"
#include "espalier/model/learn.h"
#include "espalier/model/task_data.h"

namespace espalier::model {

namespace {

/// "a,b,c" as numbers between bounds.
Result<std::vector<double>> numbers_of(std::string_view name, std::string_view text, double least,
                                       double most) {
  std::vector<double> numbers;
  while (true) {
    const std::string_view item = text.substr(0, text.find(','));
    const auto number = parse_number(item);
    if (!number.ok() || *number < least || *number > most)
      return fail("parameter {}: '{}' is not a number from {:g} to {:g}", name, item, least, most);
    numbers.push_back(*number);
    if (item.size() == text.size()) return numbers;
    text.remove_prefix(item.size() + 1);
  }
}

Result<std::vector<size_t>> orders_of(const ParameterValues& values) {
  const size_t order = static_cast<size_t>(values.integer("order"));
  const std::string& filter = values.text("filter");
  if (values.text("levels") == "auto") {
    if (filter == "none") return std::vector<size_t>{order};
    if (filter == "dictionary" && order > 1) return std::vector<size_t>{1, order};
    std::vector<size_t> orders;
    for (size_t n = 1; n <= order; ++n) orders.push_back(n);
    return orders;
  }
  ESPALIER_ASSIGN(const std::vector<double> numbers,
                  numbers_of("levels", values.text("levels"), 1, cascade::kMostOrder));
  std::vector<size_t> orders;
  for (const double n : numbers) {
    if (n != static_cast<double>(static_cast<size_t>(n)))
      return fail("parameter levels: '{:g}' is not a whole number", n);
    orders.push_back(static_cast<size_t>(n));
  }
  if (!std::is_sorted(orders.begin(), orders.end()))
    return fail("parameter levels: '{}': no level may have a lower order than the one before it",
                values.text("levels"));
  if (orders.size() > cascade::kMostLevels)
    return fail("parameter levels: {} levels are more than {}", orders.size(), cascade::kMostLevels);
  if (std::count(orders.begin(), orders.end(), size_t{1}) > 1)
    return fail("parameter levels: order 1 makes sense at the first level only");
  if (!values.is_default("order") && orders.back() != order)
    return fail("parameter levels: '{}' ends with another order than order={}", values.text("levels"), order);
  if (filter == "none" && orders.size() > 1)
    return fail("parameter levels: with filter=none there is one level");
  if (filter == "dictionary" && (orders.size() != 2 || orders.front() != 1))
    return fail("parameter levels: with filter=dictionary there are two levels, the first of order 1");
  return orders;
}

/// Which state features stand for the word itself.
Result<std::vector<uint8_t>> find_word_features(const TrainingJob& job) {
  const std::string& names = job.training.state.names;
  if (names.empty()) return fail("filter=dictionary finds words by the names of features; leave names=yes");
  // The default features' own, the first unigram line of a template that looks at the word, and the usual
  // names.
  std::vector<std::string> prefixes = {"low[0]=", "U00:", "w[0]=", "w="};
  if (job.values.text("word-feature") != "auto") prefixes = {job.values.text("word-feature")};
  for (const std::string& prefix : prefixes) {
    std::vector<uint8_t> is_word(job.training.state.size(), 0);
    size_t begin = 0, found = 0;
    for (size_t f = 0; f < is_word.size(); ++f) {
      const size_t end = names.find('\n', begin);
      is_word[f] = std::string_view(names).substr(begin, end - begin).starts_with(prefix);
      found += is_word[f];
      begin = end + 1;
    }
    if (found > 0) return is_word;
  }
  return fail(
      "filter=dictionary: no feature's name begins with {}; say with word-feature what it begins with",
      fmt::join(prefixes, " or "));
}

Result<cascade::Options> options_of(const TrainingJob& job) {
  const ParameterValues& values = job.values;
  cascade::Options options;
  ESPALIER_ASSIGN(options.orders, orders_of(values));
  if (options.orders.back() > 1 && !job.extractor->has_transitions())
    return fail(
        "{}: a cascade of order {} looks at label n-grams, but the template has no B line; add one, or take "
        "order=1",
        job.request.feature_text->name, options.orders.back());
  const std::string& filter = values.text("filter");
  options.filter = filter == "perceptron"   ? cascade::Filter::kPerceptron
                   : filter == "crf"        ? cascade::Filter::kCrf
                   : filter == "dictionary" ? cascade::Filter::kDictionary
                                            : cascade::Filter::kCascade;
  options.unit = values.text("filter-unit") == "states" ? cascade::Unit::kStates : cascade::Unit::kCliques;
  options.loss_unit =
      values.text("loss-unit") == "sequences" ? cascade::LossUnit::kSequences : cascade::LossUnit::kPositions;
  if (values.text("filter-loss") != "auto") {
    ESPALIER_ASSIGN(options.filter_loss, numbers_of("filter-loss", values.text("filter-loss"), 0, 1));
    options.insist = true;
  }
  const std::string& in_use = values.text("loss-in-use");
  options.loss_in_use = in_use != "auto" ? values.number("loss-in-use")
                        : options.insist ? 0
                                         : cascade::kUsualLossInUse;
  options.budget = values.number("budget");
  if (options.budget > 0) {
    if (options.budget < 1)
      return fail("parameter budget: {:g} is below 1, and one label a position must stay", options.budget);
    if (options.insist) return fail("parameters budget and filter-loss exclude each other");
    if (in_use != "auto") return fail("parameters budget and loss-in-use exclude each other");
    options.insist = true;
  }
  ESPALIER_ASSIGN(options.train_alphas, numbers_of("train-alphas", values.text("train-alphas"), -1, 1));
  options.warm_up = static_cast<int>(values.integer("warm-up"));
  options.usual_length = values.number("usual-length");
  options.filter_passes = static_cast<int>(values.integer("filter-passes"));
  options.adaptive_filters = values.text("filter-steps") == "adaptive";
  options.filter_rate = values.text("filter-rate") == "auto" ? (options.adaptive_filters ? 0.1 : 1)
                                                             : values.number("filter-rate");
  options.filter_lambda = values.number("filter-lambda");
  if (options.filter_rate * options.filter_lambda >= 1)
    return fail("parameters filter-rate and filter-lambda: their product must be below 1");
  options.folds = static_cast<size_t>(values.integer("folds"));
  options.quantiles = values.flag("quantiles");
  options.edge_order = static_cast<size_t>(values.integer("edge-order"));
  if (options.filter == cascade::Filter::kDictionary) {
    ESPALIER_ASSIGN(options.word_feature, find_word_features(job));
  }
  options.full_rows_from = values.text("full-rows") == "auto"
                               ? (job.training.labels.size() <= kFullRowLabels ? kFullRowsFrom : 0)
                               : static_cast<uint32_t>(values.integer("full-rows"));
  const std::string& last = values.text("last");
  options.last = last == "perceptron" ? cascade::Loss::kPerceptron
                 : last == "margin"   ? cascade::Loss::kMargin
                                      : cascade::Loss::kLog;
  const double tokens = static_cast<double>(std::max<size_t>(1, job.training.data.tokens()));
  options.passes = values.text("passes") == "auto" ? static_cast<int>(std::clamp(2e6 / tokens, 6.0, 40.0))
                                                   : static_cast<int>(values.integer("passes"));
  options.batch = static_cast<size_t>(values.integer("batch"));
  options.rate = values.number("rate");
  if (values.text("dropout") != "auto")
    options.dropout = values.number("dropout");
  else if (options.last == cascade::Loss::kLog)
    options.dropout = 0.25;
  options.l2 = l2_penalty(values, options.dropout);
  options.filter_l2 = l2_penalty(values, 0);
  options.average_from = values.number("average-from");
  options.calibrate = values.flag("calibrate");
  options.label_weight = job.label_weight;
  options.check_rounding = values.text("weight-bits") == "auto";
  options.seed = job.request.seed;
  return options;
}

std::string details_of(const cascade::Cascade& trained) {
  nlohmann::ordered_json levels = nlohmann::ordered_json::array();
  for (size_t l = 0; l < trained.levels.size(); ++l) {
    levels.push_back(cascade::report_json(trained.levels[l].report, l + 1 < trained.levels.size()));
    levels.back()["seconds"] = trained.levels[l].report.seconds;
  }
  return nlohmann::ordered_json{{"levels", levels}}.dump();
}

}  // namespace

Status train_cascade(TrainingJob& job) {
  // Its filters may have seen what is to be held out from them here.
  if (job.request.start_from)
    return fail("{}: a cascade cannot be trained further", job.request.start_from->file().name());
  ESPALIER_ASSIGN(const cascade::Options options, options_of(job));
  std::optional<constrain::TrainingRestriction> restriction, dev_restriction;
  if (job.constraints) {
    if (options.orders.back() == 1)
      return fail(
          "{}: a cascade of order 1 labels each token by itself and cannot be trained with constraints",
          job.request.constraints->name);
    restriction.emplace(*job.constraints, std::move(job.instances), job.training.data,
                        constrain::DecodeOptions{});
    if (std::string note = restriction->note(); !note.empty()) job.report.notes.push_back(std::move(note));
    std::vector<constrain::Instance> instances;
    for (const data::Sequence& sequence : job.dev.sequences)
      instances.push_back(instances_of_task(job.request.task)(*job.constraints, sequence));
    dev_restriction =
        constrain::TrainingRestriction::for_decoding(*job.constraints, std::move(instances), {});
  }
  const bool dev = !job.dev.sequences.empty();
  cascade::TrainContext context{job.training, dev ? &job.dev.data : nullptr, job.workers, job.monitor,
                                nullptr};
  if (restriction) {
    context.restriction = &*restriction;
    context.dev_restriction = &*dev_restriction;
  }
  const int every = job.request.checkpoint_every;
  if (every > 0)
    context.checkpoint = [&job, every](int pass, const std::function<void(SectionWriter&)>& save) -> Status {
      if (pass % every != 0) return {};
      SectionWriter out;
      save(out);
      return job.save_checkpoint(out);
    };
  std::optional<SectionFile> checkpoint;
  if (job.request.resume) {
    ESPALIER_ASSIGN(checkpoint, job.open_checkpoint());
    context.resume = &*checkpoint;
  }
  context.round_ended = [&](const cascade::Round& round) {
    std::optional<double> score;
    if (dev) score = job.dev_score([&]() -> TrainingJob::Decode { return round.decode_dev; });
    const TrainingJob::Verdict verdict =
        job.round_ended(round.number, options.passes, round.objective, score);
    return cascade::Verdict{verdict.best || !dev, verdict.go_on};
  };
  ESPALIER_ASSIGN(const cascade::Cascade trained, cascade::train_cascade(context, options));
  job.report.interrupted = job.monitor.stop_requested();
  job.report.notes.insert(job.report.notes.end(), trained.notes.begin(), trained.notes.end());
  job.report.details = details_of(trained);
  const std::string& wanted = job.values.text("weight-bits");
  const int bits =
      wanted == "16" || (wanted == "auto" && trained.changed_by_rounding < kRoundingTolerance) ? 16 : 32;
  SectionWriter out;
  cascade::save_model(
      {job.training.labels, trained, job.training.state, job.training.edge, job.scheme.scheme(), bits}, out);
  ESPALIER_TRY(job.save(out));
  job.drop_checkpoint();
  for (const cascade::Level& level : trained.levels)
    job.report.weights += trained.layout.weights_of(level.weights);
  return {};
}

}  // namespace espalier::model
