// For tests only: sequences of random words and tags that recur as those of text do.
#pragma once

#include <fmt/format.h>

#include <string>

#include "espalier/base/random.h"
#include "espalier/data/sequence.h"

namespace espalier::data {

/// A sequence of `length` rows: a word and `columns` − 1 tags. One word in eight is new. Some words look like
/// the texts that stand for rows outside the sequence.
inline Sequence random_text(Random& random, size_t length, size_t columns) {
  constexpr const char* kWords[] = {"the", "The", "of",   "in",   "U.S.", "12-year-old",
                                    "42",  "Öl",  "_B-1", "_B+1", "_x-1"};
  Sequence sequence;
  sequence.clear(columns);
  for (size_t t = 0; t < length; ++t) {
    std::string line = random.below(8) == 0 ? fmt::format("word{}", random.below(1000000))
                                            : kWords[random.below(std::size(kWords))];
    std::vector<size_t> begin = {0}, size = {line.size()};
    for (size_t c = 1; c < columns; ++c) {
      const std::string tag = random.below(30) == 0 ? "_B-1" : fmt::format("T{}", random.below(4));
      begin.push_back(line.size() + 1);
      size.push_back(tag.size());
      line += " " + tag;
    }
    sequence.begin_row(line, t + 1);
    for (size_t c = 0; c < columns; ++c) sequence.add_cell(begin[c], size[c]);
  }
  return sequence;
}

}  // namespace espalier::data
