// Part-of-speech tagging with trigrams: unfiltered, with learned filters, CRF filters, and a tag dictionary
// (Weiss and Taskar 2010, Table 2).
#include "research/cascade/cascade_study.h"
#include "research/experiments.h"
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
};
constexpr PosCorpus kPosCorpora[] = {
    {"English, XPOS", "ud/en_ewt-ud-train.conllu.gz", "ud/en_ewt-ud-test.conllu.gz", data::Format::kConllu,
     "xpos", true},
    {"Portuguese, UPOS", "ud/pt_bosque-ud-train.conllu.gz", "ud/pt_bosque-ud-test.conllu.gz",
     data::Format::kConllu, "", false},
    {"Bulgarian, UPOS", "ud/bg_btb-upos-train.txt.gz", "ud/bg_btb-upos-test.txt.gz", data::Format::kColumns,
     "", false},
};

std::string shares(const std::vector<double>& losses) {
  std::string text;
  for (const double loss : losses) text += fmt::format("{}{:g} %", text.empty() ? "" : ", ", 100 * loss);
  return text + " of positions";
}

Status run_corpus(const PosCorpus& corpus, const Request& request, Report& report) {
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
  const auto put = [&](const char* row, const char* what, std::optional<double> seed, double value) {
    report.add(row, fmt::format("{}: {}", corpus.name, what), corpus.many_tags ? seed : std::nullopt, value);
  };
  const auto put_all = [&](const char* row, const CascadeFigures& f, std::optional<double> accuracy,
                           std::optional<double> loss, std::optional<double> ms,
                           std::optional<double> states) {
    put(row, "accuracy", accuracy, f.accuracy);
    put(row, "filter loss, %", loss, f.lost_positions);
    put(row, "decoding, ms a sentence", ms, 1000 * f.decode_seconds / static_cast<double>(test.size()));
    put(row, "states", states, f.states);
    put(row, "arcs", std::nullopt, f.arcs);
  };
  ESPALIER_ASSIGN(const StudiedCascade learned,
                  study_cascade(train, features, options, !request.quick, workers, request.monitor));
  ESPALIER_ASSIGN(const CascadeFigures full, measure_cascade(learned, test, false));
  ESPALIER_ASSIGN(const CascadeFigures filtered, measure_cascade(learned, test, true));
  put_all("none", full, 96.83, 0, 173.28, 1935.7);
  put_all("cascade", filtered, 96.82, 0.121, 1.56, 3.93);
  options.filter = cascade::Filter::kCrf;
  ESPALIER_ASSIGN(const StudiedCascade crf,
                  study_cascade(train, features, options, !request.quick, workers, request.monitor));
  ESPALIER_ASSIGN(const CascadeFigures by_crf, measure_cascade(crf, test, true));
  put_all("crf", by_crf, 96.84, 0.024, 4.16, 11.845);
  options.filter = cascade::Filter::kDictionary;
  options.orders = {1, 3};
  ESPALIER_ASSIGN(const StudiedCascade tags,
                  study_cascade(train, features, options, !request.quick, workers, request.monitor));
  ESPALIER_ASSIGN(const CascadeFigures by_tags, measure_cascade(tags, test, true));
  put_all("dictionary", by_tags, std::nullopt, 0.118, 10.6, 95.39);

  const auto whole = [&](const CascadeFigures& f) {
    return reading_seconds + learned.loading_seconds + f.feature_seconds + f.decode_seconds;
  };
  const double decode_ratio = full.decode_seconds / filtered.decode_seconds;
  put("cascade", "times fewer arcs", std::nullopt, full.arcs / filtered.arcs);
  put("cascade", "times faster, decoding alone", 173.28 / 1.56, decode_ratio);
  put("cascade", "times faster, with loading, reading and features", std::nullopt,
      whole(full) / whole(filtered));
  if (request.quick) return {};
  const auto check = [&](const char* name, bool holds, std::string detail) {
    report.check(fmt::format("{}: {}", corpus.name, name), holds, std::move(detail));
  };
  check("accuracy within .05 of the unfiltered trigram", filtered.accuracy >= full.accuracy - 0.05,
        fmt::format("{:.3f} against {:.3f}", filtered.accuracy, full.accuracy));
  check("at most 4 states alive", filtered.states <= 4, fmt::format("{:.2f}", filtered.states));
  if (!corpus.many_tags) return {};
  check("at least 111 times fewer arcs", full.arcs >= 111 * filtered.arcs,
        fmt::format("{:.1f} against {:.1f}", full.arcs, filtered.arcs));
  check("decoding at least 40 times faster", decode_ratio >= 40, fmt::format("{:.1f}", decode_ratio));
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
  for (const PosCorpus& corpus : kPosCorpora) ESPALIER_TRY(run_corpus(corpus, request, report));
  return report;
}

}  // namespace espalier::research
