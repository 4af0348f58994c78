// A comparison in words: the advice, the command, the table, JSON, and a page. Tested in compare_test.cc.
#pragma once

#include <string>

#include "espalier/public/compare.h"

namespace espalier::report {

/// "take cascade: +0.90 F1 over crf (p below 0.001), tagging 4.0 times slower; if speed matters, crf".
std::string advice_of(const Comparison& comparison);
/// The `espalier train` command for a candidate, quoted for a shell.
std::string train_command(const Candidate& candidate, const Files& train, const CompareOptions& options);
/// Whether twice the data would help, in words.
std::string curve_text(const LearningCurve& curve, const std::string& measure);

std::string comparison_text(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);
std::string comparison_html(const Comparison& comparison, const std::string& data_name);

}  // namespace espalier::report
