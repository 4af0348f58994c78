#include "espalier/model/training/summary_training.h"

#include <algorithm>

#include "espalier/eval/rouge.h"
#include "espalier/model/sentence_models.h"
#include "espalier/model/task_data.h"
#include "espalier/model/training/best_round.h"
#include "espalier/model/training/search_problem.h"
#include "espalier/tasks/summary/summary_model.h"

namespace espalier::model {
namespace {

/// What makes search spaces of clusters.
struct SummarySource {
  TrainingJob& job;
  tasks::SummaryInputOptions input;
  std::shared_ptr<const SentenceModels> sentences;  ///< may be null
  size_t oracle_beam;
  tasks::WordCounts background;

  Result<tasks::Cluster> cluster(const data::Sequence& sequence, const std::string& file) const {
    tasks::Cluster out = tasks::cluster_of(sequence);
    if (out.references.empty())
      return fail("{}:{}: the cluster has no references (\"refs\") to learn from", file, sequence.line(0));
    if (input.unit == tasks::SummaryUnit::kWord && !out.parsed()) {
      if (!sentences)
        return fail(
            "{}:{}: unit=word chooses words by their dependency trees, and the sentences have none; give a "
            "model of task parse with --parser, or \"heads\" in the input",
            file, sequence.line(0));
      ESPALIER_TRY(sentences->annotate(out));
    }
    return out;
  }

  /// All clusters of some sequences, in parallel. `own`: their words are part of the background.
  Result<tasks::SummaryProblem> problem(std::vector<tasks::Cluster> clusters, bool own) const {
    tasks::SummaryProblem out;
    out.instances.resize(clusters.size());
    std::vector<Status> status(clusters.size());
    job.workers.for_each(clusters.size(), [&](size_t i) {
      status[i] = [&]() -> Status {
        ESPALIER_ASSIGN(const tasks::WordCounts words, tasks::cluster_words(clusters[i], input.stemmer));
        tasks::SummaryInputOptions options = input;
        options.limit = clusters[i].limit.value_or(input.limit);
        ESPALIER_ASSIGN(tasks::SummaryInput made,
                        tasks::make_summary_input(clusters[i], options, background, own ? &words : nullptr));
        ESPALIER_ASSIGN(eval::RougeWords rouge, eval::RougeWords::make(input.stemmer));
        std::vector<eval::RougeText> references;
        for (const auto& reference : clusters[i].references) references.push_back(rouge.text(reference));
        out.instances[i] = std::make_unique<tasks::SummaryInstance>(std::move(clusters[i]), std::move(made));
        out.instances[i]->oracle =
            std::make_unique<tasks::SummaryOracle>(out.instances[i]->input, references, oracle_beam);
        return {};
      }();
    });
    for (const Status& one : status) ESPALIER_TRY(one);
    return out;
  }
};

/// Mean ROUGE-2 recall on the development set, in percent.
Result<double> dev_rouge(const tasks::SummaryProblem& dev, const search::Mixture& policy,
                         const tasks::DecodeOptions& decode) {
  double sum = 0;
  for (size_t i = 0; i < dev.size(); ++i) {
    const tasks::SummaryInstance& instance = *dev.instances[i];
    ESPALIER_ASSIGN(const tasks::Decoded decoded,
                    tasks::decode_pieces(dev.space(i), instance.input.limit, policy, decode));
    tasks::PieceSet set = instance.oracle->empty_set();
    for (const search::Action& action : decoded.best.front().actions) set.add({{action.candidate}});
    const auto total = static_cast<double>(std::max<uint64_t>(1, instance.oracle->goal().total()));
    sum += 100 * static_cast<double>(set.worth()) / total;
  }
  return sum / static_cast<double>(std::max<size_t>(1, dev.size()));
}

}  // namespace

Status read_clusters(TrainingJob& job) {
  job.about.task = job.request.task;
  job.about.reading = job.request.reading;
  job.about.reading.folds.clear();
  job.about.features.attributes = true;
  ESPALIER_ASSIGN(auto extractor, data::FeatureExtractor::make(job.about.features));
  job.extractor = std::make_unique<data::FeatureExtractor>(std::move(extractor));
  ESPALIER_ASSIGN(job.sequences,
                  read_task_data(job.request.train, job.request.task, job.request.reading, &job.origins));
  if (job.sequences.empty()) return fail("{}: no clusters", job.request.train.front().name());
  ESPALIER_ASSIGN(job.dev.sequences,
                  read_task_data(job.request.dev, job.request.task,
                                 job.request.dev_reading.value_or(job.request.reading), &job.dev.origins));
  job.training.labels.add(tasks::kOutOfSummary);
  job.training.labels.add(tasks::kInSummary);
  job.report.sequences = job.about.training_sequences = job.sequences.size();
  for (const data::Sequence& sequence : job.sequences) job.report.tokens += sequence.length();
  job.about.training_tokens = job.report.tokens;
  job.report.reading_seconds = job.seconds();
  return {};
}

Status train_summary_model(TrainingJob& job, const SearchLearnerOptions& asked, const SummaryMethod& method) {
  const tasks::SummaryUnit unit = unit_of(asked, TaskKind::kSummary) == tasks::DecisionUnit::kWord
                                      ? tasks::SummaryUnit::kWord
                                      : tasks::SummaryUnit::kSentence;
  SummarySource source{job, {unit, asked.limit, asked.stemmer}, nullptr, method.oracle_beam, {}};
  if (!job.request.parsers.empty()) {
    if (unit == tasks::SummaryUnit::kSentence)
      return fail("--parser has no effect on whole sentences; unit=word needs it");
    ESPALIER_ASSIGN(source.sentences, SentenceModels::open(job.request.parsers));
    for (const std::string& warning : source.sentences->warnings()) job.warn(warning);
  }
  const auto clusters_of =
      [&](const std::vector<data::Sequence>& sequences,
          const std::vector<const data::Source*>& files) -> Result<std::vector<tasks::Cluster>> {
    std::vector<tasks::Cluster> out;
    for (size_t s = 0; s < sequences.size(); ++s) {
      if (job.monitor.stop_requested())
        return fail("training was stopped before it began, and there is no model");
      ESPALIER_ASSIGN(tasks::Cluster cluster, source.cluster(sequences[s], files[s]->name()));
      out.push_back(std::move(cluster));
    }
    return out;
  };
  ESPALIER_ASSIGN(std::vector<tasks::Cluster> clusters, clusters_of(job.sequences, job.origins));
  for (const tasks::Cluster& cluster : clusters) {
    ESPALIER_ASSIGN(const tasks::WordCounts words, tasks::cluster_words(cluster, asked.stemmer));
    source.background.add(words);
  }
  ESPALIER_ASSIGN(const tasks::SummaryProblem problem, source.problem(std::move(clusters), true));
  ESPALIER_ASSIGN(std::vector<tasks::Cluster> dev_clusters, clusters_of(job.dev.sequences, job.dev.origins));
  ESPALIER_ASSIGN(const tasks::SummaryProblem dev, source.problem(std::move(dev_clusters), false));

  tasks::SummarySettings settings;
  settings.unit = unit;
  settings.limit = asked.limit;
  settings.stemmer = asked.stemmer;
  settings.decode.beam = beam_of(asked, TaskKind::kSummary);
  settings.decode.best_first = searches_best_first(asked) && settings.decode.beam > 1;
  settings.decode.normalise = method.options.learner == tasks::SearchLearner::kSearn;
  settings.classifier = classifier_text(method.options);
  const auto score = [&](const search::Mixture& policy) { return dev_rouge(dev, policy, settings.decode); };
  BestRound<search::Mixture> best(job, method.options.passes, score);
  tasks::SearchContext context{{job.monitor, best.callback()}, search::no_static_rows(1), 1, 0};
  context.note = [&](std::string text) { job.report.notes.push_back(std::move(text)); };
  Status trouble;
  if (dev.size() > 0)
    context.dev_score = [&](const search::Mixture& policy) {
      const Result<double> measured = score(policy);
      if (measured.ok()) return *measured;
      trouble = measured.error();
      return 0.0;
    };
  ESPALIER_ASSIGN(search::Mixture last, job.ended(tasks::train_search(problem, method.options, context,
                                                                      dev.size() > 0 ? &dev : nullptr)));
  ESPALIER_TRY(trouble);
  const search::Mixture policy = best.best_or(std::move(last));
  SectionWriter out;
  tasks::save_summary_model(settings, source.background, policy, out);
  if (source.sentences) source.sentences->save(out);
  ESPALIER_TRY(job.save(out));
  if (const auto* weights = dynamic_cast<const search::RowWeights*>(&policy.classifier(0)))
    job.report.features = job.report.weights = weights->hashed().size();
  return {};
}

}  // namespace espalier::model
