#include "espalier/data/features/word_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/data/features/features.h"

namespace espalier::data {
namespace {

using testing::ElementsAre;

Sequence sequence_of(const std::vector<std::pair<std::string, std::string>>& rows) {
  Sequence out;
  out.clear(2);
  for (size_t t = 0; t < rows.size(); ++t) {
    out.begin_row({}, t + 1);
    out.add_cell(rows[t].first);
    out.add_cell(rows[t].second);
  }
  out.set_label_column(1);
  return out;
}

std::vector<std::string> last_cells(const Sequence& sequence) {
  std::vector<std::string> out;
  for (size_t t = 0; t < sequence.length(); ++t) out.emplace_back(sequence.cell(t, sequence.columns() - 1));
  return out;
}

TEST(WordLabels, AreThoseOfAllOtherSequences) {
  WordLabels labels(0);
  const Sequence first = sequence_of({{"The", "D"}, {"run", "N"}, {"the", "D"}, {"ox", "N"}});
  const Sequence second = sequence_of({{"They", "P"}, {"run", "V"}, {"the", "D"}});
  const Sequence third = sequence_of({{"run", "V"}, {"ran", "_"}});
  for (const Sequence* sequence : {&first, &second, &third}) labels.add(*sequence);
  ASSERT_TRUE(labels.list().has_value());
  EXPECT_EQ(labels.list()->text, "the\tD\nrun\tN+V\nox\tN\nthey\tP\n");
  EXPECT_THAT(last_cells(labels.with_labels_of_others(first)), ElementsAre("D", "V", "D", ""));
  EXPECT_THAT(last_cells(labels.with_labels_of_others(second)), ElementsAre("", "N+V", "D"));
  EXPECT_THAT(last_cells(labels.with_labels_of_others(third)), ElementsAre("N+V", ""));
  const Sequence copy = labels.with_labels_of_others(second);
  EXPECT_EQ(copy.columns(), 3u);
  EXPECT_EQ(copy.cell(1, 0), "run");
  EXPECT_EQ(copy.label(1), "V");
}

TEST(WordLabels, LeaveOutWhatIsRareAndWhatNoListCanHave) {
  WordLabels labels(0);
  for (int i = 0; i < 30; ++i) labels.add(sequence_of({{"of", "P"}, {"like", i % 3 == 0 ? "V" : "P"}}));
  labels.add(sequence_of({{"of", "N"}, {"a\tb", "N"}}));
  EXPECT_EQ(labels.list()->text, "of\tP\nlike\tP+V\n");
  WordLabels nothing(0);
  EXPECT_FALSE(nothing.list().has_value());
  nothing.add(sequence_of({{"of", "_"}}));
  EXPECT_FALSE(nothing.list().has_value());
  nothing.add(sequence_of({{"of", "a\tb"}}));
  EXPECT_FALSE(nothing.list().has_value());
}

TEST(WordLabels, AreTheSameFeaturesFromAListAsFromACell) {
  WordLabels labels(0);
  const Sequence seen = sequence_of({{"the", "D"}, {"run", "N"}, {"run", "V"}});
  labels.add(seen);
  FeatureOptions options;
  options.feature_columns = {0};
  options.lists = {*labels.list()};
  const auto listed = FeatureExtractor::make(options);
  options.labels_column = 2;
  const auto given = FeatureExtractor::make(options);
  ASSERT_TRUE(listed.ok() && given.ok());
  const Sequence plain = sequence_of({{"The", "D"}, {"new", "J"}, {"RUN", "N"}});
  Sequence with;
  with.clear(3);
  const char* const cells[] = {"D", "", "N+V"};
  for (size_t t = 0; t < 3; ++t) {
    with.begin_row({}, t + 1);
    with.add_cell(plain.cell(t, 0));
    with.add_cell(plain.cell(t, 1));
    with.add_cell(cells[t]);
  }
  FeatureExtractor::Scratch one, other;
  HashedFeatures from_list, from_cell;
  listed->extract(plain, one, from_list);
  given->extract(with, other, from_cell);
  EXPECT_EQ(from_list.state, from_cell.state);
  EXPECT_EQ(from_list.state_begin, from_cell.state_begin);
  std::vector<std::string> names;
  for (uint32_t i = from_list.state_begin[2]; i < from_list.state_begin[3]; ++i)
    names.push_back(listed->state_name(plain, 2, i - from_list.state_begin[2]));
  EXPECT_THAT(names, testing::Contains("labels[0]=N+V"));
  EXPECT_THAT(names, testing::Contains("labels[-2]=D"));
}

}  // namespace
}  // namespace espalier::data
