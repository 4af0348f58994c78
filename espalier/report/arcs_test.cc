#include "espalier/report/arcs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/base/random.h"

namespace espalier::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

size_t times(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Arcs, AnArcIsAboveThoseThatItSpans) {
  EXPECT_THAT(arc_levels(std::vector<uint32_t>{2, 3, 0, 5, 3}), ElementsAre(1, 1, 0, 1, 2));
  // Whatever the heads, arcs that share more than an end have different heights.
  Random random(1);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<uint32_t> heads;
    for (uint32_t w = 0; w < 9; ++w) {
      const auto head = static_cast<uint32_t>(random.below(10));
      heads.push_back(head == w + 1 ? 0 : head);
    }
    const std::vector<uint32_t> levels = arc_levels(heads);
    for (uint32_t a = 0; a < 9; ++a)
      for (uint32_t b = 0; b < a; ++b) {
        if (heads[a] == 0 || heads[b] == 0) continue;
        const auto first = [&](uint32_t w) { return std::min(w, heads[w] - 1); };
        const auto last = [&](uint32_t w) { return std::max(w, heads[w] - 1); };
        if (last(a) > first(b) && last(b) > first(a)) {
          EXPECT_NE(levels[a], levels[b]);
        }
      }
  }
}

TEST(Arcs, WrongArcsAreMarkedAndGoldArcsShownInTheirPlace) {
  const std::vector<std::string> words = {"the", "<b>cat</b>", "slept"}, relations = {"det", "nsubj", "root"},
                                 other = {"det", "obj", "root"};
  const std::vector<uint32_t> heads = {2, 3, 0}, wrong = {3, 3, 0};
  const std::string right = arcs_svg(words, {heads, relations}, {heads, relations});
  EXPECT_EQ(times(right, "class=\"a\""), 3u);
  EXPECT_EQ(times(right, "class=\"a p\""), 0u);
  EXPECT_EQ(times(right, "class=\"a g\""), 0u);
  EXPECT_THAT(right, HasSubstr("&lt;b&gt;cat&lt;/b&gt;"));
  EXPECT_THAT(right, Not(HasSubstr("<b>")));
  EXPECT_THAT(right, HasSubstr("0 of 3 arcs are wrong"));
  const std::string picture = arcs_svg(words, {heads, relations}, {wrong, other});
  EXPECT_EQ(times(picture, "class=\"a p\""), 2u);
  EXPECT_EQ(times(picture, "class=\"a g\""), 2u);
  EXPECT_THAT(picture, HasSubstr(">obj</text>"));
  EXPECT_THAT(picture, HasSubstr(">nsubj</text>"));
  EXPECT_THAT(picture, HasSubstr("2 of 3 arcs are wrong"));
}

}  // namespace
}  // namespace espalier::report
