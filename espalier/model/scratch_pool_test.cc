#include "espalier/model/scratch_pool.h"

#include <gtest/gtest.h>

#include <thread>

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
  mutable size_t made = 0;

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

}  // namespace
}  // namespace espalier::model
