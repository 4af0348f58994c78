// Invented words, spelled by rule. Tested in synth_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "espalier/base/random.h"
#include "espalier/base/result.h"

namespace espalier::data {

/// The use of an invented word. Endings go with the use, as in English, but not all words have one, and
/// noun and verb stems are the same, so that a word alone often does not determine its tag. First names,
/// surnames, places and firms share a part of their names.
enum class WordKind {
  kNoun,
  kNounPlural,
  kAdjective,
  kAdverb,
  kVerb,
  kVerbS,
  kVerbEd,
  kVerbIng,
  kName,
  kSurname,
  kPlace,
  kDemonym,
  kNumber
};
Result<WordKind> parse_word_kind(std::string_view name);

/// The rank-th word of its kind; always the same.
std::string make_word(WordKind kind, uint64_t rank);

/// A rank from 1 to a million with probability about 1/rank: few words are frequent, most are rare, and a
/// text of any length leaves words unseen.
uint64_t draw_rank(Random& random);

/// A variant of a word that keeps its first letter, its last three letters and its case, which are what a
/// tagger uses for unknown words. Words of fewer than five letters or with other characters are returned
/// unchanged.
std::string vary_word(std::string_view word, uint64_t key);

}  // namespace espalier::data
