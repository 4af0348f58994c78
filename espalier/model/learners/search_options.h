// What the learners of searches (searn, laso and its kin, incremental) share: options, their parameters, and
// what follows from options and task before any data is read. Tested by learner_test.cc and
// espalier/model/training/train_search_test.cc.
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

/// What all of these learners have; `loss` and easiest-first decisions are SEARN's alone.
void add_search_parameters(ParameterTable<SearchLearnerOptions> table, tasks::SearchLearner learner);

}  // namespace espalier::model
