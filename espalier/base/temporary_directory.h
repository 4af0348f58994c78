// A directory for the length of a test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace espalier {

/// Made empty, removed with everything in it. For tests alone: trouble is thrown, not returned.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "espalier-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
    root_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& root() const { return root_; }
  std::string path(std::string_view name) const { return (root_ / name).string(); }

  /// Writes a file and returns its path.
  std::string write(std::string_view name, std::string_view bytes) const {
    std::ofstream out(path(name), std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) throw std::runtime_error("cannot write " + path(name));
    return path(name);
  }
  std::string read(std::string_view name) const {
    std::ifstream in(path(name), std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// How many files and directories stand directly in it.
  size_t entries() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(root_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path root_;
};

}  // namespace espalier
