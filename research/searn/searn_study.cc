#include "research/searn/searn_study.h"

#include <chrono>
#include <numeric>

#include "research/learned_check.h"

namespace espalier::research {

Result<SearnData> read_data(const SearnRun& run) {
  ESPALIER_ASSIGN(Data train, first_of(run.train, run.train_reading, run.most_sequences));
  ESPALIER_ASSIGN(Corpus test, Corpus::read(run.test, run.test_reading));
  if (run.last_sequences > 0) {
    ESPALIER_CHECK(run.last_sequences <= test.size());
    std::vector<size_t> numbers(run.last_sequences);
    std::iota(numbers.begin(), numbers.end(), test.size() - run.last_sequences);
    test = test.subset(numbers);
  }
  return SearnData{std::move(train), std::move(test)};
}

Result<SearnOutcome> train_and_score(const Request& request, const SearnRun& run, bool by_round) {
  ESPALIER_ASSIGN(const SearnData data, read_data(run));
  return train_and_score(request, run, data.train, data.test, by_round);
}

Result<SearnOutcome> train_and_score(const Request& request, const SearnRun& run, const Data& train,
                                     const Corpus& test, bool by_round) {
  std::vector<std::string> settings = run.settings;
  if (by_round) settings.push_back("patience=1000000");
  ESPALIER_ASSIGN(TrainOptions options,
                  train_options(request, learner_with(run.learner, settings), run.template_file));
  options.task = run.task;
  options.feature_columns = run.feature_columns;
  if (by_round) options.dev = test;
  ESPALIER_ASSIGN(const Training training, train_on(train, options));
  SearnOutcome outcome;
  outcome.train_seconds = training.seconds;
  for (const Training::Pass& pass : training.log) {
    if (pass.dev_score) outcome.dev.push_back(*pass.dev_score);
    if (pass.objective) outcome.objectives.push_back(*pass.objective);
  }
  TagOptions tagging;
  tagging.threads = request.threads;
  const auto start = std::chrono::steady_clock::now();
  ESPALIER_ASSIGN(const std::vector<Tagged> tagged, training.tagger.tag_batch(test, tagging));
  outcome.test_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  MostFrequent most_frequent;
  if (run.keep_labels) outcome.predicted.resize(training.tagger.info().labels.size());
  for (size_t s = 0; s < tagged.size(); ++s) {
    const std::vector<std::string> gold = test[s].labels, labels = tagged[s].labels();
    outcome.scores.add(std::vector<std::string_view>(gold.begin(), gold.end()),
                       std::vector<std::string_view>(labels.begin(), labels.end()));
    for (const std::string& label : gold) most_frequent.add(label);
    if (!run.keep_labels) continue;
    for (const Token& token : tagged[s]) {
      for (size_t c = 0; c < token.other_labels.size(); ++c)
        outcome.predicted[c].push_back(token.other_labels[c]);
      outcome.predicted.back().push_back(token.label);
    }
  }
  outcome.most_frequent = most_frequent.share();
  return outcome;
}

}  // namespace espalier::research
