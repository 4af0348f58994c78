#include "espalier/data/formats/scores_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "espalier/base/files/zip_archive.h"
#include "espalier/base/random.h"
#include "espalier/data/formats/writer.h"
#include "espalier/data/test_data.h"

namespace espalier::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ReadOptions scores(bool training = false) {
  ReadOptions options;
  options.format = Format::kScores;
  options.labels_required = training;
  return options;
}

/// Files that numpy wrote: float32 2×2, float64 2×2×2, and archives, stored and deflated.
std::string numpy_file(const std::string& name) {
  std::ifstream file(ESPALIER_SOURCE_DIR "/fuzz/seeds/scores/" + name, std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<std::vector<Sequence>> read_arrays(std::string_view bytes, std::vector<std::string> labels = {}) {
  ReadOptions options = scores();
  options.score_labels = std::move(labels);
  ESPALIER_ASSIGN(const auto reader, read_numpy_scores(bytes, "a.npz", options));
  return read_all(*reader);
}

std::vector<float> values(const Sequence& sequence, size_t row) {
  std::vector<float> out;
  for (size_t i = 0; i < sequence.attribute_count(row); ++i) out.push_back(sequence.attribute(row, i).value);
  return out;
}

std::string error_of_text(const std::string& text, bool training = false) {
  const auto all = read_sequences(text, scores(training));
  return all.ok() ? "" : all.error().message;
}

TEST(ScoresReader, MakesAttributesOfColumns) {
  const auto all = read_sequences("O B-PER\n1 2.5\n-1e2\t-inf\n\n\n0 0\n", scores());
  ASSERT_TRUE(all.ok()) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].attribute(0, 1).name, "B-PER");
  EXPECT_THAT(values((*all)[0], 0), ElementsAre(1, 2.5f));
  EXPECT_THAT(values((*all)[0], 1), ElementsAre(-100, kImpossibleScore));
  EXPECT_FALSE((*all)[0].has_labels());
  EXPECT_EQ((*all)[1].line(0), 6u);
}

TEST(ScoresReader, TakesAFurtherCellForTheLabel) {
  const auto all = read_sequences("O B\n1 2 B\n3 4 O\n", scores(true));
  ASSERT_TRUE(all.ok()) << all.error().message;
  EXPECT_EQ((*all)[0].label(0), "B");
  EXPECT_EQ((*all)[0].label(1), "O");
}

TEST(ScoresReader, ErrorsNameTheLineAndWhatIsWrong) {
  EXPECT_THAT(error_of_text("1 2\n3 4\n"), HasSubstr("test.txt:1: the first line must name the labels"));
  EXPECT_THAT(error_of_text("A A\n3 4\n"), HasSubstr("'A' occurs twice"));
  EXPECT_THAT(error_of_text("A _\n3 4\n"), HasSubstr("'_' cannot be the name"));
  EXPECT_THAT(error_of_text("A B\n3 x\n"), HasSubstr("test.txt:2: 'x' is not a finite number"));
  EXPECT_THAT(error_of_text("A B\n3 nan\n"), HasSubstr("'nan'"));
  EXPECT_THAT(error_of_text("A B\n3 inf\n"), HasSubstr("'inf'"));
  EXPECT_THAT(error_of_text("A B\n3 1e60\n"), HasSubstr("'1e60'"));
  EXPECT_THAT(error_of_text("A B\n3 4\n1\n"), HasSubstr("test.txt:3: expected 2 scores, found 1 cell"));
  EXPECT_THAT(error_of_text("A B\n3 4 A\n1 2\n"), HasSubstr("2 scores and a label"));
  EXPECT_THAT(error_of_text("A B\n3 4\n", true), HasSubstr("a label after the 2 scores is missing"));
  EXPECT_THAT(error_of_text("A B\n3 -inf A\n", true), HasSubstr("'-inf'"));
}

/// Columns that are missing, or that the model has no weights for, would change the answer without a word.
TEST(ScoresReader, RefusesScoresOfOtherLabelsThanThoseOfTheTraining) {
  ReadOptions options = scores();
  options.score_labels = {"A", "B"};
  EXPECT_TRUE(read_sequences("B A\n1 2\n", options).ok());
  EXPECT_THAT(read_sequences("A\n1\n", options).error().message,
              HasSubstr("test.txt:1: scores of A, but the model was trained on scores of A, B"));
  EXPECT_FALSE(read_sequences("A B C\n1 2 3\n", options).ok());
  EXPECT_TRUE(read_arrays(numpy_file("stored"), {"B", "A"}).ok());
  EXPECT_THAT(read_arrays(numpy_file("stored"), {"A", "C"}).error().message,
              HasSubstr("trained on scores of A, C"));
}

TEST(ScoresReader, WritesPredictionsThatItCanReadAsLabels) {
  const auto all = read_sequences("A B\n1 2\n3 4\n\n5 6\n", scores());
  const auto writer = Writer::make(scores(), Format::kScores);
  std::string out;
  const std::vector<std::string_view> labels{"B", "A"};
  for (const Sequence& s : *all) writer->append(s, std::span(labels).first(s.length()), out);
  EXPECT_EQ(out, "A B\n1 2 B\n3 4 A\n\n5 6 B\n\n");
  const auto again = read_sequences(out, scores(true));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ((*again)[1].label(0), "B");
  EXPECT_FALSE(Writer::make(ReadOptions(), Format::kScores).ok());
}

TEST(ScoresReader, ReadsArraysOfNumpy) {
  const auto array = read_arrays(numpy_file("array"), {"A", "B"});
  ASSERT_TRUE(array.ok()) << array.error().message;
  ASSERT_EQ(array->size(), 1u);
  EXPECT_THAT(values(array->front(), 0), ElementsAre(1, 2));
  EXPECT_THAT(values(array->front(), 1), ElementsAre(3, kImpossibleScore));
  EXPECT_EQ(array->front().raw(0), "1 2");
  const auto batch = read_arrays(numpy_file("batch"), {"A", "B"});
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(batch->size(), 2u);
  EXPECT_THAT(read_arrays(numpy_file("array")).error().message, HasSubstr("not named"));
  EXPECT_THAT(read_arrays(numpy_file("array"), {"A", "B", "C"}).error().message,
              HasSubstr("2 columns of scores for 3 labels"));
}

TEST(ScoresReader, ReadsArchivesOfNumpyWithTheirLabels) {
  const auto stored = read_arrays(numpy_file("stored"));
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  ASSERT_EQ(stored->size(), 1u);
  EXPECT_EQ(stored->front().attribute(0, 1).name, "B");
  EXPECT_THAT(values(stored->front(), 0), ElementsAre(1, 2));
  const auto packed = read_arrays(numpy_file("packed"));  // 16-bit floats, byte strings
  ASSERT_TRUE(packed.ok()) << packed.error().message;
  EXPECT_EQ(packed->front().length(), 3u);
  EXPECT_THAT(values(packed->front(), 2), ElementsAre(1, 1));
}

TEST(ScoresReader, RefusesDamagedFilesOfNumpy) {
  for (const char* const name : {"array", "batch", "stored", "packed"}) {
    const std::string whole = numpy_file(name);
    for (size_t size = 0; size < whole.size(); size += 7)
      EXPECT_FALSE(read_arrays(whole.substr(0, size), {"A", "B"}).ok()) << name << " of " << size << " bytes";
  }
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = numpy_file(round % 2 == 0 ? "stored" : "packed");
    damaged[random.below(damaged.size())] = static_cast<char>(random.next());
    (void)read_arrays(damaged, {"A", "B"}).ok();  // anything but a crash
  }
}

TEST(ZipArchive, FindsChangedBytesByTheChecksum) {
  std::string bytes = numpy_file("stored");
  const auto archive = ZipArchive::open(bytes, "a.npz");
  ASSERT_TRUE(archive.ok());
  ASSERT_EQ(archive->members().size(), 2u);
  const auto whole = archive->read(archive->members()[1]);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  const size_t at = bytes.find(*whole);
  ASSERT_NE(at, bytes.npos);
  bytes[at + whole->size() - 1] ^= 1;
  EXPECT_THAT(archive->read(archive->members()[1]).error().message, HasSubstr("checksum"));
}

}  // namespace
}  // namespace espalier::data
