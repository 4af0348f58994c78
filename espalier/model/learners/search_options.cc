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

bool labels_sequences(const SearchLearnerOptions&, const Situation& s) {
  return s.task.kind != TaskKind::kParse && s.task.kind != TaskKind::kSummary;
}
constexpr std::string_view kLabelsSequences =
    "tasks that label sequences; parsers and summarisers have features, losses and weights of their own";

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

void add_search_parameters(ParameterTable<SearchLearnerOptions> table, tasks::SearchLearner learner) {
  using O = SearchLearnerOptions;
  const bool searn = learner == tasks::SearchLearner::kSearn;
  table.whole(
      "beam", &O::beam, {1, 1e5},
      searn ? "states kept at each step of decoding; 1: greedy; auto: 8 for task parse, 5 for chunks by "
              "logistic or softmax-margin, otherwise 1"
            : "states kept at each step, in learning and in decoding; 1: greedy");
  table.choice(
      "decoder", &O::decoder,
      {{"breadth-first", Frontier::kBreadthFirst}, {"best-first", Frontier::kBestFirst}},
      "how the beam is searched; auto: best-first for laso and laso-bst, which learn it, breadth-first "
      "for the others",
      kAdvanced);
  table.whole(
      "history", &O::history, {0, static_cast<double>(tasks::kMostHistory)},
      "how many earlier labels are features, as n-grams of every length up to this; for chunks, their "
      "types; with direction=easiest-first, labels on either side");
  table.whole(
      "lead", &O::lead, {0, static_cast<double>(tasks::kMostLead)},
      "task joint: each column of labels is decided so many tokens ahead of the next, which then sees "
      "its labels on both sides",
      kAdvanced);
  if (searn) {
    table.choice("direction", &O::direction,
                 {{"left-to-right", tasks::DecisionOrder::kLeftToRight},
                  {"right-to-left", tasks::DecisionOrder::kRightToLeft},
                  {"easiest-first", tasks::DecisionOrder::kEasiestFirst}},
                 "the order of decisions; easiest-first is learned (words, greedy)");
    table.choice(
        "loss", &O::loss,
        {{"hamming", tasks::SequenceLoss::kHamming},
         {"f1", tasks::SequenceLoss::kF1},
         {"zero-one", tasks::SequenceLoss::kZeroOne}},
        "what errors cost: wrong labels, 1 - F1 of segments, anything wrong; auto: f1 for task segment");
    table.only_where({"loss"}, labels_sequences, kLabelsSequences);
  } else {
    // These learners ask whether an action is right, never what a wrong one costs.
    table.choice("direction", &O::direction,
                 {{"left-to-right", tasks::DecisionOrder::kLeftToRight},
                  {"right-to-left", tasks::DecisionOrder::kRightToLeft}},
                 "the order of decisions");
  }
  table.choice("unit", &O::unit,
               {{"word", tasks::DecisionUnit::kWord},
                {"chunk", tasks::DecisionUnit::kChunk},
                {"sentence", tasks::DecisionUnit::kSentence}},
               "what a decision is about: a word, a whole chunk, or a sentence of a summary; auto: chunk for "
               "task segment, sentence for task summary");
  table.whole("limit", &O::limit, {1, 1e5}, "task summary: words of a summary, at most", kAdvanced);
  table.whole(
      "max-length", &O::max_length, {1, 100},
      "chunks have at most this many words, longer ones are learned in pieces; auto: the longest seen, "
      "at most 10",
      kAdvanced);
  table.text(
      "meta", &O::meta,
      "chunks: features of the chunk as a whole, of n-grams within it and of words around it: no, yes, "
      "all, or a list of roles, places, around, pairs, triples, wholes, each with :BASE+BASE..., and "
      "edges, before",
      kAdvanced);
  table.text("stemmer", &O::stemmer,
             "chunks: stems of this language (english, spanish, ...) are features, too; task summary: words "
             "with the same stem are the same",
             kAdvanced);
  table.text("lists", &O::lists, "chunks: files of words or phrases, one per line, separated by commas",
             kAdvanced);
  table.flag("average", &O::average, "use the average of the weights instead of the last ones", kAdvanced);

  table.choice("system", &O::swap, {{"projective", false}, {"swap", true}},
               "task parse: arc-hybrid moves, whose trees have no crossing arcs, or with a move that swaps "
               "words, for any tree",
               kAdvanced);
  table.only_where(
      {"system"}, [](const O&, const Situation& s) { return s.task.kind == TaskKind::kParse; }, "task parse");
  table.only_where({"history", "direction", "cutoff", "degree", "names", "weight-bits", "full-rows"},
                   labels_sequences, kLabelsSequences);
  table.only_where(
      {"unit"}, [](const O&, const Situation& s) { return s.task.kind != TaskKind::kParse; },
      "tasks that label sequences, and summaries");
  table.only_where(
      {"limit"}, [](const O&, const Situation& s) { return s.task.kind == TaskKind::kSummary; },
      "task summary");
  table.only_where(
      {"max-length", "meta", "lists"},
      [](const O& o, const Situation& s) { return unit_of(o, s.task.kind) == tasks::DecisionUnit::kChunk; },
      "unit=chunk");
  table.only_where(
      {"stemmer"},
      [](const O& o, const Situation& s) {
        return s.task.kind == TaskKind::kSummary || unit_of(o, s.task.kind) == tasks::DecisionUnit::kChunk;
      },
      "unit=chunk, or task summary");
  table.only_where(
      {"lead"}, [](const O&, const Situation& s) { return s.task.kind == TaskKind::kJoint; },
      "task joint: how far ahead a column of labels is decided");
  table.only_where(
      {"decoder"},
      [](const O& o, const Situation&) { return o.direction != tasks::DecisionOrder::kEasiestFirst; },
      "direction=left-to-right and right-to-left; easiest-first goes greedily");
  table.require(check_search_options);
}

}  // namespace espalier::model
