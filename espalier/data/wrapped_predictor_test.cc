#include "espalier/data/wrapped_predictor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace espalier::data {
namespace {

/// A predictor that answers every call in a way of its own and remembers which calls came.
class CountingPredictor : public Predictor {
 public:
  mutable std::set<std::string> called;

  const LabelSet& labels() const override { return note("labels"), labels_; }
  size_t label_columns() const override { return note("label_columns"), 3; }
  const LabelSet& labels_of_column(size_t) const override { return note("labels_of_column"), labels_; }
  std::unique_ptr<Scratch> make_scratch() const override {
    return note("make_scratch"), std::make_unique<Scratch>();
  }
  bool is_search() const override { return note("is_search"), true; }
  bool builds_trees() const override { return note("builds_trees"), true; }
  Status predict(const Sequence&, std::span<const Label>, const PredictOptions&, Scratch&,
                 Prediction&) const override {
    return note("predict"), Status();
  }
  Result<std::vector<Explanation>> explain_forced(const Sequence&, std::span<const Label>,
                                                  Scratch&) const override {
    return note("explain_forced"), std::vector<Explanation>(7);
  }
  Result<std::vector<WeightedFeature>> strongest(size_t, std::optional<Label>) const override {
    return note("strongest"), std::vector<WeightedFeature>(5);
  }
  std::vector<WeightedTransition> weighted_transitions() const override {
    return note("weighted_transitions"), std::vector<WeightedTransition>(4);
  }
  std::string about_weights() const override { return note("about_weights"), "weights"; }
  std::string no_transitions() const override { return note("no_transitions"), "transitions"; }
  Size size() const override { return note("size"), Size{11, 12, 16, false}; }
  std::string about_constraints() const override { return note("about_constraints"), "constraints"; }
  std::string details() const override { return note("details"), R"({"a":1})"; }

 private:
  void note(const char* name) const { called.insert(name); }
  LabelSet labels_;
};

class Wrapper final : public WrappedPredictor {
 public:
  explicit Wrapper(const Predictor& wrapped) : WrappedPredictor(wrapped) {}
  Status predict(const Sequence&, std::span<const Label>, const PredictOptions&, Scratch&,
                 Prediction&) const override {
    return {};
  }
};

/// The names of the functions that a header declares virtual, destructors left out.
std::set<std::string> virtual_functions(const std::string& header) {
  std::ifstream file(std::string(ESPALIER_SOURCE_DIR "/") + header);
  std::ostringstream text;
  text << file.rdbuf();
  const std::string source = text.str();
  const std::regex declaration(R"(virtual\s+[^;{]*?([a-z_]+)\()");
  std::set<std::string> names;
  for (std::sregex_iterator it(source.begin(), source.end(), declaration), end; it != end; ++it)
    if (it->str().find('~') == std::string::npos) names.insert((*it)[1]);
  return names;
}

TEST(WrappedPredictor, ForwardsEveryVirtualFunctionButPredict) {
  const CountingPredictor wrapped;
  const Wrapper wrapper(wrapped);
  Sequence sequence;
  const auto scratch = wrapper.make_scratch();
  EXPECT_EQ(&wrapper.labels(), &wrapped.labels());
  EXPECT_EQ(wrapper.label_columns(), 3u);
  EXPECT_EQ(&wrapper.labels_of_column(2), &wrapped.labels());
  EXPECT_TRUE(wrapper.is_search());
  EXPECT_TRUE(wrapper.builds_trees());
  EXPECT_EQ(wrapper.explain(sequence, *scratch)->size(), 7u);
  EXPECT_EQ(wrapper.strongest(1, {})->size(), 5u);
  EXPECT_EQ(wrapper.weighted_transitions().size(), 4u);
  EXPECT_EQ(wrapper.about_weights(), "weights");
  EXPECT_EQ(wrapper.no_transitions(), "transitions");
  EXPECT_EQ(wrapper.size().weights, 12u);
  EXPECT_EQ(wrapper.about_constraints(), "constraints");
  EXPECT_EQ(wrapper.details(), R"({"a":1})");

  // Whoever adds a virtual function to Predictor forwards it, and says so here and above.
  std::set<std::string> declared = virtual_functions("espalier/data/predictor.h");
  ASSERT_TRUE(declared.erase("predict")) << "predictor.h was not read";
  EXPECT_EQ(wrapped.called, declared);
}

TEST(Prediction, ClearLeavesOneEmptyLabelling) {
  Prediction prediction;
  prediction.best = {{{1, 2}, 3, 0.5, {{4}}}, {{1, 1}, 2}};
  prediction.confidence = {0.5f, 0.5f};
  prediction.spans = {{0, 1, "NP", 0.5}};
  prediction.marginals = {1.0f};
  prediction.constraints.emplace();
  prediction.search_end = SearchEnd::kApproximate;
  prediction.clear();
  ASSERT_EQ(prediction.best.size(), 1u);
  EXPECT_TRUE(prediction.labels().empty());
  EXPECT_EQ(prediction.best.front().score, 0);
  EXPECT_NE(prediction.best.front().probability, prediction.best.front().probability);
  EXPECT_TRUE(prediction.best.front().others.empty());
  EXPECT_TRUE(prediction.confidence.empty());
  EXPECT_TRUE(prediction.spans.empty());
  EXPECT_TRUE(prediction.marginals.empty());
  EXPECT_FALSE(prediction.constraints);
  EXPECT_FALSE(prediction.search_end);
}

}  // namespace
}  // namespace espalier::data
