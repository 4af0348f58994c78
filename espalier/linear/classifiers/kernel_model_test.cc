#include "espalier/linear/classifiers/kernel_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "espalier/linear/classifiers/classifier_test_support.h"
#include "espalier/linear/classifiers/libsvm_classifier.h"

namespace espalier::linear {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Two labels and a third that training did not have; vectors (1, 2 at feature 7) and (3 at feature 9).
KernelParts small_parts() {
  KernelParts parts;
  parts.kernel = {.gamma = 0.5, .coef0 = 1, .normalise = false};
  parts.seen = {1, 1, 0};
  parts.vectors = {{0, 2, 3}, {2, 7, 9}};
  parts.values = {1, 2, 3};
  parts.machines = {{1, 0, 0.25}};
  parts.terms = {{0, 2}, {0, 1}};
  parts.coefficients = {0.5, -0.25};
  return parts;
}

KernelModel made(KernelParts parts) {
  auto model = KernelModel::make(std::move(parts));
  EXPECT_TRUE(model.ok()) << model.error().message;
  return std::move(model).value();
}

std::vector<float> scores(const KernelModel& model, const std::vector<uint32_t>& features,
                          const std::vector<float>& values = {}) {
  KernelModel::Scratch scratch;
  std::vector<float> out(model.labels());
  model.scores(features, values.empty() ? nullptr : values.data(), scratch, out);
  return out;
}

TEST(KernelModel, ScoresAreTheVotesAndMarginsOfItsEquation) {
  const KernelModel model = made(small_parts());
  // u·x = 1·2 + 2·1 = 4, v·x = 3·0.5: k = (0.5·4 + 1)² = 9 and (0.75 + 1)² = 3.0625.
  const double decision = 0.5 * 9 - 0.25 * 3.0625 - 0.25;
  const auto found = scores(model, {7, 2, 9, 1000}, {1, 2, 0.5, 8});
  EXPECT_NEAR(found[1], 1.5 + 0.5 * std::tanh(decision), 1e-6);
  EXPECT_NEAR(found[0], 0.5 - 0.5 * std::tanh(decision), 1e-6);
  EXPECT_EQ(found[2], -1.0f);
}

TEST(KernelModel, AgainstTheRestScoresAreDecisions) {
  KernelParts parts = small_parts();
  parts.machines = {{1, KernelParts::kRest, 0.25}, {1, KernelParts::kRest, 1}, {0, KernelParts::kRest, -2}};
  parts.terms = {{0, 2, 3, 3}, {0, 1, 0}};
  parts.coefficients = {0.5, -0.25, 1};
  const KernelModel model = made(parts);
  const double first = 0.5 * 9 - 0.25 * 3.0625 - 0.25, second = 9 - 1;  // two samples: their mean
  const auto found = scores(model, {7, 2, 9}, {1, 2, 0.5});
  EXPECT_NEAR(found[1], (first + second) / 2, 1e-5);
  EXPECT_NEAR(found[0], 2, 1e-6);
  EXPECT_EQ(found[2], KernelModel::kNever);
  parts.machines[2].loser = 1;
  EXPECT_FALSE(KernelModel::make(parts).ok());  // of one kind or the other
}

TEST(KernelModel, OrderAndRepetitionOfFeaturesDoNotMatter) {
  const KernelModel model = made(small_parts());
  EXPECT_EQ(scores(model, {2, 7}, {2, 1}), scores(model, {7, 2, 2}, {1, 1, 1}));
  EXPECT_EQ(scores(model, {2, 7}), scores(model, {7, 2}));
}

TEST(KernelModel, WithNormalisationTheLengthOfATokenDoesNotMatter) {
  KernelParts parts = small_parts();
  parts.kernel.normalise = true;
  const KernelModel model = made(parts);
  const auto once = scores(model, {2, 9}, {1, 2}), doubled = scores(model, {2, 9}, {2, 4});
  for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(once[k], doubled[k], 1e-6);
  EXPECT_EQ(scores(model, {}), scores(model, {5000}));  // nothing in common with any vector
}

TEST(KernelModel, SavedAndLoadedGivesTheSameScores) {
  const Dataset data = noisy_hints(5, 300, 1);
  const auto model = train_libsvm(data, 5, {});
  ASSERT_TRUE(model.ok());
  SectionWriter writer;
  model->save(writer);
  const auto file = SectionFile::from_bytes(writer.to_bytes(), "model");
  ASSERT_TRUE(file.ok());
  const auto loaded = KernelModel::load(*file);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  for (size_t t = 0; t < data.tokens(); ++t) {
    const std::vector<uint32_t> features(data.state[t].begin(), data.state[t].end());
    EXPECT_EQ(scores(*model, features), scores(*loaded, features));
  }
}

TEST(KernelModel, PartsThatDoNotFitTogetherAreRefused) {
  const std::vector<std::function<void(KernelParts&)>> damages = {
      [](KernelParts& p) { p.seen.clear(); },
      [](KernelParts& p) { p.seen[0] = 2; },
      [](KernelParts& p) { p.seen[1] = 0; },
      [](KernelParts& p) { p.kernel.gamma = 0; },
      [](KernelParts& p) { p.kernel.gamma = std::nan(""); },
      [](KernelParts& p) { p.kernel.coef0 = -1; },
      [](KernelParts& p) { p.vectors.begin.clear(); },
      [](KernelParts& p) { p.vectors.begin[0] = 1; },
      [](KernelParts& p) { p.vectors.begin[1] = 4; },
      [](KernelParts& p) { p.vectors.begin.back() = 2; },
      [](KernelParts& p) { p.vectors.values[1] = 2; },
      [](KernelParts& p) { p.values.pop_back(); },
      [](KernelParts& p) { p.values[0] = kInfinity; },
      [](KernelParts& p) { p.machines[0].winner = 3; },
      [](KernelParts& p) { p.machines[0].loser = 1; },
      [](KernelParts& p) { p.machines[0].rho = std::nan(""); },
      [](KernelParts& p) { p.machines.clear(); },
      [](KernelParts& p) { p.terms.begin[1] = 1; },
      [](KernelParts& p) { p.terms.values[0] = 2; },
      [](KernelParts& p) { p.coefficients.pop_back(); },
      [](KernelParts& p) { p.coefficients[1] = kInfinity; },
  };
  EXPECT_TRUE(KernelModel::make(small_parts()).ok());
  for (size_t i = 0; i < damages.size(); ++i) {
    KernelParts parts = small_parts();
    damages[i](parts);
    EXPECT_FALSE(KernelModel::make(std::move(parts)).ok()) << "damage " << i;
  }
}

TEST(KernelModel, DoctoredSectionsAreRefusedWithTheNameOfTheFile) {
  SectionWriter writer;
  made(small_parts()).save(writer);
  const auto whole = SectionFile::from_bytes(writer.to_bytes(), "m.espalier");
  ASSERT_TRUE(whole.ok());
  // Each section in turn left out, cut by a byte, and filled with ones.
  for (const SectionFile::Entry& victim : whole->entries())
    for (int damage = 0; damage < 3; ++damage) {
      SectionWriter doctored;
      for (const SectionFile::Entry& entry : whole->entries()) {
        std::vector<std::byte> bytes(entry.bytes.begin(), entry.bytes.end());
        if (entry.name == victim.name) {
          if (damage == 0) continue;
          if (damage == 1) bytes.pop_back();
          if (damage == 2) std::fill(bytes.begin(), bytes.end(), std::byte{0xFF});
        }
        doctored.add(entry.name, bytes);
      }
      const auto file = SectionFile::from_bytes(doctored.to_bytes(), "m.espalier");
      ASSERT_TRUE(file.ok());
      const auto loaded = KernelModel::load(*file);
      // Features may be any ascending numbers: all ones do not ascend, so they are refused too.
      ASSERT_FALSE(loaded.ok()) << victim.name << " damage " << damage;
      EXPECT_NE(loaded.error().message.find("m.espalier"), std::string::npos) << loaded.error().message;
    }
}

}  // namespace
}  // namespace espalier::linear
