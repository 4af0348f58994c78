// The constraint language: a text file, one constraint a line, taken apart into statements.
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
// A label stands for itself; `*` in it for any text, `$` for any text that is the same throughout the line;
// in double quotes every character stands for itself. docs/manual.md describes every statement.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/label_scheme.h"

namespace espalier::constrain {

/// What a broken hard constraint costs.
inline constexpr double kHard = std::numeric_limits<double>::infinity();

/// Where something stands in a constraints file, both from 1; columns count bytes.
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
  kRequireNext,    ///< require FIRST then SECOND: what follows FIRST directly is of SECOND
  kRequireBefore,  ///< require FIRST after SECOND: what stands directly before FIRST is of SECOND
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
};

enum class Order { kAnywhere, kBefore, kAfter };

inline constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

/// One line, taken apart but not yet compared with any label set.
struct Statement {
  std::string name;  ///< as given, or "line N"
  Place place;
  std::string text;  ///< the line as it was written, without name and comment
  Verb verb = Verb::kValid;
  data::Scheme scheme = data::Scheme::kNone;
  LabelTerms first, second;
  size_t least = 0, most = kNoLimit;  ///< kCount
  bool each = false;                  ///< kCount: every label of FIRST by itself
  Order order = Order::kAnywhere;
  std::string file;    ///< kAllowLexicon, kAssignments
  std::string column;  ///< as written: a number from 1, or a name that the task knows
  Place argument;      ///< where file or column stands
  double penalty = kHard;
};

/// Takes a text apart. Errors name file, line and column. A file without any constraint is an error, too.
Result<std::vector<Statement>> parse_constraints(std::string_view text, const std::string& file_name);

}  // namespace espalier::constrain
