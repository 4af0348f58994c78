// What every verb of the command shares: how it joins the command line, and how it ends.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>

#include "espalier/base/result.h"
#include "espalier/espalier.h"

namespace CLI {
class App;
}

namespace espalier::apps {

inline constexpr int kDone = 0;
inline constexpr int kDataWrong = 1;
inline constexpr int kCommandLineWrong = 2;

/// How a verb ended: the exit status of the process, and the message that goes to standard error with it. An
/// Error turns into one about the data, so that verbs can use ESPALIER_TRY and ESPALIER_ASSIGN.
struct Outcome {
  int status = kDone;
  std::string message;

  Outcome() = default;
  Outcome(int exit_status, std::string text) : status(exit_status), message(std::move(text)) {}
  Outcome(Error error) : status(kDataWrong), message(std::move(error.message)) {}  // NOLINT: see above
};

/// The same error, blamed on the command line.
inline Outcome usage_error(Error error) { return {kCommandLineWrong, std::move(error.message)}; }
template <typename... Args>
Outcome usage_error(fmt::format_string<Args...> format, Args&&... args) {
  return usage_error(fail(format, std::forward<Args>(args)...));
}

/// What is left to do once the command line is understood.
using Action = std::function<Outcome()>;

/// Each adds its verb, with its options and help, to the command line; the verb that was typed sets `action`.
using AddVerb = void (*)(CLI::App& app, Action& action);
void add_train(CLI::App& app, Action& action);
void add_tag(CLI::App& app, Action& action);
void add_eval(CLI::App& app, Action& action);
void add_cv(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_convert(CLI::App& app, Action& action);
void add_synth(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_ensemble(CLI::App& app, Action& action);
void add_explain(CLI::App& app, Action& action);
void add_help(CLI::App& app, Action& action);
void add_reproduce(CLI::App& app, Action& action);
void add_tune(CLI::App& app, Action& action);

/// Parses the command line, runs the verb and returns the exit status. `verbs` are those the program offers,
/// in the order of the help. Everything a person reads goes through terminal.h. Throws nothing: what the
/// library throws (a defect, memory that has run out) becomes a message.
int run_command(int argc, const char* const* argv, std::span<const AddVerb> verbs);

/// The words that run_command was given, the program's name first. For a verb that hands them on to another
/// program.
std::span<const char* const> command_line();

}  // namespace espalier::apps
