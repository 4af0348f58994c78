// What can be set of the learners of searches.
#include "espalier/model/train_search.h"
#include "espalier/tasks/search_training.h"
#include "espalier/tasks/spaces/sequence_shape.h"

namespace espalier::model {

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

template <typename T>
std::vector<T> join(std::vector<T> a, const std::vector<std::type_identity_t<T>>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

std::vector<Parameter> searn_parameters() {
  return join<Parameter>(
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
           "auto",
           "from costs to what the classifier learns: all actions at once, one against the rest, every two "
           "weighted by the difference of their costs; auto: direct on line, one-vs-all for liblinear "
           "(all-pairs for chunks), all-pairs for quadratic-svm",
           0,
           0,
           {"auto", "direct", "one-vs-all", "all-pairs"}},
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
           "liblinear, quadratic-svm, where costs differ: samples drawn by cost, whose classifiers decide "
           "together",
           1, 1000},
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

std::vector<ParameterUse> search_uses() {
  return {
      {{"max-length", "meta", "stemmer", "lists"}, {"unit", {"chunk"}}, "unit=chunk"},
      {{"lead"}, {"columns", {"several"}}, "task joint: how far ahead a column of labels is decided"},
      {{"decoder"},
       {"order", {"left-to-right", "right-to-left"}},
       "order=left-to-right and right-to-left; easiest-first goes greedily"},
  };
}

std::vector<ParameterUse> searn_uses() {
  const Setting on_line{"classifier", {"perceptron", "logistic", "softmax-margin", "svm"}};
  return join(search_uses(),
              {
                  {{"passes", "average"},
                   on_line,
                   "classifiers that learn on line: perceptron, logistic, softmax-margin, svm"},
                  {{"rate", "l2"},
                   {"classifier", {"logistic", "softmax-margin", "svm"}},
                   "classifier=logistic, softmax-margin or svm"},
                  {{"c", "costing-samples"},
                   {"classifier", {"liblinear", "quadratic-svm"}},
                   "classifier=liblinear or quadratic-svm"},
                  {{"samples", "oracle-roll-outs"}, {"costs", {"sample"}}, "costs=sample"},
                  {{"oracle-beam"}, {"oracle", {"search"}}, "oracle=search"},
                  {{"beta"}, {"interpolation", {"constant"}}, "interpolation=constant"},
                  {{"beta", "interpolation"},
                   {"roll-in", {"mixture"}},
                   "roll-in=mixture: with roll-in=aggregate the last classifier decides alone"},
                  {{"iterations"},
                   {"interpolation", {"constant", "line-search"}},
                   "interpolation=constant or line-search; the analytical beta has a number of its own"},
                  {{"policy"},
                   {"policies", {"several"}},
                   "mixtures of classifiers: beta below 1, interpolation=analytic or line-search"},
              });
}

std::vector<Clash> search_clashes() {
  const Setting easiest{"order", {"easiest-first"}}, several{"columns", {"several"}};
  constexpr std::string_view kFreely =
      "order=easiest-first labels one column of words freely: task label, loss hamming or zero-one";
  return {
      {{"unit", {"chunk"}}, several, "several columns of labels are decided word by word: unit=word"},
      {{"unit", {"chunk"}},
       {"order", {"right-to-left", "easiest-first"}},
       "chunks are decided from left to right: order=left-to-right goes with unit=chunk"},
      {{"loss", {"f1"}},
       several,
       "loss=f1 is about segments of one column; several take hamming or zero-one"},
      {easiest, several, kFreely},
      {easiest, {"task", {"segment"}}, kFreely},
      {easiest, {"loss", {"f1"}}, kFreely},
      {{"loss", {"f1"}},
       {"decisions", {"right-to-left words"}},
       "loss=f1 with words decided from right to left is not supported; take loss=hamming"},
      {easiest,
       {"learner", {"laso-br", "laso-bst", "laso", "incremental"}},
       "order=easiest-first is learned by searn"},
      {easiest, {"width", {"several"}}, "order=easiest-first is searched greedily: beam=1 goes with it"},
  };
}

std::vector<Clash> searn_clashes() {
  const Setting stochastic{"policy", {"stochastic"}};
  constexpr std::string_view kAnew =
      "policy=stochastic draws each decision anew: beam=1 goes with it, decoder=best-first does not";
  return join(search_clashes(),
              {
                  {stochastic, {"width", {"several"}}, kAnew},
                  {stochastic, {"decoder", {"best-first"}}, kAnew},
                  {{"oracle", {"search"}},
                   {"order", {"easiest-first"}},
                   "oracle=search: with order=easiest-first every order of the right labels is as "
                   "good as another, which a beam would fill with; take oracle=analytic"},
              });
}

std::string search_choice(std::string_view learner, std::string_view task, const ParameterValues& values,
                          std::string_view name) {
  const auto choice = [&](std::string_view other) { return search_choice(learner, task, values, other); };
  if (name == "learner") return std::string(learner);
  if (name == "task") return std::string(task);
  if (name == "columns") return task == "joint" ? "several" : "one";
  if (name == "width") return values.integer("beam") > 1 ? "several" : "one";
  if (name == "policies") {
    const bool mixed = values.text("interpolation") != "constant" || values.number("beta") < 1;
    return mixed && values.text("roll-in") == "mixture" ? "several" : "one";
  }
  if (name == "decisions") {
    if (choice("unit") == "chunk") return "chunks";
    if (choice("columns") == "several") return "columns";
    const std::string& order = values.text("order");
    return order == "easiest-first" ? "easiest" : order + " words";
  }
  const std::string& text = values.text(name);
  if (text != "auto") return text;
  if (name == "unit") return task == "segment" ? "chunk" : "word";
  if (name == "loss") {
    const std::string decisions = choice("decisions");
    return task == "segment" && (decisions == "chunks" || decisions == "left-to-right words") ? "f1"
                                                                                              : "hamming";
  }
  if (name == "classifier") {
    const std::string decisions = choice("decisions");
    return decisions == "chunks" || decisions == "columns" ? "softmax-margin" : "perceptron";
  }
  if (name == "decoder") return learner == "laso" || learner == "laso-bst" ? "best-first" : "breadth-first";
  return text;
}

}  // namespace espalier::model
