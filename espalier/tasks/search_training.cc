#include "espalier/tasks/search_training.h"

#include "espalier/tasks/learn_by_search.h"

namespace espalier::tasks {

using search::Mixture;
using search::Scorer;

Mixture alone(std::shared_ptr<Scorer> classifier) {
  Mixture mixture;
  mixture.interpolate(std::move(classifier), 1);
  return mixture;
}

/// A monitor for a part of the work, [from, from + length) of `total` rounds, that counts its own steps from
/// 0.
Monitor within(const Monitor& whole, double from, double length, int total) {
  Monitor part = whole;
  if (whole.on_progress)
    part.on_progress = [&whole, from, length, total](const Progress& progress) {
      Progress out = progress;
      out.done = from + (progress.total > 0 ? length * progress.done / progress.total : 0);
      out.total = total;
      out.round = static_cast<int>(from) + 1;
      whole.report(out);
    };
  return part;
}

search::DirectLoss direct_loss(BaseClassifier classifier) {
  return classifier == BaseClassifier::kPerceptron      ? search::DirectLoss::kPerceptron
         : classifier == BaseClassifier::kLogistic      ? search::DirectLoss::kLogistic
         : classifier == BaseClassifier::kSoftmaxMargin ? search::DirectLoss::kSoftmaxMargin
         : classifier == BaseClassifier::kLeastSquares  ? search::DirectLoss::kLeastSquares
                                                        : search::DirectLoss::kHinge;
}

namespace {

/// The steps that a line search took: "0.1 (12 times), 0.4, 1".
std::string steps_text(const std::vector<double>& betas) {
  std::string text;
  for (size_t from = 0; from < betas.size();) {
    size_t to = from;
    while (to < betas.size() && betas[to] == betas[from]) ++to;
    text += fmt::format("{}{}", from > 0 ? ", " : "", betas[from]);
    if (to - from > 1) text += fmt::format(" ({} times)", to - from);
    from = to;
  }
  return text;
}

}  // namespace

std::string about_interpolation(const search::SearnOptions& options, const search::SearnPlan& plan,
                                const std::vector<double>& betas, double oracle_share) {
  const size_t made = betas.size();
  const double chance = static_cast<double>(plan.longest) * oracle_share;
  if (options.interpolation == search::Interpolation::kAnalytic)
    return fmt::format(
        "beta is 1/T³ = {:.3g} for paths of T = {} actions; of its 2T³ ln T = {} iterations {} "
        "were made",
        plan.beta, plan.longest, plan.expected, made);
  std::string text = fmt::format(
      "after {} iterations with {} the initial policy is asked with a chance of at most {:.3g} on "
      "a path of {} actions",
      made,
      options.interpolation == search::Interpolation::kConstant ? fmt::format("beta={}", plan.beta)
                                                                : "beta=" + steps_text(betas),
      std::min(1.0, chance), plan.longest);
  if (chance >= options.dependence)
    text += options.until_independent
                ? fmt::format("; {} iterations is the limit", plan.at_most)
                : fmt::format(", which iterations=auto brings below {}", options.dependence);
  return text;
}

/// The learners of one problem.
#define ESPALIER_COMPILE_LEARNERS(P)                                                                     \
  template Result<std::shared_ptr<Scorer>> learn_classifier(                                             \
      const P&, const SearchOptions&, const SearchContext&, const search::Examples<P::Space>&, int, int, \
      int);                                                                                              \
  template Result<Mixture> train_search(const P&, const SearchOptions&, const SearchContext&, const P*);
ESPALIER_COMPILE_LEARNERS(LabelProblem)
ESPALIER_COMPILE_LEARNERS(JointProblem)
ESPALIER_COMPILE_LEARNERS(EasiestProblem)
ESPALIER_COMPILE_LEARNERS(ChunkProblem)
#undef ESPALIER_COMPILE_LEARNERS

}  // namespace espalier::tasks
