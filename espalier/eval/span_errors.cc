#include "espalier/eval/span_errors.h"

#include <algorithm>

namespace espalier::eval {
namespace {

struct Overlap {
  size_t tokens, gold, predicted;
  bool same_type;
};

SpanErrorKind kind_of(const data::Span& gold, const data::Span& predicted) {
  if (gold.type == predicted.type) return SpanErrorKind::kBoundary;
  return gold.first == predicted.first && gold.last == predicted.last ? SpanErrorKind::kType
                                                                      : SpanErrorKind::kBoundaryAndType;
}

}  // namespace

std::string_view span_error_name(SpanErrorKind kind) {
  static constexpr std::string_view kNames[] = {"boundary", "type", "boundary and type", "missed",
                                                "invented"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<SpanError> span_errors(std::span<const data::Span> gold, std::span<const data::Span> predicted) {
  std::vector<char> gold_done(gold.size()), predicted_done(predicted.size());
  std::vector<Overlap> overlaps;
  size_t from = 0;
  for (size_t g = 0; g < gold.size(); ++g) {
    while (from < predicted.size() && predicted[from].last <= gold[g].first) ++from;
    for (size_t p = from; p < predicted.size() && predicted[p].first < gold[g].last; ++p) {
      if (gold[g] == predicted[p]) gold_done[g] = predicted_done[p] = 1;
      const size_t tokens =
          std::min(gold[g].last, predicted[p].last) - std::max(gold[g].first, predicted[p].first);
      overlaps.push_back({tokens, g, p, gold[g].type == predicted[p].type});
    }
  }
  std::stable_sort(overlaps.begin(), overlaps.end(), [](const Overlap& a, const Overlap& b) {
    return a.tokens != b.tokens ? a.tokens > b.tokens : a.same_type && !b.same_type;
  });
  std::vector<SpanError> errors;
  for (const Overlap& overlap : overlaps) {
    if (gold_done[overlap.gold] != 0 || predicted_done[overlap.predicted] != 0) continue;
    gold_done[overlap.gold] = predicted_done[overlap.predicted] = 1;
    errors.push_back({kind_of(gold[overlap.gold], predicted[overlap.predicted]), gold[overlap.gold],
                      predicted[overlap.predicted]});
  }
  for (size_t g = 0; g < gold.size(); ++g)
    if (gold_done[g] == 0) errors.push_back({SpanErrorKind::kMissed, gold[g], {}});
  for (size_t p = 0; p < predicted.size(); ++p)
    if (predicted_done[p] == 0) errors.push_back({SpanErrorKind::kInvented, {}, predicted[p]});
  std::stable_sort(errors.begin(), errors.end(),
                   [](const SpanError& a, const SpanError& b) { return a.first() < b.first(); });
  return errors;
}

}  // namespace espalier::eval
