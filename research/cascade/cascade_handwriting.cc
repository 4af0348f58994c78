// Handwriting recognition with cascades of order 1 to 4 (Weiss and Taskar 2010, Table 1).
#include <array>
#include <cmath>

#include "research/cascade/cascade_study.h"
#include "research/experiments.h"

namespace espalier::research {

namespace {

struct MeanAndDeviation {
  double mean = 0, deviation = 0;
};
MeanAndDeviation mean_of(const std::vector<double>& values) {
  MeanAndDeviation result;
  for (const double x : values) result.mean += x / static_cast<double>(values.size());
  if (values.size() < 2) return result;
  for (const double x : values) result.deviation += (x - result.mean) * (x - result.mean);
  result.deviation = std::sqrt(result.deviation / static_cast<double>(values.size() - 1));
  return result;
}

cascade::Options letters_options(size_t order, uint64_t seed, bool quick) {
  cascade::Options options;
  options.orders.clear();
  for (size_t n = 1; n <= order; ++n) options.orders.push_back(n);
  options.loss_unit = cascade::LossUnit::kSequences;
  options.filter_loss = {0.005, 0.01, 0.005};
  options.passes = 12;
  options.full_rows_from = 5;
  options.train_alphas = {0.25};
  if (quick) {
    options.warm_up = 1;
    options.filter_passes = 1;
    options.passes = 2;
    options.budget = 20;  // filters that saw almost no data would keep everything
  }
  options.seed = seed;
  return options;
}

/// Words of the given folds, in the order of the file.
std::vector<data::Sequence> words_of(std::span<const data::Sequence> all,
                                     const std::function<bool(int)>& wanted, size_t most) {
  std::vector<data::Sequence> chosen;
  for (const data::Sequence& word : all)
    if (wanted(word.fold().value_or(0)) && chosen.size() < most) chosen.push_back(word);
  return chosen;
}

}  // namespace

Result<Report> cascade_handwriting(const Request& request) {
  data::ReadOptions reading;
  reading.format = data::Format::kLetters;
  ESPALIER_ASSIGN(const auto all, data::read_all({request.corpus("ocr/letter.data.gz")}, reading));
  data::FeatureOptions features;
  features.attributes = true;
  const Workers workers(request.threads);
  const int folds = request.quick ? 1 : 10;
  const size_t most = request.quick ? 120 : all.size();
  Report report;
  report.set("folds", std::to_string(folds));
  report.set("filter loss by level", "0.5 %, 1 %, 0.5 % of words");
  report.set("features", "pixels, label n-grams up to the order");
  constexpr double kCharacters[] = {77.44, 85.69, 87.95, 92.25}, kWords[] = {26.65, 49.44, 73.83, 84.46};
  constexpr double kLoss[] = {0.56, 0.99, 3.41}, kGrams[] = {26.0, 123.8, 88.6, 5.4};
  struct Samples {
    std::vector<double> characters, words, lost, alive;
  };
  constexpr size_t kOrders = 4;
  std::array<Samples, kOrders> samples;
  for (int fold = 0; fold < folds; ++fold) {
    const auto train = words_of(
        all, [&](int f) { return f != fold; }, most);
    const auto test = words_of(
        all, [&](int f) { return f == fold; }, most);
    ESPALIER_ASSIGN(const auto cascades,
                    study_cascades(train, features, letters_options(kOrders, request.seed, request.quick),
                                   {false, true}, workers, request.monitor));
    for (size_t n = 0; n < kOrders; ++n) {
      ESPALIER_ASSIGN(const CascadeFigures figures, measure_cascade(cascades[n], test, true));
      samples[n].characters.push_back(figures.accuracy);
      samples[n].words.push_back(figures.sequence_accuracy);
      samples[n].lost.push_back(figures.lost_sequences);
      samples[n].alive.push_back(n == 0 ? figures.states : figures.arcs);
    }
  }
  double characters = 0, words = 0, lost = 0, grams = 0;
  for (size_t order = 1; order <= kOrders; ++order) {
    const std::string row = fmt::format("order-{}", order);
    const auto put = [&](const char* column, std::optional<double> seed, const std::vector<double>& values) {
      const MeanAndDeviation m = mean_of(values);
      report.add(row, column, seed, m.mean, folds > 1 ? std::optional<double>(m.deviation) : std::nullopt);
      return m.mean;
    };
    const Samples& own = samples[order - 1];
    characters = put("characters, nine folds to one", kCharacters[order - 1], own.characters);
    words = put("words, nine folds to one", kWords[order - 1], own.words);
    if (order > 1) lost = put("filter loss before the last level, % of words", kLoss[order - 2], own.lost);
    grams = put("n-grams per position at the last level", kGrams[order - 1], own.alive);
  }
  std::vector<double> small_characters, small_words;
  for (int fold = 0; fold < folds; ++fold) {
    const auto train = words_of(
        all, [&](int f) { return f == fold; }, most);
    const auto test = words_of(
        all, [&](int f) { return f != fold; }, most);
    ESPALIER_ASSIGN(const StudiedCascade cascade,
                    study_cascade(train, features, letters_options(4, request.seed, request.quick), false,
                                  workers, request.monitor));
    ESPALIER_ASSIGN(const CascadeFigures figures, measure_cascade(cascade, test, true));
    small_characters.push_back(figures.accuracy);
    small_words.push_back(figures.sequence_accuracy);
  }
  report.add("order-4", "characters, one fold to nine", std::nullopt, mean_of(small_characters).mean,
             mean_of(small_characters).deviation);
  report.add("order-4", "words, one fold to nine", std::nullopt, mean_of(small_words).mean,
             mean_of(small_words).deviation);
  report.notes.push_back(
      "the same 55 words occur in every fold, written by others: label n-grams can learn words by heart");
  if (request.quick) return report;  // figures of a few hundred words mean nothing
  report.check("characters, nine folds to one, at least 97.5", characters >= 97.5,
               fmt::format("{:.2f}", characters));
  report.check("words, nine folds to one, at least 92", words >= 92, fmt::format("{:.2f}", words));
  report.check("filter loss before the last level at most 3.4 % of words", lost <= 3.4,
               fmt::format("{:.2f}", lost));
  report.check("at most 5.4 label 4-grams per position", grams <= 5.4, fmt::format("{:.2f}", grams));
  report.check("characters, one fold to nine, at least 88", mean_of(small_characters).mean >= 88,
               fmt::format("{:.2f}", mean_of(small_characters).mean));
  return report;
}

}  // namespace espalier::research
