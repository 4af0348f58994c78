#include "espalier/linear/encoding/dataset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <set>

#include "espalier/base/random.h"
#include "espalier/data/test_data.h"
#include "espalier/linear/encoding/hold_out.h"
#include "espalier/linear/encoding/number_map.h"
#include "espalier/linear/encoding/stored_features.h"
#include "espalier/linear/encoding/token_features.h"

namespace espalier::linear {
namespace {

data::FeatureExtractor extractor(const std::string& template_text, bool attributes = false) {
  data::FeatureOptions options;
  options.template_text = template_text;
  options.feature_columns = {0};
  options.attributes = attributes;
  auto made = data::FeatureExtractor::make(options);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  return std::move(made).value();
}

std::vector<data::Sequence> sequences(std::string_view text, data::Format format = data::Format::kColumns) {
  data::ReadOptions options;
  options.format = format;
  auto read = data::read_sequences(text, options);
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
  return std::move(read).value();
}

EncodedTraining encode(const data::FeatureExtractor& features, const std::vector<data::Sequence>& all,
                       EncodeOptions options = {}, int threads = 1, data::LabelSet known = {}) {
  const Workers workers(threads);
  DatasetBuilder builder(features, workers, options, std::move(known));
  for (const data::Sequence& sequence : all) builder.add(sequence);
  return builder.finish();
}

/// The names of a token's features, as the namer gave them.
std::multiset<std::string> names_of(const EncodedTraining& training, size_t token) {
  std::vector<std::string> names(1);
  for (const char c : training.state.names) {
    if (c == '\n') {
      names.emplace_back();
    } else {
      names.back().push_back(c);
    }
  }
  std::multiset<std::string> found;
  for (const uint32_t f : training.data.state[token]) found.insert(names[f]);
  return found;
}

const char* const kText =
    "the D\n"
    "cat N\n"
    "\n"
    "the D\n"
    "dog _\n"
    "ran V\n"
    "\n";

TEST(DatasetBuilderTest, EncodesTokensLabelsAndNames) {
  const auto features = extractor("U0:%x[0,0]\nU1:%x[-1,0]\nB\n");
  const EncodedTraining training = encode(features, sequences(kText));
  EXPECT_EQ(training.data.sequence_begin, (std::vector<uint64_t>{0, 2, 5}));
  EXPECT_EQ(training.labels.names(), (std::vector<std::string>{"D", "N", "V"}));
  EXPECT_EQ(training.data.gold, (std::vector<data::Label>{0, 1, 0, data::kNoLabel, 2}));
  EXPECT_TRUE(training.data.fully_labelled(0));
  EXPECT_FALSE(training.data.fully_labelled(1));
  EXPECT_EQ(training.data.weight, (std::vector<float>{1, 1}));
  EXPECT_TRUE(training.data.state_values.empty()) << "every value is 1";
  EXPECT_EQ(names_of(training, 1), (std::multiset<std::string>{"U0:cat", "U1:the"}));
  EXPECT_EQ(names_of(training, 4), (std::multiset<std::string>{"U0:ran", "U1:dog"}));
  EXPECT_EQ(training.data.edge.size(), 5u) << "a list a token, empty ones";
  EXPECT_EQ(training.edge.size(), 0u);
}

TEST(DatasetBuilderTest, FrequentFeaturesComeFirst) {
  const EncodedTraining training =
      encode(extractor("U0:%x[0,0]\n"), sequences("a X\nb X\nb X\nc X\nb X\nc X\n"));
  EXPECT_EQ(training.state.counts, (std::vector<uint32_t>{3, 2, 1}));
  EXPECT_EQ(training.state.names, "U0:b\nU0:c\nU0:a\n");
}

TEST(DatasetBuilderTest, TheCutoffDropsRareFeaturesFromTokensToo) {
  const auto text = sequences("a X\nb X\nb X\nc X\nb X\nc X\n");
  const EncodedTraining training = encode(extractor("U0:%x[0,0]\n"), text, {.cutoff = 2, .names = false});
  EXPECT_EQ(training.state.size(), 2u);
  EXPECT_EQ(training.state_before_cutoff, 3u);
  EXPECT_TRUE(training.state.names.empty());
  EXPECT_TRUE(training.data.state[0].empty()) << "a was seen once";
  EXPECT_EQ(training.data.state[1].size(), 1u);
}

TEST(DatasetBuilderTest, KnownLabelsKeepTheirNumbers) {
  data::LabelSet known;
  known.add("V");
  known.add("D");
  const EncodedTraining training = encode(extractor("U0:%x[0,0]\n"), sequences(kText), {}, 1, known);
  EXPECT_EQ(training.labels.names(), (std::vector<std::string>{"V", "D", "N"}));
  EXPECT_EQ(training.data.gold[0], 1);
}

TEST(DatasetBuilderTest, EdgeFeaturesHaveASpaceOfTheirOwn) {
  const EncodedTraining training = encode(extractor("U0:%x[0,0]\nB0:%x[0,0]\n"), sequences(kText));
  EXPECT_GT(training.edge.size(), 0u);
  EXPECT_EQ(training.data.edge.size(), training.data.tokens());
  EXPECT_NE(training.edge.names.find("B0:cat"), std::string::npos) << training.edge.names;
}

TEST(DatasetBuilderTest, ValuesStayWithTheirFeatures) {
  // The first sequence has only ones; the values of the second make the array, sorted along with its
  // features.
  const auto read = sequences("A\tp\tq\n\nB\tr:0.5\tp:2\tq:3\n\n", data::Format::kCrfsuite);
  const EncodedTraining training = encode(extractor("", true), read);
  ASSERT_EQ(training.data.state_values.size(), training.data.state.values.size());
  std::map<std::string, float> values;
  const std::vector<uint32_t> last(training.data.state[1].begin(), training.data.state[1].end());
  for (size_t i = 0; i < last.size(); ++i) {
    std::string name = training.state.names;
    for (uint32_t skip = 0; skip < last[i]; ++skip) name.erase(0, name.find('\n') + 1);
    values[name.substr(0, name.find('\n'))] = training.data.state_values[training.data.state.begin[1] + i];
  }
  EXPECT_EQ(values, (std::map<std::string, float>{{"p", 2.0f}, {"q", 3.0f}, {"r", 0.5f}}));
  for (size_t i = 0; i < training.data.state[0].size(); ++i) EXPECT_EQ(training.data.state_values[i], 1);
}

/// Enough text for several blocks.
std::vector<data::Sequence> long_text() {
  Random random(5);
  std::string text;
  for (int s = 0; s < 14000; ++s) {
    for (uint64_t t = 0; t < 4 + random.below(8); ++t)
      text += "w" + std::to_string(random.below(1 + random.below(3000))) + " L" +
              std::to_string(random.below(5)) + "\n";
    text += "\n";
  }
  return sequences(text);
}

TEST(DatasetBuilderTest, TheEncodingDoesNotDependOnThreads) {
  const auto features = extractor("U0:%x[0,0]\nU1:%x[-1,0]/%x[0,0]\nB0:%x[0,0]\n");
  const std::vector<data::Sequence> text = long_text();
  const EncodedTraining one = encode(features, text, {.cutoff = 2});
  ASSERT_GT(one.data.tokens(), size_t{2} << 15) << "more than two blocks";
  for (const int threads : {2, 3}) {
    const EncodedTraining many = encode(features, text, {.cutoff = 2}, threads);
    EXPECT_EQ(many.state.hashes, one.state.hashes);
    EXPECT_EQ(many.state.names, one.state.names);
    EXPECT_EQ(many.edge.names, one.edge.names);
    EXPECT_EQ(many.data.state.values, one.data.state.values);
    EXPECT_EQ(many.data.state.begin, one.data.state.begin);
    EXPECT_EQ(many.data.edge.values, one.data.edge.values);
    EXPECT_EQ(many.data.gold, one.data.gold);
  }
}

TEST(DatasetBuilderTest, ATokensFeaturesAreSortedByTheShardThatUpdatesThem) {
  const EncodedTraining training =
      encode(extractor("U0:%x[0,0]\nU1:%x[-1,0]\nU2:%x[1,0]\nU3:%x[-2,0]\n"), long_text());
  for (size_t t = 0; t < 1000; ++t) {
    const std::span<const uint32_t> features = training.data.state[t];
    ASSERT_TRUE(std::is_sorted(features.begin(), features.end(), [](uint32_t a, uint32_t b) {
      return std::pair(a % kUpdateShards, a) < std::pair(b % kUpdateShards, b);
    }));
  }
}

TEST(DatasetBuilderTest, LabelsAloneAreThoseOfTheWholeEncoding) {
  const auto features = extractor("U0:%x[0,0]\nB0:%x[0,0]\n");
  const std::vector<data::Sequence> text = sequences(kText);
  const EncodedTraining whole = encode(features, text);
  const Workers workers(1);
  DatasetBuilder builder(features, workers, {.features = false});
  for (const data::Sequence& sequence : text) builder.add(sequence);
  EXPECT_EQ(builder.sequences(), text.size());
  const EncodedTraining labels = builder.finish();
  EXPECT_EQ(labels.data.gold, whole.data.gold);
  EXPECT_EQ(labels.data.weight, whole.data.weight);
  EXPECT_EQ(labels.data.sequence_begin, whole.data.sequence_begin);
  EXPECT_EQ(labels.labels.names(), whole.labels.names());
  EXPECT_EQ(labels.state.size() + labels.edge.size() + labels.state_before_cutoff, 0u);
  EXPECT_EQ(labels.data.state.size(), whole.data.tokens());
  EXPECT_TRUE(labels.data.state[0].empty() && labels.data.edge[0].empty());
}

TEST(HoldOut, TakesEveryTenth) {
  std::vector<uint32_t> sequences(25);
  for (uint32_t s = 0; s < sequences.size(); ++s) sequences[s] = 100 + s;
  const auto [most, tenth] = split_off_a_tenth(sequences);
  EXPECT_EQ(tenth, (std::vector<uint32_t>{109, 119}));
  EXPECT_EQ(most.size(), 23u);
  EXPECT_EQ(split_off_a_tenth({1, 2, 3}).second, std::vector<uint32_t>());
}

TEST(EncoderTest, GivesTheTrainingTextTheFeaturesItHadInTraining) {
  const auto features = extractor("U0:%x[0,0]\nU1:%x[-1,0]\nB0:%x[0,0]\n");
  const std::vector<data::Sequence> text = sequences(kText);
  const EncodedTraining training = encode(features, text);
  const FeatureMap state = number_map(training.state.hashes), edge = number_map(training.edge.hashes);
  const Encoder encoder(features, state, edge);
  Encoder::Scratch scratch;
  Dataset again;
  for (const data::Sequence& sequence : text) encoder.append(sequence, training.labels, scratch, again);
  EXPECT_EQ(again.sequence_begin, training.data.sequence_begin);
  EXPECT_EQ(again.state.values, training.data.state.values);
  EXPECT_EQ(again.state.begin, training.data.state.begin);
  EXPECT_EQ(again.edge.values, training.data.edge.values);
  EXPECT_EQ(again.edge.begin, training.data.edge.begin);
  EXPECT_EQ(again.gold, training.data.gold);

  Dataset fresh;
  encoder.append(sequences("zebra Z\nthe D\n")[0], training.labels, scratch, fresh);
  EXPECT_EQ(fresh.gold, (std::vector<data::Label>{data::kNoLabel, 0}))
      << "Z is not a label of the training data";
  EXPECT_LT(fresh.state[0].size(), 2u) << "zebra is not a feature";
}

TEST(EncoderTest, ValuesThatAppearLateLeaveEarlierOnesAtOne) {
  const auto features = extractor("", true);
  const auto text = sequences("A\tp\tq\n\nB\tp:2\n\n", data::Format::kCrfsuite);
  const EncodedTraining training = encode(features, text);
  const FeatureMap state = number_map(training.state.hashes), edge;
  const Encoder encoder(features, state, edge);
  Encoder::Scratch scratch;
  Dataset again;
  for (const data::Sequence& sequence : text) encoder.append(sequence, training.labels, scratch, again);
  EXPECT_EQ(again.state_values, (std::vector<float>{1, 1, 2}));
  EXPECT_EQ(again.edge.size(), again.tokens());
}

/// Text in which most features are rare, with a few frequent words.
std::string random_text(size_t sentences, uint64_t seed) {
  Random random(seed);
  std::string text;
  for (size_t s = 0; s < sentences; ++s) {
    for (size_t t = 0; t < 1 + random.below(12); ++t)
      text += fmt::format("w{} L{}\n", random.below(random.below(3) == 0 ? 3000 : 20), random.below(4));
    text += '\n';
  }
  return text;
}

/// The data sets have the same sequences, wherever their features are.
void expect_same(const Dataset& a, const Dataset& b) {
  EXPECT_EQ(a.sequence_begin, b.sequence_begin);
  EXPECT_EQ(a.gold, b.gold);
  EXPECT_EQ(a.weight, b.weight);
  for (const bool edges : {false, true}) EXPECT_EQ(a.occurrences(edges), b.occurrences(edges));
  const auto list = [](const auto& span) { return std::vector(span.begin(), span.end()); };
  SequenceBuffer a_buffer, b_buffer;
  for (size_t s = 0; s < std::min(a.sequences(), b.sequences()); ++s) {
    const SequenceFeatures x = features_of(a, s, a_buffer), y = features_of(b, s, b_buffer);
    for (size_t t = 0; t < a.length(s); ++t) {
      ASSERT_EQ(list(x[t].features), list(y[t].features));
      ASSERT_EQ(list(x.edge(t)), list(y.edge(t)));
      ASSERT_EQ(x[t].values == nullptr, y[t].values == nullptr);
      for (size_t i = 0; x[t].values != nullptr && i < x[t].features.size(); ++i)
        ASSERT_EQ(x[t].values[i], y[t].values[i]);
    }
  }
}

void expect_same(const EncodedTraining& a, const EncodedTraining& b) {
  expect_same(a.data, b.data);
  for (const auto space : {&EncodedTraining::state, &EncodedTraining::edge}) {
    EXPECT_EQ((a.*space).hashes, (b.*space).hashes);
    EXPECT_EQ((a.*space).counts, (b.*space).counts);
    EXPECT_EQ((a.*space).names, (b.*space).names);
  }
  EXPECT_EQ(a.state_before_cutoff, b.state_before_cutoff);
}

TEST(SpilledEncodingTest, GivesTheSameNumbersAtAnyBoundOfMemory) {
  const auto features = extractor("U0:%x[0,0]\nU1:%x[-1,0]/%x[0,0]\nU2:%x[1,0]\nB\nB1:%x[0,0]\n");
  const auto all = sequences(random_text(3000, 4));
  for (const uint32_t cutoff : {1u, 3u}) {
    const EncodedTraining expected = encode(features, all, {.cutoff = cutoff});
    ASSERT_GT(expected.state.size(), 1000u);
    for (const size_t memory : {size_t{4} << 20, size_t{64} << 20})
      for (const int threads : {1, 2})
        expect_same(encode(features, all, {.cutoff = cutoff, .memory = memory}, threads), expected);
  }
  expect_same(encode(features, all, {.names = false, .memory = size_t{4} << 20}),
              encode(features, all, {.names = false}));
}

TEST(SpilledEncodingTest, KeepsTheValuesOfAttributes) {
  const auto features = extractor("", true);
  const auto all = sequences("A\tplain\tx:2\nB\tplain:0.5\ty\n\nA\tz\n\n", data::Format::kCrfsuite);
  expect_same(encode(features, all, {.memory = size_t{4} << 20}), encode(features, all));
}

TEST(SpilledEncodingTest, RefusesMoreFeaturesThanMemoryHoldsAndNamesACutOff) {
  const auto features = extractor("U0:%x[0,0]\nU1:%x[-1,0]/%x[0,0]\n");
  const auto all = sequences(random_text(3000, 5));
  const size_t found = encode(features, all).state.size();
  const size_t memory = 128 * (found / 2);  // room for half of them
  try {
    encode(features, all, {.memory = memory});
    FAIL() << "not refused";
  } catch (const ScratchFailure& failure) {
    const std::string message = failure.what();
    ASSERT_NE(message.find("cutoff="), std::string::npos) << message;
    const auto cutoff = static_cast<uint32_t>(std::stoul(message.substr(message.find("cutoff=") + 7)));
    const size_t left = encode(features, all, {.cutoff = cutoff, .memory = memory}).state.size();
    EXPECT_NE(message.find(fmt::format("leaves {}", left)), std::string::npos) << message;
    EXPECT_GT(encode(features, all, {.cutoff = cutoff - 1}).state.size(), found / 2)
        << "a lower one would do";
  }
}

TEST(SpilledEncodingTest, StopsWhereAsked) {
  const auto features = extractor("U0:%x[0,0]\n");
  const std::atomic<bool> stop = true;
  Monitor monitor;
  monitor.stop = &stop;
  EXPECT_THROW(encode(features, sequences(kText), {.memory = size_t{4} << 20, .monitor = &monitor}), Stopped);
}

TEST(SpilledEncodingTest, SubsetsAreInAFileOfTheirOwn) {
  const auto features = extractor("U0:%x[0,0]\nU1:%x[-1,0]/%x[0,0]\nB1:%x[0,0]\n");
  const auto all = sequences(random_text(2000, 6));
  const EncodedTraining spilled = encode(features, all, {.memory = size_t{4} << 20});
  const Dataset part = spilled.data.subset(std::vector<uint32_t>{5, 1, 7});
  EXPECT_NE(part.stored, nullptr);
  EXPECT_TRUE(part.state.values.empty() && spilled.data.state.values.empty()) << "nothing is in memory";
  expect_same(part, encode(features, all).data.subset(std::vector<uint32_t>{5, 1, 7}));
}

}  // namespace
}  // namespace espalier::linear
