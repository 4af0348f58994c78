// Cascades: label n-grams of growing order, each level on what the one before leaves alive. Tested by
// espalier/model/training/train_cascade_test.cc and learner_test.cc.
#include "espalier/base/text/format.h"
#include "espalier/base/text/json.h"
#include "espalier/cascade/training/train.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "espalier/cascade/model/model.h"
#include "espalier/cascade/model/model_json.h"
#include "espalier/constrain/training.h"
#include "espalier/model/learners/cascade_options.h"
#include "espalier/model/learners/learners.h"
#include "espalier/model/task_data.h"
#include "espalier/model/training/training_job.h"

namespace espalier::model {

namespace {

/// Which state features stand for the word itself.
Result<std::vector<uint8_t>> find_word_features(const TrainingJob& job,
                                                const std::optional<std::string>& asked) {
  const std::string& names = job.training.state.names;
  // The default features' own, the first unigram line of a template that looks at the word, and the usual
  // names.
  std::vector<std::string> prefixes = {"low[0]=", "U00:", "w[0]=", "w="};
  if (asked) prefixes = {*asked};
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
      joined(prefixes, " or "));
}

cascade::Filter filter_of(FilterChoice choice) {
  switch (choice) {
    case FilterChoice::kPerceptron:
      return cascade::Filter::kPerceptron;
    case FilterChoice::kCrf:
      return cascade::Filter::kCrf;
    case FilterChoice::kDictionary:
      return cascade::Filter::kDictionary;
    case FilterChoice::kCascade:
    case FilterChoice::kNone:  // there is one level, and none filters
      break;
  }
  return cascade::Filter::kCascade;
}

/// filter-loss=auto. Labels with places in segments (scheme=iobes) are twice as many, and most tokens are in
/// segments: fewer of them need to stay for the same answer. Chosen on held-out training data
/// (docs/learners.md has the figures).
std::vector<double> default_filter_loss(bool places) {
  return places ? std::vector<double>{0.001, 0.003} : std::vector<double>{0.0005};
}

/// The trainer's options, with `auto` decided by the data.
Result<cascade::Options> resolve(const CascadeOptions& asked, const TrainingJob& job) {
  cascade::Options options;
  options.orders = orders_of(
      asked, job.request.reading.format == data::Format::kLetters ? kUsualLetterOrder : kUsualOrder);
  if (options.orders.back() > 1 && !job.extractor->has_transitions())
    return fail(
        "{}: a cascade of order {} looks at label n-grams, but the template has no B line; add one, or take "
        "order=1",
        job.request.feature_text ? job.request.feature_text->name : "template", options.orders.back());
  if (asked.filter_loss) ESPALIER_TRY(check_filter_losses(asked, options.orders.size()));
  options.filter = filter_of(asked.filter);
  options.unit = asked.filter_unit;
  options.loss_unit = asked.loss_unit;
  options.filter_loss = asked.filter_loss.value_or(default_filter_loss(job.training.labels.refined()));
  options.quick_filters = true;
  options.budget = asked.budget;
  options.insist = asked.filter_loss.has_value() || asked.budget > 0;
  options.loss_in_use = asked.loss_in_use.value_or(asked.filter_loss ? 0 : cascade::kUsualLossInUse);
  options.train_alphas = asked.train_alphas;
  options.warm_up = asked.warm_up;
  options.threshold_prior_length = asked.threshold_prior_length;
  options.filter_passes = asked.filter_passes;
  options.adaptive_filters = asked.adaptive_filters;
  options.filter_rate = filter_rate_of(asked);
  options.filter_lambda = asked.filter_lambda;
  options.folds = asked.folds;
  options.quantiles = asked.quantiles;
  options.edge_order = asked.edge_order;
  if (options.filter == cascade::Filter::kDictionary) {
    ESPALIER_ASSIGN(options.word_feature, find_word_features(job, asked.word_feature));
  }
  options.full_rows_from = full_rows_from(asked.full_rows, job.training.labels.size());
  options.last = asked.last;
  options.passes = log_loss_passes(asked.passes, job.training.data.tokens(), job.learned_tokens() > 0);
  options.batch = asked.batch;
  options.rate = asked.rate;
  // A handful of new sentences say too little about weights whose neighbours were dropped. They are a handful
  // where chain::old_counts has the old model count for more than twice its tokens.
  const double ratio = job.learned_tokens() / static_cast<double>(std::max<size_t>(1, job.report.tokens));
  const bool handful = job.learned_tokens() > 0 && job.old_counts() > 2 * ratio;
  options.dropout = asked.dropout.value_or(asked.last == cascade::Loss::kLog && !handful ? 0.25 : 0);
  options.l2 = l2_penalty(asked.l2, options.dropout);
  options.filter_l2 = l2_penalty(asked.l2, 0);
  options.average_from = asked.average_from;
  options.calibrate = asked.calibrate;
  options.label_weight = job.label_weight;
  options.check_rounding = asked.weight_bits == WeightBits::kAuto;
  options.seed = job.request.seed;
  return options;
}

/// Whether the model answers with segments. A model that is trained further keeps to its way.
bool answers_segments(const TrainingJob& job, const cascade::Options& options) {
  if (job.request.start_from)
    return job.request.start_from->as<cascade::CascadePredictor>()->answers_segments();
  return job.label_scheme() != data::Scheme::kNone && options.last == cascade::Loss::kLog;
}

std::string details_of(const cascade::Cascade& trained) {
  Json levels = Json::array();
  for (size_t l = 0; l < trained.levels.size(); ++l) {
    levels.push_back(cascade::report_json(trained.levels[l].report, l + 1 < trained.levels.size()));
    levels.back()["seconds"] = trained.levels[l].report.seconds;
  }
  return json_text(Json{{"levels", levels}});
}

Status train_cascade_model(TrainingJob& job, const CascadeOptions& asked) {
  ESPALIER_ASSIGN(const cascade::Options options, resolve(asked, job));
  std::optional<constrain::TrainingRestriction> restriction, dev_restriction;
  if (job.constraints) {
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
  cascade::TrainContext context{
      {job.monitor, nullptr}, job.training, dev ? &job.dev.data : nullptr, job.workers};
  // The trainer itself keeps the weights of the best round.
  context.round_ended = [&](const cascade::Round& round) {
    return job.round_ended(round, options.passes, [&]() -> Result<double> {
      return job.dev_score([&]() -> TrainingJob::Decode { return round.model(); });
    });
  };
  if (restriction) {
    context.restriction = &*restriction;
    context.dev_restriction = &*dev_restriction;
  }
  context.checkpoints = job.writes_checkpoints();
  std::optional<cascade::OldCascade> old;
  if (job.request.start_from) {
    const auto* predictor = job.request.start_from->as<cascade::CascadePredictor>();
    ESPALIER_CHECK(predictor != nullptr);  // the learner is the same
    ESPALIER_ASSIGN(old, predictor->further(job.training, options));
    old->old_counts = job.old_counts();
    context.old = &*old;
  }
  ESPALIER_ASSIGN(const std::optional<SectionFile> checkpoint, job.checkpoint_to_resume());
  if (checkpoint) context.resume = &*checkpoint;
  ESPALIER_ASSIGN(cascade::Cascade trained, job.ended(cascade::train_cascade(context, options)));
  job.report.notes.insert(job.report.notes.end(), trained.notes.begin(), trained.notes.end());
  job.report.details = details_of(trained);
  const int bits =
      weight_bits(asked.weight_bits, job.report.interrupted, [&] { return trained.changed_by_rounding; });
  SectionWriter out;
  cascade::save_model({job.training.labels, trained, job.training.state, job.training.edge,
                       job.label_scheme(), answers_segments(job, options), bits, old ? &*old : nullptr},
                      out);
  for (const cascade::Level& level : trained.levels)
    job.report.weights += trained.layout.weights_of(level.weights);
  // The model is opened when it has been written: by then, what it was made of is gone.
  trained = cascade::Cascade();
  job.training.data = {};
  ESPALIER_TRY(job.save(out));
  job.drop_checkpoint();
  return {};
}

}  // namespace

std::unique_ptr<const LearnerSpec> cascade_learner() {
  return make_learner<CascadeOptions>(
      {.name = "cascade",
       .summary =
           "label n-grams up to order 5 at the cost of a greedy tagger: levels of growing order, each on "
           "what the one before leaves alive",
       .kind = ModelKind::kCascade,
       .constraints = ConstraintUse::kAny,
       .word_labels = true,
       .refines_segments = true},
      cascade_table(), {.train = train_cascade_model});
}

}  // namespace espalier::model
