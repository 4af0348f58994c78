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

LatticeSpanMarginals::LatticeSpanMarginals(const SpanRules& rules, const Lattice& lattice)
    : rules_(rules), lattice_(lattice), forward_(lattice.states()), backward_(lattice.states()) {
  const size_t T = lattice.positions();
  const auto any = [](data::Label, data::Label) { return true; };
  for (size_t t = 0; t < T; ++t) {
    const Range states = lattice.states_at(t);
    for (size_t s = states.first; s < states.last; ++s)
      forward_[s] = static_cast<double>(lattice.state_score(s)) +
                    (t == 0 ? 0 : sum_into(s, any, [&](uint32_t source) { return forward_[source]; }));
  }
  std::vector<LogSum> after(lattice.states());
  LogSum all;
  if (T > 0) {
    const Range last = lattice.states_at(T - 1);
    for (size_t s = last.first; s < last.last; ++s) {
      after[s].add(0);
      all.add(forward_[s]);
    }
  }
  for (size_t s = lattice.states(); s-- > 0;) {
    backward_[s] = after[s].value();
    const Range arcs = lattice.arcs_into(s);
    for (size_t a = arcs.first; a < arcs.last; ++a)
      after[lattice.source(a)].add(static_cast<double>(lattice.arc_score(a)) +
                                   static_cast<double>(lattice.state_score(s)) + backward_[s]);
  }
  log_z_ = all.value();
}

template <typename Wanted, typename Before>
double LatticeSpanMarginals::sum_into(size_t state, const Wanted& wanted, const Before& before) const {
  LogSum sum;
  const Range arcs = lattice_.arcs_into(state);
  for (size_t a = arcs.first; a < arcs.last; ++a) {
    const uint32_t source = lattice_.source(a);
    if (wanted(lattice_.label(source), lattice_.label(state)))
      sum.add(before(source) + static_cast<double>(lattice_.arc_score(a)));
  }
  return sum.value();
}

double LatticeSpanMarginals::probability(const data::Span& span) const {
  const size_t T = lattice_.positions();
  ESPALIER_CHECK(span.first < span.last && span.last <= T);
  const std::vector<uint16_t>& inside = rules_.labels_of(span.type);
  const auto continues = [&](data::Label before, data::Label now) { return rules_.continues(before, now); };
  const auto breaks = [&](data::Label before, data::Label now) { return !rules_.continues(before, now); };

  // here[s − first state of t]: beginnings that end with s at t and have a segment from span.first to there.
  std::vector<double> here, before;
  size_t before_first = 0;
  const auto in_segment = [&](uint32_t source) { return before[source - before_first]; };
  for (size_t t = span.first; t < span.last; ++t) {
    const Range states = lattice_.states_at(t);
    here.assign(states.last - states.first, kMinusInfinity);
    for (size_t s = states.first; s < states.last; ++s) {
      if (!std::binary_search(inside.begin(), inside.end(), lattice_.label(s))) continue;
      double sum = 0;
      if (t > span.first) {
        sum = sum_into(s, continues, in_segment);
      } else if (t > 0) {
        sum = sum_into(s, breaks, [&](uint32_t source) { return forward_[source]; });
      }
      here[s - states.first] = sum + static_cast<double>(lattice_.state_score(s));
    }
    std::swap(here, before);
    before_first = states.first;
  }
  LogSum total;
  if (span.last == T) {
    for (const double x : before) total.add(x);
  } else {
    const Range states = lattice_.states_at(span.last);
    for (size_t s = states.first; s < states.last; ++s)
      total.add(sum_into(s, breaks, in_segment) + static_cast<double>(lattice_.state_score(s)) +
                backward_[s]);
  }
  return log_z_ == kMinusInfinity ? 0 : std::min(1.0, std::exp(total.value() - log_z_));
}

}  // namespace espalier::chain
