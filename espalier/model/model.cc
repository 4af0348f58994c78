#include "espalier/model/model.h"

#include "espalier/cascade/model.h"
#include "espalier/chain/model/model.h"
#include "espalier/model/registry.h"
#include "espalier/tasks/search_model.h"
#include "espalier/tasks/structures/bracket_model.h"

namespace espalier::model {

namespace {
Result<std::unique_ptr<data::Predictor>> load_predictor(const About& about, const SectionFile& file) {
  const auto learner = find_learner(about.learner);
  if (!learner.ok()) return fail("{}: section 'about': {}", file.name(), learner.error().message);
  switch ((*learner)->traits().kind) {
    case ModelKind::kChain: {
      ESPALIER_ASSIGN(data::FeatureExtractor extractor, data::FeatureExtractor::make(about.features));
      ESPALIER_ASSIGN(auto chain, chain::ChainPredictor::load(file, std::move(extractor)));
      return std::unique_ptr<data::Predictor>(std::move(chain));
    }
    case ModelKind::kCascade: {
      ESPALIER_ASSIGN(data::FeatureExtractor extractor, data::FeatureExtractor::make(about.features));
      ESPALIER_ASSIGN(auto cascade, cascade::CascadePredictor::load(file, std::move(extractor)));
      return std::unique_ptr<data::Predictor>(std::move(cascade));
    }
    case ModelKind::kSearch: {
      ESPALIER_ASSIGN(data::FeatureExtractor extractor, data::FeatureExtractor::make(about.features));
      ESPALIER_ASSIGN(auto search, tasks::SearchPredictor::load(file, std::move(extractor)));
      return std::unique_ptr<data::Predictor>(std::move(search));
    }
    case ModelKind::kBrackets: {
      ESPALIER_ASSIGN(data::FeatureExtractor extractor, data::FeatureExtractor::make(about.features));
      ESPALIER_ASSIGN(auto brackets, tasks::BracketPredictor::load(file, std::move(extractor)));
      return std::unique_ptr<data::Predictor>(std::move(brackets));
    }
  }
  return fail("{}: a kind of model that cannot be used", file.name());
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
  ESPALIER_ASSIGN(model.predictor_, load_predictor(model.about_, *model.file_));
  return model;
}

Status strip_names(const std::string& from, const std::string& to) {
  ESPALIER_ASSIGN(const SectionFile file, SectionFile::open(from));
  SectionWriter out;
  for (const SectionFile::Entry& entry : file.entries())
    if (!entry.name.ends_with(".names") && !entry.name.ends_with(".hashes")) out.add(entry.name, entry.bytes);
  return out.save(to);
}

}  // namespace espalier::model
