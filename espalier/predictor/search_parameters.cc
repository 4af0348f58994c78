// What can be set of the learners of searches.
#include "espalier/predictor/train_search.h"
#include "espalier/tasks/sequence_shape.h"

namespace espalier::predictor {

namespace {

using Kind = Parameter::Kind;

std::vector<Parameter> search_parameters(std::string_view beam) {
  return {
      {"beam", Kind::kInteger, beam,
       "states kept at each step, in decoding and in learning by search; 1: greedy", 1, 1e5},
      {"decoder",
       Kind::kChoice,
       "auto",
       "how the beam is searched; auto: best-first for laso and laso-bst, which learn it, breadth-first for "
       "the others",
       0,
       0,
       {"auto", "breadth-first", "best-first"}},
      {"history", Kind::kInteger, "2",
       "how many labels before are looked at, as n-grams of every length up to this; types of chunks before; "
       "with order=easiest-first labels on either side",
       0, static_cast<double>(tasks::kMostHistory)},
      {"lead", Kind::kInteger, "2",
       "task joint: each column of labels is decided so many tokens ahead of the next, which then sees its "
       "labels on both sides",
       0, static_cast<double>(tasks::kMostLead)},
      {"order",
       Kind::kChoice,
       "left-to-right",
       "the order of decisions; easiest-first is learned (words, greedy)",
       0,
       0,
       {"left-to-right", "right-to-left", "easiest-first"}},
      {"loss",
       Kind::kChoice,
       "auto",
       "what errors cost: wrong labels, 1 - F1 of segments, anything wrong; auto: f1 for task segment",
       0,
       0,
       {"auto", "hamming", "f1", "zero-one"}},
      {"unit",
       Kind::kChoice,
       "auto",
       "what a decision is about: a word or a whole chunk; auto: chunk for task segment",
       0,
       0,
       {"auto", "word", "chunk"}},
      {"max-length", Kind::kInteger, "auto",
       "chunks have at most this many words, longer ones are learned in pieces; auto: the longest seen, at "
       "most 10",
       1, 100},
      {"meta", Kind::kText, "yes",
       "chunks: features of the chunk as a whole, of n-grams within it and of words around it: no, yes, all, "
       "or "
       "a list of roles, places, around, pairs, triples, wholes, each with :BASE+BASE..., and edges, before"},
      {"stemmer", Kind::kText, "",
       "chunks: stems of this language (english, spanish, ...) are features, too"},
      {"lists", Kind::kText, "", "chunks: files of words or phrases, a line each, separated by commas"},
      {"average", Kind::kFlag, "yes", "use the average of the weights instead of the last ones"},
  };
}

std::vector<Parameter> join(std::vector<Parameter> a, const std::vector<Parameter>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

std::vector<Parameter> searn_parameters() {
  return join(
      {
          {"classifier",
           Kind::kChoice,
           "auto",
           "what decides: averaged perceptron, logistic, logistic with costs as margins or svm on line over "
           "all actions; liblinear's SVMs; libsvm's quadratic machines; auto: softmax-margin for chunks and "
           "several columns of labels, perceptron otherwise",
           0,
           0,
           {"auto", "perceptron", "logistic", "softmax-margin", "svm", "liblinear", "quadratic-svm"}},
          {"reduction",
           Kind::kChoice,
           "direct",
           "from costs to binary decisions",
           0,
           0,
           {"direct", "one-vs-all", "all-pairs"}},
          {"iterations", Kind::kInteger, "auto",
           "iterations at most; auto: with beta=1 5 for perceptron, otherwise 2, with smaller steps until "
           "hardly anything is left of the initial policy",
           1, 1e6},
          {"beta", Kind::kNumber, "1", "share of the new classifier in each iteration; 1: policy iteration",
           1e-9, 1},
          {"interpolation",
           Kind::kChoice,
           "constant",
           "beta as given, 1/T^3 as the theory has it, or the best on the dev set",
           0,
           0,
           {"constant", "analytic", "line-search"}},
          {"costs",
           Kind::kChoice,
           "optimal",
           "cost of an action: loss of the best completion, or of paths drawn from the policy",
           0,
           0,
           {"optimal", "sample"}},
          {"samples", Kind::kInteger, "1", "costs=sample: paths for each action", 1, 1e4},
          {"oracle-roll-outs", Kind::kNumber, "0",
           "costs=sample: share of paths that follow the oracle, as in LOLS", 0, 1},
          {"oracle",
           Kind::kChoice,
           "analytic",
           "the initial policy: known for every loss here, or found by a search for the best completion "
           "(slow: "
           "for small data)",
           0,
           0,
           {"analytic", "search"}},
          {"oracle-beam", Kind::kInteger, "10", "oracle=search: states kept at each step of the search", 1,
           1e5},
          {"roll-in",
           Kind::kChoice,
           "mixture",
           "states come from the current policy alone, or examples of all iterations are kept, as in DAgger",
           0,
           0,
           {"mixture", "aggregate"}},
          {"folds", Kind::kInteger, "1",
           "above 1: states come from classifiers that did not see the sequence", 1, 100},
          {"policy",
           Kind::kChoice,
           "vote",
           "beta below 1: classifiers vote, or are drawn for each decision",
           0,
           0,
           {"vote", "stochastic"}},
          {"passes", Kind::kInteger, "5",
           "passes over the examples of an iteration (not liblinear, quadratic-svm)", 1, 1e6},
          {"rate", Kind::kNumber, "0.1", "step size (logistic, softmax-margin, svm)", 1e-9, 1e3},
          {"l2", Kind::kNumber, "auto",
           "penalty of the weights (logistic, softmax-margin, svm); auto: 1 for chunks, 0 otherwise", 0, 1e6},
          {"costing-samples", Kind::kInteger, "10",
           "liblinear, where costs differ: samples drawn by cost, whose classifiers decide together", 1,
           1000},
          {"c", Kind::kNumber, "auto", "liblinear, quadratic-svm: weight of the errors", 1e-9, 1e9},
      },
      search_parameters("1"));
}

std::vector<Parameter> laso_parameters(std::string_view learner) {
  std::vector<Parameter> own = {
      {"passes", Kind::kInteger, "10", "passes over the training data", 1, 1e6},
      {"rate", Kind::kNumber, "1", "size of an update", 1e-9, 1e3},
  };
  if (learner == "incremental")
    own.push_back({"update",
                   Kind::kChoice,
                   "max-violation",
                   "where the target falls out of the beam, or where it is farthest below the best",
                   0,
                   0,
                   {"early", "max-violation"}});
  // LaSO-BR and LaSO-BST ask for a target anywhere in the beam and never that it comes out on top, so wider
  // beams leave the order of what they hold unlearned, and tag worse.
  const bool in_beam = learner == "laso-br" || learner == "laso-bst";
  return join(own, search_parameters(in_beam ? "1" : "5"));
}

}  // namespace espalier::predictor
