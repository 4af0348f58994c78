// Learners: one struct of options per learner, and tables that describe all learners and tasks.
//
//   es::Crf{.l2 = 0.5}      es::Cascade{.order = 4}      es::Learner("searn", {{"beam", "5"}})
//
// Pass one to train() or learn_to_search(). A field that is not set takes the learner's default; the comment
// next to it names the default. `espalier help LEARNER` and learners() below list all parameters, including
// those without a field, which go into `more`. Nothing is checked here: train() refuses unknown names, values
// out of range, and parameters that have no effect or contradict each other.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace espalier {

/// Parameters by name with their values as text, as in `-p name=value` on the command line.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// A learner's name and its settings. The structs below convert to it. An empty name is the default learner
/// of the task.
struct Learner {
  Learner() = default;
  Learner(std::string learner_name, Settings learner_settings = {})  // NOLINT(google-explicit-constructor)
      : name(std::move(learner_name)), settings(std::move(learner_settings)) {}
  Learner(const char* learner_name) : name(learner_name) {}  // NOLINT(google-explicit-constructor)
  std::string name;
  Settings settings;
};

// One struct per learner with its basic parameters as fields, for designated initialisers. Where a field and
// `more` set the same parameter, `more` wins.

/// Conditional random field: probabilities of whole labellings. The default for task label.
struct Crf {
  std::optional<double> l2 = {};              ///< L2 penalty; default 1, or 0.3 with dropout
  std::optional<double> l1 = {};              ///< L1 penalty; default 0
  std::optional<std::string> algorithm = {};  ///< adagrad (default) or lbfgs
  std::optional<int> passes = {};      ///< over the training data; default: depends on the number of tokens
  std::optional<double> rate = {};     ///< step size of adagrad; default 0.2
  std::optional<double> dropout = {};  ///< share of features left out at random; default 0
  std::optional<int> iterations = {};  ///< of lbfgs, at most; default 200
  std::optional<int> cutoff = {};      ///< drop features seen fewer times than this; default 1
  std::optional<bool> names = {};      ///< keep feature names, for inspect and explain; default true
  std::optional<std::string> weight_bits = {};  ///< auto (default), 16 or 32: size of a stored weight
  std::optional<int> patience =
      {};  ///< passes without a better development score before training stops; default 5
  std::optional<std::string> label_weights =
      {};                    ///< cost of errors on gold labels, as "LABEL:WEIGHT,…"; default 1 each
  Settings more = {};        ///< parameters without a field, by name
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// Maximum-entropy Markov model: the probability of each label given the one before it.
struct Memm {
  std::optional<double> l2 = {};              ///< L2 penalty; default 1, or 0.3 with dropout
  std::optional<double> l1 = {};              ///< L1 penalty; default 0
  std::optional<std::string> algorithm = {};  ///< adagrad (default) or lbfgs
  std::optional<int> passes = {};      ///< over the training data; default: depends on the number of tokens
  std::optional<double> rate = {};     ///< step size of adagrad; default 0.2
  std::optional<double> dropout = {};  ///< share of features left out at random; default 0
  std::optional<int> iterations = {};  ///< of lbfgs, at most; default 200
  std::optional<int> cutoff = {};      ///< drop features seen fewer times than this; default 1
  std::optional<bool> names = {};      ///< keep feature names, for inspect and explain; default true
  std::optional<std::string> weight_bits = {};  ///< auto (default), 16 or 32: size of a stored weight
  std::optional<int> patience =
      {};  ///< passes without a better development score before training stops; default 5
  std::optional<std::string> label_weights =
      {};                    ///< cost of errors on gold labels, as "LABEL:WEIGHT,…"; default 1 each
  Settings more = {};        ///< parameters without a field, by name
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// Averaged structured perceptron: fast, no penalty to tune.
struct Perceptron {
  std::optional<int> passes = {};      ///< over the training data; default: depends on the number of tokens
  std::optional<bool> average = {};    ///< use averaged weights; default true
  std::optional<bool> calibrate = {};  ///< fit probabilities to held-out data; default true
  std::optional<int> cutoff = {};      ///< drop features seen fewer times than this; default 1
  std::optional<bool> names = {};      ///< keep feature names, for inspect and explain; default true
  std::optional<std::string> weight_bits = {};  ///< auto (default), 16 or 32: size of a stored weight
  std::optional<int> patience =
      {};  ///< passes without a better development score before training stops; default 5
  std::optional<std::string> label_weights =
      {};                    ///< cost of errors on gold labels, as "LABEL:WEIGHT,…"; default 1 each
  Settings more = {};        ///< parameters without a field, by name
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// Structured support vector machine: margin-rescaled Hamming loss, block-coordinate Frank-Wolfe.
struct Svm {
  std::optional<double> c = {};        ///< weight of errors against the size of the weights; default 0.05
  std::optional<int> passes = {};      ///< over the training data; default 15
  std::optional<bool> average = {};    ///< use averaged weights; default true
  std::optional<bool> calibrate = {};  ///< fit probabilities to held-out data; default true
  std::optional<int> cutoff = {};      ///< drop features seen fewer times than this; default 1
  std::optional<bool> names = {};      ///< keep feature names, for inspect and explain; default true
  std::optional<std::string> weight_bits = {};  ///< auto (default), 16 or 32: size of a stored weight
  std::optional<int> patience =
      {};  ///< passes without a better development score before training stops; default 5
  std::optional<std::string> label_weights =
      {};                    ///< cost of errors on gold labels, as "LABEL:WEIGHT,…"; default 1 each
  Settings more = {};        ///< parameters without a field, by name
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// One classifier applied to each token by itself; labels of neighbours have no influence.
struct Local {
  std::optional<std::string> classifier = {};  ///< logistic (default), perceptron, svm or quadratic-svm
  std::optional<double> l2 = {};               ///< L2 penalty; default 1, or 0.3 with dropout
  std::optional<double> l1 = {};               ///< L1 penalty; default 0
  std::optional<int> passes = {};      ///< over the training data; default: depends on the number of tokens
  std::optional<double> rate = {};     ///< step size of adagrad; default 0.2
  std::optional<double> dropout = {};  ///< share of features left out at random; default 0
  std::optional<double> c = {};        ///< svm and quadratic-svm: weight of errors
  std::optional<int> cutoff = {};      ///< drop features seen fewer times than this; default 1
  std::optional<bool> names = {};      ///< keep feature names, for inspect and explain; default true
  std::optional<std::string> weight_bits = {};  ///< auto (default), 16 or 32: size of a stored weight
  std::optional<int> patience =
      {};  ///< passes without a better development score before training stops; default 5
  std::optional<std::string> label_weights =
      {};                    ///< cost of errors on gold labels, as "LABEL:WEIGHT,…"; default 1 each
  Settings more = {};        ///< parameters without a field, by name
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// Structured prediction cascade: levels of growing label n-gram order, each pruning the labels for the next.
struct Cascade {
  std::optional<int> order = {};  ///< labels in an n-gram of the last level, 1 to 5; default 3, letters 5
  std::optional<std::string> last = {};  ///< how the last level learns: crf (default), perceptron or margin
  std::optional<std::string> filter_loss =
      {};  ///< share of correct labels a level may prune, one number or one per level; default: by the labels
  std::optional<double> budget =
      {};                          ///< instead of filter_loss: n-grams kept per position; default 0, not used
  std::optional<int> passes = {};  ///< of the last level; default: depends on the number of tokens
  std::optional<double> dropout = {};  ///< of the last level; default 0.25 with last=crf, otherwise 0
  std::optional<double> l2 = {};       ///< L2 penalty; default 1, or 0.3 with dropout
  std::optional<int> cutoff = {};      ///< drop features seen fewer times than this; default 1
  std::optional<bool> names = {};      ///< keep feature names, for inspect and explain; default true
  std::optional<std::string> weight_bits = {};  ///< auto (default), 16 or 32: size of a stored weight
  std::optional<int> patience =
      {};  ///< passes without a better development score before training stops; default 5
  std::optional<std::string> label_weights =
      {};                    ///< cost of errors on gold labels, as "LABEL:WEIGHT,…"; default 1 each
  Settings more = {};        ///< parameters without a field, by name
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// SEARN: learns the decisions of a search, for any loss and any label history.
struct Searn {
  std::optional<std::string> classifier = {};  ///< perceptron, logistic, softmax-margin, svm, least-squares,
                                               ///< liblinear or quadratic-svm; default: depends on the task
  std::optional<int> iterations = {};          ///< at most; default: depends on the classifier
  std::optional<int> passes = {};              ///< over the examples of an iteration; default 5, chunks: 10
  std::optional<int> beam = {};     ///< states kept per step; default 1, greedy; parsers: 8, most chunks: 5
  std::optional<int> history = {};  ///< how many previous labels are features; default 2
  std::optional<std::string> direction = {};  ///< left-to-right (default), right-to-left or easiest-first
  std::optional<std::string> loss = {};  ///< hamming, f1 or zero-one; default hamming, f1 for task segment
  std::optional<std::string> unit = {};  ///< word, chunk or sentence; default: the task's
  std::optional<int> cutoff = {};        ///< drop features seen fewer times than this; default 1
  std::optional<bool> names = {};        ///< keep feature names, for inspect and explain; default true
  std::optional<std::string> weight_bits = {};  ///< auto (default), 16 or 32: size of a stored weight
  std::optional<int> patience =
      {};                    ///< passes without a better development score before training stops; default 5
  Settings more = {};        ///< parameters without a field, by name
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// LaSO-BR (Xu and Fern): learns to keep the correct output in the beam of a breadth-first search.
struct LasoBr {
  std::optional<int> passes = {};               ///< over the training data; default 10
  std::optional<double> rate = {};              ///< size of an update; default 1
  std::optional<int> beam = {};                 ///< states kept per step; default 1, greedy
  std::optional<int> history = {};              ///< how many previous labels are features; default 2
  std::optional<std::string> direction = {};    ///< left-to-right (default) or right-to-left
  std::optional<std::string> unit = {};         ///< word, chunk or sentence; default: the task's
  std::optional<int> cutoff = {};               ///< drop features seen fewer times than this; default 1
  std::optional<bool> names = {};               ///< keep feature names, for inspect and explain; default true
  std::optional<std::string> weight_bits = {};  ///< auto (default), 16 or 32: size of a stored weight
  std::optional<int> patience =
      {};                    ///< passes without a better development score before training stops; default 5
  Settings more = {};        ///< parameters without a field, by name
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// LaSO-BST (Xu and Fern): the same for best-first beam search.
struct LasoBst {
  std::optional<int> passes = {};               ///< over the training data; default 10
  std::optional<double> rate = {};              ///< size of an update; default 1
  std::optional<int> beam = {};                 ///< states kept per step; default 1, greedy
  std::optional<int> history = {};              ///< how many previous labels are features; default 2
  std::optional<std::string> direction = {};    ///< left-to-right (default) or right-to-left
  std::optional<std::string> unit = {};         ///< word, chunk or sentence; default: the task's
  std::optional<int> cutoff = {};               ///< drop features seen fewer times than this; default 1
  std::optional<bool> names = {};               ///< keep feature names, for inspect and explain; default true
  std::optional<std::string> weight_bits = {};  ///< auto (default), 16 or 32: size of a stored weight
  std::optional<int> patience =
      {};                    ///< passes without a better development score before training stops; default 5
  Settings more = {};        ///< parameters without a field, by name
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// Learning as search optimisation as first proposed (Daume and Marcu).
struct Laso {
  std::optional<int> passes = {};               ///< over the training data; default 10
  std::optional<double> rate = {};              ///< size of an update; default 1
  std::optional<int> beam = {};                 ///< states kept per step; default 5
  std::optional<int> history = {};              ///< how many previous labels are features; default 2
  std::optional<std::string> direction = {};    ///< left-to-right (default) or right-to-left
  std::optional<std::string> unit = {};         ///< word, chunk or sentence; default: the task's
  std::optional<int> cutoff = {};               ///< drop features seen fewer times than this; default 1
  std::optional<bool> names = {};               ///< keep feature names, for inspect and explain; default true
  std::optional<std::string> weight_bits = {};  ///< auto (default), 16 or 32: size of a stored weight
  std::optional<int> patience =
      {};                    ///< passes without a better development score before training stops; default 5
  Settings more = {};        ///< parameters without a field, by name
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// Incremental perceptron: beam search with early or max-violation updates.
struct Incremental {
  std::optional<std::string> update = {};       ///< early or max-violation (default)
  std::optional<int> passes = {};               ///< over the training data; default 10
  std::optional<double> rate = {};              ///< size of an update; default 1
  std::optional<int> beam = {};                 ///< states kept per step; default 5
  std::optional<int> history = {};              ///< how many previous labels are features; default 2
  std::optional<std::string> direction = {};    ///< left-to-right (default) or right-to-left
  std::optional<std::string> unit = {};         ///< word, chunk or sentence; default: the task's
  std::optional<int> cutoff = {};               ///< drop features seen fewer times than this; default 1
  std::optional<bool> names = {};               ///< keep feature names, for inspect and explain; default true
  std::optional<std::string> weight_bits = {};  ///< auto (default), 16 or 32: size of a stored weight
  std::optional<int> patience =
      {};                    ///< passes without a better development score before training stops; default 5
  Settings more = {};        ///< parameters without a field, by name
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// Several learners, whose probabilities are averaged; on data held out it learns whom to trust.
struct Committee {
  std::optional<std::string> members = {};  ///< "LEARNER:NAME=VALUE:…,LEARNER,…"; default: as size says
  std::optional<std::string> size = {};     ///< small (two members) or full (four, default)
  std::optional<int> folds = {};            ///< one of so many parts is held out; default 10
  std::optional<double> time_budget = {};   ///< seconds; leaves out the last members; default 0, no limit
  std::optional<bool> names = {};           ///< keep feature names, for inspect and explain; default true
  Settings more = {};                       ///< parameters without a field, by name
  operator Learner() const;                 // NOLINT(google-explicit-constructor)
};

/// For task brackets: one perceptron for where phrases begin, one for where they end, and the best phrases
/// that do not overlap.
struct Brackets {
  std::optional<int> passes = {};  ///< over the training data; default 12
  std::optional<std::string> training =
      {};  ///< global (default): update where the phrases found are wrong; local: where a classifier is wrong
  std::optional<int> longest = {};              ///< words of a phrase, at most; default 40
  std::optional<int> cutoff = {};               ///< drop features seen fewer times than this; default 1
  std::optional<bool> names = {};               ///< keep feature names, for inspect and explain; default true
  std::optional<std::string> weight_bits = {};  ///< auto (default), 16 or 32: size of a stored weight
  std::optional<int> patience =
      {};                    ///< passes without a better development score before training stops; default 5
  Settings more = {};        ///< parameters without a field, by name
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// A parameter of a learner, for help texts and forms.
struct ParameterInfo {
  std::string name;
  std::string fallback;  ///< the default, as text
  std::string meaning;   ///< one sentence
  std::string range;     ///< allowed values, in words
  bool basic = true;     ///< false: needed only for studying the method
};
struct LearnerInfo {
  std::string name, summary;
  std::vector<std::string> tasks;  ///< the tasks it can learn
  std::vector<ParameterInfo> parameters;
};
struct TaskInfo {
  std::string name, summary;
  std::vector<std::string> learners;  ///< those that can learn it; the first is the default
};
/// All learners, with all their parameters.
std::vector<LearnerInfo> learners();
std::vector<TaskInfo> all_tasks();

}  // namespace espalier
#pragma GCC visibility pop
