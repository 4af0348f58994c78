#include "espalier/chain/span_marginals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>

#include "espalier/base/random.h"
#include "espalier/base/result.h"
#include "espalier/linear/rows.h"

namespace espalier::chain {
namespace {

struct SpanChain {
  AlignedVector<float> node, trans, edge;
  ChainScores view;

  /// `impossible`: one score in this many is −∞; 0 for none.
  SpanChain(size_t T, size_t K, bool own_edges, size_t impossible, double spread, Random& random) {
    const size_t S = linear::padded(K);
    const auto score = [&] {
      return impossible > 0 && random.below(impossible) == 0 ? kImpossible
                                                             : static_cast<float>(spread * random.gaussian());
    };
    node.assign(T * S, kImpossible);
    trans.assign(K * S, 0.0f);
    for (size_t t = 0; t < T; ++t)
      for (size_t j = 0; j < K; ++j) node[t * S + j] = score();
    for (float& x : trans) x = score();
    if (own_edges) {
      edge.assign(T * K * S, 0.0f);
      for (float& x : edge) x = score();
    }
    view = {T, K, S, node.data(), trans.data(), own_edges ? edge.data() : nullptr};
  }
};

double score_of_labels(const ChainScores& s, const std::vector<size_t>& y) {
  double score = 0;
  for (size_t t = 0; t < y.size(); ++t) {
    score += s.node[t * s.stride + y[t]];
    if (t > 0) score += s.transitions_into(t)[y[t - 1] * s.stride + y[t]];
  }
  return score;
}

/// Calls visit(labels) for each of the K^T labellings.
template <typename Visit>
void for_each_labelling(size_t T, size_t K, Visit visit) {
  std::vector<size_t> y(T, 0);
  while (true) {
    visit(y);
    size_t t = 0;
    while (t < T && ++y[t] == K) y[t++] = 0;
    if (t == T) return;
  }
}

/// Labels that a scheme has, with types A and B.
data::LabelSet labels_of_scheme(data::Scheme scheme) {
  const std::map<data::Scheme, std::string> prefixes = {
      {data::Scheme::kIob1, "IB"},   {data::Scheme::kIob2, "BI"},    {data::Scheme::kIoe1, "IE"},
      {data::Scheme::kIoe2, "EI"},   {data::Scheme::kIobes, "BIES"}, {data::Scheme::kBilou, "BILU"},
      {data::Scheme::kBmewo, "BMEW"}};
  data::LabelSet labels;
  labels.add("O");
  const std::string& all = prefixes.at(scheme);
  for (const char prefix : all) labels.add(std::string(1, prefix) + "-A");
  labels.add(std::string(1, all[0]) + "-B");
  labels.add(std::string(1, all[1]) + "-B");
  return labels;
}

TEST(SpanMarginals, AreTheShareOfLabellingsThatReadAsTheSpan) {
  Random random(61);
  for (const data::Scheme scheme : data::kSchemes) {
    const data::LabelSet labels = labels_of_scheme(scheme);
    const SpanRules rules(labels, scheme);
    SpanMarginals marginals(rules);
    for (int round = 0; round < 6; ++round) {
      const size_t T = 1 + random.below(5), K = labels.size();
      const SpanChain chain(T, K, round % 2 == 1, round % 3 == 0 ? 8 : 0, 1.5, random);
      double z = 0;
      std::map<std::tuple<size_t, size_t, std::string>, double> wanted;
      std::vector<std::string_view> names(T);
      for_each_labelling(T, K, [&](const std::vector<size_t>& y) {
        const double weight = std::exp(score_of_labels(chain.view, y));
        if (weight == 0) return;
        z += weight;
        for (size_t t = 0; t < T; ++t) names[t] = labels.name(static_cast<data::Label>(y[t]));
        for (const data::Span& span : data::spans(names, scheme))
          wanted[{span.first, span.last, std::string(span.type)}] += weight;
      });
      marginals.assign(chain.view);
      if (z == 0) {
        EXPECT_EQ(marginals.log_z(), -std::numeric_limits<double>::infinity());
        continue;
      }
      EXPECT_NEAR(marginals.log_z(), std::log(z), 1e-9);
      const Lattice lattice = make_lattice(chain.view);
      const SumMarginals sums = sum_marginals(lattice);
      for (size_t first = 0; first < T; ++first)
        for (size_t last = first + 1; last <= T; ++last)
          for (const char* type : {"A", "B"})
            for (const double found : {marginals.probability({first, last, type}),
                                       span_probability(rules, lattice, sums, {first, last, type})})
              EXPECT_NEAR(found, (wanted[{first, last, type}] / z), 1e-10)
                  << data::scheme_name(scheme) << " [" << first << ", " << last << ") " << type;
    }
  }
}

TEST(SpanMarginals, StandScoresThousandsApart) {
  Random random(62);
  const data::LabelSet labels = labels_of_scheme(data::Scheme::kIob2);
  const SpanRules rules(labels, data::Scheme::kIob2);
  SpanMarginals marginals(rules);
  const SpanChain chain(20, labels.size(), false, 0, 2000, random);
  std::vector<uint16_t> best(20);
  viterbi_plain(chain.view, best.data());
  std::vector<std::string_view> names;
  for (const uint16_t label : best) names.push_back(labels.name(label));
  marginals.assign(chain.view);
  const auto spans = data::spans(names, data::Scheme::kIob2);
  ASSERT_FALSE(spans.empty());
  for (const data::Span& span : spans) EXPECT_NEAR(marginals.probability(span), 1.0, 1e-9);
}

TEST(SpanMarginals, OfTypesThatDoNotOccurAndOfImpossibleChainsAreZero) {
  Random random(63);
  const data::LabelSet labels = labels_of_scheme(data::Scheme::kIobes);
  const SpanRules rules(labels, data::Scheme::kIobes);
  SpanMarginals marginals(rules);
  SpanChain chain(3, labels.size(), false, 0, 1, random);
  marginals.assign(chain.view);
  EXPECT_EQ(marginals.probability({0, 2, "C"}), 0.0);
  EXPECT_GT(marginals.probability({0, 2, "A"}), 0.0);
  EXPECT_THROW(marginals.probability({0, 4, "A"}), ContractViolation);
  EXPECT_THROW(marginals.probability({1, 1, "A"}), ContractViolation);
  std::fill(chain.node.begin(), chain.node.end(), kImpossible);
  marginals.assign(chain.view);
  EXPECT_EQ(marginals.probability({0, 2, "A"}), 0.0);
  const SpanRules none(labels, data::Scheme::kNone);
  EXPECT_TRUE(none.labels_of("A").empty());
}

TEST(SpanMarginals, OfSpansThroughOneTokenAddUpToTheProbabilityOfItsType) {
  Random random(64);
  const data::LabelSet labels = labels_of_scheme(data::Scheme::kIob1);
  const SpanRules rules(labels, data::Scheme::kIob1);
  SpanMarginals marginals(rules);
  const SpanChain chain(7, labels.size(), false, 0, 1, random);
  marginals.assign(chain.view);
  std::vector<float> posterior(7 * chain.view.stride);
  forward_backward_plain(chain.view, posterior.data(), nullptr);
  for (size_t t = 0; t < 7; ++t) {
    double wanted = 0, found = 0;
    for (const uint16_t j : rules.labels_of("A")) wanted += posterior[t * chain.view.stride + j];
    for (size_t first = 0; first <= t; ++first)
      for (size_t last = t + 1; last <= 7; ++last) found += marginals.probability({first, last, "A"});
    EXPECT_NEAR(found, wanted, 1e-5);
  }
}

}  // namespace
}  // namespace espalier::chain
