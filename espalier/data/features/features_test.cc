#include "espalier/data/features/features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "espalier/base/hash.h"
#include "espalier/base/random.h"

namespace espalier::data {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Rows separated by '\n', cells by ' '.
Sequence rows(const std::string& text) {
  Sequence sequence;
  std::istringstream lines(text);
  uint64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    if (number++ == 0) sequence.clear(static_cast<size_t>(std::count(line.begin(), line.end(), ' ')) + 1);
    sequence.begin_row(line, number);
    std::istringstream cells(line);
    for (std::string cell; cells >> cell;) sequence.add_cell(cell);
  }
  return sequence;
}

const char* const kTaggedSentence =
    "Confidence NN\nin IN\n"
    "the DT\n"
    "pound NN\n"
    "fell VBD";

FeatureExtractor extractor(const std::string& text, std::vector<size_t> columns = {0, 1}, int degree = 1) {
  FeatureOptions options;
  options.template_text = text;
  options.feature_columns = std::move(columns);
  options.degree = degree;
  auto result = FeatureExtractor::make(options);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(result).value();
}

HashedFeatures extracted(const FeatureExtractor& features, const Sequence& sequence) {
  FeatureExtractor::Scratch scratch;
  HashedFeatures out;
  features.extract(sequence, scratch, out);
  return out;
}

std::vector<std::string> state_names(const FeatureExtractor& features, const Sequence& sequence, size_t row) {
  const HashedFeatures out = extracted(features, sequence);
  std::vector<std::string> names;
  for (size_t slot = 0; slot < out.state_begin[row + 1] - out.state_begin[row]; ++slot)
    names.push_back(features.state_name(sequence, row, slot));
  return names;
}

bool same(const HashedFeatures& a, const HashedFeatures& b) {
  return a.state_begin == b.state_begin && a.state == b.state && a.state_values == b.state_values &&
         a.edge_begin == b.edge_begin && a.edge == b.edge;
}

/// A corpus of words of all sorts with a Zipf-like distribution, in sequences of 1 to 30 rows.
std::vector<Sequence> corpus(size_t sequences) {
  Random random(7);
  const char* const words[] = {"the",
                               "The",
                               "THE",
                               "of",
                               "Österreich",
                               "österreich",
                               "U.S.",
                               "1990",
                               "90-day",
                               "a",
                               "state-of-the-art",
                               "I",
                               "стол",
                               "Стол",
                               "running",
                               "Running",
                               "Internationalisation",
                               "中",
                               "中国",
                               "-",
                               "--",
                               "AT&T",
                               "\xFF\xFE",
                               "x1",
                               "e-mail",
                               "ﬁn",
                               "_B-1",
                               "ing",
                               ","};
  const char* const tags[] = {"NN", "DT", "the", "IN", "CD"};
  std::vector<Sequence> result;
  for (size_t i = 0; i < sequences; ++i) {
    std::string text;
    for (uint64_t n = 1 + random.below(30); n > 0; --n) {
      const double u = random.uniform();
      std::string word = words[static_cast<size_t>(u * u * std::size(words))];
      if (random.below(10) == 0) word += std::to_string(random.below(5));
      text += word + " " + tags[random.below(std::size(tags))] + "\n";
    }
    result.push_back(rows(text));
  }
  return result;
}

/// Two features have the same name where, and only where, they have the same hash.
void expect_names_and_hashes_to_agree(const FeatureExtractor& features) {
  std::map<std::string, uint64_t> hashes;
  std::map<uint64_t, std::string> names;
  const auto check = [&](const std::string& name, uint64_t hash) {
    EXPECT_EQ(hashes.emplace(name, hash).first->second, hash) << name;
    EXPECT_EQ(names.emplace(hash, name).first->second, name);
  };
  FeatureExtractor::Scratch scratch;
  FeatureNames of_position(features);
  HashedFeatures out;
  for (const Sequence& sequence : corpus(40)) {
    features.extract(sequence, scratch, out);
    ASSERT_EQ(out.length(), sequence.length());
    for (size_t t = 0; t < sequence.length(); ++t) {
      of_position.move_to(sequence, t);
      for (size_t i = out.state_begin[t + 1]; i-- > out.state_begin[t];) {  // in any order
        check(of_position.state_name(i - out.state_begin[t]), out.state[i]);
      }
      for (size_t i = out.edge_begin[t]; i < out.edge_begin[t + 1]; ++i)
        check(features.edge_name(sequence, t, i - out.edge_begin[t]), out.edge[i]);
      EXPECT_THROW(features.state_name(sequence, t, out.state_begin[t + 1] - out.state_begin[t]),
                   ContractViolation);
    }
  }
  EXPECT_GT(names.size(), 20u);
}

TEST(FeaturesTest, ExpandsCrfppTemplatesAsCrfppDoes) {
  const auto features = extractor(
      "U00:%x[-2,0]\n"
      "U05:%x[-1,0]/%x[0,0]\n"
      "U02:%x[0,0]\n"
      "U20:%x[-2,1]/%x[-1,1]/%x[0,1]\n"
      "B\n");
  const Sequence sequence = rows(kTaggedSentence);
  EXPECT_THAT(state_names(features, sequence, 2),
              ElementsAre("U00:Confidence", "U02:the", "U05:in/the", "U20:NN/IN/DT"));
  for (const std::string& x : {std::string(200, 'x'), std::string(256, 'x'), std::string(300, 'x')})
    EXPECT_EQ(extractor("U:%x[0,0]/%x[0,1]").state_name(rows(x + " " + x), 0, 0), "U:" + x + "/" + x);
}

TEST(FeaturesTest, RowsOutsideAreCalledAsInCrfpp) {
  const auto features = extractor("U1:%x[-2,0]\nU2:%x[-1,0]\nU3:%x[1,0]\nU4:%x[2,0]\nU5:%x[9,0]\n");
  const Sequence sequence = rows(kTaggedSentence);
  EXPECT_THAT(state_names(features, sequence, 0),
              ElementsAre("U1:_B-2", "U2:_B-1", "U3:in", "U4:the", "U5:_B+5"));
  EXPECT_THAT(state_names(features, sequence, 4),
              ElementsAre("U1:the", "U2:pound", "U3:_B+1", "U4:_B+2", "U5:_B+9"));
}

TEST(FeaturesTest, TemplatesWithTheSameTextShareFeatures) {
  const Sequence sequence = rows("a x\nb y\na z");
  const auto bag = extractor("U:%x[-1,0]\nU:%x[1,0]\n");
  const HashedFeatures shared = extracted(bag, sequence);
  EXPECT_EQ(shared.state[2], shared.state[3]) << "a on the left of b, a on the right of b";
  const auto told_apart = extractor("U1:%x[-1,0]\nU2:%x[1,0]\n");
  const HashedFeatures apart = extracted(told_apart, sequence);
  EXPECT_NE(apart.state[2], apart.state[3]);
  const auto columns = extractor("U:%x[0,0]\nU:%x[0,1]\n");
  const HashedFeatures across = extracted(columns, rows("x x\na b"));
  EXPECT_EQ(across.state[0], across.state[1]);
  EXPECT_NE(across.state[2], across.state[3]);
}

TEST(FeaturesTest, TheOrderOfAJoinMatters) {
  const HashedFeatures out = extracted(extractor("U:%x[0,0]/%x[0,1]"), rows("a b\nb a"));
  EXPECT_NE(out.state[0], out.state[1]);
}

TEST(FeaturesTest, APlainBMakesTransitionsButNoFeature) {
  const auto none = extractor("U:%x[0,0]");
  EXPECT_FALSE(none.has_transitions());
  EXPECT_FALSE(none.has_edge_features());
  const auto plain = extractor("U:%x[0,0]\nB");
  EXPECT_TRUE(plain.has_transitions());
  EXPECT_FALSE(plain.has_edge_features());
  const HashedFeatures out = extracted(plain, rows(kTaggedSentence));
  EXPECT_THAT(out.edge, IsEmpty());
  EXPECT_THAT(out.edge_begin, ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST(FeaturesTest, EdgeFeaturesStartAtTheSecondPosition) {
  const auto features = extractor("U:%x[0,0]\nB01:%x[0,0]\nB02:%x[-1,1]/%x[0,1]\n");
  EXPECT_TRUE(features.has_transitions());
  EXPECT_TRUE(features.has_edge_features());
  const Sequence sequence = rows(kTaggedSentence);
  const HashedFeatures out = extracted(features, sequence);
  EXPECT_THAT(out.edge_begin, ElementsAre(0, 0, 2, 4, 6, 8));
  EXPECT_EQ(features.edge_name(sequence, 1, 0), "B01:in");
  EXPECT_EQ(features.edge_name(sequence, 4, 1), "B02:NN/VBD");
  EXPECT_THROW(features.edge_name(sequence, 0, 0), ContractViolation);
}

TEST(FeaturesTest, ExpandsWapitiPatternsAsWapitiDoes) {
  const auto features = extractor(
      "*:x %X[-1,0]\n"
      "u:t %t[0,0,\"^\\u\"]\n"
      "u:m %m[0,0,\"^.?.?.?\"]\n"
      "u:M %M[0,0,\"^\\u.\"]\n"
      "u:absolute %x[@1,1]/%x[@-1,1]/%x[@0,1]\n"
      "b\n");
  EXPECT_TRUE(features.has_edge_features());
  const Sequence sequence = rows(kTaggedSentence);
  EXPECT_THAT(state_names(features, sequence, 0),
              ElementsAre("*:x _x-1", "u:t true", "u:m Con", "u:M co", "u:absolute NN/VBD/_x-1"));
  EXPECT_THAT(state_names(features, sequence, 1),
              ElementsAre("*:x confidence", "u:t false", "u:m in", "u:M ", "u:absolute NN/VBD/_x-1"));
  EXPECT_EQ(features.edge_name(sequence, 3, 0), "*:x the");
}

TEST(FeaturesTest, WapitiTellsRowsOutsideApartToTheFourth) {
  const auto features = extractor("u1:%x[-4,0]\nu2:%x[-5,0]\nu3:%x[-6,0]\nu4:%x[9,0]\nu5:%t[-1,0,\"x-\"]\n");
  EXPECT_THAT(state_names(features, rows(kTaggedSentence), 0),
              ElementsAre("u1:_x-4", "u2:_x-#", "u3:_x-#", "u4:_x+#", "u5:true"));
}

TEST(FeaturesTest, IndirectRowsFollowTheNumberInACell) {
  const auto features = extractor("u:%x[*1,0]");
  const Sequence sequence = rows("a 2\nb -1\nc +1\nd 100\ne -99\nf none");
  std::vector<std::string> names;
  for (size_t t = 0; t < sequence.length(); ++t) names.push_back(features.state_name(sequence, t, 0));
  EXPECT_THAT(names, ElementsAre("u:c", "u:a", "u:d", "u:_x+#", "u:_x-#", "u:f"));
  const HashedFeatures out = extracted(features, sequence);
  const HashedFeatures direct = extracted(extractor("u:%x[0,0]"), rows("c 1\na 1\nd 1"));
  EXPECT_THAT(std::vector<uint64_t>(out.state.begin(), out.state.begin() + 3),
              ElementsAreArray(direct.state));
}

TEST(FeaturesTest, NamesAndHashesAgree) {
  expect_names_and_hashes_to_agree(extractor(""));
  expect_names_and_hashes_to_agree(extractor("", {0}));
  expect_names_and_hashes_to_agree(
      extractor("U00:%x[-2,0]\nU01:%x[0,0]\nU02:%x[-1,1]|%x[0,1]\nU:%x[-1,0]\nU:%x[1,1]\n"
                "U05:%x[-1,1]|%x[0,1]|%x[1,1]\nU06:%x[-1,1]|%x[0,1]|%x[1,1]|%x[2,1]\n"
                "U\nB01:%x[0,0]\nB02:%x[-1,1]|%x[0,1]\n"));
  expect_names_and_hashes_to_agree(
      extractor("u1:%X[-1,0]\nu2:%m[0,0,\"...$\"]\nu2:%M[1,0,\"...$\"]\n"
                "*3:%t[0,0,\"\\p\"]|%t[0,0,\"\\u\"]\nu4:%x[@3,0]\nu5:%x[@-3,0]\n"));
}

TEST(FeaturesTest, ScratchAndOutputCanBeUsedAgain) {
  const auto first = extractor("");
  const auto second = extractor("u:%X[0,0]\nU:%x[-1,1]\nB:%x[0,0]\n");
  FeatureExtractor::Scratch scratch;
  HashedFeatures out;
  for (const Sequence& sequence : corpus(30)) {
    for (const auto* features : {&first, &second, &first}) {
      features->extract(sequence, scratch, out);
      EXPECT_TRUE(same(out, extracted(*features, sequence)));
    }
  }
  first.extract(Sequence(), scratch, out);
  EXPECT_EQ(out.length(), 0u);
  EXPECT_THAT(out.state, IsEmpty());
}

TEST(FeaturesTest, LengthsFromOneToManyThousands) {
  const auto features = extractor("");
  EXPECT_THAT(state_names(features, rows("Hello UH"), 0),
              AllOf(Contains("low[0]=hello"), Contains("low[-1]=_B-1"), Contains("low[1]=_B+1"),
                    Contains("w[-1]|w[1]=_B-1|_B+1"), Contains("capital[0]|outside[-1]=1|1")));
  std::string text;
  for (int i = 0; i < 10000; ++i)
    text += "word" + std::to_string(i % 5000) + " T" + std::to_string(i % 7) + "\n";
  const Sequence sequence = rows(text);
  const HashedFeatures out = extracted(features, sequence);
  ASSERT_EQ(out.length(), 10000u);
  EXPECT_EQ(out.state_begin.back(), out.state.size());
  const Sequence window =
      rows("word9 T2\nword10 T3\nword11 T4\nword12 T5\nword13 T6\nword14 T0\nword15 T1\n");
  const HashedFeatures around = extracted(features, window);
  const auto part = [](const HashedFeatures& f, size_t t) {
    return std::vector<uint64_t>(f.state.begin() + f.state_begin[t], f.state.begin() + f.state_begin[t + 1]);
  };
  EXPECT_EQ(part(out, 12), part(around, 3)) << "features depend on the window alone";
}

TEST(FeaturesTest, DegreeTwoAddsEveryPair) {
  const auto features = extractor("U1:%x[0,0]\nU2:%x[0,1]\nU3:%x[1,1]\nB:%x[0,0]", {0, 1}, 2);
  const Sequence sequence = rows(kTaggedSentence);
  EXPECT_THAT(state_names(features, sequence, 1),
              ElementsAre("U1:in", "U2:IN", "U3:DT", "U1:in^U2:IN", "U1:in^U3:DT", "U2:IN^U3:DT"));
  EXPECT_EQ(extracted(features, sequence).edge.size(), 4u);
  expect_names_and_hashes_to_agree(features);
  expect_names_and_hashes_to_agree(extractor("U:%x[-1,0]\nU:%x[0,0]\nU:%x[1,0]", {0, 1}, 2));
}

Sequence attributes() {
  Sequence sequence;
  sequence.clear();
  sequence.begin_row("", 1);
  sequence.add_attribute("w=the", 1);
  sequence.add_attribute("size", 1);
  sequence.begin_row("", 2);
  sequence.begin_row("", 3);
  sequence.add_attribute("size", 1);
  sequence.add_attribute("w=the", 1);
  return sequence;
}

TEST(FeaturesTest, AttributesAreTheFeatures) {
  FeatureOptions options;
  options.attributes = true;
  const auto features = FeatureExtractor::make(options);
  ASSERT_TRUE(features.ok());
  EXPECT_TRUE(features->has_transitions());
  EXPECT_FALSE(features->has_edge_features());
  Sequence sequence = attributes();
  HashedFeatures out = extracted(*features, sequence);
  EXPECT_THAT(out.state_begin, ElementsAre(0, 2, 2, 4));
  EXPECT_THAT(out.edge_begin, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(out.state,
              ElementsAre(hash_bytes("w=the"), hash_bytes("size"), hash_bytes("size"), hash_bytes("w=the")));
  EXPECT_THAT(out.state_values, IsEmpty()) << "all are 1";
  EXPECT_EQ(features->state_name(sequence, 2, 0), "size");
  sequence.add_attribute("height", 0.25f);
  out = extracted(*features, sequence);
  EXPECT_THAT(out.state_values, ElementsAre(1, 1, 1, 1, 0.25f));
}

TEST(FeaturesTest, PairsOfAttributesMultiplyTheirValues) {
  FeatureOptions options;
  options.attributes = true;
  options.degree = 2;
  const auto features = FeatureExtractor::make(options);
  ASSERT_TRUE(features.ok());
  Sequence sequence = attributes();
  HashedFeatures out = extracted(*features, sequence);
  EXPECT_THAT(out.state_begin, ElementsAre(0, 3, 3, 6));
  EXPECT_EQ(out.state[2], out.state[5]) << "a pair does not care for order";
  EXPECT_EQ(features->state_name(sequence, 0, 2), "size^w=the");
  EXPECT_EQ(features->state_name(sequence, 2, 2), "size^w=the");
  EXPECT_THAT(out.state_values, IsEmpty());
  sequence.add_attribute("height", 0.5f);
  sequence.add_attribute("depth", -3);
  out = extracted(*features, sequence);
  EXPECT_FLOAT_EQ(out.state_values.back(), -1.5f);
  EXPECT_EQ(features->state_name(sequence, 2, 9), "depth^height");
}

TEST(FeaturesTest, WrongOptionsAreErrors) {
  const auto error = [](auto change) {
    FeatureOptions options;
    change(options);
    const auto result = FeatureExtractor::make(options);
    return result.ok() ? "no error" : result.error().message;
  };
  EXPECT_THAT(error([](FeatureOptions&) {}), HasSubstr("no column besides the label to take features from"));
  EXPECT_THAT(error([](FeatureOptions& o) { o.degree = 3; }), HasSubstr("1 or 2, not 3"));
  EXPECT_THAT(error([](FeatureOptions& o) {
                o.template_text = "U:%x[0,0]";
                o.template_name = "chunk.tpl";
                o.attributes = true;
              }),
              HasSubstr("chunk.tpl: a template looks at columns"));
  EXPECT_THAT(error([](FeatureOptions& o) {
                o.template_text = "U:%x[0,3]";
                o.template_name = "chunk.tpl";
                o.feature_columns = {0, 2};
              }),
              HasSubstr("chunk.tpl:1: '%x[0,3' names column 3"));
  EXPECT_THAT(error([](FeatureOptions& o) {
                o.template_text = "X";
                o.feature_columns = {0};
              }),
              HasSubstr("template:1:"));
}

TEST(FeaturesTest, ColumnsMayBeApart) {
  const auto features = extractor("", {1, 3});
  EXPECT_THAT(state_names(features, rows("1 The x DT\n2 cat y NN"), 0),
              AllOf(Contains("low[0]=the"), Contains("x3[1]=NN"), Each(Not(HasSubstr("x1")))));
  EXPECT_THROW(extracted(features, rows("1 The")), ContractViolation);
}

}  // namespace
}  // namespace espalier::data
