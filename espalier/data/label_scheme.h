// Label schemes such as B-NP I-NP O (IOB2): reading segments from labels, writing them, converting between
// schemes, and detecting the scheme of a corpus.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/label_set.h"

namespace espalier::data {

/// Encodings of segments as one label per token. A label is `O` (outside) or a prefix, `-`, and the segment's
/// type.
///   IOB1   I inside; B only directly after a segment of the same type
///   IOB2   B at the beginning of every segment, I after it
///   IOE1   I inside; E only where a segment of the same type follows directly
///   IOE2   E at the end of every segment, I before it
///   IOBES  B, I, E for the beginning, inside and end of longer segments, S for segments of one token
///   BILOU  the same with L for E and U for S
///   BMEWO  the same with M for I and W for S
enum class Scheme { kNone, kIob1, kIob2, kIoe1, kIoe2, kIobes, kBilou, kBmewo };
inline constexpr std::array<Scheme, 7> kSchemes = {Scheme::kIob1, Scheme::kIob2,  Scheme::kIoe1,
                                                   Scheme::kIoe2, Scheme::kIobes, Scheme::kBilou,
                                                   Scheme::kBmewo};

std::string_view scheme_name(Scheme scheme);  ///< "none", "iob1", …
/// The scheme of that name, in upper or lower case. Other names that are in use count, too: BIO and IOB for
/// iob2, BIOES and BIESO for iobes, BILUO for bilou.
Result<Scheme> parse_scheme(std::string_view name);
/// The prefixes of a scheme's labels, without O.
std::string_view scheme_prefixes(Scheme scheme);

/// The parts of a label, as views of it.
struct LabelParts {
  char prefix = 'O';      ///< O, or one of B I E S L U M W
  std::string_view type;  ///< empty with O
};
/// Nothing if the label is neither `O` nor prefix and type: NN, ARGM-TMP, -LRB-, B-.
std::optional<LabelParts> parse_label(std::string_view label);

/// Tokens [first, last) of one type, a slice of the labels it was read from.
struct Span {
  size_t first = 0;
  size_t last = 0;
  std::string_view type;
  bool operator==(const Span&) const = default;
};

/// The segments in a sequence of labels, by conlleval's rules, which interpret every sequence: a segment also
/// begins at an I or E after `O`, after another type or after an end, and ends where the type changes. Labels
/// outside the schemes (and unknown ones) count as `O`. `repairs`, if given, becomes the number of tokens
/// that the scheme would label differently, not counting those next to unknown labels. With kNone there are
/// no segments.
std::vector<Span> spans(std::span<const std::string_view> labels, Scheme scheme, size_t* repairs = nullptr);

/// The same into a vector that is reused.
void spans(std::span<const std::string_view> labels, Scheme scheme, std::vector<Span>& out,
           size_t* repairs = nullptr);

/// The labels of `length` tokens with these segments. Precondition: segments in order, not empty, disjoint,
/// within the length; a scheme other than kNone.
std::vector<std::string> encode(std::span<const Span> segments, size_t length, Scheme scheme);

/// The same segments in another scheme; unknown labels stay unknown. With kNone on either side, labels are
/// unchanged.
std::vector<std::string> convert(std::span<const std::string_view> labels, Scheme from, Scheme to);

/// The place of every token in its segment: B first of several, I inside, E last of several, S alone, O
/// outside. Together with a label of any scheme this is a label of IOBES, and a token's label follows from it
/// without a look at its neighbours.
std::string segment_places(std::span<const std::string_view> labels, Scheme scheme);

/// Detects the scheme of a corpus from its labels, sequence by sequence: which prefixes occur, and how often
/// IOB1, IOB2, IOE1 and IOE2 are violated. One label outside the schemes makes it kNone.
class SchemeDetector {
 public:
  void add(std::span<const std::string_view> labels);
  /// The scheme with the fewest violations among those that have all prefixes seen; ties go to the stricter
  /// one (IOB2, IOE2). kNone if only `O` was seen.
  Scheme scheme() const;

  /// What was seen as numbers, to be added one by one to those of detectors that saw other sequences.
  static constexpr size_t kCounts = 5 + 26;
  void to_counts(int64_t* out) const;
  static SchemeDetector from_counts(const int64_t* in);

 private:
  bool plain_ = false;       ///< some label is outside all schemes
  uint32_t prefixes_ = 0;    ///< bit c − 'A' for prefix c
  uint64_t i_begins_ = 0;    ///< I at the beginning of a segment: not IOB2
  uint64_t b_needless_ = 0;  ///< B without a segment of the same type before it: not IOB1
  uint64_t i_ends_ = 0;      ///< I at the end of a segment: not IOE2
  uint64_t e_needless_ = 0;  ///< E without a segment of the same type after it: not IOE1
};

/// The most likely scheme, from the names of labels alone: B and I are taken for IOB2, I and E for IOE2, I
/// alone for IOB1.
Scheme detect_scheme(const LabelSet& labels);

}  // namespace espalier::data
