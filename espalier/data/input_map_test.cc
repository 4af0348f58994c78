#include "espalier/data/input_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/data/test_data.h"

namespace espalier::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ReadOptions in_format(Format format) {
  ReadOptions options;
  options.format = format;
  options.labels_required = false;
  return options;
}

/// The cells of the first row in the layout of a model of `columns` columns.
std::vector<std::string> mapped(std::string_view text, const ReadOptions& reading, const ReadOptions& trained,
                                const std::vector<size_t>& features) {
  const Sequence from = read_sequences(text, reading).value()[0];
  Sequence to;
  InputMap::make(reading.format, trained, features).value().apply(from, to).value();
  std::vector<std::string> cells;
  for (size_t c = 0; c < to.columns(); ++c) cells.emplace_back(to.cell(0, c));
  EXPECT_EQ(to.has_labels(), from.has_labels());
  return cells;
}

TEST(InputMap, PutsCellsWhereTrainingHadThem) {
  ReadOptions trained;
  trained.columns = 4;
  trained.label_column = "2";
  const ReadOptions json = in_format(Format::kJsonLines);
  EXPECT_THAT(mapped(R"({"tokens": [["a", "b", "c"]], "labels": ["X"]})", json, trained, {0, 2}),
              ElementsAre("a", "X", "b", "c"));
  EXPECT_THAT(mapped(R"({"tokens": [["a", "b"]]})", json, trained, {0, 2}), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(mapped(R"({"tokens": ["a"]})", json, trained, {2}), ElementsAre("", "", "a", ""));
  EXPECT_THAT(mapped("1\tthe\t_\tDET\t_\t_\t_\t_\t_\t_\n", in_format(Format::kConllu), trained, {0}),
              ElementsAre("the", "DET", "", ""));
}

TEST(InputMap, RefusesWhatDoesNotHoldTheCells) {
  ReadOptions trained;
  trained.columns = 3;
  Sequence to;
  const Sequence one = read_sequences(R"({"tokens": ["a"]})", in_format(Format::kJsonLines)).value()[0];
  const Status few = InputMap::make(Format::kJsonLines, trained, {0, 1}).value().apply(one, to);
  ASSERT_FALSE(few.ok());
  EXPECT_EQ(few.error().message, "line 1: 1 cell of text per token, but the model looks at 2 columns");
  EXPECT_THAT(InputMap::make(Format::kCrfsuite, trained, {0}).error().message,
              HasSubstr("attributes instead"));
  ReadOptions items;
  items.format = Format::kCrfsuite;
  EXPECT_FALSE(InputMap::make(Format::kColumns, items, {}).ok());
  EXPECT_FALSE(InputMap::make(Format::kJsonLines, items, {}).value().apply(one, to).ok());
  trained.label_column = "2,3";
  EXPECT_THAT(InputMap::make(Format::kJsonLines, trained, {0}).error().message,
              HasSubstr("several label columns"));
}

}  // namespace
}  // namespace espalier::data
