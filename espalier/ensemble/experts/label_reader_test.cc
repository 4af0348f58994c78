#include "espalier/ensemble/experts/label_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/base/files/temporary_directory.h"

namespace espalier::ensemble {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Every sequence as "name: labels", or the error.
std::vector<std::string> read_labels(const std::string& text, LabelLayout layout) {
  const TemporaryDirectory folder;
  std::vector<std::string> out;
  const auto reader = open_label_reader(folder.write("l.txt", text), layout, "utf-8");
  if (!reader.ok()) return {reader.error().message};
  data::Sequence sequence;
  while (true) {
    const auto more = (*reader)->next(sequence);
    if (!more.ok()) out.push_back(more.error().message);
    if (!more.ok() || !*more) return out;
    std::string line(sequence_name(sequence));
    line += ":";
    for (size_t row = 0; row < sequence.length(); ++row) line += " " + std::string(sequence.label(row));
    out.push_back(line);
  }
}

LabelLayout found(const std::string& text, data::Format format = data::Format::kColumns) {
  const TemporaryDirectory folder;
  data::ReadOptions reading;
  reading.format = format;
  return *find_label_layout(folder.write("l.txt", text), reading);
}

TEST(LabelReader, ReadsOneLabelALine) {
  EXPECT_THAT(read_labels("K\nAE\n\n\nT\n", LabelLayout::kRows), ElementsAre(": K AE", ": T"));
  EXPECT_THAT(read_labels("K\nAE T\n", LabelLayout::kRows),
              ElementsAre(HasSubstr("l.txt:2: expected one label")));
}

TEST(LabelReader, ReadsOneSequenceALineWithItsName) {
  EXPECT_THAT(read_labels("K AE  T\n\ncat\tK AE T\nox\t\n", LabelLayout::kLines),
              ElementsAre(": K AE T", ":", "cat: K AE T", "ox:"));
}

TEST(LabelReader, ReadsObjectsWithoutTokens) {
  EXPECT_THAT(read_labels("{\"labels\": [\"K\", null]}\n{\"id\": 7, \"labels\": []}\n", LabelLayout::kJson),
              ElementsAre(": K _", "7:"));
  EXPECT_THAT(read_labels("{\"labels\": [1]}\n", LabelLayout::kJson), ElementsAre(HasSubstr("l.txt:1")));
  EXPECT_THAT(read_labels("{\"labels\": \n", LabelLayout::kJson), ElementsAre(HasSubstr("not a JSON value")));
}

TEST(LabelReader, AFileWithoutAnySequenceIsAnError) {
  EXPECT_THAT(read_labels("\n\n", LabelLayout::kRows), ElementsAre(HasSubstr("no sequence")));
  EXPECT_THAT(read_labels("", LabelLayout::kLines), ElementsAre(HasSubstr("no sequence")));
}

TEST(LabelLayout, IsFoundOutFromTheFirstLine) {
  EXPECT_EQ(found("\nK\nAE T\n"), LabelLayout::kRows);
  EXPECT_EQ(found("cat N\n"), LabelLayout::kWithTokens);
  EXPECT_EQ(found("K\tAE\n"), LabelLayout::kWithTokens);
  EXPECT_EQ(found("{\"labels\": [\"K\"]}\n", data::Format::kJsonLines), LabelLayout::kJson);
  EXPECT_EQ(found("{\"tokens\": [\"a\"], \"labels\": [\"K\"]}\n", data::Format::kJsonLines),
            LabelLayout::kWithTokens);
}

TEST(AppendLabels, WritesWhatIsReadAgain) {
  const std::vector<std::string_view> labels{"K", "AE"};
  const std::vector<double> sure{0.5, 1};
  std::string out;
  append_labels(LabelLayout::kLines, "ca", labels, {}, {}, out);
  append_labels(LabelLayout::kLines, "ca", labels, sure, 0.25, out);
  append_labels(LabelLayout::kLines, "", {}, {}, {}, out);
  EXPECT_EQ(out, "ca\tK AE\nca\tK AE\t0.2500\t0.5000 1.0000\n\n");
  out.clear();
  append_labels(LabelLayout::kRows, "ca", labels, sure, 0.25, out);
  EXPECT_EQ(out, "K 0.5000 0.2500\nAE 1.0000 _\n\n");
  out.clear();
  append_labels(LabelLayout::kJson, "ca", labels, {}, {}, out);
  EXPECT_THAT(read_labels(out, LabelLayout::kJson), ElementsAre("ca: K AE"));
}

}  // namespace
}  // namespace espalier::ensemble
