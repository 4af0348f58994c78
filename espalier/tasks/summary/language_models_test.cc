#include "espalier/tasks/summary/language_models.h"

#include <gtest/gtest.h>

#include <numeric>

namespace espalier::tasks {
namespace {

TEST(TopicModel, FindsTheWordsThatDocumentsShareAndGeneralLanguageLacks) {
  // 0: frequent everywhere; 1: in all documents; 2, 3, 4: in one document each.
  const std::vector<std::vector<uint32_t>> documents = {
      {0, 0, 0, 1, 1, 2, 2}, {0, 0, 0, 1, 1, 3, 3}, {0, 0, 0, 1, 1, 4, 4}};
  const std::vector<double> general = {0.5, 0.001, 0.001, 0.001, 0.001}, no_query(5, 0.0);
  const std::vector<double> topic = topic_model(5, documents, general, no_query);
  EXPECT_NEAR(std::accumulate(topic.begin(), topic.end(), 0.0), 1, 1e-9);
  for (const size_t other : {0, 2, 3, 4}) EXPECT_GT(topic[1], 2 * topic[other]) << other;
  // A query lifts its words.
  const std::vector<double> query = {0, 0, 1, 0, 0};
  EXPECT_GT(topic_model(5, documents, general, query)[2], 2 * topic[2]);
}

TEST(WordCounts, LeaveOutAClustersOwnWordsAndSurviveAFile) {
  WordCounts all, own;
  all.add(7, 10);
  all.add(8, 5);
  all.add(9);
  own.add(8, 5);
  EXPECT_GT(background_probability(all, nullptr, 8), 3 * background_probability(all, &own, 8));
  EXPECT_EQ(background_probability(all, &own, 8), background_probability(all, &own, 12345));
  SectionWriter out;
  all.save("x", out);
  const auto file = SectionFile::from_bytes(out.to_bytes(), "test");
  ASSERT_TRUE(file.ok());
  const auto read = WordCounts::load(*file, "x");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->count(7), 10u);
  EXPECT_EQ(read->count(9), 0u) << "words seen once are left out";
  EXPECT_FALSE(WordCounts::load(*file, "y").ok());
}

}  // namespace
}  // namespace espalier::tasks
