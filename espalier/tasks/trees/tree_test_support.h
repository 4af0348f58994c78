// For tests: random trees, a system over words and tags, and sentences for it.
#pragma once

#include <string>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/tasks/trees/parse_space.h"
#include "espalier/tasks/trees/tree.h"

namespace espalier::tasks {

/// A random tree of n words with one root; heads from 1.
inline std::vector<uint32_t> random_tree(Random& random, uint32_t n) {
  std::vector<uint32_t> names(n), heads(n, 0);
  for (uint32_t w = 0; w < n; ++w) names[w] = w;
  random.shuffle(std::span<uint32_t>(names));
  for (uint32_t i = 1; i < n; ++i) heads[names[i]] = names[random.below(i)] + 1;
  return heads;
}

/// A system over columns word and tag with relations numbered from 0, of which 0 is that of the root.
inline TreeSystem small_system(bool swap, data::Label relations) {
  TreeColumns columns;
  columns.cell[static_cast<size_t>(TreeField::kWord)] = 0;
  columns.cell[static_cast<size_t>(TreeField::kTag)] = 1;
  auto compiled = TreeTemplates::parse(default_tree_templates(), "default", columns.has(), true).value();
  TreeSystem system{swap,
                    0,
                    {},
                    relations,
                    columns,
                    TreeFeatures(std::move(compiled.moves)),
                    TreeFeatures(std::move(compiled.relations))};
  for (data::Label r = relations > 1 ? 1 : 0; r < relations; ++r) system.relations.push_back(r);
  return system;
}

/// A sentence of n words "w0 t0", "w1 t1" …
inline TreeSentence small_sentence(size_t n, const TreeColumns& columns) {
  data::Sequence sequence;
  sequence.clear(2);
  for (size_t w = 0; w < n; ++w) {
    sequence.begin_row("", w + 1);
    sequence.add_cell("w" + std::to_string(w));
    sequence.add_cell("t" + std::to_string(w % 3));
  }
  TreeSentence out;
  out.encode(sequence, columns);
  return out;
}

}  // namespace espalier::tasks
