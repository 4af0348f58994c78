#include "espalier/predictor/train.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "espalier/base/text.h"
#include "espalier/chain/calibrate.h"
#include "espalier/chain/model.h"
#include "espalier/chain/warm_start.h"
#include "espalier/data/label_column.h"
#include "espalier/data/label_scheme.h"
#include "espalier/eval/scores.h"
#include "espalier/predictor/about.h"
#include "espalier/predictor/feature_choice.h"
#include "espalier/predictor/learn.h"
#include "espalier/predictor/model.h"
#include "espalier/predictor/registry.h"

namespace espalier::predictor {

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// 16-bit weights are taken where fewer than this share of training tokens changes its label.
constexpr double kRoundingTolerance = 1e-4;

/// Tells apart runs whose checkpoints must not be mixed up.
std::string fingerprint(const TrainRequest& request, const ParameterValues& values, const About& about,
                        const linear::EncodedTraining& training) {
  std::string text =
      fmt::format("{} {} {} {} {} {} {}", request.learner, request.seed, about.training_sequences,
                  about.training_tokens, training.labels.size(), training.state.size(), training.edge.size());
  for (const auto& [name, value] : values.all()) text += fmt::format(" {}={}", name, value);
  return text;
}

/// The data that training is measured on as it goes.
struct DevSet {
  std::vector<data::Sequence> sequences;
  linear::Dataset data;
};

/// Every tenth sequence, and the others.
std::pair<linear::Dataset, linear::Dataset> hold_out_a_tenth(const linear::Dataset& data) {
  std::vector<uint32_t> most, held_out;
  for (uint32_t s = 0; s < data.sequences(); ++s) (s % 10 == 9 ? held_out : most).push_back(s);
  return {data.subset(most), data.subset(held_out)};
}

class Training {
 public:
  Training(const TrainRequest& request, const Monitor& monitor)
      : request_(request), monitor_(monitor), workers_(request.threads) {}

  Result<TrainReport> run();

 private:
  Status read_training_data();
  Status prepare_features(const data::Sequence& first);
  Status read_dev_data();
  Status parse_label_weights();
  Status prepare_weights();
  Status learn_weights();
  Status learn_kernel_machine();
  Status calibrate();
  Status save();
  bool round_ended(const chain::Round& round);
  double dev_score(const chain::ChainWeights& weights) const;
  chain::TrainingContext context(const linear::EncodedTraining& training, chain::ChainWeights start,
                                 std::function<bool(const chain::Round&)> ended);
  std::string checkpoint_path() const { return request_.model + ".checkpoint"; }

  const TrainRequest& request_;
  const Monitor& monitor_;
  Workers workers_;
  Clock::time_point start_ = Clock::now();

  ParameterValues values_;
  LearnerShape shape_;
  std::optional<Model> old_;  ///< what training starts from
  About about_;
  data::FeatureOptions features_;
  std::unique_ptr<data::FeatureExtractor> extractor_;
  linear::EncodedTraining training_;
  data::SchemeDetector scheme_;
  chain::PairOptions pairs_;
  std::vector<float> label_weight_;  ///< empty: 1 each
  DevSet dev_;
  chain::ChainWeights start_weights_, weights_;
  chain::ChainWeights best_weights_;
  std::optional<linear::KernelModel>
      kernel_;  ///< in place of weights_, where the learner is a kernel machine
  double best_dev_ = -1;
  int rounds_without_gain_ = 0;
  double temperature_ = 1;
  Status trouble_;  ///< what a callback could not return
  TrainReport report_;
};

Status Training::prepare_features(const data::Sequence& first) {
  about_.reading = request_.reading;
  about_.reading.folds.clear();
  about_.reading.columns = first.columns();
  ESPALIER_ASSIGN(features_, choose_features(request_.template_file, request_.feature_columns,
                                             request_.reading.format, first.columns(), first.label_column()));
  features_.degree = static_cast<int>(values_.integer("degree"));
  if (!features_.attributes) {
    const size_t label = first.label_column().value_or(first.columns());
    // Whoever tags with this model need not have columns it does not look at.
    const size_t needed = features_.feature_columns.back() + 1;
    about_.reading.least_columns = label >= needed ? needed : 0;
  }
  if (old_) {
    if (features_.template_text.empty() && request_.feature_columns.empty())
      features_ = old_->about().features;
    if (!(features_ == old_->about().features))
      return fail(
          "{}: the model was trained with other features; leave the template and columns out to use its own",
          request_.start_from);
  }
  about_.features = features_;
  ESPALIER_ASSIGN(auto extractor, data::FeatureExtractor::make(features_));
  extractor_ = std::make_unique<data::FeatureExtractor>(std::move(extractor));
  return {};
}

Status Training::read_training_data() {
  std::unique_ptr<linear::DatasetBuilder> builder;
  Progress progress;
  progress.phase = "reading";
  std::vector<std::string_view> labels;
  for (const std::string& path : request_.train) {
    ESPALIER_ASSIGN(const auto reader, data::open_reader(path, request_.reading));
    while (true) {
      data::Sequence sequence;
      ESPALIER_ASSIGN(const bool more, reader->next(sequence));
      if (!more) break;
      if (!builder) {
        ESPALIER_TRY(prepare_features(sequence));
        linear::EncodeOptions options;
        options.cutoff = static_cast<uint32_t>(values_.integer("cutoff"));
        options.names = values_.flag("names");
        builder = std::make_unique<linear::DatasetBuilder>(*extractor_, workers_, options,
                                                           old_ ? old_->labels() : data::LabelSet());
      } else if (sequence.columns() != about_.reading.columns) {
        return fail("{}:{}: {} columns here, {} in {}", path, sequence.line(0), sequence.columns(),
                    about_.reading.columns, request_.train.front());
      }
      labels.clear();
      for (size_t row = 0; row < sequence.length(); ++row)
        labels.push_back(sequence.has_labels() ? sequence.label(row) : data::kUnknownLabelText);
      scheme_.add(labels);
      builder->add(std::move(sequence));
      if (builder->sequences() % 1024 == 0) {
        progress.done = static_cast<double>(builder->sequences());
        monitor_.report(progress);
      }
    }
  }
  if (!builder) return fail("{}: no sequences", request_.train.front());
  training_ = builder->finish();
  if (training_.labels.size() == 0)
    return fail("{}: every label is '_' (not known); there is nothing to learn from", request_.train.front());
  if (training_.labels.size() >= data::kNoLabel) return fail("more than 65,534 labels");
  report_.sequences = training_.data.sequences();
  report_.tokens = training_.data.tokens();
  about_.training_sequences = report_.sequences;
  about_.training_tokens = report_.tokens;
  if (training_.state_before_cutoff > training_.state.size())
    report_.notes.push_back(fmt::format("{} of {} features were seen fewer than {} times and dropped",
                                        training_.state_before_cutoff - training_.state.size(),
                                        training_.state_before_cutoff, values_.integer("cutoff")));
  return {};
}

Status Training::read_dev_data() {
  if (request_.dev.empty()) return {};
  data::ReadOptions reading = request_.dev_reading.value_or(request_.reading);
  ESPALIER_ASSIGN(dev_.sequences, data::read_all(request_.dev, reading));
  for (const data::Sequence& sequence : dev_.sequences)
    if (sequence.columns() != about_.reading.columns)
      return fail("{}:{}: {} columns here, {} in {}", request_.dev.front(), sequence.line(0),
                  sequence.columns(), about_.reading.columns, request_.train.front());
  std::vector<uint32_t> numbers(training_.state.size()), edge_numbers(training_.edge.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::iota(edge_numbers.begin(), edge_numbers.end(), 0);
  const auto map = linear::FeatureMap::build(training_.state.hashes, numbers, nullptr);
  const auto edge_map = linear::FeatureMap::build(training_.edge.hashes, edge_numbers, nullptr);
  const linear::Encoder encoder(*extractor_, map, edge_map);
  linear::Encoder::Scratch scratch;
  for (const data::Sequence& sequence : dev_.sequences)
    encoder.append(sequence, training_.labels, scratch, dev_.data);
  return {};
}

Status Training::parse_label_weights() {
  std::string_view text = values_.text("label-weights");
  if (text.empty()) return {};
  label_weight_.assign(training_.labels.size(), 1.0f);
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const size_t colon = item.rfind(':');
    const auto label = training_.labels.find(item.substr(0, colon));
    if (colon == std::string_view::npos || !label)
      return fail("parameter label-weights: '{}' is not LABEL:WEIGHT with a label of the training data",
                  item);
    const auto weight = parse_number(item.substr(colon + 1));
    if (!weight.ok() || *weight < 0)
      return fail("parameter label-weights: '{}': the weight must be at least 0", item);
    label_weight_[*label] = static_cast<float>(*weight);
  }
  return {};
}

Status Training::prepare_weights() {
  if (values_.text("full-rows") == "auto") {
    pairs_.full_rows_from = training_.labels.size() <= kFullRowLabels ? kFullRowsFrom : 0;
  } else {
    pairs_.full_rows_from = static_cast<uint32_t>(values_.integer("full-rows"));
  }
  const bool transitions = shape_.transitions && extractor_->has_transitions();
  if (!old_) {
    start_weights_ = chain::make_weights(training_, transitions, pairs_);
    return {};
  }
  const auto* predictor = dynamic_cast<const chain::ChainPredictor*>(&old_->predictor());
  if (predictor == nullptr)
    return fail("{}: this kind of model cannot be trained further", request_.start_from);
  ESPALIER_ASSIGN(start_weights_,
                  chain::warm_start(training_, *predictor, old_->file(), transitions, pairs_));
  return {};
}

double Training::dev_score(const chain::ChainWeights& weights) const {
  constexpr size_t kPieces = 16;
  const linear::Dataset& data = dev_.data;
  std::vector<eval::TaggingScores> scores(kPieces);
  workers_.for_each(kPieces, [&](size_t piece) {
    chain::SequenceScores chain_scores;
    chain::ChainScratch scratch;
    std::vector<data::Label> best;
    std::vector<std::string_view> gold, predicted;
    const Range range = piece_of(data.sequences(), kPieces, piece);
    for (size_t s = range.first; s < range.last; ++s) {
      chain::score_sequence(weights, data, s, chain_scores);
      best.resize(data.length(s));
      chain::viterbi(chain_scores.view, scratch, best.data());
      gold.clear();
      predicted.clear();
      for (size_t t = 0; t < best.size(); ++t) {
        gold.push_back(dev_.sequences[s].label(t));
        predicted.push_back(training_.labels.name(best[t]));
      }
      scores[piece].add(gold, predicted);
    }
  });
  for (size_t p = 1; p < kPieces; ++p) scores[0].merge(scores[p]);
  return scores[0].f1();  // the accuracy where labels are plain
}

bool Training::round_ended(const chain::Round& round) {
  TrainReport::Round entry{round.number, round.objective, std::nullopt, since(start_)};
  bool go_on = true;
  if (!dev_.sequences.empty()) {
    chain::ChainWeights weights = round.weights();
    entry.dev_score = dev_score(weights);
    if (*entry.dev_score > best_dev_) {
      best_dev_ = *entry.dev_score;
      best_weights_ = std::move(weights);
      report_.best_round = round.number;
      rounds_without_gain_ = 0;
    } else if (++rounds_without_gain_ >= values_.integer("patience")) {
      report_.stopped_early = true;
      go_on = false;
    }
  }
  report_.log.push_back(entry);
  Progress progress;
  progress.phase = "training";
  progress.done = round.number;
  progress.total = total_rounds(request_.learner, values_, training_.data.tokens());
  progress.round = round.number;
  progress.objective = round.objective;
  progress.dev_score = entry.dev_score;
  progress.round_ended = true;
  monitor_.report(progress);
  if (request_.checkpoint_every > 0 && round.number % request_.checkpoint_every == 0) {
    SectionWriter out;
    round.save(out);
    out.add_text("fingerprint", fingerprint(request_, values_, about_, training_));
    if (Status saved = out.save(checkpoint_path()); !saved.ok()) {
      trouble_ = saved;
      return false;
    }
  }
  return go_on;
}

chain::TrainingContext Training::context(const linear::EncodedTraining& training, chain::ChainWeights start,
                                         std::function<bool(const chain::Round&)> ended) {
  chain::TrainingContext context{training,      std::move(start), workers_, monitor_,
                                 request_.seed, std::move(ended), nullptr};
  context.label_weight = label_weight_;
  return context;
}

Status Training::learn_kernel_machine() {
  Progress progress;
  progress.phase = "training";  // libsvm says nothing on the way
  monitor_.report(progress);
  const size_t labels = training_.labels.size();
  ESPALIER_ASSIGN(kernel_, learn_kernel(values_, training_.data, labels, request_.seed));
  report_.log.push_back({1, 0, std::nullopt, since(start_)});
  if (!values_.flag("calibrate")) return {};
  const auto [most, held_out] = hold_out_a_tenth(training_.data);
  if (held_out.sequences() == 0) return {};
  ESPALIER_ASSIGN(const linear::KernelModel second, learn_kernel(values_, most, labels, request_.seed));
  temperature_ = chain::fit_temperature(second, held_out);
  return {};
}

Status Training::learn_weights() {
  auto own =
      context(training_, std::move(start_weights_), [this](const chain::Round& r) { return round_ended(r); });
  std::optional<SectionFile> checkpoint;
  if (request_.resume) {
    ESPALIER_ASSIGN(checkpoint, SectionFile::open(checkpoint_path()));
    ESPALIER_ASSIGN(const std::string_view made_for, checkpoint->text("fingerprint"));
    if (made_for != fingerprint(request_, values_, about_, training_))
      return fail("{}: the checkpoint belongs to a run with other data, learner, parameters or seed",
                  checkpoint_path());
    own.resume = &*checkpoint;
  }
  ESPALIER_ASSIGN(weights_, learn(request_.learner, values_, std::move(own)));
  ESPALIER_TRY(trouble_);
  report_.interrupted = monitor_.stop_requested();
  if (best_dev_ >= 0) weights_ = std::move(best_weights_);
  return {};
}

Status Training::calibrate() {
  if (shape_.probabilistic || !values_.flag("calibrate") || report_.interrupted) return {};
  if (!dev_.sequences.empty()) {
    temperature_ = chain::fit_temperature(weights_, dev_.data, workers_);
    return {};
  }
  // A second run that sees nine sequences in ten; the tenth says how far to trust the scores.
  auto [most, held_out] = hold_out_a_tenth(training_.data);
  if (held_out.sequences() == 0) return {};
  linear::EncodedTraining part;
  part.data = std::move(most);
  part.labels = training_.labels;
  part.state = training_.state;
  part.edge = training_.edge;
  const int rounds = report_.log.empty() ? 1 : report_.log.back().number;
  chain::ChainWeights start = weights_;
  std::fill(start.state.begin(), start.state.end(), 0.0f);
  std::fill(start.trans.begin(), start.trans.end(), 0.0f);
  std::fill(start.edge.begin(), start.edge.end(), 0.0f);
  ESPALIER_ASSIGN(
      const chain::ChainWeights weights,
      learn(request_.learner, values_,
            context(part, std::move(start), [&](const chain::Round& r) { return r.number < rounds; })));
  temperature_ = chain::fit_temperature(weights, held_out, workers_);
  return {};
}

Status Training::save() {
  if (kernel_) weights_ = std::move(start_weights_);  // all 0: the labels' number, and no transitions
  int bits = 32;
  const std::string& wanted = values_.text("weight-bits");
  if (wanted == "16") bits = 16;
  if (wanted == "auto" && !report_.interrupted &&  // whoever pressed Ctrl-C is not kept waiting
      chain::labels_changed_by_rounding(weights_, training_.data, workers_) < kRoundingTolerance)
    bits = 16;
  about_.task = request_.task;
  about_.learner = request_.learner;
  about_.seed = request_.seed;
  for (const auto& [name, value] : values_.all()) about_.parameters.emplace_back(name, value);
  SectionWriter out;
  out.add_text("about", about_to_json(about_));
  chain::save_model({training_.labels, weights_, training_.state, training_.edge, shape_.normalisation,
                     temperature_, scheme_.scheme(), bits, kernel_ ? &*kernel_ : nullptr},
                    out);
  ESPALIER_TRY(out.save(request_.model));
  std::error_code ignored;
  report_.model_bytes = std::filesystem::file_size(request_.model, ignored);
  if (!report_.interrupted) std::filesystem::remove(checkpoint_path(), ignored);
  report_.features = training_.state.size() + training_.edge.size();
  report_.weights = weights_.parameters();
  report_.labels = training_.labels.size();
  return {};
}

Result<TrainReport> Training::run() {
  if (request_.train.empty()) return fail("no training file");
  if (request_.task != "label") return fail("there is no task '{}'; there is: label", request_.task);
  ESPALIER_ASSIGN(values_, check_parameters(request_.learner, request_.settings));
  shape_ = shape_of(request_.learner, values_);
  if (!request_.start_from.empty()) {
    ESPALIER_ASSIGN(old_, Model::open(request_.start_from));
  }
  ESPALIER_TRY(read_training_data());
  ESPALIER_TRY(parse_label_weights());
  ESPALIER_TRY(prepare_weights());
  ESPALIER_TRY(read_dev_data());
  report_.reading_seconds = since(start_);
  if (uses_kernel(request_.learner, values_)) {
    ESPALIER_TRY(learn_kernel_machine());
  } else {
    ESPALIER_TRY(learn_weights());
    ESPALIER_TRY(calibrate());
  }
  ESPALIER_TRY(save());
  report_.seconds = since(start_);
  return std::move(report_);
}

}  // namespace

Result<TrainReport> train(const TrainRequest& request, const Monitor& monitor) {
  return Training(request, monitor).run();
}

}  // namespace espalier::predictor
