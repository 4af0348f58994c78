#include "apps/terminal.h"

#include <gtest/gtest.h>

#include "apps/verbs/train_report.h"

namespace espalier::apps {
namespace {

TEST(Terminal, DurationsReadLikeSpeech) {
  EXPECT_EQ(duration_text(0.0123), "0.012 s");
  EXPECT_EQ(duration_text(1.25), "1.2 s");
  EXPECT_EQ(duration_text(9.96), "10 s");
  EXPECT_EQ(duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(duration_text(125), "2 min 05 s");
  EXPECT_EQ(duration_text(3725), "1 h 02 min");
  EXPECT_EQ(duration_text(-1), "?");
}

TEST(Terminal, BytesKeepThreeDigits) {
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(999.7), "1.00 KB");
  EXPECT_EQ(bytes_text(12345), "12.3 KB");
  EXPECT_EQ(bytes_text(4.56e6), "4.56 MB");
  EXPECT_EQ(bytes_text(123e9), "123 GB");
}

TEST(Terminal, SizesAreReadWithTheirUnit) {
  EXPECT_EQ(parse_size("2G").value(), 2'000'000'000u);
  EXPECT_EQ(parse_size("1.5m").value(), 1'500'000u);
  EXPECT_EQ(parse_size("64MB").value(), 64'000'000u);
  EXPECT_EQ(parse_size("100000").value(), 100'000u);
  for (const char* const wrong : {"", "G", "2X", "-1", "1e30", "2 G x", "nan"})
    EXPECT_FALSE(parse_size(wrong).ok()) << wrong;
}

TEST(Terminal, MessagesQuoteLongInputInPart) {
  const std::string path = "cannot open '/data/" + std::string(150, 'd') + "/file.txt'";
  EXPECT_EQ(shortened_message(path), path);
  const std::string quoted = "parameter passes: '" + std::string(50'000, 'x') + "' is not a whole number";
  const std::string shown = shortened_message(quoted);
  EXPECT_LT(shown.size(), 250u);
  EXPECT_TRUE(shown.starts_with("parameter passes: 'xxx")) << shown;
  EXPECT_TRUE(shown.ends_with("xxx' is not a whole number")) << shown;
  std::string umlauts = "no label ";
  for (int i = 0; i < 500; ++i) umlauts += "ä";
  for (const size_t shift : {0, 1}) {
    const std::string cut = shortened_message(std::string(shift, 'x') + umlauts);
    EXPECT_NE(cut.find("ä…ä"), std::string::npos) << cut;  // no half characters
  }
  std::string words;
  for (int i = 0; i < 1000; ++i) words += "word ";
  EXPECT_EQ(shortened_message(words).size(), 1003u);
}

TEST(Terminal, CountsAreGroupedByThousands) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(1234567), "1,234,567");
}

TEST(Terminal, PeakMemoryIsThatOfAProcess) {
  EXPECT_GT(peak_resident_bytes(), 1'000'000u);
  EXPECT_LT(peak_resident_bytes(), size_t{1} << 40);
}

TEST(ShellWord, IsQuotedOnlyWhereAShellNeedsIt) {
  EXPECT_EQ(shell_word("models/chunks.model"), "models/chunks.model");
  EXPECT_EQ(shell_word("a model"), "'a model'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace espalier::apps
