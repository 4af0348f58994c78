// Tables 1 and 2: the artificial data sets of Cortes, Kuznetsov and Mohri, section 5.1.
#include <cmath>

#include "espalier/eval/significance.h"
#include "research/ensemble/artificial.h"
#include "research/ensemble/ensemble_study.h"
#include "research/experiments.h"

namespace espalier::research {
namespace {

using ensemble::Method;

/// A table: the printed figures, those of the stated set-up (simulated), and the tolerances.
struct AdsTable {
  PaperColumn published, expected, tolerance;
};

constexpr double kNotHeldTo = 1;

constexpr AdsTable kAds1 = {.published = {0.0197, 0.0228, 0.0197, 0.0741, 0.0197, 0.5641, 0.1112, 0.5635},
                            .expected = {0.0301, 0.0301, 0.0301, 0.057, 0.0301, 0, 0.0930, 0.4054},
                            .tolerance = {0.001, 0.001, 0.001, 0.031, 0.001, kNotHeldTo, 0.006, 0.001}};
constexpr AdsTable kAds2 = {.published = {0.2172, 0.2517, 0.2385, 0.4001, 0.2267, 0.2500, 0.4000, 0.4000},
                            .expected = {0.2390, 0.2435, 0.2377, 0.4000, 0.2505, 0, 0.4000, 0.4000},
                            .tolerance = {0.003, 0.006, 0.003, 0.003, 0.006, kNotHeldTo, 0.001, 0.001}};
constexpr AdsTable kAds3 = {.published = {0.1788, 0.2189, 0.1788, 0.3148, 0.1831, 0.1954, 0.3196, 0.2957},
                            .expected = {0.0584, 0.0625, 0.0580, 0.2387, 0.0588, 0, 0.2398, 0.226},
                            .tolerance = {0.003, 0.006, 0.003, 0.003, 0.006, kNotHeldTo, 0.001, 0.006}};

/// Why a printed figure may not follow from the stated set-up. What SLE does depends on ties, of which the
/// paper says nothing. With ties between labels going to the lowest or to a random one, ADS2 gives .25 ± .05
/// as printed, where one fold in ten stays with a single expert; but then ADS1 does not stay with one.
const char* cause_of(Method method) {
  return method == Method::kSle
             ? "the paper does not say how ties are broken, and no rule that we tried gives its figures on "
               "all three sets: ours, the label of the expert added first, stays with one expert, as the "
               "paper's does on ADS1; ties to the lowest or to a random label give .25 on ADS2"
             : "the data were made with other probabilities than those stated; see the column fitted";
}

constexpr size_t kTrainingSize = 200;  // m = T of the paper
constexpr size_t kAdsFolds = 10;

/// The error of one method on one fold, over all sequences.
Result<double> fold_error(const ensemble::VoteBatch& batch, size_t fold, Method method,
                          ensemble::MethodOptions options, uint64_t seed) {
  std::vector<uint32_t> chosen;
  for (size_t i = 0; i < kTrainingSize; ++i)
    chosen.push_back(static_cast<uint32_t>(kTrainingSize * fold + i));
  ensemble::BatchSource train(batch, std::move(chosen)), all(batch);
  if (method == Method::kBest) {  // for comparison: the best over all sequences, known only in hindsight
    ESPALIER_ASSIGN(const ensemble::BestExpert best, ensemble::best_expert(all));
    return best.loss;
  }
  options.fpl.seed = seed;
  ESPALIER_ASSIGN(const ensemble::Hypothesis hypothesis, ensemble::learn_hypothesis(train, method, options));
  if (method == Method::kRand) return ensemble::expected_random_loss(all, hypothesis.table);
  ESPALIER_ASSIGN(const ensemble::HammingMean loss, ensemble::evaluate(all, hypothesis.table));
  return loss.mean();
}

Result<Report> run_ads(const Request& request, ArtificialSet set, const AdsTable& table) {
  Report report;
  const size_t data_sets = request.quick ? 1 : 5;
  report.set("sequences", request.quick ? "4000" : "40000");
  report.set("data sets x folds", fmt::format("{} x {}", data_sets, kAdsFolds));
  report.set("beta, delta, m", "0.95, 0.05, 200");
  for (const bool fitted : {false, true}) {
    ArtificialOptions shape = fitted ? fitted_options(set) : stated_options(set);
    if (request.quick) shape.sequences = 4000;
    ensemble::MethodOptions options;
    if (fitted && set == ArtificialSet::kAds1) options.online.loss_bound = options.fpl.loss_bound = 4;
    const Workers workers(request.threads);
    std::vector<std::vector<double>> errors(kPaperMethods.size(), std::vector<double>(data_sets * kAdsFolds));
    std::vector<std::string> failures(data_sets);
    workers.for_each(data_sets, [&](size_t d) {
      const ensemble::VoteBatch batch = make_artificial(shape, request.seed * 1000 + d);
      for (size_t m = 0; m < kPaperMethods.size(); ++m)
        for (size_t f = 0; f < kAdsFolds && !request.monitor.stop_requested(); ++f) {
          const auto error =
              fold_error(batch, f, kPaperMethods[m], options, request.seed + d * kAdsFolds + f);
          if (error.ok())
            errors[m][d * kAdsFolds + f] = *error;
          else
            failures[d] = error.error().message;
        }
    });
    if (request.monitor.stop_requested()) return fail("interrupted");
    for (const std::string& failure : failures)
      if (!failure.empty()) return fail("{}", failure);
    for (size_t m = 0; m < kPaperMethods.size(); ++m) {
      const eval::MeanAndDeviation mean = eval::mean_and_deviation(errors[m]);
      const std::string name(ensemble::method_name(kPaperMethods[m]));
      const bool held_to = !fitted && table.tolerance[m] < kNotHeldTo;
      report.add(name, fitted ? "fitted" : "stated", table.published[m], mean.mean, mean.deviation)
          .printed(!fitted)
          .beside(held_to ? std::optional(table.expected[m]) : std::nullopt,
                  "an independent simulation of the stated set-up, five data sets of ten folds");
      // A tenth of the sequences in one data set instead of five: wider.
      const double tolerance = table.tolerance[m] + (request.quick ? 0.01 : 0);
      if (held_to)
        report.check(
            name + " as expected of the stated set-up", std::abs(mean.mean - table.expected[m]) <= tolerance,
            fmt::format("{:.4f}, expected {:.4f} ± {:.4f}", mean.mean, table.expected[m], tolerance));
      // What the paper printed must follow from what it says it did.
      if (!fitted && !request.quick)
        report.claim(name + ": the printed figure follows from the stated set-up",
                     std::abs(mean.mean - table.published[m]) <= 0.005,
                     fmt::format("{:.4f}, printed {:.4f}", mean.mean, table.published[m]),
                     cause_of(kPaperMethods[m]));
    }
  }
  report.notes.push_back("rand is the exact expectation, best the best over all sequences");
  report.notes.push_back(
      "fitted: probabilities found by simulation that give about the printed figures (ours, not the "
      "paper's)");
  return report;
}

}  // namespace

Result<Report> ensemble_ads1(const Request& request) { return run_ads(request, ArtificialSet::kAds1, kAds1); }
Result<Report> ensemble_ads2(const Request& request) { return run_ads(request, ArtificialSet::kAds2, kAds2); }
Result<Report> ensemble_ads3(const Request& request) { return run_ads(request, ArtificialSet::kAds3, kAds3); }

}  // namespace espalier::research
