// Daumé, Langford and Marcu 2009, section 6.1.4: parts of speech and chunks decided together.
#include <string>
#include <vector>

#include "espalier/data/formats/reader.h"
#include "research/experiments.h"
#include "research/learned_check.h"
#include "research/searn/searn_study.h"

namespace espalier::research {

namespace {

constexpr size_t kTagCell = 1, kChunkCell = 2;

/// Scores of two columns of labels. The paper's measure is the share of correct labels over both.
struct JointFigures {
  double labels = 0, tokens = 0, tags = 0, chunks = 0, sentences = 0;
  double most_frequent = 0;  ///< what the most frequent label of each column would score as `labels`
};

JointFigures joint_figures(const std::vector<data::Sequence>& gold, const std::vector<std::string>& tags,
                           const std::vector<std::string>& chunks) {
  eval::TaggingScores tag_scores, chunk_scores;
  size_t at = 0, both = 0, whole = 0;
  std::vector<std::string_view> gold_tags, gold_chunks, own_tags, own_chunks;
  MostFrequent tag, chunk;
  for (const data::Sequence& sequence : gold) {
    for (auto* list : {&gold_tags, &gold_chunks, &own_tags, &own_chunks}) list->clear();
    const size_t right_before = both;
    for (size_t t = 0; t < sequence.length(); ++t, ++at) {
      gold_tags.push_back(sequence.cell(t, kTagCell));
      gold_chunks.push_back(sequence.cell(t, kChunkCell));
      tag.add(gold_tags.back());
      chunk.add(gold_chunks.back());
      own_tags.push_back(tags[at]);
      own_chunks.push_back(chunks[at]);
      if (tags[at] == gold_tags.back() && chunks[at] == gold_chunks.back()) ++both;
    }
    tag_scores.add(gold_tags, own_tags);
    chunk_scores.add(gold_chunks, own_chunks);
    if (both - right_before == sequence.length()) ++whole;
  }
  const auto percent = [](size_t part, size_t all) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(all);
  };
  return {(tag_scores.accuracy() + chunk_scores.accuracy()) / 2,
          percent(both, at),
          tag_scores.accuracy(),
          chunk_scores.f1(),
          percent(whole, gold.size()),
          (tag.share() + chunk.share()) / 2};
}

struct JointEntry {
  std::string row, learner;
  std::vector<std::string> settings;
  std::optional<double> table;  ///< of Table 1, as cited elsewhere
  std::string base = {};        ///< the row that scores lower, by the paper
};

}  // namespace

Result<Report> searn_joint(const Request& request) {
  Report report;
  const std::string train = request.corpus("conll2000/train.txt.gz"),
                    test = request.corpus("conll2000/test.txt.gz");
  ESPALIER_ASSIGN(const std::vector<data::Sequence> gold, data::read_all({test}, {}));
  report.set("features", "of words alone: both columns are predicted");
  report.set("labels", "the share of right labels, tags and chunk labels together: the paper's measure");
  report.set("tokens", "the share of tokens whose labels are both right; sentences: all of them");
  report.set("chosen", "passes and step sizes, on the last 1,200 training sentences");
  const std::string passes = request.quick ? "passes=1" : "passes=5",
                    more = request.quick ? "passes=1" : "passes=20",
                    beam = request.quick ? "beam=1" : "beam=10",
                    few = request.quick ? "iterations=1" : "iterations=2";
  std::vector<JointEntry> methods = {
      {"local classifier=perceptron", "local", {"classifier=perceptron", "calibrate=no"}, 87.88},
      {"local classifier=logistic", "local", {}, 90.39},
      {"local classifier=svm", "local", {"classifier=svm", "calibrate=no"}, 93.94},
      {"perceptron", "perceptron", {"calibrate=no"}, 93.12},
      {"crf", "crf", {}, 96.48},
      {"searn classifier=perceptron",
       "searn",
       {"classifier=perceptron", few, passes, beam},
       std::nullopt,
       "local classifier=perceptron"},
      {"searn classifier=logistic",
       "searn",
       {"classifier=logistic", few, passes, beam},
       std::nullopt,
       "local classifier=logistic"},
      {"searn classifier=liblinear",
       "searn",
       {"classifier=liblinear", few, beam},
       std::nullopt,
       "local classifier=svm"},
      {"searn classifier=softmax-margin",
       "searn",
       {"classifier=softmax-margin", few, more, "rate=0.05", beam},
       std::nullopt,
       "local classifier=logistic"},
      {"searn classifier=perceptron lead=0",
       "searn",
       {"classifier=perceptron", few, passes, beam, "lead=0"},
       96.81,
       "local classifier=perceptron"},
      {"searn classifier=logistic lead=0",
       "searn",
       {"classifier=logistic", few, passes, beam, "lead=0"},
       96.95,
       "local classifier=logistic"},
      {"searn classifier=svm lead=0",
       "searn",
       {"classifier=svm", few, passes, beam, "lead=0"},
       96.98,
       "local classifier=svm"},
      {"searn classifier=softmax-margin lead=0",
       "searn",
       {"classifier=softmax-margin", few, more, "rate=0.05", beam, "lead=0"},
       std::nullopt},
  };
  // The upper half of Table 1 trains for the loss of whole sentences.
  for (const std::string classifier : {"perceptron", "logistic", "svm"})
    methods.push_back({fmt::format("searn classifier={} lead=0 loss=zero-one", classifier),
                       "searn",
                       {"classifier=" + classifier, few, passes, beam, "lead=0", "loss=zero-one"},
                       std::nullopt});
  report.depart("default features of the words; the paper's are those of section 6.1.3");
  report.depart("learners other than SEARN have a model of their own for each column");
  report.depart(
      "SEARN's classifiers decide among all labels at once, without weighted all-pairs and costing");
  LearnedCheck learned;
  std::vector<std::pair<std::string, double>> measured;
  for (const JointEntry& method : methods) {
    SearnRun run;
    run.learner = method.learner;
    run.settings = method.settings;
    run.train = train;
    run.test = test;
    run.feature_columns = {1};
    run.keep_labels = true;
    if (request.quick) run.most_sequences = 200;
    JointFigures figures;
    if (method.learner == "searn") {
      run.task = "joint";
      run.train_reading.label_column = run.test_reading.label_column = "2,3";
      ESPALIER_ASSIGN(const SearnOutcome outcome, train_and_score(request, run));
      figures = joint_figures(gold, outcome.predicted[0], outcome.predicted[1]);
    } else {  // a separate model per column
      run.train_reading.label_column = run.test_reading.label_column = "2";
      ESPALIER_ASSIGN(const SearnOutcome tags, train_and_score(request, run));
      run.train_reading.label_column = run.test_reading.label_column = "3";
      ESPALIER_ASSIGN(const SearnOutcome chunks, train_and_score(request, run));
      figures = joint_figures(gold, tags.predicted[0], chunks.predicted[0]);
    }
    // The paper decides a word's tag and then its chunk label; ours tags some words ahead.
    const bool printed = method.learner != "searn" || (method.row.find("lead=0") != std::string::npos &&
                                                       method.row.find("softmax") == std::string::npos);
    report.add(method.row, "labels", std::nullopt, figures.labels)
        .printed(printed)
        .beside(method.table, kTable1);
    report.add(method.row, "tokens", std::nullopt, figures.tokens).printed(printed);
    report.add(method.row, "tags", std::nullopt, figures.tags).printed(printed);
    report.add(method.row, "chunk F1", std::nullopt, figures.chunks).printed(printed);
    report.add(method.row, "sentences", std::nullopt, figures.sentences).printed(printed);
    learned.add(method.row, figures.labels, figures.most_frequent);
    measured.emplace_back(method.row, figures.labels);
    if (request.quick) continue;
    for (const auto& [row, low] : measured)
      if (row == method.base)
        report.claim(fmt::format("{} above {}", method.row, row), figures.labels > low,
                     fmt::format("{:.2f} and {:.2f}", figures.labels, low),
                     "neighbours' labels add little to these features");
    // The paper: SEARN is comparable or better than the competing structured learners.
    if (method.learner != "searn" || method.row.ends_with("zero-one")) continue;
    for (const auto& [row, other] : measured)
      if (row == "perceptron" || row == "crf")
        report.claim(fmt::format("{} above {}", method.row, row), figures.labels > other,
                     fmt::format("{:.2f} and {:.2f}", figures.labels, other),
                     "words alone say most about both labels");
  }
  learned.report_to(report);
  return report;
}

}  // namespace espalier::research
