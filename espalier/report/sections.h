// The sections of a report. Each adds one to the page. Tested in report_test.cc and
// structure_sections_test.cc.
#pragma once

#include <map>
#include <string>

#include "espalier/base/parallel.h"
#include "espalier/report/page.h"
#include "espalier/report/runs.h"

namespace espalier::report {

/// What sections share.
struct SectionContext {
  const Runs& runs;
  const ReportOptions& options;
  const Workers& workers;
  std::map<std::string, size_t, std::less<>> word_counts;  ///< of the training data, or of the test data
  bool trained_on = false;                                 ///< word_counts are those of training data
};

// score_sections.cc
void add_summary(const SectionContext& context, Page& page);
void add_labels(const SectionContext& context, Page& page);
void add_confusions(const SectionContext& context, Page& page);
// curve_sections.cc
Status add_training(const SectionContext& context, Page& page);
void add_calibration(const SectionContext& context, Page& page);
void add_coverage(const SectionContext& context, Page& page);
void add_lengths(const SectionContext& context, Page& page);
void add_rareness(const SectionContext& context, Page& page);
// error_sections.cc
void add_errors(const SectionContext& context, Page& page);
void add_differences(const SectionContext& context, Page& page);

// tree_sections.cc
void add_tree_scores(const SectionContext& context, Page& page);
void add_relations(const SectionContext& context, Page& page);
void add_trees(const SectionContext& context, Page& page);
// summary_sections.cc
void add_summaries(const SectionContext& context, Page& page);

/// "93.84 (93.21–94.43)".
std::string interval_text(const eval::ScoreInterval& interval);
/// "0.023", "below 0.001".
std::string p_text(double p);
/// "p = 0.023", "p below 0.001".
std::string p_statement(double p);

}  // namespace espalier::report
