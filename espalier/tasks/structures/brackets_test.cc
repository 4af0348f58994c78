#include "espalier/tasks/structures/brackets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/base/random.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/test_data.h"

namespace espalier::tasks {
namespace {

using constrain::Phrase;
using testing::ElementsAre;

TEST(Brackets, PhrasesAreReadFromLabels) {
  const auto sequences = data::read_sequences("a B-NP\nb I-NP\nc O\nd B-VP\ne B-NP\n", {});
  ASSERT_TRUE(sequences.ok());
  EXPECT_THAT(phrases_of(sequences->front(), "NP"), ElementsAre(Phrase{0, 2}, Phrase{4, 5}));
  EXPECT_THAT(phrases_of(sequences->front(), ""), ElementsAre(Phrase{0, 2}, Phrase{3, 4}, Phrase{4, 5}));
}

TEST(Brackets, ScoresCountWholePhrases) {
  PhraseScores scores;
  const std::vector<Phrase> wanted = {{0, 2}, {3, 4}, {5, 6}}, given = {{0, 2}, {3, 5}};
  scores.add(wanted, given);
  EXPECT_DOUBLE_EQ(scores.f1(), 40);
}

TEST(Brackets, BothRegimesLearnWhatCanBeLearned) {
  // Feature 0 opens, 1 closes, 2 does both, 3 is inside or outside; 4 is always present.
  linear::Dataset data;
  std::vector<std::vector<Phrase>> gold;
  Random random(3);
  for (int s = 0; s < 60; ++s) {
    std::vector<Phrase> phrases;
    size_t t = 0;
    const auto token = [&](uint32_t feature) {
      data.state.push(feature);
      data.state.push(4);
      data.state.close();
      data.gold.push_back(0);
      ++t;
    };
    while (t < 10) {
      const size_t length = random.below(4);
      if (length == 0) {
        token(3);
        continue;
      }
      phrases.push_back({t, t + length});
      if (length == 1) {
        token(2);
      } else {
        token(0);
        for (size_t i = 2; i < length; ++i) token(3);
        token(1);
      }
    }
    data.sequence_begin.push_back(data.gold.size());
    data.weight.push_back(1);
    gold.push_back(phrases);
  }
  for (const BracketRegime regime : {BracketRegime::kLocal, BracketRegime::kGlobal}) {
    const BracketWeights weights = train_brackets(data, 5, gold, {.regime = regime, .passes = 5}, {});
    PhraseScores scores;
    std::vector<float> open, close;
    for (size_t s = 0; s < data.sequences(); ++s) {
      weights.score(data, s, open, close);
      scores.add(gold[s], constrain::best_phrases(open, close, 10));
    }
    EXPECT_EQ(scores.f1(), 100);
  }
}

}  // namespace
}  // namespace espalier::tasks
