#include "espalier/ensemble/votes/substructures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "espalier/base/random.h"
#include "espalier/ensemble/methods/selection.h"
#include "espalier/ensemble/votes/combine.h"
#include "espalier/ensemble/votes/legal.h"

namespace espalier::ensemble {
namespace {

using data::Label;
using testing::ElementsAre;

/// Rows of labels, one word an expert, "_" for silence; gold first where `gold`.
TokenVotes tokens_of(data::LabelSet& labels, std::vector<std::vector<std::string>> rows, bool gold = false) {
  TokenVotes tokens;
  const auto code = [&](const std::string& text) { return text == "_" ? data::kNoLabel : labels.add(text); };
  tokens.reset(rows.front().size() - gold, rows.size());
  for (size_t t = 0; t < rows.size(); ++t) {
    if (gold) tokens.gold.push_back(code(rows[t][0]));
    for (size_t j = 0; j < tokens.experts; ++j)
      tokens.votes[t * tokens.experts + j] = code(rows[t][j + gold]);
  }
  return tokens;
}

std::vector<std::string> names_of(const data::LabelSet& labels, const std::vector<Label>& coded) {
  std::vector<std::string> names;
  for (const Label label : coded) names.push_back(label == data::kNoLabel ? "_" : labels.name(label));
  return names;
}

std::vector<std::string> combined(const TokenVotes& tokens, data::LabelSet& labels, const std::string& kind,
                                  const std::vector<double>& weights,
                                  data::Scheme scheme = data::Scheme::kNone, bool legal = false) {
  const WeightTable table = WeightTable::constant(weights);
  Substructures substructures(*parse_substructures(kind), labels, scheme);
  CombineRule rule;
  rule.table = &table;
  rule.legal = legal ? scheme : data::Scheme::kNone;
  Combiner combiner(rule, substructures, labels);
  Combined out;
  EXPECT_TRUE(combiner.combine(tokens, 0, out).ok());
  EXPECT_EQ(out.share.size(), out.labels.size());
  return names_of(labels, out.labels);
}

TEST(Substructures, NamesAreReadAndWritten) {
  for (const char* text : {"positions", "classes", "tokens", "ngrams:2", "ngrams:3", "spans", "dimensions:|"})
    EXPECT_EQ(substructures_text(*parse_substructures(text)), text);
  for (const char* text : {"words", "ngrams", "ngrams:4", "dimensions", "spans:2", ""})
    EXPECT_FALSE(parse_substructures(text).ok()) << text;
}

TEST(Substructures, PositionClassesCountFromBothEnds) {
  const auto classes = [](size_t length) {
    std::vector<size_t> all;
    for (size_t t = 0; t < length; ++t) all.push_back(position_class(t, length));
    return all;
  };
  EXPECT_THAT(classes(1), ElementsAre(0));
  EXPECT_THAT(classes(2), ElementsAre(0, 6));
  EXPECT_THAT(classes(5), ElementsAre(0, 1, 2, 5, 6));
  EXPECT_THAT(classes(9), ElementsAre(0, 1, 2, 3, 3, 3, 4, 5, 6));
}

TEST(Substructures, DimensionsAreVotedOnForThemselves) {
  data::LabelSet labels;
  const TokenVotes tokens = tokens_of(labels, {{"N|Sing", "V|Plur", "N|Plur"}});
  EXPECT_THAT(combined(tokens, labels, "dimensions:|", {1, 1, 1}), ElementsAre("N|Plur"));
  const TokenVotes apart = tokens_of(labels, {{"N|Sing", "V|Plur", "N|Dual"}, {"X", "X", "Y|Z"}});
  EXPECT_THAT(combined(apart, labels, "dimensions:|", {1, 1.5, 1}), ElementsAre("N|Plur", "X"));
}

TEST(Substructures, SpansOfLargestWeightThatDoNotOverlap) {
  data::LabelSet labels;
  const TokenVotes tokens =
      tokens_of(labels, {{"B-A", "B-A", "O"}, {"I-A", "O", "B-B"}, {"O", "B-B", "I-B"}});
  EXPECT_THAT(combined(tokens, labels, "spans", {1, 1, 3}, data::Scheme::kIob2),
              ElementsAre("O", "B-B", "I-B"));
  EXPECT_THAT(combined(tokens, labels, "spans", {3, 1, 1}, data::Scheme::kIob2),
              ElementsAre("B-A", "I-A", "O"));
  EXPECT_THAT(combined(tokens, labels, "spans", {1, 1, 1}, data::Scheme::kIob2), ElementsAre("O", "O", "O"));
}

TEST(Substructures, NgramsAreTheBestLabellingByBruteForce) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    for (const size_t order : {size_t{2}, size_t{3}}) {
      data::LabelSet labels;
      std::vector<std::vector<std::string>> rows;
      for (int t = 0; t < 4; ++t) {
        std::vector<std::string> row;
        for (int j = 0; j < 3; ++j) row.push_back(std::string(1, static_cast<char>('a' + random.below(3))));
        rows.push_back(row);
      }
      const TokenVotes tokens = tokens_of(labels, rows);
      std::vector<double> weights{random.uniform(), random.uniform(), random.uniform()};
      const std::vector<std::string> decoded =
          combined(tokens, labels, fmt::format("ngrams:{}", order), weights);
      // Σ over positions of the log share of the n-gram that ends there.
      const double total = weights[0] + weights[1] + weights[2];
      const auto score = [&](const std::vector<std::string>& y) {
        double sum = 0;
        for (size_t t = 0; t < 4; ++t) {
          double share = 0;
          for (size_t j = 0; j < 3; ++j) {
            bool same = true;
            for (size_t i = 0; i < order && i <= t; ++i) same &= rows[t - i][j] == y[t - i];
            if (same) share += weights[j] / total;
          }
          sum += std::log(std::max(share, kUnsaidShare));
        }
        return sum;
      };
      double best = -1e300;
      const std::function<void(std::vector<std::string>)> extend = [&](std::vector<std::string> y) {
        if (y.size() == 4) {
          best = std::max(best, score(y));
          return;
        }
        for (const char c : {'a', 'b', 'c'}) {
          auto longer = y;
          longer.emplace_back(1, c);
          extend(longer);
        }
      };
      extend({});
      EXPECT_NEAR(score(decoded), best, 1e-5) << "seed " << seed << " order " << order;
    }
  }
}

TEST(LegalVote, IsTheBestLegalLabellingByBruteForce) {
  const std::vector<std::string> names{"O", "B-A", "I-A", "B-B", "I-B", "E-A", "S-A"};
  for (const data::Scheme scheme :
       {data::Scheme::kIob2, data::Scheme::kIob1, data::Scheme::kIoe2, data::Scheme::kIobes})
    for (uint64_t seed = 1; seed <= 15; ++seed) {
      Random random(seed);
      data::LabelSet labels;
      for (const std::string& name : names) labels.add(name);
      std::vector<std::vector<std::string>> rows;
      for (int t = 0; t < 4; ++t) {
        std::vector<std::string> row;
        for (int j = 0; j < 3; ++j) row.push_back(names[random.below(names.size())]);
        rows.push_back(row);
      }
      const TokenVotes tokens = tokens_of(labels, rows);
      const std::vector<double> weights{0.5, 0.3, 0.2};
      const chain::LabelAutomaton automaton = scheme_automaton(labels, scheme);
      ASSERT_TRUE(automaton.check().ok());
      const auto score = [&](const std::vector<std::string>& y) {
        double sum = 0;
        for (size_t t = 0; t < 4; ++t) {
          double share = 0;
          for (size_t j = 0; j < 3; ++j)
            if (rows[t][j] == y[t]) share += weights[j];
          sum += std::log(std::max(share, kUnsaidShare));
        }
        return sum;
      };
      double best = -1e300;
      const std::function<void(std::vector<std::string>)> extend = [&](std::vector<std::string> y) {
        if (y.size() == 4) {
          std::vector<Label> coded;
          for (const std::string& name : y) coded.push_back(*labels.find(name));
          if (automaton.accepts(coded)) best = std::max(best, score(y));
          return;
        }
        for (const std::string& name : names) {
          auto longer = y;
          longer.push_back(name);
          extend(longer);
        }
      };
      extend({});
      const std::vector<std::string> decoded = combined(tokens, labels, "tokens", weights, scheme, true);
      EXPECT_NEAR(score(decoded), best, 1e-4);
      // What is legal reads the same after being taken apart into spans and put together.
      const std::vector<std::string_view> texts(decoded.begin(), decoded.end());
      const bool foreign = scheme != data::Scheme::kIobes;  // labels of other schemes count as anything there
      size_t repairs = 0;
      data::spans(texts, scheme, &repairs);
      if (!foreign) {
        EXPECT_EQ(repairs, 0u);
      }
    }
}

TEST(Combiner, ShortSequencesAreLeftToTheBestExpert) {
  data::LabelSet labels;
  const WeightTable votes = majority_table(3), best = single_expert_table(3, 2);
  Substructures substructures(*parse_substructures("tokens"), labels, data::Scheme::kNone);
  CombineRule rule;
  rule.table = &votes;
  rule.short_table = &best;
  rule.switch_length = 2;
  Combiner combiner(rule, substructures, labels);
  Combined out;
  ASSERT_TRUE(combiner.combine(tokens_of(labels, {{"a", "a", "b"}}), 0, out).ok());
  EXPECT_THAT(names_of(labels, out.labels), ElementsAre("b"));
  ASSERT_TRUE(combiner.combine(tokens_of(labels, {{"a", "a", "b"}, {"a", "a", "b"}}), 1, out).ok());
  EXPECT_THAT(names_of(labels, out.labels), ElementsAre("a", "a"));
}

}  // namespace
}  // namespace espalier::ensemble
