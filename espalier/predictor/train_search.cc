#include "espalier/predictor/train_search.h"

#include <algorithm>
#include <numeric>

#include "espalier/chain/weights.h"
#include "espalier/tasks/search_model.h"
#include "espalier/tasks/search_training.h"

namespace espalier::predictor {

namespace {

using Kind = Parameter::Kind;

std::vector<Parameter> search_parameters(std::string_view beam) {
  return {
      {"beam", Kind::kInteger, beam,
       "states kept at each step, in decoding and in learning by search; 1: greedy", 1, 1e5},
      {"decoder",
       Kind::kChoice,
       "breadth-first",
       "how the beam is searched",
       0,
       0,
       {"breadth-first", "best-first"}},
      {"history", Kind::kInteger, "2",
       "labels before that are looked at, as n-grams of every length up to this", 0,
       static_cast<double>(tasks::kMostHistory)},
      {"order",
       Kind::kChoice,
       "left-to-right",
       "the order of decisions",
       0,
       0,
       {"left-to-right", "right-to-left"}},
      {"loss",
       Kind::kChoice,
       "auto",
       "what errors cost: wrong labels, 1 - F1 of segments, anything wrong; auto: f1 for task segment",
       0,
       0,
       {"auto", "hamming", "f1", "zero-one"}},
      {"unit",
       Kind::kChoice,
       "auto",
       "what a decision is about: a word or a whole chunk; auto: chunk for task segment",
       0,
       0,
       {"auto", "word", "chunk"}},
      {"max-length", Kind::kInteger, "auto",
       "chunks have at most this many words, longer ones are learned in pieces; auto: the longest seen, at "
       "most 10",
       1, 100},
      {"meta", Kind::kFlag, "yes",
       "chunks: features of the chunk as a whole and of pairs and triples within it"},
      {"stemmer", Kind::kText, "",
       "chunks: stems of this language (english, spanish, ...) are features, too"},
      {"lists", Kind::kText, "", "chunks: files of words or phrases, a line each, separated by commas"},
      {"average", Kind::kFlag, "yes", "use the average of the weights instead of the last ones"},
  };
}

std::vector<Parameter> join(std::vector<Parameter> a, const std::vector<Parameter>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Result<tasks::SearchOptions> search_options(const TrainingJob& job) {
  const ParameterValues& v = job.values;
  tasks::SearchOptions options;
  options.seed = job.request.seed;
  options.average = v.flag("average");
  options.laso.width = static_cast<size_t>(v.integer("beam"));
  const std::string& name = job.request.learner;
  if (name != "searn") {
    options.learner = name == "laso-br"    ? tasks::SearchLearner::kLasoBr
                      : name == "laso-bst" ? tasks::SearchLearner::kLasoBst
                      : name == "laso"     ? tasks::SearchLearner::kLaso
                                           : tasks::SearchLearner::kIncremental;
    options.passes = static_cast<int>(v.integer("passes"));
    options.laso.rate = v.number("rate");
    if (name == "incremental")
      options.incremental = v.text("update") == "early" ? search::IncrementalUpdate::kEarly
                                                        : search::IncrementalUpdate::kMaxViolation;
    return options;
  }
  const std::string& classifier = v.text("classifier");
  options.classifier = classifier == "perceptron"  ? tasks::BaseClassifier::kPerceptron
                       : classifier == "logistic"  ? tasks::BaseClassifier::kLogistic
                       : classifier == "svm"       ? tasks::BaseClassifier::kSvm
                       : classifier == "liblinear" ? tasks::BaseClassifier::kLiblinear
                                                   : tasks::BaseClassifier::kQuadraticSvm;
  const std::string& reduction = v.text("reduction");
  options.direct.reduction = reduction == "direct"       ? search::Reduction::kDirect
                             : reduction == "one-vs-all" ? search::Reduction::kOneVsAll
                                                         : search::Reduction::kAllPairs;
  const bool package = classifier == "liblinear" || classifier == "quadratic-svm";
  if (package && !v.is_default("reduction"))
    return fail(
        "reduction: liblinear reduces one against all, quadratic-svm to all pairs; it cannot be chosen");
  options.direct.passes = static_cast<int>(v.integer("passes"));
  options.direct.rate = v.number("rate");
  if (v.text("c") != "auto") options.liblinear.C = options.libsvm.C = v.number("c");
  options.liblinear.bias = 0;  // the space has a bias of its own
  options.liblinear.seed = options.libsvm.seed = job.request.seed;
  search::SearnOptions& searn = options.searn;
  searn.iterations = static_cast<int>(v.integer("iterations"));
  searn.beta = v.number("beta");
  const std::string& interpolation = v.text("interpolation");
  searn.interpolation = interpolation == "constant"   ? search::Interpolation::kConstant
                        : interpolation == "analytic" ? search::Interpolation::kAnalytic
                                                      : search::Interpolation::kLineSearch;
  searn.examples.estimate =
      v.text("costs") == "optimal" ? search::CostEstimate::kOptimal : search::CostEstimate::kSample;
  searn.examples.samples = static_cast<int>(v.integer("samples"));
  searn.examples.oracle_share = v.number("oracle-roll-outs");
  searn.roll_in = v.text("roll-in") == "mixture" ? search::RollIn::kMixture : search::RollIn::kAggregate;
  searn.folds = static_cast<int>(v.integer("folds"));
  if (searn.interpolation == search::Interpolation::kLineSearch && job.request.dev.empty())
    return fail("interpolation=line-search needs a development set (--dev)");
  return options;
}

Result<tasks::SequenceShape> shape_of_job(const TrainingJob& job) {
  const ParameterValues& v = job.values;
  tasks::SequenceShape shape = tasks::SequenceShape::of(job.training.labels, job.scheme.scheme());
  const bool segment = job.request.task == "segment";
  if (segment && shape.scheme == data::Scheme::kNone)
    return fail("{}: task segment needs labels of a segment scheme (B-X, I-X, O or the like)",
                job.request.train.front());
  const std::string& unit = v.text("unit");
  shape.unit = unit == "chunk" || (unit == "auto" && segment) ? tasks::DecisionUnit::kChunk
                                                              : tasks::DecisionUnit::kWord;
  shape.order = v.text("order") == "left-to-right" ? tasks::DecisionOrder::kLeftToRight
                                                   : tasks::DecisionOrder::kRightToLeft;
  const std::string& loss = v.text("loss");
  const bool f1_fits =
      shape.unit == tasks::DecisionUnit::kChunk || shape.order == tasks::DecisionOrder::kLeftToRight;
  shape.loss = loss == "f1" || (loss == "auto" && segment && f1_fits) ? tasks::SequenceLoss::kF1
               : loss == "zero-one"                                   ? tasks::SequenceLoss::kZeroOne
                                                                      : tasks::SequenceLoss::kHamming;
  if (shape.loss == tasks::SequenceLoss::kF1 && !f1_fits)
    return fail("loss=f1 with words decided from right to left is not supported; take loss=hamming");
  shape.history = static_cast<size_t>(v.integer("history"));
  shape.legal = shape.unit == tasks::DecisionUnit::kWord && segment && shape.scheme == data::Scheme::kIob2;
  ESPALIER_TRY(shape.check());
  if (shape.unit == tasks::DecisionUnit::kWord)
    for (const std::string_view only : {"max-length", "meta", "stemmer", "lists"})
      if (!v.is_default(only)) return fail("parameter {} is for unit=chunk", only);
  return shape;
}

/// What is the same for words and chunks: layout, training, dev scores, the best policy, the file.
template <typename Problem>
Status train_problem(TrainingJob& job, const tasks::SequenceShape& shape, const Problem& problem,
                     const Problem* dev, const linear::EncodedTraining& encoded,
                     const tasks::ChunkFeatureOptions* chunks) {
  ESPALIER_ASSIGN(const tasks::SearchOptions options, search_options(job));
  chain::PairOptions pairs;
  pairs.full_rows_from = job.values.text("full-rows") == "auto"
                             ? (encoded.labels.size() <= kFullRowLabels ? kFullRowsFrom : 0)
                             : static_cast<uint32_t>(job.values.integer("full-rows"));
  const auto layout = std::make_shared<const linear::StateRows>(
      chain::make_weights(encoded, false, pairs, job.workers).state_rows);
  tasks::DecodeOptions decode;
  decode.beam = static_cast<size_t>(job.values.integer("beam"));
  decode.best_first = job.values.text("decoder") == "best-first";
  decode.seed = job.request.seed;
  decode.normalise = options.learner == tasks::SearchLearner::kSearn;
  if (options.learner == tasks::SearchLearner::kSearn)
    decode.stochastic = job.values.text("policy") == "stochastic";
  if (decode.stochastic && (decode.beam > 1 || decode.best_first))
    return fail("policy=stochastic draws each decision anew: beam=1 and decoder=breadth-first go with it");

  const auto score = [&](const search::Mixture& policy) {
    std::vector<std::vector<data::Label>> predicted;
    for (size_t s = 0; s < dev->size(); ++s) {
      policy.begin(dev->blocks(s));
      auto labels = tasks::decode_labels(dev->space(s), shape, job.dev.sequences[s].length(), policy, decode);
      predicted.push_back(labels.ok() ? std::move(labels).value()
                                      : std::vector<data::Label>(job.dev.sequences[s].length(), 0));
    }
    return job.dev_score([&]() -> TrainingJob::Decode {
      return [&](size_t s, std::vector<data::Label>& out) { out = predicted[s]; };
    });
  };
  search::Mixture best;
  tasks::SearchContext context{layout, encoded.labels.size(), encoded.state.size(), job.monitor, {}, {}};
  if (dev != nullptr) context.dev_score = score;
  context.round_ended = [&](int number, int total, double objective, const search::Mixture& policy) {
    std::optional<double> dev_score;
    if (dev != nullptr && !job.monitor.stop_requested()) dev_score = score(policy);
    const auto verdict = job.round_ended(number, total, objective, dev_score);
    if (verdict.best) best = policy;
    return verdict.go_on;
  };
  ESPALIER_ASSIGN(search::Mixture policy, tasks::train_search(problem, options, context));
  job.report.interrupted = job.monitor.stop_requested();
  if (best.size() > 0) policy = std::move(best);
  SectionWriter out;
  ESPALIER_TRY(tasks::save_search_model(
      {shape, chunks, policy, encoded.state, decode, job.values.text("weight-bits") == "16" ? 16 : 32}, out));
  ESPALIER_TRY(job.save(out));
  job.report.features = encoded.state.size();
  if (const auto* rows = dynamic_cast<const search::RowWeights*>(&policy.classifier(0)))
    job.report.weights = layout->weights() + rows->hashed().size() * encoded.labels.size();
  return {};
}

linear::FeatureMap number_map(const linear::FeatureSpace& features) {
  std::vector<uint32_t> numbers(features.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  return linear::FeatureMap::build(features.hashes, numbers, nullptr);
}

Status train_chunks(TrainingJob& job, tasks::SequenceShape shape) {
  tasks::add_scheme_labels(shape);
  for (const data::Label label : job.training.data.gold)
    if (label == data::kNoLabel)
      return fail(
          "{}: chunks are learned from whole labellings, but a label is '_' (not known); take unit=word",
          job.request.train.front());
  ESPALIER_ASSIGN(const std::vector<data::Sequence> sequences,
                  data::read_all(job.request.train, job.request.reading));
  tasks::ChunkFeatureOptions options;
  if (!job.about.features.attributes) options.columns = job.about.features.feature_columns;
  options.meta = job.values.flag("meta");
  options.stemmer = job.values.text("stemmer");
  std::string_view lists = job.values.text("lists");
  while (!lists.empty()) {
    const std::string_view path = lists.substr(0, lists.find(','));
    lists.remove_prefix(std::min(lists.size(), path.size() + 1));
    ESPALIER_ASSIGN(auto list, tasks::read_word_list(std::string(path)));
    options.lists.push_back(std::move(list));
  }
  constexpr size_t kUsualLength = 10;
  if (job.values.text("max-length") == "auto") {
    size_t longest = 1;
    for (size_t s = 0; s < job.training.data.sequences(); ++s)
      for (const tasks::Chunk& c : tasks::chunks_of(shape, job.training.data.gold_of(s), 100000))
        longest = std::max<size_t>(longest, c.length);
    shape.max_length = std::min(longest, kUsualLength);
  } else {
    shape.max_length = static_cast<size_t>(job.values.integer("max-length"));
  }
  ESPALIER_ASSIGN(const tasks::ChunkFeatures features, tasks::ChunkFeatures::make(options, shape.max_length));
  linear::EncodeOptions encoding;
  encoding.cutoff = static_cast<uint32_t>(job.values.integer("cutoff"));
  encoding.names = job.values.flag("names");
  const tasks::ChunkTraining training =
      tasks::encode_chunks(sequences, shape, *job.extractor, features, encoding, job.workers);
  if (training.cut > 0)
    job.report.notes.push_back(
        fmt::format("{} chunks have more than {} words and were learned in pieces; max-length "
                    "raises the limit",
                    training.cut, shape.max_length));
  job.training.labels = shape.labels;
  job.training.data = {};  // its place is taken
  const tasks::ChunkProblem problem = training.problem(shape);
  if (job.dev.sequences.empty())
    return train_problem<tasks::ChunkProblem>(job, shape, problem, nullptr, training.encoded,
                                              &features.options());
  const linear::FeatureMap map = number_map(training.encoded.state);
  const tasks::ChunkTraining dev_data =
      tasks::encode_chunks_with(job.dev.sequences, shape, *job.extractor, features, map);
  const tasks::ChunkProblem dev = dev_data.problem(shape);
  return train_problem(job, shape, problem, &dev, training.encoded, &features.options());
}

}  // namespace

std::vector<Parameter> searn_parameters() {
  return join(
      {
          {"classifier",
           Kind::kChoice,
           "perceptron",
           "what decides: averaged perceptron, logistic or svm on line over all actions; liblinear's SVMs; "
           "libsvm's "
           "quadratic machines",
           0,
           0,
           {"perceptron", "logistic", "svm", "liblinear", "quadratic-svm"}},
          {"reduction",
           Kind::kChoice,
           "direct",
           "from costs to binary decisions",
           0,
           0,
           {"direct", "one-vs-all", "all-pairs"}},
          {"iterations", Kind::kInteger, "5", "iterations at most", 1, 1e6},
          {"beta", Kind::kNumber, "1", "share of the new classifier in each iteration; 1: policy iteration",
           1e-9, 1},
          {"interpolation",
           Kind::kChoice,
           "constant",
           "beta as given, 1/T^3 as the theory has it, or the best on the dev set",
           0,
           0,
           {"constant", "analytic", "line-search"}},
          {"costs",
           Kind::kChoice,
           "optimal",
           "cost of an action: loss of the best completion, or of paths drawn from the policy",
           0,
           0,
           {"optimal", "sample"}},
          {"samples", Kind::kInteger, "1", "costs=sample: paths for each action", 1, 1e4},
          {"oracle-roll-outs", Kind::kNumber, "0",
           "costs=sample: share of paths that follow the oracle, as in LOLS", 0, 1},
          {"roll-in",
           Kind::kChoice,
           "mixture",
           "states come from the current policy alone, or examples of all iterations are kept, as in DAgger",
           0,
           0,
           {"mixture", "aggregate"}},
          {"folds", Kind::kInteger, "1",
           "above 1: states come from classifiers that did not see the sequence", 1, 100},
          {"policy",
           Kind::kChoice,
           "vote",
           "beta below 1: classifiers vote, or are drawn for each decision",
           0,
           0,
           {"vote", "stochastic"}},
          {"passes", Kind::kInteger, "5",
           "passes over the examples of an iteration (perceptron, logistic, svm)", 1, 1e6},
          {"rate", Kind::kNumber, "0.1", "step size (logistic, svm)", 1e-9, 1e3},
          {"c", Kind::kNumber, "auto", "liblinear, quadratic-svm: weight of the errors", 1e-9, 1e9},
      },
      search_parameters("1"));
}

std::vector<Parameter> laso_parameters(bool incremental) {
  std::vector<Parameter> own = {
      {"passes", Kind::kInteger, "10", "passes over the training data", 1, 1e6},
      {"rate", Kind::kNumber, "1", "size of an update", 1e-9, 1e3},
  };
  if (incremental)
    own.push_back({"update",
                   Kind::kChoice,
                   "max-violation",
                   "where the target falls out of the beam, or where it is farthest below the best",
                   0,
                   0,
                   {"early", "max-violation"}});
  return join(own, search_parameters("5"));
}

Status train_search(TrainingJob& job) {
  if (!job.request.start_from.empty() || job.request.resume || job.request.checkpoint_every > 0)
    return fail("learner {} can neither start from a model nor from a checkpoint", job.request.learner);
  if (!job.label_weight.empty()) return fail("learner {} takes no label-weights", job.request.learner);
  for (const float weight : job.training.data.weight)
    if (weight != 1) return fail("learner {} takes no sequence weights other than 1", job.request.learner);
  ESPALIER_ASSIGN(const tasks::SequenceShape shape, shape_of_job(job));
  if (shape.unit == tasks::DecisionUnit::kChunk) return train_chunks(job, shape);
  const tasks::LabelProblem problem = tasks::label_problem(shape, job.training.data, job.training.edge);
  if (job.dev.sequences.empty())
    return train_problem<tasks::LabelProblem>(job, shape, problem, nullptr, job.training, nullptr);
  const tasks::LabelProblem dev = tasks::label_problem(shape, job.dev.data, job.training.edge);
  return train_problem(job, shape, problem, &dev, job.training, nullptr);
}

}  // namespace espalier::predictor
