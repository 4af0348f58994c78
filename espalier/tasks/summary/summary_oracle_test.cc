#include "espalier/tasks/summary/summary_oracle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/tasks/summary/summary_cases.h"

namespace espalier::tasks {
namespace {

using testing_summaries::make_instance;
using testing_summaries::random_cluster;
using testing_summaries::worth_of;

/// Pieces with all their ancestors, at most `limit` words.
bool is_summary(const SummaryInput& input, const std::vector<uint32_t>& pieces) {
  size_t words = 0;
  for (const uint32_t p : pieces) {
    words += input.pieces[p].size();
    const uint32_t parent = input.pieces[p].parent;
    if (parent != kNoPiece && std::find(pieces.begin(), pieces.end(), parent) == pieces.end()) return false;
  }
  return words <= input.limit;
}

std::vector<uint32_t> members(const PieceSet& set, size_t pieces) {
  std::vector<uint32_t> out;
  for (uint32_t p = 0; p < pieces; ++p)
    if (set.has(p)) out.push_back(p);
  return out;
}

/// The best worth of any summary that contains `start`.
int64_t best_of_all(const SummaryInstance& instance, const std::vector<uint32_t>& start) {
  const size_t n = instance.input.pieces.size();
  int64_t best = 0;
  for (uint32_t subset = 0; subset < (1u << n); ++subset) {
    std::vector<uint32_t> pieces;
    for (uint32_t p = 0; p < n; ++p)
      if (subset >> p & 1) pieces.push_back(p);
    const bool contains = std::includes(pieces.begin(), pieces.end(), start.begin(), start.end());
    if (contains && is_summary(instance.input, pieces)) best = std::max(best, worth_of(instance, pieces));
  }
  return best;
}

TEST(SummaryOracle, CountsPairsAsRougeDoesWhateverIsAddedAndRemoved) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const SummaryUnit unit = seed % 2 == 0 ? SummaryUnit::kWord : SummaryUnit::kSentence;
    const auto instance = make_instance(random_cluster(seed, 2, 3, 5), unit, 1000, 5);
    Random random(seed);
    PieceSet set = instance->oracle->empty_set();
    const size_t n = instance->input.pieces.size();
    for (int step = 0; step < 60; ++step) {
      const auto p = static_cast<uint32_t>(random.below(n));
      const int64_t before = set.worth(), gain = set.gain({{p}}, !set.has(p));
      EXPECT_EQ(set.worth(), before);
      set.has(p) ? set.remove({{p}}) : set.add({{p}});
      EXPECT_EQ(set.worth(), before + gain);
      EXPECT_EQ(set.worth(), worth_of(*instance, members(set, n))) << seed << " " << step;
    }
  }
}

TEST(SummaryOracle, FindsTheBestSummaryOfSmallClustersOfSentences) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const auto instance = make_instance(random_cluster(seed, 2, 4, 3), SummaryUnit::kSentence, 9, 1000);
    const PieceSet found = instance->oracle->complete(instance->oracle->empty_set());
    const auto pieces = members(found, instance->input.pieces.size());
    EXPECT_TRUE(is_summary(instance->input, pieces));
    EXPECT_EQ(found.worth(), worth_of(*instance, pieces));
    EXPECT_EQ(found.worth(), best_of_all(*instance, {})) << seed;
  }
}

TEST(SummaryOracle, FindsNearlyAlwaysTheBestSummaryOfSmallClustersOfWords) {
  int best = 0;
  constexpr int kCases = 60;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    const auto instance = make_instance(random_cluster(seed, 1, 3, 4), SummaryUnit::kWord, 6, 1000);
    const PieceSet found = instance->oracle->complete(instance->oracle->empty_set());
    const auto pieces = members(found, instance->input.pieces.size());
    EXPECT_TRUE(is_summary(instance->input, pieces));
    EXPECT_EQ(found.worth(), worth_of(*instance, pieces));
    const int64_t most = best_of_all(*instance, {});
    EXPECT_LE(found.worth(), most);
    best += found.worth() == most;
  }
  EXPECT_GE(best, kCases * 9 / 10);
}

TEST(SummaryOracle, AnswersCompleteTheStateAndSomeActionCostsNothing) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const SummaryUnit unit = seed % 2 == 0 ? SummaryUnit::kWord : SummaryUnit::kSentence;
    const auto instance = make_instance(random_cluster(seed, 2, 3, 4), unit, 12, 20);
    const SummarySpace space(*instance);
    Random random(seed);
    // Random actions lead away from every completion; the next answer starts from there.
    for (SummarySpace::State state = space.initial(); !state.goal;) {
      const SummaryOracle::Answer answer = instance->oracle->answer(state.chosen, state.key);
      std::vector<uint32_t> whole = state.chosen;
      whole.insert(whole.end(), answer.wanted.begin(), answer.wanted.end());
      EXPECT_TRUE(is_summary(instance->input, whole)) << seed;
      EXPECT_DOUBLE_EQ(instance->oracle->loss(worth_of(*instance, whole)), answer.best_loss);
      std::vector<search::Action> actions, optimal;
      space.actions(state, actions);
      space.optimal_actions(state, optimal);
      ASSERT_EQ(actions.size(), answer.regrets.size());
      ASSERT_FALSE(optimal.empty());
      for (const search::Action& a : optimal)
        EXPECT_TRUE(answer.wanted.empty() || std::find(answer.wanted.begin(), answer.wanted.end(),
                                                       a.candidate) != answer.wanted.end());
      double least = 1e9;
      for (const search::Action& a : actions)
        least = std::min(least, space.best_loss_after(state, a) - space.best_loss(state));
      EXPECT_EQ(least, 0);
      space.advance(state, actions[random.below(actions.size())]);
    }
  }
}

TEST(SummaryOracle, APieceCostsWhatGrowsFromItLessThanFromTheBest) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const SummaryUnit unit = seed % 2 == 0 ? SummaryUnit::kWord : SummaryUnit::kSentence;
    const auto instance = make_instance(random_cluster(seed, 2, 3, 5), unit, 12, 5);
    const SummaryInput& input = instance->input;
    const SummarySpace space(*instance);
    Random random(seed);
    for (SummarySpace::State state = space.initial(); !state.goal;) {
      std::vector<search::Action> actions;
      space.actions(state, actions);
      std::vector<double> growth;
      for (const search::Action& a : actions) {
        std::vector<uint32_t> more = state.chosen;
        for (uint32_t p = 0; p < input.pieces.size(); ++p)
          for (uint32_t up = p; up != kNoPiece; up = input.pieces[up].parent)
            if (up == a.candidate) more.push_back(p);
        std::sort(more.begin(), more.end());
        const double gained =
            static_cast<double>(worth_of(*instance, more) - worth_of(*instance, state.chosen));
        const size_t pieces = more.size() - state.chosen.size();
        const size_t words = unit == SummaryUnit::kWord ? pieces : input.pieces[a.candidate].size();
        growth.push_back(gained / static_cast<double>(words) / 2);  // references
      }
      const double most = *std::max_element(growth.begin(), growth.end());
      for (size_t i = 0; i < actions.size(); ++i)
        EXPECT_NEAR(space.best_loss_after(state, actions[i]) - space.best_loss(state), most - growth[i], 1e-5)
            << seed;
      space.advance(state, actions[random.below(actions.size())]);
    }
  }
}

TEST(SummaryOracle, FillsUpToTheLimit) {
  const auto instance = make_instance(random_cluster(3, 2, 3, 4), SummaryUnit::kWord, 10, 20);
  PieceSet set = instance->oracle->complete(instance->oracle->empty_set());
  const int64_t before = set.worth();
  instance->oracle->fill(set);
  EXPECT_EQ(set.words(), 10u);
  EXPECT_GE(set.worth(), before - 2);
  EXPECT_TRUE(is_summary(instance->input, members(set, instance->input.pieces.size())));
}

}  // namespace
}  // namespace espalier::tasks
