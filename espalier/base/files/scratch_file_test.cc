#include "espalier/base/files/scratch_file.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "espalier/base/files/temporary_directory.h"

namespace espalier {
namespace {

TEST(ScratchFile, GivesBackWhatWasAppendedInPiecesOfAnySize) {
  auto file = ScratchFile::make("numbers");
  ASSERT_TRUE(file.ok());
  std::string all;
  for (int i = 0; i < 300'000; ++i) all += std::to_string(i) + ' ';  // more than one block
  for (size_t at = 0; at < all.size(); at += 1000)
    ASSERT_TRUE(file->append(std::string_view(all).substr(at, 1000)).ok());
  EXPECT_EQ(file->size(), all.size());
  ASSERT_TRUE(file->flush().ok());
  for (const size_t piece : {size_t{7}, size_t{4096}, all.size()}) {
    ScratchFile::Cursor cursor(*file, 0, all.size(), 100);
    std::string again;
    while (again.size() + piece <= all.size()) {
      const auto at = cursor.take(piece);
      ASSERT_TRUE(at.ok());
      ASSERT_NE(*at, nullptr);
      again.append(*at, piece);
    }
    EXPECT_EQ(again, all.substr(0, again.size()));
  }
  std::string anywhere(1000, ' ');
  ASSERT_TRUE(file->read(all.size() - 1000, 1000, anywhere.data()).ok());
  EXPECT_EQ(anywhere, all.substr(all.size() - 1000));
  const Status beyond = file->read(all.size() - 999, 1000, anywhere.data());
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().message, "temporary file of numbers: it was cut off");
  EXPECT_THROW(scratch_or_throw(beyond), ScratchFailure);
  ScratchFile::Cursor part(*file, 10, 20);
  EXPECT_EQ(std::string(part.take(10).value(), 10), all.substr(10, 10));
  EXPECT_EQ(part.take(1).value(), nullptr) << "the part ends";
  ScratchFile::Cursor longer(*file, 10, 20);
  EXPECT_FALSE(longer.take(11).ok());
}

TEST(ScratchFile, LeavesNothingBehindAndNamesTheDirectoryItCannotUse) {
  const char* const before = std::getenv("TMPDIR");
  const std::string old = before == nullptr ? "" : before;
  const TemporaryDirectory directory;
  ::setenv("TMPDIR", directory.root().c_str(), 1);
  const auto file = ScratchFile::make("votes");
  EXPECT_TRUE(file.ok());
  EXPECT_EQ(directory.entries(), 0u) << "it has no name even while it is open";
  ::setenv("TMPDIR", "/does/not/exist", 1);
  const auto none = ScratchFile::make("votes");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("/does/not/exist"), std::string::npos);
  if (before == nullptr) {
    ::unsetenv("TMPDIR");
  } else {
    ::setenv("TMPDIR", old.c_str(), 1);
  }
}

}  // namespace
}  // namespace espalier
