#include "espalier/cascade/model/segment_answer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <tuple>

#include "espalier/cascade/cascade_test_support.h"
#include "espalier/cascade/triple_level.h"

namespace espalier::cascade {
namespace {

using chain::find_ways_back;
using chain::WaysBack;
using data::Label;

using Key = std::tuple<size_t, size_t, std::string>;

data::LabelSet some_labels() {
  data::LabelSet labels;
  for (const char* name : {"O", "B-A", "I-A", "B-B", "I-B"}) labels.add(name);
  return labels;
}

std::vector<data::Span> segments_of(const data::LabelSet& labels, const std::vector<Label>& y) {
  std::vector<std::string_view> names;
  for (const Label label : y) names.push_back(labels.name(label));
  return data::spans(names, data::Scheme::kIob2);
}

/// The probability of every segment by adding up all paths of a trellis.
std::map<Key, double> enumerated(const RandomLevel& level, const data::LabelSet& labels, double temperature) {
  std::map<Key, double> out;
  double all = 0;
  for (const auto& y : level.labellings()) {
    if (find_path(level.trellis, y).empty()) continue;
    const double p = std::exp(score_in(level.trellis, y) / temperature);
    all += p;
    for (const data::Span& span : segments_of(labels, y))
      out[{span.first, span.last, std::string(span.type)}] += p;
  }
  for (auto& [key, p] : out) p /= all;
  return out;
}

/// The largest Σ (probability − price) of disjoint segments from row `from` on.
double best_sum(const std::map<Key, double>& p, size_t from, size_t length) {
  if (from == length) return 0;
  double best = best_sum(p, from + 1, length);
  for (const auto& [key, probability] : p)
    if (std::get<0>(key) == from)
      best = std::max(best, probability - data::kSegmentPrice + best_sum(p, std::get<1>(key), length));
  return best;
}

TEST(SegmentAnswer, IsTheBestSetOfSegmentsOfAllPaths) {
  const data::LabelSet labels = some_labels();
  const chain::SpanRules rules(labels, data::Scheme::kIob2);
  const Random root(7);
  SegmentAnswer answer;  // buffers are used again
  WaysBack ways;
  size_t changed = 0, likely_ones = 0;
  for (uint64_t i = 0; i < 300; ++i) {
    Random random = root.split(i);
    const RandomLevel level = random_level(1 + random.below(4), 1 + random.below(6), labels.size(), random);
    const double temperature = i % 3 == 0 ? 1 : 0.5 + 2 * random.uniform();
    const std::map<Key, double> wanted = enumerated(level, labels, temperature);
    chain::ForwardMax forward;
    const chain::LatticePath path = chain::viterbi(level.trellis.lattice, forward);
    find_ways_back(level.trellis.lattice, forward, temperature, ways);
    size_t expected = 0;
    for (const auto& [key, p] : wanted) expected += p > data::kSegmentPrice;
    const auto likely = answer.likely(ways, rules);
    EXPECT_EQ(likely.size(), expected) << i;
    for (const data::LikelySegment& segment : likely) {
      const Key key{segment.first, segment.last, std::string(rules.type_name(segment.type))};
      ASSERT_TRUE(wanted.contains(key)) << i;
      EXPECT_NEAR(segment.probability, wanted.at(key), 1e-6);
    }
    likely_ones += likely.size();
    const std::vector<Label> best = chain::path_labels(level.trellis.lattice, path.states);
    std::vector<Label> found = best;
    if (answer.choose(ways, rules, labels, data::Scheme::kIob2, found)) {
      EXPECT_NE(segments_of(labels, found), segments_of(labels, best));
      ++changed;
    } else {
      EXPECT_EQ(found, best);
    }
    double sum = 0;
    for (const data::Span& span : segments_of(labels, found)) {
      const auto known = wanted.find({span.first, span.last, std::string(span.type)});
      sum += (known == wanted.end() ? 0 : known->second) - data::kSegmentPrice;
    }
    EXPECT_NEAR(sum, best_sum(wanted, 0, level.positions), 1e-6) << i;
  }
  EXPECT_GT(changed, 30u);
  EXPECT_GT(likely_ones, 100u);
}

TEST(SegmentAnswer, PairsThatWereKeptSayTheSameAsTheirTrellis) {
  const data::LabelSet labels = some_labels();
  const chain::SpanRules rules(labels, data::Scheme::kIob2);
  const Random root(11);
  TripleLevel triples;
  PairLevel pairs;
  KeptPairs kept;
  SegmentAnswer answer;
  WaysBack ways, others;
  for (uint64_t i = 0; i < 200; ++i) {
    Random random = root.split(i);
    RandomLevel level = random_level(3, 1 + random.below(8), labels.size(), random);
    const PairWeights pair_weights(level.grams, level.gram);
    pairs.filter(level.alive, level.alive_node(), pair_weights, {}, random.uniform() - 0.3, kept);
    level.alive = kept.alive;
    level.trellis = grown(kept, level.grams);
    level.score();
    const TripleWeights weights(level.grams, level.gram);
    std::vector<Label> best;
    triples.decode(kept, level.alive_node(), weights, best);
    const double temperature = 0.5 + random.uniform();
    triples.find_ways_back(kept, weights, temperature, ways);
    chain::ForwardMax forward;
    forward.run(level.trellis.lattice);
    find_ways_back(level.trellis.lattice, forward, temperature, others);
    EXPECT_EQ(ways.begin, others.begin);
    EXPECT_EQ(ways.label, others.label);
    EXPECT_EQ(ways.source, others.source);
    ASSERT_EQ(ways.probability.size(), others.probability.size());
    for (size_t a = 0; a < ways.probability.size(); ++a)
      EXPECT_NEAR(ways.probability[a], others.probability[a], 1e-9);
    ASSERT_EQ(ways.last.size(), others.last.size());
    for (size_t s = 0; s < ways.last.size(); ++s) EXPECT_NEAR(ways.last[s], others.last[s], 1e-9);
    for (const auto& y : level.labellings()) {
      const double score = triples.score_of(kept, level.alive_node(), weights, y);
      if (find_path(level.trellis, y).empty()) {
        EXPECT_TRUE(std::isinf(score));
      } else {
        EXPECT_NEAR(score, level.score_of(y), 1e-4);
      }
    }
  }
}

TEST(SegmentAnswer, IsTheBestLabellingWhereItsSharesSaySo) {
  const data::LabelSet labels = some_labels();
  const chain::SpanRules rules(labels, data::Scheme::kIob2);
  const Random root(13);
  TripleLevel triples;
  PairLevel pairs;
  KeptPairs kept;
  SegmentAnswer answer;
  WaysBack ways;
  std::vector<BestShare> shares;
  size_t sure = 0, changed = 0, cut = 0;
  for (uint64_t i = 0; i < 2000; ++i) {
    Random random = root.split(i);
    RandomLevel level = random_level(3, 1 + random.below(9), labels.size(), random);
    pairs.filter(level.alive, level.alive_node(), PairWeights(level.grams, level.gram), {},
                 1.2 * random.uniform() - 0.3, kept);
    level.alive = kept.alive;
    level.trellis = grown(kept, level.grams);
    level.score();
    const TripleWeights weights(level.grams, level.gram);
    std::vector<Label> best;
    triples.decode(kept, level.alive_node(), weights, best);
    const double temperature = 0.1 + random.uniform();
    if (!triples.find_shares(kept, weights, temperature, 0, shares)) FAIL() << "no share is below 0";
    // Stretches are independent of each other, so the shares' product is that of the whole path.
    double product = 1, all = 0;
    for (const BestShare& stretch : shares) product *= stretch.share;
    const double best_score = level.score_of(best);
    for (const auto& y : level.labellings())
      if (!find_path(level.trellis, y).empty())
        all += std::exp((level.score_of(y) - best_score) / temperature);
    EXPECT_LE(product, 1 / all + 1e-4) << i;
    EXPECT_LE(1 / product - 1, 2 * (all - 1) + 1e-4)
        << i << ": each turn off the best way adds a few percent";
    cut += shares.size() > 1;
    triples.find_ways_back(kept, weights, temperature, ways);
    std::vector<Label> found = best;
    const bool other = answer.choose(ways, rules, labels, data::Scheme::kIob2, found);
    changed += other;
    if (!triples.find_shares(kept, weights, temperature, SegmentAnswer::kSureShare, shares)) continue;
    if (!SegmentAnswer::sure(shares, rules, best)) continue;
    ++sure;
    EXPECT_FALSE(other) << i;
  }
  EXPECT_GT(sure, 400u);
  EXPECT_GT(changed, 50u);
  EXPECT_GT(cut, 100u);
}

TEST(SegmentAnswer, SumsOverManyPathsStayFinite) {
  // 4,000 positions with five labels that tie: more paths than a double can count.
  const data::LabelSet labels = some_labels();
  const chain::SpanRules rules(labels, data::Scheme::kIob2);
  GramTable grams(labels.size());
  Trellis trellis = make_trellis(all_labels(4000, labels.size()), grams);
  chain::ForwardMax forward;
  const chain::LatticePath path = chain::viterbi(trellis.lattice, forward);
  WaysBack ways;
  find_ways_back(trellis.lattice, forward, 1, ways);
  for (const double p : ways.last) EXPECT_NEAR(p, 0.2, 1e-9);
  for (const double p : ways.probability) ASSERT_NEAR(p, 0.2, 1e-9);
  SegmentAnswer answer;
  EXPECT_TRUE(answer.likely(ways, rules).empty());
}

}  // namespace
}  // namespace espalier::cascade
