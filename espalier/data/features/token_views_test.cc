#include "espalier/data/features/token_views.h"

#include <gtest/gtest.h>

#include <string>

namespace espalier::data {
namespace {

Sequence words(const std::vector<std::string>& list) {
  Sequence sequence;
  sequence.clear(1);
  for (size_t i = 0; i < list.size(); ++i) {
    sequence.begin_row(list[i], i + 1);
    sequence.add_cell(0, list[i].size());
  }
  return sequence;
}

View view(ViewKind kind, size_t size = 0, Outside outside = Outside::kCrfpp) {
  return {.kind = kind, .outside = outside, .column = 0, .size = size, .pattern = 0};
}

/// The view's text of a word, or "none".
std::string text_of(ViewKind kind, const std::string& word, size_t size = 0) {
  const TokenViews views({view(kind, size)}, {}, 1);
  const Sequence sequence = words({word});
  TokenViews::Reading reading;
  return std::string(views.text(sequence, 0, 0, reading).value_or("none"));
}

TEST(TokenViewsTest, TextsOfTheViews) {
  EXPECT_EQ(text_of(ViewKind::kText, "Über"), "Über");
  EXPECT_EQ(text_of(ViewKind::kLower, "ÜBER"), "über");
  EXPECT_EQ(text_of(ViewKind::kCased, "Über"), "Über");
  EXPECT_EQ(text_of(ViewKind::kCased, "über"), "none");
  EXPECT_EQ(text_of(ViewKind::kPrefix, "Über", 2), "üb");
  EXPECT_EQ(text_of(ViewKind::kPrefix, "Über", 4), "über");
  EXPECT_EQ(text_of(ViewKind::kPrefix, "Über", 5), "none");
  EXPECT_EQ(text_of(ViewKind::kSuffix, "Ελλάς", 2), "άς");
  EXPECT_EQ(text_of(ViewKind::kSuffix, "of", 3), "none");
  EXPECT_EQ(text_of(ViewKind::kShape, "McDonald-97"), "XxXxxxxx-dd");
  EXPECT_EQ(text_of(ViewKind::kShortShape, "McDonald-97"), "XxXx-d");
  EXPECT_EQ(text_of(ViewKind::kOutside, "x"), "none");
}

TEST(TokenViewsTest, Flags) {
  EXPECT_EQ(text_of(ViewKind::kDigit, "a٣b"), "1");
  EXPECT_EQ(text_of(ViewKind::kDigit, "abc"), "none");
  EXPECT_EQ(text_of(ViewKind::kHyphen, "e-mail"), "1");
  EXPECT_EQ(text_of(ViewKind::kHyphen, "1990–95"), "1");
  EXPECT_EQ(text_of(ViewKind::kHyphen, "--"), "none");
  EXPECT_EQ(text_of(ViewKind::kHyphen, "mail-"), "none");
  EXPECT_EQ(text_of(ViewKind::kAllCaps, "ÖBB"), "1");
  EXPECT_EQ(text_of(ViewKind::kAllCaps, "AT&T"), "1");
  EXPECT_EQ(text_of(ViewKind::kAllCaps, "A"), "none");
  EXPECT_EQ(text_of(ViewKind::kAllCaps, "ÖBBs"), "none");
  EXPECT_EQ(text_of(ViewKind::kCapital, "Öl"), "1");
  EXPECT_EQ(text_of(ViewKind::kCapital, "öL"), "none");
  EXPECT_EQ(text_of(ViewKind::kLong, "äöüß", 4), "1");
  EXPECT_EQ(text_of(ViewKind::kLong, "äöüß", 5), "none");
}

TEST(TokenViewsTest, EmptyCellsAndStrayBytesHaveViewsToo) {
  for (const auto kind : {ViewKind::kLower, ViewKind::kShape, ViewKind::kShortShape}) {
    EXPECT_EQ(text_of(kind, ""), "");
    EXPECT_NE(text_of(kind, "\xFF"), "none");
  }
  EXPECT_EQ(text_of(ViewKind::kSuffix, "", 1), "none");
  EXPECT_EQ(text_of(ViewKind::kCapital, ""), "none");
  EXPECT_EQ(text_of(ViewKind::kSuffix, "a\xFF", 1), "\xFF");
}

TEST(TokenViewsTest, RowsOutside) {
  const TokenViews views({view(ViewKind::kLower), view(ViewKind::kLower, 0, Outside::kWapiti),
                          view(ViewKind::kLower, 0, Outside::kNothing), view(ViewKind::kOutside)},
                         {}, 6);
  const Sequence sequence = words({"a", "b"});
  TokenViews::Reading reading;
  EXPECT_EQ(views.text(sequence, -1, 0, reading), "_B-1");
  EXPECT_EQ(views.text(sequence, 2, 0, reading), "_B+1");
  EXPECT_EQ(views.text(sequence, -6, 0, reading), "_B-6");
  EXPECT_EQ(views.text(sequence, -4, 1, reading), "_x-4");
  EXPECT_EQ(views.text(sequence, -5, 1, reading), "_x-#");
  EXPECT_EQ(views.text(sequence, 7, 1, reading), "_x+#");
  EXPECT_EQ(views.text(sequence, -1, 2, reading), std::nullopt);
  EXPECT_EQ(views.text(sequence, -1, 3, reading), "1");
}

// The table against the slow path, view by view, with more words than the cache holds and each of them twice.
TEST(TokenViewsTest, HashesAreThoseOfTheTexts) {
  std::vector<View> all;
  for (const auto kind :
       {ViewKind::kText, ViewKind::kLower, ViewKind::kCased, ViewKind::kShape, ViewKind::kShortShape,
        ViewKind::kDigit, ViewKind::kHyphen, ViewKind::kAllCaps, ViewKind::kCapital, ViewKind::kOutside})
    all.push_back(view(kind));
  for (size_t n = 1; n <= 5; ++n) {
    all.push_back(view(ViewKind::kPrefix, n, Outside::kNothing));
    all.push_back(view(ViewKind::kSuffix, n, Outside::kNothing));
  }
  const TokenViews views(all, {}, 2);
  std::vector<std::string> list;
  for (int i = 0; i < 12000; ++i) {
    const std::string number = std::to_string(i % 6000);
    list.push_back(i % 3 == 0 ? "Wort" + number : i % 3 == 1 ? "ÄH-" + number : number.substr(0, 2));
  }
  const Sequence sequence = words(list);
  TokenViews::Table table;
  views.fill(sequence, table);
  ASSERT_EQ(table.hashes.size(), (list.size() + 4) * views.width());
  for (size_t row = 0; row < list.size() + 4; ++row) {
    for (size_t v = 0; v < all.size(); ++v) {
      TokenViews::Reading reading;
      const auto text = views.text(sequence, static_cast<ptrdiff_t>(row) - 2, v, reading);
      ASSERT_EQ(table.hashes[row * views.width() + views.place(v)], text ? view_hash(*text) : kAbsent)
          << row << " " << v;
    }
  }
}

TEST(TokenViewsTest, ATableServesOnePlanAfterAnother) {
  const TokenViews prefixes({view(ViewKind::kPrefix, 2)}, {}, 0);
  const TokenViews suffixes({view(ViewKind::kSuffix, 2)}, {}, 0);
  const Sequence sequence = words({"running"});
  TokenViews::Table table;
  for (int round = 0; round < 2; ++round) {
    prefixes.fill(sequence, table);
    EXPECT_EQ(table.hashes[0], view_hash("ru"));
    suffixes.fill(sequence, table);
    EXPECT_EQ(table.hashes[0], view_hash("ng"));
  }
}

}  // namespace
}  // namespace espalier::data
