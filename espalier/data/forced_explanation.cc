#include "espalier/data/forced_explanation.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace espalier::data {
namespace {

using Explanation = Predictor::Explanation;
using Contribution = Predictor::Contribution;

/// Makes the model's own choice the runner-up of a forced label; `price`: how much the score falls by
/// forcing.
void compare_with_own(const Explanation& own, double price, Explanation& forced) {
  forced.runner_up = own.label;
  forced.margin = 0 - price;  // never −0
  std::unordered_map<std::string_view, double> weights;
  for (const Contribution& c : own.contributions) weights[c.feature] += c.weight;
  for (Contribution& c : forced.contributions) {
    const auto found = weights.find(c.feature);
    c.runner_up = found == weights.end() ? 0 : found->second;
    if (found != weights.end()) weights.erase(found);
  }
  for (const Contribution& c : own.contributions)
    if (weights.erase(c.feature) > 0) forced.contributions.push_back({c.feature, 0, c.weight});
  std::stable_sort(forced.contributions.begin(), forced.contributions.end(),
                   [](const Contribution& x, const Contribution& y) {
                     return std::abs(x.weight - x.runner_up) > std::abs(y.weight - y.runner_up);
                   });
}

}  // namespace

bool any_forced(std::span<const Label> forced) {
  return std::any_of(forced.begin(), forced.end(), [](Label label) { return label != kNoLabel; });
}

Result<std::vector<Explanation>> explain_with_forced(const Predictor& predictor, const Sequence& sequence,
                                                     std::span<const Label> forced,
                                                     Predictor::Scratch& scratch) {
  ESPALIER_ASSIGN(std::vector<Explanation> out, predictor.explain_forced(sequence, forced, scratch));
  if (predictor.is_search() || !any_forced(forced)) return out;
  ESPALIER_ASSIGN(const std::vector<Explanation> own, predictor.explain(sequence, scratch));
  Prediction with, without;
  ESPALIER_TRY(predictor.predict(sequence, forced, {}, scratch, with));
  ESPALIER_TRY(predictor.predict(sequence, {}, {}, scratch, without));
  const double price = without.best.front().score - with.best.front().score;
  for (size_t row = 0; row < forced.size(); ++row) {
    if (forced[row] == kNoLabel) continue;
    if (own[row].label == forced[row]) {
      out[row] = own[row];
    } else {
      compare_with_own(own[row], price, out[row]);
    }
  }
  return out;
}

}  // namespace espalier::data
