#include "espalier/data/formats/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "espalier/base/files/input.h"
#include "espalier/data/test_data.h"

namespace espalier::data {
namespace {

using testing::HasSubstr;
using Views = std::vector<std::string_view>;

ReadOptions reading(Format format, bool labels_required = true) {
  ReadOptions options;
  options.format = format;
  options.labels_required = labels_required;
  return options;
}

/// The first sequence of the text, tagged with the labels.
std::string tagged(std::string_view text, const ReadOptions& in, Format out, const Views& labels,
                   const ExtraFields& extra = {}) {
  const auto all = read_sequences(text, in);
  if (!all) return all.error().message;
  const auto writer = Writer::make(in, out);
  if (!writer) return writer.error().message;
  std::string result;
  writer->append(all->front(), labels, extra, result);
  return result;
}

/// The text as data of another format, or the message of the error.
std::string converted(std::string_view text, const ReadOptions& in, Format out) {
  const auto all = read_sequences(text, in);
  if (!all) return all.error().message;
  const auto writer = Writer::make(in, out);
  if (!writer) return writer.error().message;
  std::string result;
  for (const Sequence& s : *all) {
    const Status status = writer->append_gold(s, result);
    if (!status.ok()) return status.error().message;
  }
  return result;
}

const std::string kConllu =
    "# sent_id = 1\n"
    "1-2\tdel\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tde\tde\tADP\tE\t_\t0\troot\t_\tA=b\n"
    "2\tel\tel\tDET\tD\t_\t1\tdet\t_\t_\n"
    "2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "\n";

TEST(Writer, ColumnsGetThePredictionAfterTheRowsOwnSeparator) {
  const ReadOptions in = reading(Format::kColumns);
  EXPECT_EQ(tagged("a  X\nb Y\n", in, Format::kColumns, {"P", "Q"}), "a  X P\nb Y Q\n\n");
  EXPECT_EQ(tagged("New York\tX\n", in, Format::kColumns, {"P"}), "New York\tX\tP\n\n");
  const Views names = {"p", "q"};
  const Views values = {"0.9", "0.1", "0.8", "0.2"};
  EXPECT_EQ(tagged("a X\nb Y\n", in, Format::kColumns, {"P", "Q"}, {names, values}),
            "a X P 0.9 0.1\nb Y Q 0.8 0.2\n\n");
}

TEST(Writer, ConlluGetsTheLabelColumnReplacedAndAllElseBack) {
  ReadOptions in = reading(Format::kConllu);
  EXPECT_EQ(tagged(kConllu, in, Format::kConllu, {"X", "Y"}),
            "# sent_id = 1\n"
            "1-2\tdel\t_\t_\t_\t_\t_\t_\t_\t_\n"
            "1\tde\tde\tX\tE\t_\t0\troot\t_\tA=b\n"
            "2\tel\tel\tY\tD\t_\t1\tdet\t_\t_\n"
            "2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n"
            "\n");
  in.label_column = "xpos";
  const Views names = {"P"};
  const Views values = {"0.5", "1"};
  EXPECT_THAT(
      tagged(kConllu, in, Format::kConllu, {"X", "Y"}, {names, values}),
      HasSubstr("1\tde\tde\tADP\tX\t_\t0\troot\t_\tA=b|P=0.5\n2\tel\tel\tDET\tY\t_\t1\tdet\t_\tP=1\n"));
}

TEST(Writer, CrfsuiteItemsGetTheLabelFirst) {
  const ReadOptions in = reading(Format::kCrfsuite, false);
  EXPECT_EQ(tagged("@weight:2\n\tw=a\\:b:0.5\nOLD\n", in, Format::kCrfsuite, {"X", ":"}),
            "@weight:2\nX\tw=a\\:b:0.5\n\\:\n\n");
}

TEST(Writer, LettersGetThePredictionAsLastField) {
  std::string line = "1\ta\t-1\t1\t1\t0";
  for (int i = 0; i < 128; ++i) line += "\t0";
  EXPECT_EQ(tagged(line + "\n", reading(Format::kLetters), Format::kLetters, {"z"}), line + "\tz\n");
  EXPECT_EQ(tagged(line + "\t\n", reading(Format::kLetters), Format::kLetters, {"z"}), line + "\tz\n");
}

TEST(Writer, JsonHoldsTokensLabelsAndExtraFields) {
  const Views names = {"confidence", "note"};
  const Views values = {"0.5", "-x", "1e-3", "a\"b"};
  EXPECT_EQ(tagged(R"({"tokens": ["a\t\"", "é"], "fold": 3})", reading(Format::kJsonLines, false),
                   Format::kJsonLines, {"X", "Y"}, {names, values}),
            "{\"tokens\": [\"a\\u0009\\\"\", \"é\"], \"labels\": [\"X\", \"Y\"], "
            "\"confidence\": [0.5, 1e-3], \"note\": [\"-x\", \"a\\\"b\"], \"fold\": 3}\n");
}

TEST(Writer, PredictionsCanGoOutInAnotherFormat) {
  EXPECT_EQ(tagged(kConllu, reading(Format::kConllu), Format::kColumns, {"X", "Y"}), "de\tX\nel\tY\n\n");
  EXPECT_EQ(tagged("a b X\n", reading(Format::kColumns), Format::kJsonLines, {"Z"}),
            "{\"tokens\": [[\"a\", \"b\"]], \"labels\": [\"Z\"]}\n");
  EXPECT_EQ(tagged(R"({"tokens": ["a\tb"]})", reading(Format::kJsonLines, false), Format::kColumns, {"Z"}),
            "a b\tZ\n\n");
}

TEST(Writer, DataComesBackAsItWasInItsOwnFormat) {
  EXPECT_EQ(converted("a  b X\nc d Y \n\ne f Z\n", reading(Format::kColumns), Format::kColumns),
            "a  b X\nc d Y \n\ne f Z\n\n");
  EXPECT_EQ(converted(kConllu, reading(Format::kConllu), Format::kConllu), kConllu);
  EXPECT_EQ(converted("@weight:0.5\nA\tx:2\n\nB\ty\n\n", reading(Format::kCrfsuite), Format::kCrfsuite),
            "@weight:0.5\nA\tx:2\n\nB\ty\n\n");
  const std::string json =
      "{\"tokens\": [\"a\", \"b\"], \"labels\": [\"X\", null], \"fold\": 1, \"weight\": 2.5}\n";
  EXPECT_EQ(converted(json, reading(Format::kJsonLines), Format::kJsonLines), json);
}

TEST(Writer, DataIsConvertedWhereThatMakesSense) {
  EXPECT_EQ(converted("the DT B-NP\ncat NN I-NP\n", reading(Format::kColumns), Format::kConllu),
            "1\tthe\t_\tB-NP\t_\t_\t_\t_\t_\tColumn2=DT\n2\tcat\t_\tI-NP\t_\t_\t_\t_\t_\tColumn2=NN\n\n");
  EXPECT_EQ(converted("10:30 CD O\n", reading(Format::kColumns), Format::kCrfsuite),
            "O\tc1=10\\:30\tc2=CD\n\n");
  EXPECT_EQ(converted("A\tx:2\ty\tx:0.5\n", reading(Format::kCrfsuite), Format::kJsonLines),
            "{\"tokens\": [{\"x\": 2.5, \"y\": 1}], \"labels\": [\"A\"]}\n");
  EXPECT_EQ(converted("{\"tokens\": [{\"x:\": 2.5, \"y\": 1}], \"labels\": [\"A\"]}",
                      reading(Format::kJsonLines), Format::kCrfsuite),
            "A\tx\\::2.5\ty\n\n");
  EXPECT_EQ(converted("{\"tokens\": [\"x y\"]}", reading(Format::kJsonLines, false), Format::kConllu),
            "1\tx y\t_\t_\t_\t_\t_\t_\t_\t_\n\n");
}

TEST(Writer, AConversionThatCannotHoldTheDataIsAnError) {
  EXPECT_THAT(converted("A\tx\n", reading(Format::kCrfsuite), Format::kColumns),
              HasSubstr("attributes are not columns"));
  EXPECT_THAT(converted("a b\n", reading(Format::kColumns), Format::kLetters),
              HasSubstr("only letters have rows of pixels"));
  EXPECT_EQ(converted("\n{\"tokens\": [\"a\\nb\"]}", reading(Format::kJsonLines, false), Format::kColumns),
            "line 2: a cell with a tab or a line end cannot be written as columns");
  EXPECT_EQ(converted("a | X\n", reading(Format::kColumns), Format::kConllu),
            "line 1: a further cell with a | (where MISC is split) cannot be written as conllu");
  EXPECT_EQ(converted("{\"tokens\": [{\"x\": 1}]}", reading(Format::kJsonLines, false), Format::kColumns),
            "line 1: attributes cannot be written as columns");
  ReadOptions bytes = reading(Format::kColumns);
  bytes.encoding = "bytes";
  EXPECT_THAT(converted("a b\n", bytes, Format::kJsonLines), HasSubstr("which is UTF-8"));
}

TEST(Writer, TheGapOfAMissingLabelIsNoObservation) {
  ReadOptions in = reading(Format::kColumns, false);
  in.columns = 3;
  in.label_column = "2";
  EXPECT_EQ(tagged("a b\n", in, Format::kJsonLines, {"Z"}),
            "{\"tokens\": [[\"a\", \"b\"]], \"labels\": [\"Z\"]}\n");
  EXPECT_EQ(tagged("a L b\n", in, Format::kJsonLines, {"Z"}),
            "{\"tokens\": [[\"a\", \"b\"]], \"labels\": [\"Z\"]}\n");
  EXPECT_EQ(tagged("a b\n", in, Format::kColumns, {"Z"}), "a b Z\n\n");
}

TEST(Writer, LabelsMustFitTheSequence) {
  EXPECT_THROW(tagged("a X\nb Y\n", reading(Format::kColumns), Format::kColumns, {"P"}), ContractViolation);
}

TEST(Writer, ATreebankComesBackByteForByte) {
  const std::string file = "ud/pt_bosque-ud-test.conllu.gz";
  ESPALIER_NEED_CORPUS(file);
  const ReadOptions in = reading(Format::kConllu);
  const auto all = read_all({corpus_path(file)}, in);
  ASSERT_TRUE(all) << all.error().message;
  const auto writer = Writer::make(in, Format::kConllu);
  std::string text;
  for (const Sequence& s : *all) ASSERT_TRUE(writer->append_gold(s, text).ok());
  auto input = Input::open(corpus_path(file));
  std::string original;
  std::string_view line;
  while (*input->next_line(line)) original.append(line).push_back('\n');
  EXPECT_TRUE(text == original);
}

}  // namespace
}  // namespace espalier::data
