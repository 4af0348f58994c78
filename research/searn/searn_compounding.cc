// Daumé, Langford and Marcu 2009, Theorem 3: what it costs to learn from true histories when the classifier
// later sees its own answers, and what learning from its own histories gains.
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/base/random.h"
#include "research/experiments.h"
#include "research/searn/searn_study.h"

namespace espalier::research {

namespace {

/// The Hamming loss of Theorem 3 for a classifier that errs with probability e given the true previous label:
/// T/2 + 1/2 − (1 − (1−2e)^{T+1}) / (4e).
double theorem_3(double T, double e) { return T / 2 + 0.5 - (1 - std::pow(1 - 2 * e, T + 1)) / (4 * e); }

/// A first-order binary chain: the first label is shown, every other differs from the previous one with
/// probability e, and its observation is wrong with probability q > e. Given the true previous label, the
/// best classifier copies it and ignores the observation; once wrong, such a classifier stays wrong until the
/// chain changes.
Status write_chains(const std::string& path, size_t chains, size_t steps, double e, double q, Random random) {
  std::ofstream out(path);
  for (size_t c = 0; c < chains; ++c) {
    bool label = random.below(2) == 0;
    out << (label ? "first-1 1\n" : "first-0 0\n");
    for (size_t t = 0; t < steps; ++t) {
      if (random.uniform() < e) label = !label;
      const bool seen = random.uniform() < q ? !label : label;
      out << (seen ? "seen-1 " : "seen-0 ") << (label ? "1\n" : "0\n");
    }
    out << '\n';
  }
  out.close();
  if (!out) return fail("{}: cannot be written", path);
  return {};
}

}  // namespace

Result<Report> searn_compounding(const Request& request) {
  Report report;
  constexpr double kSeenWrong = 0.2;
  const size_t labels = request.quick ? 20'000 : 400'000;  // in a training or test set
  report.set("chain", "a label that turns with probability e, seen wrongly with probability 0.2");
  report.set("true history",
             "the classifier of the first iteration: learned from the labels before, told "
             "its own; compared with the formula of Theorem 3");
  report.set("own history", "after two more iterations (beta = 1), learned from its own labels before");
  report.set("measure", "wrong labels per sequence of T, on unseen sequences");
  ESPALIER_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make());
  const std::string train = folder.path("train.txt"), test = folder.path("test.txt"),
                    features = folder.path("template");
  std::ofstream(features) << "U00:%x[0,0]\n";
  for (const double e : {0.01, 0.05, 0.1})
    for (const size_t T : {10, 100, 1000}) {
      if (request.quick && T == 1000) continue;  // so few chains that any figure would do
      const Random random = Random(request.seed).split(T).split(static_cast<uint64_t>(1 / e));
      const size_t chains = std::max<size_t>(20, labels / T);
      ESPALIER_TRY(write_chains(train, chains, T, e, kSeenWrong, random.split(1)));
      ESPALIER_TRY(write_chains(test, chains, T, e, kSeenWrong, random.split(2)));
      const std::string row = fmt::format("e={} T={}", e, T);
      const double formula = theorem_3(static_cast<double>(T), e);
      double wrong[2];
      for (const int own : {0, 1}) {
        SearnRun run;
        run.learner = "searn";
        run.settings = {"classifier=logistic", "history=1", "passes=3",
                        own == 1 ? "iterations=3" : "iterations=1"};
        run.train = train;
        run.test = test;
        run.template_file = features;
        ESPALIER_ASSIGN(const SearnOutcome outcome, train_and_score(request, run));
        wrong[own] = (1 - outcome.scores.accuracy() / 100) * static_cast<double>(T + 1);
        report.add(row, own == 1 ? "own history" : "true history", std::nullopt, wrong[own])
            .printed()
            .beside(own == 1 ? std::nullopt : std::optional(formula), "the formula of Theorem 3");
        report.add(row, own == 1 ? "own history, sequences right" : "true history, sequences right",
                   std::nullopt, outcome.scores.sequence_accuracy());
      }
      // Errors of one sequence are far from independent: up to T of them, so five standard errors of the
      // widest case.
      const double tolerance = 5 * static_cast<double>(T) / 2 / std::sqrt(static_cast<double>(chains));
      report.check("formula of Theorem 3, " + row, std::abs(wrong[0] - formula) <= tolerance,
                   fmt::format("{:.3f} measured, {:.3f} by the formula", wrong[0], formula));
      if (!request.quick && formula > kSeenWrong * static_cast<double>(T))
        report.claim("own history above true history, " + row, wrong[1] < wrong[0],
                     fmt::format("{:.3f} and {:.3f} wrong labels", wrong[1], wrong[0]),
                     "the classifier ignores what is seen where its own label is nearly always right");
    }
  return report;
}

}  // namespace espalier::research
