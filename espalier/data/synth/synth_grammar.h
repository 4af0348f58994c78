// A small English: a weighted grammar with a lexicon, from which sentences are drawn. Tested in
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
///  - open classes: half of the nouns, verbs, adjectives and names are made up, some with telling endings;
///  - words of several tags (play, plays, that, her, fast, can, praised) that only their neighbours tell
///  apart;
///  - agreement over a distance: `the sheep near the old bridges is …` — the noun's number shows in the verb;
///  - names that are people, places or firms by what stands around them.
/// The sentence is the same for the same state of `random`. Thread-safe.
std::vector<SynthToken> draw_sentence(Random& random);

}  // namespace espalier::data
