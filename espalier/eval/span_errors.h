// Errors about spans, by kind: what is wrong with a prediction, in words that people use.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "espalier/data/label_scheme.h"

namespace espalier::eval {

/// A predicted span that is not in the gold labels, a gold span that was not predicted, or both.
enum class SpanErrorKind {
  kBoundary,         ///< the type is right, the ends are not
  kType,             ///< the ends are right, the type is not
  kBoundaryAndType,  ///< they overlap, and neither is right
  kMissed,           ///< no wrong prediction overlaps this gold span
  kInvented,         ///< no gold span that was not found overlaps this prediction
};
inline constexpr std::array<SpanErrorKind, 5> kSpanErrorKinds = {
    SpanErrorKind::kBoundary, SpanErrorKind::kType, SpanErrorKind::kBoundaryAndType, SpanErrorKind::kMissed,
    SpanErrorKind::kInvented};
std::string_view span_error_name(SpanErrorKind kind);  ///< "boundary", "type" …

struct SpanError {
  SpanErrorKind kind;
  std::optional<data::Span> gold;       ///< not set: invented
  std::optional<data::Span> predicted;  ///< not set: missed
  /// Tokens of either.
  size_t first() const {
    return std::min(gold ? gold->first : predicted->first, predicted ? predicted->first : gold->first);
  }
  size_t last() const {
    return std::max(gold ? gold->last : predicted->last, predicted ? predicted->last : gold->last);
  }
};

/// All errors, in the order of their tokens. Each wrong span is part of exactly one: pairs that overlap most
/// are matched first (ties: same type, then the first), whatever is left over is missed or invented.
/// Precondition: both lists are in order, and disjoint.
std::vector<SpanError> span_errors(std::span<const data::Span> gold, std::span<const data::Span> predicted);

}  // namespace espalier::eval
