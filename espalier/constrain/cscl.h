// Phrases that must not overlap, from two classifiers: constraint satisfaction with classifiers (Punyakanok
// and Roth 2001).
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
/// `close` say for each word how much speaks for a phrase to begin and to end there (a log-odds, or a raw
/// activation). It is a shortest path over positions 0 … n: t → t+1 costs nothing, i → j+1 costs −(open(i) +
/// close(j)). No phrase is longer than `longest`. O(n · longest). Where scores are equal, fewer and later
/// words are taken. Precondition: as many scores of one kind as of the other; longest ≥ 1.
std::vector<Phrase> best_phrases(std::span<const float> open, std::span<const float> close, size_t longest);

}  // namespace espalier::constrain
