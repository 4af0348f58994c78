// Part of model.h: writes and reads the sections of a chain model. Every field is checked before it is used.
// Tested in model_test.cc.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "espalier/base/text/json_as.h"
#include "espalier/chain/model/model.h"
#include "espalier/chain/model/model_buffers.h"
#include "espalier/data/refined_predictor.h"
#include "espalier/linear/encoding/kept_features.h"
#include "espalier/linear/encoding/number_map.h"

namespace espalier::chain {

namespace {

/// Adds a feature table and its rows under `prefix`, and the names of the features that kept a weight.
template <typename Column>
Json add_rows_sections(const std::string& prefix, const linear::RowLayout<Column>& layout,
                       const AlignedVector<float>& weights, const linear::FeatureSpace& features,
                       const ModelSource& source, SectionWriter& out) {
  linear::KeptFeatures kept = linear::keep_features(layout, weights.data(), features, source.weight_bits);
  out.add_array(prefix + ".map", kept.map().slots());
  out.add_array(prefix + ".rows", kept.rows.words());
  const size_t count = kept.hashes.size();
  const std::string& names = kept.names(features);
  if (!names.empty()) {  // what only people and further training need; strip_names leaves it out
    if (kept.all && source.stays) {
      out.add_view(prefix + ".names", std::as_bytes(std::span(names)));
    } else {
      out.add_text(prefix + ".names", names);
    }
    out.add_moved(prefix + ".hashes", std::move(kept.hashes));
  }
  return {{"features", count}, {"bits", kept.rows.bits()}, {"scale", kept.rows.scale()}};
}

/// A kernel machine's features are looked up by number.
Json add_kernel_sections(const linear::KernelModel& kernel, const linear::FeatureSpace& features,
                         SectionWriter& out) {
  out.add_array("state.map", linear::number_map(features.hashes).slots());
  kernel.save(out);
  return {{"features", features.size()}};
}

/// A field of the header, converted to T.
template <typename T>
Result<T> field(const SectionFile& file, const Json& object, const char* name) {
  const auto it = object.find(name);
  if (it == object.end()) return fail("{}: section 'chain' has no '{}'", file.name(), name);
  try {
    return json_as<T>(*it);
  } catch (const Json::exception&) {
    return fail("{}: section 'chain' has a '{}' of the wrong kind", file.name(), name);
  }
}

Status load_rows(const SectionFile& file, const std::string& prefix, const Json& header, uint64_t width,
                 linear::FeatureMap& map, linear::PackedRows& rows) {
  ESPALIER_ASSIGN(const Json about, field<Json>(file, header, prefix.c_str()));
  ESPALIER_ASSIGN(const int bits, field<int>(file, about, "bits"));
  ESPALIER_ASSIGN(const float scale, field<float>(file, about, "scale"));
  ESPALIER_ASSIGN(const auto words, file.array<uint32_t>(prefix + ".rows"));
  std::vector<uint32_t> starts;
  auto viewed = linear::PackedRows::view(words, width, bits, scale, &starts);
  if (!viewed.ok()) return fail("{}: section '{}.rows': {}", file.name(), prefix, viewed.error().message);
  rows = std::move(viewed).value();
  ESPALIER_ASSIGN(const auto slots, file.array<linear::FeatureMap::Slot>(prefix + ".map"));
  auto table = linear::FeatureMap::view(slots, rows.offset_limit());
  if (!table.ok()) return fail("{}: section '{}.map': {}", file.name(), prefix, table.error().message);
  map = std::move(table).value();
  // A table may only point to the beginning of a row.
  if (!rows.all_begin_rows(starts, &slots.front().value, slots.size(), 2))
    return fail("{}: section '{}.map' points into the middle of a row", file.name(), prefix);
  return {};
}

}  // namespace

void save_model(const ModelSource& source, SectionWriter& out) {
  const ChainWeights& w = source.weights;
  Json header;
  header["labels"] = source.labels.names();
  if (source.labels.refined()) header["places"] = source.labels.places();
  header["transitions"] = w.transitions;
  header["normalisation"] = source.normalisation == Normalisation::kSequence ? "sequence" : "position";
  header["temperature"] = source.temperature;
  header["scheme"] = data::scheme_name(source.scheme);
  header["scorer"] = source.kernel == nullptr ? "rows" : "kernel";
  header["state"] = source.kernel == nullptr
                        ? add_rows_sections("state", w.state_rows, w.state, source.state, source, out)
                        : add_kernel_sections(*source.kernel, source.state, out);
  header["edge"] = add_rows_sections("edge", w.edge_rows, w.edge, source.edge, source, out);
  if (source.stays) {
    out.add_view("trans", std::as_bytes(std::span(w.trans)));
  } else {
    out.add_array("trans", w.trans);
  }
  out.add_text("chain", json_text(header));
}

Result<std::unique_ptr<ChainPredictor>> ChainPredictor::load(const SectionFile& file,
                                                             data::FeatureExtractor extractor) {
  ESPALIER_ASSIGN(const std::string_view text, file.text("chain"));
  const Json header = try_parse_json(text);
  if (!header.is_object()) return fail("{}: section 'chain' is not a JSON object", file.name());
  std::unique_ptr<ChainPredictor> model(new ChainPredictor(std::move(extractor)));
  ESPALIER_ASSIGN(const auto names, field<std::vector<std::string>>(file, header, "labels"));
  if (names.empty() || names.size() >= data::kNoLabel)
    return fail("{}: {} is not a possible number of labels", file.name(), names.size());
  model->file_name_ = file.name();
  if (file.has("state.names")) {
    ESPALIER_ASSIGN(model->names_, file.text("state.names"));
  }
  ESPALIER_ASSIGN(const auto places, header.contains("places") ? field<std::string>(file, header, "places")
                                                               : Result<std::string>(""));
  ESPALIER_ASSIGN(model->labels_, data::restore_labels(names, places, file.name()));
  const size_t K = model->labels_.size();
  model->stride_ = linear::padded(K);
  ESPALIER_ASSIGN(model->transitions_, field<bool>(file, header, "transitions"));
  ESPALIER_ASSIGN(const std::string normalisation, field<std::string>(file, header, "normalisation"));
  if (normalisation != "sequence" && normalisation != "position")
    return fail("{}: unknown normalisation '{}'", file.name(), normalisation);
  model->normalisation_ = normalisation == "sequence" ? Normalisation::kSequence : Normalisation::kPosition;
  ESPALIER_ASSIGN(model->temperature_, field<double>(file, header, "temperature"));
  if (!(model->temperature_ > 1e-9 && model->temperature_ < 1e9))
    return fail("{}: {} is not a possible temperature", file.name(), model->temperature_);
  ESPALIER_ASSIGN(const std::string scheme, field<std::string>(file, header, "scheme"));
  ESPALIER_ASSIGN(model->scheme_, data::parse_scheme(scheme));
  if (model->scheme_ != data::Scheme::kNone) model->span_rules_.emplace(model->labels_, model->scheme_);

  ESPALIER_ASSIGN(const auto trans, file.array<float>("trans"));
  if (trans.size() != K * model->stride_)
    return fail("{}: section 'trans' has {} weights, {} labels need {}", file.name(), trans.size(), K,
                K * model->stride_);
  for (const float w : trans)
    if (!std::isfinite(w)) return fail("{}: a transition weight is not a finite number", file.name());
  model->trans_.assign(trans.begin(), trans.end());
  for (float& score : model->trans_)
    if (score <= kRuledOut) score = kImpossible;
  constexpr uint64_t kMostLabels = 256;  // of many, a copy takes much memory
  if (K <= kMostLabels) {
    model->trans_into_.assign(K * model->stride_, kImpossible);
    for (size_t i = 0; i < K; ++i)
      for (size_t j = 0; j < K; ++j)
        model->trans_into_[j * model->stride_ + i] = model->trans_[i * model->stride_ + j];
  }
  ESPALIER_ASSIGN(const std::string scorer, field<std::string>(file, header, "scorer"));
  if (scorer == "rows") {
    ESPALIER_TRY(load_rows(file, "state", header, K, model->state_map_, model->state_));
  } else if (scorer == "kernel") {
    ESPALIER_ASSIGN(model->kernel_, linear::KernelModel::load(file));
    if (model->kernel_->labels() != K)
      return fail("{}: the kernel machine scores {} labels, the model has {}", file.name(),
                  model->kernel_->labels(), K);
    ESPALIER_ASSIGN(const auto slots, file.array<linear::FeatureMap::Slot>("state.map"));
    auto table = linear::FeatureMap::view(slots, linear::kNoFeature);
    if (!table.ok()) return fail("{}: section 'state.map': {}", file.name(), table.error().message);
    model->state_map_ = std::move(table).value();
  } else {
    return fail("{}: unknown scorer '{}'", file.name(), scorer);
  }
  ESPALIER_TRY(load_rows(file, "edge", header, static_cast<uint64_t>(K) * K, model->edge_map_, model->edge_));

  AlignedVector<float> scaled;
  if (model->temperature_ != 1) {  // with thousands of labels a copy is 100 MB
    scaled = model->trans_;
    for (float& w : scaled) w = static_cast<float>(w / model->temperature_);
  }
  model->potentials_.assign(scaled.empty() ? model->trans_.data() : scaled.data(), K, model->stride_);
  return model;
}

std::vector<uint32_t> ChainPredictor::state_row_starts() const {
  std::vector<uint32_t> starts;
  if (kernel_) return starts;
  const auto again =
      linear::PackedRows::view(state_.words(), state_.width(), state_.bits(), state_.scale(), &starts);
  ESPALIER_CHECK(again.ok());
  return starts;
}

}  // namespace espalier::chain
