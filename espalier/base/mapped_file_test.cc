#include "espalier/base/mapped_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <string>
#include <utility>

#include "espalier/base/temporary_directory.h"

namespace espalier {
namespace {

using ::testing::HasSubstr;

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(MappedFile, ShowsTheBytesOfTheFile) {
  const TemporaryDirectory directory;
  std::string content(100'000, 'a');
  content.back() = 'z';
  const auto file = MappedFile::open(directory.write("x", content));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(text_of(*file), content);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file->bytes().data()) % 4096, 0u);
}

TEST(MappedFile, AnEmptyFileIsAnEmptySpan) {
  const TemporaryDirectory directory;
  const auto file = MappedFile::open(directory.write("x", ""));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->bytes().empty());
}

TEST(MappedFile, BytesStayWhereTheyAreWhenMoved) {
  const TemporaryDirectory directory;
  auto first = MappedFile::open(directory.write("1", "first"));
  auto second = MappedFile::open(directory.write("2", "second"));
  ASSERT_TRUE(first.ok() && second.ok());
  const auto* at = first->bytes().data();
  MappedFile moved = std::move(first).value();
  EXPECT_EQ(moved.bytes().data(), at);
  *second = std::move(moved);
  EXPECT_EQ(second->bytes().data(), at);
  EXPECT_EQ(text_of(*second), "first");
}

TEST(MappedFile, ASmallFileKeepsItsBytesWhateverIsDoneToIt) {
  const TemporaryDirectory directory;
  const std::string path = directory.write("x", "old bytes");
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file.ok());
  directory.write("x", "new");  // in place, and shorter
  EXPECT_EQ(text_of(*file), "old bytes");
}

TEST(MappedFile, ALargeFileIsMapped) {
  const TemporaryDirectory directory;
  const std::string content(MappedFile::kCopiedUpTo + 1, 'a');
  const auto file = MappedFile::open(directory.write("x", content));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->bytes().size(), content.size());
  EXPECT_EQ(file->bytes().back(), std::byte{'a'});
}

TEST(MappedFile, AReplacedFileKeepsItsOldBytesHere) {
  const TemporaryDirectory directory;
  const std::string path = directory.write("x", "old");
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file.ok());
  std::filesystem::rename(directory.write("y", "new"), path);
  EXPECT_EQ(text_of(*file), "old");
}

TEST(MappedFile, SaysWhyAFileCannotBeOpened) {
  const TemporaryDirectory directory;
  const std::string missing = directory.path("missing");
  EXPECT_EQ(MappedFile::open(missing).error().message,
            "cannot open '" + missing + "': No such file or directory");
  EXPECT_THAT(MappedFile::open(directory.root().string()).error().message, HasSubstr("Is a directory"));
  EXPECT_THAT(MappedFile::open("/dev/null").error().message, HasSubstr("'/dev/null': not a regular file"));
}

}  // namespace
}  // namespace espalier
