#include "espalier/eval/scores.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/base/result.h"
#include "espalier/base/text/json.h"

namespace espalier::eval {
namespace {

using Texts = std::vector<std::string_view>;
using Strings = std::vector<std::string>;

Texts views(const Strings& strings) { return {strings.begin(), strings.end()}; }

struct Chunk {
  size_t begin, end;
  std::string type;
  auto operator<=>(const Chunk&) const = default;
};

/// Disjoint chunks over `length` tokens.
std::vector<Chunk> random_chunks(size_t length, Random& random) {
  std::vector<Chunk> chunks;
  for (size_t t = 0; t < length;) {
    const size_t size = 1 + random.below(3);
    if (t + size <= length && random.below(3) > 0)
      chunks.push_back({t, t + size, random.below(2) ? "N" : "V"});
    t += size;
  }
  return chunks;
}

/// `scheme` has the letters for first, middle, last and only token: "BIII" would be IO; IOB2 is "BIIB".
Strings encode(const std::vector<Chunk>& chunks, size_t length, const std::string& scheme) {
  Strings labels(length, "O");
  for (const Chunk& c : chunks)
    for (size_t t = c.begin; t < c.end; ++t) {
      const bool first = t == c.begin;
      const bool last = t + 1 == c.end;
      const char letter = first && last ? scheme[3] : first ? scheme[0] : last ? scheme[2] : scheme[1];
      labels[t] = std::string(1, letter) + "-" + c.type;
    }
  return labels;
}

TEST(TaggingScores, LegalSequencesOfEverySchemeCountTheChunksTheyEncode) {
  for (const std::string scheme : {"BIIB", "IIEE", "BIES", "BILU"}) {
    Random random(17);
    TaggingScores scores;
    Counts expected;
    for (int round = 0; round < 500; ++round) {
      const size_t length = random.below(12);
      const auto gold = random_chunks(length, random);
      auto found = random.below(2) ? gold : random_chunks(length, random);
      if (!found.empty() && random.below(2))
        found.erase(found.begin() + static_cast<long>(random.below(found.size())));
      expected += {gold.size(), found.size(), 0};
      for (const Chunk& c : gold) expected.correct += std::count(found.begin(), found.end(), c) > 0 ? 1 : 0;
      const Strings gold_labels = encode(gold, length, scheme);
      const Strings found_labels = encode(found, length, scheme);
      scores.add(views(gold_labels), views(found_labels));
    }
    EXPECT_TRUE(scores.chunked());
    EXPECT_EQ(scores.overall(), expected) << scheme;
    EXPECT_GT(expected.correct, 100u);
    Counts sum;
    for (const LabelScore& score : scores.by_label()) sum += score;
    EXPECT_EQ(sum, expected);
  }
}

TEST(TaggingScores, HandComputedChunks) {
  TaggingScores scores;
  // Gold: NP 0-2, VP 2-3, NP 3-4. Found: NP 0-2, NP 2-3, NP 3-4.
  const auto stats = scores.add(Texts{"B-NP", "I-NP", "B-VP", "B-NP"}, Texts{"B-NP", "I-NP", "B-NP", "B-NP"});
  scores.add(Texts{"O", "B-VP"}, Texts{"O", "B-VP"});
  EXPECT_EQ(stats.tokens, 4u);
  EXPECT_EQ(stats.correct, 3u);
  EXPECT_EQ(stats.chunks, (Counts{3, 3, 2}));
  EXPECT_EQ(scores.sequences(), 2u);
  EXPECT_EQ(scores.tokens(), 6u);
  EXPECT_DOUBLE_EQ(scores.accuracy(), 100 * 5.0 / 6);
  EXPECT_DOUBLE_EQ(scores.sequence_accuracy(), 50);
  EXPECT_EQ(scores.overall(), (Counts{4, 4, 3}));
  EXPECT_DOUBLE_EQ(scores.f1(), 75);
  EXPECT_EQ(scores.conlleval_report(),
            "processed 6 tokens with 4 phrases; found: 4 phrases; correct: 3.\n"
            "accuracy:  83.33%; precision:  75.00%; recall:  75.00%; FB1:  75.00\n"
            "               NP: precision:  66.67%; recall: 100.00%; FB1:  80.00  3\n"
            "               VP: precision: 100.00%; recall:  50.00%; FB1:  66.67  1\n");
}

TEST(TaggingScores, ATypeThatIsNeverFoundOrNeverThereHasItsLine) {
  TaggingScores scores;
  scores.add(Texts{"B-A", "O"}, Texts{"O", "B-Z"});
  EXPECT_EQ(scores.conlleval_report(),
            "processed 2 tokens with 1 phrases; found: 1 phrases; correct: 0.\n"
            "accuracy:   0.00%; precision:   0.00%; recall:   0.00%; FB1:   0.00\n"
            "                A: precision:   0.00%; recall:   0.00%; FB1:   0.00  0\n"
            "                Z: precision:   0.00%; recall:   0.00%; FB1:   0.00  1\n");
}

TEST(TaggingScores, NoChunkReachesOverTheEndOfASequence) {
  TaggingScores scores;
  scores.add(Texts{"B-N"}, Texts{"B-N"});
  scores.add(Texts{"I-N"}, Texts{"I-N"});
  EXPECT_EQ(scores.overall(), (Counts{2, 2, 2}));
}

TEST(TaggingScores, UnknownGoldLabelsAreNotCounted) {
  TaggingScores scores;
  const std::vector<float> confidence{0.5F, 0.5F, 0.5F};
  scores.add(Texts{"B-N", "_", "O"}, Texts{"B-N", "I-N", "O"}, confidence);
  scores.add(Texts{"_", "_"}, Texts{"B-N", "O"});
  EXPECT_EQ(scores.sequences(), 1u);
  EXPECT_EQ(scores.tokens(), 2u);
  EXPECT_EQ(scores.calibration().count(), 2u);
  EXPECT_DOUBLE_EQ(scores.accuracy(), 100);
  EXPECT_DOUBLE_EQ(scores.sequence_accuracy(), 100);
  EXPECT_EQ(scores.overall(), (Counts{1, 1, 1}));
}

TEST(TaggingScores, AnUnknownLabelIsOutsideOnBothSides) {
  TaggingScores scores;
  scores.add(Texts{"B-N", "_", "I-N"}, Texts{"B-N", "I-N", "I-N"});
  EXPECT_EQ(scores.overall(), (Counts{2, 2, 2}));
}

TEST(TaggingScores, PlainLabelsAreScoredPerLabel) {
  TaggingScores scores;
  scores.add(Texts{"NN", "VB", "-LRB-", "NN"}, Texts{"NN", "NN", "-LRB-", "NN"});
  EXPECT_FALSE(scores.chunked());
  EXPECT_DOUBLE_EQ(scores.precision(), 75);
  EXPECT_DOUBLE_EQ(scores.recall(), 75);
  EXPECT_DOUBLE_EQ(scores.f1(), 75);
  const auto labels = scores.by_label();
  ASSERT_EQ(labels.size(), 3u);
  EXPECT_EQ(labels[0].label, "-LRB-");
  EXPECT_EQ(labels[1].label, "NN");
  EXPECT_DOUBLE_EQ(labels[1].precision(), 100 * 2.0 / 3);
  EXPECT_DOUBLE_EQ(labels[1].recall(), 100);
  EXPECT_DOUBLE_EQ(labels[2].f1(), 0);
  EXPECT_EQ(scores.conlleval_report(),
            "processed 4 tokens with 4 phrases; found: 4 phrases; correct: 3.\n"
            "accuracy:  75.00%; precision:  75.00%; recall:  75.00%; FB1:  75.00\n"
            "            -LRB-: precision: 100.00%; recall: 100.00%; FB1: 100.00  1\n"
            "               NN: precision:  66.67%; recall: 100.00%; FB1:  80.00  3\n"
            "               VB: precision:   0.00%; recall:   0.00%; FB1:   0.00  0\n");
}

TEST(TaggingScores, GoldLabelsDecideWhetherThereAreChunks) {
  TaggingScores garbled;
  garbled.add(Texts{"B-N", "O"}, Texts{"B-N", "UNK"});
  EXPECT_TRUE(garbled.chunked());
  EXPECT_EQ(garbled.overall().gold, 1u);
  TaggingScores letters;
  letters.add(Texts{"O"}, Texts{"Q"});
  EXPECT_FALSE(letters.chunked());
  TaggingScores outside;
  outside.add(Texts{"O"}, Texts{"B-N"});
  EXPECT_TRUE(outside.chunked());
  TaggingScores roles;
  roles.add(Texts{"B-N", "ARGM-TMP"}, Texts{"B-N", "ARGM-TMP"});
  EXPECT_FALSE(roles.chunked());
}

TEST(TaggingScores, AFewGoldLabelsOfAnotherFormDoNotTurnSegmentsIntoTokens) {
  const auto with = [](const char* stray) {
    std::vector<std::string_view> gold, predicted;
    for (int i = 0; i < 20; ++i) {
      for (const char* label : {"B-NP", "I-NP", "O"}) gold.push_back(label);
      for (const char* label : {"B-NP", i < 5 ? "O" : "I-NP", "O"}) predicted.push_back(label);
    }
    gold.back() = stray;
    TaggingScores scores;
    scores.add(gold, predicted);
    return scores;
  };
  EXPECT_DOUBLE_EQ(with("O").f1(), 75);
  EXPECT_TRUE(with("O").stray_labels().empty());
  for (const char* stray : {"X", "b-np", "0", "B-"}) {
    const TaggingScores scores = with(stray);
    EXPECT_TRUE(scores.chunked()) << stray;
    EXPECT_NEAR(scores.f1(), 75, 2) << stray;
    EXPECT_EQ(scores.stray_labels(), (std::vector<std::pair<std::string, uint64_t>>{{stray, 1}})) << stray;
    EXPECT_NE(scores.table().find(fmt::format("the gold label '{}' (1 token)", stray)), std::string::npos);
    EXPECT_EQ(scores.to_json()["stray_labels"][stray], 1);
  }
}

TEST(TaggingScores, NothingAddedScoresNothing) {
  const TaggingScores scores;
  EXPECT_EQ(scores.accuracy(), 0);
  EXPECT_EQ(scores.f1(), 0);
  EXPECT_EQ(scores.conlleval_report(), "processed 0 tokens with 0 phrases; found: 0 phrases; correct: 0.\n");
  EXPECT_TRUE(scores.to_json()["calibration"].is_null());
}

TEST(TaggingScores, ConfusionsComeLargestFirst) {
  TaggingScores scores;
  scores.add(Texts{"a", "a", "a", "b", "c", "c"}, Texts{"a", "b", "b", "c", "a", "c"});
  const std::vector<Confusion> expected{{"a", "b", 2}, {"b", "c", 1}, {"c", "a", 1}};
  EXPECT_EQ(scores.confusions(10), expected);
  EXPECT_EQ(scores.confusions(1).size(), 1u);
}

TEST(TaggingScores, ShardsMergeInAnyOrder) {
  const Strings labels{"O", "B-N", "I-N", "B-V", "I-V", "E-N"};
  for (const bool plain : {false, true}) {
    Random random(23);
    TaggingScores whole;
    std::vector<TaggingScores> shards(5);
    for (int round = 0; round < 200; ++round) {
      Texts gold, predicted;
      std::vector<float> confidence;
      for (size_t t = random.below(8); t > 0; --t) {
        gold.push_back(plain && random.below(9) == 0 ? "X"
                                                     : std::string_view(labels[random.below(labels.size())]));
        predicted.push_back(random.below(2) ? gold.back()
                                            : std::string_view(labels[random.below(labels.size())]));
        confidence.push_back(static_cast<float>(random.uniform()));
      }
      whole.add(gold, predicted, confidence);
      shards[random.below(5)].add(gold, predicted, confidence);
    }
    TaggingScores forward, backward;
    for (size_t i = 0; i < 5; ++i) {
      forward.merge(shards[i]);
      backward.merge(shards[4 - i]);
    }
    EXPECT_EQ(whole.chunked(), !plain);
    EXPECT_EQ(forward.to_json().dump(), whole.to_json().dump());
    EXPECT_EQ(backward.to_json().dump(), whole.to_json().dump());
    EXPECT_EQ(forward.conlleval_report(), whole.conlleval_report());
    EXPECT_EQ(backward.table(), whole.table());
  }
}

TEST(TaggingScores, MergingWithItselfDoubles) {
  TaggingScores scores;
  scores.add(Texts{"B-N", "O"}, Texts{"B-N", "B-V"});
  scores.merge(scores);
  EXPECT_EQ(scores.overall(), (Counts{2, 4, 2}));
  EXPECT_EQ(scores.confusions(9), (std::vector<Confusion>{{"O", "B-V", 2}}));
}

TEST(TaggingScores, JsonHasEveryScore) {
  TaggingScores scores;
  const std::vector<float> confidence{0.9F, 0.6F};
  scores.add(Texts{"B-N", "O"}, Texts{"B-N", "B-V"}, confidence);
  const Json json = scores.to_json();
  EXPECT_EQ(json.at("sequences"), 1);
  EXPECT_EQ(json.at("tokens"), 2);
  EXPECT_EQ(json.at("accuracy"), 50);
  EXPECT_EQ(json.at("sequence_accuracy"), 0);
  EXPECT_EQ(json.at("precision"), 50);
  EXPECT_EQ(json.at("recall"), 100);
  EXPECT_NEAR(json.at("f1").get<double>(), 200.0 / 3, 1e-9);
  EXPECT_EQ(json.at("by_label").at("N").at("f1"), 100);
  EXPECT_EQ(json.at("confusions").at(0).at("predicted"), "B-V");
  EXPECT_NEAR(json.at("calibration").at("brier_score").get<double>(), (0.01 + 0.36) / 2, 1e-6);
  EXPECT_NEAR(json.at("calibration").at("expected_calibration_error").get<double>(), (0.1 + 0.6) / 2, 1e-6);
  EXPECT_EQ(json.at("calibration").at("bins").size(), 2u);
}

TEST(TaggingScores, TableTellsWhatTheReportLeavesOut) {
  TaggingScores scores;
  const std::vector<float> confidence{0.9F, 0.58F};
  scores.add(Texts{"B-N", "O"}, Texts{"B-N", "B-V"}, confidence);
  EXPECT_EQ(scores.table(),
            "sequences: 1, 0.00% without an error\n"
            "\n"
            "most common confusions (errors in all: 1)\n"
            "  gold  predicted     count  of errors\n"
            "  O     B-V               1    100.00%\n"
            "\n"
            "calibration: expected calibration error 0.3400, Brier score 0.1732\n"
            "  confidence      tokens    mean   right\n"
            "  0.533-0.600         1  0.5800  0.0000\n"
            "  0.867-0.933         1  0.9000  1.0000\n");
}

TEST(TaggingScores, LengthsMustAgree) {
  TaggingScores scores;
  EXPECT_THROW(scores.add(Texts{"O"}, Texts{}), ContractViolation);
  EXPECT_THROW(scores.add(Texts{"O"}, Texts{"O"}, std::vector<float>{1, 1}), ContractViolation);
}

TEST(TaggingScores, CountsThePhrasesOfTheSharedTask) {
  const char* folder = std::getenv("ESPALIER_DATA");
  const std::filesystem::path path =
      (folder != nullptr ? std::filesystem::path(folder)
                         : std::filesystem::path(ESPALIER_SOURCE_DIR) / ".." / "shared" / "data") /
      "conll2000" / "test.txt.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  gzFile file = gzopen(path.c_str(), "rb");
  ASSERT_NE(file, nullptr);
  TaggingScores perfect, outside;
  Strings labels;
  char line[4096];
  const auto close_sequence = [&] {
    if (labels.empty()) return;
    const Strings none(labels.size(), "O");
    perfect.add(views(labels), views(labels));
    outside.add(views(labels), views(none));
    labels.clear();
  };
  while (gzgets(file, line, sizeof line) != nullptr) {
    std::istringstream cells(line);
    std::string word, tag, label;
    if (cells >> word >> tag >> label)
      labels.push_back(label);
    else
      close_sequence();
  }
  close_sequence();
  gzclose(file);
  EXPECT_EQ(perfect.sequences(), 2012u);
  EXPECT_EQ(perfect.tokens(), 47377u);
  EXPECT_EQ(perfect.overall(), (Counts{23852, 23852, 23852}));
  const std::string report = perfect.conlleval_report();
  EXPECT_TRUE(
      report.starts_with("processed 47377 tokens with 23852 phrases; found: 23852 phrases; correct: 23852.\n"
                         "accuracy: 100.00%; precision: 100.00%; recall: 100.00%; FB1: 100.00\n"))
      << report;
  EXPECT_NE(report.find("               NP: precision: 100.00%; recall: 100.00%; FB1: 100.00  12422\n"),
            std::string::npos)
      << report;
  EXPECT_EQ(outside.overall(), (Counts{23852, 0, 0}));
}

}  // namespace
}  // namespace espalier::eval
