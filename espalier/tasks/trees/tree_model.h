// A trained parser as a data::Predictor: save_tree_model() writes it, TreePredictor::load opens it. Labels
// are the relations; Labelling::heads are the heads. Every input gets a tree with exactly one root.
//
// Greedy parsing takes 2n − 1 moves and n − 1 relations for n words, a beam of width b about b times as long.
// Models of learner searn have probabilities, those of the beam's trees under a fitted softmax. Forced labels
// are not supported. Tested in tree_training_test.cc and
// apps/tests/parse_test.sh.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "espalier/base/files/section_file.h"
#include "espalier/data/features/features.h"
#include "espalier/data/predictor.h"
#include "espalier/eval/monotone_map.h"
#include "espalier/search/nodes.h"
#include "espalier/tasks/trees/parse_space.h"
#include "espalier/tasks/trees/tree_scorer.h"

namespace espalier::tasks {

/// What makes a TreeSystem, as a model file keeps it.
struct TreeSettings {
  bool swap = false;
  std::vector<std::string> relations;  ///< names, by number
  std::vector<data::Label> allowed;    ///< TreeSystem::relations
  data::Label root = 0;
  TreeColumns columns;
  std::string templates;  ///< the text
  std::string template_name = "default features";
  bool skip_missing = true;  ///< features about fields that the data do not have are left out
  size_t beam = 1;
  bool best_first = false;
  bool levels = false;            ///< learned by a breadth-first beam, in which states of
                                  ///< the same number of moves compete
  float sharpness = 0;            ///< TreeScorer; above 0 for weights of single decisions,
                                  ///< fitted after training
  eval::MonotoneMap calibration;  ///< from the share of a beam's trees that have
                                  ///< an arc to its confidence

  Result<TreeSystem> system() const;
};

/// The beam of parsers for which none was chosen.
inline constexpr size_t kUsualTreeBeam = 8;

/// How a search for a tree goes.
struct TreeDecoding {
  size_t beam = 1;  ///< 1: greedy
  bool best_first = false;
  size_t nbest = 1;
  /// TreeSettings::levels. A greedy search then weighs an arc with its relation against a shift, as a beam of
  /// width 1; otherwise it decides on the move first.
  bool levels = false;
  float sharpness = 0;  ///< of beams; greedy decisions do not depend on it
};
struct ParsedTree {
  std::vector<uint32_t> heads;  ///< from 1; 0: the root
  std::vector<data::Label> relations;
  double score = 0;
  double probability = std::numeric_limits<double>::quiet_NaN();  ///< where it was asked for
  std::vector<search::Action> actions;
};
struct TreeBuffers {
  TreeSentence sentence;
  TreeScratch scratch;
  TreeMemory memory;
  search::SearchScratch<ParseSpace, float> search;
  std::vector<ParsedTree> best;
};
/// The best trees of the sentence in the buffers, best first, into
/// `buffers.best`; at least one. Where the best breaks a rule, wider beams are
/// tried.
data::SearchEnd parse_sentence(const TreeSystem& system, const TreeTables& tables, const TreeDecoding& how,
                               TreeBuffers& buffers, const SentenceRules* rules = nullptr);

/// For each word how probable its head and relation in the best tree are: the
/// share of the trees in `buffers.best` that have them, whose probabilities
/// follow from their scores and are set. Precondition: the scores are
/// logarithms of probabilities.
std::vector<float> arc_confidence(TreeBuffers& buffers);

void save_tree_model(const TreeSettings& settings, const TreeTables& tables, SectionWriter& out);

/// Holds views of the section file, which must outlive it.
class TreePredictor final : public data::Predictor {
 public:
  static Result<std::unique_ptr<TreePredictor>> load(const SectionFile& file, data::FeatureExtractor);

  const data::LabelSet& labels() const override { return labels_; }
  bool builds_trees() const override { return true; }
  std::unique_ptr<Scratch> make_scratch() const override;
  bool is_search() const override { return true; }
  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;
  /// The same under rules, which can be null.
  Status predict_under(const data::Sequence& sequence, const SentenceRules* rules,
                       const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const;
  const TreeSettings& settings() const { return settings_; }
  /// Per word: the move that gave it its head, against the best other move of that state, and the relation.
  Explained explain_forced(const data::Sequence& sequence, std::span<const data::Label> forced,
                           Scratch& scratch) const override;
  /// The same under rules, which can be null.
  Result<std::vector<Explanation>> explain_under(const data::Sequence& sequence, const SentenceRules* rules,
                                                 Scratch& scratch) const;
  StrongestWeights strongest(size_t how_many, std::optional<data::Label> only) const override;
  std::string no_transitions() const override { return "a parser builds trees, not sequences of labels"; }
  Size size() const override;
  std::string details() const override;

 private:
  static Status refuse_forced(std::span<const data::Label> forced);
  TreePredictor(TreeSettings settings, TreeSystem system, TreeTables tables);
  Result<TreeDecoding> decoding(const data::PredictOptions& options) const;

  TreeSettings settings_;
  TreeSystem system_;
  TreeTables tables_;
  data::LabelSet labels_;
};

}  // namespace espalier::tasks
