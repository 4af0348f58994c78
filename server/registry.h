// The models and pipelines that a server has. A snapshot of them is immutable; reloading swaps it for another
// one.
//
// A request takes one snapshot() and works with it to the end, whatever is reloaded meanwhile; a model that
// nothing uses any more is freed. Models are held in memory as they were when they were opened: what happens
// to their files afterwards does not matter until they are reloaded. Safe to use from any thread. Tested in
// registry_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/espalier.h"

namespace espalier::server {

/// Which version of a file was opened.
struct FileStamp {
  int64_t seconds = 0, nanoseconds = 0;
  uint64_t bytes = 0, inode = 0;
  bool operator==(const FileStamp&) const = default;
};

struct ServedModel {
  std::string name, path;
  FileStamp stamp;
  Tagger tagger;
  std::vector<std::string> quoted;  ///< its labels as JSON
  bool attributes = false;          ///< trained on attributes, not on columns
  bool words_only = false;          ///< features use nothing but the word
  size_t columns = 0;               ///< cells that features use
};

struct ServedPipeline {
  std::string name;
  std::vector<std::string> models;
  Pipeline pipeline;
};

struct Snapshot {
  std::vector<std::shared_ptr<const ServedModel>> models;
  std::vector<std::shared_ptr<const ServedPipeline>> pipelines;

  /// Null if there is none of this name.
  const ServedModel* model(std::string_view name) const;
  const ServedPipeline* pipeline(std::string_view name) const;
};

class Registry {
 public:
  /// `models`: PATH or NAME=PATH; `pipelines`: NAME=MODEL,MODEL (see ServeOptions). Opens everything.
  static Result<std::unique_ptr<Registry>> open(const std::vector<std::string>& models,
                                                const std::vector<std::string>& pipelines);

  std::shared_ptr<const Snapshot> snapshot() const {
    const std::lock_guard lock(current_mutex_);
    return current_;
  }

  /// Opens a model's file again. If that fails, or a pipeline would no longer fit, nothing changes.
  Status reload(const std::string& name);
  /// Opens all models again whose files have changed; each that cannot be used stays as it is.
  struct Reloaded {
    std::vector<std::string> names;   ///< of models that were replaced
    std::vector<std::string> errors;  ///< of those that stay as they were
  };
  Reloaded reload_changed();

 private:
  struct PipelineSpec {
    std::string name;
    std::vector<std::string> models;
  };
  static Result<std::vector<PipelineSpec>> pipeline_specs(const std::vector<std::string>& texts);
  /// A snapshot with these models and all pipelines over them.
  Result<std::shared_ptr<const Snapshot>> with_models(
      std::vector<std::shared_ptr<const ServedModel>> models) const;
  Status replace(const std::string& name);  ///< with mutex_ held

  void set_current(std::shared_ptr<const Snapshot> snapshot);

  std::vector<PipelineSpec> pipelines_;
  std::mutex mutex_;  ///< one reload at a time
  /// Not std::atomic<std::shared_ptr>: that of libstdc++ 12 ends a load without a release, so that a store
  /// may change the pointer while it is still being read.
  mutable std::mutex current_mutex_;
  std::shared_ptr<const Snapshot> current_;
};

}  // namespace espalier::server
