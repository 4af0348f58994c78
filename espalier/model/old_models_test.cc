// Model files of earlier versions are read. old_models/ holds files of format 2 as the first version wrote
// them, trained on three sentences of words, tags and chunks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "espalier/model/model.h"

namespace espalier::model {
namespace {

std::string old_model(const std::string& name) {
  return std::string(ESPALIER_SOURCE_DIR "/espalier/model/old_models/") + name;
}

TEST(OldModels, OfFormatTwoLabelAsTheyDid) {
  for (const char* const name : {"chain.model", "cascade.model", "search.model"}) {
    const auto model = Model::open(old_model(name));
    ASSERT_TRUE(model.ok()) << model.error().message;
    const auto reader =
        data::read_text("a DT\nsong NN\nslept VB\n. .\n", "text", model->about().reading_for_use());
    data::Sequence sequence;
    ASSERT_TRUE(*(*reader)->next(sequence));
    const auto scratch = model->predictor().make_scratch();
    data::Prediction prediction;
    ASSERT_TRUE(model->predictor().predict(sequence, {}, {}, *scratch, prediction).ok());
    std::vector<std::string> labels;
    for (const data::Label label : prediction.labels()) labels.push_back(model->labels().name(label));
    EXPECT_THAT(labels, testing::ElementsAre("B-NP", "I-NP", "B-VP", "O")) << name;
    EXPECT_TRUE(model->predictor().explain(sequence, *scratch).ok());
    EXPECT_TRUE(model->predictor().strongest(3, {}).ok());
  }
}

TEST(OldModels, OfAnotherFormatAreRefusedWithWhatToDo) {
  std::ifstream file(old_model("chain.model"), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  for (const int version : {1, 3}) {
    bytes[8] = static_cast<std::byte>(version);  // the format version, little-endian
    const auto model = Model::from_bytes(bytes, "old.model");
    ASSERT_FALSE(model.ok());
    EXPECT_THAT(model.error().message, testing::HasSubstr("old.model"));
    EXPECT_THAT(model.error().message,
                testing::HasSubstr(version == 1 ? "train it again" : "a newer espalier"));
  }
}

}  // namespace
}  // namespace espalier::model
