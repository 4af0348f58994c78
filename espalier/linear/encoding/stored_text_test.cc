#include "espalier/linear/encoding/stored_text.h"

#include <gtest/gtest.h>

namespace espalier::linear {
namespace {

TEST(StoredText, CellsAndAttributesComeBack) {
  data::Sequence sequence;
  sequence.clear(2);
  const std::string longer(300, 'x');  // its length takes two bytes
  for (const std::string& word : {std::string("the"), longer, std::string()}) {
    sequence.begin_row({}, 1);
    sequence.add_cell(word);
    sequence.add_cell("T\xC3\xA4g");
    sequence.add_attribute("a=" + word, 0.5f);
    sequence.add_attribute("b", -2.0f);
  }
  std::string bytes;
  append_text(sequence, bytes);
  data::Sequence again;
  restore_text(bytes, again);
  ASSERT_EQ(again.length(), 3u);
  ASSERT_EQ(again.columns(), 2u);
  for (size_t row = 0; row < 3; ++row) {
    for (size_t column = 0; column < 2; ++column)
      EXPECT_EQ(again.cell(row, column), sequence.cell(row, column));
    ASSERT_EQ(again.attribute_count(row), 2u);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(again.attribute(row, i).name, sequence.attribute(row, i).name);
      EXPECT_EQ(again.attribute(row, i).value, sequence.attribute(row, i).value);
    }
  }
  EXPECT_FALSE(again.has_labels());
}

TEST(StoredText, RefusesBytesThatEndEarly) {
  data::Sequence sequence;
  sequence.clear(1);
  sequence.begin_row({}, 1);
  sequence.add_cell("word");
  std::string bytes;
  append_text(sequence, bytes);
  bytes.resize(bytes.size() - 2);
  data::Sequence again;
  EXPECT_THROW(restore_text(bytes, again), ContractViolation);
}

}  // namespace
}  // namespace espalier::linear
