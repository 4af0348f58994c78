#include "espalier/report/runs.h"

#include <algorithm>

namespace espalier::report {
namespace {

/// Names that differ, so that legends do.
std::vector<std::string> distinct_names(const std::vector<ReportModel>& models) {
  std::vector<std::string> names;
  for (const ReportModel& model : models) {
    std::string name = model.name.empty() ? "model" : model.name;
    for (int i = 2; std::find(names.begin(), names.end(), name) != names.end(); ++i)
      name = fmt::format("{} ({})", model.name, i);
    names.push_back(std::move(name));
  }
  return names;
}

/// Labels that are equal where head and relation are.
Texts arcs_of(const std::vector<uint32_t>& heads, const Texts& relations) {
  Texts out;
  for (size_t w = 0; w < heads.size(); ++w) out.push_back(fmt::format("{} {}", heads[w], relations[w]));
  return out;
}

}  // namespace

std::vector<std::string_view> views_of(const Texts& texts) { return {texts.begin(), texts.end()}; }

Result<Runs> gather_runs(const Data& test, const std::vector<ReportModel>& models,
                         const ReportOptions& options) {
  if (models.empty() || models.size() > 2)
    return fail("a report is about one model or two, not {}", models.size());
  const std::vector<std::string> names = distinct_names(models);
  Runs out;
  data::SchemeDetector detector;
  for (size_t m = 0; m < models.size(); ++m) {
    const ReportModel& model = models[m];
    Run run;
    run.name = names[m];
    run.info = model.tagger.info();
    const bool parses = run.info.answers == AnswerKind::kTrees,
               summarises = run.info.answers == AnswerKind::kSummaries;
    if (m > 0 && run.info.answers != out.runs.front().info.answers)
      return fail("{} is of task {} and {} of task {}; compare models of one task", names[0],
                  out.runs.front().info.task, names[m], run.info.task);
    run.model_bytes = model.tagger.bytes().size();
    run.training_log = model.training_log;
    eval::TaggingScores counter;
    Status wrong;
    EvaluateOptions how;
    how.decode = options.decode;
    how.calibration = run.info.has_probabilities && !parses && !summarises;
    how.threads = options.threads;
    how.stop = options.stop;
    if (options.on_progress)
      how.on_progress = [&](Progress progress) {
        progress.phase = run.name + ", " + progress.phase;
        return options.on_progress(progress);
      };
    how.on_sequence = [&](const ScoredSequence& sequence) {
      const size_t number = run.labels.size();
      if (m == 0) {
        out.sentences.push_back({sequence.file, sequence.lines, sequence.words, sequence.gold,
                                 sequence.gold_heads, sequence.cluster});
        out.tokens += sequence.gold.size();
        if (!parses && !summarises) detector.add(views_of(sequence.gold));
      } else if (wrong.ok() &&
                 (number >= out.sentences.size() || sequence.gold != out.sentences[number].gold)) {
        wrong = fail("{}:{}: {} and {} read different tokens or gold labels here; compare models of one task",
                     sequence.file, sequence.lines.front(), names[0], names[1]);
      }
      if (parses) {
        run.heads.push_back(sequence.heads);
        run.attachments.add(sequence.gold_heads, views_of(sequence.gold), sequence.heads,
                            views_of(sequence.predicted));
        const Texts gold = arcs_of(sequence.gold_heads, sequence.gold),
                    found = arcs_of(sequence.heads, sequence.predicted);
        run.statistics.push_back(counter.add(views_of(gold), views_of(found)));
      } else if (!summarises) {
        run.statistics.push_back(counter.add(views_of(sequence.gold), views_of(sequence.predicted)));
      }
      run.labels.push_back(sequence.predicted);
      if (how.calibration) run.probability.push_back(sequence.probability);
    };
    ESPALIER_ASSIGN(run.scores, evaluate(model.tagger, test, how));
    ESPALIER_TRY(wrong);
    if (run.labels.size() != out.sentences.size())
      return fail("{} and {} read different numbers of sequences", names[0], names[1]);
    if (m == 0 && !parses && !summarises && counter.chunked()) out.scheme = detector.scheme();
    out.runs.push_back(std::move(run));
  }
  if (out.tokens == 0) return fail("the test data has no tokens");
  return out;
}

}  // namespace espalier::report
