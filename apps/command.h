// What every verb of the command shares: how it is added to the command line, and how it ends.
//
// A verb is one file with an add_VERB() that declares its options and help; run_command() parses the command
// line and runs the verb that was typed. Tested in command_line_test.sh.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/espalier.h"

namespace CLI {
class App;
}

namespace espalier::apps {

inline constexpr int kDone = 0;
inline constexpr int kDataWrong = 1;
inline constexpr int kCommandLineWrong = 2;

/// How a verb ended: the exit status of the process, and a message for standard error. An Error converts to
/// one with the status kDataWrong, so that verbs can use ESPALIER_TRY and ESPALIER_ASSIGN.
struct Outcome {
  int status = kDone;
  std::string message;

  Outcome() = default;
  Outcome(int exit_status, std::string text) : status(exit_status), message(std::move(text)) {}
  Outcome(Error error) : status(kDataWrong), message(std::move(error.message)) {}  // NOLINT: see above
};

/// The same error with the status kCommandLineWrong.
inline Outcome usage_error(Error error) { return {kCommandLineWrong, std::move(error.message)}; }
template <typename... Args>
Outcome usage_error(fmt::format_string<Args...> format, Args&&... args) {
  return usage_error(fail(format, std::forward<Args>(args)...));
}

/// What to run once the command line is parsed.
using Action = std::function<Outcome()>;

/// Each adds its verb, with options and help, to the command line; the verb that was typed sets `action`.
using AddVerb = void (*)(CLI::App& app, Action& action);
void add_train(CLI::App& app, Action& action);
void add_tag(CLI::App& app, Action& action);
void add_eval(CLI::App& app, Action& action);
void add_cv(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_convert(CLI::App& app, Action& action);
void add_decode(CLI::App& app, Action& action);
void add_import(CLI::App& app, Action& action);
void add_synth(CLI::App& app, Action& action);
void add_classes(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_ensemble(CLI::App& app, Action& action);
void add_explain(CLI::App& app, Action& action);
void add_help(CLI::App& app, Action& action);
void add_version(CLI::App& app, Action& action);
void add_serve(CLI::App& app, Action& action);
void add_reproduce(CLI::App& app, Action& action);
void add_tune(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);

/// Parses the command line and hands the verb that was typed, or the answer to --help and --version, to
/// `run`; a command line that is wrong is the outcome instead. Prints nothing itself. For run_command, and
/// for tests that do not run verbs.
using RunAction = std::function<Outcome(const Action& action)>;
Outcome parse_and_run(int argc, const char* const* argv, std::span<const AddVerb> verbs,
                      const RunAction& run);

/// Parses the command line, runs the verb and returns the exit status. `verbs` are those that the program
/// offers, in the order of the help. Output goes through terminal.h. Throws nothing: exceptions (a defect,
/// out of memory) become messages.
int run_command(int argc, const char* const* argv, std::span<const AddVerb> verbs);

/// What a rank has given the others and got from them, in bytes; how long it waited, and the processor time
/// of all its threads outside of waits, in seconds.
struct RankUse {
  uint64_t sent = 0, received = 0;
  double waited = 0, worked = 0;
};
/// The processes that this one works with, for verbs that can share their work; null: none. A program sets it
/// before run_command, with a function that says what all have used. Of several ranks, rank 0 alone talks,
/// and all end with the same status.
void set_ranks(Ranks* ranks, std::function<std::vector<RankUse>()> use_of_all);
Ranks* ranks_of_this_process();
/// Of every rank so far; empty where there are none. All ranks call it.
std::vector<RankUse> use_of_ranks();
/// Whether this process writes files and talks, for all ranks.
bool speaks_for_all();
/// Where rank 0 shows that it waits for others; may be empty.
std::function<bool(const Progress&)>& waiting_display();

/// The arguments of run_command, the program's name first, for a verb that passes them to another program.
std::span<const char* const> command_line();

}  // namespace espalier::apps
