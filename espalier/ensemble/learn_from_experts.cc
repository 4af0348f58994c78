#include "espalier/ensemble/learn_from_experts.h"

#include "espalier/ensemble/sample.h"

namespace espalier::ensemble {
namespace {

/// Positions beyond this many are too many weights to learn from a few hundred sequences.
constexpr size_t kMostPositions = 64;

bool tokens_alone(SubstructureKind kind) {
  return kind == SubstructureKind::kPositions || kind == SubstructureKind::kClasses ||
         kind == SubstructureKind::kTokens;
}

Status check_alignable(SubstructureKind kind) {
  if (kind == SubstructureKind::kSpans || kind == SubstructureKind::kDimensions)
    return fail("the substructures {} are not supported with aligned outputs",
                kind == SubstructureKind::kSpans ? "spans" : "dimensions");
  return {};
}

/// What the data decides about the request.
Status resolve_substructures(const ExpertLearning& settings, const Sample& sample, const std::string& gold,
                             LearnRequest& request) {
  if (settings.substructures) {
    request.substructures = *settings.substructures;
  } else if (!settings.automaton.empty() || (sample.one_length && sample.length <= kMostPositions)) {
    request.substructures.kind = SubstructureKind::kPositions;
  }
  if (request.aligned) ESPALIER_TRY(check_alignable(request.substructures.kind));
  if (request.substructures.kind == SubstructureKind::kSpans && sample.scheme == data::Scheme::kNone)
    return fail("{}: the labels are not of the form B-TYPE, I-TYPE, O, so there are no spans to combine",
                gold);
  return {};
}

}  // namespace

Result<AlignOutputs> parse_align(std::string_view text) {
  if (text == "auto") return AlignOutputs::kAuto;
  if (text == "yes") return AlignOutputs::kYes;
  if (text == "no") return AlignOutputs::kNo;
  return fail("align '{}': expected auto, yes or no", text);
}

Status check(const ExpertLearning& settings) {
  ESPALIER_CHECK(!settings.request.methods.empty());
  const bool espboost =
      settings.request.methods.size() == 1 && settings.request.methods.front() == Method::kEspboost;
  if (settings.request.probabilities) {
    if (!espboost) return fail("probabilities need the method espboost");
    if (settings.align == AlignOutputs::kYes)
      return fail("probabilities are not supported with aligned outputs");
    if (settings.substructures && !tokens_alone(settings.substructures->kind))
      return fail("probabilities need the substructures positions, classes or tokens");
  }
  if (!settings.substructures) return {};
  if (!settings.automaton.empty() && settings.substructures->kind != SubstructureKind::kPositions)
    return fail("an automaton is about positions; the substructures {} are not supported with it",
                substructures_text(*settings.substructures));
  return settings.align == AlignOutputs::kYes ? check_alignable(settings.substructures->kind) : Status();
}

Result<LearnedEnsemble> learn_from_experts(AlignedExperts& aligned, data::LabelSet& labels,
                                           ExpertLearning settings, const Monitor& monitor) {
  ESPALIER_TRY(check(settings));
  LearnRequest& request = settings.request;
  if (settings.align == AlignOutputs::kYes) aligned.align();
  if (request.probabilities) ESPALIER_TRY(aligned.ask_probabilities(settings.probability_column));
  auto read = read_sample(aligned, labels, settings.memory, monitor);
  if (!read.ok() && aligned.lengths_differ() && settings.align == AlignOutputs::kAuto &&
      !request.probabilities) {
    labels = {};
    aligned.align();
    read = read_sample(aligned, labels, settings.memory, monitor);
  }
  if (!read.ok()) return std::move(read).error();
  const Sample& sample = *read;

  const std::vector<std::string> names = aligned.expert_names();
  std::optional<ExpertAutomaton> automaton;
  if (!settings.automaton.empty()) {
    ESPALIER_ASSIGN(automaton, ExpertAutomaton::open(settings.automaton, names));
    request.options.automaton = &*automaton;
  }
  request.aligned = aligned.aligning();
  request.scheme = aligned.aligning() ? data::Scheme::kNone : sample.scheme;
  ESPALIER_TRY(resolve_substructures(settings, sample, aligned.reference().name(), request));

  LearnedEnsemble out;
  ESPALIER_ASSIGN(out.outcome, learn_ensemble(sample.votes, labels, request, monitor));
  if (monitor.stop_requested()) return fail("interrupted while learning");
  out.left_out = sample.left_out;
  std::vector<std::string>& notes = out.outcome.notes;
  if (aligned.aligning())
    notes.push_back(
        "outputs of unequal length are aligned, with gaps; tokens here are columns of the alignment");
  EnsembleModel& model = out.outcome.model;
  model.experts = names;
  model.automaton = std::move(automaton);
  model.training_sequences = sample.sequences;
  model.training_tokens = sample.tokens;
  for (std::string& remark : sample.remarks(names, model.labels)) notes.push_back(std::move(remark));
  return out;
}

}  // namespace espalier::ensemble
