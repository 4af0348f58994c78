// The interface of every trained model: a sequence in, labels with their confidence out. Each thread makes a
// scratch and calls predict(); explain(), strongest() and size() are for `explain` and `inspect`.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/label_set.h"
#include "espalier/data/sequence.h"
#include "espalier/public/outcome.h"

namespace espalier::data {

enum class Decoder {
  kModel,      ///< as the model was made: segments with the largest expected F1, or the best labelling
  kViterbi,    ///< the best labelling as a whole
  kPosterior,  ///< the most probable label at each position: fewest expected errors
};

/// How a search explores its states. Ignored by models that are not searches.
struct SearchChoice {
  enum class Method {
    kModel,      ///< as the model was trained
    kGreedy,     ///< the best action of every state
    kBeam,       ///< breadth first, the best `beam` states of every level
    kBestFirst,  ///< the best state of a beam, at any depth
  };
  Method method = Method::kModel;
  size_t beam = 0;  ///< 0: the beam of the model
};

/// What a prediction should contain in addition to labels. Everything here costs time, so it is off by
/// default.
struct PredictOptions {
  Decoder decoder = Decoder::kModel;
  SearchChoice search;
  size_t nbest = 1;         ///< this many labellings, best first
  bool confidence = false;  ///< probability of each token's label, of the labelling, of each span
  bool marginals = false;   ///< probability of every label at every token
};

/// One labelling with its score; `probability` is NaN unless confidence was asked for.
struct Labelling {
  std::vector<Label> labels;
  double score = 0;
  double probability = std::numeric_limits<double>::quiet_NaN();
  /// For models that predict several columns: the labels of the other columns, column by column.
  std::vector<std::vector<Label>> others = {};
  /// For models that build trees: the number of each row's head, from 1; 0: the root. Labels are relations.
  std::vector<uint32_t> heads = {};
};

/// A labelled span and the probability that exactly this span with this label is there.
struct SpanConfidence {
  size_t first = 0, last = 0;  ///< rows [first, last)
  std::string type;
  double probability = 0;
};

/// What constraints did to one sequence.
struct ConstraintEffect {
  using Outcome = espalier::Outcome;
  Outcome outcome = Outcome::kExact;
  std::vector<std::string> clash;  ///< where infeasible: constraints that cannot hold together here

  /// A token whose label differs from that without constraints, and the price of each constraint responsible:
  /// by how much the score would rise if it alone were dropped.
  struct Reason {
    std::string constraint;
    double price = 0;
  };
  struct Change {
    size_t row = 0;
    Label before = 0;
    std::vector<Reason> reasons;
  };
  std::vector<Change> changes;  ///< empty unless asked for
  double price = 0;             ///< score of the best labelling of all minus that of this one
};

using espalier::SearchEnd;

struct Prediction {
  std::vector<Labelling> best;        ///< at least one; best first
  std::vector<float> confidence;      ///< per token, of best[0]; empty unless asked for
  std::vector<SpanConfidence> spans;  ///< of best[0], where labels are a span scheme; empty unless asked for
  std::vector<float> marginals;       ///< length × labels, row by row; empty unless asked for
  std::optional<ConstraintEffect> constraints;  ///< where there were any
  std::optional<SearchEnd> search_end;          ///< of models that are searches
  const std::vector<Label>& labels() const { return best.front().labels; }

  /// Makes this an empty prediction with one empty labelling and keeps the memory of its arrays. Every
  /// predictor calls it first, so that nothing of the previous sequence is left.
  void clear() {
    best.resize(1);
    best.front().labels.clear();
    best.front().score = 0;
    best.front().probability = std::numeric_limits<double>::quiet_NaN();
    best.front().others.clear();
    best.front().heads.clear();
    confidence.clear();
    spans.clear();
    marginals.clear();
    constraints.reset();
    search_end.reset();
  }
};

/// A trained model. Immutable, safe for any number of threads, each with its own scratch.
class Predictor {
 public:
  class Scratch {
   public:
    virtual ~Scratch() = default;
  };
  virtual ~Predictor() = default;

  virtual const LabelSet& labels() const = 0;
  /// The number of label columns, in the order in which they were named in training. labels() belongs to the
  /// last; Labelling::others has the rest.
  virtual size_t label_columns() const { return 1; }
  /// Precondition: column < label_columns().
  virtual const LabelSet& labels_of_column(size_t) const { return labels(); }
  virtual std::unique_ptr<Scratch> make_scratch() const = 0;
  /// Whether the model is a search and uses PredictOptions::search. Searches have scores, but no
  /// probabilities.
  virtual bool is_search() const { return false; }
  /// Whether predictions have heads (Labelling::heads).
  virtual bool builds_trees() const { return false; }

  /// `forced`, if not empty, has one entry per row: the label that the row must get, or kNoLabel. Fails if no
  /// labelling is possible.
  virtual Status predict(const Sequence& sequence, std::span<const Label> forced,
                         const PredictOptions& options, Scratch& scratch, Prediction& out) const = 0;

  /// Why a token got its label: the largest contributions to the scores of the label and of the runner-up.
  struct Contribution {
    std::string feature;
    double weight = 0;     ///< added to the label's score
    double runner_up = 0;  ///< added to the runner-up's score
  };
  struct Explanation {
    Label label = 0, runner_up = 0;
    double margin = 0;  ///< score of the best labelling minus the best one with the runner-up here
    std::vector<Contribution>
        contributions;  ///< by |weight − runner_up|, largest first; transitions included
    size_t column = 0;  ///< which column of labels this is about
    /// If the decision covers more than this token: what was decided, and the alternative ("NP, words 3 to
    /// 5").
    std::string decision = {}, runner_up_decision = {};
  };
  /// One entry per row and, within a row, per label column.
  using Explained = Result<std::vector<Explanation>>;
  Explained explain(const Sequence& sequence, Scratch& scratch) const {
    return explain_forced(sequence, {}, scratch);
  }
  /// The same for what predict() finds with these forced labels. A forced row has no runner-up of its own in
  /// models that are not searches; explain_with_forced() (forced_explanation.h) gives it one.
  virtual Explained explain_forced(const Sequence& sequence, std::span<const Label> forced,
                                   Scratch& scratch) const = 0;

  // What `inspect` shows.
  struct WeightedFeature {
    std::string feature;
    Label label = 0;
    double weight = 0;
    size_t column = 0;  ///< which column of labels this is about
  };
  struct WeightedTransition {
    Label from = 0, to = 0;
    double weight = 0;
  };
  struct Size {
    size_t features = 0, weights = 0;
    int weight_bits = 32;
    bool names = true;  ///< the model has the names of its features
  };
  /// The largest weights, of one label or of all; fails if the model has no feature names or no such weights.
  using StrongestWeights = Result<std::vector<WeightedFeature>>;
  virtual StrongestWeights strongest(size_t how_many, std::optional<Label> only) const = 0;
  /// The weights of pairs of neighbouring labels; empty if the model has none.
  virtual std::vector<WeightedTransition> weighted_transitions() const { return {}; }
  /// A note on the weights that explain() and strongest() show: which of several classifiers they belong to,
  /// or why there are none. Empty: they are the whole model.
  virtual std::string about_weights() const { return {}; }
  /// Why weighted_transitions() is empty.
  virtual std::string no_transitions() const { return "labels of neighbours do not interact"; }
  virtual Size size() const = 0;
  /// A description of how each constraint is decoded; empty for a predictor without constraints.
  virtual std::string about_constraints() const { return {}; }
  /// Further details of this kind of model, as a JSON object.
  virtual std::string details() const { return "{}"; }
};

}  // namespace espalier::data
