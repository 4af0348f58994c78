#include "espalier/public/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/api/api_test_support.h"

namespace espalier {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SplitText, GivesSentencesWithOffsets) {
  const auto sentences = split_text("  Zo\xC3\xAB slept.\nShe woke.").value();
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_EQ(sentences[0].begin, 2u);
  EXPECT_EQ(sentences[0].end, 12u);
  ASSERT_EQ(sentences[0].tokens.size(), 3u);
  EXPECT_EQ(sentences[0].tokens[1].text, "slept");
  EXPECT_EQ(sentences[0].tokens[1].begin, 6u);
  EXPECT_EQ(sentences[0].tokens[1].end, 11u);
  EXPECT_EQ(sentences[1].begin, 13u);
  EXPECT_FALSE(split_text("\xFF").ok());
  EXPECT_TRUE(split_text("").value().empty());
}

TEST(TagText, TagsEverySentenceOfAModelOfWords) {
  Corpus corpus;
  for (int i = 0; i < 10; ++i) corpus.add_words({"Anna", "slept", "."}, {"NAME", "VERB", "STOP"});
  const Tagger tagger = train(corpus, Learner("crf", {{"passes", "8"}})).value();
  const auto tagged = tagger.tag_text("Anna slept. Anna slept.").value();
  ASSERT_EQ(tagged.size(), 2u);
  EXPECT_THAT(tagged[1].tagged.labels(), ElementsAre("NAME", "VERB", "STOP"));
  EXPECT_EQ(tagged[1].text.tokens[0].begin, 12u);
  EXPECT_THAT(tagger.tag_text("Anna slept .\n", TextSplit::blanks).value()[0].tagged.labels(),
              ElementsAre("NAME", "VERB", "STOP"));
}

TEST(TagText, NeedsAModelThatLooksAtWordsAlone) {
  const auto refused = a_tagger().tag_text("the cat slept");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("not only words"));
}

}  // namespace
}  // namespace espalier
