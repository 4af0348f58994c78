// The one interface outside: a sequence in, labels with their confidence out.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/label_set.h"
#include "espalier/data/sequence.h"

namespace espalier::data {

enum class Decoder {
  kViterbi,    ///< the best labelling as a whole
  kPosterior,  ///< the most probable label at each position: fewest expected errors
};

/// How the states of a search are visited. Models that are no searches have nothing to choose.
struct SearchChoice {
  enum class Method {
    kModel,      ///< as the model was trained
    kGreedy,     ///< the best action of every state
    kBeam,       ///< breadth first, the best `beam` states of every level
    kBestFirst,  ///< the best state of a beam, wherever it stands
  };
  Method method = Method::kModel;
  size_t beam = 0;  ///< 0: that of the model
};

/// What is wanted of a prediction beyond its labels. Each costs time, so each is asked for.
struct PredictOptions {
  Decoder decoder = Decoder::kViterbi;
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
  /// Of models that decide several columns: the labels of each of the others, column by column.
  std::vector<std::vector<Label>> others = {};
};

/// A labelled span and the probability that exactly this span with this label is there.
struct SpanConfidence {
  size_t first = 0, last = 0;  ///< rows [first, last)
  std::string type;
  double probability = 0;
};

/// What constraints did to one sequence.
struct ConstraintEffect {
  enum class Outcome {
    kExact,        ///< the best labelling that satisfies them
    kApproximate,  ///< satisfies them, but may not be the best
    kInfeasible,   ///< none satisfies them all; this one breaks them least
    kOutOfTime,    ///< the search was cut off; this is the best it had found
  };
  Outcome outcome = Outcome::kExact;
  std::vector<std::string> clash;  ///< where infeasible: constraints that cannot hold together here

  /// A token whose label is another than without constraints, and what each constraint responsible costs: by
  /// how much the score would rise if it alone were dropped.
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

/// How a search ended.
enum class SearchEnd {
  kExact,        ///< nothing was ever cut: no labelling has a higher score
  kApproximate,  ///< states were given up on the way
  kOutOfSteps,   ///< best-first reached its horizon; a breadth-first search of the same beam decided
};

struct Prediction {
  std::vector<Labelling> best;        ///< at least one; best first
  std::vector<float> confidence;      ///< per token, of best[0]; empty unless asked for
  std::vector<SpanConfidence> spans;  ///< of best[0], where labels are a span scheme; empty unless asked for
  std::vector<float> marginals;       ///< length × labels, row by row; empty unless asked for
  std::optional<ConstraintEffect> constraints;  ///< where there were any
  std::optional<SearchEnd> search_end;          ///< of models that are searches
  const std::vector<Label>& labels() const { return best.front().labels; }

  /// Makes this an empty prediction with one empty labelling, ready to be filled in, and keeps the memory of
  /// its arrays. Every predictor calls it first, so that nothing of the sequence before is left.
  void clear() {
    best.resize(1);
    best.front().labels.clear();
    best.front().score = 0;
    best.front().probability = std::numeric_limits<double>::quiet_NaN();
    best.front().others.clear();
    confidence.clear();
    spans.clear();
    marginals.clear();
    constraints.reset();
    search_end.reset();
  }
};

/// A trained model, immutable and safe for any number of threads at once; each thread brings its own scratch.
class Predictor {
 public:
  class Scratch {
   public:
    virtual ~Scratch() = default;
  };
  virtual ~Predictor() = default;

  virtual const LabelSet& labels() const = 0;
  /// Columns of labels that a token gets, in the order in which they were named in training. labels() are
  /// those of the last; Labelling::others has the rest.
  virtual size_t label_columns() const { return 1; }
  /// Precondition: column < label_columns().
  virtual const LabelSet& labels_of_column(size_t) const { return labels(); }
  virtual std::unique_ptr<Scratch> make_scratch() const = 0;
  /// Whether PredictOptions::search means something here. Searches have scores, no probabilities.
  virtual bool is_search() const { return false; }

  /// `forced`, where not empty, has one entry a row: the label the row must get, or kNoLabel. Fails where no
  /// labelling is possible.
  virtual Status predict(const Sequence& sequence, std::span<const Label> forced,
                         const PredictOptions& options, Scratch& scratch, Prediction& out) const = 0;

  /// Why a token got its label: the strongest contributions, in favour of the label and of the runner-up.
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
    /// Where a decision is about more than this token: what was decided, and what was not ("NP, words 3 to
    /// 5").
    std::string decision = {}, runner_up_decision = {};
  };
  /// Row by row, and for each row column by column.
  virtual Result<std::vector<Explanation>> explain(const Sequence& sequence, Scratch& scratch) const = 0;

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
  /// The strongest weights, of one label or of all; fails where the model has no names or no such weights.
  virtual Result<std::vector<WeightedFeature>> strongest(size_t how_many,
                                                         std::optional<Label> only) const = 0;
  /// Weights of one label after another; nothing where there are no such.
  virtual std::vector<WeightedTransition> weighted_transitions() const = 0;
  /// What must be known about the weights that explain() and strongest() show: which of several classifiers
  /// they belong to, or why there are none. Empty: they are all there is.
  virtual std::string about_weights() const { return {}; }
  /// Why weighted_transitions() has nothing.
  virtual std::string no_transitions() const { return "labels of neighbours do not interact"; }
  virtual Size size() const = 0;
  /// What else this kind of model has to say about itself, as a JSON object.
  virtual std::string details() const { return "{}"; }
};

}  // namespace espalier::data
