// Adds up the counts of two parts of a data set. Tested in attachment_test.cc.
#pragma once

#include <initializer_list>

namespace espalier::eval {

/// Adds each of these counts of `from` to that of `to`.
template <typename Scores, typename Count>
void add_counts(Scores& to, const Scores& from, std::initializer_list<Count Scores::*> counts) {
  for (const auto count : counts) to.*count += from.*count;
}

}  // namespace espalier::eval
