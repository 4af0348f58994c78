#include "espalier/model/scratch_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace espalier::model {
namespace {

/// Makes scratch objects and nothing else.
class NoPredictor : public data::Predictor {
 public:
  const data::LabelSet& labels() const override { return labels_; }
  std::unique_ptr<Scratch> make_scratch() const override {
    ++made;
    return std::make_unique<Scratch>();
  }
  Status predict(const data::Sequence&, std::span<const data::Label>, const data::PredictOptions&, Scratch&,
                 data::Prediction&) const override {
    return {};
  }
  Explained explain_forced(const data::Sequence&, std::span<const data::Label>, Scratch&) const override {
    return std::vector<Explanation>();
  }
  StrongestWeights strongest(size_t, std::optional<data::Label>) const override {
    return std::vector<WeightedFeature>();
  }
  Size size() const override { return {}; }
  mutable std::atomic<size_t> made = 0;

 private:
  data::LabelSet labels_;
};

TEST(ScratchPoolTest, ThreadsGetBackTheScratchThatTheyUsedLast) {
  const NoPredictor predictor;
  ScratchPool pool(predictor);
  auto other = pool.take();
  auto own = pool.take();
  const auto* const wanted = own.get();
  pool.give_back(std::move(own));
  std::thread([&] { pool.give_back(std::move(other)); }).join();  // the last that was given back
  for (int i = 0; i < 3; ++i) {
    auto again = pool.take();
    EXPECT_EQ(again.get(), wanted);
    pool.give_back(std::move(again));
  }
  EXPECT_EQ(predictor.made, 2u);
}

TEST(ScratchPoolTest, MakesNoMoreThanAreInUseAtOnce) {
  const NoPredictor predictor;
  ScratchPool pool(predictor);
  for (int i = 0; i < 20; ++i) std::thread([&] { pool.give_back(pool.take()); }).join();
  EXPECT_EQ(predictor.made, 1u);
}

TEST(ScratchPoolTest, KeepsWhatThreadsThatShareAPlaceGiveBack) {
  const NoPredictor predictor;
  ScratchPool pool(predictor);
  std::vector<std::unique_ptr<data::Predictor::Scratch>> all(3);
  for (int round = 0; round < 3; ++round) {
    for (auto& one : all) one = pool.take();
    EXPECT_EQ((std::set<const void*>{all[0].get(), all[1].get(), all[2].get()}.size()), 3u);
    for (auto& one : all) pool.give_back(std::move(one));
  }
  EXPECT_EQ(predictor.made, 3u);
}

TEST(ScratchPoolTest, NoTwoThreadsHaveTheSameScratch) {
  const NoPredictor predictor;
  ScratchPool pool(predictor);
  std::mutex mutex;
  std::set<const void*> in_use;
  std::atomic<int> twice{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        auto scratch = pool.take();
        const void* const it = scratch.get();
        {
          const std::lock_guard lock(mutex);
          if (!in_use.insert(it).second) ++twice;
        }
        {
          const std::lock_guard lock(mutex);
          in_use.erase(it);
        }
        pool.give_back(std::move(scratch));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(twice, 0);
}

}  // namespace
}  // namespace espalier::model
