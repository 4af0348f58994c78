#include "espalier/data/synth/synth_words.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "espalier/base/text/text.h"

namespace espalier::data {
namespace {

template <size_t N>
std::string_view pick(const std::array<std::string_view, N>& items, Random& random) {
  return items[random.below(N)];
}

std::string syllable(Random& random) {
  static constexpr std::array<std::string_view, 20> kOnsets = {"b",  "d",  "f",  "g",  "h",  "k", "l",
                                                               "m",  "n",  "p",  "r",  "t",  "v", "z",
                                                               "br", "dr", "gl", "pl", "tr", "st"};
  static constexpr std::array<std::string_view, 7> kVowels = {"a", "e", "i", "o", "u", "oa", "ee"};
  static constexpr std::array<std::string_view, 8> kCodas = {"", "", "", "n", "r", "l", "m", "t"};
  std::string text(pick(kOnsets, random));
  text += pick(kVowels, random);
  text += pick(kCodas, random);
  return text;
}

/// Stems come from one stream a family, so that kinds of the same family share them.
Random stem_stream(uint64_t family, uint64_t rank) { return Random(0x5EED0000 + family).split(rank); }

std::string stem(Random& random) {
  std::string text = syllable(random);
  const uint64_t more = 1 + random.below(2);
  for (uint64_t i = 0; i < more; ++i) text += syllable(random);
  return text;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

bool is_vowel(char c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'; }

std::string with_s(std::string word) {
  const char last = word.back();
  if (last == 'y' && word.size() > 1 && !is_vowel(word[word.size() - 2])) {
    word.pop_back();
    return word + "ies";
  }
  return word + (last == 's' || last == 'x' || last == 'z' ? "es" : "s");
}

std::string with_ending(std::string word, std::string_view ending) {
  if (word.back() == 'e') word.pop_back();
  return word.append(ending);
}

std::string noun(uint64_t rank) {
  static constexpr std::array<std::string_view, 6> kEndings = {"tion", "ness", "ment", "ity", "er", "ism"};
  Random random = stem_stream(0, rank);
  const std::string text = stem(random);
  return random.below(2) == 0 ? text : text + std::string(pick(kEndings, random));
}

std::string verb(uint64_t rank) {
  static constexpr std::array<std::string_view, 3> kEndings = {"ize", "ate", "ify"};
  Random random = stem_stream(0, rank);
  const std::string text = stem(random);
  return random.below(2) == 0 ? text : text + std::string(pick(kEndings, random));
}

std::string adjective(uint64_t rank) {
  static constexpr std::array<std::string_view, 5> kEndings = {"ous", "ful", "ive", "able", "al"};
  Random random = stem_stream(1, rank);
  const std::string text = stem(random);
  return random.below(3) == 0 ? text : text + std::string(pick(kEndings, random));
}

/// Every other name is bare and stands for people, places and firms alike.
template <size_t N>
std::string name_with(const std::array<std::string_view, N>& endings, uint64_t rank) {
  Random random = stem_stream(2, rank);
  const std::string text = capitalised(stem(random));
  return random.below(2) == 0 ? text : text + std::string(pick(endings, random));
}

std::string number(uint64_t rank) {
  if (rank < 2000) return std::to_string(rank);
  const std::string digits = std::to_string(rank);
  return digits.substr(0, digits.size() - 3) + "," + digits.substr(digits.size() - 3);
}

}  // namespace

Result<WordKind> parse_word_kind(std::string_view name) {
  static constexpr std::array<std::string_view, 13> kNames = {
      "noun",    "nouns", "adjective", "adverb", "verb",    "verbs", "verbed",
      "verbing", "name",  "surname",   "place",  "demonym", "number"};
  const auto it = std::find(kNames.begin(), kNames.end(), name);
  if (it == kNames.end()) return fail("unknown kind of word '{}'", name);
  return static_cast<WordKind>(it - kNames.begin());
}

std::string make_word(WordKind kind, uint64_t rank) {
  static constexpr std::array<std::string_view, 2> kNameEndings = {"a", "o"};
  static constexpr std::array<std::string_view, 4> kSurnameEndings = {"son", "ez", "ski", "man"};
  static constexpr std::array<std::string_view, 4> kPlaceEndings = {"ville", "burg", "land", "stan"};
  static constexpr std::array<std::string_view, 2> kDemonymEndings = {"ian", "ese"};
  switch (kind) {
    case WordKind::kNoun:
      return noun(rank);
    case WordKind::kNounPlural:
      return with_s(noun(rank));
    case WordKind::kAdjective:
      return adjective(rank);
    case WordKind::kAdverb:
      return adjective(rank) + "ly";
    case WordKind::kVerb:
      return verb(rank);
    case WordKind::kVerbS:
      return with_s(verb(rank));
    case WordKind::kVerbEd:
      return with_ending(verb(rank), "ed");
    case WordKind::kVerbIng:
      return with_ending(verb(rank), "ing");
    case WordKind::kName:
      return name_with(kNameEndings, rank);
    case WordKind::kSurname:
      return name_with(kSurnameEndings, rank);
    case WordKind::kPlace:
      return name_with(kPlaceEndings, rank);
    case WordKind::kDemonym:
      return name_with(kDemonymEndings, rank);
    case WordKind::kNumber:
      return number(rank);
  }
  return {};
}

uint64_t draw_rank(Random& random) {
  constexpr double kMost = 1e6;
  return static_cast<uint64_t>(std::exp(random.uniform() * std::log(kMost)));
}

std::string vary_word(std::string_view word, uint64_t key) {
  constexpr size_t kTail = 3;
  size_t letters = 0;
  for (const CodePoint c : CodePoints(word)) {
    const CharClass kind = char_class(c.value);
    if (kind != CharClass::kUpper && kind != CharClass::kLower && kind != CharClass::kLetterOther)
      return std::string(word);
    ++letters;
  }
  if (letters < kTail + 2) return std::string(word);
  Random random(key);
  std::string middle = syllable(random);
  const size_t tail = suffix_bytes(word, kTail);
  const bool upper = char_class(code_point_at(word, word.size() - tail).value) == CharClass::kUpper;
  if (upper)
    std::transform(middle.begin(), middle.end(), middle.begin(),
                   [](char c) { return static_cast<char>(c - 'a' + 'A'); });
  std::string result(word.substr(0, word.size() - tail));
  return result.append(middle).append(word.substr(word.size() - tail));
}

}  // namespace espalier::data
