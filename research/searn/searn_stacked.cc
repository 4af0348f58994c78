// What SEARN is compared with in section 5.2: classifiers of single labels, MEMMs, and stacked sequential
// learning (Cohen and Carvalho 2005), in which a second model sees the labels of the neighbours predicted by
// a first one that was trained without the sentence.
#include <fstream>

#include "espalier/base/temporary_directory.h"
#include "espalier/model/model.h"
#include "espalier/model/train.h"
#include "research/experiments.h"
#include "research/searn/searn_study.h"

namespace espalier::research {

namespace {

using Sentences = std::vector<data::Sequence>;
using Predicted = std::vector<std::vector<std::string>>;  ///< the labels of every sentence

/// Writes the rows to a file in columns, with predictions before the label if there are any.
Status write_rows(const Sentences& sentences, const Predicted* predicted,
                  const std::function<bool(size_t)>& keep, const std::string& path) {
  std::ofstream out(path);
  for (size_t s = 0; s < sentences.size(); ++s) {
    if (!keep(s)) continue;
    const data::Sequence& sentence = sentences[s];
    for (size_t t = 0; t < sentence.length(); ++t) {
      for (size_t c = 0; c + 1 < sentence.columns(); ++c) out << sentence.cell(t, c) << ' ';
      if (predicted != nullptr) out << (*predicted)[s][t] << ' ';
      out << sentence.label(t) << '\n';
    }
    out << '\n';
  }
  out.close();
  if (!out) return fail("{}: cannot be written", path);
  return {};
}

Status train_local(const Request& request, const std::string& file, const std::string& model) {
  model::TrainRequest train;
  train.train = {file};
  train.model = model;
  train.learner = "local";
  train.seed = request.seed;
  train.threads = request.threads;
  if (request.quick) train.settings = {"passes=2"};
  Monitor monitor;
  monitor.stop = request.monitor.stop;
  ESPALIER_TRY(model::train(train, monitor));
  if (request.monitor.stop_requested()) return fail("stopped");
  return {};
}

Status predict_with(const std::string& file, const Sentences& sentences,
                    const std::function<bool(size_t)>& keep, Predicted& out) {
  ESPALIER_ASSIGN(const model::Model model, model::Model::open(file));
  const auto scratch = model.predictor().make_scratch();
  data::Prediction prediction;
  out.resize(sentences.size());
  for (size_t s = 0; s < sentences.size(); ++s) {
    if (!keep(s)) continue;
    ESPALIER_TRY(model.predictor().predict(sentences[s], {}, {}, *scratch, prediction));
    out[s].clear();
    for (const data::Label label : prediction.labels()) out[s].push_back(model.labels().name(label));
  }
  return {};
}

/// Two levels of `local`; the second sees the first one's labels of the neighbours. For training rows, these
/// come from models that did not see the sentence.
Result<eval::TaggingScores> stacked(const Request& request, const Sentences& train, const Sentences& test,
                                    size_t folds) {
  ESPALIER_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make());
  const std::string rows = folder.path("rows.txt"), model = folder.path("level.model");
  const auto all = [](size_t) { return true; };
  Predicted on_train, on_test;
  for (size_t fold = 0; fold < folds; ++fold) {
    ESPALIER_TRY(write_rows(
        train, nullptr, [&](size_t s) { return s % folds != fold; }, rows));
    ESPALIER_TRY(train_local(request, rows, model));
    ESPALIER_TRY(predict_with(
        model, train, [&](size_t s) { return s % folds == fold; }, on_train));
  }
  ESPALIER_TRY(write_rows(train, nullptr, all, rows));
  ESPALIER_TRY(train_local(request, rows, model));
  ESPALIER_TRY(predict_with(model, test, all, on_test));
  ESPALIER_TRY(write_rows(train, &on_train, all, rows));
  ESPALIER_TRY(train_local(request, rows, model));
  ESPALIER_TRY(write_rows(test, &on_test, all, rows));
  ESPALIER_ASSIGN(const Sentences second, data::read_all({rows}, {}));
  Predicted last;
  ESPALIER_TRY(predict_with(model, second, all, last));
  eval::TaggingScores scores;
  std::vector<std::string_view> gold, predicted;
  for (size_t s = 0; s < test.size(); ++s) {
    gold.clear();
    for (size_t t = 0; t < test[s].length(); ++t) gold.push_back(test[s].label(t));
    predicted.assign(last[s].begin(), last[s].end());
    scores.add(gold, predicted);
  }
  return scores;
}

}  // namespace

Result<Report> searn_stacked(const Request& request) {
  Report report;
  const size_t folds = request.quick ? 2 : 5, most = request.quick ? 200 : 0;
  const std::string train_file = request.corpus("conll2000/train.txt.gz"),
                    test_file = request.corpus("conll2000/test.txt.gz");
  report.set("features", "the default ones, for all; logistic classifiers");
  report.set("stacked", fmt::format("two levels, {} folds", folds));
  const std::string few = request.quick ? "iterations=1" : "iterations=3",
                    passes = request.quick ? "passes=1" : "passes=6";
  std::vector<std::pair<std::string, double>> f1;
  const auto add = [&](const std::string& row, const eval::TaggingScores& scores) {
    report.add(row, "F1", std::nullopt, scores.f1());
    report.add(row, "accuracy", std::nullopt, scores.accuracy());
    report.add(row, "sentences", std::nullopt, scores.sequence_accuracy());
    f1.emplace_back(row, scores.f1());
  };
  for (const auto& [row, settings] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"local", {}}, {"memm", {}}, {"searn", {"classifier=logistic", few, passes}}}) {
    SearnRun run;
    run.learner = row;
    run.settings = settings;
    run.train = train_file;
    run.test = test_file;
    run.most_sequences = most;
    ESPALIER_ASSIGN(const SearnOutcome outcome, train_and_score(request, run));
    add(row, outcome.scores);
  }
  ESPALIER_ASSIGN(Sentences train, data::read_all({train_file}, {}));
  if (most > 0) train.resize(std::min(most, train.size()));
  ESPALIER_ASSIGN(const Sentences test, data::read_all({test_file}, {}));
  ESPALIER_ASSIGN(const eval::TaggingScores scores, stacked(request, train, test, folds));
  add("stacked", scores);
  if (!request.quick)
    report.check("searn above classifiers of single labels", f1[2].second > f1[0].second,
                 fmt::format("{:.2f} and {:.2f}", f1[2].second, f1[0].second));
  return report;
}

}  // namespace espalier::research
