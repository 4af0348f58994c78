#include "espalier/public/learners.h"

#include <fmt/format.h>

#include <algorithm>

#include "espalier/model/registry.h"

namespace espalier {

namespace {

/// Collects the fields that are set, as settings in the order of the struct.
class Fields {
 public:
  explicit Fields(std::string name) : learner_(std::move(name)) {}
  Fields& set(const char* name, const std::optional<double>& value) {
    return add(name, value, [](double number) { return fmt::format("{}", number); });
  }
  Fields& set(const char* name, const std::optional<int>& value) {
    return add(name, value, [](int number) { return fmt::format("{}", number); });
  }
  Fields& set(const char* name, const std::optional<bool>& value) {
    return add(name, value, [](bool flag) { return std::string(flag ? "yes" : "no"); });
  }
  Fields& set(const char* name, const std::optional<std::string>& value) {
    return add(name, value, [](const std::string& text) { return text; });
  }

  // Fields that several learners have next to each other.
  /// What is kept of the features, and when training stops.
  template <typename Options>
  Fields& set_common(const Options& o) {
    return set("cutoff", o.cutoff)
        .set("names", o.names)
        .set("weight-bits", o.weight_bits)
        .set("patience", o.patience);
  }
  template <typename Options>
  Fields& set_common_with_label_weights(const Options& o) {
    return set_common(o).set("label-weights", o.label_weights);
  }
  /// Learners that maximise a likelihood.
  template <typename Options>
  Fields& set_likelihood(const Options& o) {
    return set("l2", o.l2)
        .set("l1", o.l1)
        .set("algorithm", o.algorithm)
        .set("passes", o.passes)
        .set("rate", o.rate)
        .set("dropout", o.dropout)
        .set("iterations", o.iterations)
        .set_common_with_label_weights(o);
  }
  /// Learners that add up updates of the weights.
  template <typename Options>
  Fields& set_additive(const Options& o) {
    return set("passes", o.passes)
        .set("average", o.average)
        .set("calibrate", o.calibrate)
        .set_common_with_label_weights(o);
  }
  /// What is searched, and how.
  template <typename Options>
  Fields& set_search(const Options& o) {
    return set("beam", o.beam)
        .set("history", o.history)
        .set("direction", o.direction)
        .set("unit", o.unit)
        .set_common(o);
  }
  /// Learners that update where a search goes wrong.
  template <typename Options>
  Fields& set_search_updates(const Options& o) {
    return set("passes", o.passes).set("rate", o.rate).set_search(o);
  }

  /// Settings without a field come last, so that they win if both set a parameter.
  Learner learner(const Settings& more) {
    learner_.settings.insert(learner_.settings.end(), more.begin(), more.end());
    return std::move(learner_);
  }

 private:
  template <typename T, typename Text>
  Fields& add(const char* name, const std::optional<T>& value, Text&& text) {
    if (value) learner_.settings.emplace_back(name, text(*value));
    return *this;
  }
  Learner learner_;
};

}  // namespace

Crf::operator Learner() const { return Fields("crf").set_likelihood(*this).learner(more); }
Memm::operator Learner() const { return Fields("memm").set_likelihood(*this).learner(more); }
Perceptron::operator Learner() const { return Fields("perceptron").set_additive(*this).learner(more); }
Svm::operator Learner() const { return Fields("svm").set("c", c).set_additive(*this).learner(more); }

Local::operator Learner() const {
  return Fields("local")
      .set("classifier", classifier)
      .set("l2", l2)
      .set("l1", l1)
      .set("passes", passes)
      .set("rate", rate)
      .set("dropout", dropout)
      .set("c", c)
      .set_common_with_label_weights(*this)
      .learner(more);
}

Cascade::operator Learner() const {
  return Fields("cascade")
      .set("order", order)
      .set("last", last)
      .set("filter-loss", filter_loss)
      .set("budget", budget)
      .set("passes", passes)
      .set("dropout", dropout)
      .set("l2", l2)
      .set_common_with_label_weights(*this)
      .learner(more);
}

Searn::operator Learner() const {
  return Fields("searn")
      .set("classifier", classifier)
      .set("iterations", iterations)
      .set("passes", passes)
      .set("loss", loss)
      .set_search(*this)
      .learner(more);
}

LasoBr::operator Learner() const { return Fields("laso-br").set_search_updates(*this).learner(more); }
LasoBst::operator Learner() const { return Fields("laso-bst").set_search_updates(*this).learner(more); }
Laso::operator Learner() const { return Fields("laso").set_search_updates(*this).learner(more); }
Incremental::operator Learner() const {
  return Fields("incremental").set("update", update).set_search_updates(*this).learner(more);
}

Committee::operator Learner() const {
  return Fields("committee")
      .set("members", members)
      .set("size", size)
      .set("folds", folds)
      .set("time-budget", time_budget)
      .set("names", names)
      .learner(more);
}

Brackets::operator Learner() const {
  return Fields("brackets")
      .set("passes", passes)
      .set("training", training)
      .set("longest", longest)
      .set_common(*this)
      .learner(more);
}

std::vector<LearnerInfo> learners() {
  std::vector<LearnerInfo> all;
  for (const model::LearnerSpec* const learner : model::learners()) {
    LearnerInfo info;
    info.name = learner->name();
    info.summary = learner->traits().summary;
    for (const model::Task& task : model::all_tasks())
      if (std::find(task.learners.begin(), task.learners.end(), learner->name()) != task.learners.end())
        info.tasks.emplace_back(task.name);
    for (const model::Parameter& p : learner->parameters())
      info.parameters.push_back({std::string(p.name), p.fallback, std::string(p.help), p.range, p.basic});
    all.push_back(std::move(info));
  }
  return all;
}

std::vector<TaskInfo> all_tasks() {
  std::vector<TaskInfo> all;
  for (const model::Task& task : model::all_tasks())
    all.push_back({std::string(task.name), std::string(task.summary),
                   std::vector<std::string>(task.learners.begin(), task.learners.end())});
  return all;
}

}  // namespace espalier
