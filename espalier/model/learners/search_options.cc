#include "espalier/model/learners/search_options.h"

#include "espalier/data/stemmer.h"
#include "espalier/tasks/trees/tree_model.h"

namespace espalier::model {

using tasks::DecisionOrder;
using tasks::DecisionUnit;
using tasks::SearchKind;
using tasks::SequenceLoss;

DecisionUnit unit_of(const SearchLearnerOptions& options, TaskKind task) {
  return options.unit.value_or(task == TaskKind::kSegment   ? DecisionUnit::kChunk
                               : task == TaskKind::kSummary ? DecisionUnit::kSentence
                                                            : DecisionUnit::kWord);
}

SearchKind search_kind(const SearchLearnerOptions& options, TaskKind task) {
  if (task == TaskKind::kSummary) return SearchKind::kSummary;
  if (unit_of(options, task) == DecisionUnit::kChunk) return SearchKind::kSegment;
  if (task == TaskKind::kJoint) return SearchKind::kJoint;
  return options.direction == DecisionOrder::kEasiestFirst ? SearchKind::kEasiest : SearchKind::kLabel;
}

SequenceLoss loss_of(const SearchLearnerOptions& options, TaskKind task) {
  if (options.loss) return *options.loss;
  const SearchKind kind = search_kind(options, task);
  const bool left_to_right = kind == SearchKind::kSegment ||
                             (kind == SearchKind::kLabel && options.direction == DecisionOrder::kLeftToRight);
  return task == TaskKind::kSegment && left_to_right ? SequenceLoss::kF1 : SequenceLoss::kHamming;
}

bool searches_best_first(const SearchLearnerOptions& options) {
  const bool learned =
      options.learner == tasks::SearchLearner::kLaso || options.learner == tasks::SearchLearner::kLasoBst;
  return options.decoder.value_or(learned ? Frontier::kBestFirst : Frontier::kBreadthFirst) ==
         Frontier::kBestFirst;
}

size_t beam_of(const SearchLearnerOptions& options, TaskKind task) {
  const bool parser = task == TaskKind::kParse && options.learner == tasks::SearchLearner::kSearn;
  return options.beam.value_or(parser ? tasks::kUsualTreeBeam : 1);
}

DataNeeds search_needs(const SearchLearnerOptions& options, const Situation& situation) {
  if (situation.task.kind == TaskKind::kParse || situation.task.kind == TaskKind::kSummary)
    return {.features = false, .text = true};
  switch (search_kind(options, situation.task.kind)) {
    case SearchKind::kSegment:
      return {.features = false, .text = true};
    case SearchKind::kJoint:
      return {.features = true, .text = true};
    case SearchKind::kLabel:
    case SearchKind::kEasiest:
    case SearchKind::kSummary:
      break;
  }
  return {};
}

namespace {

Status check_chunk_options(const SearchLearnerOptions& o) {
  tasks::ChunkFeatureOptions features;
  const auto meta = tasks::ChunkFamilies::parse(o.meta);
  if (!meta.ok()) return fail("meta: {}", meta.error().message);
  if (meta->none() && (!o.stemmer.empty() || !o.lists.empty()))
    return fail("stems and lists are features that meta=no leaves out: take it away, or stemmer and lists");
  features.stemmer = o.stemmer;
  ESPALIER_TRY(tasks::ChunkFeatures::make(features, 1));  // there is such a stemmer
  return {};
}

}  // namespace

Status check_search_options(const SearchLearnerOptions& o, const Situation& situation) {
  const TaskKind task = situation.task.kind;
  if (task == TaskKind::kSummary && unit_of(o, task) == DecisionUnit::kChunk)
    return fail("a summary is made of sentences or words: unit=sentence or unit=word");
  if (task != TaskKind::kSummary && unit_of(o, task) == DecisionUnit::kSentence)
    return fail("unit=sentence goes with task summary");
  if (task == TaskKind::kSummary && !o.stemmer.empty()) ESPALIER_TRY(data::Stemmer::make(o.stemmer));
  const bool chunks = unit_of(o, task) == DecisionUnit::kChunk, several = task == TaskKind::kJoint;
  const bool easiest = o.direction == DecisionOrder::kEasiestFirst;
  if (chunks && several) return fail("several columns of labels are decided word by word: unit=word");
  if (chunks && o.direction != DecisionOrder::kLeftToRight)
    return fail("chunks are decided from left to right: direction=left-to-right goes with unit=chunk");
  if (o.loss == SequenceLoss::kF1 && several)
    return fail("loss=f1 is about segments of one column; several take hamming or zero-one");
  if (easiest && (several || task == TaskKind::kSegment || o.loss == SequenceLoss::kF1))
    return fail(
        "direction=easiest-first labels one column of words freely: task label, loss hamming or zero-one");
  if (o.loss == SequenceLoss::kF1 && !chunks && o.direction == DecisionOrder::kRightToLeft)
    return fail("loss=f1 with words decided from right to left is not supported; take loss=hamming");
  if (easiest && o.learner != tasks::SearchLearner::kSearn)
    return fail("direction=easiest-first is learned by searn");
  if (easiest && beam_of(o, task) > 1)
    return fail("direction=easiest-first is searched greedily: beam=1 goes with it");
  if (situation.constraints && several)
    return fail("a search that decides several columns cannot keep to constraints");
  if (situation.constraints && o.direction != DecisionOrder::kLeftToRight)
    return fail(
        "a search that decides from right to left cannot keep to constraints, nor one that decides what is "
        "easiest first");
  return chunks ? check_chunk_options(o) : Status();
}

}  // namespace espalier::model
