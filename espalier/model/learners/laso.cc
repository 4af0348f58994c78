// The learners that update while they search: LaSO, its variants for beams, and the incremental perceptron.
// Tested by espalier/model/training/train_search_test.cc.
#include "espalier/search/laso.h"

#include "espalier/model/learners/learners.h"
#include "espalier/model/learners/search_options.h"
#include "espalier/model/training/search_training.h"
#include "espalier/model/training/summary_training.h"
#include "espalier/model/training/tree_training.h"

namespace espalier::model {

namespace {

struct LasoLearnerOptions : SearchLearnerOptions {
  int passes = 10;
  double rate = 1;
  search::IncrementalUpdate update = search::IncrementalUpdate::kMaxViolation;
};

Status train_by_search(TrainingJob& job, const LasoLearnerOptions& o) {
  tasks::SearchOptions options;
  options.learner = o.learner;
  options.seed = job.request.seed;
  options.average = o.average;
  options.laso.width = beam_of(o, job.task->kind);
  options.laso.rate = o.rate;
  options.passes = o.passes;
  options.incremental = o.update;
  if (job.task->kind == TaskKind::kParse) return train_tree_model(job, o, options);
  if (job.task->kind == TaskKind::kSummary) return train_summary_model(job, o, {options});
  return train_search_model(job, o, {options, false});
}

std::unique_ptr<const LearnerSpec> make_by_search(tasks::SearchLearner learner, std::string_view name,
                                                  std::string_view summary) {
  using O = LasoLearnerOptions;
  O defaults;
  defaults.learner = learner;
  // LaSO-BR and LaSO-BST ask for a target anywhere in the beam and never that it comes out on top, so wider
  // beams leave the order of what they hold unlearned, and tag worse.
  const bool in_beam = learner == tasks::SearchLearner::kLasoBr || learner == tasks::SearchLearner::kLasoBst;
  defaults.beam = in_beam ? 1 : 5;
  ParameterTable<O> table(defaults);
  table.whole("passes", &O::passes, {1, 1e6}, "passes over the training data");
  table.number("rate", &O::rate, {1e-9, 1e3}, "size of an update");
  if (learner == tasks::SearchLearner::kIncremental)
    table.choice("update", &O::update,
                 {{"early", search::IncrementalUpdate::kEarly},
                  {"max-violation", search::IncrementalUpdate::kMaxViolation}},
                 "where the target falls out of the beam, or where it is farthest below the best");
  add_search_parameters(table, learner);
  add_common_parameters(table);
  add_full_rows(table);
  return make_learner<O>({.name = name,
                          .summary = summary,
                          .kind = ModelKind::kSearch,
                          .constraints = ConstraintUse::kAny,
                          .keeps_checkpoints = false},
                         std::move(table), {.train = train_by_search, .needs = search_needs});
}

}  // namespace

std::unique_ptr<const LearnerSpec> laso_br_learner() {
  return make_by_search(tasks::SearchLearner::kLasoBr, "laso-br",
                        "learns to keep the target in a breadth-first beam (Xu and Fern's LaSO-BR)");
}
std::unique_ptr<const LearnerSpec> laso_bst_learner() {
  return make_by_search(tasks::SearchLearner::kLasoBst, "laso-bst",
                        "the same for best-first beam search (LaSO-BST)");
}
std::unique_ptr<const LearnerSpec> laso_learner() {
  return make_by_search(tasks::SearchLearner::kLaso, "laso",
                        "learning as search optimisation as first proposed (Daume and Marcu)");
}
std::unique_ptr<const LearnerSpec> incremental_learner() {
  return make_by_search(tasks::SearchLearner::kIncremental, "incremental",
                        "incremental perceptron: beam search with early or max-violation updates");
}

}  // namespace espalier::model
