#include "espalier/data/formats/conllu_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/data/test_data.h"

namespace espalier::data {
namespace {

constexpr std::string_view kSentence =
    "# sent_id = 1\n"
    "# text = vámonos al mar\n"
    "1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tvamos\tir\tVERB\tV\t_\t0\troot\t_\t_\n"
    "2\tnos\tnosotros\tPRON\tP\t_\t1\tobj\t_\t_\n"
    "2.1\tal\t_\tADP\t_\t_\t_\t_\t_\t_\n"
    "3\tmar\tmar\tNOUN\tN\tGender=Masc\t1\tobl\t_\tSpaceAfter=No\n"
    "3.1\tya\t_\tADV\t_\t_\t_\t_\t_\t_\n"
    "\n"
    "1\tfin\tfin\tNOUN\tN\t_\t0\troot\t_\t_\n";

ReadOptions conllu(std::string label = "", bool labels_required = true) {
  ReadOptions options;
  options.format = Format::kConllu;
  options.label_column = std::move(label);
  options.labels_required = labels_required;
  return options;
}

std::string row(std::string_view id, std::string_view upos = "X") {
  return fmt::format("{}\tw\tl\t{}\t_\t_\t0\troot\t_\t_\n", id, upos);
}

TEST(ConlluReader, WordsAreRowsAndEverythingElseIsKeptBesideThem) {
  const auto all = read_sequences(kSentence, conllu());
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  const Sequence& s = (*all)[0];
  ASSERT_EQ(s.length(), 3u);
  EXPECT_EQ(s.columns(), 10u);
  EXPECT_EQ(s.cell(2, 1), "mar");
  EXPECT_EQ(s.cell(2, 9), "SpaceAfter=No");
  EXPECT_EQ(s.label(1), "PRON");
  EXPECT_EQ(s.line(1), 5u);
  EXPECT_THAT(s.comments(), testing::ElementsAre("# sent_id = 1", "# text = vámonos al mar"));
  ASSERT_EQ(s.extra_line_count(), 3u);
  EXPECT_EQ(s.extra_line(0).before_row, 0u);
  EXPECT_EQ(s.extra_line(0).text.substr(0, 4), "1-2\t");
  EXPECT_EQ(s.extra_line(1).before_row, 2u);
  EXPECT_EQ(s.extra_line(2).before_row, 3u);
  EXPECT_EQ((*all)[1].extra_line_count(), 0u);
  EXPECT_TRUE((*all)[1].comments().empty());
}

TEST(ConlluReader, TheLabelIsNamedOrNumbered) {
  for (const auto& [column, label] : std::vector<std::pair<std::string, std::string>>{{"upos", "VERB"},
                                                                                      {"XPOS", "V"},
                                                                                      {"deprel", "root"},
                                                                                      {"lemma", "ir"},
                                                                                      {"5", "V"},
                                                                                      {"-3", "root"}}) {
    const auto all = read_sequences(kSentence, conllu(column));
    ASSERT_TRUE(all) << all.error().message;
    EXPECT_EQ((*all)[0].label(0), label) << column;
  }
  EXPECT_THAT(reading_error(kSentence, conllu("pos")),
              testing::HasSubstr("label column 'pos': expected a number or"));
  EXPECT_THAT(reading_error(kSentence, conllu("11")), testing::HasSubstr("rows have 10 columns"));
}

TEST(ConlluReader, UnderscoresMeanUnlabelledWhereLabelsAreNotRequired) {
  const std::string text = row("1", "_") + row("2", "_") + "\n" + row("1", "_") + row("2", "NOUN");
  const auto all = read_sequences(text, conllu("", false));
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_FALSE((*all)[0].has_labels());
  EXPECT_TRUE((*all)[1].has_labels());
  EXPECT_EQ((*all)[1].label(0), "_");
  EXPECT_TRUE((*read_sequences(text, conllu()))[0].has_labels());
}

TEST(ConlluReader, WrongRowsNameTheirLine) {
  EXPECT_EQ(reading_error("1\ta\tb\n", conllu()),
            "test.txt:1: expected 10 columns separated by tabs, found 3");
  EXPECT_EQ(reading_error(row("1") + "2\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_\n", conllu()),
            "test.txt:2: expected 10 columns separated by tabs, found 11");
  EXPECT_EQ(reading_error(row("1") + row("3"), conllu()),
            "test.txt:2: expected word number 2 in column 1, found 3");
  EXPECT_EQ(reading_error(row("1") + row("1"), conllu()),
            "test.txt:2: expected word number 2 in column 1, found 1; is a blank line missing?");
  for (const char* const id : {"x", "", "1-", "2-1", "1.x", "-1", "1-2-3"})
    EXPECT_THAT(reading_error(row(id), conllu()), testing::HasSubstr("expected a word number in column 1"))
        << id;
  EXPECT_EQ(reading_error(row("1", ""), conllu()),
            "test.txt:1: the label in column 4 is empty; write _ where it is not known");
  EXPECT_THAT(reading_error(row("1-2") + "\n" + row("1"), conllu()), testing::HasSubstr("has no word"));
}

TEST(ConlluReader, CommentsAloneGoWithTheNextSentence) {
  const auto all = read_sequences("# newdoc\n\n# sent\n" + row("1") + "\n# trailing\n", conllu());
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 1u);
  EXPECT_THAT((*all)[0].comments(), testing::ElementsAre("# newdoc", "# sent"));
}

TEST(ConlluReader, CountsOfTheEnglishTreebank) {
  ESPALIER_NEED_CORPUS("ud/en_ewt-ud-train.conllu.gz");
  const auto all = read_all({corpus_path("ud/en_ewt-ud-train.conllu.gz")}, conllu());
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->size(), 12544u);
  size_t words = 0;
  for (const Sequence& s : *all) words += s.length();
  EXPECT_EQ(words, 204577u);
}

TEST(ConlluReader, NoFeaturesIsAValueOfFeats) {
  ReadOptions options;
  options.format = Format::kConllu;
  options.label_column = "feats";
  const auto all = read_sequences("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\tX=1\t_\t_\t_\t_\n", options);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ((*all)[0].label(0), "no-features");
  EXPECT_EQ((*all)[0].cell(0, 5), "_");
  EXPECT_EQ((*all)[0].label(1), "X=1");
  options.label_column = "feats,upos";
  EXPECT_THAT(reading_error("", options), testing::HasSubstr("must be the last"));
}

}  // namespace
}  // namespace espalier::data
