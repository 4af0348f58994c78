#include "espalier/base/files/mapped_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "espalier/base/files/temporary_directory.h"

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

/// The time at which a file was changed has the grain of the kernel's clock.
void wait_for_the_clock() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

TEST(MappedFile, ALargeFileThatIsChangedInPlaceIsNoticed) {
  const TemporaryDirectory directory;
  const std::string content(MappedFile::kCopiedUpTo + 1, 'a');
  const std::string path = directory.write("x", content);
  wait_for_the_clock();
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->unchanged().ok());
  { std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).put('b'); }
  ASSERT_FALSE(file->unchanged().ok());
  EXPECT_THAT(file->unchanged().error().message, HasSubstr("x' was changed by another program"));

  const auto again = MappedFile::open(path);
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->unchanged().ok());
  std::filesystem::resize_file(path, 10);
  EXPECT_FALSE(again->unchanged().ok());
}

TEST(MappedFile, ALargeFileThatIsReplacedIsUnchanged) {
  const TemporaryDirectory directory;
  const std::string path = directory.write("x", std::string(MappedFile::kCopiedUpTo + 1, 'a'));
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file.ok());
  wait_for_the_clock();
  std::filesystem::rename(directory.write("y", "new"), path);
  EXPECT_TRUE(file->unchanged().ok());
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
