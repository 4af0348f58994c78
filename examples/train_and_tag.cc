// Trains an entity recogniser from a columns file, then tags a sentence: all there is to using the library.
//
//   train_and_tag TRAIN.txt MODEL
#include <cstdio>

#include "espalier/model/model.h"
#include "espalier/model/train.h"

using namespace espalier;

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: train_and_tag TRAIN.txt MODEL\n");
    return 2;
  }
  model::TrainRequest request;
  request.train = {argv[1]};
  request.model = argv[2];
  request.learner = "crf";
  request.settings = {"passes=6"};
  request.feature_columns = {1};  // the word; the last column is the label

  Monitor monitor;
  monitor.on_progress = [](const Progress& p) {
    if (p.round_ended) std::printf("pass %d: loss per token %.4f\n", *p.round, *p.objective);
  };
  const auto report = model::train(request, monitor);
  if (!report.ok()) {
    std::fprintf(stderr, "%s\n", report.error().message.c_str());
    return 1;
  }
  const auto model = model::Model::open(request.model);
  if (!model.ok()) {
    std::fprintf(stderr, "%s\n", model.error().message.c_str());
    return 1;
  }
  data::Sequence sentence;
  sentence.clear(1);  // one column: the word
  for (const char* word : {"Anna", "Keller", "flew", "from", "Lisbon", "to", "Oslo", "."}) {
    sentence.begin_row(word, 0);
    sentence.add_cell(word);
  }
  const auto scratch = model->predictor().make_scratch();  // one for each thread
  data::PredictOptions options;
  options.confidence = true;
  data::Prediction prediction;
  if (!model->predictor().predict(sentence, {}, options, *scratch, prediction).ok()) return 1;
  for (size_t row = 0; row < sentence.length(); ++row)
    std::printf("%-8s %-6s %.2f\n", std::string(sentence.cell(row, 0)).c_str(),
                model->labels().name(prediction.labels()[row]).c_str(), prediction.confidence[row]);
  return 0;
}
