#include "espalier/ensemble/learn_from_experts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/ensemble/apply.h"
#include "espalier/ensemble/experts/open_experts.h"
#include "espalier/ensemble/sample.h"

namespace espalier::ensemble {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

using Answers = std::vector<std::vector<std::string>>;

ExpertSource in_memory(Answers labels, std::string name) {
  MemoryAnswers answers;
  answers.labels = std::move(labels);
  ExpertSource out;
  out.memory = std::make_shared<const MemoryAnswers>(std::move(answers));
  out.name = std::move(name);
  return out;
}

ExpertSource in_file(std::string path) {
  ExpertSource out;
  out.path = std::move(path);
  return out;
}

/// A file of words and labels, `copies` times `sequence`.
std::string repeated(const std::string& sequence, int copies) {
  std::string out;
  for (int i = 0; i < copies; ++i) out += sequence + "\n";
  return out;
}

ExpertLearning mvote() {
  ExpertLearning settings;
  settings.request.methods = {Method::kMvote};
  settings.request.betas = {0.9};
  return settings;
}

struct GoldFile {
  TemporaryDirectory folder;
  ExpertReference reference;
  data::LabelSet labels;
  explicit GoldFile(const std::string& text) {
    reference.source = data::Source(folder.write("gold.txt", text));
  }
  Result<LearnedEnsemble> learn(const std::vector<ExpertSource>& experts, const ExpertLearning& settings,
                                const ExpertReading& reading = {}) {
    ESPALIER_ASSIGN(OpenExperts open, open_experts(reference, experts, reading, labels));
    return learn_from_experts(*open.aligned, labels, settings);
  }
};

TEST(LearnFromExperts, SubstructuresFollowFromLengthsWhereNoneAreAskedFor) {
  const Answers same(10, {"X", "Y"});
  GoldFile equal(repeated("a X\nb Y\n", 10));
  EXPECT_EQ(equal.learn({in_memory(same, "e")}, mvote())->outcome.model.substructures.kind,
            SubstructureKind::kPositions);
  GoldFile unequal(repeated("a X\nb Y\n", 9) + "a X\n");
  Answers other = same;
  other.back() = {"X"};
  EXPECT_EQ(unequal.learn({in_memory(other, "e")}, mvote())->outcome.model.substructures.kind,
            SubstructureKind::kClasses);
  ExpertLearning tokens = mvote();
  tokens.substructures = SubstructureOptions{.kind = SubstructureKind::kTokens};
  EXPECT_EQ(unequal.learn({in_memory(other, "e")}, tokens)->outcome.model.substructures.kind,
            SubstructureKind::kTokens);
}

TEST(LearnFromExperts, SpansNeedASpanScheme) {
  GoldFile gold(repeated("a X\nb Y\n", 10));
  ExpertLearning spans = mvote();
  spans.substructures = SubstructureOptions{.kind = SubstructureKind::kSpans};
  const auto learned = gold.learn({in_memory(Answers(10, {"X", "Y"}), "e")}, spans);
  ASSERT_FALSE(learned.ok());
  EXPECT_THAT(learned.error().message, HasSubstr("no spans"));
}

TEST(LearnFromExperts, OddExpertsAreRemarkedOn) {
  GoldFile gold(repeated("a X\nb Y\n", 10));
  const Answers same(10, {"X", "Y"}), odd(10, {"X", "Z"});
  const auto twins = gold.learn({in_memory(same, "a"), in_memory(odd, "b"), in_memory(same, "c")}, mvote());
  ASSERT_TRUE(twins.ok()) << twins.error().message;
  EXPECT_THAT(twins->outcome.notes, Contains("c says the same as a throughout"));
  EXPECT_THAT(twins->outcome.notes, Contains("b uses labels that gold does not have: Z (10 times)"));
  EXPECT_THAT(GoldFile(repeated("a X\nb Y\n", 10)).learn({in_memory(same, "a")}, mvote())->outcome.notes,
              Contains(HasSubstr("only one expert")));
}

TEST(LearnFromExperts, LabelsAloneOfUnequalLengthAreAlignedUnlessForbidden) {
  GoldFile gold(repeated("X\nY\n", 10));
  const std::string path = gold.folder.write("e.txt", repeated("X\nY\n", 9) + "X\n");
  const auto learned = gold.learn({in_file(path)}, mvote());
  ASSERT_TRUE(learned.ok()) << learned.error().message;
  EXPECT_TRUE(learned->outcome.model.aligned);
  ExpertLearning no = mvote();
  no.align = AlignOutputs::kNo;
  gold.labels = {};
  EXPECT_THAT(gold.learn({in_file(path)}, no).error().message,
              HasSubstr("2 labels in the first, 1 in the second"));
}

TEST(LearnFromExperts, SettingsThatClashAreRefused) {
  ExpertLearning settings = mvote();
  EXPECT_TRUE(check(settings).ok());
  settings.request.probabilities = true;
  EXPECT_THAT(check(settings).error().message, HasSubstr("espboost"));
  settings.request.methods = {Method::kEspboost};
  EXPECT_TRUE(check(settings).ok());
  settings.substructures = SubstructureOptions{.kind = SubstructureKind::kNgrams};
  EXPECT_THAT(check(settings).error().message, HasSubstr("positions, classes or tokens"));
  settings = mvote();
  settings.automaton = "x.fst";
  settings.substructures = SubstructureOptions{.kind = SubstructureKind::kClasses};
  EXPECT_THAT(check(settings).error().message, HasSubstr("positions"));
}

TEST(ApplyToStreams, AnswersComeInTheLayoutOfTheFirstFileOrOfTheText) {
  GoldFile gold(repeated("a X\nb Y\n", 10));
  const auto learned = gold.learn({in_memory(Answers(10, {"X", "Y"}), "e")}, mvote());
  ASSERT_TRUE(learned.ok()) << learned.error().message;
  const EnsembleModel& model = learned->outcome.model;
  const auto apply = [&](const ExpertReference& reference, const ExpertSource& expert,
                         const std::string& format, bool confidence) -> std::string {
    Applier applier(model, true);
    auto open = open_experts(reference, {expert}, {}, applier.labels());
    if (!open.ok()) return open.error().message;
    const auto writer = AnswerWriter::make(*open, format, false, confidence);
    if (!writer.ok()) return writer.error().message;
    std::string text;
    const auto counts = apply_to_streams(applier, *open, *writer,
                                         [&text](std::string_view more) {
                                           text += more;
                                           return Status();
                                         },
                                         {});
    EXPECT_TRUE(counts.ok());
    return text;
  };
  ExpertReference none;
  none.gold = false;
  const ExpertSource memory = in_memory({{"Y", "X"}, {"X"}}, "e");
  EXPECT_EQ(apply(none, memory, "", false), "Y\nX\n\nX\n\n");
  EXPECT_THAT(apply(none, memory, "conllu", false), HasSubstr("columns or jsonl"));
  ExpertReference text;
  text.gold = false;
  text.source = data::Source(gold.folder.write("words.txt", "w1\nw2\n\nw3\n"));
  EXPECT_EQ(apply(text, memory, "", false), "w1 Y\nw2 X\n\nw3 X\n\n");
  EXPECT_THAT(apply(text, memory, "", true), testing::StartsWith("w1 Y 0."));
  EXPECT_THAT(apply(text, memory, "jsonl", false), HasSubstr(R"("labels": ["Y", "X"])"));
  const ExpertSource file = in_file(gold.folder.write("e.txt", "w1 Y\nw2 X\n"));
  EXPECT_EQ(apply(none, file, "", false), "w1 Y Y\nw2 X X\n\n");
}

TEST(OpenExperts, SaysWhatIsMissing) {
  data::LabelSet labels;
  EXPECT_THAT(open_experts({}, {}, {}, labels).error().message, HasSubstr("no experts"));
  EXPECT_THAT(open_experts({}, {in_file("no-such-file")}, {}, labels).error().message,
              HasSubstr("no-such-file"));
}

}  // namespace
}  // namespace espalier::ensemble
