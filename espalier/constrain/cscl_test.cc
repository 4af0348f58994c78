#include "espalier/constrain/cscl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "espalier/base/random.h"
#include "espalier/program/program.h"

namespace espalier::constrain {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

double value_of(std::span<const Phrase> phrases, std::span<const float> open, std::span<const float> close) {
  double sum = 0;
  for (const Phrase& p : phrases)
    sum += static_cast<double>(open[p.first]) + static_cast<double>(close[p.last - 1]);
  return sum;
}

TEST(Cscl, PhrasesAreTheBestThatDoNotOverlap) {
  Random random(9);
  for (int trial = 0; trial < 200; ++trial) {
    const size_t n = random.below(8), longest = 1 + random.below(4);
    std::vector<float> open, close;
    for (size_t i = 0; i < n; ++i) {
      open.push_back(static_cast<float>(random.gaussian()));
      close.push_back(static_cast<float>(random.gaussian()));
    }
    // Everything by recursion: skip a word, or take a phrase that begins here.
    const std::function<double(size_t)> best = [&](size_t t) -> double {
      if (t >= n) return 0;
      double top = best(t + 1);
      for (size_t last = t + 1; last <= n && last - t <= longest; ++last)
        top = std::max(top, static_cast<double>(open[t]) + static_cast<double>(close[last - 1]) + best(last));
      return top;
    };
    const std::vector<Phrase> found = best_phrases(open, close, longest);
    EXPECT_NEAR(value_of(found, open, close), best(0), 1e-6);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_LT(found[i].first, found[i].last);
      EXPECT_LE(found[i].last - found[i].first, longest);
      if (i > 0) {
        EXPECT_GE(found[i].first, found[i - 1].last);
      }
    }
  }
}

TEST(Cscl, AgreesWithAnIntegerProgram) {
  Random random(10);
  for (int trial = 0; trial < 30; ++trial) {
    const size_t n = 6, longest = 4;
    std::vector<float> open, close;
    for (size_t i = 0; i < n; ++i) {
      open.push_back(static_cast<float>(random.gaussian()));
      close.push_back(static_cast<float>(random.gaussian()));
    }
    program::Program p(program::Sense::kMaximise);
    std::vector<std::vector<program::Term>> word(n);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = i; j < n && j - i < longest; ++j) {
        const int x = p.add_binary(static_cast<double>(open[i]) + static_cast<double>(close[j]));
        for (size_t w = i; w <= j; ++w) word[w].push_back({x, 1});
      }
    for (const auto& terms : word) p.add_row(terms, -program::kInfinite, 1);
    EXPECT_NEAR(value_of(best_phrases(open, close, longest), open, close), program::solve(p).objective, 1e-6);
  }
}

TEST(Cscl, NothingIsTakenThatCosts) {
  EXPECT_THAT(best_phrases({}, {}, 5), IsEmpty());
  const std::vector<float> open = {-1, -1}, close = {-1, -1};
  EXPECT_THAT(best_phrases(open, close, 5), IsEmpty());
  const std::vector<float> o = {2, -9, 1}, c = {-1, 1, 1};
  EXPECT_THAT(best_phrases(o, c, 5), ElementsAre(Phrase{0, 2}, Phrase{2, 3}));
  EXPECT_THAT(best_phrases(o, c, 1), ElementsAre(Phrase{0, 1}, Phrase{2, 3}));
}

}  // namespace
}  // namespace espalier::constrain
