// What the experiments on ensembles share: experts trained here, and run_study(), which compares every method
// over ten folds. Tested in apps/tests/reproduce_test.sh, which runs every experiment.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/data/sequence.h"
#include "espalier/ensemble/methods/choose.h"
#include "espalier/ensemble/methods/methods.h"
#include "espalier/ensemble/votes/substructures.h"
#include "espalier/ensemble/votes/token_votes.h"
#include "research/public_run.h"

namespace espalier::research {

/// Writes a file into the folder and returns its path.
Result<std::string> write_file(const TemporaryDirectory& folder, std::string_view name,
                               std::string_view text);

/// How to make one expert.
struct ExpertRecipe {
  std::string name;
  std::string learner;
  std::vector<std::string> settings;
  std::string train_file;
  std::string template_file;  ///< empty: the default features
  ReadOptions reading;
};

/// Trains the expert and labels a file; returns the labels of every sequence as numbers of `labels`. With n >
/// 1, the n best labellings of each sequence, or as many as there are.
using Labellings = std::vector<std::vector<std::vector<data::Label>>>;  ///< by sequence, rank and token
Result<Labellings> train_and_label(const ExpertRecipe& recipe, const std::string& eval_file,
                                   const ReadOptions& eval_reading, size_t n, data::LabelSet& labels,
                                   const Request& request);

/// A sample with gold labels and the experts' labels; column j of every row is expert j.
struct StudySample {
  data::LabelSet labels;
  std::vector<ensemble::TokenVotes> sequences;
  std::vector<int> fold;  ///< the fold of every sequence if the data have folds; otherwise −1
  std::vector<std::string> experts;
};
/// Starts a sample with the gold labels of a file.
Result<StudySample> begin_sample(const std::string& eval_file, const ReadOptions& reading, size_t experts);
/// Puts an expert's labels in column j; if there is no labelling of that rank, the expert abstains.
void fill_expert(StudySample& sample, size_t j, const Labellings& labellings, size_t rank = 0);

/// The methods that the paper's tables compare, in the order of their rows.
inline constexpr std::array kPaperMethods = {
    ensemble::Method::kMvote,    ensemble::Method::kFpl, ensemble::Method::kCv,   ensemble::Method::kFplCv,
    ensemble::Method::kEspboost, ensemble::Method::kSle, ensemble::Method::kRand, ensemble::Method::kBest};
/// One figure for each of kPaperMethods.
using PaperColumn = std::array<double, kPaperMethods.size()>;
/// The same by the names of the methods.
using PaperRows = std::map<std::string, double>;
PaperRows paper_rows(const PaperColumn& figures);

struct StudyOptions {
  std::string column;        ///< of the report
  size_t training_size = 0;  ///< m; 0: a tenth
  double beta = 0.95;
  ensemble::SubstructureOptions substructures;
  PaperRows paper;             ///< the figures in the paper's tables
  bool edit_distance = false;  ///< also compute it, on the phonemes that labels stand for
  bool side_by_side = false;   ///< labels are columns of aligned outputs of different lengths, with gaps
  PaperRows paper_edit;        ///< the paper's figures for the edit distance
  bool printed = true;         ///< rows of the paper's methods are as printed
  std::string cause;           ///< why mvote may not be better than the best expert here
};

/// What the study measured, for further checks.
struct StudyOutcome {
  std::map<std::string, double> error;
  std::map<std::string, std::vector<double>> fold_errors;
  std::vector<size_t> boost_rounds;  ///< of espboost, by fold
};

/// Ten folds with disjoint training sets, as in section 5: each method learns from fold f and is measured on
/// all other sequences. Adds rows with mean ± deviation of the normalised Hamming loss. For significance,
/// every sequence is labelled by the hypotheses of one fold it is not in, and the results are bootstrapped.
Result<StudyOutcome> run_study(const StudySample& sample, const StudyOptions& options, const Request& request,
                               Report& report);

/// The same if every fold has its own experts, as for handwriting: samples[f] is labelled by the experts of
/// fold f; the ensemble learns from its sequences of fold f + 1 and is measured on all others.
Result<StudyOutcome> run_study_by_folds(const std::vector<StudySample>& samples, const StudyOptions& options,
                                        const Request& request, Report& report);

/// Pronunciations as their phonemes only, aligned with each other (ensemble/multiple_alignment.h): the
/// outputs of experts that do not say which letter a phoneme belongs to.
StudySample phonemes_side_by_side(const StudySample& sample);

}  // namespace espalier::research
