// Table 5 (two designs of part-of-speech experts) and section 5.3 (handwriting).
#include "espalier/data/formats/reader.h"
#include "research/ensemble/ensemble_study.h"
#include "research/experiments.h"

namespace espalier::research {
namespace {

/// Sentences of an English treebank in columns: word and part of speech.
Result<std::vector<std::string>> read_sentences(const Request& request,
                                                std::initializer_list<const char*> files) {
  std::vector<std::string> sentences;
  data::ReadOptions reading;
  reading.format = data::Format::kConllu;
  for (const char* file : files) {
    ESPALIER_ASSIGN(const auto reader, data::open_reader(request.corpus(file), reading));
    data::Sequence sequence;
    while (true) {
      ESPALIER_ASSIGN(const bool more, reader->next(sequence));
      if (!more) break;
      std::string text;
      for (size_t row = 0; row < sequence.length(); ++row) {
        // Words that contain spaces would become two cells.
        std::string word(sequence.cell(row, 1));
        for (char& c : word)
          if (c == ' ' || c == '\t') c = '_';
        text.append(word).append(" ").append(sequence.label(row)).append("\n");
      }
      sentences.push_back(text + "\n");
    }
  }
  return sentences;
}

std::string joined(const std::vector<std::string>& sentences, size_t first, size_t count) {
  std::string text;
  for (size_t s = first; s < first + count && s < sentences.size(); ++s) text += sentences[s];
  return text;
}

constexpr PaperColumn kTr1 = {.0850, .0859, .0843, .1093, .1041, .0778, .1128, .1032};
constexpr PaperColumn kTr2 = {.0746, .0769, .0741, .1550, .1414, .0814, .1652, .1415};

}  // namespace

Result<Report> ensemble_pos(const Request& request) {
  Report report;
  ESPALIER_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make());
  ESPALIER_ASSIGN(const std::vector<std::string> train,
                  read_sentences(request, {"ud/en_ewt-ud-train.conllu.gz"}));
  ESPALIER_ASSIGN(std::vector<std::string> eval_sentences,
                  read_sentences(request, {"ud/en_ewt-ud-dev.conllu.gz", "ud/en_ewt-ud-test.conllu.gz"}));
  const size_t part = request.quick ? 30 : 500;
  // What no expert learns from, for ensembles that learn from as many sentences as the paper's, ten times.
  constexpr size_t kParts = 9;
  if (!request.quick)
    eval_sentences.insert(eval_sentences.end(), train.begin() + static_cast<std::ptrdiff_t>(kParts * part),
                          train.end());
  ESPALIER_ASSIGN(
      const std::string eval_file,
      write_file(folder, "eval.txt", joined(eval_sentences, 0, request.quick ? 300 : eval_sentences.size())));
  report.set("corpus", fmt::format("EWT, universal tags; experts from disjoint parts of {} sentences", part));

  const auto train_expert = [&](StudySample& sample, size_t j, const std::string& learner,
                                std::vector<std::string> settings, size_t first, size_t count) -> Status {
    ExpertRecipe recipe;
    recipe.name = fmt::format("{}{}-{}", learner, j + 1, count);
    recipe.learner = learner;
    recipe.settings = std::move(settings);
    ESPALIER_ASSIGN(recipe.train_file, write_file(folder, recipe.name + ".txt", joined(train, first, count)));
    ESPALIER_ASSIGN(const Labellings said, train_and_label(recipe, eval_file, {}, 1, sample.labels, request));
    fill_expert(sample, j, said);
    sample.experts.push_back(recipe.name);
    return {};
  };

  // Design 1: four multiclass SVMs and four maximum-entropy classifiers on four parts, a CRF on their union.
  ESPALIER_ASSIGN(StudySample first, begin_sample(eval_file, {}, 9));
  for (size_t i = 0; i < 4; ++i) {
    ESPALIER_TRY(train_expert(first, i, "local", {"classifier=svm"}, i * part, part));
    ESPALIER_TRY(train_expert(first, 4 + i, "local", {"passes=5"}, i * part, part));
  }
  ESPALIER_TRY(train_expert(first, 8, "crf", {"passes=5"}, 0, 4 * part));
  StudyOptions options;
  options.column = "design 1";
  options.training_size = request.quick ? 25 : 800;
  options.beta = 0.95;
  options.paper = paper_rows(kTr1);
  options.cause =
      "the CRF learned from four times the data of the other experts, which the vote counts for less than "
      "the "
      "paper's";
  ESPALIER_TRY(run_study(first, options, request, report));

  // Design 2: five structured SVMs on five parts.
  ESPALIER_ASSIGN(StudySample second, begin_sample(eval_file, {}, 5));
  for (size_t i = 0; i < 5; ++i)
    ESPALIER_TRY(train_expert(second, i, "svm", {"passes=5"}, (4 + i) * part, part));
  options.column = "design 2";
  options.training_size = request.quick ? 25 : 1000;
  options.beta = 0.98;
  options.paper = paper_rows(kTr2);
  options.cause = "experts that learned from 500 sentences each err alike";
  ESPALIER_TRY(run_study(second, options, request, report));
  report.depart("the paper used the Penn Treebank, with 45 tags");
  report.depart("our learners and features take the place of the Stanford classifier, CRFsuite and SVM-hmm");
  return report;
}

Result<Report> ensemble_ocr(const Request& request) {
  Report report;
  ESPALIER_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make());
  const std::string file = request.corpus("ocr/letter.data.gz");
  ReadOptions reading;
  reading.format = "letters";
  // As in the paper, experts learn from each of the predefined folds, and the ensemble from the next one, so
  // that no word is used twice.
  const struct {
    const char* learner;
    std::vector<std::string> settings;
  } recipes[] = {{"crf", {"passes=10"}},
                 {"svm", {"passes=10"}},
                 {"local", {"passes=10"}},
                 {"perceptron", {"passes=10"}},
                 {"memm", {"passes=10"}}};
  const int folds = request.quick ? 3 : 10;
  std::vector<StudySample> samples;
  for (int fold = 0; fold < folds; ++fold) {
    ReadOptions rest = reading;
    std::vector<int> others;
    for (int other = 0; other < folds; ++other)
      if (other != fold) others.push_back(other);
    rest.folds = fold_list(others);
    ESPALIER_ASSIGN(StudySample sample, begin_sample(file, rest, std::size(recipes)));
    for (size_t j = 0; j < std::size(recipes); ++j) {
      Progress progress;
      progress.phase = "experts";
      progress.done = static_cast<double>(static_cast<size_t>(fold) * std::size(recipes) + j);
      progress.total = static_cast<double>(static_cast<size_t>(folds) * std::size(recipes));
      request.monitor.report(progress);
      ExpertRecipe recipe;
      recipe.name = recipe.learner = recipes[j].learner;
      recipe.settings = request.quick ? std::vector<std::string>{"passes=1"} : recipes[j].settings;
      recipe.train_file = file;
      recipe.reading = reading;
      recipe.reading.folds = fold_list({fold});
      ESPALIER_ASSIGN(const Labellings said, train_and_label(recipe, file, rest, 1, sample.labels, request));
      fill_expert(sample, j, said);
      sample.experts.push_back(recipe.name);
    }
    samples.push_back(std::move(sample));
  }
  report.set("experts", fmt::format("{}, of each fold", fmt::join(samples.front().experts, " ")));
  StudyOptions options;
  options.column = "handwriting";
  options.cause = "one expert dominates, as the paper says";
  options.substructures.kind = ensemble::SubstructureKind::kPositions;
  ESPALIER_TRY(run_study_by_folds(samples, options, request, report));
  report.depart("experts are our learners; the paper does not name its own");
  report.notes.push_back(
      "the paper prints no figures here: it reports a small improvement over a dominant best expert");
  return report;
}

}  // namespace espalier::research
