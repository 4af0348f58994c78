#include "espalier/tasks/summary/summary_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "espalier/base/text/json.h"
#include "espalier/tasks/summary/summary_cases.h"

namespace espalier::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_summaries::make_instance;
using testing_summaries::random_cluster;
using testing_summaries::worth_of;

static_assert(search::TrainingSpace<SummarySpace>);

const Json& sandwich() {
  static const Json line = Json::parse(R"({"docs": [{"sents": [
      {"tokens": ["the", "man", "ate", "a", "big", "sandwich", "with", "pickles", "."],
       "heads": [2, 3, 0, 6, 6, 3, 8, 6, 3],
       "relations": ["det", "nsubj", "root", "det", "amod", "obj", "case", "nmod", "punct"]},
      "Nobody said “so”."]}],
      "refs": [{"sents": ["The man ate a sandwich."]}]})");
  return line;
}

std::vector<std::string> words_of(const SummaryInstance& instance,
                                  const std::vector<search::Action>& actions) {
  std::vector<std::string> out;
  for (const search::Action& a : actions)
    out.push_back(
        instance.cluster.tokens[instance.input.words[instance.input.pieces[a.candidate].first].token].text);
  return out;
}

// The example of Daumé, Langford and Marcu (2009), figure 7.
TEST(SummarySpace, WordsGrowFromTheRootAlongTheTree) {
  Json line = sandwich();
  line["docs"][0]["sents"].erase(1);
  const auto instance = make_instance(line, SummaryUnit::kWord, 5, 20);
  const SummarySpace space(*instance);
  std::vector<search::Action> actions;
  SummarySpace::State state = space.initial();
  space.actions(state, actions);
  EXPECT_THAT(words_of(*instance, actions), ElementsAre("ate"));
  space.advance(state, actions[0]);
  actions.clear();
  space.actions(state, actions);
  EXPECT_THAT(words_of(*instance, actions), ElementsAre("man", "sandwich"));
  // The oracle leads to the reference.
  while (!space.is_goal(state)) {
    actions.clear();
    space.optimal_actions(state, actions);
    space.advance(state, actions[0]);
  }
  EXPECT_EQ(space.loss(state), 0);
  const auto chosen = tokens_of_pieces(instance->input, instance->cluster, state.chosen);
  EXPECT_THAT(summary_sentences(instance->cluster, chosen), ElementsAre("the man ate a sandwich."));
}

TEST(SummarySpace, WholeSentencesAreAddedAsLongAsTheyFit) {
  const auto instance = make_instance(random_cluster(1, 2, 3, 4), SummaryUnit::kSentence, 11, 20);
  const SummarySpace space(*instance);
  SummarySpace::State state = space.initial();
  while (!space.is_goal(state)) {
    std::vector<search::Action> actions;
    space.actions(state, actions);
    space.advance(state, actions.back());
  }
  EXPECT_EQ(state.words, 8u);
  EXPECT_EQ(state.chosen.size(), 2u);
}

TEST(SummarySpace, LossIsWhatRougeSaysAndTheOrderOfChoiceDoesNotMatter) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto instance = make_instance(random_cluster(seed, 2, 3, 5), SummaryUnit::kWord, 9, 5);
    const SummarySpace space(*instance);
    SummarySpace::State state = space.initial();
    Random random(seed);
    while (!space.is_goal(state)) {
      std::vector<search::Action> actions;
      space.actions(state, actions);
      space.advance(state, actions[random.below(actions.size())]);
    }
    EXPECT_LE(state.words, 9u);
    EXPECT_DOUBLE_EQ(space.loss(state), instance->oracle->loss(worth_of(*instance, state.chosen)));
    uint64_t key = 0;
    for (auto p = state.chosen.rbegin(); p != state.chosen.rend(); ++p) key += piece_key(*p);
    EXPECT_EQ(key, state.key);
  }
}

TEST(SummarySpace, NamedFeaturesAreThoseThatAreScored) {
  for (const SummaryUnit unit : {SummaryUnit::kWord, SummaryUnit::kSentence}) {
    Json line = random_cluster(5, 3, 3, 6);
    line["query"] = "what about w3?";
    const auto instance = make_instance(line, unit, 14, 5);
    const SummarySpace space(*instance);
    SummarySpace::State state = space.initial();
    while (!space.is_goal(state)) {
      std::vector<search::Action> actions;
      space.actions(state, actions);
      for (const search::Action& a : actions) {
        search::FeatureSink sink;
        space.features(state, a.candidate, sink);
        std::map<uint64_t, double> scored, named;
        for (const auto& e : sink.entries()) scored[e.hash] += e.value;
        for (const auto& f : instance->features.named(instance->context, a.candidate))
          named[f.hash] += f.value;
        EXPECT_EQ(scored, named);
        EXPECT_EQ(scored.size(), sink.entries().size()) << "two features have the same hash";
      }
      space.advance(state, actions[actions.size() / 2]);
    }
  }
}

TEST(SummarySpace, FeaturesSeeQuotesQueriesAndWhatIsInAlready) {
  Json line = sandwich();
  line["docs"][0]["sents"][1] = {{"tokens", {"Nobody", "said", "“", "pickles", "”"}},
                                 {"heads", {2, 0, 2, 2, 2}}};
  line["query"] = "pickles";
  const auto instance = make_instance(line, SummaryUnit::kWord, 9, 5);
  const SummarySpace space(*instance);
  const auto names_of = [&](const std::vector<uint32_t>& chosen, uint32_t piece) {
    SummarySpace::State state = space.initial();
    for (const uint32_t p : chosen) space.advance(state, {p, 0});
    std::vector<search::Action> actions;
    space.actions(state, actions);  // loads the state
    std::string all;
    for (const auto& f : instance->features.named(instance->context, piece)) all += f.name + "\n";
    return all;
  };
  constexpr uint32_t kPickles = 7, kSaid = 9, kQuoted = 10, kAte = 2, kSandwich = 5;
  EXPECT_THAT(names_of({kSaid}, kQuoted), HasSubstr("word in quotation marks"));
  EXPECT_THAT(names_of({kSaid}, kQuoted), HasSubstr("word under the query"));
  EXPECT_THAT(names_of({kSaid}, kQuoted), Not(HasSubstr("stem is in already")));
  EXPECT_THAT(names_of({kAte, kSandwich, kPickles, kSaid}, kQuoted), HasSubstr("stem is in already"));
  EXPECT_THAT(names_of({}, kSaid), HasSubstr("start: starts a sentence"));
  EXPECT_THAT(names_of({}, kSaid), HasSubstr("start: attribution in the subtree=1"));
}

}  // namespace
}  // namespace espalier::tasks
