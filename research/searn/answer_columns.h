// Answers of other learners as columns for one that learns from them (stacking): the probabilities that
// several models give the labels of a sentence are averaged in AnswerMeans, and columns_of() turns the means
// into text that feature templates and chunk features can use.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace espalier::research {

/// The mean probability of each label at each token of one sentence.
class AnswerMeans {
 public:
  AnswerMeans() = default;
  AnswerMeans(size_t tokens, size_t labels) : labels_(labels), sums_(tokens * labels) {}

  /// Adds the answer of one model: the probability of each of its labels at each token, row by row.
  /// `number_of` has, for each label of the model, its number here.
  void add(std::span<const float> probabilities, std::span<const size_t> number_of);

  size_t tokens() const { return labels_ == 0 ? 0 : sums_.size() / labels_; }
  /// The most probable label of a token; ties go to the first.
  size_t best(size_t token) const;
  /// The most probable one but the best; the best itself if there are no others.
  size_t second(size_t token) const;
  /// The mean over the models added; 0 before there are any.
  double probability(size_t token, size_t label) const {
    return models_ == 0 ? 0 : sums_[token * labels_ + label] / static_cast<double>(models_);
  }

 private:
  size_t labels_ = 0, models_ = 0;
  std::vector<double> sums_;
};

/// Three cells for each token of a sentence: its most probable label; the same with how sure that is, in
/// steps, and with the second most probable label where that has some probability; and the types of the two
/// chunks that begin after the token, by the most probable labels (O tokens count as chunks of their own; for
/// punctuation and conjunctions, so named by `tags`, with the tag).
/// `labels` are IOB2 labels, `tags` a part of speech per token.
std::vector<std::vector<std::string>> columns_of(const AnswerMeans& means,
                                                 std::span<const std::string> labels,
                                                 std::span<const std::string> tags);

}  // namespace espalier::research
