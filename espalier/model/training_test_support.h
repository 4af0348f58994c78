// What the tests of training share: made-up chunking data in files, and the accuracy of a trained model. Used
// in model/*_test.cc.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "espalier/base/temporary_directory.h"
#include "espalier/data/synth/synth.h"
#include "espalier/model/model.h"
#include "espalier/model/pipeline.h"
#include "espalier/model/train.h"

namespace espalier::model {

inline void write_chunking(const std::string& file, size_t sequences, uint64_t seed) {
  data::SynthOptions options;
  options.name = "chunking";
  options.seed = seed;
  options.sequences = sequences;
  std::ofstream out(file);
  const Status made = data::synthesize(options, [&](std::string_view text) -> Status {
    out << text;
    return {};
  });
  ASSERT_TRUE(made.ok()) << made.error().message;
}

/// Made-up chunks in train.txt and dev.txt of a folder of its own.
class ChunkingTest : public testing::Test {
 protected:
  explicit ChunkingTest(size_t sequences) {
    write_chunking(path("train.txt"), sequences, 1);
    write_chunking(path("dev.txt"), 30, 2);
  }
  std::string path(const std::string& name) const { return directory_.path(name); }
  std::vector<data::Sequence> dev() const { return *data::read_all({path("dev.txt")}, {}); }
  static std::string error_of(const TrainRequest& request) {
    const auto made = train(request, {});
    return made.ok() ? "accepted" : made.error().message;
  }

  TemporaryDirectory directory_;
};

/// Token accuracy in percent of the model on the data; both are files.
inline double token_accuracy(const std::string& model_file, const std::string& data_file,
                             const data::PredictOptions& options = {}) {
  const auto model = Model::open(model_file);
  EXPECT_TRUE(model.ok()) << model.error().message;
  const auto reader = data::open_reader(data_file, model->about().reading_for_use());
  EXPECT_TRUE(reader.ok());
  size_t right = 0, all = 0;
  PipelineOptions pipeline;
  pipeline.predict = options;
  const Status ran = run_pipeline(
      **reader, model->predictor(), pipeline, Workers(1), {}, [](const auto&, const auto&, std::string&) {},
      [&](const data::Sequence& s, const data::Prediction& p, std::string_view) -> Status {
        for (size_t t = 0; t < s.length(); ++t) right += s.label(t) == model->labels().name(p.labels()[t]);
        all += s.length();
        return {};
      });
  EXPECT_TRUE(ran.ok()) << ran.error().message;
  return 100.0 * static_cast<double>(right) / static_cast<double>(all);
}

}  // namespace espalier::model
