// The probability that a labelling contains exactly a given span, under a chain or a lattice. Make SpanRules
// once per label set, SpanMarginals per thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/chain/kernels.h"
#include "espalier/chain/lattice/lattice.h"
#include "espalier/chain/lattice/lattice_marginals.h"
#include "espalier/data/label_scheme.h"
#include "espalier/data/label_set.h"

namespace espalier::chain {

/// For each pair of neighbouring labels of a scheme, whether the second continues the segment of the first.
/// Found by asking data::spans, which interprets every sequence of labels, valid or not. Immutable.
class SpanRules {
 public:
  SpanRules(const data::LabelSet& labels, data::Scheme scheme);

  static constexpr uint32_t kOutside = 0xFFFFFFFF;

  size_t labels() const { return type_.size(); }
  /// The number of the type of a label's segments; kOutside if it is in none.
  uint32_t type(uint16_t label) const { return type_[label]; }
  std::string_view type_name(uint32_t type) const { return type_names_[type]; }
  /// The labels inside segments of a type, ascending; none for an unknown type.
  const std::vector<uint16_t>& labels_of(std::string_view type) const;
  /// Whether `now`, directly after `before`, continues its segment. If it does not and is inside a segment, a
  /// segment begins there.
  bool continues(uint16_t before, uint16_t now) const {
    return type_[now] != kOutside && type_[now] == type_[before] && continues_[now][place_[before]] != 0;
  }

 private:
  std::vector<uint32_t> type_;                   ///< per label: number of its type, or kOutside
  std::vector<uint16_t> place_;                  ///< per label: its place among the labels of its type
  std::vector<std::vector<uint8_t>> continues_;  ///< per label: after which labels of its type it continues
  std::vector<std::string> type_names_;
  std::vector<std::vector<uint16_t>> type_labels_;
};

/// Probabilities of segments under P(y) = exp(score(y))/Z. With the forward and backward sums a_t and b_t
/// (logs) of all labellings, the labellings that hold segment [f, l) of type c are summed by a forward
/// recursion restricted to c's labels: into f from any label that f's does not continue, through f … l−1 from
/// labels that are continued only, out to any label that does not continue l−1's:
///   P = Σ exp(a_{f−1}(i) + … + b_l(k)) / Z.
/// Exact. assign(): O(T·K²). A probability: O(n·K + (l−f)·n²) for the n labels of the type. One object per
/// thread; buffers are reused. The rules must outlive it, and the scores must outlive the last call.
class SpanMarginals {
 public:
  explicit SpanMarginals(const SpanRules& rules) : rules_(&rules) {}

  /// Precondition: scores of rules.labels() labels, finite or −∞.
  void assign(const ChainScores& scores);
  /// −∞ if no labelling is possible.
  double log_z() const { return log_z_; }
  /// Probability that data::spans reads exactly this segment from the labelling; 0 where no labelling is
  /// possible. Precondition: span.first < span.last ≤ length.
  double probability(const data::Span& span) const;

 private:
  const SpanRules* rules_;
  ChainScores scores_;
  std::vector<double> forward_;  ///< T×K: log sum over beginnings that end with the label, its score included
  std::vector<double> backward_;  ///< T×K: log sum over continuations after the label, its own score left out
  double log_z_ = 0;
};

/// The same for the paths of a lattice (a cascade's, or one that constraints left) with its marginals, from
/// which the labellings that hold the segment follow step by step: P(a | its source) = P(a) / P(source).
/// O(states + arcs) of the positions of the segment and the one after it.
double span_probability(const SpanRules& rules, const Lattice& lattice, const SumMarginals& marginals,
                        const data::Span& span);

}  // namespace espalier::chain
