// A directory for files that nobody shall find afterwards.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "espalier/base/file_descriptor.h"
#include "espalier/base/result.h"

namespace espalier::apps {

/// Made empty below $TMPDIR (or /tmp), removed with everything in it. Move-only.
class ScratchDirectory {
 public:
  static Result<ScratchDirectory> make() {
    std::error_code code;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(code);
    if (code) return fail("no directory for temporary files: {}", code.message());
    std::string path = (parent / "espalier-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr)
      return fail("cannot make a directory in '{}': {}", parent.string(), system_message(errno));
    return ScratchDirectory(std::move(path));
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(ScratchDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;

  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  explicit ScratchDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace espalier::apps
