#include "espalier/constrain/completion.h"

#include <gtest/gtest.h>

#include <set>

#include "espalier/constrain/random_constraints.h"

namespace espalier::constrain {
namespace {

Constraints hard_constraints(Random& random, size_t labels) {
  std::string text;
  for (size_t i = 0; i < 1 + random.below(3); ++i) {
    const std::string one = random_constraint(random, labels, {});
    text += one.substr(0, one.find(" soft")) + "\n";
  }
  auto made =
      Constraints::resolve(text, "c", {.name = "label", .neighbours = true, .columns = 2}, letters(labels),
                           [](const std::string& f) -> Result<std::string> { return fail("{}", f); });
  EXPECT_TRUE(made.ok()) << text;
  return std::move(made).value();
}

TEST(Completion, StepsLeadToExactlyTheLabellingsThatSatisfyTheRules) {
  Random random(5);
  size_t infeasible = 0, found = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const size_t K = 3, T = 1 + random.below(5);
    const Constraints constraints = hard_constraints(random, K);
    const Instance instance = constraints.instance(
        T, [&](size_t, size_t) { return std::string_view(random.below(4) == 0 ? "A|B" : "_"); });
    const auto made = Completion::make(Compiled(constraints), instance, label_moves(K));
    ASSERT_TRUE(made.ok());
    std::vector<data::Label> y(T, 0);
    bool any = false;
    while (true) {
      // A labelling is legal where every step is offered, and only where it satisfies the rules.
      Completion::State state = made->start();
      size_t t = 0;
      for (; t < T && state != Completion::kNowhere; ++t)
        state = made->after(t, state, label_moves(K)[y[t]], 1);
      const bool legal = constraints.penalty(instance, y) == 0;
      ASSERT_EQ(state != Completion::kNowhere, legal);
      any = any || legal;
      size_t i = 0;
      while (i < T && ++y[i] == K) y[i++] = 0;
      if (i == T) break;
    }
    EXPECT_EQ(made->infeasible(), !any);
    infeasible += !any;
    found += any;
    if (!any) continue;
    // Whatever a search takes of what is offered, it gets to the end.
    Completion::State state = made->start();
    for (size_t t = 0; t < T; ++t) {
      std::vector<Completion::State> offered;
      for (const Move& move : label_moves(K))
        if (const auto next = made->after(t, state, move, 1); next != Completion::kNowhere)
          offered.push_back(next);
      ASSERT_FALSE(offered.empty());
      state = offered[random.below(offered.size())];
    }
  }
  EXPECT_GT(infeasible, 3u);
  EXPECT_GT(found, 50u);
}

TEST(Completion, SegmentsAreTakenAsWholes) {
  // B = A-type begin, C inside, A outside; a segment must have at least two tokens, and there is one.
  const data::LabelSet labels = letters(3);
  const auto constraints =
      Constraints::resolve("require B then C\nexactly 1 of B", "c", {.name = "segment", .neighbours = true},
                           labels, [](const std::string& f) -> Result<std::string> { return fail("{}", f); });
  ASSERT_TRUE(constraints.ok());
  const std::vector<Move> moves = {{0, 0, 0, 0, 1}, {1, 1, 2, 2, 3}};
  const auto none = [](size_t, size_t) { return std::string_view(); };
  const auto made = Completion::make(Compiled(*constraints), constraints->instance(3, none), moves);
  ASSERT_TRUE(made.ok());
  const auto start = made->start();
  EXPECT_EQ(made->after(0, start, moves[1], 1), Completion::kNowhere);
  const auto two = made->after(0, start, moves[1], 2);
  ASSERT_NE(two, Completion::kNowhere);
  EXPECT_EQ(made->after(2, two, moves[1], 1), Completion::kNowhere);  // only one
  EXPECT_NE(made->after(2, two, moves[0], 1), Completion::kNowhere);
  const auto out = made->after(0, start, moves[0], 1);
  ASSERT_NE(out, Completion::kNowhere);
  EXPECT_EQ(made->after(1, out, moves[0], 1), Completion::kNowhere);  // two tokens would not be left
  EXPECT_TRUE(Completion::make(Compiled(*constraints), constraints->instance(1, none), moves)->infeasible());
}

TEST(Completion, TooMuchToRememberIsSaid) {
  std::string text;
  for (const char* label : {"A", "B", "C"}) text += std::string("exactly 30 of ") + label + "\n";
  const auto constraints =
      Constraints::resolve(text, "c", {.name = "label", .neighbours = true}, letters(3),
                           [](const std::string& f) -> Result<std::string> { return fail("{}", f); });
  ASSERT_TRUE(constraints.ok());
  const auto none = [](size_t, size_t) { return std::string_view(); };
  const auto made =
      Completion::make(Compiled(*constraints), constraints->instance(90, none), label_moves(3), {}, {}, 1000);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("too many for a search"), std::string::npos);
}

}  // namespace
}  // namespace espalier::constrain
