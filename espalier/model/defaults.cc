#include "espalier/model/defaults.h"

#include <algorithm>

namespace espalier::model {

namespace {

int passes_over(std::optional<int> asked, size_t tokens, double tokens_wanted, double least, double most) {
  if (asked) return *asked;
  return static_cast<int>(
      std::clamp(tokens_wanted / static_cast<double>(std::max<size_t>(1, tokens)), least, most));
}

}  // namespace

int log_loss_passes(std::optional<int> asked, size_t tokens, bool further) {
  constexpr int kFurtherPasses = 3;
  if (further) return asked.value_or(kFurtherPasses);
  return passes_over(asked, tokens, 2e6, 6, 40);
}
int perceptron_passes(std::optional<int> asked, size_t tokens) {
  return passes_over(asked, tokens, 5e6, 12, 100);
}

uint32_t full_rows_from(std::optional<uint32_t> asked, size_t labels) {
  if (asked) return *asked;
  return labels <= kFullRowLabels ? kFullRowsFrom : 0;
}

double l2_penalty(std::optional<double> asked, double dropout) {
  if (asked) return *asked;
  return dropout > 0 ? 0.3 : 1;
}

InnerScheme inner_scheme(std::optional<InnerScheme> asked, bool refines_segments, double outside) {
  if (asked) return *asked;
  return refines_segments && outside < kMostOutside ? InnerScheme::kIobes : InnerScheme::kData;
}

}  // namespace espalier::model
