// How decoding ended, for models and for policies of search tasks.
#pragma once

#pragma GCC visibility push(default)
namespace espalier {

/// How the labelling of a sequence was found.
enum class Outcome {
  kExact,        ///< the best labelling there is
  kApproximate,  ///< a good one: states were given up on the way
  kInfeasible,   ///< none satisfies the rules; this one breaks them least
  kOutOfTime,    ///< the best found before time ran out
  kNoneInTime,   ///< none that satisfies the rules was found before time ran out; this one breaks few of them
};

/// How a search for the best path ended.
enum class SearchEnd {
  kExact,        ///< nothing was pruned: no path has a higher score
  kApproximate,  ///< the search left paths out
  kOutOfSteps,   ///< best-first search was given up; a breadth-first one of the same beam found the path
};

}  // namespace espalier
#pragma GCC visibility pop
