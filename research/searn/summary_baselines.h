// Summaries without learning, to compare with, and the test of differences between systems: functions from a
// SummaryInput of sentences to the sentences chosen. Tested in summary_baselines_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/tasks/summary/summary_input.h"

namespace espalier::research {

/// The first sentences of the documents, in turn, as far as they fit.
std::vector<uint32_t> lead_summary(const tasks::SummaryInput& input, const tasks::Cluster& cluster);
/// Sentences in random order, as far as they fit.
std::vector<uint32_t> random_summary(const tasks::SummaryInput& input, Random random);
/// The sentence that adds most per word to the weight of the pairs of words covered, again and again. A pair
/// weighs as many documents as have it beyond the first. A monotone submodular function under a budget (Lin
/// and Bilmes 2011), maximised greedily.
std::vector<uint32_t> coverage_summary(const tasks::SummaryInput& input);

/// Two-sided p-value of the difference of means: how often random signs of the differences give one as large.
double paired_p_value(const std::vector<double>& first, const std::vector<double>& second, Random random);

}  // namespace espalier::research
