#include "research/searn/answer_columns.h"

#include <string_view>

#include "espalier/base/result.h"

namespace espalier::research {

namespace {

/// How sure a probability is, as one digit.
char step_of(double probability) {
  constexpr double kSteps[] = {0.999, 0.99, 0.95, 0.8, 0.6};
  char step = '9';
  for (const double least : kSteps) {
    if (probability > least) return step;
    --step;
  }
  return step;
}

/// What a token that begins a chunk says about it.
std::string begun_chunk(const std::string& label, const std::string& tag) {
  if (label != "O") return label.substr(std::string_view("B-").size());
  const bool separates = tag == "CC" || tag == "," || tag == "." || tag == ":";
  return separates ? "O" + tag : "O";
}

}  // namespace

void AnswerMeans::add(std::span<const float> probabilities, std::span<const size_t> number_of) {
  ESPALIER_CHECK(probabilities.size() == tokens() * number_of.size());
  for (size_t i = 0; i < probabilities.size(); ++i)
    sums_[i / number_of.size() * labels_ + number_of[i % number_of.size()]] += double{probabilities[i]};
  ++models_;
}

size_t AnswerMeans::best(size_t token) const {
  size_t best = 0;
  for (size_t label = 1; label < labels_; ++label)
    if (sums_[token * labels_ + label] > sums_[token * labels_ + best]) best = label;
  return best;
}

size_t AnswerMeans::second(size_t token) const {
  const size_t first = best(token);
  size_t second = first;
  for (size_t label = 0; label < labels_; ++label)
    if (label != first &&
        (second == first || sums_[token * labels_ + label] > sums_[token * labels_ + second]))
      second = label;
  return second;
}

std::vector<std::vector<std::string>> columns_of(const AnswerMeans& means,
                                                 std::span<const std::string> labels,
                                                 std::span<const std::string> tags) {
  constexpr double kWorthNaming = 0.05;
  std::vector<std::vector<std::string>> columns(means.tokens());
  // From the last token to the first, so that what follows is known.
  std::string next = "^", after_next = "^";
  for (size_t t = means.tokens(); t-- > 0;) {
    const size_t best = means.best(t), second = means.second(t);
    const std::string& label = labels[best];
    const bool doubtful = means.probability(t, second) > kWorthNaming && second != best;
    columns[t] = {label, label + step_of(means.probability(t, best)) + (doubtful ? labels[second] : "-"),
                  next + "+" + after_next};
    if (label.starts_with("I-")) continue;
    after_next = std::move(next);
    next = begun_chunk(label, tags[t]);
  }
  return columns;
}

}  // namespace espalier::research
