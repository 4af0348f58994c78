#include "espalier/tasks/summary/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "espalier/base/text/json.h"

namespace espalier::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string cluster_error(const std::string& line) {
  const auto parsed = parse_cluster(line, "f:3");
  return parsed.ok() ? "" : parsed.error().message;
}

TEST(Cluster, SplitsTextIntoWordsAndKeepsWhereTheyCameFrom) {
  const auto cluster = parse_cluster(
      R"({"id": 7, "limit": 20, "query": "Who, me?", "docs": [{"id": "a", "sents": ["Don't go, Ann.", "Été!"]},
          {"sents": ["3 men"]}], "refs": [{"sents": ["Go.", "Now."]}, {"sents": ["x"]}], "other": 1})",
      "test");
  ASSERT_TRUE(cluster.ok()) << cluster.error().message;
  EXPECT_EQ(cluster->id, "7");
  EXPECT_EQ(cluster->limit, 20u);
  EXPECT_THAT(cluster->query, ElementsAre("Who", "me"));
  EXPECT_EQ(cluster->documents.size(), 2u);
  EXPECT_EQ(cluster->sentences.size(), 3u);
  EXPECT_EQ(cluster->references.size(), 2u);
  std::string words, marks;
  for (const ClusterToken& token : cluster->tokens) (token.word ? words : marks) += token.text + " ";
  EXPECT_EQ(words, "Don't go Ann Été 3 men ");
  EXPECT_EQ(marks, ", . ! ");
  EXPECT_EQ(cluster->sentences[2].document, 1u);
  EXPECT_FALSE(cluster->parsed());
}

TEST(Cluster, ShowsMarksThatGoWithTheWordsShown) {
  const auto cluster = parse_cluster(
      R"({"docs": [{"id": "d", "sents": ["Ann, who (they say) slept, left.", "Bob."]}]})", "test");
  ASSERT_TRUE(cluster.ok());
  const auto text = [&](const std::vector<std::string>& words) {
    std::vector<bool> chosen;
    for (const ClusterToken& token : cluster->tokens)
      chosen.push_back(std::find(words.begin(), words.end(), token.text) != words.end());
    std::string out;
    for (const std::string& sentence : summary_sentences(*cluster, chosen)) out += sentence + "|";
    return out;
  };
  EXPECT_EQ(text({"Ann", "who", "they", "say", "slept", "left", "Bob"}),
            "Ann, who (they say) slept, left.|Bob.|");
  EXPECT_EQ(text({"Ann", "left"}), "Ann left.|");
  EXPECT_EQ(text({"Ann", "who", "slept", "left"}), "Ann, who slept, left.|");
  EXPECT_EQ(text({}), "");
  std::vector<bool> chosen(cluster->tokens.size(), false);
  chosen.front() = true;
  const auto json = summary_json(*cluster, chosen);
  EXPECT_EQ(json.at("summary"), "Ann.");
  EXPECT_EQ(json.at("words"), 1);
  EXPECT_EQ(
      json.at("sources").dump(),
      R"([{"text":"Ann","document":"d","sentence":0,"token":0},{"text":".","document":"d","sentence":0,"token":10}])");
}

TEST(Cluster, SaysWhatIsWrong) {
  EXPECT_THAT(cluster_error("{"), HasSubstr("f:3: expected a JSON object"));
  EXPECT_THAT(cluster_error("{}"), HasSubstr("\"docs\""));
  EXPECT_THAT(cluster_error(R"({"docs": []})"), HasSubstr("at least one document"));
  EXPECT_THAT(cluster_error(R"({"docs": [{"sents": ["a"]}, {"sents": []}]})"),
              HasSubstr("document 2 is empty"));
  EXPECT_THAT(cluster_error(R"({"docs": [{"sents": [" "]}]})"), HasSubstr("document 1 is empty"));
  EXPECT_THAT(cluster_error(R"({"docs": [{"sents": [3]}]})"), HasSubstr("document 1, sentence 1"));
  EXPECT_THAT(cluster_error(R"({"docs": [{"sents": ["a"]}], "limit": 0})"), HasSubstr("\"limit\" is 0"));
  EXPECT_THAT(cluster_error(R"({"docs": [{"sents": ["a"]}], "refs": [{"sents": []}]})"),
              HasSubstr("reference 1"));
  const auto heads = [](const std::string& list) {
    return cluster_error(R"({"docs": [{"sents": [{"tokens": ["a", "b", "c"], "heads": )" + list + "}]}]}");
  };
  EXPECT_EQ(heads("[2, 0, 2]"), "");
  EXPECT_THAT(heads("[2, 0]"), HasSubstr("\"heads\" with 3 values"));
  EXPECT_THAT(heads("[2, 0, 4]"), HasSubstr("value 3 is 4"));
  EXPECT_THAT(heads("[2, 1, 0]"), HasSubstr("its own ancestor"));
  EXPECT_THAT(heads("[0, 1, 0]"), HasSubstr("token 3 is a second root (head 0); token 1 is one already"));
  EXPECT_THAT(heads("[1, 0, 2]"), HasSubstr("value 1 is 1"));
}

}  // namespace
}  // namespace espalier::tasks
