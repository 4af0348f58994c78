#include "espalier/combine/ensemble.h"

#include <algorithm>

#include "espalier/api/public_monitor.h"
#include "espalier/api/text_io.h"
#include "espalier/base/text/format.h"

namespace espalier {
namespace {

EnsembleInfo info_of(const ensemble::EnsembleModel& model) {
  EnsembleInfo info;
  info.method = ensemble::method_name(model.method);
  info.substructures = ensemble::substructures_text(model.substructures);
  info.scheme = data::scheme_name(model.scheme);
  info.beta = model.beta;
  info.experts = model.experts;
  info.labels = model.labels.names();
  info.best_expert = model.best_expert;
  info.aligned = model.aligned;
  info.probabilities = model.probabilities;
  info.switch_length = model.switch_length;
  info.training_sequences = model.training_sequences;
  info.training_tokens = model.training_tokens;
  info.summary = model.words;
  return info;
}

EnsembleLearning learning_from(ensemble::LearnedEnsemble& learned) {
  const auto measured = [](double value) { return value < 0 ? std::nullopt : std::optional(value); };
  EnsembleLearning out;
  for (const ensemble::Candidate& candidate : learned.outcome.candidates)
    out.candidates.push_back({std::string(ensemble::method_name(candidate.method)), candidate.beta,
                              candidate.loss, candidate.deviation, candidate.failure});
  out.left_out = learned.left_out;
  out.error = measured(learned.outcome.held_out_error);
  out.best_expert_error = measured(learned.outcome.held_out_best);
  out.edit_distance = measured(learned.outcome.held_out_edits);
  out.best_expert_edit_distance = measured(learned.outcome.held_out_best_edits);
  out.notes = std::move(learned.outcome.notes);
  return out;
}

/// Checks that there are as many experts as the ensemble was learned with, and prepares the streams.
Status prepare_streams(const Ensemble::State& state, const ExpertFiles& files,
                       ensemble::AlignedExperts& aligned) {
  const ensemble::EnsembleModel& model = state.model;
  if (aligned.experts() != model.experts.size())
    return fail("{}: the ensemble combines {} experts ({}), but {} are given", state.name,
                model.experts.size(), joined(model.experts, ", "), aligned.experts());
  // Experts are told apart by their order. Names say nothing where each data set has files of its own, but
  // the same names in another order are a mistake.
  const std::vector<std::string> given = aligned.expert_names();
  if (given != model.experts &&
      std::is_permutation(given.begin(), given.end(), model.experts.begin(), model.experts.end()))
    return fail("{}: the experts are in another order than in training, which was {}", state.name,
                joined(model.experts, ", "));
  if (model.aligned) aligned.align();
  return model.probabilities ? aligned.ask_probabilities(files.probability_column) : Status();
}

/// Labels in memory as votes.
class VotesFromMemory {
 public:
  VotesFromMemory(const ensemble::EnsembleModel& model, data::LabelSet& labels)
      : model_(model), labels_(labels) {}

  Status fill(const std::vector<Labels>& answers, const std::vector<std::vector<double>>& probabilities,
              ensemble::TokenVotes& votes) {
    if (model_.aligned) return fill_aligned(answers, votes);
    size_t length = 0, first = 0;
    while (first < answers.size() && answers[first].empty()) ++first;
    if (first < answers.size()) length = answers[first].size();
    votes.reset(answers.size(), length);
    if (model_.probabilities) votes.probability.assign(votes.votes.size(), 0);
    for (size_t j = 0; j < answers.size(); ++j) {
      if (answers[j].empty()) continue;
      if (answers[j].size() != length)
        return fail("{} has {} labels, but {} has {}: one per token is expected", model_.experts[j],
                    answers[j].size(), model_.experts[first], length);
      if (model_.probabilities && probabilities[j].size() != length)
        return fail("{} has {} labels and {} probabilities", model_.experts[j], length,
                    probabilities[j].size());
      for (size_t t = 0; t < length; ++t) {
        const size_t cell = t * answers.size() + j;
        ESPALIER_ASSIGN(votes.votes[cell], number_of(answers[j][t]));
        if (!model_.probabilities || votes.votes[cell] == data::kNoLabel) continue;
        if (!(probabilities[j][t] >= 0 && probabilities[j][t] <= 1))
          return fail("{}: {} is not a probability", model_.experts[j], probabilities[j][t]);
        votes.probability[cell] = static_cast<float>(probabilities[j][t]);
      }
    }
    return {};
  }

 private:
  Status fill_aligned(const std::vector<Labels>& answers, ensemble::TokenVotes& votes) {
    std::vector<ensemble::ExpertOutput> outputs(answers.size());
    for (size_t j = 0; j < answers.size(); ++j) {
      if (answers[j].size() > ensemble::kLongestAligned)
        return fail("{} has {} labels; outputs of more than {} cannot be aligned", model_.experts[j],
                    answers[j].size(), ensemble::kLongestAligned);
      for (const std::string& text : answers[j]) {
        ESPALIER_ASSIGN(const data::Label label, number_of(text));
        if (label != data::kNoLabel) outputs[j].labels.push_back(label);
      }
      outputs[j].speaks = !outputs[j].labels.empty();
    }
    ensemble::MultipleAligner(model_.gap()).align(outputs, votes);
    return {};
  }

  Result<data::Label> number_of(const std::string& text) {
    if (text.empty() || text == data::kUnknownLabelText) return data::kNoLabel;
    if (model_.aligned && text == ensemble::kGapText)
      return fail("the label {} is reserved for gaps; rename it", text);
    if (const auto known = labels_.find(text)) return *known;
    if (labels_.size() + 2 >= data::kNoLabel) return fail("there are too many different labels");
    return labels_.add(text);
  }

  const ensemble::EnsembleModel& model_;
  data::LabelSet& labels_;
};

}  // namespace

std::unique_ptr<ensemble::Applier> Ensemble::State::take() const {
  {
    const std::lock_guard lock(mutex_);
    if (!pool_.empty()) {
      auto applier = std::move(pool_.back());
      pool_.pop_back();
      return applier;
    }
  }
  return std::make_unique<ensemble::Applier>(model, true);
}

void Ensemble::State::put_back(std::unique_ptr<ensemble::Applier> applier) const {
  if (applier->has_new_labels()) return;
  const std::lock_guard lock(mutex_);
  pool_.push_back(std::move(applier));
}

Ensemble EnsembleBuilder::make(ensemble::EnsembleModel model, EnsembleLearning learning, std::string name) {
  auto state = std::make_shared<Ensemble::State>();
  state->info = info_of(model);
  state->model = std::move(model);
  state->learning = std::move(learning);
  state->name = std::move(name);
  return Ensemble(std::move(state));
}

Result<Ensemble> Ensemble::learn(const Data& gold, const std::vector<Expert>& experts,
                                 const EnsembleOptions& options) {
  ESPALIER_TRY(options.check());
  const api::PublicMonitor monitor(options.on_progress, options.stop);
  ESPALIER_ASSIGN(ensemble::ExpertLearning settings, api::learning_of(options));
  data::LabelSet labels;
  ESPALIER_ASSIGN(ensemble::OpenExperts open,
                  api::open_public_experts(&gold, true, experts,
                                           {options.files, options.missing, options.threads}, labels));
  ESPALIER_ASSIGN(
      ensemble::LearnedEnsemble learned,
      ensemble::learn_from_experts(*open.aligned, labels, std::move(settings), monitor.monitor()));
  EnsembleLearning learning = learning_from(learned);
  return EnsembleBuilder::make(std::move(learned.outcome.model), std::move(learning), "ensemble");
}

Result<Ensemble> Ensemble::open(const std::string& path) {
  ESPALIER_ASSIGN(ensemble::EnsembleModel model, ensemble::EnsembleModel::open(path));
  return EnsembleBuilder::make(std::move(model), {}, path);
}

Result<Ensemble> Ensemble::from_bytes(std::vector<std::byte> bytes, std::string name) {
  ESPALIER_ASSIGN(ensemble::EnsembleModel model, ensemble::EnsembleModel::from_bytes(bytes, name));
  return EnsembleBuilder::make(std::move(model), {}, std::move(name));
}

Status Ensemble::save(const std::string& path) const { return state_->model.save(path); }
std::vector<std::byte> Ensemble::bytes() const { return state_->model.to_bytes(); }
const EnsembleInfo& Ensemble::info() const { return state_->info; }
const EnsembleLearning& Ensemble::learning() const { return state_->learning; }

Result<Combined> Ensemble::combine(const std::vector<Labels>& answers,
                                   const std::vector<std::vector<double>>& probabilities,
                                   size_t number) const {
  const ensemble::EnsembleModel& model = state_->model;
  if (answers.size() != model.experts.size())
    return fail("{}: the ensemble combines {} experts ({}), but {} answers are given", state_->name,
                model.experts.size(), joined(model.experts, ", "), answers.size());
  if (!model.probabilities && !probabilities.empty())
    return fail("{}: the ensemble was learned without probabilities and cannot use them", state_->name);
  if (model.probabilities && probabilities.size() != answers.size())
    return fail("{}: the ensemble was learned with probabilities; give those of each expert", state_->name);
  std::unique_ptr<ensemble::Applier> applier = state_->take();
  ensemble::TokenVotes votes;
  ESPALIER_TRY(VotesFromMemory(model, applier->labels()).fill(answers, probabilities, votes));
  ensemble::Answer answer;
  ESPALIER_TRY(applier->answer(votes, number, false, answer));
  Combined out;
  out.labels.assign(answer.labels.begin(), answer.labels.end());
  out.confidence = std::move(answer.confidence);
  out.sequence_confidence = answer.whole;
  state_->put_back(std::move(applier));
  return out;
}

Result<Applied> Ensemble::apply(const std::vector<Expert>& experts, const Sink& sink,
                                const ApplyOptions& options) const {
  ESPALIER_TRY(options.check());
  const api::PublicMonitor monitor(options.on_progress, options.stop);
  ensemble::Applier applier(state_->model, !options.any_sequence);
  ESPALIER_ASSIGN(
      ensemble::OpenExperts open,
      api::open_public_experts(options.text ? &*options.text : nullptr, false, experts,
                               {options.files, options.missing, options.threads}, applier.labels()));
  ESPALIER_TRY(prepare_streams(*state_, options.files, *open.aligned));
  ESPALIER_ASSIGN(
      const ensemble::AnswerWriter writer,
      ensemble::AnswerWriter::make(open, options.output_format, state_->model.aligned, options.confidence));
  ESPALIER_ASSIGN(api::OpenSink out, api::OpenSink::open(sink));
  ESPALIER_ASSIGN(const ensemble::AppliedCounts counts,
                  ensemble::apply_to_streams(
                      applier, open, writer, [&out](std::string_view text) { return out.write(text); },
                      monitor.monitor()));
  ESPALIER_TRY(out.commit());
  return Applied{counts.sequences, counts.tokens};
}

Result<EnsembleReport> Ensemble::report(const Data& gold, const std::vector<Expert>& experts,
                                        const EnsembleReportOptions& options) const {
  const ensemble::EnsembleModel& model = state_->model;
  ESPALIER_TRY(options.check());
  const api::PublicMonitor monitor(options.on_progress, options.stop);
  data::LabelSet labels = model.labels;
  ESPALIER_ASSIGN(ensemble::OpenExperts open,
                  api::open_public_experts(&gold, true, experts,
                                           {options.files, options.missing, options.threads}, labels));
  ensemble::AlignedExperts& aligned = *open.aligned;
  ESPALIER_TRY(prepare_streams(*state_, options.files, aligned));
  ESPALIER_ASSIGN(const ensemble::EnsembleReport report,
                  ensemble::report_on_streams(model, !options.any_sequence, aligned, labels, options.seed,
                                              monitor.monitor()));
  std::vector<ensemble::BoundLine> bounds;
  if (options.bounds) {
    ensemble::Substructures substructures(model.substructures, labels, model.scheme);
    ensemble::AlignedSource source(aligned, substructures);
    ESPALIER_ASSIGN(bounds, ensemble::paper_bounds(source, model, options.margin));
  }
  return api::public_report(report, bounds, labels);
}

}  // namespace espalier
