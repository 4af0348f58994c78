// What the experiments on pronunciation share: dictionaries in a random order, and experts that learned from
// parts of one. Tested in apps/tests/reproduce_test.sh, which runs every experiment.
#pragma once

#include <string>
#include <vector>

#include "espalier/ensemble/pronunciation.h"
#include "research/ensemble/ensemble_study.h"

namespace espalier::research {

/// Aligned words as columns, a letter and its label per line.
std::string columns_of(const std::vector<ensemble::Pronunciation>& words, size_t first, size_t count);

/// A window of letters as a CRF++ template; wider windows and conjunctions make stronger experts.
std::string window_template(int reach, bool pairs);

/// All words of CMUdict or NETtalk, in an order other than alphabetical.
Result<std::vector<ensemble::Pronunciation>> load_words(const Request& request, bool cmudict);

struct PronouncerDesign {
  size_t experts, words_each, eval_words;
};

/// Experts with different learners and windows, each trained on its own part of the dictionary.
Result<StudySample> pronouncers(std::vector<ensemble::Pronunciation>& words, const PronouncerDesign& design,
                                const TemporaryDirectory& folder, const Request& request, Report& report);

}  // namespace espalier::research
