#include "espalier/ensemble/automaton/automaton.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/ensemble/automaton/automaton_learning.h"
#include "espalier/ensemble/automaton/openfst_writing.h"
#include "espalier/ensemble/methods/bounds.h"
#include "espalier/ensemble/methods/espboost.h"
#include "espalier/ensemble/votes/random_votes.h"

namespace espalier::ensemble {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kThree{"a", "b", "c"};

/// Figure 2's kind: two branches that visit different states, three positions, three experts.
openfst::PlainFst branching() {
  openfst::PlainFst fst;
  fst.states = 7;
  fst.final_cost.assign(7, INFINITY);
  fst.final_cost[6] = 0;
  fst.arcs = {{0, 1, 1, 0}, {0, 1, 2, 0},   {0, 2, 3, 0}, {1, 3, 1, 0}, {1, 4, 2, 0.5}, {2, 4, 2, 0},
              {2, 5, 3, 0}, {3, 6, 1, 0.1}, {4, 6, 2, 0}, {4, 6, 3, 0}, {5, 6, 3, 0},   {5, 6, 1, 0}};
  return fst;
}

struct EnumeratedPath {
  std::vector<size_t> arcs;
  double weight;
};
std::vector<EnumeratedPath> enumerate(const ExpertAutomaton& automaton) {
  std::vector<EnumeratedPath> all;
  const std::function<void(uint32_t, EnumeratedPath)> walk = [&](uint32_t state, EnumeratedPath path) {
    if (path.arcs.size() == automaton.positions()) {
      all.push_back(path);
      return;
    }
    for (size_t a = 0; a < automaton.arcs().size(); ++a) {
      if (automaton.arcs()[a].source != state) continue;
      EnumeratedPath longer = path;
      longer.arcs.push_back(a);
      longer.weight *= std::exp(-automaton.arcs()[a].prior_cost);
      walk(automaton.arcs()[a].target, longer);
    }
  };
  walk(0, {{}, 1});
  return all;
}

double errors_of(const ExpertAutomaton& automaton, const EnumeratedPath& path, const VoteView& view) {
  double wrong = 0;
  for (size_t k = 0; k < view.items(); ++k)
    wrong += view.item(k)[automaton.arcs()[path.arcs[k]].expert] != view.gold[k];
  return wrong;
}

TEST(AutomatonWmwp, EqualsEquation2OverAllPathsOfABranchingAutomaton) {
  const auto automaton = ExpertAutomaton::from_plain(branching(), kThree, "branching");
  ASSERT_TRUE(automaton.ok());
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const VoteBatch batch = random_votes({.longest = 3}, seed);
    std::vector<EnumeratedPath> paths = enumerate(*automaton);
    ASSERT_EQ(paths.size(), 2u * (1 + 2) + (2 + 2));
    AutomatonWmwp wmwp(*automaton, {.beta = 0.7});
    for (size_t s = 0; s < batch.sequences(); ++s) {
      const VoteView view = batch[s];
      if (view.items() == 0) continue;
      double sum = 0, expected = 0;
      std::vector<double> posterior(automaton->arcs().size(), 0);
      for (const EnumeratedPath& path : paths) sum += path.weight;
      for (EnumeratedPath& path : paths) {
        path.weight /= sum;
        expected += path.weight * errors_of(*automaton, path, view);
        for (const size_t a : path.arcs) posterior[a] += path.weight;
      }
      EXPECT_NEAR(wmwp.predict(view), expected / static_cast<double>(view.items()), 1e-9);
      for (size_t a = 0; a < posterior.size(); ++a) EXPECT_NEAR(wmwp.posteriors()[a], posterior[a], 1e-9);
      for (EnumeratedPath& path : paths) path.weight *= std::pow(0.7, errors_of(*automaton, path, view));
      wmwp.update();
    }
  }
}

TEST(AutomatonWmwp, ImplicitFormEqualsPushedWeightsOfTheFullAutomaton) {
  const VoteBatch batch = random_votes({.experts = 4, .sequences = 30, .longest = 5}, 11);
  const ExpertAutomaton automaton = ExpertAutomaton::full(5, 4);
  Wmwp implicit(4, {.beta = 0.8});
  implicit.reserve_slots(5);
  AutomatonWmwp pushed(automaton, {.beta = 0.8});
  for (size_t s = 0; s < batch.sequences(); ++s) {
    EXPECT_NEAR(implicit.predict(batch[s]), pushed.predict(batch[s]), 1e-9);
    implicit.update();
    pushed.update();
    for (size_t a = 0; a < automaton.arcs().size(); ++a) {
      const ExpertAutomaton::Arc& arc = automaton.arcs()[a];
      EXPECT_NEAR(implicit.weights(arc.position)[arc.expert], pushed.conditionals()[a], 1e-9);
    }
  }
}

TEST(AutomatonLearning, OnTheFullAutomatonEqualsTheImplicitForm) {
  RandomVotesOptions shape;
  shape.sequences = 40;
  const VoteBatch batch = random_votes(shape, 21);
  BatchSource source(batch);
  OnlineOptions options;
  options.wmwp.beta = 0.7;
  options.loss_bound = 0.1;
  const auto implicit = learn_online(source, options);
  const auto open = learn_online(source, ExpertAutomaton::full(4, 3), options);
  ASSERT_TRUE(implicit.ok() && open.ok());
  EXPECT_EQ(implicit->suffix_begin, open->suffix_begin);
  EXPECT_EQ(implicit->cv_round, open->cv_round);
  EXPECT_NEAR(implicit->gamma, open->gamma, 1e-9);
  EXPECT_NEAR(implicit->cv_value, open->cv_value, 1e-9);
  for (size_t e = 0; e < implicit->mvote.weights.size(); ++e) {
    EXPECT_NEAR(implicit->mvote.weights[e], open->mvote.weights[e], 1e-9);
    EXPECT_NEAR(implicit->cv.weights[e], open->cv.weights[e], 1e-9);
  }
}

/// The best score of what the paths of an automaton say, by trying them all.
template <typename Score>
double best_of_paths(const ExpertAutomaton& automaton, const VoteView& view, const Score& score) {
  double best = 0;
  for (const EnumeratedPath& path : enumerate(automaton)) {
    std::vector<Value> values;
    for (size_t k = 0; k < view.items(); ++k)
      values.push_back(view.item(k)[automaton.arcs()[path.arcs[k]].expert]);
    best = std::max(best, score(view, values));
  }
  return best;
}

/// Short sequences on which experts seldom agree.
VoteBatch poor_votes(uint64_t seed) {
  RandomVotesOptions shape;
  shape.longest = 3;
  shape.accuracy = 0.2;
  return random_votes(shape, seed);
}

/// Three experts at three positions.
WeightTable table_of_three(std::vector<double> weights) {
  WeightTable table;
  table.experts = 3;
  table.weights = std::move(weights);
  table.elsewhere = {1, 1, 1};
  return table;
}

TEST(AutomatonVote, IsTheBestLabellingOfAnyPath) {
  const auto automaton = ExpertAutomaton::from_plain(branching(), kThree, "branching");
  ASSERT_TRUE(automaton.ok());
  AutomatonVote decoder(*automaton);
  const VoteBatch batch = poor_votes(31);
  const WeightTable table = table_of_three({.5, .3, .2, .2, .45, .35, .1, .6, .3});
  std::vector<Share> tally;
  std::vector<Value> decoded;
  const auto score = [&](const VoteView& view, const std::vector<Value>& values) {
    double product = 1;
    for (size_t k = 0; k < view.items(); ++k) {
      shares(view.item(k), table.row(k), tally);
      double share = 0;
      for (const Share& s : tally)
        if (s.value == values[k]) share = s.share;
      product *= share;
    }
    return product;
  };
  for (size_t s = 0; s < batch.sequences(); ++s) {
    const VoteView view = batch[s];
    ASSERT_TRUE(decoder.decode(view, table, VoteForm::kProduct, decoded).ok());
    EXPECT_NEAR(score(view, decoded), best_of_paths(*automaton, view, score), 1e-12);
  }
}

TEST(AutomatonVote, OfTheSumFormHasTheLargestSumOfWeightsOfAnyPath) {
  const auto automaton = ExpertAutomaton::from_plain(branching(), kThree, "branching");
  ASSERT_TRUE(automaton.ok());
  AutomatonVote decoder(*automaton);
  const VoteBatch batch = poor_votes(33);
  const WeightTable table = table_of_three({5, 3, 2, .2, .4, .3, 1, 6, 3});
  const auto sum = [&](const VoteView& view, const std::vector<Value>& values) {
    double total = 0;
    for (size_t k = 0; k < view.items(); ++k)
      for (size_t j = 0; j < 3; ++j)
        if (view.item(k)[j] == values[k]) total += table.row(k)[j];
    return total;
  };
  std::vector<Value> decoded;
  for (size_t s = 0; s < batch.sequences(); ++s) {
    const VoteView view = batch[s];
    ASSERT_TRUE(decoder.decode(view, table, VoteForm::kSum, decoded).ok());
    EXPECT_NEAR(sum(view, decoded), best_of_paths(*automaton, view, sum), 1e-12);
  }
}

TEST(AutomatonBoosting, TakesThePathOfLeastErrorAmongThoseOfTheAutomaton) {
  const auto automaton = ExpertAutomaton::from_plain(branching(), kThree, "branching");
  ASSERT_TRUE(automaton.ok());
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const VoteBatch batch = random_votes({.sequences = 40, .longest = 3}, seed);
    BatchSource source(batch);
    const auto result = learn_espboost(source, {.rounds = 3}, {}, &*automaton);
    ASSERT_TRUE(result.ok());
    double least = 1;
    for (const EnumeratedPath& path : enumerate(*automaton)) {
      double error = 0, sequences = 0;
      for (size_t s = 0; s < batch.sequences(); ++s) {
        const VoteView view = batch[s];
        sequences += view.items() > 0;
        for (size_t i = 0; i < view.items(); ++i)
          error += (view.item(i)[automaton->arcs()[path.arcs[view.slot[i]]].expert] != view.gold[i]) /
                   static_cast<double>(view.items());
      }
      least = std::min(least, error / sequences);
    }
    EXPECT_NEAR(result->rounds[0].error, least, 1e-12);
    for (const double rho : {0.05, 0.2})
      EXPECT_LE(*margin_loss(source, result->table, rho), theorem5_bound(result->rounds, rho) + 1e-12);
  }
  VoteBatch longer(3);
  for (uint32_t k = 0; k < 4; ++k) longer.add_item(k, 1, std::vector<Value>{1, 1, 1});
  longer.end_sequence();
  BatchSource source(longer);
  EXPECT_FALSE(learn_espboost(source, {}, {}, &*automaton).ok());
}

TEST(AutomatonBoosting, OnTheFullAutomatonEqualsTheImplicitForm) {
  const VoteBatch batch = random_votes({.sequences = 40}, 23);
  BatchSource source(batch);
  const ExpertAutomaton full = ExpertAutomaton::full(4, 3);
  const auto implicit = learn_espboost(source, {.rounds = 6}),
             open = learn_espboost(source, {.rounds = 6}, {}, &full);
  ASSERT_TRUE(implicit.ok() && open.ok());
  ASSERT_EQ(implicit->rounds.size(), open->rounds.size());
  for (size_t t = 0; t < implicit->rounds.size(); ++t)
    EXPECT_NEAR(implicit->rounds[t].step, open->rounds[t].step, 1e-9);
}

TEST(AutomatonFpl, PlaysOnlyPathsOfTheAutomaton) {
  openfst::PlainFst fst;  // expert 1 throughout, or expert 2 throughout
  fst.states = 4;
  fst.final_cost = {INFINITY, INFINITY, INFINITY, 0};
  fst.arcs = {{0, 1, 1, 0}, {1, 3, 1, 0}, {0, 2, 2, 0}, {2, 3, 2, 0}};
  const auto automaton = ExpertAutomaton::from_plain(fst, kThree, "two");
  ASSERT_TRUE(automaton.ok());
  VoteBatch batch(3);
  for (int s = 0; s < 400; ++s) {  // expert 3 is best, but on no path; expert 2 next
    batch.add_item(0, 1, std::vector<Value>{0, 1, 1});
    batch.add_item(1, 1, std::vector<Value>{1, Value(s % 3 != 0), 1});
    batch.end_sequence();
  }
  BatchSource source(batch);
  const auto result = learn_fpl(source, *automaton, {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->fpl_cv.weights, (std::vector<double>{0, 1, 0, 0, 1, 0}));
  EXPECT_GT(result->fpl.weights[1], result->fpl.weights[0]);
}

TEST(AutomatonSampling, DrawsPathsByTheirProbability) {
  const auto automaton = ExpertAutomaton::from_plain(branching(), kThree, "branching");
  ASSERT_TRUE(automaton.ok());
  const AutomatonWmwp wmwp(*automaton, {.beta = 0.7});
  const std::vector<float> conditional(wmwp.conditionals().begin(), wmwp.conditionals().end());
  std::vector<double> wanted(9, 0), drawn(9, 0);
  for (size_t a = 0; a < automaton->arcs().size(); ++a)
    wanted[automaton->arcs()[a].position * 3 + automaton->arcs()[a].expert] += wmwp.posteriors()[a];
  Random random(3);
  std::vector<uint32_t> path;
  const int draws = 20000;
  for (int d = 0; d < draws; ++d) {
    automaton->draw_path(conditional, random, path);
    ASSERT_EQ(path.size(), 3u);
    for (size_t k = 0; k < 3; ++k) drawn[k * 3 + path[k]] += 1.0 / draws;
  }
  for (size_t e = 0; e < 9; ++e) EXPECT_NEAR(drawn[e], wanted[e], 0.015);
}

std::string complaint(openfst::PlainFst fst) {
  const auto result = ExpertAutomaton::from_plain(std::move(fst), kThree, "g.fst");
  return result.ok() ? "" : result.error().message;
}

TEST(ExpertAutomaton, SaysWhatIsWrongWithIt) {
  openfst::PlainFst fst = branching();
  fst.arcs.push_back({6, 0, 1, 0});
  EXPECT_THAT(complaint(fst), HasSubstr("cycle"));
  fst = branching();
  fst.arcs.push_back({0, 3, 1, 0});
  EXPECT_THAT(complaint(fst), HasSubstr("equally long"));
  fst = branching();
  fst.final_cost[3] = 0;
  EXPECT_THAT(complaint(fst), HasSubstr("one for every position"));
  fst = branching();
  fst.arcs[0].label = 4;
  EXPECT_THAT(complaint(fst), HasSubstr("names expert 4, but there are 3"));
  fst = branching();
  fst.arcs[0].label = 0;
  EXPECT_THAT(complaint(fst), HasSubstr("every transition names an expert"));
  fst = branching();
  fst.final_cost[6] = INFINITY;
  EXPECT_THAT(complaint(fst), HasSubstr("no path leads"));
}

TEST(ExpertAutomaton, ReadsOpenFstFilesAndRefusesOthers) {
  const TemporaryDirectory folder;
  const std::string path = folder.path("g.fst");
  ASSERT_TRUE(openfst::write_fst(path, branching()));
  const auto read = ExpertAutomaton::open(path, kThree);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->positions(), 3u);
  EXPECT_EQ(read->arcs().size(), 12u);
  EXPECT_FALSE(ExpertAutomaton::open(folder.path("nowhere.fst"), kThree).ok());
  std::filesystem::resize_file(path, 90);
  testing::internal::CaptureStderr();
  const auto cut = ExpertAutomaton::open(path, kThree);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_FALSE(cut.ok());
  EXPECT_THAT(cut.error().message, HasSubstr("g.fst"));
}

TEST(ExpertAutomaton, AllocatesNothingForWhatADamagedFileOnlyClaims) {
  const TemporaryDirectory folder;
  const std::string path = folder.path("g.fst");
  // Where the file of a vector automaton says how many states it has, and how many transitions its first
  // state.
  constexpr std::streamoff kStates = 50, kTransitions = 70;
  for (const auto& [offset, what] : {std::pair(kStates, "states"), std::pair(kTransitions, "transitions")}) {
    ASSERT_TRUE(openfst::write_fst(path, branching()));
    constexpr int64_t kHuge = int64_t{1} << 40;
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(offset);
    file.write(reinterpret_cast<const char*>(&kHuge), sizeof kHuge);
    file.close();
    const auto read = ExpertAutomaton::open(path, kThree);
    ASSERT_FALSE(read.ok());
    EXPECT_THAT(read.error().message, HasSubstr("it claims more than it holds")) << what;
  }
}

}  // namespace
}  // namespace espalier::ensemble
