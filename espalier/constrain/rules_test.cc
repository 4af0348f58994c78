#include "espalier/constrain/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/constrain/compile.h"
#include "espalier/constrain/random_constraints.h"

namespace espalier::constrain {
namespace {

using data::Label;
using data::LabelSet;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

LabelSet set_of(std::initializer_list<const char*> names) {
  LabelSet out;
  for (const char* name : names) out.add(name);
  return out;
}

const ConstraintScope kTokens{.name = "label", .neighbours = true, .columns = 3};

Result<Constraints> resolve(const std::string& text, const LabelSet& labels,
                            const ConstraintScope& shape = kTokens, const std::string& file = "") {
  return Constraints::resolve(text, "c", shape, labels, [&](const std::string& name) -> Result<std::string> {
    if (file.empty()) return fail("{}: no such file", name);
    return file;
  });
}

std::string error_of(const std::string& text, const LabelSet& labels, const ConstraintScope& shape = kTokens,
                     const std::string& file = "") {
  const auto out = resolve(text, labels, shape, file);
  return out.ok() ? "no error" : out.error().message;
}

TEST(Rules, SchemesAllowWhatTheyReadWithoutRepair) {
  // Every sequence of up to four labels: legal by the rule just where data::spans has nothing to repair.
  for (const data::Scheme scheme : data::kSchemes) {
    LabelSet labels = set_of({"O"});
    for (const char p : data::scheme_prefixes(scheme))
      for (const char* type : {"-X", "-Y"}) labels.add(std::string(1, p) + type);
    const auto constraints = resolve("valid " + std::string(data::scheme_name(scheme)), labels);
    ASSERT_TRUE(constraints.ok());
    const size_t K = labels.size();
    for (size_t T = 1; T <= 4; ++T) {
      const Instance instance = constraints->instance(T, [](size_t, size_t) { return std::string_view(); });
      std::vector<Label> y(T, 0);
      for (bool more = true; more;) {
        std::vector<std::string_view> names;
        for (const Label label : y) names.push_back(labels.name(label));
        size_t repairs = 0;
        data::spans(names, scheme, &repairs);
        const bool legal = constraints->violations(0, instance, y) == 0;
        ASSERT_EQ(legal, repairs == 0)
            << data::scheme_name(scheme) << " " << fmt::format("{}", fmt::join(names, " "));
        size_t t = 0;
        while (t < T && ++y[t] == K) y[t++] = 0;
        more = t < T;
      }
    }
  }
}

TEST(Rules, PlaceholderSpellsOutTheSameTextOnBothSides) {
  const LabelSet labels = set_of({"NONE", "ARG0", "ARG1", "R-ARG0", "R-ARGM-TMP", "ARGM-TMP", "C-ARG1"});
  const auto c = resolve("if R-$ then $\nif C-$ then $ before\n", labels);
  ASSERT_TRUE(c.ok());
  ASSERT_EQ(c->rules().size(), 3u);
  EXPECT_EQ(c->rules()[0].first[3], 1);
  EXPECT_EQ(c->rules()[0].second[1], 1);
  EXPECT_EQ(c->rules()[1].second[5], 1);
  const Instance three = c->instance(3, [](size_t, size_t) { return std::string_view(); });
  EXPECT_THAT(c->broken_constraints(three, std::vector<Label>{3, 0, 1}), IsEmpty());
  EXPECT_THAT(c->broken_constraints(three, std::vector<Label>{3, 0, 2}), ElementsAre(0u));
  EXPECT_THAT(c->broken_constraints(three, std::vector<Label>{6, 2, 3}), ElementsAre(0u, 1u));
  EXPECT_THAT(c->broken_constraints(three, std::vector<Label>{2, 6, 0}), IsEmpty());
}

TEST(Rules, NeighbourRulesByPlaceholderEqualTheScheme) {
  const LabelSet labels = set_of({"O", "B-X", "I-X", "B-Y", "I-Y"});
  const auto by_hand = resolve("require I-$ after {B-$, I-$}", labels),
             scheme = resolve("valid iob2", labels);
  ASSERT_TRUE(by_hand.ok() && scheme.ok());
  const Compiled a(*by_hand), b(*scheme);
  EXPECT_EQ(a.local().pair, b.local().pair);
  EXPECT_EQ(a.local().start, b.local().start);
}

TEST(Rules, LexiconColumnAndForceLookAtCells) {
  const LabelSet labels = set_of({"A", "B", "C"});
  const std::vector<std::vector<std::string>> cells = {{"x", "A|C", "_"}, {"y", "_", "B"}, {"z", "Q", "A"}};
  const CellText cell = [&](size_t t, size_t c) -> std::string_view { return cells[t][c]; };
  const auto c = resolve("allow lexicon l by 1\nallow column 2\nforce column 3\n", labels, kTokens,
                         "x\tA B\ty\nz\tC UNSEEN\nw\tUNSEEN\n");
  ASSERT_TRUE(c.ok()) << c.error().message;
  const Instance i = c->instance(3, cell);
  EXPECT_EQ(c->penalty(i, std::vector<Label>{0, 1, 2}), kHard);  // the last row is forced to A
  EXPECT_THAT(c->broken_constraints(i, std::vector<Label>{0, 1, 2}), ElementsAre(2u));
  EXPECT_THAT(c->broken_constraints(i, std::vector<Label>{1, 1, 0}), ElementsAre(0u, 1u));
  EXPECT_THAT(c->broken_constraints(i, std::vector<Label>{2, 1, 0}), ElementsAre(0u));
}

TEST(Rules, LexiconAboutSomeLabelsLeavesTheOthersAlone) {
  const LabelSet labels = set_of({"NONE", "ARG0", "ARG1", "ARG2"});
  const auto c = resolve("allow lexicon l by 1 of ARG*", labels, kTokens, "eat.01\tARG0 ARG1\nrain.01\t\n");
  ASSERT_TRUE(c.ok()) << c.error().message;
  const Instance eat = c->instance(1, [](size_t, size_t) { return std::string_view("eat.01"); });
  const Instance rain = c->instance(1, [](size_t, size_t) { return std::string_view("rain.01"); });
  const Instance other = c->instance(1, [](size_t, size_t) { return std::string_view("other"); });
  EXPECT_EQ(c->penalty(eat, std::vector<Label>{1}), 0);
  EXPECT_EQ(c->penalty(eat, std::vector<Label>{3}), kHard);
  EXPECT_EQ(c->penalty(rain, std::vector<Label>{1}), kHard);
  EXPECT_EQ(c->penalty(rain, std::vector<Label>{0}), 0);
  EXPECT_EQ(c->penalty(other, std::vector<Label>{3}), 0);
}

TEST(Rules, AssignmentsAreAList) {
  const LabelSet labels = set_of({"0", "1"});
  const ConstraintScope shape{.name = "variables", .length = 3};
  const auto c = resolve("assignments list soft 2", labels, shape, "0 0 1\n1 1 1\n");
  ASSERT_TRUE(c.ok()) << c.error().message;
  const Instance i = c->instance(3, [](size_t, size_t) { return std::string_view(); });
  EXPECT_EQ(c->penalty(i, std::vector<Label>{0, 0, 1}), 0);
  EXPECT_EQ(c->penalty(i, std::vector<Label>{0, 1, 1}), 2);
  EXPECT_THAT(error_of("assignments list", labels, shape, "0 1\n"),
              HasSubstr("list:1: 2 labels where every"));
  EXPECT_THAT(error_of("assignments list", labels, shape, "0 1 2\n"), HasSubstr("no label '2'"));
}

TEST(Rules, WrongFilesAreRefusedWithTheirPlace) {
  const LabelSet labels = set_of({"B-PER", "I-PER", "O"});
  EXPECT_THAT(error_of("forbid B-PRE then O", labels),
              HasSubstr("c:1:8: there is no label 'B-PRE'; did you mean 'B-PER'?"));
  EXPECT_THAT(error_of("forbid X-* then O", labels), HasSubstr("c:1:8: no label matches 'X-*'"));
  EXPECT_THAT(error_of("if R-$ then $", labels), HasSubstr("c:1:4: no label matches"));
  EXPECT_LT(error_of("forbid " + std::string(3000, '*') + "X then O", labels).size(), 100u);
  EXPECT_LT(error_of("forbid " + std::string(3000, 'X') + " then O", labels).size(), 100u);
  EXPECT_LT(error_of(std::string(3000, 'X') + " then O", labels).size(), 200u);
  EXPECT_THAT(error_of("forbid O then I-$", labels), HasSubstr("c:1:15: '$' must also occur"));
  EXPECT_THAT(error_of("if O then O", labels), HasSubstr("is on both sides"));
  EXPECT_THAT(error_of("no overlap", labels), HasSubstr("labels tokens, not candidate spans"));
  EXPECT_THAT(error_of("valid iob2", labels, {.name = "roles", .spans = true}),
              HasSubstr("are not a sequence"));
  EXPECT_THAT(error_of("valid iobes", set_of({"NN"})), HasSubstr("label 'NN' is neither O nor"));
  EXPECT_THAT(error_of("valid ioe2", labels), HasSubstr("label 'B-PER' does not belong to the scheme ioe2"));
  EXPECT_THAT(error_of("valid iobes", labels),
              HasSubstr("the labels are not iobes: 2 of 2 could be in no segment, such as 'B-PER'; iobes "
                        "would need labels such as E-PER, S-PER"));
  EXPECT_THAT(error_of("allow lexicon words.tsv", labels),
              HasSubstr("c:1:15: lexicon: words.tsv: no such file"));
  EXPECT_THAT(error_of("allow lexicon w", labels, kTokens, "word\n"),
              HasSubstr("w:1: expected a word, a tab"));
  EXPECT_THAT(error_of("allow lexicon w", labels, kTokens, "word\tX\n"), HasSubstr("none of the labels"));
  EXPECT_THAT(error_of("force column 7", labels),
              HasSubstr("c:1:14: there is no column '7'; there are columns 1 to 3"));
  EXPECT_THAT(error_of("force column 1", labels, {.name = "l", .neighbours = true}),
              HasSubstr("have no columns"));
}

TEST(Rules, ContradictionsAreFoundAndNamed) {
  const LabelSet labels = set_of({"A", "B", "C"});
  const auto clash = resolve("x: at least 3 of A\nok: at most 5 of B\ny: at most 2 of A\n", labels);
  ASSERT_TRUE(clash.ok());
  const Status status = check_consistent(*clash);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("'x' (line 1), 'y' (line 3)"));
  EXPECT_THAT(status.error().message, testing::Not(HasSubstr("'ok'")));
  const auto pairs = resolve("s: require A at start\nf: forbid A then any\ne: forbid A at end\n", labels);
  ASSERT_TRUE(pairs.ok());
  EXPECT_FALSE(check_consistent(*pairs).ok());
  const auto fine =
      resolve("s: require A at start\nf: forbid A then {B C}\nsoft: at most 0 of A soft 1\n", labels);
  ASSERT_TRUE(fine.ok());
  EXPECT_TRUE(check_consistent(*fine).ok());
}

TEST(Rules, RulesAboutFinerLabelsSayTheSame) {
  Random random(11);
  for (int round = 0; round < 300; ++round) {
    const LabelSet plain = letters(3);
    LabelSet fine;
    for (const char place : {'B', 'E', 'S'})
      for (const std::string& name : plain.names())
        if (place == 'B' || random.below(2) == 0) fine.add(name, place);
    ASSERT_TRUE(fine.plain() == plain);
    std::string text = random_constraint(random, 3, {});
    text += random.below(2) == 0 ? "allow lexicon l by 1\n" : "force column 1\n";
    const auto coarse = resolve(text, plain, kTokens, "x\tA\ny\tB C\n");
    if (!coarse.ok()) continue;  // a label on both sides of `implies`
    const auto finer = coarse->refined(fine);
    ASSERT_TRUE(finer.ok());
    const size_t T = 1 + random.below(4);
    const auto cell = [&](size_t row, size_t) { return std::string_view(row % 2 == 0 ? "x" : "A"); };
    const Instance instance = coarse->instance(T, cell), fine_instance = finer->instance(T, cell);
    for (int draw = 0; draw < 20; ++draw) {
      std::vector<Label> y, z;
      for (size_t t = 0; t < T; ++t) {
        z.push_back(static_cast<Label>(random.below(fine.size())));
        y.push_back(fine.plain_number(z.back()));
      }
      ASSERT_EQ(coarse->penalty(instance, y), finer->penalty(fine_instance, z)) << text;
    }
  }
}

TEST(Rules, ListsOfAssignmentsNeedPlainLabels) {
  LabelSet fine;
  fine.add("A", 'B');
  fine.add("A", 'S');
  const auto listed = resolve("assignments list", fine.plain(), kTokens, "A A\n");
  ASSERT_TRUE(listed.ok()) << listed.error().message;
  EXPECT_THAT(listed->refined(fine).error().message, HasSubstr("scheme=data"));
}

}  // namespace
}  // namespace espalier::constrain
