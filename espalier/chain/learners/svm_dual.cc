#include "espalier/chain/learners/svm_dual.h"

#include <algorithm>
#include <cmath>

namespace espalier::chain {

namespace {

/// Sorts terms and adds up those of the same key.
void merge(DualTerms& terms) {
  std::stable_sort(terms.begin(), terms.end(),
                   [](const DualTerm& a, const DualTerm& b) { return a.key < b.key; });
  size_t out = 0;
  for (size_t i = 0; i < terms.size();) {
    DualTerm sum = terms[i++];
    while (i < terms.size() && terms[i].key == sum.key) sum.value += terms[i++].value;
    if (sum.value != 0) terms[out++] = sum;
  }
  terms.resize(out);
}

}  // namespace

void difference(std::span<const data::Label> gold, std::span<const data::Label> y, size_t stride,
                bool per_position, BlockDual& out) {
  out.nodes.clear();
  out.pairs.clear();
  for (size_t t = 0; t < gold.size(); ++t) {
    const bool here = gold[t] != y[t];
    if (here) {
      out.nodes.push_back({dual_key(t, gold[t]), 1});
      out.nodes.push_back({dual_key(t, y[t]), -1});
    }
    if (t == 0 || (!here && gold[t - 1] == y[t - 1])) continue;
    const size_t position = per_position ? t : 0;
    out.pairs.push_back({dual_key(position, gold[t - 1] * stride + gold[t]), 1});
    out.pairs.push_back({dual_key(position, y[t - 1] * stride + y[t]), -1});
  }
  merge(out.nodes);
  merge(out.pairs);
}

void combine(double a, const DualTerms& x, double b, const DualTerms& y, DualTerms& out) {
  out.clear();
  const auto push = [&](uint64_t key, double value) {
    if (value != 0) out.push_back({key, value});
  };
  size_t i = 0, j = 0;
  while (i < x.size() || j < y.size()) {
    if (j == y.size() || (i < x.size() && x[i].key < y[j].key)) {
      push(x[i].key, a * x[i].value);
      ++i;
    } else if (i == x.size() || y[j].key < x[i].key) {
      push(y[j].key, b * y[j].value);
      ++j;
    } else {
      push(x[i].key, a * x[i].value + b * y[j].value);
      ++i, ++j;
    }
  }
}

void save_terms(SectionWriter& out, const std::string& name, const std::vector<BlockDual>& duals,
                DualTerms BlockDual::*part) {
  std::vector<uint64_t> begin{0}, keys;
  std::vector<double> values;
  for (const BlockDual& dual : duals) {
    for (const DualTerm& term : dual.*part) {
      keys.push_back(term.key);
      values.push_back(term.value);
    }
    begin.push_back(keys.size());
  }
  out.add_array(name + ".begin", begin);
  out.add_array(name + ".key", keys);
  out.add_array(name + ".value", values);
}

Status load_terms(const SectionFile& in, const std::string& name, std::span<const uint32_t> lengths,
                  uint64_t indices, std::vector<BlockDual>& duals, DualTerms BlockDual::*part) {
  ESPALIER_ASSIGN(const auto begin, in.array<uint64_t>(name + ".begin"));
  ESPALIER_ASSIGN(const auto keys, in.array<uint64_t>(name + ".key"));
  ESPALIER_ASSIGN(const auto values, in.array<double>(name + ".value"));
  if (begin.size() != lengths.size() + 1)
    return fail("{}: '{}' has {} blocks where this run has {}", in.name(), name, begin.size(),
                lengths.size());
  if (begin[0] != 0 || !std::is_sorted(begin.begin(), begin.end()) || begin.back() != keys.size() ||
      keys.size() != values.size())
    return fail("{}: the lists of '{}' do not fit together", in.name(), name);
  duals.resize(lengths.size());
  for (size_t b = 0; b < lengths.size(); ++b) {
    DualTerms& terms = duals[b].*part;
    terms.clear();
    for (uint64_t i = begin[b]; i < begin[b + 1]; ++i) {
      const bool in_order = i == begin[b] || keys[i - 1] < keys[i];
      if (!in_order || dual_token(keys[i]) >= lengths[b] || dual_index(keys[i]) >= indices ||
          !std::isfinite(values[i]))
        return fail("{}: entry {} of '{}' is out of bounds or order", in.name(), i, name);
      terms.push_back({keys[i], values[i]});
    }
  }
  return {};
}

void SparseDirection::close() {
  values_.resize(touched_.size());
  for (size_t i = 0; i < touched_.size();
       ++i) {  // an index that went through 0 is here twice; the second finds 0
    values_[i] = dense_[touched_[i]];
    dense_[touched_[i]] = 0;
  }
}

double SparseDirection::square() const {
  double sum = 0;
  for (const float x : values_) sum += static_cast<double>(x) * static_cast<double>(x);
  return sum;
}

double SparseDirection::dot(const AlignedVector<float>& w) const {
  double sum = 0;
  for (size_t i = 0; i < values_.size(); ++i)
    sum += static_cast<double>(values_[i]) * static_cast<double>(w[touched_[i]]);
  return sum;
}

void SparseDirection::apply(double step, double factor, AlignedVector<float>& w,
                            AlignedVector<float>& lag) const {
  for (size_t i = 0; i < values_.size(); ++i) {
    const double change = step * static_cast<double>(values_[i]);
    w[touched_[i]] += static_cast<float>(change);
    lag[touched_[i]] += static_cast<float>(factor * change);
  }
}

}  // namespace espalier::chain
