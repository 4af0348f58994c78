#include "espalier/linear/classifiers/kernel_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <utility>

namespace espalier::linear {
namespace {

/// A stored begin[] must ascend from 0 to `end`.
Status check_lists(std::span<const uint64_t> begin, size_t end, const char* what) {
  if (begin.empty() || begin.front() != 0 || begin.back() != end ||
      !std::is_sorted(begin.begin(), begin.end()))
    return fail("the lists of {} do not cover their {} entries in order", what, end);
  return {};
}

Status check_finite(std::span<const float> numbers, const char* what) {
  for (size_t i = 0; i < numbers.size(); ++i)
    if (!std::isfinite(numbers[i])) return fail("{} {} is {}, wanted a finite number", what, i, numbers[i]);
  return {};
}

Status check(const KernelParts& parts) {
  const size_t labels = parts.seen.size();
  if (labels == 0 || labels >= data::kNoLabel)
    return fail("{} labels, wanted 1 to {}", labels, data::kNoLabel - 1);
  for (const uint8_t seen : parts.seen)
    if (seen > 1) return fail("a label's mark is {}, wanted 0 or 1", seen);
  const QuadraticKernel& kernel = parts.kernel;
  if (!(kernel.gamma > 0 && std::isfinite(kernel.gamma)))
    return fail("gamma is {}, wanted above 0", kernel.gamma);
  if (!(kernel.coef0 >= 0 && std::isfinite(kernel.coef0)))
    return fail("coef0 is {}, wanted from 0", kernel.coef0);

  ESPALIER_TRY(check_lists(parts.vectors.begin, parts.vectors.values.size(), "support vectors"));
  if (parts.vectors.size() >= 0xFFFFFFFF)
    return fail("{} support vectors are too many", parts.vectors.size());
  if (parts.values.size() != parts.vectors.values.size())
    return fail("{} values of support vectors, wanted {}", parts.values.size(), parts.vectors.values.size());
  ESPALIER_TRY(check_finite(parts.values, "support vectors' value"));
  for (size_t i = 0; i < parts.vectors.size(); ++i) {
    const auto features = parts.vectors[i];
    if (std::adjacent_find(features.begin(), features.end(), std::greater_equal<>()) != features.end())
      return fail("the features of support vector {} do not ascend", i);
  }

  ESPALIER_TRY(check_lists(parts.terms.begin, parts.terms.values.size(), "machines"));
  if (parts.terms.size() != parts.machines.size())
    return fail("terms of {} machines, wanted {}", parts.terms.size(), parts.machines.size());
  if (parts.coefficients.size() != parts.terms.values.size())
    return fail("{} coefficients, wanted {}", parts.coefficients.size(), parts.terms.values.size());
  ESPALIER_TRY(check_finite(parts.coefficients, "coefficient"));
  for (const uint32_t vector : parts.terms.values)
    if (vector >= parts.vectors.size()) return fail("support vector {} of {}", vector, parts.vectors.size());
  for (const KernelParts::Machine& machine : parts.machines) {
    const bool rest = machine.loser == KernelParts::kRest;
    if (rest != (parts.machines[0].loser == KernelParts::kRest))
      return fail("machines between two labels mixed with machines of one label against the rest");
    if (machine.winner >= labels || (!rest && machine.loser >= labels) || machine.winner == machine.loser)
      return fail("a machine between labels {} and {} of {}", machine.winner, machine.loser, labels);
    if (!parts.seen[machine.winner] || (!rest && !parts.seen[machine.loser]))
      return fail("a machine for label {} or {}, which training did not have", machine.winner, machine.loser);
    if (!std::isfinite(machine.rho))
      return fail("a machine's rho is {}, wanted a finite number", machine.rho);
  }
  return {};
}

/// The stored kernel and the number of labels.
struct StoredKernel {
  double gamma, coef0;
  uint64_t normalise, labels;
};

template <typename T>
std::vector<T> copy_of(std::span<const T> view) {
  return {view.begin(), view.end()};
}

}  // namespace

KernelModel::KernelModel(KernelParts parts) : parts_(std::move(parts)) {
  // Turns the vectors' lists of features into the features' lists of vectors.
  std::vector<std::tuple<uint32_t, uint32_t, float>> occurrences;  // feature, vector, value
  occurrences.reserve(parts_.values.size());
  for (size_t v = 0; v < parts_.vectors.size(); ++v)
    for (uint64_t i = parts_.vectors.begin[v]; i < parts_.vectors.begin[v + 1]; ++i)
      occurrences.emplace_back(parts_.vectors.values[i], static_cast<uint32_t>(v), parts_.values[i]);
  std::sort(occurrences.begin(), occurrences.end());
  for (const auto& [feature, vector, value] : occurrences) {
    if (features_.empty() || features_.back() != feature) {
      features_.push_back(feature);
      list_begin_.push_back(list_vector_.size());
    }
    list_vector_.push_back(vector);
    list_value_.push_back(value);
  }
  list_begin_.push_back(list_vector_.size());
  machines_of_.assign(labels(), 0);
  for (const KernelParts::Machine& machine : parts_.machines) {
    ++machines_of_[machine.winner];
    if (machine.loser != KernelParts::kRest) ++machines_of_[machine.loser];
  }
}

Result<KernelModel> KernelModel::make(KernelParts parts) {
  ESPALIER_TRY(check(parts));
  return KernelModel(std::move(parts));
}

void KernelModel::save(SectionWriter& out, const std::string& prefix) const {
  const StoredKernel kernel[] = {
      {parts_.kernel.gamma, parts_.kernel.coef0, parts_.kernel.normalise ? 1u : 0u, labels()}};
  out.add_array(prefix + "function", kernel);
  out.add_array(prefix + "seen", parts_.seen);
  out.add_array(prefix + "vectors.begin", parts_.vectors.begin);
  out.add_array(prefix + "vectors.feature", parts_.vectors.values);
  out.add_array(prefix + "vectors.value", parts_.values);
  out.add_array(prefix + "machines", parts_.machines);
  out.add_array(prefix + "terms.begin", parts_.terms.begin);
  out.add_array(prefix + "terms.vector", parts_.terms.values);
  out.add_array(prefix + "terms.coef", parts_.coefficients);
}

Result<KernelModel> KernelModel::load(const SectionFile& file, const std::string& prefix) {
  ESPALIER_ASSIGN(const auto kernel, file.array<StoredKernel>(prefix + "function"));
  ESPALIER_ASSIGN(const auto seen, file.array<uint8_t>(prefix + "seen"));
  ESPALIER_ASSIGN(const auto vector_begin, file.array<uint64_t>(prefix + "vectors.begin"));
  ESPALIER_ASSIGN(const auto vector_features, file.array<uint32_t>(prefix + "vectors.feature"));
  ESPALIER_ASSIGN(const auto values, file.array<float>(prefix + "vectors.value"));
  ESPALIER_ASSIGN(const auto machines, file.array<KernelParts::Machine>(prefix + "machines"));
  ESPALIER_ASSIGN(const auto term_begin, file.array<uint64_t>(prefix + "terms.begin"));
  ESPALIER_ASSIGN(const auto term_vectors, file.array<uint32_t>(prefix + "terms.vector"));
  ESPALIER_ASSIGN(const auto coefficients, file.array<float>(prefix + "terms.coef"));
  if (kernel.size() != 1 || kernel[0].normalise > 1)
    return fail("{}: section {}function does not describe one kernel", file.name(), prefix);
  if (kernel[0].labels != seen.size())
    return fail("{}: section {}seen has {} labels, wanted {}", file.name(), prefix, seen.size(),
                kernel[0].labels);
  KernelParts parts;
  parts.kernel = {kernel[0].gamma, kernel[0].coef0, kernel[0].normalise == 1};
  parts.seen = copy_of(seen);
  parts.vectors = {copy_of(vector_begin), copy_of(vector_features)};
  parts.values = copy_of(values);
  parts.machines = copy_of(machines);
  parts.terms = {copy_of(term_begin), copy_of(term_vectors)};
  parts.coefficients = copy_of(coefficients);
  Result<KernelModel> model = make(std::move(parts));
  if (!model.ok()) return fail("{}: {}", file.name(), model.error().message);
  return model;
}

void KernelModel::scores(std::span<const uint32_t> features, const float* values, Scratch& scratch,
                         std::span<float> out) const {
  ESPALIER_CHECK(out.size() == labels());
  auto& token = scratch.token;
  token.clear();
  for (size_t i = 0; i < features.size(); ++i)
    token.emplace_back(features[i], values == nullptr ? 1.0f : values[i]);
  std::stable_sort(token.begin(), token.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  size_t kept = 0;
  for (size_t i = 0; i < token.size(); ++i) {
    if (kept > 0 && token[kept - 1].first == token[i].first) {
      token[kept - 1].second += token[i].second;
    } else {
      token[kept++] = token[i];
    }
  }
  token.resize(kept);
  double length = 0;
  for (const auto& [feature, value] : token) length += double{value} * value;
  const bool scale = parts_.kernel.normalise && length > 0;
  const float gamma = static_cast<float>(parts_.kernel.gamma / (scale ? std::sqrt(length) : 1.0));
  const float coef0 = static_cast<float>(parts_.kernel.coef0);

  std::vector<float>& kernel = scratch.kernel;
  kernel.assign(support_vectors(), 0.0f);
  auto from = features_.begin();
  for (const auto& [feature, value] : token) {
    from = std::lower_bound(from, features_.end(), feature);
    if (from == features_.end()) break;
    if (*from != feature) continue;
    const size_t list = static_cast<size_t>(from - features_.begin());
    for (uint64_t i = list_begin_[list]; i < list_begin_[list + 1]; ++i)
      kernel[list_vector_[i]] += value * list_value_[i];
  }
  for (float& k : kernel) {
    const float inner = gamma * k + coef0;
    k = inner * inner;
  }

  const bool rest = against_the_rest();
  scratch.margin.assign(labels(), 0.0);
  for (size_t k = 0; k < labels(); ++k) out[k] = parts_.seen[k] ? 0.0f : rest ? kNever : -1.0f;
  for (size_t m = 0; m < parts_.machines.size(); ++m) {
    const KernelParts::Machine& machine = parts_.machines[m];
    double decision = -machine.rho;
    for (uint64_t i = parts_.terms.begin[m]; i < parts_.terms.begin[m + 1]; ++i)
      decision += double{parts_.coefficients[i]} * kernel[parts_.terms.values[i]];
    if (rest) {
      out[machine.winner] += static_cast<float>(decision / machines_of_[machine.winner]);
      continue;
    }
    out[decision > 0 ? machine.winner : machine.loser] += 1;
    const double margin = std::tanh(decision);
    scratch.margin[machine.winner] += margin;
    scratch.margin[machine.loser] -= margin;
  }
  if (rest) return;
  for (size_t k = 0; k < labels(); ++k)
    if (parts_.seen[k])
      out[k] += static_cast<float>(0.5 + 0.5 * scratch.margin[k] / std::max<uint32_t>(machines_of_[k], 1));
}

}  // namespace espalier::linear
