// Tables 6 and 7: what ensembles of pronouncers gain by length and by number of experts, and what the switch
// of section 5.5 is worth.
#include <algorithm>

#include "espalier/eval/plot.h"
#include "espalier/eval/significance.h"
#include "research/ensemble/ensemble_pronouncers.h"
#include "research/experiments.h"

namespace espalier::research {
namespace {

using ensemble::Pronunciation;

/// The sample restricted to the first `experts` experts and to sequences of at least `shortest` tokens.
StudySample narrowed(const StudySample& sample, size_t experts, size_t shortest, size_t longest) {
  StudySample out;
  out.labels = sample.labels;
  for (const ensemble::TokenVotes& votes : sample.sequences) {
    if (votes.length() < shortest || votes.length() > longest) continue;
    ensemble::TokenVotes fewer;
    fewer.reset(experts, votes.length());
    fewer.gold = votes.gold;
    for (size_t t = 0; t < votes.length(); ++t)
      for (size_t j = 0; j < experts; ++j) fewer.votes[t * experts + j] = votes.label(t, j);
    out.sequences.push_back(std::move(fewer));
  }
  return out;
}

/// The words of a sample as gold data and answers of experts, from the given numbers.
struct SpelledSample {
  Corpus gold;
  std::vector<Answers> answers;
};
SpelledSample spelled(const StudySample& sample, size_t from, size_t to) {
  SpelledSample out;
  const size_t experts = sample.sequences.front().experts;
  out.answers.resize(experts);
  for (size_t s = from; s < to; ++s) {
    const ensemble::TokenVotes& votes = sample.sequences[s];
    const auto name = [&](data::Label label) {
      return label == data::kNoLabel ? std::string(data::kUnknownLabelText)
                                     : std::string(sample.labels.name(label));
    };
    std::vector<std::string> gold;
    for (const data::Label label : votes.gold) gold.push_back(name(label));
    out.gold.add_words(std::vector<std::string>(votes.length(), "x"), gold);
    for (size_t j = 0; j < experts; ++j) {
      Labels& said = out.answers[j].labels.emplace_back();
      for (size_t t = 0; t < votes.length(); ++t) said.push_back(name(votes.label(t, j)));
    }
  }
  return out;
}

/// `ensemble learn --switch` over ten folds, each learned from a tenth and measured on the rest, against the
/// same vote without the switch.
Status measure_switch(const StudySample& sample, const Request& request, Report& report) {
  constexpr size_t kFolds = 10;
  const size_t each = std::min<size_t>(sample.sequences.size() / kFolds, request.quick ? 30 : 300);
  std::map<bool, std::vector<double>> errors;
  std::vector<double> lengths;
  for (size_t f = 0; f < (request.quick ? 2 : kFolds); ++f) {
    const SpelledSample train = spelled(sample, f * each, (f + 1) * each);
    const size_t test_from = ((f + 1) % kFolds) * each;
    const SpelledSample test = spelled(sample, test_from, test_from + each);
    for (const bool learned : {false, true}) {
      EnsembleOptions options;
      options.method = "mvote";
      options.beta = 0.97;
      options.substructures = "positions";
      options.learn_switch = learned;
      options.calibrate = false;
      options.seed = request.seed;
      options.threads = request.threads;
      const std::vector<Expert> teachers(train.answers.begin(), train.answers.end()),
          experts(test.answers.begin(), test.answers.end());
      ESPALIER_ASSIGN(const Ensemble votes, Ensemble::learn(train.gold, teachers, options));
      ESPALIER_ASSIGN(const EnsembleReport measured, votes.report(test.gold, experts));
      errors[learned].push_back(measured.ensemble.error);
      if (learned) lengths.push_back(static_cast<double>(votes.info().switch_length));
    }
  }
  for (const bool learned : {false, true}) {
    const eval::MeanAndDeviation mean = eval::mean_and_deviation(errors[learned]);
    report.add(learned ? "mvote --switch" : "mvote",
               learned ? "p = 10, all lengths, short words to the best expert" : "p = 10, all lengths",
               std::nullopt, mean.mean, mean.deviation);
  }
  report.add("mvote --switch", "words below this length go to the best expert, mean", std::nullopt,
             eval::mean_and_deviation(lengths).mean);
  return {};
}

}  // namespace

Result<Report> ensemble_long(const Request& request) {
  Report report;
  ESPALIER_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make());
  ESPALIER_ASSIGN(std::vector<Pronunciation> words, load_words(request, true));
  const PronouncerDesign design =
      request.quick ? PronouncerDesign{20, 40, 400} : PronouncerDesign{50, 500, 16000};
  ESPALIER_ASSIGN(const StudySample sample, pronouncers(words, design, folder, request, report));
  StudyOptions options;
  options.beta = 0.97;
  options.cause = "experts that learned from 500 words each differ little";
  options.substructures.kind = ensemble::SubstructureKind::kPositions;
  constexpr PaperColumn five = {.2465, .2500, .2504, .2726, .2572, .2572, .2877, .2573};
  constexpr PaperColumn ten = {.2606, .2622, .2755, .3219, .2864, .2864, .3430, .2865};
  constexpr PaperColumn twenty = {.2773, .2797, .2986, .3816, .3115, .3114, .3977, .3116};
  constexpr PaperColumn fifty = {.3217, .3189, .3401, .4451, .3426, .3425, .4608, .3427};
  const auto add_gain = [&report](const StudyOutcome& outcome, const std::string& column) {
    std::vector<double> gains;
    const std::vector<double>&best = outcome.fold_errors.at("best"), &mvote = outcome.fold_errors.at("mvote");
    for (size_t f = 0; f < std::min(best.size(), mvote.size()); ++f) gains.push_back(best[f] - mvote[f]);
    const eval::MeanAndDeviation gain = eval::mean_and_deviation(gains);
    report.add("gain of mvote over best", column, std::nullopt, gain.mean, gain.deviation).printed();
    return gain.mean;
  };
  std::vector<double> by_experts, by_length;
  eval::PlotSeries of_experts, of_length;
  of_experts.name = "by experts, 4 letters and more";
  of_length.name = "by length, 10 experts";
  for (const size_t p : {size_t{5}, size_t{10}, size_t{20}, size_t{50}}) {
    if (p > design.experts) continue;
    options.column = fmt::format("p = {}, 4 letters and more", p);
    if (!request.quick) options.training_size = p == 5 ? 1500 : p == 10 ? 1200 : p == 20 ? 900 : 700;
    options.paper = paper_rows(p == 5 ? five : p == 10 ? ten : p == 20 ? twenty : fifty);
    ESPALIER_ASSIGN(const StudyOutcome outcome,
                    run_study(narrowed(sample, p, 4, SIZE_MAX), options, request, report));
    by_experts.push_back(add_gain(outcome, options.column));
    of_experts.x.push_back(static_cast<double>(p));
    of_experts.y.push_back(by_experts.back());
  }
  options.paper.clear();
  options.training_size = 0;  // a tenth of the words of each length
  const std::pair<size_t, size_t> lengths[] = {{2, 5}, {6, 7}, {8, 9}, {10, SIZE_MAX}};
  for (const auto& [from, to] : lengths) {
    const StudySample part = narrowed(sample, 10, from, to);
    if (part.sequences.size() < 200) continue;
    options.column = to == SIZE_MAX ? fmt::format("p = 10, {} letters and more", from)
                                    : fmt::format("p = 10, {} to {} letters", from, to);
    ESPALIER_ASSIGN(const StudyOutcome outcome, run_study(part, options, request, report));
    by_length.push_back(add_gain(outcome, options.column));
    of_length.x.push_back(static_cast<double>(from));
    of_length.y.push_back(by_length.back());
  }
  report.depart(
      "the paper's speech data is proprietary; pronouncers trained on 500 words each take its place");
  report.depart("p experts are the first p of 50; the paper takes the best p of a ranked list");
  ESPALIER_TRY(measure_switch(narrowed(sample, 10, 2, SIZE_MAX), request, report));
  eval::Plot plot;
  plot.title = "What mvote gains over the best expert";
  plot.x_label = "number of experts; shortest word of a group of lengths";
  plot.y_label = "gain, share of letters";
  plot.series = {std::move(of_experts), std::move(of_length)};
  const std::string path = request.out + "/ensemble-long.svg";
  ESPALIER_TRY(eval::save_plot(plot, path));
  report.plots.push_back(path);
  if (request.quick) return report;
  // The paper: the improvement over the best expert grows with the number of substructures and of experts.
  const auto grows = [&](const char* name, const std::vector<double>& gains, const char* cause) {
    report.claim(name, std::is_sorted(gains.begin(), gains.end()),
                 fmt::format("{:+.4f}", fmt::join(gains, ", ")), cause);
  };
  grows("the gain of mvote over the best expert grows with the number of experts", by_experts,
        "more experts also bring better best experts");
  grows("the gain of mvote over the best expert grows with the length", by_length,
        "letters of long words are easier, for every expert");
  return report;
}

}  // namespace espalier::research
