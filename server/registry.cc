#include "server/registry.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "server/json_out.h"

namespace espalier::server {
namespace {

template <typename... Args>
Error failure(fmt::format_string<Args...> format, Args&&... args) {
  return Error{fmt::format(format, std::forward<Args>(args)...)};
}

FileStamp stamp_of(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return {};
  return {about.st_mtim.tv_sec, about.st_mtim.tv_nsec, static_cast<uint64_t>(about.st_size), about.st_ino};
}

/// Names are parts of paths and of JSON: letters, digits, and a few signs; anything that is not ASCII.
bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && std::all_of(name.begin(), name.end(), [](char c) {
    return c < 0 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.' || c == '+' || c == ' ';
  });
}

/// The file's name without folder and ending.
std::string name_of_path(const std::string& path) {
  const std::filesystem::path file = std::filesystem::path(path).filename();
  return file.stem().string();
}

/// Opens a model that no longer depends on its file. Large files are mapped by Tagger::open, and one that is
/// changed or cut short in place would change the model under a request, or end the server: they are read.
Result<Tagger> open_in_memory(const std::string& path, uint64_t size) {
  constexpr uint64_t kMaybeMapped = uint64_t{32} << 20;
  if (size <= kMaybeMapped) return Tagger::open(path);
  std::ifstream file(path, std::ios::binary);
  std::vector<std::byte> bytes(size);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (!file) return failure("cannot read '{}'; is it being written?", path);
  return Tagger::from_bytes(std::move(bytes), path);
}

Result<std::shared_ptr<const ServedModel>> open_model(const std::string& name, const std::string& path) {
  const FileStamp stamp = stamp_of(path);  // before opening: a change meanwhile is noticed next time
  Result<Tagger> opened = open_in_memory(path, stamp.bytes);
  if (!opened.ok()) return std::move(opened).error();
  ServedModel model{name, path, stamp, std::move(opened).value(), {}};
  const ModelInfo& info = model.tagger.info();
  for (const std::string& label : model.tagger.labels())
    append_json_string(label, model.quoted.emplace_back());
  if (info.answers == AnswerKind::kChoices || info.answers == AnswerKind::kSummaries)
    return failure("'{}': models of the task {} read JSON lines of their own and cannot be served", path,
                   info.task);
  model.attributes = info.columns == 0;
  model.columns = info.feature_columns.size();
  model.words_only = !model.attributes && info.feature_columns.size() == 1;
  return std::make_shared<const ServedModel>(std::move(model));
}

}  // namespace

const ServedModel* Snapshot::model(std::string_view name) const {
  for (const auto& one : models)
    if (one->name == name) return one.get();
  return nullptr;
}

const ServedPipeline* Snapshot::pipeline(std::string_view name) const {
  for (const auto& one : pipelines)
    if (one->name == name) return one.get();
  return nullptr;
}

Result<std::vector<Registry::PipelineSpec>> Registry::pipeline_specs(const std::vector<std::string>& texts) {
  std::vector<PipelineSpec> out;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    PipelineSpec spec{text.substr(0, equals), {}};
    if (equals == std::string::npos || !is_name(spec.name))
      return failure("pipeline '{}': expected NAME=MODEL,MODEL", text);
    std::string_view rest = std::string_view(text).substr(equals + 1);
    while (true) {
      const std::string_view name = rest.substr(0, rest.find(','));
      spec.models.emplace_back(name);
      if (name.size() == rest.size()) break;
      rest.remove_prefix(name.size() + 1);
    }
    out.push_back(std::move(spec));
  }
  return out;
}

Result<std::shared_ptr<const Snapshot>> Registry::with_models(
    std::vector<std::shared_ptr<const ServedModel>> models) const {
  auto out = std::make_shared<Snapshot>();
  out->models = std::move(models);
  for (const PipelineSpec& spec : pipelines_) {
    if (out->model(spec.name) != nullptr || out->pipeline(spec.name) != nullptr)
      return failure("two models or pipelines have the name '{}'", spec.name);
    std::vector<PipelineStage> stages;
    for (const std::string& name : spec.models) {
      const ServedModel* const model = out->model(name);
      if (model == nullptr)
        return failure("pipeline '{}': there is no model '{}'; name a model's file with {}=FILE", spec.name,
                       name, name);
      stages.push_back({name, model->tagger});
    }
    auto pipeline = Pipeline::make(std::move(stages));
    if (!pipeline.ok()) return failure("pipeline '{}': {}", spec.name, pipeline.error().message);
    out->pipelines.push_back(std::make_shared<const ServedPipeline>(
        ServedPipeline{spec.name, spec.models, std::move(pipeline).value()}));
  }
  return std::shared_ptr<const Snapshot>(std::move(out));
}

Result<std::unique_ptr<Registry>> Registry::open(const std::vector<std::string>& models,
                                                 const std::vector<std::string>& pipelines) {
  if (models.empty()) return failure("there is no model to serve");
  auto registry = std::make_unique<Registry>();
  auto specs = pipeline_specs(pipelines);
  if (!specs.ok()) return std::move(specs).error();
  registry->pipelines_ = std::move(specs).value();
  std::vector<std::shared_ptr<const ServedModel>> opened;
  for (const std::string& text : models) {
    // A path may contain "=": it is one if the file is there.
    std::error_code ignored;
    const size_t equals = std::filesystem::exists(text, ignored) ? std::string::npos : text.find('=');
    const std::string path = equals == std::string::npos ? text : text.substr(equals + 1);
    const std::string name = equals == std::string::npos ? name_of_path(path) : text.substr(0, equals);
    if (!is_name(name))
      return failure("'{}' cannot be the name of a model; give it another with NAME={}", name, path);
    for (const auto& other : opened)
      if (other->name == name)
        return failure("two models have the name '{}'; give one another with NAME={}", name, path);
    auto model = open_model(name, path);
    if (!model.ok()) return std::move(model).error();
    opened.push_back(std::move(model).value());
  }
  auto snapshot = registry->with_models(std::move(opened));
  if (!snapshot.ok()) return std::move(snapshot).error();
  registry->set_current(std::move(snapshot).value());
  return registry;
}

void Registry::set_current(std::shared_ptr<const Snapshot> snapshot) {
  const std::lock_guard lock(current_mutex_);
  current_.swap(snapshot);  // the old one is freed when the lock is open again
}

Status Registry::replace(const std::string& name) {
  auto models = snapshot()->models;
  const auto found =
      std::find_if(models.begin(), models.end(), [&](const auto& one) { return one->name == name; });
  if (found == models.end()) return failure("there is no model '{}'", name);
  auto opened = open_model(name, (*found)->path);
  if (!opened.ok()) return std::move(opened).error();
  *found = std::move(opened).value();
  auto next = with_models(std::move(models));
  if (!next.ok()) return std::move(next).error();
  set_current(std::move(next).value());
  return {};
}

Status Registry::reload(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return replace(name);
}

Registry::Reloaded Registry::reload_changed() {
  const std::lock_guard lock(mutex_);
  Reloaded out;
  const auto before = snapshot();
  for (const auto& model : before->models) {
    if (stamp_of(model->path) == model->stamp) continue;
    if (const Status status = replace(model->name); status.ok()) {
      out.names.push_back(model->name);
    } else {
      out.errors.push_back(fmt::format("model '{}' stays as it is: {}", model->name, status.error().message));
    }
  }
  return out;
}

}  // namespace espalier::server
