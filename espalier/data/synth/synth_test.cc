#include "espalier/data/synth/synth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/data/check.h"
#include "espalier/data/synth/synth_grammar.h"
#include "espalier/data/synth/synth_words.h"
#include "espalier/data/test_data.h"

namespace espalier::data {
namespace {

using testing::HasSubstr;

std::string text_of(const SynthOptions& options) {
  std::string text;
  const Status status = synthesize(options, [&](std::string_view piece) -> Status {
    text += piece;
    return {};
  });
  EXPECT_TRUE(status.ok()) << status.error().message;
  return text;
}

std::string error_of(const SynthOptions& options) {
  const Status status = synthesize(options, [](std::string_view) { return Status(); });
  return status.ok() ? "" : status.error().message;
}

SynthOptions options_for(std::string name, size_t sequences, uint64_t seed = 1) {
  SynthOptions options;
  options.name = std::move(name);
  options.sequences = sequences;
  options.seed = seed;
  return options;
}

std::vector<Sequence> corpus(const SynthOptions& options) {
  auto all = read_sequences(text_of(options), {});
  EXPECT_TRUE(all) << all.error().message;
  return std::move(all).value();
}

TEST(Synth, TheSameSeedGivesTheSameTextAndALongerCorpusBeginsWithTheShorter) {
  for (const char* const name : {"tagging", "chunking", "entities", "sentences", "labels"}) {
    const std::string text = text_of(options_for(name, 50));
    EXPECT_EQ(text, text_of(options_for(name, 50))) << name;
    EXPECT_NE(text, text_of(options_for(name, 50, 2))) << name;
    EXPECT_TRUE(text_of(options_for(name, 80)).starts_with(text)) << name;
  }
}

TEST(Synth, TheViewsAreColumnsOfTheSameSentences) {
  const auto whole = corpus(options_for("sentences", 40));
  const auto tags = corpus(options_for("tagging", 40));
  const auto chunks = corpus(options_for("chunking", 40));
  const auto entities = corpus(options_for("entities", 40));
  ASSERT_EQ(whole.size(), 40u);
  for (size_t i = 0; i < whole.size(); ++i) {
    ASSERT_EQ(whole[i].length(), tags[i].length());
    for (size_t r = 0; r < whole[i].length(); ++r) {
      EXPECT_EQ(whole[i].cell(r, 0), entities[i].cell(r, 0));
      EXPECT_EQ(whole[i].cell(r, 1), tags[i].label(r));
      EXPECT_EQ(whole[i].cell(r, 2), chunks[i].label(r));
      EXPECT_EQ(whole[i].cell(r, 3), entities[i].label(r));
    }
  }
}

TEST(Synth, ChunksAndEntitiesAreFlawlessIob2) {
  const TemporaryDirectory directory;
  for (const char* const name : {"chunking", "entities"}) {
    const auto report = check_data({directory.write(name, text_of(options_for(name, 500)))}, {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->scheme, Scheme::kIob2) << name;
    EXPECT_EQ(report->broken_labels.count, 0u) << name;
  }
}

// What a tagger that knows only each word's most frequent tag would get: good, but far from perfect, and
// there are always new words.
TEST(Synth, WordsAloneDoNotGiveTheirTagsAway) {
  std::map<std::string, std::map<std::string, int>, std::less<>> seen;
  for (const Sequence& s : corpus(options_for("tagging", 4000, 1)))
    for (size_t r = 0; r < s.length(); ++r) ++seen[std::string(s.cell(r, 0))][std::string(s.label(r))];
  double right = 0, unknown = 0, tokens = 0;
  for (const Sequence& s : corpus(options_for("tagging", 1000, 2))) {
    for (size_t r = 0; r < s.length(); ++r, ++tokens) {
      const auto it = seen.find(s.cell(r, 0));
      if (it == seen.end()) {
        ++unknown;
        continue;
      }
      const auto best = std::max_element(it->second.begin(), it->second.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      right += best->first == s.label(r);
    }
  }
  EXPECT_GT(unknown / tokens, 0.05);
  EXPECT_LT(unknown / tokens, 0.3);
  const double known = right / (tokens - unknown);
  EXPECT_GT(known, 0.7);
  EXPECT_LT(known, 0.95);
}

TEST(Synth, TheVerbAgreesWithItsSubjectAcrossWhatStandsBetween) {
  size_t singular = 0, plural = 0;
  for (uint64_t i = 0; i < 20000; ++i) {
    Random random(i);
    const auto sentence = draw_sentence(random);
    // "The sheep PREP … is|are": the first finite form of to be after a subject that opens the sentence.
    if (sentence.size() < 4 || sentence[1].word != "sheep" || sentence[2].tag != "IN") continue;
    for (const SynthToken& token : sentence) {
      if (token.tag != "VBZ" && token.tag != "VBP") {
        if (token.chunk == "B-VP" || token.tag == "WDT" || token.tag == "CC") break;
        continue;
      }
      EXPECT_EQ(token.tag == "VBZ", sentence[1].tag == "NN");
      ++(sentence[1].tag == "NN" ? singular : plural);
      break;
    }
  }
  EXPECT_GT(singular, 0u);
  EXPECT_GT(plural, 0u);
}

TEST(Synth, ChainsHaveTheLabelsAndLengthsAskedFor) {
  SynthOptions options = options_for("labels", 2000);
  options.labels = 300;
  options.length = 30;
  std::set<std::string> labels;
  double tokens = 0;
  for (const Sequence& s : corpus(options)) {
    tokens += static_cast<double>(s.length());
    for (size_t r = 0; r < s.length(); ++r) labels.emplace(s.label(r));
  }
  EXPECT_NEAR(tokens / 2000, 30, 1);
  EXPECT_GT(labels.size(), 270u);
  EXPECT_LE(labels.size(), 300u);
}

TEST(Synth, NeighboursHelpInChains) {
  // The most frequent successor of a label should be right far more often than the most frequent label.
  std::map<std::string, std::map<std::string, int>> next;
  std::map<std::string, int> alone;
  double pairs = 0;
  for (const Sequence& s : corpus(options_for("labels", 2000))) {
    for (size_t r = 1; r < s.length(); ++r, ++pairs) {
      ++next[std::string(s.label(r - 1))][std::string(s.label(r))];
      ++alone[std::string(s.label(r))];
    }
  }
  const auto most = [](const std::map<std::string, int>& counts) {
    int best = 0;
    for (const auto& [label, count] : counts) best = std::max(best, count);
    return best;
  };
  double by_neighbour = 0;
  for (const auto& [label, counts] : next) by_neighbour += most(counts);
  EXPECT_GT(by_neighbour / pairs, 0.4);
  EXPECT_LT(most(alone) / pairs, 0.3);
}

TEST(Synth, CopiesKeepEverythingButSomeWords) {
  const TemporaryDirectory directory;
  const std::string source =
      "The DT\nhouses NNS\nWASHINGTON NNP\n42nd JJ\nmeeting NN\nwalked VBD\n\nriver NN\n\n";
  SynthOptions options = options_for("copies", 0);
  options.source = directory.write("source.txt", source);
  options.copies = 9;
  const std::string text = text_of(options);
  EXPECT_TRUE(text.starts_with(source));
  const auto all = read_sequences(text, {});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 18u);
  std::set<std::string> houses;
  for (size_t i = 0; i < all->size(); i += 2) {
    const Sequence& s = (*all)[i];
    ASSERT_EQ(s.length(), 6u);
    EXPECT_EQ(s.cell(0, 0), "The");
    EXPECT_EQ(s.cell(3, 0), "42nd");
    EXPECT_EQ(s.label(1), "NNS");
    EXPECT_TRUE(s.cell(1, 0).ends_with("ses")) << s.cell(1, 0);
    houses.emplace(s.cell(1, 0));
  }
  EXPECT_GT(houses.size(), 2u);
  EXPECT_EQ(text, text_of(options));
}

TEST(Synth, VariantsKeepBeginningEndAndCase) {
  EXPECT_THAT(vary_word("walking", 5), testing::MatchesRegex("walk[a-z]+ing"));
  EXPECT_THAT(vary_word("WALKING", 5), testing::MatchesRegex("WALK[A-Z]+ING"));
  EXPECT_THAT(vary_word("ñandúes", 5), testing::MatchesRegex("ñand[a-z]+úes"));
  EXPECT_NE(vary_word("walking", 5), vary_word("walking", 6));
  for (const char* const word : {"the", "walk", "3rd", "co-operate", "...", "", "\xFFwalking"})
    EXPECT_EQ(vary_word(word, 5), word);
}

TEST(Synth, WrongOptionsAreErrors) {
  EXPECT_THAT(error_of(options_for("taging", 1)), HasSubstr("did you mean tagging?"));
  SynthOptions options = options_for("labels", 1);
  options.labels = 5001;
  EXPECT_EQ(error_of(options), "labels is 5001, expected a number from 2 to 5000");
  options = options_for("labels", 1);
  options.length = 0;
  EXPECT_THAT(error_of(options), HasSubstr("length is 0"));
  options = options_for("labels", 1);
  options.noise = 1.5;
  EXPECT_THAT(error_of(options), HasSubstr("noise is 1.5"));
  options = options_for("copies", 1);
  options.source = "/nonexistent/file";
  EXPECT_THAT(error_of(options), HasSubstr("/nonexistent/file"));
  options.source_format.format = Format::kLetters;
  EXPECT_THAT(error_of(options), HasSubstr("not of letters"));
}

TEST(Synth, TheSinksErrorAndTheWishToStopEndTheWork) {
  size_t calls = 0;
  const Status status = synthesize(options_for("tagging", 100000), [&](std::string_view) -> Status {
    ++calls;
    return fail("disk full");
  });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "disk full");
  EXPECT_EQ(calls, 1u);
  const std::atomic<bool> stop = true;
  Monitor monitor;
  monitor.stop = &stop;
  EXPECT_TRUE(
      synthesize(
          options_for("tagging", 100), [](std::string_view) -> Status { return fail("called"); }, monitor)
          .ok());
}

}  // namespace
}  // namespace espalier::data
