// Decoder: a chain model whose features are the emissions. Tested in evaluate_test.cc.
#include <cmath>
#include <limits>
#include <set>

#include "espalier/api/tagger.h"
#include "espalier/base/files/zip_archive.h"
#include "espalier/base/parallel.h"
#include "espalier/chain/model/model.h"
#include "espalier/chain/weights.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/formats/scores_reader.h"
#include "espalier/data/label_scheme.h"
#include "espalier/linear/encoding/dataset.h"
#include "espalier/public/decoder.h"

namespace espalier {
namespace {

using data::kImpossibleScore;

Status check(const std::vector<std::string>& labels, const DecoderOptions& options) {
  if (labels.empty()) return fail("a decoder needs labels");
  if (labels.size() >= data::kNoLabel) return fail("more than 65,534 labels");
  std::set<std::string_view> seen;
  for (const std::string& label : labels) {
    if (label.empty() || label == data::kUnknownLabelText)
      return fail("'{}' cannot be the name of a label", label);
    if (!seen.insert(label).second) return fail("the label '{}' occurs twice", label);
  }
  if (!options.transitions.empty() && options.transitions.size() != labels.size() * labels.size())
    return fail("{} transitions for {} labels: expected {}, one for each pair", options.transitions.size(),
                labels.size(), labels.size() * labels.size());
  for (const float score : options.transitions)
    if (std::isnan(score) || score == std::numeric_limits<float>::infinity())
      return fail("a transition's score is {}", score);
  return {};
}

/// A chain with one feature per label, named like it, whose weight is 1 for this label and whose value is the
/// emission: score(t, y) is then the emission itself, and everything that a chain can do can be done with it.
Result<Tagger> chain_over_emissions(const std::vector<std::string>& labels, const DecoderOptions& options) {
  data::FeatureOptions features;
  features.attributes = true;
  ESPALIER_ASSIGN(const data::FeatureExtractor extractor, data::FeatureExtractor::make(features));
  const Workers workers(1);
  linear::DatasetBuilder builder(extractor, workers, linear::EncodeOptions{}, data::LabelSet());
  data::Sequence sequence;
  sequence.clear(0);
  for (size_t k = 0; k < labels.size(); ++k) {
    sequence.begin_row("", k + 1);
    sequence.add_attribute(labels[k], 1);
    sequence.set_label(labels[k]);
  }
  builder.add(std::move(sequence));
  const linear::EncodedTraining training = builder.finish();
  chain::ChainWeights weights =
      chain::make_weights(training, !options.transitions.empty(), chain::PairOptions{});
  std::fill(weights.state.begin(), weights.state.end(), 1.0f);
  for (size_t i = 0; i < labels.size() && weights.transitions; ++i)
    for (size_t j = 0; j < labels.size(); ++j)
      weights.trans[i * weights.stride + j] =
          std::max(options.transitions[i * labels.size() + j], kImpossibleScore);
  model::ModelHeader about;
  about.learner = "crf";
  about.reading.format = data::Format::kScores;
  about.reading.score_labels = labels;
  about.features = features;
  SectionWriter out;
  chain::save_model({training.labels, weights, training.state, training.edge, chain::Normalisation::kSequence,
                     1, data::detect_scheme(training.labels), 32, nullptr},
                    out);
  out.add_text("about", model::header_to_json(about));
  return Tagger::from_bytes(out.to_bytes(), "decoder");
}

}  // namespace

Decoder::Decoder(std::vector<std::string> labels, DecoderOptions options)
    : labels_(std::move(labels)),
      constraints_(std::move(options.constraints)),
      status_(check(labels_, options)) {
  if (!status_.ok()) return;
  auto tagger = chain_over_emissions(labels_, options);
  if (tagger.ok()) {
    tagger_ = std::move(tagger).value();
  } else {
    status_ = std::move(tagger).error();
  }
}

Result<Tagged> Decoder::decode(std::span<const float> emissions, size_t length,
                               const TagOptions& options) const {
  ESPALIER_TRY(status_);
  const size_t K = labels_.size();
  if (emissions.size() != length * K)
    return fail("{} emissions for {} tokens and {} labels: expected {}", emissions.size(), length, K,
                length * K);
  std::vector<std::vector<Attribute>> rows(length);
  for (size_t t = 0; t < length; ++t)
    for (size_t k = 0; k < K; ++k) {
      const float score = emissions[t * K + k];
      if (std::isnan(score) || score == std::numeric_limits<float>::infinity())
        return fail("token {}, label {}: the emission is {}", t + 1, labels_[k], score);
      rows[t].push_back({labels_[k], std::max(score, kImpossibleScore)});
    }
  TagOptions chosen = options;
  if (!chosen.decode.constraints) chosen.decode.constraints = constraints_;
  return tagger_->tag_attributes(rows, chosen);
}

Result<Tagger> Decoder::tagger() const {
  ESPALIER_TRY(status_);
  return *tagger_;
}

Result<std::vector<std::string>> labels_of_scores(const std::string& path) {
  return data::labels_of_scores(path, "utf-8");
}

Result<Emissions> parse_emissions(std::string_view bytes, std::vector<std::string> labels, std::string name,
                                  size_t most_bytes) {
  if (ZipArchive::recognise(bytes)) {  // before anything of it is unpacked
    ESPALIER_ASSIGN(const ZipArchive archive, ZipArchive::open(bytes, name));
    size_t unpacked = 0;
    for (const ZipArchive::Member& member : archive.members()) unpacked += member.size;
    if (unpacked > most_bytes)
      return fail("{}: the arrays have {} bytes, and at most {} are read", name, unpacked, most_bytes);
  }
  ESPALIER_ASSIGN(std::vector<std::string> own, data::labels_of_scores_in(bytes, name));
  if (!own.empty() && !labels.empty()) return fail("{}: it names its labels itself", name);
  Emissions out;
  out.labels = own.empty() ? std::move(labels) : std::move(own);
  data::ReadOptions reading;
  reading.format = data::Format::kScores;
  reading.labels_required = false;
  reading.score_labels = out.labels;
  ESPALIER_ASSIGN(const auto reader, data::is_numpy_scores(bytes)
                                         ? data::read_numpy_scores(bytes, name, reading)
                                         : data::read_text(bytes, name, reading));
  data::Sequence sequence;
  while (true) {
    ESPALIER_ASSIGN(const bool more, reader->next(sequence));
    if (!more) return out;
    std::vector<float>& scores = out.sequences.emplace_back();
    for (size_t row = 0; row < sequence.length(); ++row)
      for (size_t k = 0; k < sequence.attribute_count(row); ++k)
        scores.push_back(sequence.attribute(row, k).value);
  }
}

}  // namespace espalier
