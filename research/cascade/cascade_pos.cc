// Part-of-speech tagging with trigrams: unfiltered, with learned filters, CRF filters, and a tag dictionary
// (Weiss and Taskar 2010, Table 2).
#include <algorithm>
#include <map>

#include "research/cascade/cascade_study.h"
#include "research/experiments.h"
#include "research/learned_check.h"
#include "research/processor_time.h"

namespace espalier::research {

namespace {

struct PosCorpus {
  const char* name;
  const char* train;
  const char* test;
  data::Format format;
  const char* label;
  bool many_tags;  ///< as many as the paper's English: the corpus that its figures are compared with
  /// A trigram without filters is trained as well. That takes seconds with 17 tags, an hour with 50.
  bool full_trigram = false;
};
constexpr PosCorpus kPosCorpora[] = {
    {"English, XPOS", "ud/en_ewt-ud-train.conllu.gz", "ud/en_ewt-ud-test.conllu.gz", data::Format::kConllu,
     "xpos", true},
    {"Portuguese, UPOS", "ud/pt_bosque-ud-train.conllu.gz", "ud/pt_bosque-ud-test.conllu.gz",
     data::Format::kConllu, "", false, true},
    {"Bulgarian, UPOS", "ud/bg_btb-upos-train.txt.gz", "ud/bg_btb-upos-test.txt.gz", data::Format::kColumns,
     "", false},
};

std::string shares(const std::vector<double>& losses) {
  std::string text;
  for (const double loss : losses) text += fmt::format("{}{:g} %", text.empty() ? "" : ", ", 100 * loss);
  return text + " of positions";
}

/// Table 2's rows as printed: equation 9 from zero weights, ε = .01 %, a perceptron as the last level.
cascade::Options printed_options(const Request& request, FilterSteps steps) {
  cascade::Options literal = as_printed({}, {0, 0.2, 0.4, 0.6, 0.8}, steps);
  literal.seed = request.seed;
  literal.unit = cascade::Unit::kStates;
  literal.filter_loss = {0.0001};
  literal.last = cascade::Loss::kPerceptron;
  if (request.quick) {
    literal.train_alphas = {0.2};
    literal.filter_passes = literal.passes = 1;
    literal.budget = 4;
    literal.full_rows_from = 5;
  }
  return literal;
}

/// The grid search over η and λ, on training data: of cascades from some sentences, that whose filters leave
/// least alive in others. Both get the same ε, which each filter's threshold keeps to.
Result<FilterSteps> choose_steps(const PosCorpus& corpus, std::span<const data::Sequence> train,
                                 const data::FeatureOptions& words, const Request& request, Report& report) {
  const size_t learned = request.quick ? 40 : 2000, judged = request.quick ? 10 : 500;
  if (train.size() < learned + judged) return fail("{} sentences are too few", train.size());
  const Workers workers(request.threads);
  FilterSteps best;
  double least = 1e300;
  for (const FilterSteps& steps : kFilterSteps) {
    cascade::Options options = printed_options(request, steps);
    options.orders = {1, 2, 3};
    options.train_alphas = {0.2, 0.6};
    options.passes = 1;  // the last level is not what is compared
    options.full_rows_from = 5;
    ESPALIER_ASSIGN(const StudiedCascade trained,
                    study_cascade(train.first(learned), words, options, false, workers, request.monitor));
    ESPALIER_ASSIGN(const CascadeFigures figures,
                    measure_cascade(trained, train.subspan(learned, judged), true));
    report
        .add("cascade",
             fmt::format("{}: grid search on training data, {}: states", corpus.name, text_of(steps)),
             std::nullopt, figures.states)
        .printed();
    if (figures.states < least) {
      least = figures.states;
      best = steps;
    }
  }
  report.set(fmt::format("{}, as printed", corpus.name), text_of(best));
  return best;
}

/// A trigram that was trained without filters, Table 2's "Full", next to a cascade from the same sentences;
/// and cascades of order 1 to 5.
Status add_full_trigram(const PosCorpus& corpus, std::span<const data::Sequence> train,
                        std::span<const data::Sequence> test, const data::FeatureOptions& words,
                        const Request& request, LearnedCheck& above_baseline, Report& report) {
  const Workers workers(request.threads);
  const auto few = train.first(request.quick ? 20 : train.size());
  ESPALIER_ASSIGN(const FilterSteps steps, choose_steps(corpus, train, words, request, report));
  cascade::Options literal = printed_options(request, steps);
  const auto put = [&](const std::string& row, const char* what, double value) {
    report.add(row, fmt::format("{}, {} sentences: {}", corpus.name, few.size(), what), std::nullopt, value)
        .printed();
  };
  std::map<bool, CascadeFigures> figures;
  std::map<bool, double> seconds;
  double tags = 0;
  for (const bool filtered : {false, true}) {
    literal.orders = filtered ? std::vector<size_t>{1, 2, 3} : std::vector<size_t>{3};
    ESPALIER_ASSIGN(const StudiedCascade trained,
                    study_cascade(few, words, literal, !request.quick, workers, request.monitor));
    ESPALIER_ASSIGN(figures[filtered], measure_cascade(trained, test, filtered));
    seconds[filtered] = trained.training_seconds;
    tags = static_cast<double>(trained.predictor->labels().size());
    const std::string row = filtered ? "cascade" : "none, trained in full";
    const CascadeFigures& f = figures[filtered];
    put(row, "accuracy", f.accuracy);
    put(row, "states", f.states);
    put(row, "decoding, ms a sentence", 1000 * f.decode_seconds / static_cast<double>(test.size()));
    put(row, "training, seconds of the processor", seconds[filtered]);
    if (!request.quick) above_baseline.add(row, f.accuracy, f.most_frequent);
  }
  report.check(fmt::format("{}: a trigram without filters has all pairs of tags as states", corpus.name),
               figures[false].states > 0.5 * tags * tags && figures[false].states <= tags * tags,
               fmt::format("{:.1f} states per position with {:g} tags", figures[false].states, tags));
  if (request.quick) return {};
  report.claim(
      fmt::format("{}: as printed: filters do not affect the accuracy of a trigram trained in full (.1)",
                  corpus.name),
      figures[true].accuracy >= figures[false].accuracy - 0.1,
      fmt::format("{:.2f} and {:.2f}", figures[true].accuracy, figures[false].accuracy),
      "filters drop what they have not seen in training");
  report.claim(
      fmt::format("{}: as printed: the cascade takes less time to train than the full trigram", corpus.name),
      seconds[true] < seconds[false], fmt::format("{:.0f} and {:.0f} s", seconds[true], seconds[false]),
      "17 tags make a small full model, and equation 9 is tried with five values of α");
  literal.orders = {1, 2, 3, 4, 5};
  const auto more = train.first(std::min<size_t>(train.size(), 2000));
  ESPALIER_ASSIGN(const auto cascades,
                  study_cascades(more, words, literal, {true, true}, workers, request.monitor));
  std::vector<double> accuracy;
  for (size_t n = 0; n < cascades.size(); ++n) {
    ESPALIER_ASSIGN(const CascadeFigures f, measure_cascade(cascades[n], test, true));
    accuracy.push_back(f.accuracy);
    report
        .add(fmt::format("order-{}", n + 1),
             fmt::format("{}, {} sentences: accuracy", corpus.name, more.size()), std::nullopt, f.accuracy)
        .printed();
  }
  const size_t best =
      static_cast<size_t>(std::max_element(accuracy.begin(), accuracy.end()) - accuracy.begin()) + 1;
  report.claim(fmt::format("{}: as printed: of order 1 to 5, trigrams are the most accurate", corpus.name),
               best == 3, fmt::format("{:.2f}", fmt::join(accuracy, ", ")),
               "with universal tags and few sentences, other orders are as good");
  return {};
}

Status run_corpus(const PosCorpus& corpus, const Request& request, LearnedCheck& above_baseline,
                  Report& report) {
  data::ReadOptions reading;
  reading.format = corpus.format;
  reading.label_column = corpus.label;
  ESPALIER_ASSIGN(auto train, data::read_all({request.corpus(corpus.train)}, reading));
  const double before_reading = processor_seconds();
  ESPALIER_ASSIGN(auto test, data::read_all({request.corpus(corpus.test)}, reading));
  const double reading_seconds = processor_seconds() - before_reading;
  if (request.quick) {
    train.resize(std::min<size_t>(train.size(), 150));
    test.resize(std::min<size_t>(test.size(), 3));
  }
  data::FeatureOptions features;
  features.feature_columns = {corpus.format == data::Format::kConllu ? size_t{1} : size_t{0}};
  const Workers workers(request.threads);
  cascade::Options options;
  options.seed = request.seed;
  options.loss_in_use = cascade::kUsualLossInUse;
  if (request.quick) {
    options.warm_up = 1;
    options.filter_passes = 1;
    options.train_alphas = {0.25};
    options.passes = 1;
    options.full_rows_from = 5;
    options.budget = 4;
  }
  bool printed = false;
  const auto put = [&](const char* row, const char* what, std::optional<double> paper, double value) {
    report.add(row, fmt::format("{}: {}", corpus.name, what), corpus.many_tags ? paper : std::nullopt, value)
        .printed(printed);
  };
  const auto put_all = [&](const char* row, const CascadeFigures& f, std::optional<double> accuracy,
                           std::optional<double> loss, std::optional<double> ms,
                           std::optional<double> states) {
    // A perceptron that learned behind filters says nothing about the labels they drop: as printed, the
    // accuracy without filters is that of the trigram trained in full.
    if (std::string_view(row) != "none") above_baseline.add(row, f.accuracy, f.most_frequent);
    if (std::string_view(row) != "none" || !printed) {
      put(row, "accuracy", accuracy, f.accuracy);
      put(row, "filter loss, %", loss, f.lost_positions);
    }
    put(row, "decoding, ms a sentence", ms, 1000 * f.decode_seconds / static_cast<double>(test.size()));
    put(row, "states", states, f.states);
    put(row, "arcs", std::nullopt, f.arcs);
  };
  const auto study = [&](const data::FeatureOptions& by, const cascade::Options& how) {
    return study_cascade(train, by, how, !request.quick, workers, request.monitor);
  };
  struct Learned {
    double loading_seconds;
    CascadeFigures full, filtered, by_crf;
  };
  /// The rows of Table 2 that learn their filters: none, cascade and crf.
  const auto put_learned = [&](const data::FeatureOptions& by, cascade::Options how) -> Result<Learned> {
    ESPALIER_ASSIGN(const StudiedCascade cascade, study(by, how));
    ESPALIER_ASSIGN(const CascadeFigures full, measure_cascade(cascade, test, false));
    ESPALIER_ASSIGN(const CascadeFigures filtered, measure_cascade(cascade, test, true));
    put_all("none", full, 96.83, 0, 173.28, 1935.7);
    put_all("cascade", filtered, 96.82, 0.121, 1.56, 3.93);
    how.filter = cascade::Filter::kCrf;
    ESPALIER_ASSIGN(const StudiedCascade crf, study(by, how));
    ESPALIER_ASSIGN(const CascadeFigures by_crf, measure_cascade(crf, test, true));
    put_all("crf", by_crf, 96.84, 0.024, 4.16, 11.845);
    return Learned{cascade.loading_seconds, full, filtered, by_crf};
  };
  ESPALIER_ASSIGN(const Learned learned, put_learned(features, options));
  const CascadeFigures &full = learned.full, &filtered = learned.filtered;
  /// The row of Table 2 that takes the tags that a word has in the training data: Tags.
  const auto put_dictionary = [&](const data::FeatureOptions& by, cascade::Options how) -> Status {
    how.filter = cascade::Filter::kDictionary;
    how.orders = {1, 3};
    ESPALIER_ASSIGN(const StudiedCascade tags, study(by, how));
    ESPALIER_ASSIGN(const CascadeFigures by_tags, measure_cascade(tags, test, true));
    put_all("dictionary", by_tags, std::nullopt, 0.118, 10.6, 95.39);
    return {};
  };
  ESPALIER_TRY(put_dictionary(features, options));

  const data::FeatureOptions words = words_alone(corpus.format == data::Format::kConllu ? 1 : 0);
  if (corpus.full_trigram)
    ESPALIER_TRY(add_full_trigram(corpus, train, test, words, request, above_baseline, report));
  if (corpus.many_tags) {  // the rows of Table 2 as printed
    printed = true;
    ESPALIER_ASSIGN(const FilterSteps steps, choose_steps(corpus, train, words, request, report));
    ESPALIER_ASSIGN(const Learned by_equation_9, put_learned(words, printed_options(request, steps)));
    ESPALIER_TRY(put_dictionary(words, printed_options(request, steps)));
    if (!request.quick) {
      const double thinned = by_equation_9.filtered.states, by_log_loss = by_equation_9.by_crf.states;
      report.claim("as printed: the cascade leaves fewer states than CRF filters", thinned < by_log_loss,
                   fmt::format("{:.2f} and {:.2f}", thinned, by_log_loss),
                   "from zero weights nearly every sentence causes an update of equation 9");
      report.claim("as printed: about 4 states per position are left", thinned <= 4.5,
                   fmt::format("{:.2f}", thinned), "ε = .01 % is stricter on this little data");
    }
    printed = false;
  }
  const auto whole = [&](const CascadeFigures& f) {
    return reading_seconds + learned.loading_seconds + f.feature_seconds + f.decode_seconds;
  };
  const double decode_ratio = full.decode_seconds / filtered.decode_seconds;
  put("cascade", "times fewer arcs", std::nullopt, full.arcs / filtered.arcs);
  put("cascade", "times faster, decoding alone", std::nullopt, decode_ratio);
  put("cascade", "times faster, with loading, reading and features", std::nullopt,
      whole(full) / whole(filtered));
  if (request.quick) return {};
  const auto claim = [&](const char* name, bool holds, std::string figure, std::string cause) {
    report.claim(fmt::format("{}: ours: {}", corpus.name, name), holds, std::move(figure), std::move(cause));
  };
  claim("filters do not affect the accuracy (.05)", filtered.accuracy >= full.accuracy - 0.05,
        fmt::format("{:.3f} against {:.3f}", filtered.accuracy, full.accuracy),
        "the second filter may lose .6 % in use");
  claim("about 4 states per position are left", filtered.states <= 4.5,
        fmt::format("{:.2f}", filtered.states), "more tags compete per word than in the Penn Treebank");
  if (!corpus.many_tags) return {};
  claim("two orders of magnitude faster", decode_ratio >= 100, fmt::format("{:.1f} times", decode_ratio),
        "our unfiltered trigram decoder is fast, and scoring features is part of both");
  return {};
}

}  // namespace

Result<Report> cascade_pos(const Request& request) {
  Report report;
  report.set("filter loss by level",
             shares(cascade::Options().filter_loss) +
                 fmt::format("; of the second filter in use {:g} %", 100 * cascade::kUsualLossInUse));
  report.set("times", "of the processor, one thread, all test sentences");
  report.set("unfiltered", "the cascade's own last level over all labels: the same weights and kernels");
  report.set(
      "rows as printed",
      "ε = .01 %, words and label n-grams as features, perceptron as the last level, η and λ by a grid "
      "search: what leaves least alive in 500 training sentences after learning from 2,000 others");
  report.depart(
      "the row 'none' is the last level of the cascade, used without its filters; a trigram that learned "
      "without any is the row 'none, trained in full', of the Portuguese treebank with 17 tags");
  report.depart("cascades of order 1 to 5: 2,000 Portuguese sentences");
  report.depart("universal treebanks; decoding times include scoring");
  depart_in_training(report);
  LearnedCheck learned;
  for (const PosCorpus& corpus : kPosCorpora) ESPALIER_TRY(run_corpus(corpus, request, learned, report));
  learned.report_to(report);
  return report;
}

}  // namespace espalier::research
