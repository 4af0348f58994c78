// The lines of Table 1 (Daumé, Langford and Marcu 2009), shared by the experiments that fill it: a TableEntry
// names a learner and the figures to compare it with; add_entry() and claim_above() report it. Header only;
// tested in apps/tests/reproduce_test.sh, which runs every experiment.
#pragma once

#include <string>
#include <vector>

#include "research/learned_check.h"
#include "research/searn/searn_study.h"

namespace espalier::research {

/// A line of the table: a learner by name and settings, and figures for two columns.
struct TableEntry {
  std::string row;
  std::string learner;
  std::vector<std::string> settings;
  std::optional<double> small, large;  ///< of Table 1, as cited elsewhere
  std::string base = {};               ///< the row that scores below this one, by the paper
  bool large_too = true;               ///< also on the large set, unless that takes hours
  Kind kind = Kind::kOurs;
  std::optional<double> text_small = {}, text_large = {};  ///< figures in the paper's own text
  bool every_fold = false;  ///< handwriting: measured on all ten folds, not on one split only
};

/// Adds the main figure of an entry.
inline void add_entry(Report& report, const TableEntry& entry, const std::string& column, bool large,
                      double score, std::optional<double> deviation = std::nullopt) {
  report.add(entry.row, column, large ? entry.text_large : entry.text_small, score, deviation)
      .printed(entry.kind == Kind::kPrinted)
      .beside(large ? entry.large : entry.small, kTable1);
}

inline std::vector<std::string> searn_settings(const std::string& classifier, std::vector<std::string> more) {
  more.push_back("classifier=" + classifier);
  return more;
}

/// What rows that decide whole chunks have instead of the paper's lists, which are not public.
inline constexpr const char* kInsteadOfLists =
    "rows that decide chunks look at the labels that words have in the other training sentences, in place of "
    "the paper's lists of names, places and the like";

/// The same settings, with an error anywhere in a sentence as the loss.
inline std::vector<std::string> whole_sentences(std::vector<std::string> settings) {
  settings.push_back("loss=zero-one");
  return settings;
}

inline double measured(const Report& report, const std::string& row, const std::string& column) {
  for (const Row& r : report.rows)
    if (r.row == row && r.column == column) return r.measured;
  return -1;
}

/// The paper: for all classifiers, adding SEARN consistently improves performance.
inline void claim_above(Report& report, const TableEntry& method, const std::string& column) {
  const double low = measured(report, method.base, column), high = measured(report, method.row, column);
  if (method.base.empty() || low < 0 || high < 0) return;
  report.claim(fmt::format("{} above {} ({})", method.row, method.base, column), high > low,
               fmt::format("{:.2f} and {:.2f}", high, low),
               "neighbours' labels add little to these features");
}

/// Whether a figure of the paper is reached.
inline void claim_reached(Report& report, const std::string& row, const std::string& column, double paper,
                          const std::string& cause) {
  const double own = measured(report, row, column);
  report.claim(fmt::format("{} reaches {:g} ({})", row, paper, column), own >= paper,
               fmt::format("{:.2f}", own), cause);
}

}  // namespace espalier::research
