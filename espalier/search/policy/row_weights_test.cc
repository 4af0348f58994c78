#include "espalier/search/policy/row_weights.h"

#include <gtest/gtest.h>

#include "espalier/base/random.h"
#include "espalier/linear/random_rows.h"
#include "espalier/search/policy/present_rows.h"

namespace espalier::search {
namespace {

/// A few blocks over features with rows of every kind.
struct Fixture {
  linear::RandomRows rows{7, 30, 5};
  std::shared_ptr<const linear::StateRows> layout = std::make_shared<const linear::StateRows>(rows.layout);
  std::vector<uint64_t> begin{0};
  std::vector<uint32_t> ids;
  std::vector<float> values;
  Fixture() {
    for (int b = 0; b < 4; ++b) {
      for (const uint32_t f : rows.draw_features(6)) ids.push_back(f);
      begin.push_back(ids.size());
    }
    values = rows.draw_values(ids.size());
  }
  StaticBlocks blocks() const { return {begin, ids.data(), values.data()}; }
};

std::vector<float> copy(std::span<const float> row) { return {row.begin(), row.begin() + 5}; }

TEST(RowWeights, ScoresAreSumsOfBlocksAndHashedRows) {
  const Fixture f;
  RowWeights w(f.layout, 5);
  std::copy(f.rows.weights.begin(), f.rows.weights.end(), w.static_weights().begin());
  w.begin(f.blocks());
  FeatureSink sink;
  sink.block(1);
  sink.block(3);
  sink.add(42, 0.5);
  w.add(sink, 2, 0);  // gives hash 42 a row
  w.hashed().row(w.hashed().find(42))[4] = 8;
  std::vector<float> expected(8, 0.0f);
  for (const uint32_t b : {1u, 3u})
    linear::add_rows_plain(f.rows.layout, f.rows.weights.data(), f.blocks()[b], f.blocks().values_of(b),
                           expected.data());
  expected[4] += 4;
  const auto row = copy(w.score(sink));
  for (size_t l = 0; l < 5; ++l) EXPECT_NEAR(row[l], expected[l], 1e-5);
}

TEST(RowWeights, SumsAreNotKeptBeyondAChange) {
  const Fixture f;
  RowWeights w(f.layout, 5);
  w.begin(f.blocks());
  FeatureSink sink;
  sink.block(0);
  EXPECT_EQ(copy(w.score(sink)), std::vector<float>(5, 0.0f));
  for (uint32_t l = 0; l < 5; ++l) w.add(sink, l, 1);
  const auto after = copy(w.score(sink));
  EXPECT_NE(after, std::vector<float>(5, 0.0f));
  w.begin(f.blocks());
  EXPECT_EQ(copy(w.score(sink)), after);
}

TEST(RowWeights, AGradientTooSmallToSquareMovesNothing) {
  const Fixture f;
  RowWeights w(f.layout, 5, true);
  w.begin(f.blocks());
  FeatureSink sink;
  sink.block(0);
  sink.add(7);
  w.gather(sink, std::vector<float>(5, 1e-30f));
  w.descend(0.1f);
  EXPECT_EQ(copy(w.score(sink)), std::vector<float>(5, 0.0f));
  w.gather(sink, std::vector<float>(5, 0.5f));
  w.descend(0.1f);
  for (const float score : copy(w.score(sink))) EXPECT_LT(score, 0);
}

TEST(RowWeights, TheAverageIsTheMeanOfTheWeightsAtEachTickOrSnapshot) {
  const Fixture f;
  for (const bool adaptive : {false, true}) {
    RowWeights w(f.layout, 5, adaptive);
    w.begin(f.blocks());
    Random random(3);
    FeatureSink probe;
    for (uint32_t b = 0; b < 4; ++b) probe.block(b);
    for (uint64_t h = 0; h < 3; ++h) probe.add(h);
    std::vector<double> mean(5, 0.0);
    constexpr int kTicks = 50;
    for (int i = 0; i < kTicks; ++i) {
      // The weights at the beginning of a tick are the ones averaged.
      if (adaptive) w.snapshot();
      const auto row = copy(w.score(probe));
      for (size_t l = 0; l < 5; ++l) mean[l] += row[l] / kTicks;
      FeatureSink sink;
      sink.block(static_cast<uint32_t>(random.below(4)));
      sink.add(random.below(3), random.gaussian());
      if (adaptive) {
        std::vector<float> g(5);
        for (float& x : g) x = static_cast<float>(random.gaussian());
        w.gather(sink, g);
        w.descend(0.1f);
        w.shrink(0.1f, 0.5f, 0.01f);
      } else {
        w.add(sink, static_cast<uint32_t>(random.below(5)), static_cast<float>(random.gaussian()));
      }
      if (!adaptive) w.tick();
    }
    RowWeights average = w.averaged();
    average.begin(f.blocks());
    const auto row = copy(average.score(probe));
    for (size_t l = 0; l < 5; ++l) EXPECT_NEAR(row[l], mean[l], 1e-3);
  }
}

/// Weights for 20 labels that have learned from states whose hashed features are seen with some labels only.
RowWeights learned_with(bool ranges, bool adaptive) {
  constexpr size_t kLabels = 20;
  RowWeights w(no_static_rows(kLabels), kLabels, adaptive);
  w.begin({});
  Random random(5);
  std::vector<float> gradient(w.stride());
  for (int step = 0; step < 300; ++step) {
    const LabelRange labels = random.below(2) == 0 ? LabelRange{0, 9} : LabelRange{9, 20};
    FeatureSink sink;
    if (ranges) sink.labels(labels);
    for (int i = 0; i < 3; ++i) sink.add(100 * labels.first + random.below(20), 1 + i);
    std::fill(gradient.begin(), gradient.end(), 0.0f);
    const uint32_t some = step % 3 == 0 ? 2 : labels.last - labels.first;  // a few, or most of the row
    for (uint32_t l = 0; l < some; ++l)
      gradient[labels.first + l] = static_cast<float>(random.below(200)) / 100 - 1;
    w.gather(sink, gradient);
    if (adaptive) {
      w.descend(0.2f);
      if (step % 50 == 49) w.shrink(0.2f, 0.1f, 1);
      if (step % 50 == 49) w.snapshot();
    } else {
      w.subtract();
      w.add(sink, labels.first + 1, 0.5f);
      w.tick();
    }
  }
  return w;
}

TEST(HashedRows, WithRoomForSomeLabelsLearnWhatFullOnesDo) {
  for (const bool adaptive : {false, true}) {
    const RowWeights all = learned_with(false, adaptive), some = learned_with(true, adaptive);
    EXPECT_EQ(all.hashed().weights().size(), all.hashed().size() * 24);
    EXPECT_EQ(some.hashed().weights().size(), some.hashed().size() * 16) << "two vectors of three";
    ASSERT_EQ(all.hashed().hashes(), some.hashed().hashes());
    const RowWeights mean = all.averaged(), mean_of_some = some.averaged();
    for (uint32_t r = 0; r < all.hashed().size(); ++r)
      for (size_t l = 0; l < 20; ++l) {
        EXPECT_EQ(some.hashed().weight(r, l), all.hashed().weight(r, l));
        EXPECT_EQ(mean_of_some.hashed().weight(r, l), mean.hashed().weight(r, l));
      }
    RowWeights last = some;
    EXPECT_EQ(std::move(last).averaged().hashed().weights(), mean_of_some.hashed().weights()) << "in place";
    // What is stored: all that is not 0, and all weights of rows that most labels have one in.
    const PresentRows present(some);
    ASSERT_EQ(present.layout.rows(), some.hashed().size());
    for (uint32_t r = 0; r < some.hashed().size(); ++r) {
      std::vector<float> row(20, 0.0f);
      for (uint32_t i = present.layout.begin[r]; i < present.layout.begin[r + 1]; ++i)
        row[present.layout.column[i]] = present.weights[i];
      size_t count = 0;
      for (size_t l = 0; l < 20; ++l) {
        EXPECT_EQ(row[l], all.hashed().weight(r, l));
        count += row[l] != 0;
      }
      EXPECT_EQ(present.layout.begin[r + 1] - present.layout.begin[r], 2 * count > 20 ? 20 : count);
    }
  }
}

TEST(RowWeights, RefusesALabelThatWasPromisedNotToCome) {
  RowWeights w(no_static_rows(20), 20);
  FeatureSink sink;
  sink.labels({0, 5});
  sink.add(1);
  EXPECT_NO_THROW(w.add(sink, 4, 1));
  EXPECT_ANY_THROW(w.add(sink, 9, 1));
}

TEST(HashedRows, KeepTheirRowsWhileTheTableGrows) {
  HashedRows rows(8);
  Random random(1);
  std::vector<uint64_t> hashes;
  for (int i = 0; i < 1000; ++i) {
    hashes.push_back(random.next());
    rows.row(rows.insert(hashes.back()))[3] = static_cast<float>(i);
  }
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(rows.row(rows.find(hashes[i]))[3], static_cast<float>(i));
    EXPECT_EQ(rows.insert(hashes[i]), static_cast<uint32_t>(i));
  }
  EXPECT_EQ(rows.find(12345), HashedRows::kNone);
}

TEST(HashedRows, NewRowsJoinThoseOfAnOldModel) {
  constexpr uint32_t kOld = 1000;  // more than the table has room for at first
  linear::StateRows layout;
  layout.width = 5;
  std::vector<uint64_t> hashes;
  std::vector<float> weights;
  Random random(2);
  for (uint32_t f = 0; f < kOld; ++f) {
    hashes.push_back(random.next());
    layout.column.push_back(static_cast<uint16_t>(f % 5));
    layout.begin.push_back(f + 1);
    weights.push_back(static_cast<float>(f + 1));
  }
  std::vector<uint32_t> offsets;
  const auto packed = linear::PackedRows::pack(layout, weights.data(), 32, offsets);
  const auto map = linear::FeatureMap::build(hashes, offsets, nullptr);
  HashedRows rows(8);
  rows.start_from({.hashed_map = &map, .hashed = &packed});
  ASSERT_EQ(rows.size(), kOld);
  for (uint32_t i = 0; i < kOld; ++i) EXPECT_EQ(rows.insert(random.next()), kOld + i);
  for (uint32_t f = 0; f < kOld; ++f) EXPECT_EQ(rows.row(rows.insert(hashes[f]))[f % 5], weights[f]);
}

}  // namespace
}  // namespace espalier::search
