// What the experiments on ensembles share: experts trained here, and ten folds of every method over them.
// Tested by apps/reproduce_test.sh, which runs every experiment.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "espalier/base/temporary_directory.h"
#include "espalier/data/formats/reader.h"
#include "espalier/ensemble/methods/choose.h"
#include "espalier/ensemble/votes/substructures.h"
#include "espalier/ensemble/votes/token_votes.h"
#include "research/experiment.h"

namespace espalier::research {

/// Writes a file into the folder and returns its path.
Result<std::string> write_file(const TemporaryDirectory& folder, std::string_view name,
                               std::string_view text);

/// How one expert comes about.
struct ExpertRecipe {
  std::string name;
  std::string learner;
  std::vector<std::string> settings;
  std::string train_file;
  std::string template_file;  ///< empty: the default features
  data::ReadOptions reading;
};

/// Trains the expert and has it label a file; the labels of every sequence, in numbers of `labels`. With n >
/// 1 the n best labellings of each sequence, fewer where there are fewer.
using Labellings = std::vector<std::vector<std::vector<data::Label>>>;  ///< sequence, rank, token
Result<Labellings> train_and_label(const ExpertRecipe& recipe, const std::string& eval_file,
                                   const data::ReadOptions& eval_reading, size_t n, data::LabelSet& labels,
                                   const Request& request);

/// A sample with gold labels and the experts' labels; column j of every row is expert j.
struct StudySample {
  data::LabelSet labels;
  std::vector<ensemble::TokenVotes> sequences;
  std::vector<int> fold;  ///< of every sequence, where the data has folds; otherwise −1
  std::vector<std::string> experts;
};
/// Begins a sample with the gold labels of a file.
Result<StudySample> begin_sample(const std::string& eval_file, const data::ReadOptions& reading,
                                 size_t experts);
/// Puts an expert's labels in column j; where there is no labelling of that rank, the expert says nothing.
void fill_expert(StudySample& sample, size_t j, const Labellings& labellings, size_t rank = 0);

struct StudyOptions {
  std::string column;        ///< of the report
  size_t training_size = 0;  ///< m; 0: a tenth
  double beta = 0.95;
  ensemble::SubstructureOptions substructures;
  std::map<std::string, double> paper;       ///< the paper's figures by row
  bool edit_distance = false;                ///< also of the phonemes that labels stand for
  bool side_by_side = false;                 ///< labels are columns of outputs of unequal length, with gaps
  std::map<std::string, double> paper_edit;  ///< and its figures for that
  bool must_beat_best = false;               ///< a check: mvote is better than the best expert, p < .01
};

/// What the study measured, for further checks.
struct StudyOutcome {
  std::map<std::string, double> error;
  std::map<std::string, std::vector<double>> fold_errors;
};

/// Ten folds with disjoint training sets, as in section 5: each method learns from fold f and is measured on
/// all other sequences. Rows mean ± deviation of the normalised Hamming loss. For significance every sequence
/// is labelled by the hypotheses of one fold it is not in, and bootstrapped.
Result<StudyOutcome> run_study(const StudySample& sample, const StudyOptions& options, const Request& request,
                               Report& report);

/// The same where every fold has experts of its own, as handwriting has: samples[f] is labelled by the
/// experts of fold f; the ensemble learns from its sequences of fold f + 1 and is measured on all others.
Result<StudyOutcome> run_study_by_folds(const std::vector<StudySample>& samples, const StudyOptions& options,
                                        const Request& request, Report& report);

/// Pronunciations as their phonemes alone, put side by side (ensemble/multiple_alignment.h): what the experts
/// would give if they did not say which letter a phoneme belongs to.
StudySample phonemes_side_by_side(const StudySample& sample);

}  // namespace espalier::research
