// Daumé, Langford and Marcu 2009, section 6.1.7: reductions from costs to classifiers, compared by what they
// reach and by what they cost.
#include <map>
#include <string>
#include <vector>

#include "espalier/tasks/search_training.h"
#include "research/experiments.h"
#include "research/learned_check.h"
#include "research/searn/searn_study.h"

namespace espalier::research {

namespace {

using search::Reduction;
using tasks::BaseClassifier;
using tasks::SearchKind;

struct NamedClassifier {
  const char* name;
  BaseClassifier classifier;
};
constexpr NamedClassifier kClassifiers[] = {{"perceptron", BaseClassifier::kPerceptron},
                                            {"logistic", BaseClassifier::kLogistic},
                                            {"softmax-margin", BaseClassifier::kSoftmaxMargin},
                                            {"svm", BaseClassifier::kSvm},
                                            {"liblinear", BaseClassifier::kLiblinear}};
struct NamedReduction {
  const char* name;
  Reduction reduction;
};
constexpr NamedReduction kReductions[] = {{"direct", Reduction::kDirect},
                                          {"one-vs-all", Reduction::kOneVsAll},
                                          {"all-pairs", Reduction::kAllPairs}};

/// A task, trained on the beginning of its training file and measured on the end of it.
struct ReducedTask {
  std::string name;
  SearchKind kind;
  SearnRun run;
  bool by_f1;
};

std::vector<ReducedTask> reduced_tasks(const Request& request) {
  SearnRun chunks;
  chunks.learner = "searn";
  chunks.task = "segment";
  chunks.settings = {"iterations=2", "names=no"};
  chunks.train = chunks.test = request.corpus("conll2000/train.txt.gz");
  chunks.most_sequences = request.quick ? 20 : 200;
  chunks.last_sequences = request.quick ? 60 : 1200;
  SearnRun entities = chunks;
  entities.train = entities.test = request.corpus("conll2002-esp/esp.train.gz");
  entities.most_sequences = 300;
  SearnRun letters;
  letters.learner = "searn";
  letters.settings = {"iterations=2", "history=1"};
  letters.train = letters.test = request.corpus("ocr/letter.data.gz");
  letters.train_reading.format = letters.test_reading.format = "letters";
  letters.train_reading.folds = "0";
  letters.test_reading.folds = "1";
  letters.most_sequences = request.quick ? 50 : 0;
  letters.last_sequences = request.quick ? 50 : 0;
  std::vector<ReducedTask> all = {{"chunks", SearchKind::kSegment, chunks, true},
                                  {"letters", SearchKind::kLabel, letters, false}};
  if (!request.quick) all.push_back({"entities", SearchKind::kSegment, entities, true});
  return all;
}

}  // namespace

Result<Report> searn_reductions(const Request& request) {
  Report report;
  report.set("chunks",
             "CoNLL-2000, chunk by chunk, F1 loss: the first 200 sentences; measured on the last 1,200 of "
             "the training data");
  report.set("entities",
             "Spanish, chunk by chunk, F1 loss: the first 300 sentences; measured on the last 1,200 of "
             "the training data");
  report.set("letters", "handwriting, Hamming loss, one letter of history: fold 0; measured on fold 1");
  report.set("rows as printed", "weighted all-pairs; with liblinear, ten samples drawn by costing");
  report.depart("one machine ranks all pairs of actions, where the paper has one for each pair of labels");
  report.notes.push_back(
      "Seconds are of training, on all threads, and mean something on a quiet machine only.");
  const double tie = 0.3;  // points of F1 or accuracy that differ from seed to seed
  LearnedCheck learned;
  size_t compared = 0, same = 0;
  std::vector<std::string> misses;
  for (const ReducedTask& task : reduced_tasks(request)) {
    ESPALIER_ASSIGN(const SearnData data, read_data(task.run));
    for (const NamedClassifier& classifier : kClassifiers) {
      double best = -1, usual = -1;
      std::string best_name, usual_name;
      std::map<Reduction, std::vector<std::string>> labels;
      const Reduction automatic = tasks::best_reduction(classifier.classifier, task.kind);
      const auto outcome_of = [&](const char* reduction) {
        SearnRun run = task.run;
        run.settings.push_back(fmt::format("classifier={}", classifier.name));
        if (reduction != nullptr) run.settings.push_back(fmt::format("reduction={}", reduction));
        if (request.quick && classifier.classifier == BaseClassifier::kLiblinear)
          run.settings.emplace_back("costing-samples=2");
        run.keep_labels = request.quick;
        return train_and_score(request, run, data.train, data.test);
      };
      for (const NamedReduction& reduction : kReductions) {
        if (!tasks::check_reduction(classifier.classifier, reduction.reduction, task.kind).ok()) continue;
        ESPALIER_ASSIGN(SearnOutcome outcome, outcome_of(reduction.name));
        const std::string row = fmt::format("classifier={} reduction={}", classifier.name, reduction.name);
        const bool printed = reduction.reduction == Reduction::kAllPairs;
        const double score = task.by_f1 ? outcome.scores.f1() : outcome.scores.accuracy();
        report.add(row, fmt::format("{} {}", task.name, task.by_f1 ? "F1" : "accuracy"), std::nullopt, score)
            .printed(printed);
        report.add(row, task.name + " seconds", std::nullopt, outcome.train_seconds).printed(printed);
        learned.add(task.name + " " + row, outcome.scores.accuracy(), outcome.most_frequent);
        if (score > best) {
          best = score;
          best_name = reduction.name;
        }
        if (reduction.reduction == automatic) {
          usual = score;
          usual_name = reduction.name;
        }
        if (request.quick) labels[reduction.reduction] = std::move(outcome.predicted.at(0));
      }
      if (usual < best - tie)
        misses.push_back(fmt::format("{} {}: {} {:.2f}, {} {:.2f}", task.name, classifier.name, usual_name,
                                     usual, best_name, best));
      if (!request.quick) continue;
      ESPALIER_ASSIGN(const SearnOutcome outcome, outcome_of(nullptr));
      ++compared;
      same += outcome.predicted.at(0) == labels.at(automatic);
    }
  }
  learned.report_to(report);
  if (request.quick) {
    report.check("without a reduction named, the one that the table of defaults names is learned",
                 compared > 0 && same == compared,
                 fmt::format("{} of {} classifiers and tasks", same, compared));
    return report;
  }
  report.claim(
      fmt::format("ours: the default reduction is the best of its classifier, or within {:g} points", tie),
      misses.empty(), misses.empty() ? "in every task" : fmt::format("{}", fmt::join(misses, "; ")),
      "a default holds for all data, the figures for these");
  return report;
}

}  // namespace espalier::research
