#include "espalier/model/registry.h"

#include <algorithm>
#include <charconv>

#include "espalier/base/text.h"
#include "espalier/model/train_brackets.h"
#include "espalier/model/train_search.h"

namespace espalier::model {

namespace {

using Kind = Parameter::Kind;

const std::vector<Parameter>& common() {
  static const std::vector<Parameter> parameters = {
      {"cutoff", Kind::kInteger, "1", "drop features seen fewer times than this", 1, 1e9},
      {"degree", Kind::kInteger, "1", "2 adds every pair of a token's features (for pixels and the like)", 1,
       2},
      {"full-rows", Kind::kInteger, "auto",
       "features seen at least this often get a weight for every label, others for the labels seen with "
       "them; "
       "0: none, 1: all; auto: 5, or none with more than 64 labels",
       0, 1e9},
      {"names", Kind::kFlag, "yes", "keep feature names in the model, for inspect and explain"},
      {"weight-bits",
       Kind::kChoice,
       "auto",
       "bits a weight takes in the model; auto takes 16 where the labels stay the same on the training data",
       0,
       0,
       {"auto", "16", "32"}},
      {"patience", Kind::kInteger, "5", "with --dev: stop after this many rounds without a better score", 1,
       1e9},
      {"label-weights", Kind::kText, "", "what errors on a gold label cost, as LABEL:WEIGHT,LABEL:WEIGHT,…"},
  };
  return parameters;
}

Parameter passes(std::string_view fallback, std::string_view help = "passes over the training data") {
  return {"passes", Kind::kInteger, fallback, help, 1, 1e6};
}
Parameter batch(std::string_view fallback) {
  return {"batch",  Kind::kInteger,
          fallback, "sequences a step looks at (the same at any number of threads)",
          1,        1e6};
}

std::vector<Parameter> log_loss_parameters() {
  return {
      {"l2", Kind::kNumber, "auto",
       "L2 penalty: the objective is the loss summed over the data + l2·|w|² + l1·|w|; auto: 1, with dropout "
       "0.3"},
      {"l1", Kind::kNumber, "0", "L1 penalty; makes weights exactly 0, which are then not stored"},
      {"algorithm",
       Kind::kChoice,
       "adagrad",
       "adagrad (stochastic) or lbfgs (batch; OWL-QN where l1 > 0)",
       0,
       0,
       {"adagrad", "lbfgs"}},
      passes("auto",
             "adagrad: passes over the training data; auto: 6, more where there are under 300,000 tokens"),
      batch("8"),
      {"rate", Kind::kNumber, "0.2", "adagrad: the step size", 1e-9, 1e3},
      {"dropout", Kind::kNumber, "0",
       "adagrad: share of each token's features left out at random whenever it is learned from; 0.25 is good "
       "for many tasks, more for names",
       0, 0.95},
      {"average-from", Kind::kNumber, "0.2", "adagrad: average the weights after this part of the passes", 0,
       1},
      {"iterations", Kind::kInteger, "200", "lbfgs: iterations at most", 1, 1e6},
      {"epsilon", Kind::kNumber, "1e-5", "lbfgs: stop when the gradient is this small beside the weights", 0,
       1},
  };
}

std::vector<Parameter> cascade_parameters() {
  return {
      {"order", Kind::kInteger, "3", "labels the last level looks at together: 3 is a trigram model", 1, 5},
      {"levels", Kind::kText, "auto", "orders of the levels, as 1,2,3; auto: 1 up to the order"},
      {"filter",
       Kind::kChoice,
       "cascade",
       "how the levels before the last one filter: cascade (the convex filter loss), the yardsticks "
       "perceptron and crf, "
       "dictionary (labels seen with the word), none",
       0,
       0,
       {"cascade", "perceptron", "crf", "dictionary", "none"}},
      {"last",
       Kind::kChoice,
       "crf",
       "how the last level learns: log loss, perceptron, or margin (wrong labels added to the score)",
       0,
       0,
       {"crf", "perceptron", "margin"}},
      {"filter-loss", Kind::kText, "auto",
       "share of the truth a level may lose beyond the levels before, one number or one a level; auto: "
       "0.0005, or the "
       "nearest that can be had"},
      {"loss-in-use", Kind::kNumber, "auto",
       "what the last filter (of order 2 or more) may lose when the model is used, where that is more than "
       "filter-loss: the last "
       "level then learns against more than it meets; auto: 0.006, or nothing more where filter-loss is "
       "given",
       0, 1},
      {"budget", Kind::kNumber, "0",
       "in place of filter-loss: label n-grams each filter leaves alive per position on average; 0: no "
       "budget",
       0, 1e6},
      {"loss-unit",
       Kind::kChoice,
       "positions",
       "what filter-loss is a share of",
       0,
       0,
       {"positions", "sequences"}},
      {"filter-unit",
       Kind::kChoice,
       "cliques",
       "what a filter of order n drops: cliques of n labels, or states of n-1",
       0,
       0,
       {"cliques", "states"}},
      {"warm-up", Kind::kInteger, "4",
       "filter=cascade: passes with log loss that filters begin with; 0: none", 0, 1e4},
      {"train-alphas", Kind::kText, "0.25,0.5",
       "filter=cascade: thresholds to learn filters with; the best by held-out data is taken"},
      {"filter-passes", Kind::kInteger, "3",
       "passes over the data a filter makes at most, the warm-up not counted", 1, 1e4},
      {"filter-steps",
       Kind::kChoice,
       "adaptive",
       "filter=cascade: how filters step: plain, or adaptive (AdaGrad)",
       0,
       0,
       {"plain", "adaptive"}},
      {"filter-rate", Kind::kNumber, "auto", "filter=cascade: step size; auto: 0.1 adaptive, 1 plain", 1e-9,
       1e6},
      {"filter-lambda", Kind::kNumber, "0", "penalty of the filters (cascade, perceptron)", 0, 1},
      {"usual-length", Kind::kNumber, "100",
       "thresholds are measured in a sequence's mean regret, drawn towards the usual one as if that had been "
       "seen at so many positions; 0: the sequence's alone",
       0, 1e9},
      {"folds", Kind::kInteger, "3",
       "parts of the jackknife, by which later levels learn on lattices of new data", 2, 100},
      {"quantiles", Kind::kFlag, "no", "tell a level in which eighth a state stood at the level before"},
      {"edge-order", Kind::kInteger, "2",
       "edge features (B lines that look at the input) speak about up to this many labels", 2, 5},
      {"word-feature", Kind::kText, "auto",
       "filter=dictionary: what the names of the features that stand for the word begin with"},
      passes("auto", "passes of the last level; auto: 6, more where there are under 300,000 tokens"),
      batch("8"),
      {"rate", Kind::kNumber, "0.2", "step size of the last level", 1e-9, 1e3},
      {"dropout", Kind::kNumber, "auto",
       "share of each token's features left out at random whenever the last level learns from it; auto: 0.25 "
       "where last=crf, otherwise 0",
       0, 0.95},
      {"l2", Kind::kNumber, "auto",
       "L2 penalty of the last level and of the log loss of filters, as for crf; auto: 1, where there is "
       "dropout 0.3"},
      {"average-from", Kind::kNumber, "0.2", "average the weights after this part of the passes", 0, 1},
      {"calibrate", Kind::kFlag, "yes", "last=perceptron, margin: fit the temperature"},
  };
}

const std::vector<Learner>& table() {
  static const std::vector<Learner> learners = [] {
    std::vector<Learner> all;
    all.push_back({"crf", "conditional random field: probabilities of whole labellings; the default",
                   log_loss_parameters()});
    all.push_back(
        {"perceptron",
         "averaged structured perceptron: fast, no penalty to tune",
         {passes("auto",
                 "passes over the training data; auto: 12, more where there are under 400,000 tokens"),
          batch("4"),
          {"average", Kind::kFlag, "yes", "use the average of the weights instead of the last ones"},
          {"calibrate", Kind::kFlag, "yes",
           "fit the temperature that turns scores into probabilities, on the dev set or on a tenth held out "
           "of a second training run"}}});
    all.push_back(
        {"svm",
         "structured support vector machine: margin-rescaled Hamming loss, block-coordinate Frank-Wolfe",
         {{"c", Kind::kNumber, "0.05", "weight of the errors against the size of the weights", 1e-9, 1e9},
          passes("15"),
          {"gap", Kind::kNumber, "0.01", "stop when the duality gap per sequence is below this", 0, 1e9},
          {"average", Kind::kFlag, "yes", "use the weighted average of the iterates"},
          {"calibrate", Kind::kFlag, "yes", "fit the temperature, as for perceptron"}}});
    all.push_back(
        {"memm", "maximum-entropy Markov model: each label given the one before", log_loss_parameters()});
    std::vector<Parameter> local = log_loss_parameters();
    local.insert(local.begin(), {"classifier",
                                 Kind::kChoice,
                                 "logistic",
                                 "what decides each token by itself",
                                 0,
                                 0,
                                 {"logistic", "perceptron", "svm", "quadratic-svm"}});
    local.push_back({"c", Kind::kNumber, "auto", "svm, quadratic-svm: weight of the errors", 1e-9, 1e9});
    local.push_back({"most-tokens", Kind::kInteger, "60000",
                     "quadratic-svm: refuse more training tokens than this, its time grows with their square",
                     1, 1e9});
    local.push_back({"average", Kind::kFlag, "yes", "perceptron: use the average of the weights"});
    local.push_back({"calibrate", Kind::kFlag, "yes", "perceptron, svm: fit the temperature"});
    all.push_back(
        {"local", "one classifier for each token, labels of neighbours not looked at", std::move(local)});
    all.push_back({"cascade",
                   "label n-grams up to order 5 at the cost of a greedy tagger: levels of growing order, "
                   "each on what the "
                   "one before leaves alive",
                   cascade_parameters(), ModelKind::kCascade});
    all.push_back({"searn", "SEARN: learns the decisions of a search, for any loss and any history",
                   searn_parameters(), ModelKind::kSearch, searn_uses(), searn_clashes(), search_choice});
    all.push_back({"laso-br", "learns to keep the target in a breadth-first beam (Xu and Fern's LaSO-BR)",
                   laso_parameters("laso-br"), ModelKind::kSearch, search_uses(), search_clashes(),
                   search_choice});
    all.push_back({"laso-bst", "the same for best-first beam search (LaSO-BST)", laso_parameters("laso-bst"),
                   ModelKind::kSearch, search_uses(), search_clashes(), search_choice});
    all.push_back({"laso", "learning as search optimisation as first proposed (Daume and Marcu)",
                   laso_parameters("laso"), ModelKind::kSearch, search_uses(), search_clashes(),
                   search_choice});
    all.push_back({"incremental", "incremental perceptron: beam search with early or max-violation updates",
                   laso_parameters("incremental"), ModelKind::kSearch, search_uses(), search_clashes(),
                   search_choice});
    all.push_back({"brackets",
                   "one averaged perceptron for where phrases begin, one for where they end, and the best "
                   "phrases that do not overlap; for task brackets",
                   bracket_parameters(), ModelKind::kBrackets});
    return all;
  }();
  return learners;
}

Status check_value(const Parameter& p, const std::string& value) {
  switch (p.kind) {
    case Kind::kNumber:
    case Kind::kInteger: {
      if (value == p.fallback) return {};
      const auto number = parse_number(value);
      const bool whole = number.ok() && (p.kind == Kind::kNumber ||
                                         *number == static_cast<double>(static_cast<int64_t>(*number)));
      if (!number.ok() || !whole || *number < p.least || *number > p.most)
        return fail("parameter {}: '{}' is not {} from {:g} to {:g}", p.name, value,
                    p.kind == Kind::kNumber ? "a number" : "a whole number", p.least, p.most);
      return {};
    }
    case Kind::kFlag:
      if (value == "yes" || value == "no") return {};
      return fail("parameter {}: '{}' is neither yes nor no", p.name, value);
    case Kind::kChoice:
      if (std::find(p.choices.begin(), p.choices.end(), value) != p.choices.end()) return {};
      return fail("parameter {}: '{}' is none of {}", p.name, value, fmt::join(p.choices, ", "));
    case Kind::kText:
      return {};
  }
  return {};
}

}  // namespace

namespace {
/// "; did you mean 'x'?" where some name is near, nothing otherwise.
std::string suggestion(std::string_view wanted, std::span<const std::string_view> names) {
  const std::string near = nearest(wanted, names);
  return near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near);
}
}  // namespace

std::span<const Task> all_tasks() {
  static const std::vector<Task> tasks = [] {
    std::vector<std::string_view> rows, searches;
    for (const Learner& learner : table()) {
      if (learner.kind != ModelKind::kBrackets) rows.push_back(learner.name);
      if (learner.kind == ModelKind::kSearch) searches.push_back(learner.name);
    }
    const std::vector<std::string_view> one_by_one = {"perceptron", "svm", "local", "crf"};
    return std::vector<Task>{
        {"label", "a label a token", rows},
        {"segment", "chunks, by the learners of searches", searches},
        {"joint", "several columns of labels (--label-column 2,3), by the learners of searches", searches},
        {"roles", "roles of a predicate's candidate constituents (JSON lines)", one_by_one, false,
         tasks::JsonTask::kRoles},
        {"brackets", "phrases of one type, by where they begin and end", {"brackets"}},
        {"variables", "variables that stand for themselves (JSON lines)", one_by_one, false,
         tasks::JsonTask::kVariables},
    };
  }();
  return tasks;
}

Result<const Task*> find_task(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Task& task : all_tasks()) {
    if (task.name == name) return &task;
    names.push_back(task.name);
  }
  return fail("there is no task '{}'{} (there are {})", name, suggestion(name, names),
              fmt::join(names, ", "));
}

Status check_learner_of_task(const Task& task, std::string_view learner) {
  ESPALIER_TRY(find_learner(learner));
  if (std::find(task.learners.begin(), task.learners.end(), learner) != task.learners.end()) return {};
  return fail("learner {} does not learn task {}; {} {}", learner, task.name, fmt::join(task.learners, ", "),
              task.learners.size() == 1 ? "does" : "do");
}

std::span<const Learner> learners() { return table(); }
std::span<const Parameter> common_parameters() { return common(); }

Result<const Learner*> find_learner(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Learner& learner : table()) {
    if (learner.name == name) return &learner;
    names.push_back(learner.name);
  }
  return fail("there is no learner '{}'{} (there are {})", name, suggestion(name, names),
              fmt::join(names, ", "));
}

Result<ParameterValues> check_parameters(std::string_view learner_name,
                                         std::span<const std::string> settings) {
  ESPALIER_ASSIGN(const Learner* const learner, find_learner(learner_name));
  ParameterValues values;
  std::vector<const Parameter*> known;
  for (const Parameter& p : learner->parameters) known.push_back(&p);
  for (const Parameter& p : common()) known.push_back(&p);
  std::vector<std::string_view> names;
  for (const Parameter* p : known) {
    values.values_.emplace(p->name, p->fallback);
    values.defaults_.emplace(p->name, p->fallback);
    names.push_back(p->name);
  }
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos) return fail("-p {}: expected name=value", setting);
    const std::string name = setting.substr(0, equals), value = setting.substr(equals + 1);
    const auto it =
        std::find_if(known.begin(), known.end(), [&](const Parameter* p) { return p->name == name; });
    if (it == known.end())
      return fail("learner {} has no parameter '{}'{}", learner_name, name, suggestion(name, names));
    ESPALIER_TRY(check_value(**it, value));
    values.values_[name] = value;
  }
  return values;
}

Status check_use(const Learner& learner, const Task& task, const ParameterValues& values) {
  const auto choice = [&](std::string_view name) {
    return learner.choice != nullptr ? learner.choice(learner.name, task.name, values, name)
                                     : values.text(name);
  };
  const auto holds = [&](const Setting& setting) {
    return std::find(setting.values.begin(), setting.values.end(), choice(setting.name)) !=
           setting.values.end();
  };
  for (const ParameterUse& use : learner.uses)
    for (const std::string_view parameter : use.parameters)
      if (!values.is_default(parameter) && !holds(use.where))
        return fail("parameter {} is for {}", parameter, use.what);
  for (const Clash& clash : learner.clashes)
    if (holds(clash.one) && holds(clash.other)) return fail("{}", clash.reason);
  return {};
}

double ParameterValues::number(std::string_view name) const {
  const auto value = parse_number(text(name));
  ESPALIER_CHECK(value.ok());
  return *value;
}
int64_t ParameterValues::integer(std::string_view name) const { return static_cast<int64_t>(number(name)); }
bool ParameterValues::flag(std::string_view name) const { return text(name) == "yes"; }
const std::string& ParameterValues::text(std::string_view name) const {
  const auto it = values_.find(name);
  ESPALIER_CHECK(it != values_.end());
  return it->second;
}
bool ParameterValues::is_default(std::string_view name) const {
  return text(name) == defaults_.find(name)->second;
}

}  // namespace espalier::model
