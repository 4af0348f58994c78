#include "espalier/api/tagger.h"

#include <algorithm>

#include "espalier/api/matrix_columns.h"
#include "espalier/api/sequence_builder.h"
#include "espalier/base/files/saved_sections.h"
#include "espalier/base/parallel.h"
#include "espalier/base/text/counted.h"
#include "espalier/constrain/language.h"
#include "espalier/data/forced_explanation.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/label_scheme.h"
#include "espalier/model/tag_format.h"

namespace espalier {

// ---- Constraints -------------------------------------------------------------------------------------

Result<Constraints> Constraints::read(const std::string& path) {
  ESPALIER_ASSIGN(model::ConstraintFile file, model::ConstraintFile::read(path));
  return Constraints(std::make_shared<const State>(State{std::move(file)}));
}

Result<Constraints> Constraints::parse(std::string text, std::map<std::string, std::string> lists,
                                       std::string name) {
  ESPALIER_ASSIGN(const auto statements, constrain::parse_constraints(text, name));
  model::ConstraintFile file;
  for (const constrain::Statement& statement : statements)
    if (!statement.file.empty() && !lists.contains(statement.file))
      return fail("{}:{}:{}: the list '{}' is not given", name, statement.argument.line,
                  statement.argument.column, statement.file);
  file.name = std::move(name);
  file.text = std::move(text);
  for (auto& [list, contents] : lists) file.files.emplace(list, std::move(contents));
  return Constraints(std::make_shared<const State>(State{std::move(file)}));
}

// ---- Predictions -------------------------------------------------------------------------------------

std::vector<std::string> Tagged::labels() const {
  std::vector<std::string> out;
  out.reserve(tokens_.size());
  for (const Token& token : tokens_) out.push_back(token.label);
  return out;
}

struct TaggedBuilder {
  static Tagged build(const data::Prediction& prediction, const data::Predictor& predictor) {
    const data::LabelSet& labels = predictor.labels();
    Tagged out;
    const data::Labelling& best = prediction.best.front();
    out.tokens_.resize(best.labels.size());
    for (size_t t = 0; t < out.tokens_.size(); ++t) {
      Token& token = out.tokens_[t];
      token.label = labels.name(best.labels[t]);
      // Sums of floats may come out a little above 1.
      if (!prediction.confidence.empty()) token.probability = std::min(1.0, double{prediction.confidence[t]});
      for (size_t c = 0; c < best.others.size(); ++c)
        token.other_labels.push_back(predictor.labels_of_column(c).name(best.others[c][t]));
      if (!best.heads.empty()) token.head = best.heads[t];
    }
    for (const data::Labelling& labelling : prediction.best) {
      Labelling& to = out.alternatives_.emplace_back();
      to.score = labelling.score;
      to.probability = labelling.probability;
      to.heads.assign(labelling.heads.begin(), labelling.heads.end());
      for (const data::Label label : labelling.labels) to.labels.push_back(labels.name(label));
    }
    add_spans(prediction, labels, out);
    out.marginals_ = prediction.marginals;
    out.outcome_ = api::outcome_of(prediction);
    if (prediction.constraints) {
      out.clash_ = prediction.constraints->clash;
      out.price_ = prediction.constraints->price;
      for (const auto& change : prediction.constraints->changes) {
        Change& to = out.changes_.emplace_back();
        to.token = change.row;
        to.before = labels.name(change.before);
        for (const auto& reason : change.reasons) to.rules.emplace_back(reason.constraint, reason.price);
      }
    }
    return out;
  }

  /// The spans of the prediction, with their probabilities; otherwise those that the labels form.
  static void add_spans(const data::Prediction& prediction, const data::LabelSet& labels, Tagged& out) {
    for (const data::SpanConfidence& span : prediction.spans)
      out.spans_.push_back({span.type, span.first, span.last, span.probability});
    if (!prediction.spans.empty()) return;
    std::vector<std::string_view> texts;
    for (const Token& token : out.tokens_) texts.push_back(token.label);
    for (const data::Span& span : data::spans(texts, data::detect_scheme(labels)))
      out.spans_.push_back({std::string(span.type), span.first, span.last, kNotAsked});
  }
};

namespace api {

Outcome outcome_of(const data::Prediction& prediction) {
  if (prediction.constraints && prediction.constraints->outcome != Outcome::kExact)
    return prediction.constraints->outcome;
  if (prediction.search_end && *prediction.search_end != data::SearchEnd::kExact)
    return Outcome::kApproximate;
  return Outcome::kExact;
}

Tagged to_tagged(const data::Prediction& prediction, const data::Predictor& predictor) {
  return TaggedBuilder::build(prediction, predictor);
}

Result<data::PredictOptions> predict_options(const TagOptions& options, const DecodeChoice& choice,
                                             bool single) {
  data::PredictOptions out;
  out.decoder = choice.decoder;
  out.search = choice.search;
  out.nbest = std::max<size_t>(1, options.nbest);
  if (out.nbest > 1 && choice.decoder == data::Decoder::kPosterior)
    return fail("n-best lists are not supported with decoder posterior, which finds one labelling");
  const bool probabilities = !choice.predictor->is_search();
  out.confidence = options.confidence.value_or((single || out.nbest > 1) && probabilities);
  out.marginals = options.marginals;
  return out;
}

}  // namespace api

// ---- Models ------------------------------------------------------------------------------------------

namespace {

AnswerKind answer_kind(const model::Task& task) {
  if (task.kind == model::TaskKind::kParse) return AnswerKind::kTrees;
  if (task.kind == model::TaskKind::kSummary) return AnswerKind::kSummaries;
  return task.json ? AnswerKind::kChoices : AnswerKind::kLabels;
}

}  // namespace

Result<Tagger> TaggerBuilder::from_model(Result<model::Model> opened) {
  if (!opened.ok()) return std::move(opened).error();
  auto state = std::make_shared<Tagger::State>(std::move(opened).value());
  const model::Model& model = state->model;
  const auto& about = model.about();
  ModelInfo& info = state->info;
  info.task = about.task;
  info.answers = answer_kind(model.task());
  info.learner = about.learner;
  info.parameters = about.parameters;
  info.seed = about.seed;
  info.training_sequences = about.training_sequences;
  info.training_tokens = about.training_tokens;
  info.format = data::format_name(about.reading.format);
  info.label_column = about.reading.label_column;
  info.feature_template = about.features.template_text;
  info.template_name = about.features.template_name;
  info.columns = about.reading.columns;
  info.feature_columns = about.features.feature_columns;
  for (size_t c = 0; c < model.bare().label_columns(); ++c)
    info.labels.push_back(model.bare().labels_of_column(c).names());
  for (size_t c = 0; c < info.labels.size() && about.reading.columns > 0; ++c)
    info.label_columns.push_back(model::label_column_number(about, c));
  info.has_probabilities = !model.bare().is_search();
  info.constrained = model.constraints().has_value();
  return Tagger(std::move(state));
}

Result<Tagger> Tagger::open(const std::string& path) {
  return TaggerBuilder::from_model(model::Model::open(path));
}

Result<Tagger> Tagger::from_bytes(std::vector<std::byte> bytes, std::string name) {
  return TaggerBuilder::from_model(model::Model::from_bytes(bytes, std::move(name)));
}

namespace api {

Result<std::vector<data::Label>> forced_labels(const std::vector<std::string>& forced, size_t length,
                                               const data::LabelSet& labels) {
  std::vector<data::Label> out;
  if (forced.empty()) return out;
  if (forced.size() != length)
    return fail("{} for {}", counted(forced.size(), "forced label"), counted(length, "token"));
  for (size_t t = 0; t < length; ++t) {
    const auto label = labels.find(forced[t]);
    if (!label && forced[t] != data::kUnknownLabelText)
      return fail("token {}: the model has no label '{}' to force", t + 1, forced[t]);
    out.push_back(label.value_or(data::kNoLabel));
  }
  return out;
}

Result<const data::Sequence*> built_for(const Tagger::State& state, const SequenceBuilder& builder,
                                        data::Sequence& buffer) {
  ESPALIER_ASSIGN(const data::Sequence* const built, builder.state().finish());
  if (built->empty()) return fail("the sequence has no tokens");
  ESPALIER_TRY(check_matrix_columns(builder.state().matrix_columns, state.model.about().matrix_columns));
  return sequence_for_model(*built, state.unlabelled, state.model.about().features.feature_columns, buffer);
}

std::vector<Explanation> to_explanations(const std::vector<data::Predictor::Explanation>& found,
                                         const data::Predictor& predictor) {
  const size_t columns = predictor.label_columns();
  std::vector<Explanation> out;
  for (size_t i = 0; i < found.size(); ++i) {
    const auto& from = found[i];
    const data::LabelSet& labels = predictor.labels_of_column(from.column);
    Explanation& to = out.emplace_back();
    to.token = i / columns;
    to.label = labels.name(from.label);
    to.runner_up = labels.name(from.runner_up);
    to.margin = from.margin;
    to.column = from.column;
    to.decision = from.decision;
    to.runner_up_decision = from.runner_up_decision;
    for (const auto& c : from.contributions) to.reasons.push_back({c.feature, c.weight, c.runner_up});
  }
  return out;
}

}  // namespace api

namespace {

/// Labels a sequence in the layout of the model's data.
Status predict_one(const Tagger::State& state, const data::Sequence& sequence, const TagOptions& options,
                   const api::DecodeChoice& choice, bool single, data::Prediction& prediction) {
  ESPALIER_ASSIGN(const data::PredictOptions predict, api::predict_options(options, choice, single));
  ESPALIER_ASSIGN(const auto forced,
                  api::forced_labels(options.forced, sequence.length(), state.model.labels()));
  const api::BorrowedScratch scratch(state, *choice.predictor);
  // Before: parts of the file may be gone. After: labels may come from changed weights.
  ESPALIER_TRY(state.model.file().unchanged());
  ESPALIER_TRY(choice.predictor->predict(sequence, forced, predict, *scratch, prediction));
  return state.model.file().unchanged();
}

Result<Tagged> tag_one(const Tagger::State& state, const data::Sequence& sequence,
                       const TagOptions& options) {
  ESPALIER_ASSIGN(const api::DecodeChoice choice, api::decode_choice(state, options.decode));
  data::Prediction prediction;
  ESPALIER_TRY(predict_one(state, sequence, options, choice, /*single=*/true, prediction));
  return api::to_tagged(prediction, state.model.bare());
}

Result<std::vector<Explanation>> explain_one(const Tagger::State& state, const data::Sequence& sequence,
                                             const DecodeOptions& options,
                                             const std::vector<std::string>& forced) {
  ESPALIER_ASSIGN(const api::DecodeChoice choice, api::decode_choice(state, options));
  ESPALIER_ASSIGN(const auto labels, api::forced_labels(forced, sequence.length(), state.model.labels()));
  const api::BorrowedScratch scratch(state, *choice.predictor);
  ESPALIER_TRY(state.model.file().unchanged());
  ESPALIER_ASSIGN(const auto found, data::explain_with_forced(*choice.predictor, sequence, labels, *scratch));
  ESPALIER_TRY(state.model.file().unchanged());
  return api::to_explanations(found, *choice.predictor);
}

}  // namespace

Status Tagger::save(const std::string& path) const {
  ESPALIER_TRY(state_->model.file().unchanged());
  const SectionWriter sections = sections_of(state_->model.file());
  ESPALIER_TRY(state_->model.file().unchanged());  // or damage would be saved with checksums that fit it
  return sections.save(path);
}
std::vector<std::byte> Tagger::bytes() const { return sections_of(state_->model.file()).to_bytes(); }
const ModelInfo& Tagger::info() const { return state_->info; }

Result<Tagger> Tagger::without_names() const {
  return from_bytes(model::without_names(state_->model.file()).to_bytes(), state_->model.file().name());
}

Result<Tagged> Tagger::tag_words(const std::vector<std::string>& words, const TagOptions& options) const {
  const auto& about = state_->model.about();
  ESPALIER_ASSIGN(const data::Sequence sequence,
                  api::sequence_of_words(words, about.reading, about.features.feature_columns));
  return tag_one(*state_, sequence, options);
}

Result<Tagged> Tagger::tag_rows(const std::vector<std::vector<std::string>>& rows,
                                const TagOptions& options) const {
  const auto& about = state_->model.about();
  ESPALIER_ASSIGN(const data::Sequence sequence,
                  api::sequence_of_rows(rows, about.reading, about.features.feature_columns));
  return tag_one(*state_, sequence, options);
}

Result<Tagged> Tagger::tag_attributes(const std::vector<std::vector<Attribute>>& attributes,
                                      const TagOptions& options) const {
  if (state_->model.about().reading.columns > 0)
    return fail("the model uses rows of cells, not attributes; call tag_rows");
  if (attributes.empty()) return fail("the sequence has no tokens");
  return tag_one(*state_, api::sequence_of_attributes(attributes), options);
}

Result<Tagged> Tagger::tag(const SequenceBuilder& sequence, const TagOptions& options) const {
  data::Sequence buffer;
  ESPALIER_ASSIGN(const data::Sequence* const input, api::built_for(*state_, sequence, buffer));
  return tag_one(*state_, *input, options);
}

Result<std::vector<uint16_t>> Tagger::label(const SequenceBuilder& sequence,
                                            const DecodeOptions& options) const {
  // Their memory is kept from call to call.
  thread_local data::Sequence buffer;
  thread_local data::Prediction prediction;
  ESPALIER_ASSIGN(const data::Sequence* const input, api::built_for(*state_, sequence, buffer));
  ESPALIER_ASSIGN(const api::DecodeChoice choice, api::decode_choice(*state_, options));
  ESPALIER_TRY(predict_one(*state_, *input, {}, choice, /*single=*/false, prediction));
  const std::vector<data::Label>& labels = prediction.labels();
  return std::vector<uint16_t>(labels.begin(), labels.end());
}

Result<std::vector<Explanation>> Tagger::explain(const SequenceBuilder& sequence,
                                                 const DecodeOptions& options,
                                                 const std::vector<std::string>& forced) const {
  data::Sequence buffer;
  ESPALIER_ASSIGN(const data::Sequence* const input, api::built_for(*state_, sequence, buffer));
  return explain_one(*state_, *input, options, forced);
}

Result<std::vector<Explanation>> Tagger::explain_rows(const std::vector<std::vector<std::string>>& rows,
                                                      const DecodeOptions& options,
                                                      const std::vector<std::string>& forced) const {
  const auto& about = state_->model.about();
  ESPALIER_ASSIGN(const data::Sequence sequence,
                  api::sequence_of_rows(rows, about.reading, about.features.feature_columns));
  return explain_one(*state_, sequence, options, forced);
}

Result<std::vector<Explanation>> Tagger::explain_words(const std::vector<std::string>& words,
                                                       const DecodeOptions& options,
                                                       const std::vector<std::string>& forced) const {
  const auto& about = state_->model.about();
  ESPALIER_ASSIGN(const data::Sequence sequence,
                  api::sequence_of_words(words, about.reading, about.features.feature_columns));
  return explain_one(*state_, sequence, options, forced);
}

}  // namespace espalier
