#include "research/ensemble/ensemble_study.h"

#include <fstream>

#include "espalier/model/model.h"
#include "espalier/model/train.h"

namespace espalier::research {

Result<std::string> write_file(const TemporaryDirectory& folder, std::string_view name,
                               std::string_view text) {
  const std::string path = folder.path(name);
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) return fail("{}: cannot be written", path);
  return path;
}

Result<Labellings> train_and_label(const ExpertRecipe& recipe, const std::string& eval_file,
                                   const data::ReadOptions& eval_reading, size_t n, data::LabelSet& labels,
                                   const Request& request) {
  model::TrainRequest train;
  train.train = {recipe.train_file};
  train.learner = recipe.learner;
  train.settings = recipe.settings;
  ESPALIER_ASSIGN(train.feature_text, model::read_template(recipe.template_file));
  train.reading = recipe.reading;
  train.seed = request.seed;
  train.threads = request.threads;
  Monitor monitor;
  monitor.stop = request.monitor.stop;
  ESPALIER_ASSIGN(const model::Trained trained, model::train(train, monitor));
  if (request.monitor.stop_requested()) return fail("interrupted");
  const model::Model& model = trained.model;
  ESPALIER_ASSIGN(const auto reader, data::open_reader(eval_file, eval_reading));
  const auto scratch = model.predictor().make_scratch();
  data::PredictOptions options;
  options.nbest = n;
  Labellings out;
  data::Sequence sequence;
  data::Prediction prediction;
  while (true) {
    ESPALIER_ASSIGN(const bool more, reader->next(sequence));
    if (!more) return out;
    ESPALIER_TRY(model.predictor().predict(sequence, {}, options, *scratch, prediction));
    auto& ranks = out.emplace_back();
    for (const data::Labelling& labelling : prediction.best) {
      auto& coded = ranks.emplace_back();
      for (const data::Label label : labelling.labels)
        coded.push_back(labels.add(model.labels().name(label)));
    }
  }
}

Result<StudySample> begin_sample(const std::string& eval_file, const data::ReadOptions& reading,
                                 size_t experts) {
  StudySample sample;
  ESPALIER_ASSIGN(const auto reader, data::open_reader(eval_file, reading));
  data::Sequence sequence;
  while (true) {
    ESPALIER_ASSIGN(const bool more, reader->next(sequence));
    if (!more) return sample;
    ensemble::TokenVotes votes;
    votes.reset(experts, sequence.length());
    for (size_t row = 0; row < sequence.length(); ++row)
      votes.gold.push_back(sequence.label(row) == data::kUnknownLabelText
                               ? data::kNoLabel
                               : sample.labels.add(sequence.label(row)));
    sample.sequences.push_back(std::move(votes));
    sample.fold.push_back(sequence.fold().value_or(-1));
  }
}

void fill_expert(StudySample& sample, size_t j, const Labellings& labellings, size_t rank) {
  ESPALIER_CHECK(labellings.size() == sample.sequences.size());
  for (size_t s = 0; s < labellings.size(); ++s) {
    ensemble::TokenVotes& votes = sample.sequences[s];
    if (rank >= labellings[s].size()) continue;
    for (size_t t = 0; t < votes.length(); ++t) votes.votes[t * votes.experts + j] = labellings[s][rank][t];
  }
}

}  // namespace espalier::research
