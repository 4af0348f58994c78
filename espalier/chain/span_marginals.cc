#include "espalier/chain/span_marginals.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "espalier/base/result.h"

namespace espalier::chain {
namespace {

/// log Σ exp of a stream of terms, kept as sum · exp(top) and rescaled when a larger term comes.
class LogSum {
 public:
  void add(double x) {
    if (x == kMinusInfinity) return;
    if (x <= top_) {
      sum_ += std::exp(x - top_);
    } else {
      sum_ = sum_ * std::exp(top_ - x) + 1;
      top_ = x;
    }
  }
  double value() const { return top_ == kMinusInfinity ? top_ : top_ + std::log(sum_); }

 private:
  double top_ = kMinusInfinity;
  double sum_ = 0;
};

}  // namespace

SpanRules::SpanRules(const data::LabelSet& labels, data::Scheme scheme)
    : type_(labels.size(), kOutside), place_(labels.size(), 0), continues_(labels.size()) {
  std::vector<data::Span> found;
  for (size_t j = 0; j < labels.size(); ++j) {
    const std::string_view alone[] = {labels.name(static_cast<data::Label>(j))};
    data::spans(alone, scheme, found);
    if (found.empty()) continue;
    const auto known = std::find(type_names_.begin(), type_names_.end(), found[0].type);
    type_[j] = static_cast<uint32_t>(known - type_names_.begin());
    if (known == type_names_.end()) {
      type_names_.emplace_back(found[0].type);
      type_labels_.emplace_back();
    }
    place_[j] = static_cast<uint16_t>(type_labels_[type_[j]].size());
    type_labels_[type_[j]].push_back(static_cast<uint16_t>(j));
  }
  // A segment has one type, so only labels of the same one can continue each other.
  for (const std::vector<uint16_t>& same : type_labels_)
    for (const uint16_t now : same)
      for (const uint16_t before : same) {
        const std::string_view pair[] = {labels.name(before), labels.name(now)};
        data::spans(pair, scheme, found);
        continues_[now].push_back(found.size() == 1 ? 1 : 0);
      }
}

const std::vector<uint16_t>& SpanRules::labels_of(std::string_view type) const {
  static const std::vector<uint16_t> none;
  const auto known = std::find(type_names_.begin(), type_names_.end(), type);
  return known == type_names_.end() ? none : type_labels_[static_cast<size_t>(known - type_names_.begin())];
}

void SpanMarginals::assign(const ChainScores& scores) {
  ESPALIER_CHECK(scores.labels == rules_->labels());
  scores_ = scores;
  const size_t T = scores.length, K = scores.labels, S = scores.stride;
  forward_.assign(T * K, kMinusInfinity);
  backward_.assign(T * K, 0.0);
  log_z_ = 0;
  if (T == 0) return;
  for (size_t j = 0; j < K; ++j) forward_[j] = scores.node[j];
  for (size_t t = 1; t < T; ++t) {
    const float* const trans = scores.transitions_into(t);
    for (size_t j = 0; j < K; ++j) {
      LogSum sum;
      for (size_t i = 0; i < K; ++i) sum.add(forward_[(t - 1) * K + i] + trans[i * S + j]);
      forward_[t * K + j] = sum.value() + scores.node[t * S + j];
    }
  }
  for (size_t t = T - 1; t > 0; --t) {
    const float* const trans = scores.transitions_into(t);
    for (size_t i = 0; i < K; ++i) {
      LogSum sum;
      for (size_t j = 0; j < K; ++j)
        sum.add(backward_[t * K + j] + scores.node[t * S + j] + trans[i * S + j]);
      backward_[(t - 1) * K + i] = sum.value();
    }
  }
  LogSum all;
  for (size_t j = 0; j < K; ++j) all.add(forward_[(T - 1) * K + j]);
  log_z_ = all.value();
}

double SpanMarginals::probability(const data::Span& span) const {
  const size_t T = scores_.length, K = scores_.labels, S = scores_.stride;
  ESPALIER_CHECK(span.first < span.last && span.last <= T);
  const std::vector<uint16_t>& inside = rules_->labels_of(span.type);
  if (inside.empty() || log_z_ == kMinusInfinity) return 0;

  // here[n]: beginnings that end with inside[n] at t and have a segment from span.first up to there.
  std::vector<double> here(inside.size()), next(inside.size());
  for (size_t n = 0; n < inside.size(); ++n) {
    const uint16_t j = inside[n];
    if (span.first == 0) {
      here[n] = scores_.node[j];
      continue;
    }
    const float* const trans = scores_.transitions_into(span.first);
    LogSum sum;
    for (size_t i = 0; i < K; ++i)
      if (!rules_->continues(static_cast<uint16_t>(i), j))
        sum.add(forward_[(span.first - 1) * K + i] + trans[i * S + j]);
    here[n] = sum.value() + scores_.node[span.first * S + j];
  }
  for (size_t t = span.first + 1; t < span.last; ++t) {
    const float* const trans = scores_.transitions_into(t);
    for (size_t n = 0; n < inside.size(); ++n) {
      LogSum sum;
      for (size_t m = 0; m < inside.size(); ++m)
        if (rules_->continues(inside[m], inside[n])) sum.add(here[m] + trans[inside[m] * S + inside[n]]);
      next[n] = sum.value() + scores_.node[t * S + inside[n]];
    }
    std::swap(here, next);
  }
  LogSum total;
  for (size_t n = 0; n < inside.size(); ++n) {
    if (span.last == T) {
      total.add(here[n]);
      continue;
    }
    const float* const trans = scores_.transitions_into(span.last);
    for (size_t k = 0; k < K; ++k)
      if (!rules_->continues(inside[n], static_cast<uint16_t>(k)))
        total.add(here[n] + trans[inside[n] * S + k] + scores_.node[span.last * S + k] +
                  backward_[span.last * K + k]);
  }
  return std::min(1.0, std::exp(total.value() - log_z_));
}

double span_probability(const SpanRules& rules, const Lattice& lattice, const SumMarginals& marginals,
                        const data::Span& span) {
  const size_t T = lattice.positions();
  ESPALIER_CHECK(span.first < span.last && span.last <= T);
  const std::vector<uint16_t>& inside = rules.labels_of(span.type);
  // P(a path ends with the state at t and has a segment from span.first up to there).
  std::vector<double> here, before;
  size_t before_first = 0;
  /// Summed over the arcs into a state that continue a segment, or that do not.
  const auto sum_into = [&](size_t t, size_t state, bool continuing) {
    double sum = 0;
    const Range arcs = lattice.arcs_into(state);
    for (size_t a = arcs.first; a < arcs.last; ++a) {
      const uint32_t source = lattice.source(a);
      if (rules.continues(lattice.label(source), lattice.label(state)) != continuing) continue;
      if (t == span.first) {
        sum += marginals.arc[a];
      } else if (marginals.state[source] > 0) {
        sum += before[source - before_first] * marginals.arc[a] / marginals.state[source];
      }
    }
    return sum;
  };
  for (size_t t = span.first; t < span.last; ++t) {
    const Range states = lattice.states_at(t);
    here.assign(states.last - states.first, 0.0);
    for (size_t s = states.first; s < states.last; ++s)
      if (std::binary_search(inside.begin(), inside.end(), lattice.label(s)))
        here[s - states.first] = t == 0 ? marginals.state[s] : sum_into(t, s, t > span.first);
    std::swap(here, before);
    before_first = states.first;
  }
  double total = 0;
  if (span.last == T) {
    for (const double p : before) total += p;
  } else {
    const Range states = lattice.states_at(span.last);
    for (size_t s = states.first; s < states.last; ++s) total += sum_into(span.last, s, false);
  }
  return std::min(1.0, total);
}

}  // namespace espalier::chain
