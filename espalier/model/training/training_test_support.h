// What the tests of training share: made-up chunking data in files, and the accuracy of a trained model. Used
// in model/*_test.cc.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/constrain/constrained_predictor.h"
#include "espalier/data/synth/synth.h"
#include "espalier/eval/scores.h"
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
  explicit ChunkingTest(size_t training_sequences, size_t dev_sequences = 30) {
    write("train.txt", training_sequences, 1);
    write("dev.txt", dev_sequences, 2);
  }
  std::string path(const std::string& name) const { return directory_.path(name); }
  void write(const std::string& name, size_t sequences, uint64_t seed) const {
    write_chunking(path(name), sequences, seed);
  }
  std::vector<data::Sequence> dev() const { return *data::read_all({path("dev.txt")}, {}); }
  static std::string error_of(const TrainRequest& request) {
    const auto made = train(request, {});
    return made.ok() ? "accepted" : made.error().message;
  }
  /// The labels that the model finds under the rules keep to them, in every sequence of dev.txt.
  void expect_obeyed(const Model& model, const ConstraintFile& rules) const {
    const auto bound = model.under(rules, {});
    ASSERT_TRUE(bound.ok()) << bound.error().message;
    const auto check = rules.resolve(model.about(), model.labels());
    ASSERT_TRUE(check.ok());
    const auto scratch = (*bound)->make_scratch();
    for (const data::Sequence& sequence : dev()) {
      data::Prediction found;
      ASSERT_TRUE((*bound)->predict(sequence, {}, {}, *scratch, found).ok());
      EXPECT_EQ(check->penalty(constrain::instance_of_rows(*check, sequence), found.labels()), 0);
    }
  }

  TemporaryDirectory directory_;
};

/// Trains with checkpoints and stops after the second round.
inline void train_two_rounds(const TrainRequest& request) {
  std::atomic<bool> stop{false};
  Monitor monitor;
  monitor.stop = &stop;
  monitor.on_progress = [&](const Progress& p) { stop = stop || (p.round_ended && *p.round == 2); };
  const auto interrupted = train(request, monitor);
  ASSERT_TRUE(interrupted.ok()) << interrupted.error().message;
  EXPECT_TRUE(interrupted->report.interrupted);
}

inline std::string file_bytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The scores of the model on the data of a file.
inline eval::TaggingScores scores_of(const Model& model, const std::string& data_file,
                                     const data::PredictOptions& options = {}) {
  const auto reader = data::open_reader(data_file, model.about().reading_for_use());
  EXPECT_TRUE(reader.ok());
  eval::TaggingScores scores;
  PipelineOptions pipeline;
  pipeline.predict = options;
  const Status ran = run_pipeline(
      **reader, model.predictor(), pipeline, Workers(1), {}, [](const auto&, const auto&, std::string&) {},
      [&](const data::Sequence& s, const data::Prediction& p, std::string_view) -> Status {
        std::vector<std::string_view> gold, predicted;
        for (size_t t = 0; t < s.length(); ++t) {
          gold.push_back(s.label(t));
          predicted.push_back(model.labels().name(p.labels()[t]));
        }
        scores.add(gold, predicted);
        return {};
      });
  EXPECT_TRUE(ran.ok()) << ran.error().message;
  return scores;
}
/// Token accuracy in percent of the model on the data of a file.
inline double token_accuracy(const Model& model, const std::string& data_file,
                             const data::PredictOptions& options = {}) {
  return scores_of(model, data_file, options).accuracy();
}
/// The same where the model is a file, too.
inline double token_accuracy(const std::string& model_file, const std::string& data_file,
                             const data::PredictOptions& options = {}) {
  const auto model = Model::open(model_file);
  EXPECT_TRUE(model.ok()) << model.error().message;
  return token_accuracy(*model, data_file, options);
}

}  // namespace espalier::model
