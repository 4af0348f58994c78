#include "espalier/data/formats/source.h"

#include <gtest/gtest.h>

namespace espalier::data {
namespace {

Source two_sequences() {
  std::vector<Sequence> out;
  for (const char* const text : {"a A\nb B\n", "c C\n"}) {
    auto reader = read_text(text, "text", {});
    EXPECT_TRUE((*reader)->next(out.emplace_back()).ok());
  }
  return {std::make_shared<const std::vector<Sequence>>(std::move(out)), "here"};
}

TEST(Source, MemoryIsReadAsOftenAsItIsOpened) {
  const Source source = two_sequences();
  EXPECT_EQ(source.name(), "here");
  for (int time = 0; time < 2; ++time) {
    const auto reader = open_source(source, {});
    ASSERT_TRUE(reader.ok());
    Sequence sequence;
    EXPECT_TRUE(*(*reader)->next(sequence));
    EXPECT_EQ(sequence.label(1), "B");
    EXPECT_TRUE(*(*reader)->next(sequence));
    EXPECT_EQ(sequence.cell(0, 0), "c");
    EXPECT_FALSE(*(*reader)->next(sequence));
    EXPECT_FALSE(*(*reader)->next(sequence));
  }
}

TEST(Source, NothingInMemoryIsAnErrorThatNamesIt) {
  const Source source(std::make_shared<const std::vector<Sequence>>(), "here");
  const auto reader = open_source(source, {});
  ASSERT_TRUE(reader.ok());
  Sequence sequence;
  const auto more = (*reader)->next(sequence);
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.error().message, "here: no sequences");
}

TEST(Source, AFileThatIsNotThereFailsWhenItIsOpened) { EXPECT_FALSE(open_source("no/such/file", {}).ok()); }

}  // namespace
}  // namespace espalier::data
