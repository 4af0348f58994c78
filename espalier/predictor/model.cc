#include "espalier/predictor/model.h"

#include <algorithm>
#include <cmath>

#include "espalier/chain/model.h"

namespace espalier::predictor {

namespace {
const chain::ChainPredictor& as_chain(const data::Predictor& predictor) {
  return dynamic_cast<const chain::ChainPredictor&>(predictor);
}
}  // namespace

Result<Model> Model::open(const std::string& path) {
  ESPALIER_ASSIGN(SectionFile file, SectionFile::open(path));
  return make(std::move(file));
}

Result<Model> Model::from_bytes(const std::vector<std::byte>& bytes, std::string name) {
  ESPALIER_ASSIGN(SectionFile file, SectionFile::from_bytes(bytes, std::move(name)));
  return make(std::move(file));
}

Result<Model> Model::make(SectionFile file) {
  Model model;
  model.file_ = std::make_unique<SectionFile>(std::move(file));
  ESPALIER_ASSIGN(const std::string_view text, model.file_->text("about"));
  ESPALIER_ASSIGN(model.about_, about_from_json(text, model.file_->name()));
  ESPALIER_ASSIGN(data::FeatureExtractor extractor, data::FeatureExtractor::make(model.about_.features));
  ESPALIER_ASSIGN(model.predictor_, chain::ChainPredictor::load(*model.file_, std::move(extractor)));
  return model;
}

Result<std::vector<Model::WeightedFeature>> Model::strongest(size_t how_many, std::string_view label) const {
  const chain::ChainPredictor& chain = as_chain(*predictor_);
  if (chain.kernelised())
    return fail("{}: a kernel machine has no weights of single features", file_->name());
  if (!file_->has("state.names"))
    return fail("{}: the model was stripped of its feature names", file_->name());
  ESPALIER_ASSIGN(const std::string_view names, file_->text("state.names"));
  std::optional<data::Label> only;
  if (!label.empty()) {
    only = labels().find(label);
    if (!only) return fail("{}: the model has no label '{}'", file_->name(), label);
  }
  struct Entry {
    std::string_view name;
    uint32_t label;
    float weight;
  };
  std::vector<Entry> entries;
  size_t begin = 0;
  for (const uint32_t start : chain.state_row_starts()) {
    const size_t end = names.find('\n', begin);
    if (end == std::string_view::npos) return fail("{}: fewer names than features", file_->name());
    chain.state_rows().for_each(start, [&](uint32_t column, float weight) {
      if (!only || *only == column) entries.push_back({names.substr(begin, end - begin), column, weight});
    });
    begin = end + 1;
  }
  const size_t n = std::min(how_many, entries.size());
  std::partial_sort(entries.begin(), entries.begin() + static_cast<ptrdiff_t>(n), entries.end(),
                    [](const Entry& a, const Entry& b) {
                      const float wa = std::abs(a.weight), wb = std::abs(b.weight);
                      return wa != wb ? wa > wb : a.name != b.name ? a.name < b.name : a.label < b.label;
                    });
  std::vector<WeightedFeature> strongest;
  for (size_t i = 0; i < n; ++i)
    strongest.push_back({std::string(entries[i].name),
                         labels().name(static_cast<data::Label>(entries[i].label)), entries[i].weight});
  return strongest;
}

std::vector<Model::WeightedTransition> Model::transitions() const {
  const chain::ChainPredictor& chain = as_chain(*predictor_);
  std::vector<WeightedTransition> all;
  if (!chain.transitions()) return all;
  for (data::Label i = 0; i < labels().size(); ++i)
    for (data::Label j = 0; j < labels().size(); ++j)
      all.push_back({labels().name(i), labels().name(j), chain.transition(i, j)});
  return all;
}

Model::Size Model::size() const {
  const chain::ChainPredictor& chain = as_chain(*predictor_);
  Size size;
  for (const linear::PackedRows* rows : {&chain.state_rows(), &chain.edge_rows()}) {
    std::vector<uint32_t> starts;
    if (rows->words().empty()) continue;  // a kernel machine has none
    const auto view =
        linear::PackedRows::view(rows->words(), rows->width(), rows->bits(), rows->scale(), &starts);
    ESPALIER_CHECK(view.ok());
    size.features += starts.size();
    for (const uint32_t start : starts) size.weights += rows->words()[start];
  }
  if (chain.transitions()) size.weights += labels().size() * labels().size();
  for (const SectionFile::Entry& entry : file_->entries())
    size.bytes = std::max<size_t>(size.bytes, static_cast<size_t>(entry.bytes.data() + entry.bytes.size() -
                                                                  file_->entries().front().bytes.data()));
  size.weight_bits = chain.state_rows().bits();
  size.names = file_->has("state.names");
  return size;
}

Status strip_names(const std::string& from, const std::string& to) {
  ESPALIER_ASSIGN(const SectionFile file, SectionFile::open(from));
  SectionWriter out;
  for (const SectionFile::Entry& entry : file.entries())
    if (!entry.name.ends_with(".names") && !entry.name.ends_with(".hashes")) out.add(entry.name, entry.bytes);
  return out.save(to);
}

}  // namespace espalier::predictor
