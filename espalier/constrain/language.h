// The constraint language: a text file with one constraint per line. parse_constraints turns it into
// statements; rules.h resolves them against a task and its labels.
//
//   # Comments run to the end of the line.
//   scheme:  valid iob2
//   no-verb: forbid {B-VP, I-VP} at start
//            require I-$ after {B-$, I-$}
//   core:    at most 1 of each {ARG0, ARG1, ARG2}
//            if R-$ then $
//            if C-$ then $ before
//            no overlap
//   names:   allow lexicon "names.tsv" by 1 soft 2.5
//
// A label means itself; `*` in it matches any text, `$` any text that is the same throughout the line; in
// double quotes every character means itself. docs/constraints.md describes every statement.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/label_scheme.h"

namespace espalier::constrain {

/// The penalty of a broken hard constraint.
inline constexpr double kHard = std::numeric_limits<double>::infinity();

/// A place in a constraints file; both count from 1, columns in bytes.
struct Place {
  size_t line = 0, column = 0;
};

/// A label, or a pattern of labels, as it was written.
struct LabelTerm {
  std::string text;
  bool literal = false;  ///< in quotes: `*` and `$` mean themselves
  Place place;
};

/// `any`, one label or `{…}`.
struct LabelTerms {
  bool any = false;
  std::vector<LabelTerm> terms;
  Place place;
  bool given() const { return any || !terms.empty(); }
};

enum class Verb {
  kValid,          ///< valid SCHEME
  kForbidPair,     ///< forbid FIRST then SECOND: neighbours
  kForbidStart,    ///< forbid FIRST at start
  kForbidEnd,      ///< forbid FIRST at end
  kRequireNext,    ///< require FIRST then SECOND: FIRST must be followed directly by SECOND
  kRequireBefore,  ///< require FIRST after SECOND: FIRST must come directly after SECOND
  kRequireStart,   ///< require FIRST at start
  kRequireEnd,     ///< require FIRST at end
  kCount,          ///< at most | at least | exactly N of [each] FIRST
  kImplies,        ///< if FIRST then SECOND [before | after | anywhere]
  kNoOverlap,      ///< no overlap [of FIRST]
  kNoEmbedding,    ///< no embedding [of FIRST]
  kAllowLexicon,   ///< allow lexicon FILE [by COLUMN] [of FIRST]
  kAllowColumn,    ///< allow column COLUMN [of FIRST]
  kForceColumn,    ///< force column COLUMN
  kAssignments,    ///< assignments FILE
  kForbidHead,     ///< forbid head FIRST of SECOND: trees; FIRST and SECOND are tags
  kForbidRoot,     ///< forbid root FIRST: trees; FIRST are tags
};

enum class Order { kAnywhere, kBefore, kAfter };

inline constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

/// One line, parsed but not yet resolved against a label set.
struct Statement {
  std::string name;  ///< as given, or "line N"
  Place place;
  std::string text;  ///< the line as it was written, without name and comment
  Verb verb = Verb::kValid;
  data::Scheme scheme = data::Scheme::kNone;
  LabelTerms first, second;
  size_t least = 0, most = kNoLimit;  ///< kCount
  bool each = false;                  ///< kCount: counts every label of FIRST separately
  Order order = Order::kAnywhere;
  std::string file;    ///< kAllowLexicon, kAssignments
  std::string column;  ///< as written: a number from 1, or a name that the task knows
  Place argument;      ///< place of the file or column
  double penalty = kHard;
};

/// Parses a text. Errors name file, line and column. A file without any constraint is an error.
Result<std::vector<Statement>> parse_constraints(std::string_view text, const std::string& file_name);

}  // namespace espalier::constrain
