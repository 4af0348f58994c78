#include "server/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "server/server_test_support.h"

namespace espalier::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Registry, NamesModelsAfterTheirFilesOrAsTold) {
  const ModelFolder folder;
  small_tagger().save(folder.path("tags.model")).value();
  const auto registry =
      Registry::open({folder.path("tags.model"), "other=" + folder.path("tags.model")}, {}).value();
  const auto snapshot = registry->snapshot();
  ASSERT_NE(snapshot->model("tags"), nullptr);
  ASSERT_NE(snapshot->model("other"), nullptr);
  EXPECT_TRUE(snapshot->model("tags")->words_only);
  EXPECT_EQ(snapshot->model("none"), nullptr);
}

TEST(Registry, SaysWhyItCannotOpen) {
  const ModelFolder folder;
  small_tagger().save(folder.path("tags.model")).value();
  const std::string path = folder.path("tags.model");
  const auto message = [](const std::vector<std::string>& models,
                          const std::vector<std::string>& pipelines = {}) {
    const auto opened = Registry::open(models, pipelines);
    return opened.ok() ? "opened" : opened.error().message;
  };
  EXPECT_THAT(message({}), HasSubstr("no model"));
  EXPECT_THAT(message({path, path}), HasSubstr("two models have the name 'tags'"));
  EXPECT_THAT(message({folder.path("none.model")}), HasSubstr("none.model"));
  EXPECT_THAT(message({"a/b=" + path}), HasSubstr("cannot be the name"));
  EXPECT_THAT(message({path}, {"p"}), HasSubstr("expected NAME=MODEL,MODEL"));
  EXPECT_THAT(message({path}, {"p=tags,chunks"}), HasSubstr("there is no model 'chunks'"));
  EXPECT_THAT(message({path}, {"tags=tags"}), HasSubstr("have the name 'tags'"));
}

TEST(Registry, ReloadsWhatHasChangedAndKeepsWhatIsDamaged) {
  const ModelFolder folder;
  const std::string path = folder.path("m.model");
  small_tagger().save(path).value();
  const auto registry = Registry::open({path}, {}).value();
  const auto before = registry->snapshot();
  EXPECT_THAT(registry->reload_changed().names, IsEmpty());
  EXPECT_EQ(registry->snapshot(), before);

  small_chunker().save(path).value();
  EXPECT_THAT(registry->reload_changed().names, ElementsAre("m"));
  EXPECT_THAT(registry->snapshot()->model("m")->tagger.labels(), testing::Contains("B-NP"));
  EXPECT_THAT(before->model("m")->tagger.labels(), testing::Contains("DT"));  // who has it still has it

  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const auto after = registry->reload_changed();
  EXPECT_THAT(after.names, IsEmpty());
  ASSERT_EQ(after.errors.size(), 1u);
  EXPECT_THAT(after.errors[0], HasSubstr("model 'm' stays as it is"));
  EXPECT_TRUE(registry->snapshot()->model("m")->tagger.tag_rows({{"the", "DT"}}).ok());
  EXPECT_FALSE(registry->reload("m").ok());
  std::filesystem::remove(path);
  EXPECT_EQ(registry->reload_changed().errors.size(), 1u);
}

TEST(Registry, AModelThatNoLongerFitsItsPipelineIsNotTaken) {
  const ModelFolder folder;
  small_tagger().save(folder.path("tags.model")).value();
  small_chunker().save(folder.path("chunks.model")).value();
  const auto registry =
      Registry::open({folder.path("tags.model"), folder.path("chunks.model")}, {"all=tags,chunks"}).value();
  Corpus wide({.columns = {"word", "tag", "more"}});
  wide.add_rows({{"a", "b", "c"}}, {"X"}).add_rows({{"d", "e", "f"}}, {"Y"});
  train(wide).value().save(folder.path("chunks.model")).value();
  const auto after = registry->reload_changed();
  ASSERT_EQ(after.errors.size(), 1u);
  EXPECT_THAT(after.errors[0], HasSubstr("column 3"));
  EXPECT_THAT(registry->snapshot()->model("chunks")->tagger.labels(), testing::Contains("B-NP"));
}

}  // namespace
}  // namespace espalier::server
