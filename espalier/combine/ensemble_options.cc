// Public options and experts turned into those of the library. Declared in combine/ensemble.h, tested in
// ensemble_test.cc.
#include <iterator>

#include "espalier/api/corpus.h"
#include "espalier/combine/ensemble.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/data/formats/lines.h"

namespace espalier {

Expert::Expert(Answers answers) {
  State state;
  state.name = answers.name;
  ensemble::MemoryAnswers memory;
  memory.labels = std::move(answers.labels);
  memory.probabilities = std::move(answers.probabilities);
  state.memory = std::make_shared<const ensemble::MemoryAnswers>(std::move(memory));
  state_ = std::make_shared<const State>(std::move(state));
}
Expert::Expert(std::vector<Labels> answers, std::string name)
    : Expert(Answers(std::move(answers), std::move(name))) {}

Expert Expert::file(std::string path) {
  State state;
  state.path = std::move(path);
  return Expert(std::make_shared<const State>(std::move(state)));
}
Expert Expert::model(std::vector<std::byte> bytes, std::string name) {
  State state;
  state.model = std::move(bytes);
  state.name = std::move(name);
  return Expert(std::make_shared<const State>(std::move(state)));
}

namespace {

Status check_expert_files(const ExpertFiles& files, const std::string& missing) {
  ESPALIER_TRY(ensemble::parse_missing(missing));
  if (!files.format.empty()) ESPALIER_TRY(data::parse_format(files.format));
  if (!files.encoding.empty()) ESPALIER_TRY(data::parse_encoding(files.encoding));
  ESPALIER_TRY(data::parse_separator(files.separator));
  if (!files.labels_only.empty()) ESPALIER_TRY(ensemble::parse_label_layout(files.labels_only));
  if (files.nbest == 0) return fail("nbest 0: must be at least 1");
  return {};
}

}  // namespace

Status EnsembleOptions::check() const {
  ESPALIER_TRY(api::learning_of(*this));
  return check_expert_files(files, missing);
}
Status ApplyOptions::check() const {
  if (!output_format.empty()) ESPALIER_TRY(data::parse_format(output_format));
  return check_expert_files(files, missing);
}
Status EnsembleReportOptions::check() const {
  if (!(margin > 0 && margin <= 1)) return fail("margin {}: must be above 0 and at most 1", margin);
  return check_expert_files(files, missing);
}

namespace api {
namespace {

Result<ensemble::ExpertReference> reference_of(const Data& data, bool gold) {
  ensemble::ExpertReference out;
  out.gold = gold;
  if (const Corpus* const corpus = data.corpus()) {
    ESPALIER_TRY(corpus->status());
    const std::shared_ptr<Corpus::State>& state = corpus->state();
    if (state->task)
      return fail("{}: roles, variables and summaries are not supported in ensembles", state->name);
    const std::shared_ptr<const std::vector<data::Sequence>> sequences(state, &state->sequences);
    out.source = data::Source(sequences, state->name);
    out.reading = state->reading;
    return out;
  }
  const Files& files = *data.files();
  if (files.paths.size() != 1)
    return fail("{} files are given; gold data or text for an ensemble is one file", files.paths.size());
  ESPALIER_ASSIGN(const Reading reading, reading_of(files.reading));
  if (reading.task)
    return fail("{}: the format {} is not supported in ensembles", files.paths.front(), files.reading.format);
  if (data::several_label_columns(reading.options))
    return fail("label column {}: ensembles take one label column", files.reading.label_column);
  out.source = data::Source(files.paths.front());
  out.reading = reading.options;
  return out;
}

Result<ensemble::ExpertSource> source_of(const Expert& expert, size_t number) {
  const Expert::State& state = *expert.state();
  ensemble::ExpertSource out;
  out.name = state.name.empty() ? fmt::format("expert {}", number) : state.name;
  if (state.memory != nullptr) {
    out.memory = state.memory;
  } else if (!state.model.empty() || state.path.empty()) {
    ESPALIER_ASSIGN(model::Model model, model::Model::from_bytes(state.model, out.name));
    out.model = std::make_shared<const model::Model>(std::move(model));
  } else {
    out.path = state.path;
  }
  return out;
}

}  // namespace

Result<ensemble::ExpertLearning> learning_of(const EnsembleOptions& options) {
  using ensemble::Method;
  if (options.beta && !(*options.beta > 0 && *options.beta < 1))
    return fail("beta {}: must be between 0 and 1", *options.beta);
  if (!(options.delta > 0 && options.delta < 1))
    return fail("delta {}: must be between 0 and 1", options.delta);
  if (!(options.epsilon >= 0)) return fail("epsilon {}: must not be negative", options.epsilon);
  if (!(options.loss_bound > 0)) return fail("loss bound {}: must be above 0", options.loss_bound);
  if (options.rounds < 1) return fail("rounds {}: must be at least 1", options.rounds);
  if (!options.form.empty() && options.form != "sum" && options.form != "product")
    return fail("form '{}': expected sum or product", options.form);
  if (!options.form.empty() && options.method != "espboost") return fail("form needs the method espboost");
  ensemble::ExpertLearning out;
  ESPALIER_ASSIGN(out.align, ensemble::parse_align(options.align));
  ensemble::LearnRequest& request = out.request;
  if (options.method == "auto") {
    request.methods = {Method::kMvote, Method::kCv,       Method::kFpl, Method::kEspboost,
                       Method::kSle,   Method::kMajority, Method::kBest};
    if (!options.automaton.empty())
      request.methods = {Method::kMvote, Method::kCv, Method::kFpl, Method::kEspboost};
  } else {
    ESPALIER_ASSIGN(const Method method, ensemble::parse_method(options.method));
    request.methods = {method};
  }
  if (options.beta)
    request.betas = {*options.beta};
  else
    request.betas.assign(std::begin(ensemble::kBetas), std::end(ensemble::kBetas));
  if (!options.substructures.empty()) {
    ESPALIER_ASSIGN(out.substructures, ensemble::parse_substructures(options.substructures));
  }
  request.options.online.delta = request.options.fpl.delta = options.delta;
  request.options.online.loss_bound = request.options.fpl.loss_bound = options.loss_bound;
  request.options.online.wmwp.normalised_exponent = options.normalised_exponent;
  request.options.fpl.epsilon = options.epsilon;
  request.options.fpl.seed = options.seed;
  request.options.boost.rounds = request.options.sle.rounds = options.rounds;
  if (options.method == "espboost" && options.form != "product") request.form = ensemble::VoteForm::kSum;
  request.probabilities = options.probabilities;
  request.learn_switch = options.learn_switch;
  request.calibrate = options.calibrate;
  request.legal = !options.any_sequence;
  request.seed = options.seed;
  request.threads = options.threads;
  out.automaton = options.automaton;
  out.probability_column = options.files.probability_column;
  out.memory = options.memory_megabytes << 20;
  ESPALIER_TRY(ensemble::check(out));
  return out;
}

Result<ensemble::OpenExperts> open_public_experts(const Data* reference, bool gold,
                                                  const std::vector<Expert>& experts,
                                                  const PublicExpertReading& reading,
                                                  data::LabelSet& labels) {
  const ExpertFiles& files = reading.files;
  ensemble::ExpertReference from;
  from.gold = gold;
  if (reference != nullptr) {
    ESPALIER_ASSIGN(from, reference_of(*reference, gold));
  }
  ensemble::ExpertReading how;
  how.files.format = from.reading.format;
  how.files.encoding = from.reading.encoding;
  if (!files.format.empty()) {
    ESPALIER_ASSIGN(how.files.format, data::parse_format(files.format));
  }
  if (!files.encoding.empty()) {
    ESPALIER_TRY(data::parse_encoding(files.encoding));
    how.files.encoding = files.encoding;
  }
  how.files.label_column = files.label_column;
  how.files.separator = from.reading.separator;
  how.files.comment = from.reading.comment;
  if (!files.separator.empty()) {
    ESPALIER_ASSIGN(how.files.separator, data::parse_separator(files.separator));
  }
  if (!files.comment.empty()) how.files.comment = files.comment;
  if (!files.labels_only.empty()) {
    ESPALIER_ASSIGN(how.labels_only, ensemble::parse_label_layout(files.labels_only));
  }
  how.nbest = files.nbest;
  ESPALIER_ASSIGN(how.missing, ensemble::parse_missing(reading.missing));
  how.threads = reading.threads;
  std::vector<ensemble::ExpertSource> sources;
  for (const Expert& expert : experts) {
    ESPALIER_ASSIGN(ensemble::ExpertSource source, source_of(expert, sources.size() + 1));
    sources.push_back(std::move(source));
  }
  return ensemble::open_experts(from, sources, how, labels);
}

}  // namespace api
}  // namespace espalier
