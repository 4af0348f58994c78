// What the learners of searches (searn, laso and its kin, incremental) share: options, their parameters, and
// what follows from options and task before any data is read. Tested by learner_test.cc and
// train_search_test.cc.
#pragma once

#include <optional>
#include <string>

#include "espalier/model/learner.h"
#include "espalier/model/registry.h"
#include "espalier/tasks/search_training.h"
#include "espalier/tasks/spaces/decision_plan.h"

namespace espalier::model {

enum class Frontier { kBreadthFirst, kBestFirst };

struct SearchLearnerOptions : CommonOptions {
  tasks::SearchLearner learner = tasks::SearchLearner::kSearn;  ///< not a parameter: set by the learner
  std::optional<size_t> beam;
  std::optional<Frontier> decoder;
  size_t history = 2;
  size_t lead = 2;
  tasks::DecisionOrder direction = tasks::DecisionOrder::kLeftToRight;
  std::optional<tasks::SequenceLoss> loss;
  std::optional<tasks::DecisionUnit> unit;
  std::optional<size_t> max_length;
  std::string meta = "yes", stemmer, lists;
  bool average = true;
  bool swap = false;
  size_t limit = 100;
};

/// What `auto` stands for where the task decides.
tasks::DecisionUnit unit_of(const SearchLearnerOptions& options, TaskKind task);
tasks::SearchKind search_kind(const SearchLearnerOptions& options, TaskKind task);
tasks::SequenceLoss loss_of(const SearchLearnerOptions& options, TaskKind task);
bool searches_best_first(const SearchLearnerOptions& options);
size_t beam_of(const SearchLearnerOptions& options, TaskKind task);

/// Chunks are made from the text alone; several columns of labels are read from it.
DataNeeds search_needs(const SearchLearnerOptions& options, const Situation& situation);

/// What is wrong with the options of any of these learners.
Status check_search_options(const SearchLearnerOptions& options, const Situation& situation);

template <typename O>
void add_search_parameters(ParameterTable<O>& table) {
  table.whole("beam", &O::beam, {1, 1e5},
              "states kept at each step, in decoding and in learning by search; 1: greedy; auto: that, but "
              "with learner searn 8 for task parse, and 5 for chunks by logistic or softmax-margin");
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
  table.only_where(
      {"history", "direction", "loss", "cutoff", "degree", "names", "weight-bits", "full-rows"},
      [](const O&, const Situation& s) {
        return s.task.kind != TaskKind::kParse && s.task.kind != TaskKind::kSummary;
      },
      "tasks that label sequences; parsers and summarisers have features, losses and weights of their own");
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
