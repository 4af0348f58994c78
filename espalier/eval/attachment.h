// Scores of dependency trees: the share of words with the right head (UAS), with the right head and relation
// (LAS), and the same over content words (CLAS), as the CoNLL 2018 evaluation counts them: punctuation is
// included; `universal` compares relations without what follows the first colon. Words are those of the gold
// sentence, so precision and recall differ for CLAS alone.
//
// Add tree by tree; to_json() and table() show the result. Tested in attachment_test.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "espalier/base/text/json.h"

namespace espalier::eval {

/// The part of a relation before the first colon.
std::string_view universal_relation(std::string_view relation);
/// Whether the CoNLL 2018 evaluation counts words with this relation as content words.
bool is_content_relation(std::string_view relation);

class AttachmentScores {
 public:
  /// Heads are numbers from 1, 0 for the root. All have the same length.
  void add(std::span<const uint32_t> gold_heads, std::span<const std::string_view> gold_relations,
           std::span<const uint32_t> heads, std::span<const std::string_view> relations);
  void merge(const AttachmentScores& other);

  size_t words() const { return all_.words; }
  size_t trees() const { return trees_; }
  double uas() const { return percent(all_.heads, all_.words); }
  double las() const { return percent(all_.labelled, all_.words); }
  double universal_las() const { return percent(all_.universal, all_.words); }
  /// F1 over content words: universal relations, as in CoNLL 2018, or full ones.
  double clas() const { return percent(2 * content_correct_full_, content_gold_ + content_found_); }
  double universal_clas() const { return percent(2 * content_correct_, content_gold_ + content_found_); }
  /// Trees in which every head and relation is right.
  double exact_trees() const { return percent(exact_, trees_); }

  /// "las" and "clas" are those with universal relations, "full_las" and "full_clas" the others.
  Json to_json() const;
  std::string table() const;

 private:
  struct Counts {
    size_t words = 0, heads = 0, labelled = 0, universal = 0;
    void add(const Counts& other);
  };
  struct Relation {
    size_t gold = 0, found = 0, correct = 0, head = 0;  ///< head: gold words with the right head
  };
  static constexpr std::array<size_t, 4> kLengths = {10, 20, 30, 40};  ///< upper ends of the ranges
  static double percent(size_t part, size_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  }
  static std::string length_name(size_t range);

  Counts all_;
  std::array<Counts, kLengths.size() + 1> by_length_{};
  std::map<std::string, Relation, std::less<>> by_relation_;
  size_t trees_ = 0, exact_ = 0;
  size_t content_gold_ = 0, content_found_ = 0, content_correct_ = 0, content_correct_full_ = 0;
};

}  // namespace espalier::eval
