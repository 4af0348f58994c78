#include "research/cascade/cascade_study.h"

#include <algorithm>

#include "espalier/chain/lattice/lattice_viterbi.h"
#include "espalier/eval/scores.h"
#include "espalier/model/defaults.h"
#include "research/learned_check.h"
#include "research/processor_time.h"

namespace espalier::research {

namespace {

/// How the names of the features of words_alone() begin.
constexpr std::string_view kWordAlone = "U00:";

/// Writes a cascade and reads it back.
Result<StudiedCascade> ready_to_use(cascade::Cascade trained, const linear::EncodedTraining& training,
                                    data::FeatureExtractor extractor) {
  StudiedCascade result;
  SectionWriter sections;
  cascade::save_model(
      {training.labels, trained, training.state, training.edge, data::Scheme::kNone, false, 32}, sections);
  ESPALIER_ASSIGN(SectionFile file, SectionFile::from_bytes(sections.to_bytes(), "the cascade"));
  result.file = std::make_unique<SectionFile>(std::move(file));
  const double loading = processor_seconds();
  ESPALIER_ASSIGN(result.predictor, cascade::CascadePredictor::load(*result.file, std::move(extractor)));
  result.loading_seconds = processor_seconds() - loading;
  return result;
}

}  // namespace

Result<std::vector<StudiedCascade>> study_cascades(std::span<const data::Sequence> sequences,
                                                   const data::FeatureOptions& features,
                                                   cascade::Options options, const CascadeStudy& study,
                                                   const Workers& workers, const Monitor& monitor) {
  ESPALIER_ASSIGN(auto extractor, data::FeatureExtractor::make(features));
  linear::DatasetBuilder builder(extractor, workers, {});
  for (const data::Sequence& sequence : sequences) builder.add(sequence);
  const linear::EncodedTraining training = builder.finish();
  if (study.fill_in) {
    options.full_rows_from = model::full_rows_from(std::nullopt, training.labels.size());
    options.passes = model::log_loss_passes(std::nullopt, training.data.tokens());
  }
  if (options.filter == cascade::Filter::kDictionary) {
    size_t begin = 0;
    for (size_t f = 0; f < training.state.size(); ++f) {
      const size_t end = training.state.names.find('\n', begin);
      const auto name = std::string_view(training.state.names).substr(begin, end - begin);
      options.word_feature.push_back(name.starts_with("low[0]=") || name.starts_with(kWordAlone));
      begin = end + 1;
    }
  }
  const double start = processor_seconds();
  const cascade::TrainContext context{
      {monitor, [](const cascade::Round&) { return Verdict(); }}, training, nullptr, workers};
  std::vector<cascade::Cascade> trained;
  if (study.every_order) {
    ESPALIER_ASSIGN(trained, cascade::train_cascades(context, options));
  } else {
    ESPALIER_ASSIGN(cascade::Cascade one, cascade::train_cascade(context, options));
    trained.push_back(std::move(one));
  }
  const double seconds = processor_seconds() - start;
  if (monitor.stop_requested()) return fail("interrupted");
  std::vector<StudiedCascade> all;
  for (cascade::Cascade& cascade : trained) {
    ESPALIER_ASSIGN(auto own_extractor, data::FeatureExtractor::make(features));
    ESPALIER_ASSIGN(StudiedCascade one, ready_to_use(std::move(cascade), training, std::move(own_extractor)));
    one.training_seconds = seconds;
    all.push_back(std::move(one));
  }
  return all;
}

Result<StudiedCascade> study_cascade(std::span<const data::Sequence> sequences,
                                     const data::FeatureOptions& features, cascade::Options options,
                                     bool fill_in, const Workers& workers, const Monitor& monitor) {
  ESPALIER_ASSIGN(
      auto all, study_cascades(sequences, features, std::move(options), {fill_in, false}, workers, monitor));
  return std::move(all.front());
}

std::string text_of(const FilterSteps& steps) {
  return steps.eta == 0 ? fmt::format("Pegasos, λ = {:g}", steps.lambda)
                        : fmt::format("η = {:g}, λ = {:g}", steps.eta, steps.lambda);
}

cascade::Options as_printed(cascade::Options options, std::vector<double> train_alphas, FilterSteps steps) {
  options.train_alphas = std::move(train_alphas);
  options.warm_up = 0;
  options.adaptive_filters = false;
  options.filter_rate = steps.eta;
  options.filter_lambda = steps.lambda;
  options.filter_batch = 1;
  options.threshold_prior_length = 0;
  options.filter_passes = 10;
  return options;
}

void depart_in_training(Report& report) {
  report.depart(
      "as printed: weights shrink by 1 − ηλ, where equation 9 prints 1 − λ, and are averaged over a run; the "
      "paper does not say whether its are");
  report.depart(
      "as printed: early stopping and the α of training are chosen on a third of the training data, by "
      "filters that did not see it, and later levels learn from lattices of such filters (the authors' later "
      "practice); the paper takes development data");
}

data::FeatureOptions words_alone(size_t column) {
  data::FeatureOptions features;
  features.template_text = fmt::format("{}%x[0,{}]\n", kWordAlone, column);
  features.template_name = "words";
  features.feature_columns = {column};
  return features;
}

Result<CascadeFigures> measure_cascade(const StudiedCascade& studied,
                                       std::span<const data::Sequence> sequences, bool filtered) {
  const cascade::CascadePredictor& cascade = *studied.predictor;
  const auto scratch = cascade.make_scratch();
  chain::ForwardMax forward;
  eval::TaggingScores scores;
  CascadeFigures figures;
  size_t positions = 0, states = 0, arcs = 0, lost = 0, damaged = 0;
  std::vector<std::string_view> gold, predicted;
  std::vector<data::Label> truth;
  std::vector<float> found;
  cascade::Ratings none;
  MostFrequent most_frequent;
  for (const data::Sequence& sequence : sequences) {
    const double start = processor_seconds();
    cascade.look_up(sequence, *scratch);
    const double looked_up = processor_seconds();
    ESPALIER_TRY(cascade.search({}, filtered ? &cascade.alphas() : nullptr, *scratch));
    const cascade::Trellis& trellis = cascade::CascadePredictor::trellis_of(*scratch);
    const chain::LatticePath path = chain::viterbi(trellis.lattice, forward);
    figures.decode_seconds += processor_seconds() - looked_up;
    figures.feature_seconds += looked_up - start;
    gold.clear();
    predicted.clear();
    truth.clear();
    for (size_t t = 0; t < sequence.length(); ++t) {
      gold.push_back(sequence.label(t));
      predicted.push_back(cascade.labels().name(trellis.lattice.label(path.states[t])));
      truth.push_back(cascade.labels().find(sequence.label(t)).value_or(data::kNoLabel));
    }
    scores.add(gold, predicted);
    for (const std::string_view label : gold) most_frequent.add(label);
    positions += sequence.length();
    states += trellis.lattice.states();
    arcs += trellis.lattice.arcs();
    if (!filtered) continue;
    none.state.assign(trellis.lattice.states(), 0);
    none.arc.assign(trellis.lattice.arcs(), 0);
    truth_ratings(trellis, none, cascade::Unit::kStates, truth, found);
    lost += static_cast<size_t>(std::count(found.begin(), found.end(), cascade::kAbsent));
    damaged += find_path(trellis, truth).size() != truth.size();
  }
  const double n = static_cast<double>(std::max<size_t>(1, positions));
  figures.accuracy = scores.accuracy();
  figures.sequence_accuracy = scores.sequence_accuracy();
  figures.most_frequent = most_frequent.share();
  figures.lost_positions = 100 * static_cast<double>(lost) / n;
  figures.lost_sequences =
      100 * static_cast<double>(damaged) / static_cast<double>(std::max<size_t>(1, sequences.size()));
  figures.states = static_cast<double>(states) / n;
  figures.arcs = static_cast<double>(arcs) / n;
  return figures;
}

}  // namespace espalier::research
