#include "espalier/constrain/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "espalier/chain/random_chain.h"
#include "espalier/constrain/constrained_lattice.h"
#include "espalier/constrain/random_constraints.h"

namespace espalier::constrain {
namespace {

using chain::Outcome;
using chain::RandomChain;
using testing::ElementsAre;

Result<std::string> no_files(const std::string& name) { return fail("{}: no such file", name); }

Constraints resolved(const std::string& text, const data::LabelSet& labels, const ConstraintScope& shape) {
  auto out = Constraints::resolve(text, "c", shape, labels, no_files);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().message) << text;
  return std::move(out).value();
}

const ConstraintScope kChain{.name = "label", .neighbours = true, .columns = 2};

/// Rows whose first cell allows one or two labels, or says nothing.
std::vector<std::string> random_cells(Random& random, size_t length, size_t labels) {
  std::vector<std::string> cells;
  for (size_t t = 0; t < length; ++t) {
    std::string cell = "_";
    if (random.below(3) == 0) {
      cell = std::string(1, static_cast<char>('A' + random.below(labels)));
      if (random.below(2) == 0) cell += std::string("|") + static_cast<char>('A' + random.below(labels));
    }
    cells.push_back(cell);
  }
  return cells;
}

struct RandomProblem {
  std::string text;
  Constraints constraints;
  Instance instance;
};

RandomProblem random_chain_problem(Random& random, size_t length, size_t K) {
  RandomProblem out;
  const size_t count = 1 + random.below(4);
  for (size_t i = 0; i < count; ++i) out.text += random_constraint(random, K, {});
  out.constraints = resolved(out.text, letters(K), kChain);
  const auto cells = random_cells(random, length, K);
  out.instance =
      out.constraints.instance(length, [&](size_t t, size_t) -> std::string_view { return cells[t]; });
  return out;
}

TEST(Decode, LatticeIntegerProgramAndSearchAgreeWithTryingEverything) {
  Random random(17);
  size_t infeasible = 0, soft = 0;
  for (int trial = 0; trial < 250; ++trial) {
    const size_t K = 2 + random.below(3), T = 1 + random.below(5);
    const RandomProblem p = random_chain_problem(random, T, K);
    const RandomChain chain(1000 + static_cast<uint64_t>(trial), T, K, 1.0f, random.below(2) == 0);
    const Scores scores = chain.view();
    const Compiled compiled(p.constraints);
    const double best = best_of_all(p.constraints, p.instance, scores);
    const Decoded lattice = decode_lattice(compiled, p.instance, scores);
    const Decoded integer = decode_integer(compiled, p.instance, scores, Deadline::after(10));
    const Decoded search = decode_search(compiled, p.instance, scores, 0);
    for (const Decoded* found : {&lattice, &integer, &search}) {
      if (best == chain::kMinusInfinity) {
        EXPECT_EQ(found->outcome, Outcome::kInfeasible) << p.text;
      } else {
        ASSERT_EQ(found->outcome, Outcome::kExact) << p.text;
        EXPECT_NEAR(found->value(), best, 1e-4) << p.text;
        EXPECT_NE(p.constraints.penalty(p.instance, found->labels), kHard);
      }
    }
    infeasible += best == chain::kMinusInfinity;
    soft += lattice.penalty > 0;
  }
  EXPECT_GT(infeasible, 10u);
  EXPECT_LT(infeasible, 150u);
  EXPECT_GT(soft, 10u);
}

TEST(Decode, AutomataAgreeWithCbcOn2000RandomChains) {
  Random random(2001);
  size_t solved = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const size_t K = 2 + random.below(3), T = 2 + random.below(6);
    const RandomProblem p = random_chain_problem(random, T, K);
    const RandomChain chain(static_cast<uint64_t>(trial), T, K, 1.0f);
    const Compiled compiled(p.constraints);
    const Decoded lattice = decode_lattice(compiled, p.instance, chain.view());
    const Decoded integer = decode_integer(compiled, p.instance, chain.view(), Deadline::after(10));
    ASSERT_EQ(lattice.outcome, integer.outcome) << p.text;
    if (lattice.outcome != Outcome::kExact) continue;
    ++solved;
    ASSERT_NEAR(lattice.value(), integer.value(), 1e-4) << p.text;
  }
  EXPECT_GT(solved, 1000u);
}

TEST(Decode, CandidatesWithSpansAgreeWithTryingEverything) {
  Random random(29);
  const ConstraintScope shape{.name = "roles", .spans = true, .none = data::Label{0}, .columns = 1};
  size_t searched = 0, exact = 0;
  for (int trial = 0; trial < 250; ++trial) {
    const size_t K = 2 + random.below(3), T = 1 + random.below(5);
    std::string text;
    for (size_t i = 0, n = 1 + random.below(4); i < n; ++i)
      text += random_constraint(random, K, {.neighbours = false, .spans = true});
    const Constraints constraints = resolved(text, letters(K), shape);
    std::vector<CandidateSpan> spans;
    for (size_t t = 0; t < T; ++t) {
      const size_t begin = random.below(6);
      spans.push_back({begin, begin + 1 + random.below(4)});
    }
    std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    const auto cells = random_cells(random, T, K);
    const Instance instance = constraints.instance(
        T, [&](size_t t, size_t) -> std::string_view { return cells[t]; }, spans);
    const RandomChain chain(static_cast<uint64_t>(trial), T, K, 1.0f);
    Scores scores = chain.view();
    scores.trans = nullptr;
    const Compiled compiled(constraints);
    const double best = best_of_all(constraints, instance, scores);
    std::vector<Decoded> answers{decode_integer(compiled, instance, scores, Deadline::after(10))};
    if (searchable(compiled)) {
      ++searched;
      answers.push_back(decode_search(compiled, instance, scores, 0));
    }
    answers.push_back(decode(compiled, instance, scores, {}));
    for (const Decoded& found : answers) {
      if (best == chain::kMinusInfinity) {
        EXPECT_EQ(found.outcome, Outcome::kInfeasible) << text;
        continue;
      }
      ++exact;
      ASSERT_EQ(found.outcome, Outcome::kExact) << text;
      EXPECT_NEAR(found.value(), best, 1e-4) << text;
    }
  }
  EXPECT_GT(searched, 150u);
  EXPECT_GT(exact, 300u);
}

TEST(Decode, BeamNeverBreaksAHardRuleAndGetsBetterAsItGrows) {
  Random random(3);
  double narrow = 0, wide = 0, all = 0;
  size_t found = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const size_t K = 4, T = 8;
    const RandomProblem p = random_chain_problem(random, T, K);
    const RandomChain chain(static_cast<uint64_t>(trial), T, K, 1.0f);
    const Compiled compiled(p.constraints);
    const Decoded exact = decode_search(compiled, p.instance, chain.view(), 0);
    const Decoded two = decode_search(compiled, p.instance, chain.view(), 2);
    const Decoded many = decode_search(compiled, p.instance, chain.view(), 32);
    if (two.labels.empty() || many.labels.empty()) continue;
    ++found;
    EXPECT_NE(two.penalty, kHard);
    EXPECT_NE(many.penalty, kHard);
    EXPECT_LE(two.value(), exact.value() + 1e-6);
    EXPECT_LE(many.value(), exact.value() + 1e-6);
    narrow += two.value();
    wide += many.value();
    all += exact.value();
  }
  EXPECT_GT(found, 40u);
  EXPECT_LE(narrow, wide + 1e-6);
  EXPECT_LE(wide, all + 1e-6);
}

TEST(Decode, InfeasibleInstancesGetTheLeastViolatingAnswerAndTheClash) {
  const data::LabelSet labels = letters(3);
  const Constraints constraints =
      resolved("many: at least 3 of A\nfew: at most 1 of A\nfree: at most 9 of B\nend: forbid C at end\n",
               labels, kChain);
  const Instance instance = constraints.instance(4, [](size_t, size_t) { return std::string_view(); });
  const RandomChain chain(5, 4, 3, 1.0f);
  const Compiled compiled(constraints);
  ASSERT_EQ(decode(compiled, instance, chain.view(), {}).outcome, Outcome::kInfeasible);
  const Compromise c = compromise(compiled, instance, chain.view(), {});
  EXPECT_THAT(c.clash, ElementsAre(0u, 1u));
  ASSERT_EQ(c.best.labels.size(), 4u);
  double broken = 0, least = 1e9;
  for (size_t r = 0; r < 4; ++r) broken += constraints.violations(r, instance, c.best.labels);
  std::vector<data::Label> y(4, 0);
  for (size_t n = 0; n < 81; ++n) {
    double count = 0;
    for (size_t t = 0, m = n; t < 4; ++t, m /= 3) y[t] = static_cast<data::Label>(m % 3);
    for (size_t r = 0; r < 4; ++r) count += constraints.violations(r, instance, y);
    least = std::min(least, count);
  }
  EXPECT_EQ(broken, least);
}

TEST(Decode, TimeLimitOfAnIntegerProgramIsAnOutcome) {
  const data::LabelSet labels = letters(8);
  const ConstraintScope shape{.name = "roles", .spans = true, .none = data::Label{0}, .columns = 1};
  const Constraints constraints =
      resolved("no embedding\nat most 2 of each {B C D E F G H}\n", labels, shape);
  Random random(4);
  std::vector<CandidateSpan> spans;
  for (size_t t = 0; t < 60; ++t) spans.push_back({t / 2, t / 2 + 1 + random.below(20)});
  const Instance instance = constraints.instance(
      60, [](size_t, size_t) { return std::string_view(); }, spans);
  const RandomChain chain(1, 60, 8, 1.0f);
  Scores scores = chain.view();
  scores.trans = nullptr;
  const Decoded found = decode_integer(Compiled(constraints), instance, scores, Deadline::after(1e-6));
  EXPECT_EQ(found.outcome, Outcome::kOutOfBudget);
}

TEST(Decode, WhenTimeIsUpABeamFindsALegalLabelling) {
  const data::LabelSet labels = letters(4);
  // Too many joint states for a lattice, and no time for an integer program.
  const Compiled compiled(resolved(
      "at most 90 of {A B}\nat most 91 of {B C}\nat most 92 of {A C}\nif A then D before\n", labels, kChain));
  constexpr size_t kLength = 200;
  const RandomChain chain(3, kLength, 4, 1.0f);
  const Instance instance =
      compiled.constraints().instance(kLength, [](size_t, size_t) { return std::string_view(); });
  for (const Method method : {Method::kAuto, Method::kLattice, Method::kInteger, Method::kBeam}) {
    const Decoded found = decode(compiled, instance, chain.view(), {.method = method, .seconds = 1e-9});
    EXPECT_NE(found.outcome, Outcome::kInfeasible);
    ASSERT_EQ(found.labels.size(), kLength);
    EXPECT_EQ(found.penalty, 0);
  }
}

TEST(Decode, WhenTimeIsUpACompromiseIsStillALabelling) {
  const data::LabelSet labels = letters(3);
  const Compiled compiled(
      resolved("at most 50 of {A B}\nat most 50 of {B C}\nat most 50 of {A C}\n", labels, kChain));
  constexpr size_t kLength = 200;
  const RandomChain chain(4, kLength, 3, 1.0f);
  const Instance instance =
      compiled.constraints().instance(kLength, [](size_t, size_t) { return std::string_view(); });
  const Compromise answer = compromise(compiled, instance, chain.view(), {.seconds = 1e-9});
  EXPECT_EQ(answer.best.labels.size(), kLength);
  EXPECT_EQ(answer.clash.size(), 3u);
}

TEST(Decode, WithoutTimeInfeasibleIsSaidOnlyWhereItIsProven) {
  const data::LabelSet labels = letters(3);
  constexpr size_t kLength = 400;
  const RandomChain chain(6, kLength, 3, 1.0f);
  const auto outcome = [&](const std::string& text) {
    const Compiled compiled(resolved(text, labels, kChain));
    const Instance instance =
        compiled.constraints().instance(kLength, [](size_t, size_t) { return std::string_view(); });
    const Decoded found = decode(compiled, instance, chain.view(), {.seconds = 1e-9});
    EXPECT_TRUE(found.labels.empty());
    EXPECT_EQ(least_broken(compiled, instance, chain.view(), {.seconds = 1e-9}).labels.size(), kLength);
    return found.outcome;
  };
  // Numbers that contradict each other are found out without any time, others that a beam cannot meet are not
  // taken for such.
  EXPECT_EQ(outcome("at most 90 of {A B}\nat most 91 of {B C}\nat most 92 of {A C}\n"), Outcome::kInfeasible);
  EXPECT_EQ(outcome("at least 132 of A\nat least 132 of B\nat least 132 of C\n"), Outcome::kOutOfBudget);
}

TEST(Decode, MethodIsChosenByWhatTheRulesNeed) {
  const data::LabelSet labels = letters(4);
  const auto method = [&](const std::string& text, const ConstraintScope& shape, bool scored,
                          size_t length = 20) {
    return choose_method(Compiled(resolved(text, labels, shape)), length, scored);
  };
  const ConstraintScope candidates{.name = "roles", .spans = true, .none = data::Label{0}};
  EXPECT_EQ(method("forbid A then B", kChain, true), Method::kLattice);
  EXPECT_EQ(method("at most 2 of A", kChain, true), Method::kLattice);
  EXPECT_EQ(method("at most 900 of A\nat most 900 of B\nat most 900 of C\n", kChain, true), Method::kInteger);
  EXPECT_EQ(method("no overlap", candidates, false), Method::kAuto);
  EXPECT_EQ(method("no embedding", candidates, false), Method::kInteger);
  EXPECT_EQ(method("no embedding\nno overlap", candidates, false), Method::kAuto);
}

}  // namespace
}  // namespace espalier::constrain
