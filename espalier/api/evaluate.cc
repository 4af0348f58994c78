#include "espalier/public/evaluate.h"
#include "espalier/base/text/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "espalier/api/model_input.h"
#include "espalier/api/public_monitor.h"
#include "espalier/api/tagger.h"
#include "espalier/api/training.h"
#include "espalier/base/parallel.h"
#include "espalier/model/evaluation.h"
#include "espalier/model/registry.h"
#include "espalier/model/task_data.h"

namespace espalier {

struct Scores::State {
  model::Evaluation evaluation;
};

struct ScoresBuilder {
  static Scores build(model::Evaluation evaluation) {
    Scores out;
    const eval::TaggingScores& s = evaluation.scores;
    out.sequences = s.sequences();
    out.tokens = s.tokens();
    out.accuracy = s.accuracy();
    out.sequence_accuracy = s.sequence_accuracy();
    out.precision = evaluation.precision();
    out.recall = evaluation.recall();
    out.f1 = evaluation.f1();
    for (const eval::LabelScore& label : s.by_label())
      out.by_label.push_back({label.label, label.gold, label.found, label.correct, label.precision(),
                              label.recall(), label.f1()});
    constexpr size_t kMost = 100;
    for (const eval::Confusion& c : s.confusions(kMost))
      out.confusions.push_back({c.gold, c.predicted, c.count});
    if (evaluation.legal) out.legal_percent = evaluation.legal_share();
    const model::ConstraintTally& tally = evaluation.tally;
    out.rules = {tally.exact(),     tally.approximate, tally.infeasible,
                 tally.out_of_time, tally.example,     tally.none_in_time};
    out.searches = {evaluation.searches.ended[0], evaluation.searches.ended[1], evaluation.searches.ended[2]};
    out.unknown_labels.assign(evaluation.unknown.begin(), evaluation.unknown.end());
    out.seconds = evaluation.seconds;
    out.tokens_per_second = evaluation.tokens_per_second();
    out.state_ = std::make_shared<const Scores::State>(Scores::State{std::move(evaluation)});
    return out;
  }
};

namespace {

ScoredSequence scored_sequence(std::string_view source, const data::Sequence& sequence,
                               const data::Prediction& prediction, std::span<const std::string_view> gold,
                               std::span<const std::string_view> predicted,
                               std::span<const uint32_t> gold_heads, size_t word) {
  ScoredSequence out;
  out.file = source;
  for (size_t row = 0; row < sequence.length(); ++row) {
    out.lines.push_back(sequence.line(row));
    std::string& text = out.words.emplace_back();
    if (word < sequence.columns())
      text = sequence.cell(row, word);
    else if (sequence.columns() == 0 && sequence.attribute_count(row) > 0)
      text = sequence.attribute(row, 0).name;
  }
  out.gold.assign(gold.begin(), gold.end());
  out.predicted.assign(predicted.begin(), predicted.end());
  out.probability = prediction.confidence;
  if (!prediction.best.empty() && !prediction.best.front().heads.empty()) {
    out.gold_heads.assign(gold_heads.begin(), gold_heads.end());
    out.heads = prediction.best.front().heads;
  }
  return out;
}

}  // namespace

std::string Scores::report() const { return state_ ? state_->evaluation.report() : std::string(); }
std::string Scores::json() const { return state_ ? json_text(state_->evaluation.to_json()) : "{}"; }

Status check_options(const Tagger& tagger, const EvaluateOptions& options) {
  ESPALIER_TRY(api::unconstrained_choice(*tagger.state(), options.decode));
  return {};
}

Result<Scores> evaluate(const Tagger& tagger, const Data& test, const EvaluateOptions& options) {
  const Tagger::State& state = *tagger.state();
  ESPALIER_ASSIGN(const api::DecodeChoice choice, api::decode_choice(state, options.decode));
  const api::PublicMonitor monitor(options.on_progress, options.stop);
  ESPALIER_ASSIGN(const std::vector<api::ModelSource> sources,
                  api::laid_out_sources(state, test, /*labels_required=*/true));
  model::EvaluationOptions how;
  how.task = state.model.about().task;
  how.file = &state.model.file();
  how.rouge_stemmer = options.rouge_stemmer;
  how.rouge_stopwords = options.rouge_stopwords;
  how.predict.decoder = choice.decoder;
  how.predict.search = choice.search;
  how.predict.confidence = options.calibration;
  // Constraints that decoding obeyed are checked, too.
  std::optional<constrain::Constraints> check;
  const model::ConstraintFile* rules = options.check_rules ? &options.check_rules->state()->file
                                       : options.decode.constraints
                                           ? &options.decode.constraints->state()->file
                                       : state.model.constraints() ? &*state.model.constraints()
                                                                   : nullptr;
  const bool trees = state.model.bare().builds_trees();  // which tell themselves what they break
  if (trees && options.check_rules)
    return fail("trees are not checked against constraints that they were not built under; use constraints");
  if (rules != nullptr && !trees) {
    ESPALIER_ASSIGN(check, rules->resolve(state.model.about(), state.model.labels()));
    how.check = &*check;
  }
  model::Evaluation evaluation;
  const Workers workers(options.threads);
  how.on_bad_sequence = options.on_bad_sequence;
  size_t word = 0;
  if (options.on_sequence)
    how.on_sequence = [&](std::string_view source, const data::Sequence& sequence,
                          const data::Prediction& prediction, std::span<const std::string_view> gold,
                          std::span<const std::string_view> predicted, std::span<const uint32_t> gold_heads) {
      ScoredSequence scored =
          scored_sequence(source, sequence, prediction, gold, predicted, gold_heads, word);
      if (state.model.task().kind == model::TaskKind::kSummary) scored.cluster = sequence.comments().front();
      options.on_sequence(scored);
    };
  for (const api::ModelSource& source : sources) {
    how.map = source.input.map ? &*source.input.map : nullptr;
    word = api::word_cell(state, source.input);
    ESPALIER_TRY(model::evaluate(*choice.predictor, source.source, source.input.reading, how, workers,
                                 monitor.monitor(), evaluation));
  }
  if (monitor.stopped()) return fail("stopped before everything was scored");
  Scores out = ScoresBuilder::build(std::move(evaluation));
  out.how_rules_are_decoded = choice.predictor->about_constraints();
  return out;
}

Result<Scores> evaluate_labels(const std::vector<std::vector<std::string>>& gold,
                               const std::vector<std::vector<std::string>>& predicted) {
  if (gold.size() != predicted.size())
    return fail("{} sequences of gold labels and {} of predicted ones", gold.size(), predicted.size());
  model::Evaluation evaluation;
  for (size_t s = 0; s < gold.size(); ++s) {
    if (gold[s].size() != predicted[s].size())
      return fail("sequence {}: {} gold labels and {} predicted ones", s + 1, gold[s].size(),
                  predicted[s].size());
    const std::vector<std::string_view> one(gold[s].begin(), gold[s].end()),
        other(predicted[s].begin(), predicted[s].end());
    evaluation.scores.add(one, other);
    evaluation.tokens += one.size();
  }
  return ScoresBuilder::build(std::move(evaluation));
}

Result<Scores> evaluate_columns(const std::vector<std::string>& paths, const std::string& encoding) {
  ReadOptions reading;
  reading.encoding = encoding;
  return evaluate_columns(paths, reading);
}

Result<Scores> evaluate_columns(const std::vector<std::string>& paths, const ReadOptions& reading) {
  model::Evaluation evaluation;
  ESPALIER_ASSIGN(const api::Reading how, api::reading_of(reading));
  for (const std::string& path : paths) ESPALIER_TRY(model::evaluate_columns(path, how.options, evaluation));
  return ScoresBuilder::build(std::move(evaluation));
}

Scores api::merged(const std::vector<Scores>& parts) {
  model::Evaluation all;
  for (const Scores& part : parts) all.merge(part.state()->evaluation);
  return ScoresBuilder::build(std::move(all));
}

}  // namespace espalier
