#include "research/constrained/role_model.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "espalier/data/test_data.h"

namespace espalier::research {
namespace {

TEST(RoleModel, TrainingOnASampleLearnsAndKeepsToTheConstraints) {
  const std::string path = data::corpus_path("srl-wsj/dev.verbs.jsonl.gz");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  auto read = tasks::read_predicates(path);
  ASSERT_TRUE(read.ok()) << read.error().message;
  std::erase_if(*read, [](const tasks::RolePredicate& p) { return p.candidates.empty(); });
  const size_t half = read->size() / 2;
  const std::span<const tasks::RolePredicate> all(*read), train = all.first(half), test = all.subspan(half);
  const Workers workers(1);
  const linear::EncodedTraining training = encode_roles(train, workers);
  const linear::Dataset data = encode_roles(test, training);
  auto made = constrain::Constraints::resolve(
      tasks::role_constraints(training.labels, ""), "roles", tasks::role_shape(training.labels),
      training.labels, [](const std::string& f) -> Result<std::string> { return fail("{}", f); });
  ASSERT_TRUE(made.ok()) << made.error().message;
  const constrain::Compiled compiled(*made);
  const auto local = train_roles(training, {.predicates = train, .passes = 4}, workers, {});
  std::string note;
  const auto global =
      train_roles(training, {.constraints = &*made, .predicates = train, .passes = 4}, workers, {}, &note);
  ASSERT_TRUE(local.ok() && global.ok());
  double f1[3];
  for (int regime = 0; regime < 3; ++regime) {
    tasks::RoleScores scores;
    chain::SequenceScores buffer;
    for (size_t s = 0; s < test.size(); ++s) {
      chain::score_sequence(regime == 2 ? *global : *local, data, s, buffer);
      const constrain::Instance instance = tasks::role_instance(*made, test[s]);
      const auto found = assign_roles(regime == 0 ? nullptr : &compiled, instance, buffer.view);
      std::vector<std::string_view> roles;
      for (const data::Label y : found.labels) roles.push_back(training.labels.name(y));
      scores.add(test[s], roles);
      if (regime > 0) {
        EXPECT_EQ(made->penalty(instance, found.labels), 0);
      }
    }
    f1[regime] = scores.f1();
    EXPECT_GT(f1[regime], 50) << regime;
  }
  EXPECT_GT(f1[1], f1[0]);  // inference helps
}

}  // namespace
}  // namespace espalier::research
