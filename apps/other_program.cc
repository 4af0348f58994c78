#include "apps/other_program.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace espalier::apps {
namespace {

/// ESPALIER_LIBEXEC is the path from the folder of this program to that of the others, where they are
/// installed.
Result<std::vector<std::filesystem::path>> places_of_program(std::string_view program) {
  std::error_code code;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", code);
  if (code) return fail("cannot find the folder of this program: {}", code.message());
  const std::filesystem::path folder = self.parent_path();
  return std::vector{folder / program, (folder / ESPALIER_LIBEXEC / program).lexically_normal()};
}

}  // namespace

Outcome become_program(std::string_view program, std::string_view what) {
  ESPALIER_ASSIGN(const auto places, places_of_program(program));
  std::vector<char*> words;
  for (const char* word : command_line())
    words.push_back(const_cast<char*>(word));  // execv changes none of them
  words.push_back(nullptr);
  for (const std::filesystem::path& place : places) {
    ::execv(place.c_str(), words.data());
    if (errno != ENOENT && errno != ENOTDIR)
      return fail("cannot run '{}': {}", place.string(), std::generic_category().message(errno));
  }
  return fail(
      "the {} not installed: neither '{}' nor '{}' exists; 'make build' and 'make install' provide {}", what,
      places[0].string(), places[1].string(), what.ends_with(" is") ? "it" : "them");
}

}  // namespace espalier::apps
