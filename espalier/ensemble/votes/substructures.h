// What experts can be good or bad at: tokens by position, label n-grams, spans, dimensions of a label.
//
// Substructures::encode turns the labels of a sequence into items to vote on; assemble turns the winners back
// into labels. Linear in tokens × experts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/label_scheme.h"
#include "espalier/data/label_set.h"
#include "espalier/ensemble/votes/token_votes.h"
#include "espalier/ensemble/votes/votes.h"

namespace espalier::ensemble {

enum class SubstructureKind {
  kPositions,   ///< a token is a substructure, with weights for its position: sequences are padded in effect
  kClasses,     ///< a token, with weights for the first three, the last three and the middle of a sequence
  kTokens,      ///< a token, with the same weights everywhere
  kNgrams,      ///< the labels of n tokens in a row, with weights by class of the last one
  kSpans,       ///< a span and its type, there or not, with weights by type
  kDimensions,  ///< a part of a label such as NN|Sing, with weights by class and dimension
};

/// Which, with what it needs to know; written as `positions`, `classes`, `tokens`, `ngrams:2`, `spans`,
/// `dimensions:|`.
struct SubstructureOptions {
  SubstructureKind kind = SubstructureKind::kClasses;
  size_t order = 2;      ///< of n-grams: 2 or 3
  char separator = '|';  ///< of dimensions
  bool operator==(const SubstructureOptions&) const = default;
};
Result<SubstructureOptions> parse_substructures(std::string_view text);
std::string substructures_text(const SubstructureOptions& options);

/// The class of a position: 0, 1, 2 from the front, 4, 5, 6 to the back, 3 between; in short sequences the
/// front half counts from the front. Long sequences so have one set of weights for all but their ends.
inline constexpr size_t kPositionClasses = 7;
size_t position_class(size_t position, size_t length);
std::string_view position_class_name(size_t position_class);

/// Turns labelled tokens into items and the winners of items back into labels. Interns what it meets
/// (n-grams, span types, parts of labels), so it is not for several threads at once. Slots follow from
/// positions and from the order of the label set as it is when this is made; values can be compared within
/// one object. The label set and the scheme (for spans) are the caller's.
class Substructures {
 public:
  Substructures(const SubstructureOptions& options, data::LabelSet& labels, data::Scheme scheme);

  const SubstructureOptions& options() const { return options_; }
  /// The items of a sequence, valid until the next call.
  VoteView encode(const TokenVotes& tokens);

  /// Whether a token is an item by itself, so that winners are labels themselves.
  bool items_are_tokens() const {
    return options_.kind == SubstructureKind::kPositions || options_.kind == SubstructureKind::kClasses ||
           options_.kind == SubstructureKind::kTokens;
  }

  struct ItemWinner {
    Value value;
    double share;
  };
  /// What the winners of the items of the sequence encoded last make of its tokens, for kSpans and
  /// kDimensions; `confidence` has one entry per token. New labels (a combination of parts never seen) are
  /// added to the label set.
  void assemble(size_t length, std::span<const ItemWinner> winners, std::vector<data::Label>& out,
                std::vector<double>& confidence);

  /// The labels of an interned n-gram, last first (data::kNoLabel before the first token).
  std::span<const data::Label> ngram(Value value) const {
    return std::span(ngram_labels_).subspan(value * options_.order, options_.order);
  }

 private:
  uint32_t slot_of_token(size_t position, size_t length) const;
  Value intern_ngram(const data::Label* last_first);
  void encode_tokens(const TokenVotes& tokens);
  void encode_ngrams(const TokenVotes& tokens);
  void encode_spans(const TokenVotes& tokens);
  void encode_dimensions(const TokenVotes& tokens);
  void assemble_spans(size_t length, std::span<const ItemWinner> winners, std::vector<data::Label>& out,
                      std::vector<double>& confidence);
  void assemble_dimensions(size_t length, std::span<const ItemWinner> winners, std::vector<data::Label>& out,
                           std::vector<double>& confidence);
  void begin(size_t experts, bool gold);

  struct Candidate {
    uint32_t first, last, type;
    bool operator==(const Candidate&) const = default;
  };

  SubstructureOptions options_;
  data::LabelSet& labels_;
  data::Scheme scheme_;
  // The sequence encoded last.
  size_t experts_ = 0;
  bool has_gold_ = false;
  std::vector<uint32_t> slot_;
  std::vector<Value> gold_, votes_;
  std::vector<Candidate> candidates_;
  // What has been interned so far.
  std::unordered_map<uint64_t, Value> ngrams_;
  std::vector<data::Label> ngram_labels_;
  data::LabelSet types_;
  data::LabelSet parts_;
  size_t dimensions_ = 0;
  std::vector<std::vector<Value>> parts_of_;  ///< per label
};

}  // namespace espalier::ensemble
