// Chunks in sequences of labels such as B-NP I-NP O, counted as the CoNLL shared tasks count them.
// ChunkMatcher compares a gold and a predicted sequence in one pass; LabelTable numbers labels and their
// types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace espalier::eval {

/// The part of a label before its first hyphen, as far as the rules of chunking tell tags apart. L (of BILOU)
/// is E, U is S. kDot belongs to the bracket schemes, where it has no meaning; kOther is any other text.
enum class Tag : uint8_t { kOutside, kBegin, kInside, kEnd, kSingle, kOpen, kClose, kDot, kOther };

/// A label taken apart. Types are numbered by the LabelTable; number 0 is the empty type.
struct ChunkTag {
  Tag tag = Tag::kOutside;
  uint32_t type = 0;
};

/// True for O and for labels of the form [BIESLU]-TYPE: those that can belong to a chunk scheme. ARGM-TMP,
/// -LRB-, B and B- are not of that form.
bool is_chunk_label(std::string_view label);

/// Whether a chunk starts (ends) between two neighbouring tags. The rules are those of the CoNLL-2000
/// evaluation, which cover IOB1, IOB2, IOE1, IOE2 and brackets, and also interpret sequences that no scheme
/// allows: a change of type always opens a chunk, whatever the tag. It has no rule for S, nor for a B that
/// follows an E; here both mean what they mean in IOBES and BILOU. This does not change any valid sequence of
/// the four older schemes.
bool starts_chunk(ChunkTag previous, ChunkTag current);
bool ends_chunk(ChunkTag previous, ChunkTag current);

/// Numbers label texts and their chunk types in order of appearance, and takes each label apart once.
class LabelTable {
 public:
  LabelTable();

  /// Number of the label, new or known.
  uint32_t add(std::string_view label);
  std::optional<uint32_t> find(std::string_view label) const;

  size_t size() const { return labels_.size(); }
  const std::string& name(uint32_t label) const { return labels_.names[label]; }
  ChunkTag tag(uint32_t label) const { return tags_[label]; }
  size_t types() const { return types_.size(); }
  const std::string& type_name(uint32_t type) const { return types_.names[type]; }
  uint32_t add_type(std::string_view type) { return types_.add(type).first; }

 private:
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  struct Names {
    std::vector<std::string> names;
    std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>> numbers;

    size_t size() const { return names.size(); }
    /// The number, and whether it is new.
    std::pair<uint32_t, bool> add(std::string_view text);
  };

  Names labels_;
  Names types_;
  std::vector<ChunkTag> tags_;
};

/// 100·part/whole; 0 of nothing.
double percent(uint64_t part, uint64_t whole);

/// How many there are in the gold labels, how many were predicted, how many of those are correct.
struct Counts {
  uint64_t gold = 0;
  uint64_t found = 0;
  uint64_t correct = 0;

  /// In percent; 0 where nothing was found (or nothing was to be found).
  double precision() const;
  double recall() const;
  double f1() const;

  Counts& operator+=(const Counts& other);
  bool operator==(const Counts&) const = default;
};

/// Compares a gold and a predicted sequence position by position. A chunk is correct when it starts, ends and
/// is of the same type in both. Constant space, so sequences of any length can stream through; close every
/// one with finish().
class ChunkMatcher {
 public:
  /// What is known once a position has been read.
  struct Events {
    bool gold_starts = false;   ///< a gold chunk of the position's gold type starts here
    bool found_starts = false;  ///< a predicted chunk of the position's predicted type starts here
    bool correct_ends = false;  ///< a correct chunk ended with the position before
    uint32_t correct_type = 0;  ///< its type
  };

  Events step(ChunkTag gold, ChunkTag found);
  /// The end of a sequence: everything after it is outside.
  Events finish() { return step({}, {}); }

 private:
  ChunkTag last_gold_;
  ChunkTag last_found_;
  bool agreeing_ = false;  // Both sides are inside chunks that have been the same so far.
};

}  // namespace espalier::eval
