// find_suspicious: gold labels that a model of the other folds contradicts. Tested in evaluate_test.cc and
// apps/tests/report_test.sh.
#include <algorithm>
#include <cmath>

#include "espalier/api/corpus.h"
#include "espalier/api/training.h"
#include "espalier/public/evaluate.h"

namespace espalier {
namespace {

/// The file of each sequence: a corpus that was read from several files knows the first only.
Result<std::vector<std::string>> files_of_sequences(const Data& data, const Corpus& corpus,
                                                    const std::string& task) {
  std::vector<std::string> names;
  if (data.files() != nullptr && data.files()->paths.size() > 1) {
    for (const std::string& path : data.files()->paths) {
      ESPALIER_ASSIGN(const Corpus one, api::corpus_of(Files{{path}, data.files()->reading}, task));
      names.insert(names.end(), one.size(), path);
    }
  }
  names.resize(corpus.size(), corpus.state()->name);
  return names;
}

}  // namespace

Result<std::vector<Suspicion>> find_suspicious(const Data& data, const TrainOptions& options, int k,
                                               size_t most) {
  if (k < 0 || k == 1) return fail("folds={}: there must be two at least", k);
  ESPALIER_TRY(check_options(data, options));
  ESPALIER_ASSIGN(const Corpus corpus, api::corpus_of(data, options.task));
  ESPALIER_ASSIGN(const std::vector<std::string> files, files_of_sequences(data, corpus, options.task));
  bool own = false;
  ESPALIER_ASSIGN(const auto folds, api::folds_of(corpus, k, options.seed, own));
  std::vector<Suspicion> found;
  size_t number = 0;
  for (const auto& [fold, numbers_of_fold] : folds) {
    const std::vector<size_t>& held_out = numbers_of_fold;  // lambdas of clang 14 see no structured bindings
    ++number;
    std::vector<size_t> others;
    for (const auto& [other, numbers] : folds)
      if (other != fold) others.insert(others.end(), numbers.begin(), numbers.end());
    TrainOptions one = options;
    if (options.on_progress)
      one.on_progress = [&](Progress progress) {
        progress.phase = fmt::format("fold {} of {}, {}", number, folds.size(), progress.phase);
        return options.on_progress(progress);
      };
    ESPALIER_ASSIGN(const Training training, train_with_report(corpus.subset(others), one));
    if (training.interrupted) return fail("stopped before all folds were done");
    if (!training.tagger.info().has_probabilities)
      return fail("the learner {} has no probabilities, which tell how suspicious a label is; take crf",
                  training.tagger.info().learner);
    EvaluateOptions scoring;
    scoring.calibration = true;
    scoring.threads = options.threads;
    scoring.on_progress = one.on_progress;
    scoring.stop = options.stop;
    size_t at = 0;
    scoring.on_sequence = [&](const ScoredSequence& sequence) {
      while (at < held_out.size() && corpus.state()->sequences[held_out[at]].empty()) ++at;
      const size_t s = held_out[at++];
      for (size_t t = 0; t < sequence.gold.size(); ++t)
        if (sequence.gold[t] != "_" && sequence.gold[t] != sequence.predicted[t])
          found.push_back({files[s], sequence.lines[t], s, t, sequence.words[t], sequence.gold[t],
                           sequence.predicted[t], sequence.probability[t]});
    };
    ESPALIER_TRY(evaluate(training.tagger, corpus.subset(held_out), scoring));
  }
  std::sort(found.begin(), found.end(), [](const Suspicion& a, const Suspicion& b) {
    if (a.probability != b.probability) return a.probability > b.probability;
    return a.sequence != b.sequence ? a.sequence < b.sequence : a.token < b.token;
  });
  if (found.size() > most) found.resize(most);
  return found;
}

}  // namespace espalier
