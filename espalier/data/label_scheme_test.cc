#include "espalier/data/label_scheme.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/base/random.h"
#include "espalier/data/test_data.h"

namespace espalier::data {
namespace {

using testing::ElementsAre;
using Views = std::vector<std::string_view>;

Views views(const std::vector<std::string>& labels) { return {labels.begin(), labels.end()}; }

/// Random disjoint segments, many of them touching, of up to three types.
std::vector<Span> random_segments(Random& random, size_t length) {
  static constexpr std::string_view kTypes[] = {"NP", "VP", "ARGM-TMP"};
  std::vector<Span> segments;
  for (size_t t = 0; t < length;) {
    if (random.below(3) == 0) {
      ++t;
      continue;
    }
    const size_t size = std::min<size_t>(1 + random.below(4), length - t);
    segments.push_back({t, t + size, kTypes[random.below(3)]});
    t += size;
  }
  return segments;
}

TEST(LabelScheme, PlacesInSegmentsAreThoseOfIobesWhateverTheScheme) {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    const size_t length = 1 + random.below(12);
    const std::vector<Span> segments = random_segments(random, length);
    const std::vector<std::string> finest = encode(segments, length, Scheme::kIobes);
    for (const Scheme scheme : kSchemes) {
      const std::vector<std::string> labels = encode(segments, length, scheme);
      const std::string places = segment_places(views(labels), scheme);
      ASSERT_EQ(places.size(), length);
      for (size_t t = 0; t < length; ++t) ASSERT_EQ(places[t], finest[t][0]) << scheme_name(scheme);
    }
  }
  EXPECT_EQ(segment_places(Views{"NN", "VB"}, Scheme::kNone), "OO");
}

TEST(LabelScheme, EverySchemeSaysWhatItsNameSays) {
  const std::vector<Span> segments = {{0, 3, "N"}, {3, 4, "N"}, {5, 7, "V"}};
  EXPECT_THAT(encode(segments, 7, Scheme::kIob1), ElementsAre("I-N", "I-N", "I-N", "B-N", "O", "I-V", "I-V"));
  EXPECT_THAT(encode(segments, 7, Scheme::kIob2), ElementsAre("B-N", "I-N", "I-N", "B-N", "O", "B-V", "I-V"));
  EXPECT_THAT(encode(segments, 7, Scheme::kIoe1), ElementsAre("I-N", "I-N", "E-N", "I-N", "O", "I-V", "I-V"));
  EXPECT_THAT(encode(segments, 7, Scheme::kIoe2), ElementsAre("I-N", "I-N", "E-N", "E-N", "O", "I-V", "E-V"));
  EXPECT_THAT(encode(segments, 7, Scheme::kIobes),
              ElementsAre("B-N", "I-N", "E-N", "S-N", "O", "B-V", "E-V"));
  EXPECT_THAT(encode(segments, 7, Scheme::kBilou),
              ElementsAre("B-N", "I-N", "L-N", "U-N", "O", "B-V", "L-V"));
}

TEST(LabelScheme, SegmentsSurviveEveryEncodingAndConversion) {
  Random random(3);
  for (int round = 0; round < 2000; ++round) {
    const size_t length = random.below(12);
    const std::vector<Span> segments = random_segments(random, length);
    for (const Scheme from : kSchemes) {
      const std::vector<std::string> labels = encode(segments, length, from);
      size_t repairs = 99;
      EXPECT_EQ(spans(views(labels), from, &repairs), segments) << scheme_name(from);
      EXPECT_EQ(repairs, 0u) << scheme_name(from);
      for (const Scheme to : kSchemes)
        EXPECT_EQ(convert(views(labels), from, to), encode(segments, length, to))
            << scheme_name(from) << " to " << scheme_name(to);
    }
  }
}

TEST(LabelScheme, BrokenSequencesAreReadAsConllevalReadsThem) {
  size_t repairs = 0;
  EXPECT_THAT(spans(Views{"O", "I-A", "I-A", "I-B", "O"}, Scheme::kIob2, &repairs),
              ElementsAre(Span{1, 3, "A"}, Span{3, 4, "B"}));
  EXPECT_EQ(repairs, 2u);
  EXPECT_THAT(spans(Views{"B-A", "I-B", "B-B"}, Scheme::kIob2, &repairs),
              ElementsAre(Span{0, 1, "A"}, Span{1, 2, "B"}, Span{2, 3, "B"}));
  EXPECT_EQ(repairs, 1u);
  EXPECT_THAT(
      spans(Views{"E-A", "E-A", "I-A", "S-A", "I-A"}, Scheme::kIobes, &repairs),
      ElementsAre(Span{0, 1, "A"}, Span{1, 2, "A"}, Span{2, 3, "A"}, Span{3, 4, "A"}, Span{4, 5, "A"}));
  EXPECT_EQ(repairs, 4u);
  EXPECT_THAT(spans(Views{"B-A", "O"}, Scheme::kBilou, &repairs), ElementsAre(Span{0, 1, "A"}));
  EXPECT_EQ(repairs, 1u);
  EXPECT_THAT(spans(Views{"B-A", "NN", "I-A"}, Scheme::kIob2, &repairs),
              ElementsAre(Span{0, 1, "A"}, Span{2, 3, "A"}));
  EXPECT_EQ(repairs, 2u);
  EXPECT_THAT(spans(Views{"B-A"}, Scheme::kNone, &repairs), ElementsAre());
}

TEST(LabelScheme, UnknownLabelsAreNotHeldAgainstTheirNeighbours) {
  size_t repairs = 9;
  EXPECT_THAT(spans(Views{"B-A", "_", "I-A"}, Scheme::kIob2, &repairs),
              ElementsAre(Span{0, 1, "A"}, Span{2, 3, "A"}));
  EXPECT_EQ(repairs, 0u);
  EXPECT_THAT(convert(Views{"B-A", "_", "O"}, Scheme::kIob2, Scheme::kIobes), ElementsAre("S-A", "_", "O"));
}

TEST(LabelScheme, PlainLabelsHaveNoParts) {
  for (const char* const label : {"ARGM-TMP", "-LRB-", "NN", "B-", "B", "X-NP", "", "_", "b-NP", "o"})
    EXPECT_FALSE(parse_label(label)) << label;
  EXPECT_EQ(parse_label("I-ARGM-TMP")->type, "ARGM-TMP");
  EXPECT_EQ(parse_label("O")->prefix, 'O');
}

Scheme detected(const std::vector<Views>& corpus) {
  SchemeDetector detector;
  for (const Views& labels : corpus) detector.add(labels);
  return detector.scheme();
}

TEST(SchemeDetector, RecognisesEverySchemeOnCorporaThatShowItsMarks) {
  for (const Scheme scheme : kSchemes) {
    Random random(5);
    SchemeDetector detector;
    for (int i = 0; i < 200; ++i) {
      const std::vector<Span> segments = random_segments(random, 12);
      detector.add(views(encode(segments, 12, scheme)));
    }
    EXPECT_EQ(detector.scheme(), scheme) << scheme_name(scheme);
  }
}

TEST(SchemeDetector, OnePlainLabelIsEnoughToHaveNoScheme) {
  EXPECT_EQ(detected({{"B-NP", "I-NP", "O"}, {"ARGM-TMP"}}), Scheme::kNone);
  EXPECT_EQ(detected({{"B-NP"}, {"-LRB-"}}), Scheme::kNone);
  EXPECT_EQ(detected({{"O", "O"}}), Scheme::kNone);
  EXPECT_EQ(detected({}), Scheme::kNone);
  EXPECT_EQ(detected({{"E-X", "L-X"}}), Scheme::kNone);
}

TEST(SchemeDetector, NeedsNoOutsideLabel) {
  EXPECT_EQ(detected({{"B-A", "I-A", "B-B"}}), Scheme::kIob2);
  EXPECT_EQ(detected({{"I-A", "I-A", "I-B"}}), Scheme::kIob1);
  EXPECT_EQ(detected({{"S-A", "S-B"}}), Scheme::kIobes);
}

TEST(SchemeDetector, AFlawDoesNotOutweighTheRest) {
  EXPECT_EQ(detected({{"B-A", "I-A", "O", "B-A"}, {"O", "I-A"}}), Scheme::kIob2);
  EXPECT_EQ(detected({{"B-A", "_", "I-A"}}), Scheme::kIob2);
}

TEST(SchemeDetector, NamesAloneTellTheFamily) {
  LabelSet set;
  set.add("O");
  EXPECT_EQ(detect_scheme(set), Scheme::kNone);
  set.add("B-X");
  set.add("I-X");
  EXPECT_EQ(detect_scheme(set), Scheme::kIob2);
  set.add("E-X");
  EXPECT_EQ(detect_scheme(set), Scheme::kIobes);
  set.add("ARGM-TMP");
  EXPECT_EQ(detect_scheme(set), Scheme::kNone);
}

TEST(LabelScheme, NamesAreParsedBack) {
  for (const Scheme scheme : kSchemes) EXPECT_EQ(*parse_scheme(scheme_name(scheme)), scheme);
  EXPECT_EQ(*parse_scheme("BIO"), Scheme::kIob2);
  EXPECT_EQ(*parse_scheme("bioes"), Scheme::kIobes);
  EXPECT_EQ(*parse_scheme("BMEWO"), Scheme::kBmewo);
  EXPECT_EQ(*parse_scheme("None"), Scheme::kNone);
  EXPECT_FALSE(parse_scheme("iob3"));
}

TEST(LabelScheme, CountsTheChunksOfConll2000) {
  ESPALIER_NEED_CORPUS("conll2000/test.txt.gz");
  const auto all = read_all({corpus_path("conll2000/test.txt.gz")}, {});
  ASSERT_TRUE(all) << all.error().message;
  SchemeDetector detector;
  size_t chunks = 0, noun_phrases = 0;
  Views labels;
  for (const Sequence& s : *all) {
    labels.clear();
    for (size_t r = 0; r < s.length(); ++r) labels.push_back(s.label(r));
    detector.add(labels);
    for (const Span& span : spans(labels, Scheme::kIob2)) {
      ++chunks;
      noun_phrases += span.type == "NP";
    }
  }
  EXPECT_EQ(detector.scheme(), Scheme::kIob2);
  EXPECT_EQ(chunks, 23852u);
  EXPECT_EQ(noun_phrases, 12422u);
}

}  // namespace
}  // namespace espalier::data
