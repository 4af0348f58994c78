// A parsed feature template: which views of which cells each feature joins, and its name. Made by
// template_parser.h or default_features.h, run by features.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "espalier/data/features/pattern.h"

namespace espalier::data {

/// A function of a cell. A view gives a text or nothing; a feature is absent at positions where one of its
/// views gives nothing.
enum class ViewKind : uint8_t {
  kText,        ///< the cell unchanged
  kLower,       ///< in lower case
  kCased,       ///< unchanged, if that differs from lower case
  kPrefix,      ///< first `size` characters in lower case, where there are that many
  kSuffix,      ///< last `size` characters in lower case, where there are that many
  kShape,       ///< characters replaced by their class
  kShortShape,  ///< the same with runs of a class collapsed
  kDigit,       ///< "1" where a digit occurs
  kHyphen,      ///< "1" where a hyphen or dash occurs inside
  kAllCaps,     ///< "1" where two or more letters are all upper case
  kCapital,     ///< "1" where the first character is upper case
  kLong,        ///< "1" where there are at least `size` characters
  kOutside,     ///< "1" before the first and after the last row
  kTest,        ///< "true" or "false": the pattern occurs in the cell
  kMatch,       ///< what the pattern matches, or the empty text
  kMatchLower,  ///< the same in lower case
  kClass,       ///< the class of a word (word_lists.h), or the first `size` characters of it
  kGiven,       ///< the cell unchanged, where it is not empty
  kLexicon,     ///< place and type of the entry of a lexicon that covers the row; depends on its neighbours
};

/// What views give before the first and after the last row.
enum class Outside : uint8_t {
  kNothing,  ///< the view gives nothing there
  kCrfpp,    ///< `_B-1`, `_B-2`, … and `_B+1`, `_B+2`, …
  kWapiti,   ///< `_x-1` … `_x-4`, then `_x-#`, and the same with plus; patterns are matched against these
             ///< texts
};

struct View {
  ViewKind kind = ViewKind::kText;
  Outside outside = Outside::kCrfpp;
  size_t column = 0;
  size_t size = 0;     ///< of affixes, and of kLong
  size_t pattern = 0;  ///< index into FeaturePlan::patterns, for kTest and kMatch*
  size_t list = 0;     ///< which of the model's word lists, for kClass and kLexicon
  bool bytes = false;  ///< kLower and kMatchLower change ASCII letters only

  bool operator==(const View&) const = default;
};

/// From where the row of a reference is counted.
enum class Origin : uint8_t {
  kHere,      ///< offset from the position the feature belongs to
  kStart,     ///< offset 0 is the first row of the sequence
  kEnd,       ///< offset −1 is the last row
  kIndirect,  ///< the number in the cell of column `offset` at this position says how far away the row is
};

struct Reference {
  size_t view = 0;  ///< index into FeaturePlan::views
  Origin origin = Origin::kHere;
  int offset = 0;
};

/// One line of a template. Its feature's name is literals[0] + text(references[0]) + literals[1] + … ; two
/// templates with the same literals give the same feature if their references give the same texts.
struct Template {
  std::vector<std::string> literals{""};  ///< one more than references
  std::vector<Reference> references;
  bool state = false;
  bool edge = false;
};

/// The farthest row that a relative reference may name, in either direction.
inline constexpr int kMaxOffset = 64;

/// A whole template file, checked: references name only columns that exist.
struct FeaturePlan {
  std::vector<View> views;
  std::vector<Pattern> patterns;
  std::vector<Template> templates;
  bool transitions = false;

  /// Index of the view, which is added if it is new.
  size_t view_index(const View& view) {
    for (size_t i = 0; i < views.size(); ++i)
      if (views[i] == view) return i;
    views.push_back(view);
    return views.size() - 1;
  }
};

/// Whether a view can give nothing, so that features that use it can be absent.
inline bool may_be_absent(const View& view) {
  switch (view.kind) {
    case ViewKind::kText:
    case ViewKind::kLower:
    case ViewKind::kShape:
    case ViewKind::kShortShape:
    case ViewKind::kTest:
    case ViewKind::kMatch:
    case ViewKind::kMatchLower:
      return view.outside == Outside::kNothing;
    default:
      return true;
  }
}

}  // namespace espalier::data
