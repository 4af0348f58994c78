// Dependency trees as plain arrays: heads are numbers from 1, 0 marks the root. read_heads() takes them from
// a sequence and checks them; is_projective(), made_projective() and projective_order() serve the parsers'
// oracles. Everything is linear in the sentence except made_projective(), which is quadratic at worst and
// meant for training data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/sequence.h"

namespace espalier::tasks {

/// What is wrong with heads that are no tree with exactly one root, and at which word (from 0).
struct TreeFault {
  size_t word = 0;
  std::string what;
};
/// Nothing if the heads are a tree: each is 0 or the number of another word, one is 0, and none is below
/// itself.
std::optional<TreeFault> find_tree_fault(std::span<const uint32_t> heads);

/// The heads in a column (from 0) of the sequence. An error, which begins with "line N: ", if they are not
/// numbers or no tree with one root.
Status read_heads(const data::Sequence& sequence, size_t column, std::vector<uint32_t>& heads);

/// Whether every word between a word and its head is below that head. Precondition: a tree.
bool is_projective(std::span<const uint32_t> heads);

/// The tree with the heads of arcs that break projectivity moved up, shortest arcs first, until it is
/// projective (Nivre and Nilsson 2005). Precondition: a tree.
std::vector<uint32_t> made_projective(std::vector<uint32_t> heads);

/// The place of each word in the order in which an in-order walk of the tree visits it; in this order of
/// words the tree is projective. Precondition: a tree.
std::vector<uint32_t> projective_order(std::span<const uint32_t> heads);

}  // namespace espalier::tasks
