#include "espalier/model/foreign/import_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "espalier/base/hash.h"
#include "espalier/base/text/counted.h"
#include "espalier/base/text/text.h"
#include "espalier/chain/model/model.h"
#include "espalier/data/features/feature_lookup.h"
#include "espalier/data/label_scheme.h"
#include "espalier/model/foreign/foreign_model.h"
#include "espalier/model/model_header.h"

namespace espalier::model {
namespace {

/// A name for people: one line of UTF-8.
void append_readable(std::string_view name, std::string& out) {
  for (size_t at = 0; at < name.size();) {
    const CodePoint c = code_point_at(name, at);
    if (c.value == kInvalidCodePoint) {
      out += "\uFFFD";
    } else {
      out += c.value == U'\n' ? std::string_view(" ") : name.substr(at, c.size);
    }
    at += c.size;
  }
  out += '\n';
}

/// Collects rows by the hash of their feature.
template <typename Column>
class ImportedRows {
 public:
  ImportedRows(uint32_t width, linear::RowLayout<Column>& layout, AlignedVector<float>& weights,
               linear::FeatureSpace& space)
      : layout_(layout), weights_(weights), space_(space) {
    layout_.width = width;
  }
  void add(const ForeignFeatures& from, size_t feature, uint64_t hash) {
    for (size_t i = from.begin[feature]; i < from.begin[feature + 1]; ++i) {
      layout_.column.push_back(static_cast<Column>(from.column[i]));
      weights_.push_back(from.weight[i]);
    }
    layout_.begin.push_back(static_cast<uint32_t>(layout_.column.size()));
    space_.hashes.push_back(hash);
    space_.counts.push_back(1);
    append_readable(from.names[feature], space_.names);
  }
  /// Pads the weights for vector loads. An error if two features have the same hash, or there are too many.
  Status finish(const std::string& name) {
    weights_.resize(layout_.column.size() + linear::kLanes);
    if (layout_.column.size() + 2 * space_.hashes.size() > std::numeric_limits<int32_t>::max())
      return fail("{}: more than two billion weights", name);
    std::vector<uint64_t> sorted = space_.hashes;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      return fail("{}: damaged: a feature occurs twice", name);
    return {};
  }

 private:
  linear::RowLayout<Column>& layout_;
  AlignedVector<float>& weights_;
  linear::FeatureSpace& space_;
};

class Conversion {
 public:
  Conversion(const ForeignModel& model, const std::string& name) : model_(model), name_(name) {}

  Result<ImportedModel> run() {
    ESPALIER_TRY(choose_features());
    ESPALIER_TRY(fill_weights());
    ImportedModel out;
    out.program = model_.program;
    out.left_out = left_out_;
    data::LabelSet labels;
    for (const std::string& label : model_.labels) labels.add(label);
    const auto normalisation =
        model_.per_position ? chain::Normalisation::kPosition : chain::Normalisation::kSequence;
    chain::save_model(
        {labels, weights_, state_, edge_, normalisation, 1, data::detect_scheme(labels), 32, nullptr},
        out.sections);
    out.sections.add_text("about", header_to_json(about_));
    return out;
  }

 private:
  /// How input is read, and which features are taken from it.
  Status choose_features() {
    about_.learner = model_.per_position ? "memm" : "crf";
    about_.imported_from = model_.program;
    const auto is_text = [](const std::string& text) { return valid_utf8(text); };
    const auto all_text = [&](const ForeignFeatures& features) {
      return std::all_of(features.names.begin(), features.names.end(), is_text);
    };
    // Of text in another encoding, or of characters cut by patterns, the bytes are what counts.
    if (!all_text(model_.state) || !all_text(model_.edge)) about_.reading.encoding = "bytes";
    data::FeatureOptions& features = about_.features;
    if (model_.template_text.empty()) {
      features.attributes = true;
      about_.reading.format = data::Format::kCrfsuite;
      return {};
    }
    if (!is_text(model_.template_text)) return fail("{}: the template is not UTF-8", name_);
    features.template_text = model_.template_text;
    features.template_name = "the template of " + name_;
    features.bytes = model_.bytes;
    constexpr size_t kMostColumns = 256;
    for (size_t c = 0; c < kMostColumns; ++c) features.feature_columns.push_back(c);
    ESPALIER_ASSIGN(lookup_, data::FeatureLookup::make(features));
    if (model_.columns > 0 && lookup_->columns() > model_.columns)
      return fail("{}: damaged: the template looks at {}, the data has {}", name_,
                  counted(lookup_->columns(), "column"), model_.columns);
    const size_t columns = std::max({lookup_->columns(), model_.columns, size_t{1}});
    if (columns > kMostColumns) return fail("{}: more than {} columns", name_, kMostColumns);
    features.feature_columns.resize(columns);
    about_.reading.columns = columns + 1;
    about_.reading.more_columns = true;
    return {};
  }

  Status fill_weights() {
    const size_t K = model_.labels.size();
    weights_.labels = K;
    weights_.stride = linear::padded(K);
    weights_.transitions = !model_.trans.empty() || model_.edge.size() > 0;
    weights_.trans.assign(K * weights_.stride, 0.0f);
    for (size_t i = 0; i < model_.trans.size(); ++i) weights_.trans[at(i)] = model_.trans[i];
    ImportedRows state(static_cast<uint32_t>(K), weights_.state_rows, weights_.state, state_);
    ImportedRows edge(static_cast<uint32_t>(K * K), weights_.edge_rows, weights_.edge, edge_);
    ESPALIER_TRY(add_all(model_.state, false, state));
    ESPALIER_TRY(add_all(model_.edge, true, edge));
    ESPALIER_TRY(state.finish(name_));
    return edge.finish(name_);
  }

  template <typename Column>
  Status add_all(const ForeignFeatures& from, bool edge, ImportedRows<Column>& rows) {
    std::vector<uint64_t> hashes;
    for (size_t f = 0; f < from.size(); ++f) {
      if (from.begin[f] == from.begin[f + 1]) continue;  // all weights are 0
      if (!lookup_) {
        rows.add(from, f, hash_bytes(from.names[f]));
        continue;
      }
      const auto found = lookup_->find(from.names[f], edge, hashes);
      if (!found.ok()) return fail("{}: feature {}: {}", name_, f + 1, found.error().message);
      for (const uint64_t hash : hashes) rows.add(from, f, hash);
      const size_t plain = edge ? lookup_->plain_transitions(from.names[f]) : 0;
      for (size_t i = from.begin[f]; i < from.begin[f + 1] && plain > 0; ++i) {
        float& weight = weights_.trans[at(from.column[i])];
        ESPALIER_ASSIGN(weight, foreign_weight(weight + static_cast<double>(plain) * from.weight[i], name_));
      }
      left_out_ += hashes.empty() && plain == 0;
    }
    return {};
  }
  /// Where the transition of a pair of labels is.
  size_t at(size_t pair) const {
    const size_t K = model_.labels.size();
    return pair / K * weights_.stride + pair % K;
  }

  const ForeignModel& model_;
  const std::string& name_;
  ModelHeader about_;
  std::optional<data::FeatureLookup> lookup_;  ///< where there is a template
  chain::ChainWeights weights_;
  linear::FeatureSpace state_, edge_;
  size_t left_out_ = 0;
};

}  // namespace

Status check_foreign_labels(const std::vector<std::string>& labels, const std::string& name) {
  if (labels.empty()) return fail("{}: damaged: there are no labels", name);
  if (labels.size() > kMostForeignLabels)
    return fail("{}: {}; at most {} are supported", name, counted(labels.size(), "label"),
                kMostForeignLabels);
  std::set<std::string_view> seen;
  for (const std::string& label : labels) {
    if (!valid_utf8(label)) return fail("{}: a label is not UTF-8", name);
    if (label == data::kUnknownLabelText)
      return fail("{}: a label is called '_', which stands for labels that are not known here", name);
    if (label.empty() || label.find_first_of(" \t\n") != label.npos)
      return fail("{}: damaged: a label is called '{}'", name, label);
    if (!seen.insert(label).second) return fail("{}: damaged: the label '{}' occurs twice", name, label);
  }
  return {};
}

Result<float> foreign_weight(double value, const std::string& name) {
  const auto narrow = static_cast<float>(value);
  if (!std::isfinite(narrow)) return fail("{}: damaged: a weight is {}", name, value);
  return narrow;
}

Result<ImportedModel> import_model(std::string_view bytes, const std::string& name) {
  uint32_t version = 0;
  if (bytes.size() >= sizeof(version)) std::memcpy(&version, bytes.data(), sizeof(version));
  Result<ForeignModel> (*read)(std::string_view, const std::string&) = nullptr;
  if (bytes.starts_with("lCRF")) {
    read = read_crfsuite;
  } else if (bytes.starts_with("#mdl#")) {
    read = read_wapiti;
  } else if (bytes.starts_with("version: ")) {
    read = read_crfpp_text;
  } else if (version >= 100 && version < 200) {
    read = read_crfpp_binary;
  } else {
    return fail("{}: not a model of CRFsuite, CRF++ or Wapiti (models of Espalier itself need no import)",
                name);
  }
  ESPALIER_ASSIGN(const ForeignModel model, read(bytes, name));
  return Conversion(model, name).run();
}

}  // namespace espalier::model
