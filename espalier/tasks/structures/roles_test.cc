#include "espalier/tasks/structures/roles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/base/random.h"
#include "espalier/constrain/decode.h"
#include "espalier/linear/rows.h"

namespace espalier::tasks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kLine =
    R"({"id":"d:0","pred":1,"lemma":"eat","sense":"eat.01","rel":[[1,2]],"tokens":["They","ate","the","bread"],)"
    R"("pos":["PRP","VBD","DT","NN"],"cands":[)"
    R"({"b":2,"e":4,"label":"NP","path":"NP^VP!VBD","head":3,"hw":"bread","role":"ARG1"},)"
    R"({"b":0,"e":1,"label":"NP","path":"NP^S!VP!VBD","head":0,"hw":"They","role":"ARG0"}],)"
    R"("missed":[{"b":0,"e":2,"role":"ARGM-TMP","label":null}]})";

Result<std::vector<RolePredicate>> read_lines(const std::string& text) {
  const TemporaryDirectory folder;
  const std::string path = folder.path("roles.jsonl");
  std::ofstream(path) << text;
  return read_predicates(path);
}

TEST(Roles, PredicatesAreReadWithCandidatesInOrder) {
  const auto read = read_lines(std::string(kLine) + "\n");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const RolePredicate& p = read->front();
  EXPECT_EQ(p.sense, "eat.01");
  ASSERT_EQ(p.candidates.size(), 2u);
  EXPECT_EQ(p.candidates[0].role, "ARG0");
  EXPECT_THAT(p.missed, ElementsAre("ARGM-TMP"));
  EXPECT_EQ(p.arguments(), 3u);
  const data::Sequence rows = role_sequence(p);
  EXPECT_EQ(rows.length(), 2u);
  EXPECT_EQ(rows.label(1), "ARG1");
  EXPECT_GT(rows.attribute_count(0), 30u);
}

TEST(Roles, DamagedLinesAreRefusedWithFileAndLine) {
  const auto error = [](const std::string& text) {
    const auto read = read_lines(text);
    return read.ok() ? std::string("no error") : read.error().message;
  };
  EXPECT_THAT(error(std::string(kLine) + "\n{nonsense\n"),
              HasSubstr("roles.jsonl:2: expected a JSON object"));
  EXPECT_THAT(error("{\"id\":\"x\"}\n"), HasSubstr("roles.jsonl:1:"));
  std::string outside = kLine;
  outside.replace(outside.find("\"e\":4"), 5, "\"e\":9");
  EXPECT_THAT(error(outside + "\n"), HasSubstr("does not lie within the 4 tokens"));
  EXPECT_THAT(error("\n"), HasSubstr("no predicates"));
}

TEST(Roles, PassivesAreToldFromActives) {
  RolePredicate p;
  p.tokens = {"It", "was", "quickly", "eaten"};
  p.pos = {"PRP", "VBD", "RB", "VBN"};
  p.position = 3;
  EXPECT_TRUE(is_passive(p));
  p.tokens = {"They", "have", "always", "eaten"};
  EXPECT_FALSE(is_passive(p));
}

TEST(Roles, ScoresCountMissedArguments) {
  const auto read = read_lines(std::string(kLine) + "\n");
  ASSERT_TRUE(read.ok());
  RoleScores scores;
  scores.add(read->front(), {"ARG0", kNoRole});
  EXPECT_DOUBLE_EQ(scores.accuracy(), 50);
  EXPECT_DOUBLE_EQ(scores.f1(), 50);  // 1 of 3 found, 1 predicted
}

/// Random candidates under the constraints of the task, with scores close to each other.
struct RandomRoles {
  data::LabelSet labels;
  constrain::Constraints constraints;
  constrain::Instance instance;
  AlignedVector<float> node;
  constrain::Scores scores;

  RandomRoles(Random& random, double spread) {
    for (const char* role : {"NONE", "ARG0", "ARG1", "ARG2", "ARG3", "R-ARG0", "R-ARG1", "C-ARG1", "C-ARG0",
                             "ARGM-TMP", "R-ARGM-TMP", "ARGM-LOC"})
      labels.add(role);
    auto made = constrain::Constraints::resolve(
        role_constraints(labels, ""), "roles", role_shape(labels), labels,
        [](const std::string& f) -> Result<std::string> { return fail("{}", f); });
    EXPECT_TRUE(made.ok());
    constraints = std::move(made).value();
    RolePredicate p;
    const size_t n = 1 + random.below(9);
    for (size_t i = 0; i < n; ++i) {
      RoleCandidate c;
      c.begin = random.below(12);
      c.end = c.begin + 1 + random.below(4);
      p.candidates.push_back(c);
    }
    std::sort(p.candidates.begin(), p.candidates.end(),
              [](const auto& a, const auto& b) { return a.begin < b.begin; });
    instance = role_instance(constraints, p);
    const size_t K = labels.size(), S = linear::padded(K);
    node.assign(n * S, chain::kImpossible);
    for (size_t t = 0; t < n; ++t)
      for (size_t y = 0; y < K; ++y) node[t * S + y] = static_cast<float>(spread * random.gaussian());
    scores = {n, K, S, node.data(), nullptr, nullptr};
  }
};

TEST(Roles, SearchAndIntegerProgramFindTheSameOptimum) {
  Random random(6);
  for (int trial = 0; trial < 150; ++trial) {
    const RandomRoles problem(random, 1.0);
    const constrain::Compiled compiled(problem.constraints);
    const auto search = constrain::decode(compiled, problem.instance, problem.scores, {});
    const auto integer = constrain::decode(compiled, problem.instance, problem.scores,
                                           {.method = constrain::Method::kInteger});
    ASSERT_EQ(search.outcome, chain::Outcome::kExact);
    ASSERT_EQ(integer.outcome, chain::Outcome::kExact);
    EXPECT_NEAR(search.value(), integer.value(), 1e-5);
    EXPECT_EQ(problem.constraints.penalty(problem.instance, search.labels), 0);
  }
}

}  // namespace
}  // namespace espalier::tasks
