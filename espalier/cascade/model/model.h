// A trained cascade. save_model writes it, CascadePredictor::load opens it; `tag` calls predict(). Immutable;
// safe for any number of threads, each with its own scratch. Tested in
// espalier/model/training/train_cascade_test.cc.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/files/section_file.h"
#include "espalier/cascade/dense_pairs.h"
#include "espalier/cascade/options.h"
#include "espalier/cascade/training/further.h"
#include "espalier/cascade/training/stages.h"
#include "espalier/cascade/triple_level.h"
#include "espalier/chain/span_marginals.h"
#include "espalier/chain/ways_back.h"
#include "espalier/data/features/features.h"
#include "espalier/data/label_scheme.h"
#include "espalier/data/predictor.h"
#include "espalier/linear/encoding/feature_map.h"
#include "espalier/linear/packed_rows.h"

namespace espalier::cascade {

/// What save_model writes.
struct ModelSource {
  const data::LabelSet& labels;
  const Cascade& cascade;
  const linear::FeatureSpace& state;
  const linear::FeatureSpace& edge;
  data::Scheme scheme = data::Scheme::kNone;
  bool answers_segments = false;  ///< CascadePredictor::answers_segments()
  int weight_bits = 32;
  const OldCascade* old = nullptr;  ///< the model that was trained further, if one was
};
/// Adds the sections of a cascade. Weights that are exactly 0, features without weights, and their names are
/// left out.
void save_model(const ModelSource& source, SectionWriter& out);

/// The model behind data::Predictor. A sequence's features are looked up once, and what recurs in text not
/// even that (linear/grouped_sums.h); each level sums its own weight rows. Level 1 is a row sum and a
/// threshold; higher levels work on what is alive. Cost: linear in tokens, features and the arcs left alive.
/// Holds views of the section file, which must outlive it.
class CascadePredictor final : public data::Predictor {
 public:
  static Result<std::unique_ptr<CascadePredictor>> load(const SectionFile& file,
                                                        data::FeatureExtractor extractor);

  const data::LabelSet& labels() const override { return labels_; }
  std::unique_ptr<Scratch> make_scratch() const override;
  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;
  Explained explain_forced(const data::Sequence& sequence, std::span<const data::Label> forced,
                           Scratch& scratch) const override;
  /// The same for any path of the lattice that search() left in the scratch, found under constraints for
  /// example: margins are below zero where the model alone would have chosen otherwise. Precondition: the
  /// lattice has the path.
  std::vector<Explanation> explain_path(const data::Sequence& sequence, std::span<const data::Label> labels,
                                        data::Predictor::Scratch& scratch) const;
  StrongestWeights strongest(size_t how_many, std::optional<data::Label> only) const override;
  std::vector<WeightedTransition> weighted_transitions() const override;
  Size size() const override;
  std::string details() const override;

  /// The weights of this model in a layout for new data, to train it further. Features that do not occur in
  /// the data are appended to those of `training`, whose labels must begin with those of this model. An error
  /// if the options describe a cascade of another make.
  Result<OldCascade> further(linear::EncodedTraining& training, const Options& options) const;

  data::Scheme scheme() const { return scheme_; }
  /// Whether Decoder::kModel answers with the segments of the largest expected F1 (segment_answer.h).
  /// Otherwise, and for n-best lists, it is the best labelling.
  bool answers_segments() const { return answers_segments_; }
  double temperature() const { return temperature_; }
  size_t levels() const { return levels_.size(); }
  const LevelReport& report(size_t level) const { return levels_[level].report; }
  Measure measure(size_t level) const { return levels_[level].measure; }
  Unit unit(size_t level) const { return levels_[level].unit; }
  LossUnit loss_unit() const { return loss_unit_; }
  /// α of every level that filters.
  const std::vector<double>& alphas() const { return alphas_; }

  /// Where the labellings that the filters leave come from, by the probabilities of the last level: what the
  /// model believes, for the price of an answer. The scratch holds it until its next use.
  Result<const chain::WaysBack*> ways_back(const data::Sequence& sequence,
                                           data::Predictor::Scratch& scratch) const;

  // The steps of a prediction, for code that measures or tunes them.
  /// Finds the features of a sequence.
  void look_up(const data::Sequence& sequence, data::Predictor::Scratch& scratch) const;
  /// The input of a level's filter. At a first level of order 1, `trellis` is null and `items` holds the T×K
  /// ratings; otherwise `ratings` are those of the trellis.
  struct LevelSight {
    size_t level;
    const Trellis* trellis;
    std::span<const float> items;
    const Ratings* ratings;
  };
  using Visit = std::function<void(const LevelSight&)>;
  /// Runs the first alphas.size() filters on the sequence looked up last and leaves the lattice of the next
  /// level, not yet scored, in the scratch. `visit`, if not null, is called for each of these filters and for
  /// the next level, unless that is the last.
  Status filter(std::span<const data::Label> forced, std::span<const double> alphas, const Visit& visit,
                data::Predictor::Scratch& scratch) const;
  /// Runs the filters with these thresholds (null: no filter, every label stays) and scores the last level,
  /// whose lattice is left in the scratch.
  Status search(std::span<const data::Label> forced, const std::vector<double>* alphas,
                data::Predictor::Scratch& scratch) const;
  /// The lattice that filter() or search() left.
  static const Trellis& trellis_of(const data::Predictor::Scratch& scratch);

 private:
  struct Buffers;
  struct PackedLevel {
    size_t order = 1;
    linear::PackedRows state, edge;
    std::span<const float> gram;
    std::array<float, kQuantiles> quantile{};
    QuantileCuts cuts{};
    Measure measure = Measure::kMaxMarginal;
    Unit unit = Unit::kCliques;
    PriorMean prior;
    double alpha = 0;
    LevelReport report;
    PairWeights pairs;             ///< where PairLevel can be its filter; otherwise without labels
    DensePairWeights dense_pairs;  ///< the same, where DensePairs can
    LevelView view() const { return {order, gram, quantile, &cuts, 1}; }
  };

  explicit CascadePredictor(data::FeatureExtractor extractor) : extractor_(std::move(extractor)) {}
  Status load_level(const SectionFile& file, size_t index, size_t level_count, std::string_view header);
  /// The same; score_nodes() may then be asked for the first `levels` levels only.
  void look_up(const data::Sequence& sequence, size_t levels, Buffers& b) const;
  /// The state features one by one.
  void find_features(const data::Sequence& sequence, Buffers& b) const;
  void score_nodes(size_t level, Buffers& b) const;
  /// The scores of labels that are alive at a level.
  void score_alive(size_t level, const AliveLabels& alive, Buffers& b) const;
  void score(size_t level, Buffers& b) const;
  /// The ratings of all labels by a first level of order 1.
  void rate_labels(size_t level, Buffers& b) const;
  /// The filter of a level on all pairs of the labels alive.
  Status filter_pairs(size_t level, double alpha, Buffers& b) const;
  /// The best labelling without any lattice. Precondition: triples_ has labels, and the sequence tokens.
  Status find_best(std::span<const data::Label> forced, bool segments, Buffers& b,
                   data::Labelling& best) const;
  Status best_labellings(const data::PredictOptions& options, Buffers& b, data::Prediction& out) const;
  /// Replaces the best labelling by the segments with the largest expected F1, as far as forced labels allow.
  /// True if they are another labelling.
  bool choose_segments(std::span<const data::Label> forced, Buffers& b,
                       std::vector<data::Label>& labels) const;
  void add_confidence(const data::PredictOptions& options, Buffers& b, data::Prediction& out) const;

  data::FeatureExtractor extractor_;
  data::LabelSet labels_;
  size_t stride_ = 0;
  double temperature_ = 1;
  LossUnit loss_unit_ = LossUnit::kPositions;
  bool quantiles_ = true;
  data::Scheme scheme_ = data::Scheme::kNone;
  bool answers_segments_ = false;
  std::optional<chain::SpanRules> span_rules_;
  GramTable grams_;
  linear::FeatureMap state_map_, edge_map_;
  size_t state_features_ = 0, edge_features_ = 0;
  std::span<const uint32_t> state_offsets_, edge_offsets_;  ///< features × levels: offset of each row
  std::vector<PackedLevel> levels_;
  std::vector<double> alphas_;
  TripleWeights triples_;  ///< where the levels have orders 1, 2, 3, and the second is a PairLevel
  Dictionary dictionary_;  ///< empty unless level 1 is one
  std::optional<std::string_view> names_;
  std::string file_name_;
};

/// A copy of a model file's sections with other α's and reports: what `tune` writes.
Status replace_thresholds(const SectionFile& file, std::span<const double> alphas,
                          std::span<const LevelReport> reports, SectionWriter& out);

}  // namespace espalier::cascade
