// espalier reproduce: passes its command line to the program that runs the papers' experiments
// (reproduce_main.cc). Tested in reproduce_test.sh.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "apps/command.h"
#include "apps/reproduce_options.h"

namespace espalier::apps {
namespace {

/// Where the experiments' program can be: next to this one, as in the build tree, or where `make install`
/// puts it. ESPALIER_LIBEXEC is the path there from the folder of this program.
Result<std::vector<std::filesystem::path>> places_of_the_experiments() {
  std::error_code code;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", code);
  if (code) return fail("cannot find the folder of this program: {}", code.message());
  const std::filesystem::path folder = self.parent_path();
  return std::vector{folder / "espalier-reproduce",
                     (folder / ESPALIER_LIBEXEC / "espalier-reproduce").lexically_normal()};
}

/// Only returns if the experiments cannot be run; otherwise this process becomes their program, with the same
/// standard streams, signals and exit status.
Outcome become_the_experiments() {
  ESPALIER_ASSIGN(const auto places, places_of_the_experiments());
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
      "the experiments are not installed: neither '{}' nor '{}' exists; 'make build' and 'make install' "
      "provide them",
      places[0].string(), places[1].string());
}

}  // namespace

void add_reproduce(CLI::App& app, Action& action) {
  // The options are only checked here, but parsing writes them: the flags live as long as the verb.
  const std::shared_ptr<ReproduceFlags> flags = add_reproduce_options(app);
  app.get_subcommand("reproduce")->callback([&action, flags] { action = become_the_experiments; });
}

}  // namespace espalier::apps
