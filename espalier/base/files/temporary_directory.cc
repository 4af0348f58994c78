#include "espalier/base/files/temporary_directory.h"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "espalier/base/files/file_descriptor.h"

namespace espalier {

Result<TemporaryDirectory> TemporaryDirectory::make() {
  std::error_code code;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(code);
  if (code) return fail("no directory for temporary files: {}", code.message());
  std::string path = (parent / "espalier-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr)
    return fail("cannot make a directory in '{}': {}", parent.string(), system_message(errno));
  return TemporaryDirectory(std::filesystem::path(path));
}

TemporaryDirectory::TemporaryDirectory() {
  auto made = make();
  if (!made.ok()) throw std::runtime_error(made.error().message);
  root_ = std::exchange(made->root_, {});
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!root_.empty()) std::filesystem::remove_all(root_, ignored);
}

std::string TemporaryDirectory::write(std::string_view name, std::string_view bytes) const {
  std::ofstream out(path(name), std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path(name));
  return path(name);
}

std::string TemporaryDirectory::read(std::string_view name) const {
  std::ifstream in(path(name), std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path(name));
  return {std::istreambuf_iterator<char>(in), {}};
}

size_t TemporaryDirectory::entries() const {
  return static_cast<size_t>(
      std::distance(std::filesystem::directory_iterator(root_), std::filesystem::directory_iterator()));
}

}  // namespace espalier
