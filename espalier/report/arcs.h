// A dependency tree drawn as arcs: arcs_svg() makes a picture in which the predicted arcs are above the words
// and the gold arcs that were missed below. Tested in arcs_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace espalier::report {

/// A tree: the head of every word, from 1 (0: the root), and its relation.
struct Tree {
  std::span<const uint32_t> heads;
  std::span<const std::string> relations;
};

/// The heights of arcs, from 1, by word: an arc is above every arc that it spans. Words on the root have 0.
/// O(n²) for n words.
std::vector<uint32_t> arc_levels(std::span<const uint32_t> heads);

/// An SVG element of class `arcs`, to be used in a Page, whose style sheet has its colours. A wrong arc
/// differs from a right one in colour and is dashed. Texts are escaped. Precondition: all have the length of
/// `words`.
std::string arcs_svg(std::span<const std::string> words, const Tree& gold, const Tree& found);

}  // namespace espalier::report
