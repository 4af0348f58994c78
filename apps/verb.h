// Adds a verb with flags of its own to the command line. Tested through the verbs.
//
//   const auto [verb, flags] = add_verb<CheckFlags>(app, action, "check", kCheckHelp, run);
//   verb.add_option("DATA", flags.data, "labelled files");
#pragma once

#include <CLI/CLI.hpp>

#include <memory>

#include "apps/command.h"

namespace espalier::apps {

/// A verb and what its options set. Both live as long as the command line that it was added to.
template <typename Flags>
struct AddedVerb {
  CLI::App& verb;
  Flags& flags;
};

/// The verb that was typed sets `action` to run(flags).
template <typename Flags>
AddedVerb<Flags> add_verb(CLI::App& app, Action& action, const char* name, const char* help,
                          Outcome (*run)(const Flags&)) {
  CLI::App& verb = *app.add_subcommand(name, help);
  const auto flags = std::make_shared<Flags>();
  verb.callback([flags, &action, run] { action = [flags, run] { return run(*flags); }; });
  return {verb, *flags};
}

}  // namespace espalier::apps
