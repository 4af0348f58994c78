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

Result<std::string> find_program(std::string_view program) {
  ESPALIER_ASSIGN(const auto places, places_of_program(program));
  for (const std::filesystem::path& place : places)
    if (::access(place.c_str(), F_OK) == 0) return place.string();
  return fail("neither '{}' nor '{}' exists; 'make build' and 'make install' provide the program",
              places[0].string(), places[1].string());
}

Outcome become_program(std::string_view program, std::string_view what) {
  const auto place = find_program(program);
  if (!place.ok()) return fail("the {} not installed: {}", what, place.error().message);
  std::vector<char*> words;
  for (const char* word : command_line())
    words.push_back(const_cast<char*>(word));  // execv changes none of them
  words.push_back(nullptr);
  ::execv(place->c_str(), words.data());
  return fail("cannot run '{}': {}", *place, std::generic_category().message(errno));
}

}  // namespace espalier::apps
