#include "espalier/base/files/temporary_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

namespace espalier {
namespace {

/// Sets TMPDIR until the end of a test.
class TemporaryParent {
 public:
  explicit TemporaryParent(const std::string& path) {
    if (const char* const value = std::getenv("TMPDIR")) before_ = value;
    ::setenv("TMPDIR", path.c_str(), 1);
  }
  ~TemporaryParent() {
    if (before_)
      ::setenv("TMPDIR", before_->c_str(), 1);
    else
      ::unsetenv("TMPDIR");
  }

 private:
  std::optional<std::string> before_;
};

TEST(TemporaryDirectory, IsGoneWithEverythingInIt) {
  std::filesystem::path root;
  {
    auto made = TemporaryDirectory::make();
    ASSERT_TRUE(made.ok()) << made.error().message;
    const TemporaryDirectory moved = std::move(*made);
    root = moved.root();
    moved.write("a", "text");
    std::filesystem::create_directory(root / "below");
    EXPECT_EQ(moved.entries(), 2u);
    EXPECT_EQ(moved.read("a"), "text");
  }
  EXPECT_FALSE(std::filesystem::exists(root));
}

TEST(TemporaryDirectory, EachIsAnother) {
  const TemporaryDirectory one, other;
  EXPECT_NE(one.root(), other.root());
  EXPECT_EQ(other.entries(), 0u);
}

TEST(TemporaryDirectory, FailureIsAValueOrIsThrown) {
  const TemporaryDirectory here;
  const TemporaryParent elsewhere(here.path("missing"));
  const auto made = TemporaryDirectory::make();
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, testing::HasSubstr("temporary files"));
  EXPECT_THROW(TemporaryDirectory(), std::runtime_error);
}

}  // namespace
}  // namespace espalier
