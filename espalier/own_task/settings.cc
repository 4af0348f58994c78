#include "espalier/own_task/settings.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <vector>

#include "espalier/base/text/format.h"

namespace espalier::own_task {

namespace {

using TaskValues = std::map<std::string, std::string, std::less<>>;

/// One setting: what it is without being set, and what it may be: one of the choices, or a number.
struct TaskSetting {
  std::string_view name, fallback;
  std::vector<std::string_view> choices = {};
  double least = 0, most = 0;
  bool whole = true;
};

/// A setting that has an effect only where another one has one of these values.
struct TaskSettingUse {
  std::string_view name, other;
  std::vector<std::string_view> values;
};

const std::vector<std::string_view>& task_learner_names() {
  static const std::vector<std::string_view> names = {"searn", "laso-br", "laso-bst", "laso", "incremental"};
  return names;
}

std::vector<TaskSetting> settings_of(search::SearchLearner kind) {
  const bool searn = kind == search::SearchLearner::kSearn;
  const bool best_first = kind == search::SearchLearner::kLaso || kind == search::SearchLearner::kLasoBst;
  const bool wide = kind == search::SearchLearner::kLaso || kind == search::SearchLearner::kIncremental;
  std::vector<TaskSetting> all = {
      {"beam", wide ? "5" : "1", {}, 1, 1e5},
      {"decoder", best_first ? "best-first" : "breadth-first", {"breadth-first", "best-first"}},
      {"average", "yes", {"yes", "no"}},
      {"oracle-beam", "10", {}, 1, 1e5},
      {"patience", "5", {}, 1, 1e6},
  };
  const auto add = [&](const std::vector<TaskSetting>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  if (searn) {
    add({{"classifier", "perceptron", {"perceptron", "logistic", "softmax-margin", "svm"}},
         {"iterations", "auto", {"auto"}, 1, 1e6},
         {"beta", "1", {}, 1e-9, 1, false},
         {"costs", "optimal", {"optimal", "sample"}},
         {"samples", "1", {}, 1, 1e4},
         {"oracle-roll-outs", "0", {}, 0, 1, false},
         {"roll-in", "mixture", {"mixture", "aggregate"}},
         {"folds", "1", {}, 1, 100},
         {"passes", "5", {}, 1, 1e6},
         {"rate", "0.1", {}, 1e-9, 1e3, false},
         {"l2", "0", {}, 0, 1e6, false}});
  } else {
    add({{"passes", "10", {}, 1, 1e6}, {"rate", "1", {}, 1e-9, 1e3, false}});
  }
  if (kind == search::SearchLearner::kIncremental)
    add({{"update", "max-violation", {"early", "max-violation"}}});
  return all;
}

const std::vector<TaskSettingUse>& task_setting_uses() {
  static const std::vector<TaskSettingUse> uses = {
      {"rate", "classifier", {"logistic", "softmax-margin", "svm"}},
      {"l2", "classifier", {"logistic", "softmax-margin", "svm"}},
      {"samples", "costs", {"sample"}},
      {"oracle-roll-outs", "costs", {"sample"}},
      {"beta", "roll-in", {"mixture"}},
  };
  return uses;
}

bool one_of(std::string_view text, const std::vector<std::string_view>& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

Status check_value(const TaskSetting& setting, const std::string& value) {
  if (one_of(value, setting.choices)) return {};
  const bool number = setting.most > 0;
  std::string wanted = joined(setting.choices, ", ");
  if (number)
    wanted = fmt::format("{}{} from {} to {}", wanted.empty() ? "" : wanted + " or ",
                         setting.whole ? "a whole number" : "a number", setting.least, setting.most);
  const Error wrong = fail("{}={}: expected {}", setting.name, value, wanted);
  if (!number) return wrong;
  double read = 0;
  const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), read);
  const bool is_number = code == std::errc() && end == value.data() + value.size();
  if (!is_number || !(read >= setting.least && read <= setting.most)) return wrong;
  if (setting.whole && read != std::floor(read)) return wrong;
  return {};
}

double number_of(const TaskValues& values, std::string_view name) {
  const std::string& text = values.find(name)->second;
  double read = 0;
  std::from_chars(text.data(), text.data() + text.size(), read);
  return read;
}

/// An error about a setting that has no effect with the others.
Status check_task_uses(const TaskLearner& learner, const TaskValues& set, const TaskValues& all,
                       const TaskSituation& situation) {
  if (learner.kind == search::SearchLearner::kSearn)
    for (const TaskSettingUse& use : task_setting_uses()) {
      if (!set.contains(use.name)) continue;
      const std::string& other = all.find(use.other)->second;
      if (!one_of(other, use.values))
        return fail("{} has no effect with {}={}; it needs {}={}", use.name, use.other, other, use.other,
                    joined(use.values, ", "));
    }
  if (set.contains("oracle-beam") && !situation.oracle_searches)
    return fail(
        "oracle-beam has no effect: the task has optimal_actions or best_loss, so that nothing is searched "
        "for");
  if (set.contains("patience") && !situation.dev) return fail("patience has no effect without dev examples");
  return {};
}

TaskSettingUse const* idle_use(const TaskValues& all, std::string_view name) {
  for (const TaskSettingUse& use : task_setting_uses())
    if (use.name == name && all.contains(use.other) && !one_of(all.find(use.other)->second, use.values))
      return &use;
  return nullptr;
}

void fill_searn(const TaskValues& all, TaskLearner& out) {
  const std::string& classifier = all.find("classifier")->second;
  out.direct.loss = classifier == "perceptron"       ? search::DirectLoss::kPerceptron
                    : classifier == "logistic"       ? search::DirectLoss::kLogistic
                    : classifier == "softmax-margin" ? search::DirectLoss::kSoftmaxMargin
                                                     : search::DirectLoss::kHinge;
  out.direct.passes = static_cast<int>(number_of(all, "passes"));
  out.direct.rate = number_of(all, "rate");
  out.direct.l2 = number_of(all, "l2");
  out.direct.average = out.average;
  out.searn.beta = number_of(all, "beta");
  const bool automatic = all.find("iterations")->second == "auto";
  out.searn.until_independent = automatic && out.searn.beta < 1;
  out.searn.iterations = !automatic                   ? static_cast<int>(number_of(all, "iterations"))
                         : classifier == "perceptron" ? 5
                                                      : 2;
  const bool sample = all.find("costs")->second == "sample";
  out.searn.examples.estimate = sample ? search::CostEstimate::kSample : search::CostEstimate::kOptimal;
  out.searn.examples.samples = static_cast<int>(number_of(all, "samples"));
  out.searn.examples.oracle_share = number_of(all, "oracle-roll-outs");
  out.searn.roll_in =
      all.find("roll-in")->second == "mixture" ? search::RollIn::kMixture : search::RollIn::kAggregate;
  out.searn.folds = static_cast<int>(number_of(all, "folds"));
}

}  // namespace

Result<TaskLearner> parse_task_learner(const Learner& learner, const TaskSituation& situation) {
  TaskLearner out;
  out.name = learner.name.empty() ? "searn" : learner.name;
  const auto& names = task_learner_names();
  const auto known = std::find(names.begin(), names.end(), out.name);
  if (known == names.end())
    return fail("'{}' does not learn search tasks; these do: {}", out.name, joined(names, ", "));
  out.kind = static_cast<search::SearchLearner>(known - names.begin());

  TaskValues all, set;
  const std::vector<TaskSetting> settings = settings_of(out.kind);
  std::vector<std::string_view> possible;
  for (const TaskSetting& setting : settings) {
    all.emplace(setting.name, setting.fallback);
    possible.push_back(setting.name);
  }
  std::sort(possible.begin(), possible.end());
  for (const auto& [name, value] : learner.settings) {
    const auto setting = std::find_if(settings.begin(), settings.end(),
                                      [&wanted = name](const TaskSetting& s) { return s.name == wanted; });
    if (setting == settings.end())
      return fail("{}: '{}' is not a setting for search tasks; these are: {}", out.name, name,
                  joined(possible, ", "));
    ESPALIER_TRY(check_value(*setting, value));
    if (!set.emplace(name, value).second) return fail("{}: '{}' is set twice", out.name, name);
    all[name] = value;
  }
  ESPALIER_TRY(check_task_uses(out, set, all, situation));

  out.average = all["average"] == "yes";
  out.beam = out.laso.width = static_cast<size_t>(number_of(all, "beam"));
  out.best_first = all["decoder"] == "best-first";
  out.oracle_beam = static_cast<size_t>(number_of(all, "oracle-beam"));
  out.patience = static_cast<int>(number_of(all, "patience"));
  if (out.kind == search::SearchLearner::kSearn) {
    fill_searn(all, out);
    ESPALIER_TRY(search::check_options(out.searn));
    if (!out.searn.until_independent) all["iterations"] = fmt::format("{}", out.searn.iterations);
  } else {
    out.passes = static_cast<int>(number_of(all, "passes"));
    out.laso.rate = number_of(all, "rate");
    if (out.kind == search::SearchLearner::kIncremental && all["update"] == "early")
      out.update = search::IncrementalUpdate::kEarly;
  }
  for (const auto& [name, value] : all) {
    const bool idle = (name == "oracle-beam" && !situation.oracle_searches) ||
                      (name == "patience" && !situation.dev) || idle_use(all, name) != nullptr;
    if (!idle) out.settings.emplace_back(name, value);
  }
  return out;
}

}  // namespace espalier::own_task
