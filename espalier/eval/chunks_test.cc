#include "espalier/eval/chunks.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "espalier/base/random.h"

namespace espalier::eval {
namespace {

/// Starts and ends of the chunks of one sequence, as text: '[' before a position where one starts, ']' after
/// one where one ends.
std::string boundaries(std::initializer_list<std::string_view> labels) {
  LabelTable table;
  std::string out;
  ChunkTag last;
  for (const std::string_view label : labels) {
    const ChunkTag now = table.tag(table.add(label));
    if (ends_chunk(last, now)) out += ']';
    if (starts_chunk(last, now)) out += '[';
    out += 'x';
    last = now;
  }
  if (ends_chunk(last, {})) out += ']';
  return out;
}

Counts count(const std::vector<std::string>& gold, const std::vector<std::string>& found) {
  LabelTable table;
  ChunkMatcher matcher;
  Counts counts;
  const auto take = [&](const ChunkMatcher::Events& e) {
    counts.gold += e.gold_starts;
    counts.found += e.found_starts;
    counts.correct += e.correct_ends;
  };
  for (size_t t = 0; t < gold.size(); ++t)
    take(matcher.step(table.tag(table.add(gold[t])), table.tag(table.add(found[t]))));
  take(matcher.finish());
  return counts;
}

TEST(ChunkLabel, NeedsAKnownPrefixAndAType) {
  for (const char* label : {"O", "B-NP", "I-NP", "E-NP", "S-NP", "L-NP", "U-NP", "B-A-B"})
    EXPECT_TRUE(is_chunk_label(label)) << label;
  for (const char* label :
       {"", "B", "I", "B-", "ARGM-TMP", "-LRB-", "NN", "b-NP", "OO", "O-NP", "X-NP", "BNP"})
    EXPECT_FALSE(is_chunk_label(label)) << label;
}

TEST(LabelTable, TakesLabelsApartAtTheFirstHyphen) {
  LabelTable table;
  const ChunkTag tag = table.tag(table.add("B-ARGM-TMP"));
  EXPECT_EQ(tag.tag, Tag::kBegin);
  EXPECT_EQ(table.type_name(tag.type), "ARGM-TMP");
  EXPECT_EQ(table.tag(table.add("I-ARGM-TMP")).type, tag.type);
  EXPECT_EQ(table.tag(table.add("O")).type, 0u);
  EXPECT_EQ(table.tag(table.add("-LRB-")).tag, Tag::kOther);
  EXPECT_EQ(table.find("O"), 2u);
  EXPECT_FALSE(table.find("B-NP").has_value());
}

TEST(ChunkBoundaries, LegalSequencesOfEveryScheme) {
  EXPECT_EQ(boundaries({"B-N", "I-N", "B-N", "O", "B-V"}), "[xx][x]x[x]");            // IOB2
  EXPECT_EQ(boundaries({"I-N", "I-N", "B-N", "O", "I-V"}), "[xx][x]x[x]");            // IOB1
  EXPECT_EQ(boundaries({"I-N", "E-N", "E-N", "O", "E-V"}), "[xx][x]x[x]");            // IOE2
  EXPECT_EQ(boundaries({"I-N", "E-N", "I-N", "O", "I-V"}), "[xx][x]x[x]");            // IOE1
  EXPECT_EQ(boundaries({"B-N", "E-N", "S-N", "O", "S-V"}), "[xx][x]x[x]");            // IOBES
  EXPECT_EQ(boundaries({"B-N", "L-N", "U-N", "B-N", "I-N", "L-N"}), "[xx][x][xxx]");  // BILOU
  EXPECT_EQ(boundaries({"S-N", "S-N", "B-N", "E-N", "B-N", "E-N"}), "[x][x][xx][xx]");
}

TEST(ChunkBoundaries, BrokenSequencesAreReadAsTheSharedTaskReadsThem) {
  EXPECT_EQ(boundaries({"O", "I-N", "I-N", "O"}), "x[xx]x");  // a chunk may start with I
  EXPECT_EQ(boundaries({"B-N", "I-V", "I-V"}), "[x][xx]");    // a new type is a new chunk
  EXPECT_EQ(boundaries({"I-N", "I-V", "B-V"}), "[x][x][x]");
  EXPECT_EQ(boundaries({"B-N", "E-V", "I-V"}), "[x][x][x]");
  EXPECT_EQ(boundaries({"S-N", "I-N", "I-N"}), "[x][xx]");
  EXPECT_EQ(boundaries({"B-N", "X-N", "O"}), "[xx]x");   // an unknown tag goes on while the type does
  EXPECT_EQ(boundaries({"O", "UNK", "O"}), "xxx");       // a bare one after outside opens nothing
  EXPECT_EQ(boundaries({"I-N", "UNK", "O"}), "[x][xx");  // but a change to the empty type does
}

TEST(ChunkBoundaries, BracketsStandForChunksOfOneToken) {
  EXPECT_EQ(boundaries({"[-N", "[-N", ".", "]-N", "."}), "[x][x]x[x]x");
}

TEST(ChunkBoundaries, AChunkStartsExactlyWhereNoneGoesOn) {
  // For the tags of the chunk schemes: inside iff not outside, and starting iff the one before ended or was
  // outside.
  LabelTable table;
  const std::vector<std::string> labels{"O", "B-N", "I-N", "E-N", "S-N", "B-V", "I-V", "L-V", "U-V"};
  for (const std::string& a : labels)
    for (const std::string& b : labels) {
      const ChunkTag before = table.tag(table.add(a));
      const ChunkTag now = table.tag(table.add(b));
      const bool starts =
          now.tag != Tag::kOutside && (before.tag == Tag::kOutside || ends_chunk(before, now));
      EXPECT_EQ(starts_chunk(before, now), starts) << a << " " << b;
      if (now.tag == Tag::kOutside) {
        EXPECT_EQ(ends_chunk(before, now), before.tag != Tag::kOutside) << a;
      }
    }
}

TEST(ChunkMatcher, ACorrectChunkHasBothBoundariesAndTheType) {
  EXPECT_EQ(count({"B-N", "I-N", "O"}, {"B-N", "I-N", "O"}), (Counts{1, 1, 1}));
  EXPECT_EQ(count({"B-N", "I-N", "O"}, {"B-N", "O", "O"}), (Counts{1, 1, 0}));
  EXPECT_EQ(count({"B-N", "I-N", "O"}, {"O", "B-N", "O"}), (Counts{1, 1, 0}));
  EXPECT_EQ(count({"B-N", "I-N"}, {"B-V", "I-V"}), (Counts{1, 1, 0}));
  EXPECT_EQ(count({"B-N", "I-N"}, {"B-N", "I-V"}), (Counts{1, 2, 0}));
  EXPECT_EQ(count({"B-N", "I-N"}, {"I-N", "I-N"}), (Counts{1, 1, 1}));  // the tag itself does not matter
  EXPECT_EQ(count({"O", "O"}, {"O", "O"}), (Counts{0, 0, 0}));
}

TEST(ChunkMatcher, AgreesWithListsOfChunksOnRandomBrokenSequences) {
  const std::vector<std::string> labels{"O", "B-N", "I-N", "E-N", "S-N", "B-V", "I-V", "E-V", "S-V"};
  using Chunk = std::tuple<size_t, size_t, uint32_t>;
  Random random(7);
  for (int round = 0; round < 5000; ++round) {
    LabelTable table;
    std::vector<std::string> sides[2];
    std::set<Chunk> chunks[2];
    const size_t length = 1 + random.below(8);
    for (int side = 0; side < 2; ++side) {
      for (size_t t = 0; t < length; ++t)
        // Copies of the gold label are common, so that long chunks do come out right at times.
        sides[side].push_back(side == 1 && random.below(4) > 0 ? sides[0][t]
                                                               : labels[random.below(labels.size())]);
      for (size_t t = 0; t < length;) {
        ChunkTag last = table.tag(table.add(sides[side][t]));
        const size_t begin = t++;
        if (last.tag == Tag::kOutside) continue;
        const uint32_t type = last.type;
        for (; t < length; ++t) {
          const ChunkTag now = table.tag(table.add(sides[side][t]));
          if (ends_chunk(last, now)) break;
          last = now;
        }
        chunks[side].insert({begin, t, type});
      }
    }
    Counts expected{chunks[0].size(), chunks[1].size(), 0};
    for (const Chunk& chunk : chunks[0]) expected.correct += chunks[1].count(chunk);
    ASSERT_EQ(count(sides[0], sides[1]), expected)
        << testing::PrintToString(sides[0]) << testing::PrintToString(sides[1]);
  }
}

TEST(Counts, PercentagesAreZeroWhereThereIsNothing) {
  EXPECT_EQ(Counts{}.f1(), 0);
  EXPECT_EQ((Counts{0, 3, 0}).recall(), 0);
  EXPECT_DOUBLE_EQ((Counts{4, 2, 1}).precision(), 50);
  EXPECT_DOUBLE_EQ((Counts{4, 2, 1}).recall(), 25);
  EXPECT_DOUBLE_EQ((Counts{4, 2, 1}).f1(), 100.0 / 3);
}

}  // namespace
}  // namespace espalier::eval
