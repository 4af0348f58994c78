#include "espalier/model/training/search_problem.h"

#include <unordered_set>

namespace espalier::model {

std::string classifier_text(const tasks::SearchOptions& options) {
  if (options.learner != tasks::SearchLearner::kSearn) return "perceptron, learned by search";
  const auto name_of = [](const auto& names, auto value) {
    return std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.second == value; })->first;
  };
  return fmt::format("{}, reduction {}", name_of(classifier_names(), options.classifier),
                     name_of(reduction_names(), options.reduction));
}

void add_names(const tasks::HistoryNames& old, tasks::HistoryNames& names) {
  const std::unordered_set<uint64_t> present(names.hashes.begin(), names.hashes.end());
  size_t begin = 0;
  for (const uint64_t hash : old.hashes) {
    const size_t end = old.names.find('\n', begin) + 1;
    if (!present.contains(hash) && names.hashes.size() < tasks::kMostHistoryNames) {
      names.hashes.push_back(hash);
      names.names.append(old.names, begin, end - begin);
    }
    begin = end;
  }
}

tasks::DecodeOptions SearchRun::decoding() const {
  tasks::DecodeOptions decode;
  decode.beam = asked.beam.value_or(1);
  decode.best_first = searches_best_first(asked);
  decode.seed = job.request.seed;
  decode.normalise = method.options.learner == tasks::SearchLearner::kSearn;
  decode.stochastic = method.stochastic;
  return decode;
}

/// Of what a stochastic policy draws, as the model will.
std::vector<uint64_t> SearchRun::dev_seeds(const tasks::DecodeOptions& decode) const {
  std::vector<uint64_t> seeds;
  for (const data::Sequence& sequence : job.dev.sequences) {
    data::FeatureExtractor::Scratch scratch;
    data::HashedFeatures features;
    job.extractor->extract(sequence, scratch, features);
    seeds.push_back(tasks::one_seed(decode.seed, features));
  }
  return seeds;
}

std::string SearchRun::dev_name(size_t sequence) const {
  return fmt::format("development set, sequence {} (line {})", sequence + 1,
                     job.dev.sequences[sequence].line(0));
}

}  // namespace espalier::model
