// A directory for temporary files, removed with everything in it on destruction. Programs call make() and get
// failures as values; tests use the default constructor, write() and read(), which throw std::runtime_error
// instead. Not removed when the process is killed by a signal.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "espalier/base/result.h"

namespace espalier {

/// Made empty below $TMPDIR (or /tmp), readable by its owner only. Move-only.
class TemporaryDirectory {
 public:
  static Result<TemporaryDirectory> make();
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept : root_(std::exchange(other.root_, {})) {}
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;

  const std::filesystem::path& root() const { return root_; }
  /// The path of a file in it, whether it exists or not.
  std::string path(std::string_view name) const { return (root_ / name).string(); }

  /// Writes a file and returns its path.
  std::string write(std::string_view name, std::string_view bytes) const;
  std::string read(std::string_view name) const;
  /// The number of files and directories directly in it.
  size_t entries() const;

 private:
  explicit TemporaryDirectory(std::filesystem::path root) : root_(std::move(root)) {}
  std::filesystem::path root_;
};

}  // namespace espalier
