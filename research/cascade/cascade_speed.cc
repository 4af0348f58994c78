// What a trigram cascade costs by the number of labels, and compared with first-order Viterbi.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "espalier/base/random.h"
#include "espalier/chain/kernels.h"
#include "espalier/data/synth/synth.h"
#include "espalier/linear/rows.h"
#include "research/cascade/cascade_study.h"
#include "research/experiments.h"
#include "research/learned_check.h"
#include "research/processor_time.h"

namespace espalier::research {

namespace {

Result<std::vector<data::Sequence>> made_corpus(size_t labels, size_t sequences, uint64_t seed) {
  data::SynthOptions options;
  options.name = "labels";
  options.labels = labels;
  options.sequences = sequences;
  options.seed = seed;
  std::string text;
  ESPALIER_TRY(data::synthesize(options, [&](std::string_view part) -> Status {
    text += part;
    return {};
  }));
  ESPALIER_ASSIGN(const auto reader, data::read_text(text, "made", {}));
  std::vector<data::Sequence> all;
  while (true) {
    data::Sequence sequence;
    ESPALIER_ASSIGN(const bool more, reader->next(sequence));
    if (!more) return all;
    all.push_back(std::move(sequence));
  }
}

/// Seconds per token of first-order Viterbi over this many labels, without features.
double viterbi_seconds(size_t labels, size_t positions) {
  const size_t S = linear::padded(labels);
  Random random(1);
  AlignedVector<float> node(positions * S, chain::kImpossible), trans(labels * S, 0.0f);
  for (size_t t = 0; t < positions; ++t)
    for (size_t j = 0; j < labels; ++j) node[t * S + j] = static_cast<float>(random.gaussian());
  for (float& w : trans) w = static_cast<float>(random.gaussian());
  const chain::ChainScores scores{positions, labels, S, node.data(), trans.data(), nullptr};
  chain::ChainScratch scratch;
  std::vector<uint16_t> best(positions);
  chain::viterbi(scores, scratch, best.data());
  const double start = processor_seconds();
  constexpr int kTimes = 20;
  for (int i = 0; i < kTimes; ++i) chain::viterbi(scores, scratch, best.data());
  return (processor_seconds() - start) / static_cast<double>(kTimes * positions);
}

/// Every n-th sequence and those with a label not seen before; and the last `others` of the rest.
std::pair<std::vector<data::Sequence>, std::vector<data::Sequence>> few_with_all_labels(
    std::span<const data::Sequence> all, size_t n, size_t others) {
  std::vector<data::Sequence> chosen, rest;
  std::set<std::string, std::less<>> seen;
  for (size_t i = 0; i < all.size(); ++i) {
    bool wanted = i % n == 0;
    for (size_t t = 0; t < all[i].length(); ++t)
      if (seen.emplace(all[i].label(t)).second) wanted = true;
    (wanted ? chosen : rest).push_back(all[i]);
  }
  rest.erase(rest.begin(), rest.end() - static_cast<ptrdiff_t>(std::min(others, rest.size())));
  return {std::move(chosen), std::move(rest)};
}

size_t tokens_of(std::span<const data::Sequence> sequences) {
  size_t tokens = 0;
  for (const data::Sequence& sequence : sequences) tokens += sequence.length();
  return tokens;
}

}  // namespace

Result<Report> cascade_speed(const Request& request) {
  Report report;
  const Workers workers(request.threads);
  cascade::Options options;
  options.seed = request.seed;
  options.budget = 4;
  options.train_alphas = {0.25};
  options.warm_up = 2;
  options.filter_passes = 1;
  options.passes = 3;
  report.set("model", "trigrams, at most 4 label n-grams alive per position after each filter");
  data::FeatureOptions features;
  features.feature_columns = {0};
  std::vector<double> micros, arcs;
  LearnedCheck learned;
  const std::vector<size_t> sizes =
      request.quick ? std::vector<size_t>{10, 50} : std::vector<size_t>{10, 30, 100, 300, 1000};
  for (const size_t K : sizes) {
    const size_t n = request.quick ? 200 : 3000;
    ESPALIER_ASSIGN(const auto train, made_corpus(K, n, 1));
    ESPALIER_ASSIGN(const auto test, made_corpus(K, n / 5, 2));
    options.full_rows_from = K <= 64 ? 5 : 0;
    ESPALIER_ASSIGN(const StudiedCascade cascade,
                    study_cascade(train, features, options, false, workers, request.monitor));
    ESPALIER_ASSIGN(const CascadeFigures figures, measure_cascade(cascade, test, true));
    const double token = 1e6 * figures.decode_seconds / static_cast<double>(tokens_of(test));
    const std::string column = fmt::format("{} labels", K);
    report.add("cascade", column + ", µs per token, decoding", std::nullopt, token);
    report.add("cascade", column + ", states alive", std::nullopt, figures.states);
    report.add("cascade", column + ", arcs alive", std::nullopt, figures.arcs);
    report.add("cascade", column + ", lattice bytes per token", std::nullopt,
               26 * figures.states + 12 * figures.arcs);
    report.add("cascade", column + ", accuracy", std::nullopt, figures.accuracy);
    report.add("viterbi", column + ", µs per token, first order", std::nullopt, 1e6 * viterbi_seconds(K, 50));
    learned.add(column, figures.accuracy, figures.most_frequent);
    micros.push_back(token);
    arcs.push_back(figures.arcs);
  }
  learned.report_to(report);
  if (request.quick) return report;
  // Level 1 looks at every label once, the rest only at what is alive: at most linear in the labels.
  report.check("time per token grows no faster than the labels, from 10 to 1,000",
               micros.back() <= 100 * micros.front(),
               fmt::format("{:.2f} µs against {:.2f} µs", micros.back(), micros.front()));
  report.check("arcs alive do not grow with the labels", arcs.back() <= 10 * std::max(1.0, arcs.front()),
               fmt::format("{:.1f} against {:.1f}", arcs.back(), arcs.front()));

  ESPALIER_ASSIGN(const auto brown, data::read_all({request.corpus("brown/brown.txt.gz")}, {}));
  const auto [few, test] = few_with_all_labels(brown, 10, 1000);
  options.full_rows_from = 0;
  ESPALIER_ASSIGN(const StudiedCascade cascade,
                  study_cascade(few, features, options, false, workers, request.monitor));
  ESPALIER_ASSIGN(const CascadeFigures figures, measure_cascade(cascade, test, true));
  const size_t K = cascade.predictor->labels().size();
  const double own = 1e6 * figures.decode_seconds / static_cast<double>(tokens_of(test));
  const double first_order = 1e6 * viterbi_seconds(K, 25);
  report.add("cascade", fmt::format("Brown, {} tags, µs per token, decoding", K), std::nullopt, own);
  report.add("viterbi", fmt::format("Brown, {} tags, µs per token, first order", K), std::nullopt,
             first_order);
  report.check("Brown: the trigram cascade decodes faster than first-order Viterbi", own < first_order,
               fmt::format("{:.2f} µs against {:.2f} µs per token", own, first_order));
  return report;
}

}  // namespace espalier::research
