// Letters and phonemes: readers of pronouncing dictionaries, and an aligner for dictionaries that are not
// aligned.
//
// read_cmudict and read_nettalk read; align_letters gives each letter its phonemes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"

namespace espalier::ensemble {

/// A word with its phonemes. Aligned: `labels` has one per letter.
struct Pronunciation {
  std::string word;
  std::vector<std::string> phonemes;  ///< without silent ones
  std::vector<std::string> labels;    ///< one per letter, or none: not aligned
};

/// The label of a letter without a sound, and what joins the phonemes of a letter that has several.
inline constexpr std::string_view kSilentLetter = "-";
inline constexpr char kPhonemeJoint = '+';

/// CMUdict's layout: `word<TAB>PH PH PH`. Only the first pronunciation of a word where `first_only`.
Result<std::vector<Pronunciation>> read_cmudict(const std::string& path, bool first_only);
/// NETtalk's layout: `letters<TAB>phonemes<TAB>stress<TAB>class`, letter by letter.
Result<std::vector<Pronunciation>> read_nettalk(const std::string& path);

struct AlignmentOptions {
  size_t most_phonemes = 2;  ///< per letter, at most
  int rounds = 8;            ///< of EM
};

struct AlignmentReport {
  size_t aligned = 0, skipped = 0;     ///< words; skipped: more phonemes than their letters can have
  std::vector<double> log_likelihood;  ///< per round; never falls
};

/// Assigns phonemes to every letter: none, one or several in a row. P(phonemes | letter) is
/// learned by expectation maximisation over all monotone alignments of all words, from a beginning that
/// favours one phoneme per letter; each word then gets its likeliest alignment. Words that cannot be aligned
/// get no labels. O(rounds · letters · phonemes · most_phonemes).
AlignmentReport align_letters(std::vector<Pronunciation>& words, const AlignmentOptions& options = {});

/// The phonemes of the labels of a word's letters.
std::vector<std::string> phonemes_of(const std::vector<std::string_view>& labels);

}  // namespace espalier::ensemble
