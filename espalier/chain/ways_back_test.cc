#include "espalier/chain/ways_back.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "espalier/chain/random_chain.h"

namespace espalier::chain {
namespace {

using Key = std::tuple<size_t, size_t, std::string>;

data::LabelSet some_labels() {
  data::LabelSet labels;
  for (const char* name : {"O", "B-A", "I-A", "B-B", "I-B"}) labels.add(name);
  return labels;
}

/// The probability of every segment by adding up all labellings.
std::map<Key, double> enumerated(const RandomChain& chain, const data::LabelSet& labels, double log_z) {
  std::map<Key, double> out;
  chain.for_each_labelling([&](const std::vector<uint16_t>& y) {
    std::vector<std::string_view> names;
    for (const uint16_t label : y) names.push_back(labels.name(label));
    for (const data::Span& span : data::spans(names, data::Scheme::kIob2))
      out[{span.first, span.last, std::string(span.type)}] += std::exp(chain.score(y) - log_z);
  });
  return out;
}

class WaysBackTest : public ::testing::TestWithParam<bool> {};

TEST_P(WaysBackTest, SaysHowProbableLabelsAndSegmentsOfAChainAre) {
  const data::LabelSet labels = some_labels();
  const SpanRules rules(labels, data::Scheme::kIob2);
  SegmentFinder finder;  // buffers are used again
  WaysBack ways;
  ChainScratch scratch;
  std::vector<double> states;
  constexpr double kLeast = 0.02;
  size_t found_ones = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    const RandomChain chain(i + 1, 1 + i % 6, labels.size(), 1.5f, GetParam());
    const BruteForce truth(chain);
    AlignedVector<float> marginals(chain.T * chain.S);
    forward_backward(chain.view(), chain.potentials(), scratch, marginals.data(), nullptr);
    find_ways_back(chain.view(), marginals.data(), 0, ways);
    const auto segments = finder.find(ways, rules, kLeast);
    find_state_probabilities(ways, states);
    ASSERT_EQ(ways.positions(), chain.T);
    ASSERT_EQ(states.size(), chain.T * chain.K);
    for (size_t s = 0; s < states.size(); ++s) {
      EXPECT_NEAR(states[s], truth.marginals[s / chain.K * chain.S + ways.label[s]], 1e-6);
      EXPECT_NEAR(states[s], finder.states()[s], 1e-9);
    }
    const std::map<Key, double> wanted = enumerated(chain, labels, truth.log_z);
    size_t expected = 0;
    for (const auto& [key, p] : wanted) expected += p > kLeast;
    EXPECT_EQ(segments.size(), expected) << i;
    for (const data::LikelySegment& segment : segments)
      EXPECT_NEAR(segment.probability,
                  wanted.at({segment.first, segment.last, std::string(rules.type_name(segment.type))}), 1e-6);
    found_ones += segments.size();

    // Without what is less probable than a hundredth, little changes.
    find_ways_back(chain.view(), marginals.data(), 0.01f, ways);
    EXPECT_LE(ways.label.size(), states.size());
    find_state_probabilities(ways, states);
    for (size_t t = 0; t < chain.T; ++t) {
      double all = 0;
      for (uint32_t s = ways.begin[t]; s < ways.begin[t + 1]; ++s) {
        all += states[s];
        EXPECT_NEAR(states[s], truth.marginals[t * chain.S + ways.label[s]], 0.2);
      }
      EXPECT_NEAR(all, 1, 1e-9);
    }
  }
  EXPECT_GT(found_ones, 500u);
}

INSTANTIATE_TEST_SUITE_P(Edges, WaysBackTest, ::testing::Bool());

TEST(WaysBack, LabelsThatNothingLeadsToHaveNoProbability) {
  RandomChain chain(3, 4, 3, 1);
  for (size_t t = 0; t < chain.T; ++t) chain.node[t * chain.S + 2] = kImpossible;
  AlignedVector<float> marginals(chain.T * chain.S);
  ChainScratch scratch;
  forward_backward(chain.view(), chain.potentials(), scratch, marginals.data(), nullptr);
  WaysBack ways;
  std::vector<double> states;
  find_ways_back(chain.view(), marginals.data(), 0, ways);
  find_state_probabilities(ways, states);
  for (size_t s = 0; s < states.size(); ++s) {
    ASSERT_TRUE(std::isfinite(states[s]));
    EXPECT_TRUE(ways.label[s] != 2 || states[s] == 0);
  }
}

}  // namespace
}  // namespace espalier::chain
