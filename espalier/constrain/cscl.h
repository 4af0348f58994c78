// Phrases that must not overlap, from two classifiers for their beginnings and ends: constraint satisfaction
// with classifiers (Punyakanok and Roth 2001). Call best_phrases.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace espalier::constrain {

/// The words [first, last).
struct Phrase {
  size_t first = 0, last = 0;
  bool operator==(const Phrase&) const = default;
};

/// The phrases, in order and without overlap, that maximise Σ open(first) + close(last − 1), where `open` and
/// `close` score each word as the beginning and the end of a phrase (log-odds, or raw activations). It is a
/// shortest path over positions 0 … n: t → t+1 costs nothing, i → j+1 costs −(open(i) + close(j)). No phrase
/// is longer than `longest`. O(n · longest). Ties go to fewer and later words. Preconditions: as many scores
/// of one kind as of the other; longest ≥ 1.
std::vector<Phrase> best_phrases(std::span<const float> open, std::span<const float> close, size_t longest);

}  // namespace espalier::constrain
