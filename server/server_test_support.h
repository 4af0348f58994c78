// Small models on disk for the tests of the service. Used in server/*_test.cc and fuzz/fuzz_request.cc.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "espalier/espalier.h"
#include "server/service.h"

namespace espalier::server {

/// A folder that is removed with its files.
class ModelFolder {
 public:
  ModelFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "espalier-server-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~ModelFolder() { std::filesystem::remove_all(path_); }
  ModelFolder(const ModelFolder&) = delete;
  ModelFolder& operator=(const ModelFolder&) = delete;
  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// Tags from words: "the cat slept" is DT NN VB.
inline Tagger small_tagger() {
  Corpus corpus;
  for (int i = 0; i < 8; ++i)
    corpus.add_words({"the", "cat", "slept"}, {"DT", "NN", "VB"})
        .add_words({"a", "dog", "sang"}, {"DT", "NN", "VB"});
  return train(corpus, Learner("crf", {{"passes", "8"}})).value();
}

/// Chunks from words and tags.
inline Tagger small_chunker() {
  Corpus corpus({.columns = {"word", "tag"}});
  for (int i = 0; i < 8; ++i)
    corpus.add_rows({{"the", "DT"}, {"cat", "NN"}, {"slept", "VB"}}, {"B-NP", "I-NP", "B-VP"})
        .add_rows({{"a", "DT"}, {"dog", "NN"}, {"sang", "VB"}}, {"B-NP", "I-NP", "B-VP"});
  return train(corpus, Learner("crf", {{"passes", "8"}})).value();
}

/// A service with the models "tags" and "chunks" and the pipeline "all", whose files are in the folder.
inline std::unique_ptr<Service> small_service(const ModelFolder& folder, ServeOptions options = {},
                                              std::string token = "") {
  small_tagger().save(folder.path("tags.model")).value();
  small_chunker().save(folder.path("chunks.model")).value();
  auto registry =
      Registry::open({folder.path("tags.model"), folder.path("chunks.model")}, {"all=tags,chunks"}).value();
  return std::make_unique<Service>(std::move(registry), options, std::move(token));
}

}  // namespace espalier::server
