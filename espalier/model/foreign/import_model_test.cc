// fixtures/ holds models that CRFsuite 0.12, CRF++ 0.58 and Wapiti 1.5 trained on 25 sentences of the bundled
// corpus, labels for noun phrases only, and what these programs say about eight others: the label and, but
// for the MEMM, its probability.
#include "espalier/model/foreign/import_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "espalier/base/random.h"
#include "espalier/chain/model/model.h"
#include "espalier/model/model.h"

namespace espalier::model {
namespace {

using ::testing::HasSubstr;

std::string fixture(const std::string& name) {
  std::ifstream file(ESPALIER_SOURCE_DIR "/espalier/model/foreign/fixtures/" + name, std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<Model> imported(std::string_view bytes) {
  ESPALIER_ASSIGN(const ImportedModel made, import_model(bytes, "other.model"));
  return Model::from_bytes(made.sections.to_bytes(), "imported");
}

std::string error_of(std::string_view bytes) {
  const auto made = import_model(bytes, "other.model");
  return made.ok() ? "" : made.error().message;
}

/// Labels every sequence of the input, and compares labels and their probabilities with those of the
/// original.
void expect_same(const std::string& model_file, const std::string& input_file,
                 const std::string& expected_file) {
  const auto model = imported(fixture(model_file));
  ASSERT_TRUE(model.ok()) << model.error().message;
  const std::string text = fixture(input_file);
  const auto reader = data::read_text(text, "input", model->about().reading_for_use());
  ASSERT_TRUE(reader.ok());
  std::istringstream expected(fixture(expected_file));
  const auto scratch = model->predictor().make_scratch();
  data::PredictOptions options;
  options.confidence = true;
  data::Sequence sequence;
  data::Prediction prediction;
  size_t tokens = 0;
  while (true) {
    const auto more = (*reader)->next(sequence);
    ASSERT_TRUE(more.ok()) << more.error().message;
    if (!*more) break;
    ASSERT_TRUE(model->predictor().predict(sequence, {}, options, *scratch, prediction).ok());
    std::string line;
    for (size_t t = 0; t < sequence.length(); ++t, ++tokens) {
      ASSERT_TRUE(std::getline(expected, line));
      std::istringstream cells(line);
      std::string label;
      double probability = -1;
      cells >> label >> probability;
      EXPECT_EQ(model->labels().name(prediction.labels()[t]), label) << model_file << " token " << tokens;
      if (line.find('\t') != line.npos) {
        EXPECT_NEAR(prediction.confidence[t], probability, 1e-5) << model_file << " token " << tokens;
      }
    }
    std::getline(expected, line);
    EXPECT_EQ(line, "");
  }
  EXPECT_GT(tokens, 100u);
}

TEST(ImportModel, OfCrfsuiteGivesItsLabelsAndProbabilities) {
  expect_same("crfsuite.bin", "input.items", "crfsuite.expected");
}
TEST(ImportModel, OfCrfppTextGivesItsLabelsAndProbabilities) {
  expect_same("crfpp.txt", "input.columns", "crfpp.expected");
}
TEST(ImportModel, OfCrfppBinaryGivesItsLabelsAndProbabilities) {
  expect_same("crfpp.bin", "input.columns", "crfpp.expected");
}
TEST(ImportModel, OfWapitiGivesItsLabelsAndProbabilities) {
  expect_same("wapiti.txt", "input.columns", "wapiti.expected");
}
TEST(ImportModel, OfWapitiMemmGivesItsLabels) {
  expect_same("wapiti-memm.txt", "input.columns", "wapiti-memm.expected");
}

TEST(ImportModel, KeepsTheTemplateTheNamesAndWhereItCameFrom) {
  const auto model = imported(fixture("crfpp.txt"));
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->about().imported_from, "CRF++");
  EXPECT_EQ(model->about().learner, "crf");
  EXPECT_THAT(model->about().features.template_text, HasSubstr("U3:%x[-1,1]/%x[0,1]/%x[1,1]\n"));
  EXPECT_EQ(model->about().features.feature_columns, (std::vector<size_t>{0, 1}));
  const auto strongest = model->predictor().strongest(3, {});
  ASSERT_TRUE(strongest.ok());
  EXPECT_THAT(strongest->front().feature, ::testing::StartsWith("U"));
}

// A cell with the separator of a template in it: "U:1/2/3" is one feature, from 1 and 2/3 or from 1/2 and 3.
TEST(ImportModel, OfCrfppKnowsNamesThatSeveralRowsGive) {
  const auto model = imported(
      "version: 100\ncost-factor: 0.5\nmaxid: 2\nxsize: 2\n\nA\nB\n\nU:%x[0,0]/%x[0,1]\n\n0 "
      "U:1/2/3\n\n-4\n6\n");
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto* chain = model->as<chain::ChainPredictor>();
  ASSERT_NE(chain, nullptr);
  const auto scratch = chain->make_scratch();
  for (const char* const row : {"1 2/3", "1/2 3"}) {
    const auto reader = data::read_text(row, "row", model->about().reading_for_use());
    data::Sequence sequence;
    ASSERT_TRUE(*(*reader)->next(sequence));
    const auto& scores = chain->scores(sequence, {}, *scratch);
    EXPECT_FLOAT_EQ(scores.node[0], -2) << row;  // times the cost factor
    EXPECT_FLOAT_EQ(scores.node[1], 3) << row;
  }
}

TEST(ImportModel, AddsUpBigramLinesWithoutMacros) {
  const auto model = imported(
      "version: 100\ncost-factor: 1\nmaxid: 8\nxsize: 1\n\nA\nB\n\nB\nB\nB2\n\n0 B\n4 "
      "B2\n\n1\n2\n3\n4\n.5\n0\n0\n0\n");
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto* chain = model->as<chain::ChainPredictor>();
  EXPECT_FLOAT_EQ(chain->transition(0, 0), 2 * 1 + 0.5f);
  EXPECT_FLOAT_EQ(chain->transition(1, 0), 2 * 3);
}

TEST(ImportModel, ReadsRowsWithMoreCellsThanTheTemplateUses) {
  const auto made = imported(fixture("crfpp.txt"));
  ASSERT_TRUE(made.ok());
  const auto reader = data::read_text("The DET x y\n", "row", made->about().reading_for_use());
  data::Sequence sequence;
  EXPECT_TRUE((*reader)->next(sequence).ok());
  const auto short_rows = data::read_text("The\n", "row", made->about().reading_for_use());
  EXPECT_FALSE((*short_rows)->next(sequence).ok());
}

TEST(ImportModel, CountsFeaturesThatTheTemplateNeverGives) {
  const auto made = import_model(
      "version: 100\ncost-factor: 1\nmaxid: 2\nxsize: 1\n\nA\nB\n\nU0:%x[0,0]\n\n0 U1:a\n\n1\n2\n", "m");
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->left_out, 1u);
}

TEST(ImportModel, RefusesWhatItCannotExpressAndSaysWhy) {
  EXPECT_THAT(error_of("ESPALIER"), HasSubstr("other.model: not a model of CRFsuite, CRF++ or Wapiti"));
  EXPECT_THAT(error_of(""), HasSubstr("not a model of"));
  EXPECT_THAT(error_of("#mdl#2#0\n#rdr#0/0/1\n#qrk#1\n1:A,\n#qrk#0\n"), HasSubstr("no patterns"));
  EXPECT_THAT(error_of("#mdl#2#0\n#rdr#1/0/0\n1:b,\n#qrk#1\n1:_,\n#qrk#0\n"), HasSubstr("'_'"));
  EXPECT_THAT(error_of("#mdl#7#0\n"), HasSubstr("type 7"));
  EXPECT_THAT(error_of("version: 300\ncost-factor: 1\nmaxid: 1\nxsize: 1\n\n"), HasSubstr("version 300"));
  EXPECT_THAT(error_of("version: 1e114\ncost-factor: 1\nmaxid: 1\nxsize: 1\n\n"),
              HasSubstr("version 1e+114"));
  EXPECT_THAT(error_of("#mdl#2#0\n#rdr#1/0/0\n8:u%q[0,0],\n#qrk#1\n1:A,\n#qrk#0\n"), HasSubstr("%q"));
}

TEST(ImportModel, RefusesEveryShortenedFile) {
  for (const char* const name : {"crfsuite.bin", "crfpp.txt", "crfpp.bin", "wapiti.txt", "wapiti-memm.txt"}) {
    const std::string whole = fixture(name);
    for (size_t size = 0; size + 2 < whole.size(); size += 97)
      EXPECT_NE(error_of(std::string_view(whole).substr(0, size)), "") << name << " of " << size << " bytes";
  }
}

// Every outcome but a crash is good: labels, or a message.
TEST(ImportModel, SurvivesDamage) {
  Random random(1);
  for (const char* const name : {"crfsuite.bin", "crfpp.txt", "crfpp.bin", "wapiti.txt"}) {
    const std::string whole = fixture(name);
    for (int round = 0; round < 300; ++round) {
      std::string damaged = whole;
      for (int i = 0; i < 4; ++i) damaged[random.below(damaged.size())] = static_cast<char>(random.next());
      const auto made = import_model(damaged, "damaged");
      const std::string told = !made.ok() ? made.error().message : [&] {
        const auto opened = Model::from_bytes(made->sections.to_bytes(), "imported");
        return opened.ok() ? std::string() : opened.error().message;
      }();
      // Either a model that can be used, or a message that names the file.
      if (!told.empty()) {
        EXPECT_THAT(told, testing::AnyOf(HasSubstr("damaged"), HasSubstr("imported")));
      }
    }
  }
}

}  // namespace
}  // namespace espalier::model
