// What SEARN is compared with in section 5.2: classifiers of single labels, MEMMs, and stacked sequential
// learning (Cohen and Carvalho 2005), in which a second model sees the labels of the neighbours predicted by
// a first one that was trained without the sentence.
#include <functional>

#include "research/experiments.h"
#include "research/learned_check.h"
#include "research/searn/searn_study.h"

namespace espalier::research {

namespace {

using Predicted = std::vector<std::vector<std::string>>;  ///< the labels of every sentence

/// The sentences with predictions as a further column.
Corpus with_predictions(const Corpus& sentences, const Predicted& predicted) {
  Corpus out;
  for (size_t s = 0; s < sentences.size(); ++s) {
    const Sequence sentence = sentences[s];
    std::vector<std::vector<std::string>> rows = sentence.rows;
    for (size_t t = 0; t < rows.size(); ++t) rows[t].push_back(predicted[s][t]);
    out.add_rows(rows, sentence.labels);
  }
  return out;
}

Result<Tagger> train_local(const Request& request, const Corpus& corpus) {
  const std::vector<std::string> settings =
      request.quick ? std::vector<std::string>{"passes=2"} : std::vector<std::string>{};
  ESPALIER_ASSIGN(const TrainOptions options, train_options(request, learner_with("local", settings)));
  ESPALIER_ASSIGN(Training training, train_on(corpus, options));
  return std::move(training.tagger);
}

/// Fills in the labels of the sentences with these numbers.
Status predict_with(const Tagger& tagger, const Corpus& sentences, const std::vector<size_t>& numbers,
                    Predicted& out) {
  ESPALIER_ASSIGN(const std::vector<Tagged> tagged, tagger.tag_batch(sentences.subset(numbers)));
  out.resize(sentences.size());
  for (size_t i = 0; i < numbers.size(); ++i) out[numbers[i]] = tagged[i].labels();
  return {};
}

/// The numbers of the sentences for which keep(number) is true.
std::vector<size_t> numbers_of(const Corpus& sentences, const std::function<bool(size_t)>& keep) {
  std::vector<size_t> out;
  for (size_t s = 0; s < sentences.size(); ++s)
    if (keep(s)) out.push_back(s);
  return out;
}

/// Two levels of `local`; the second sees the first one's labels of the neighbours. For training rows, these
/// come from models that did not see the sentence.
Result<eval::TaggingScores> stacked(const Request& request, const Corpus& train, const Corpus& test,
                                    size_t folds) {
  const auto all = [](const Corpus& sentences) { return numbers_of(sentences, [](size_t) { return true; }); };
  Predicted on_train, on_test, last;
  for (size_t fold = 0; fold < folds; ++fold) {
    const auto others = numbers_of(train, [&](size_t s) { return s % folds != fold; });
    ESPALIER_ASSIGN(const Tagger level, train_local(request, train.subset(others)));
    ESPALIER_TRY(
        predict_with(level, train, numbers_of(train, [&](size_t s) { return s % folds == fold; }), on_train));
  }
  ESPALIER_ASSIGN(const Tagger first, train_local(request, train));
  ESPALIER_TRY(predict_with(first, test, all(test), on_test));
  ESPALIER_ASSIGN(const Tagger second, train_local(request, with_predictions(train, on_train)));
  ESPALIER_TRY(predict_with(second, with_predictions(test, on_test), all(test), last));
  eval::TaggingScores scores;
  for (size_t s = 0; s < test.size(); ++s) {
    const std::vector<std::string> gold = test[s].labels;
    scores.add(std::vector<std::string_view>(gold.begin(), gold.end()),
               std::vector<std::string_view>(last[s].begin(), last[s].end()));
  }
  return scores;
}

}  // namespace

Result<Report> searn_stacked(const Request& request) {
  Report report;
  const size_t folds = request.quick ? 2 : 5, most = request.quick ? 200 : 0;
  const std::string train_file = request.corpus("conll2000/train.txt.gz"),
                    test_file = request.corpus("conll2000/test.txt.gz");
  report.set("features", "the default ones, for all");
  report.set("rows as printed", "logistic classifiers; ours: searn with its default settings");
  report.set("stacked", fmt::format("two levels, {} folds", folds));
  const std::string few = request.quick ? "iterations=1" : "iterations=3",
                    passes = request.quick ? "passes=1" : "passes=6";
  std::vector<std::pair<std::string, double>> f1;
  LearnedCheck learned;
  double most_frequent = 0;
  const auto add = [&](const std::string& row, const eval::TaggingScores& scores, bool printed = true) {
    report.add(row, "F1", std::nullopt, scores.f1()).printed(printed);
    report.add(row, "accuracy", std::nullopt, scores.accuracy()).printed(printed);
    report.add(row, "sentences", std::nullopt, scores.sequence_accuracy()).printed(printed);
    learned.add(row, scores.accuracy(), most_frequent);
    f1.emplace_back(row, scores.f1());
  };
  struct Method {
    std::string row, learner;
    std::vector<std::string> settings;
    bool printed = true;
  };
  const std::vector<std::string> defaults =
      request.quick ? std::vector{few, passes} : std::vector<std::string>{};
  for (const Method& method :
       std::vector<Method>{{"local", "local", {}},
                           {"memm", "memm", {}},
                           {"searn classifier=logistic", "searn", {"classifier=logistic", few, passes}},
                           {"searn", "searn", defaults, false}}) {
    SearnRun run;
    run.learner = method.learner;
    run.settings = method.settings;
    run.train = train_file;
    run.test = test_file;
    run.most_sequences = most;
    ESPALIER_ASSIGN(const SearnOutcome outcome, train_and_score(request, run));
    most_frequent = outcome.most_frequent;
    add(method.row, outcome.scores, method.printed);
  }
  ESPALIER_ASSIGN(const Corpus whole, Corpus::read(train_file));
  const Corpus train = whole.subset(numbers_of(whole, [&](size_t s) { return most == 0 || s < most; }));
  ESPALIER_ASSIGN(const Corpus test, Corpus::read(test_file));
  ESPALIER_ASSIGN(const eval::TaggingScores scores, stacked(request, train, test, folds));
  add("stacked", scores);
  learned.report_to(report);
  report.depart("the paper discusses these methods without measuring them: data and features are ours");
  if (!request.quick)
    report.claim("searn above classifiers of single labels", f1[2].second > f1[0].second,
                 fmt::format("{:.2f} and {:.2f}", f1[2].second, f1[0].second),
                 "neighbours' labels add little to these features");
  return report;
}

}  // namespace espalier::research
