// Part of model.h: writes and reads the sections of a cascade. Every field is checked before it is used.
// Tested in espalier/model/training/train_cascade_test.cc.
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "espalier/base/text/json_as.h"
#include "espalier/cascade/model/model.h"
#include "espalier/cascade/model/model_json.h"
#include "espalier/data/refined_predictor.h"
#include "espalier/linear/encoding/number_map.h"
#include "espalier/linear/grown_rows.h"

namespace espalier::cascade {

namespace {

/// A field of the header, converted to T.
template <typename T>
Result<T> cascade_field(const std::string& file, const Json& object, const char* name) {
  const auto it = object.find(name);
  if (it == object.end()) return fail("{}: section 'cascade' has no '{}'", file, name);
  try {
    return json_as<T>(*it);
  } catch (const Json::exception&) {
    return fail("{}: section 'cascade' has a '{}' of the wrong kind", file, name);
  }
}

/// One packed row per feature and level; the features that have any are renumbered and get a table of row
/// offsets.
class RowSections {
 public:
  RowSections(std::string prefix, const linear::FeatureSpace& features, size_t levels)
      : prefix_(std::move(prefix)),
        features_(features),
        levels_(levels),
        offsets_(features.size() * levels, linear::kNoFeature) {}

  template <typename Column>
  Json add(size_t level, const linear::RowLayout<Column>& layout, const float* weights, int bits,
           SectionWriter& out) {
    std::vector<uint32_t> own;
    const linear::PackedRows rows = linear::PackedRows::pack(layout, weights, bits, own);
    for (size_t f = 0; f < own.size(); ++f) offsets_[f * levels_ + level] = own[f];
    out.add_array(fmt::format("{}.rows{}", prefix_, level + 1), rows.words());
    return {{"bits", rows.bits()}, {"scale", rows.scale()}};
  }

  /// Writes table and names, without features that have no row. Returns the old numbers of those kept.
  /// `old` and `old_value` are the table of the model that was trained further and the features' numbers
  /// there; null: none was.
  std::vector<uint32_t> finish(SectionWriter& out, const std::vector<uint8_t>& keep_anyway,
                               const linear::FeatureMap* old = nullptr,
                               const std::vector<uint32_t>& old_value = {}) {
    std::vector<uint64_t> hashes;
    std::vector<uint32_t> offsets, kept, numbers;
    std::unordered_map<uint32_t, uint32_t> new_number;
    std::string names;
    size_t name_begin = 0;
    for (size_t f = 0; f < features_.size(); ++f) {
      const size_t name_end = features_.names.empty() ? 0 : features_.names.find('\n', name_begin) + 1;
      const bool is_old = f < old_value.size() && old_value[f] != linear::kNoFeature;
      bool any = is_old || (!keep_anyway.empty() && keep_anyway[f]);
      for (size_t l = 0; l < levels_; ++l) any = any || offsets_[f * levels_ + l] != linear::kNoFeature;
      if (any) {
        const auto number = static_cast<uint32_t>(kept.size());
        if (is_old) {
          new_number.emplace(old_value[f], number);
        } else {
          hashes.push_back(features_.hashes[f]);
          numbers.push_back(number);
        }
        kept.push_back(static_cast<uint32_t>(f));
        for (size_t l = 0; l < levels_; ++l) offsets.push_back(offsets_[f * levels_ + l]);
        names.append(features_.names, name_begin, name_end - name_begin);
      }
      name_begin = name_end;
    }
    if (old != nullptr) {
      const auto number_of = [&](uint32_t value) { return new_number.at(value); };
      out.add_array(prefix_ + ".map", linear::grow_table(*old, number_of, hashes, numbers));
    } else {
      out.add_array(prefix_ + ".map", linear::number_map(hashes).slots());
    }
    out.add_moved(prefix_ + ".offsets", std::move(offsets));
    if (!names.empty()) out.add_moved(prefix_ + ".names", std::move(names));
    return kept;
  }

 private:
  std::string prefix_;
  const linear::FeatureSpace& features_;
  size_t levels_;
  std::vector<uint32_t> offsets_;
};

Status load_features(const SectionFile& file, const std::string& prefix, size_t levels,
                     linear::FeatureMap& map, std::span<const uint32_t>& offsets, size_t& features) {
  ESPALIER_ASSIGN(offsets, file.array<uint32_t>(prefix + ".offsets"));
  if (offsets.size() % levels != 0)
    return fail("{}: section '{}.offsets' does not have {} entries per feature", file.name(), prefix, levels);
  features = offsets.size() / levels;
  ESPALIER_ASSIGN(const auto slots, file.array<linear::FeatureMap::Slot>(prefix + ".map"));
  auto table = linear::FeatureMap::view(slots, features);
  if (!table.ok()) return fail("{}: section '{}.map': {}", file.name(), prefix, table.error().message);
  map = std::move(table).value();
  return {};
}

Status load_rows(const SectionFile& file, const std::string& prefix, size_t level, size_t levels,
                 const Json& about, uint64_t width, std::span<const uint32_t> offsets,
                 linear::PackedRows& rows) {
  const std::string section = fmt::format("{}.rows{}", prefix, level + 1);
  ESPALIER_ASSIGN(const int bits, cascade_field<int>(file.name(), about, "bits"));
  ESPALIER_ASSIGN(const float scale, cascade_field<float>(file.name(), about, "scale"));
  ESPALIER_ASSIGN(const auto words, file.array<uint32_t>(section));
  std::vector<uint32_t> starts;
  auto viewed = linear::PackedRows::view(words, width, bits, scale, &starts);
  if (!viewed.ok()) return fail("{}: section '{}': {}", file.name(), section, viewed.error().message);
  rows = std::move(viewed).value();
  // Features may only point to the beginning of a row.
  if (!rows.all_begin_rows(starts, offsets.data() + level, offsets.size() / levels, levels))
    return fail("{}: section '{}.offsets' points into the middle of a row", file.name(), prefix);
  return {};
}

Json level_header(const Level& level, bool filters) {
  Json out = report_json(level.report, filters);
  out["measure"] = level.measure == Measure::kMaxMarginal ? "max-marginal" : "probability";
  out["unit"] = level.unit == Unit::kCliques ? "cliques" : "states";
  out["threshold"] = level.alpha;
  out["usual_regret"] = level.weights.prior.regret;
  out["usual_positions"] = level.weights.prior.positions;
  out["quantile"] = level.weights.quantile;
  out["cuts"] = level.weights.cuts;
  return out;
}

bool all_finite(std::span<const float> values) {
  for (const float x : values)
    if (!std::isfinite(x)) return false;
  return true;
}

}  // namespace

void save_model(const ModelSource& source, SectionWriter& out) {
  const Cascade& cascade = source.cascade;
  const size_t L = cascade.levels.size(), grams = cascade.layout.grams.size();
  Json header;
  header["labels"] = source.labels.names();
  if (source.labels.refined()) header["places"] = source.labels.places();
  header["temperature"] = cascade.temperature;
  header["scheme"] = data::scheme_name(source.scheme);
  if (source.answers_segments) header["answer"] = "segments";
  header["loss_unit"] = cascade.loss_unit == LossUnit::kPositions ? "positions" : "sequences";
  header["quantiles"] = cascade.quantiles;
  header["dictionary"] = !cascade.dictionary.empty();
  linear::EdgeRows edge_layout = cascade.layout.edge;
  edge_layout.width = static_cast<uint32_t>(grams);
  RowSections state("state", source.state, L), edge("edge", source.edge, L);
  Json levels = Json::array();
  const std::vector<float> no_edges(edge_layout.weights() + linear::kLanes, 0.0f);
  for (size_t l = 0; l < L; ++l) {
    const Level& level = cascade.levels[l];
    Json about = level_header(level, l + 1 < L);
    about["state"] = state.add(l, cascade.layout.state, level.weights.state.data(), source.weight_bits, out);
    about["edge"] =
        edge.add(l, edge_layout, level.weights.edge.empty() ? no_edges.data() : level.weights.edge.data(),
                 source.weight_bits, out);
    if (level.weights.order > 1)
      out.add_array(fmt::format("grams.weights{}", l + 1),
                    std::span<const float>(level.weights.gram.data(), grams));
    levels.push_back(std::move(about));
  }
  header["levels"] = std::move(levels);
  out.add_array("grams", cascade.layout.grams.entries());
  std::vector<uint8_t> words;
  const Dictionary& dictionary = cascade.dictionary;
  if (!dictionary.empty()) {
    words.resize(source.state.size());
    for (size_t f = 0; f < words.size(); ++f) words[f] = dictionary.begin[f + 1] > dictionary.begin[f];
  }
  const OldCascade* const old = source.old;
  const std::vector<uint32_t> kept =
      old == nullptr ? state.finish(out, words) : state.finish(out, words, old->state_map, old->state_value);
  if (old == nullptr) {
    edge.finish(out, {});
  } else {
    edge.finish(out, {}, old->edge_map, old->edge_value);
  }
  if (!dictionary.empty()) {
    std::vector<uint32_t> begin{0};
    std::vector<data::Label> label;
    for (const uint32_t f : kept) {
      label.insert(label.end(), dictionary.label.begin() + dictionary.begin[f],
                   dictionary.label.begin() + dictionary.begin[f + 1]);
      begin.push_back(static_cast<uint32_t>(label.size()));
    }
    out.add_array("dictionary.begin", begin);
    out.add_array("dictionary.labels", label);
  }
  out.add_text("cascade", json_text(header));
}

Status CascadePredictor::load_level(const SectionFile& file, size_t index, size_t level_count,
                                    std::string_view text) {
  const Json header = parse_json(text);
  const std::string& name = file.name();
  PackedLevel level;
  ESPALIER_ASSIGN(level.order, cascade_field<size_t>(name, header, "order"));
  const bool filters = index + 1 < level_count;
  if (level.order < 1 || level.order > kMostOrder || (!levels_.empty() && level.order < levels_.back().order))
    return fail("{}: a level cannot have order {} at this place", name, level.order);
  ESPALIER_ASSIGN(const std::string measure, cascade_field<std::string>(name, header, "measure"));
  ESPALIER_ASSIGN(const std::string unit, cascade_field<std::string>(name, header, "unit"));
  if ((measure != "max-marginal" && measure != "probability") || (unit != "cliques" && unit != "states"))
    return fail("{}: level {}: unknown measure '{}' of {}", name, index + 1, measure, unit);
  level.measure = measure == "probability" ? Measure::kProbability : Measure::kMaxMarginal;
  level.unit = unit == "states" ? Unit::kStates : Unit::kCliques;
  ESPALIER_ASSIGN(level.alpha, cascade_field<double>(name, header, "threshold"));
  ESPALIER_ASSIGN(level.prior.regret, cascade_field<double>(name, header, "usual_regret"));
  ESPALIER_ASSIGN(level.prior.positions, cascade_field<double>(name, header, "usual_positions"));
  ESPALIER_ASSIGN(level.quantile, (cascade_field<std::array<float, kQuantiles>>(name, header, "quantile")));
  ESPALIER_ASSIGN(level.cuts, cascade_field<QuantileCuts>(name, header, "cuts"));
  if (!(level.prior.regret >= 0 && level.prior.positions >= 0 &&
        std::isfinite(level.prior.regret * level.prior.positions)))
    return fail("{}: level {} has no prior mean", name, index + 1);
  if (!std::isfinite(level.alpha) || !all_finite(level.quantile) || !all_finite(level.cuts))
    return fail("{}: level {} has a number that is not finite", name, index + 1);
  LevelReport& report = level.report;
  report.order = level.order;
  ESPALIER_ASSIGN(report.states, cascade_field<double>(name, header, "states"));
  ESPALIER_ASSIGN(report.arcs, cascade_field<double>(name, header, "arcs"));
  ESPALIER_ASSIGN(report.passes, cascade_field<int>(name, header, "passes"));
  if (filters) {
    ESPALIER_ASSIGN(report.alpha, cascade_field<double>(name, header, "alpha"));
    ESPALIER_ASSIGN(report.train_alpha, cascade_field<double>(name, header, "train_alpha"));
    ESPALIER_ASSIGN(report.filter_loss, cascade_field<double>(name, header, "filter_loss"));
    ESPALIER_ASSIGN(report.efficiency, cascade_field<double>(name, header, "efficiency_loss"));
    ESPALIER_ASSIGN(report.alive, cascade_field<double>(name, header, "alive"));
  }
  ESPALIER_ASSIGN(const Json state, cascade_field<Json>(name, header, "state"));
  ESPALIER_TRY(
      load_rows(file, "state", index, level_count, state, labels_.size(), state_offsets_, level.state));
  ESPALIER_ASSIGN(const Json edge, cascade_field<Json>(name, header, "edge"));
  ESPALIER_TRY(load_rows(file, "edge", index, level_count, edge, grams_.size(), edge_offsets_, level.edge));
  if (level.order > 1) {
    ESPALIER_ASSIGN(level.gram, file.array<float>(fmt::format("grams.weights{}", index + 1)));
    if (level.gram.size() != grams_.size())
      return fail("{}: level {} has {} weights for {} label n-grams", name, index + 1, level.gram.size(),
                  grams_.size());
    if (!all_finite(level.gram))
      return fail("{}: a weight of level {} is not a finite number", name, index + 1);
  }
  levels_.push_back(std::move(level));
  return {};
}

Result<std::unique_ptr<CascadePredictor>> CascadePredictor::load(const SectionFile& file,
                                                                 data::FeatureExtractor extractor) {
  ESPALIER_ASSIGN(const std::string_view text, file.text("cascade"));
  const Json header = try_parse_json(text);
  const std::string& name = file.name();
  if (!header.is_object()) return fail("{}: section 'cascade' is not a JSON object", name);
  std::unique_ptr<CascadePredictor> model(new CascadePredictor(std::move(extractor)));
  model->file_name_ = name;
  ESPALIER_ASSIGN(const auto labels, cascade_field<std::vector<std::string>>(name, header, "labels"));
  if (labels.empty() || labels.size() >= data::kNoLabel)
    return fail("{}: {} is not a possible number of labels", name, labels.size());
  ESPALIER_ASSIGN(const auto places, header.contains("places")
                                         ? cascade_field<std::string>(name, header, "places")
                                         : Result<std::string>(""));
  ESPALIER_ASSIGN(model->labels_, data::restore_labels(labels, places, name));
  const size_t K = model->labels_.size();
  model->stride_ = linear::padded(K);
  ESPALIER_ASSIGN(model->temperature_, cascade_field<double>(name, header, "temperature"));
  if (!(model->temperature_ > 1e-9 && model->temperature_ < 1e9))
    return fail("{}: {} is not a possible temperature", name, model->temperature_);
  ESPALIER_ASSIGN(const std::string scheme, cascade_field<std::string>(name, header, "scheme"));
  ESPALIER_ASSIGN(model->scheme_, data::parse_scheme(scheme));
  if (model->scheme_ != data::Scheme::kNone) model->span_rules_.emplace(model->labels_, model->scheme_);
  if (header.contains("answer")) {  // models that were made before this have the best labelling
    ESPALIER_ASSIGN(const std::string answer, cascade_field<std::string>(name, header, "answer"));
    if (answer != "segments" || !model->span_rules_)
      return fail("{}: section 'cascade' has the answer '{}'", name, answer);
    model->answers_segments_ = true;
  }
  ESPALIER_ASSIGN(const std::string loss_unit, cascade_field<std::string>(name, header, "loss_unit"));
  model->loss_unit_ = loss_unit == "sequences" ? LossUnit::kSequences : LossUnit::kPositions;
  ESPALIER_ASSIGN(model->quantiles_, cascade_field<bool>(name, header, "quantiles"));
  ESPALIER_ASSIGN(const bool dictionary, cascade_field<bool>(name, header, "dictionary"));

  ESPALIER_ASSIGN(const auto levels, cascade_field<std::vector<Json>>(name, header, "levels"));
  if (levels.empty() || levels.size() > kMostLevels)
    return fail("{}: {} is not a possible number of levels", name, levels.size());
  ESPALIER_ASSIGN(const auto entries, file.array<GramTable::Entry>("grams"));
  auto grams = GramTable::from_entries(K, {entries.begin(), entries.end()});
  if (!grams.ok()) return fail("{}: section 'grams': {}", name, grams.error().message);
  model->grams_ = std::move(grams).value();
  const size_t L = levels.size();
  ESPALIER_TRY(
      load_features(file, "state", L, model->state_map_, model->state_offsets_, model->state_features_));
  ESPALIER_TRY(load_features(file, "edge", L, model->edge_map_, model->edge_offsets_, model->edge_features_));
  model->levels_.reserve(L);
  for (size_t l = 0; l < L; ++l) ESPALIER_TRY(model->load_level(file, l, L, json_text(levels[l])));
  for (size_t l = 0; l + 1 < L; ++l) model->alphas_.push_back(model->levels_[l].alpha);
  constexpr size_t kMostPaired = 512;  // labels
  for (size_t l = 1; l + 1 < L; ++l) {
    PackedLevel& level = model->levels_[l];
    if (level.order == 2 && model->levels_[l - 1].order == 1 &&
        trellis_length(model->levels_[l + 1].order) == 2 && level.measure == Measure::kMaxMarginal &&
        level.unit == Unit::kCliques && model->edge_features_ == 0 && !model->quantiles_ &&
        K <= kMostPaired) {
      level.pairs = PairWeights(model->grams_, level.gram);
      if (K <= DensePairWeights::kMostLabels) level.dense_pairs = DensePairWeights(level.pairs);
    }
  }
  if (L == 3 && model->levels_[1].pairs.labels > 0 && model->levels_[2].order == 3 &&
      K <= TripleWeights::kMostLabels)
    model->triples_ = TripleWeights(model->grams_, model->levels_[2].gram);
  if (dictionary) {
    ESPALIER_ASSIGN(const auto begin, file.array<uint32_t>("dictionary.begin"));
    ESPALIER_ASSIGN(const auto label, file.array<data::Label>("dictionary.labels"));
    bool sound =
        begin.size() == model->state_features_ + 1 && begin.front() == 0 && begin.back() == label.size();
    for (size_t i = 0; sound && i + 1 < begin.size(); ++i) sound = begin[i] <= begin[i + 1];
    for (size_t i = 0; sound && i < label.size(); ++i) sound = label[i] < K;
    if (!sound || model->levels_.front().order != 1) return fail("{}: the dictionary is damaged", name);
    model->dictionary_.begin.assign(begin.begin(), begin.end());
    model->dictionary_.label.assign(label.begin(), label.end());
    model->dictionary_.count.assign(label.size(), 1);
  }
  if (file.has("state.names")) {
    ESPALIER_ASSIGN(model->names_, file.text("state.names"));
  }
  return model;
}

Status replace_thresholds(const SectionFile& file, std::span<const double> alphas,
                          std::span<const LevelReport> reports, SectionWriter& out) {
  ESPALIER_ASSIGN(const std::string_view text, file.text("cascade"));
  Json header = try_parse_json(text);
  if (!header.is_object() || !header.contains("levels") || header["levels"].size() != alphas.size() + 1)
    return fail("{}: not a cascade of {} levels", file.name(), alphas.size() + 1);
  for (size_t l = 0; l < alphas.size(); ++l) {
    Json& level = header["levels"][l];
    level["threshold"] = alphas[l];
    level["alpha"] = alphas[l];
    level["filter_loss"] = reports[l].filter_loss;
    level["efficiency_loss"] = reports[l].efficiency;
    level["alive"] = reports[l].alive;
  }
  for (const SectionFile::Entry& entry : file.entries()) {
    if (entry.name == "cascade") {
      out.add_text("cascade", json_text(header));
    } else {
      out.add(entry.name, entry.bytes);
    }
  }
  return {};
}

}  // namespace espalier::cascade
