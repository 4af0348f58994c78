// A small English-like language: a weighted grammar and a lexicon, from which sentences are drawn. Tested in
// synth_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/random.h"

namespace espalier::data {

/// A word with its Penn part of speech, its chunk and its entity, both in IOB2.
struct SynthToken {
  std::string word;
  std::string tag;
  std::string chunk = "O";
  std::string entity = "O";
};

/// Draws a sentence. What makes the language worth learning:
///  - open classes: half of the nouns, verbs, adjectives and names are invented, some with typical endings;
///  - words with several tags (play, plays, that, her, fast, can, praised) that only context resolves;
///  - agreement over a distance: in `the sheep near the old bridges is …` the verb shows the noun's number;
///  - names that are people, places or companies depending on their context.
/// The sentence is the same for the same state of `random`. Thread-safe.
std::vector<SynthToken> draw_sentence(Random& random);

}  // namespace espalier::data
