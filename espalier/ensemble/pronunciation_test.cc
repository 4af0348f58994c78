#include "espalier/ensemble/pronunciation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/data/test_data.h"

namespace espalier::ensemble {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Pronunciation word(std::string letters, std::vector<std::string> phonemes) {
  return {std::move(letters), std::move(phonemes), {}};
}

TEST(LetterAligner, FindsTheSilentLetterAndTheDoublePhoneme) {
  std::vector<Pronunciation> words;
  for (int i = 0; i < 5; ++i) {
    words.push_back(word("tab", {"T", "AE", "B"}));
    words.push_back(word("bat", {"B", "AE", "T"}));
    words.push_back(word("late", {"L", "EY", "T"}));
    words.push_back(word("lat", {"L", "AE", "T"}));
  }
  words.push_back(word("tax", {"T", "AE", "K", "S"}));
  words.push_back(word("a", {"A", "B", "C"}));
  const AlignmentReport report = align_letters(words);
  EXPECT_EQ(report.skipped, 1u);
  EXPECT_TRUE(words.back().labels.empty());
  EXPECT_THAT(words[2].labels, ElementsAre("L", "EY", "T", "-"));
  EXPECT_THAT(words[words.size() - 2].labels, ElementsAre("T", "AE", "K+S"));
  for (size_t r = 1; r < report.log_likelihood.size(); ++r)
    EXPECT_GE(report.log_likelihood[r], report.log_likelihood[r - 1] - 1e-9);
}

TEST(LetterAligner, LabelsGiveThePhonemesBack) {
  std::vector<Pronunciation> words{word("box", {"B", "AA", "K", "S"}), word("knee", {"N", "IY"}),
                                   word("ox", {"AA", "K", "S"})};
  align_letters(words);
  for (const Pronunciation& entry : words) {
    const std::vector<std::string_view> labels(entry.labels.begin(), entry.labels.end());
    EXPECT_EQ(phonemes_of(labels), entry.phonemes);
  }
}

TEST(PronunciationReaders, NameFileAndLine) {
  const TemporaryDirectory folder;
  const auto no_tab = read_cmudict(folder.write("a.tsv", "cat\tK AE T\ndog\n"), true);
  ASSERT_FALSE(no_tab.ok());
  EXPECT_THAT(no_tab.error().message, HasSubstr("a.tsv:2"));
  const auto uneven = read_nettalk(folder.write("b.tsv", "cat\tk@\t1<<\t0\n"));
  ASSERT_FALSE(uneven.ok());
  EXPECT_THAT(uneven.error().message, HasSubstr("b.tsv:1"));
  const auto first = read_cmudict(folder.write("c.tsv", "a\tAH\na\tEY\nb\tB IY\n"), true);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->size(), 2u);
}

TEST(PronunciationReaders, ReadTheDictionaries) {
  ESPALIER_NEED_CORPUS("nettalk/nettalk.test.tsv.gz");
  const auto nettalk = read_nettalk(data::corpus_path("nettalk/nettalk.test.tsv.gz"));
  ASSERT_TRUE(nettalk.ok()) << nettalk.error().message;
  EXPECT_EQ(nettalk->size(), 2035u);
  ESPALIER_NEED_CORPUS("cmudict/l2p.test.tsv.gz");
  auto cmudict = read_cmudict(data::corpus_path("cmudict/l2p.test.tsv.gz"), true);
  ASSERT_TRUE(cmudict.ok()) << cmudict.error().message;
  EXPECT_EQ(cmudict->size(), 5746u);
  cmudict->resize(500);
  const AlignmentReport report = align_letters(*cmudict);
  EXPECT_GT(report.aligned, 490u);
}

}  // namespace
}  // namespace espalier::ensemble
