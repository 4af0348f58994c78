#include "apps/command.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <new>
#include <vector>

#include "apps/terminal.h"

namespace espalier::apps {
namespace {

std::span<const char* const> words_of_the_command;
Ranks* other_processes = nullptr;
std::function<std::vector<RankUse>()> use_of_other_processes;

/// Large arrays go back to the system as soon as they are freed. Otherwise the allocator of glibc, once it
/// has seen some of them freed, keeps the memory of others in pieces that are too small for the arrays that
/// come next: training a CRF took a third more. Arrays that are made and freed thousands of times are smaller
/// than this: with 1 MB, a committee of a few sentences spent a quarter of its time asking the system for
/// pages.
void return_large_arrays() {
#ifdef M_MMAP_THRESHOLD
  constexpr int kLarge = 4 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLarge);
  ::mallopt(M_TRIM_THRESHOLD, 2 * kLarge);
#endif
}

constexpr const char* kCommandExamples =
    R"(A first model, from columns with the label last and a blank line between sequences:
  espalier train train.txt -m chunks.model
  espalier eval  test.txt  -m chunks.model
  espalier tag   new.txt   -m chunks.model -o tagged.txt

Each verb has its own help: espalier train --help
Exit status: 0 done, 1 the input or the data is wrong, 2 the command line is wrong.)";

/// The first line of a description summarises it; the list of verbs shows only that line.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(30); }
  std::string make_subcommand(const CLI::App* verb) const override {
    const std::string& description = verb->get_description();
    return fmt::format("  {:<12}{}\n", verb->get_name(), description.substr(0, description.find('\n')));
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    if (app->get_parent() == nullptr) return "\n" + CLI::Formatter::make_usage(app, name);
    std::string words = app->get_name();
    for (const CLI::App* above = app->get_parent(); above->get_parent() != nullptr;
         above = above->get_parent())
      words = above->get_name() + " " + words;
    return "\n" + CLI::Formatter::make_usage(app, "espalier " + words);
  }
};

/// Everything that starts with a hyphen and can be typed after a verb.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

/// The message about a word that is neither an option nor an argument.
std::string unexpected(const std::string& word, const CLI::App& verb) {
  const bool option = word.size() > 1 && word[0] == '-';
  if (!option) return fmt::format("unexpected argument '{}'", word);
  const std::string name = word.substr(0, word.find('='));
  const bool letter = name.size() == 2;  // every other letter is as near
  const std::string near = letter ? "" : nearest(name, option_names(verb));
  return fmt::format("unknown option '{}'{}", name,
                     near.empty() ? "" : fmt::format("; did you mean {}?", near));
}

/// `app` is the whole command or a verb that has verbs of its own.
std::string unknown_verb(const std::string& word, const CLI::App& app) {
  const std::string group = app.get_parent() == nullptr ? "" : app.get_name() + " ";
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  const std::string near = nearest(word, names);
  if (near.empty() && !group.empty())
    return fmt::format("unknown verb '{}{}'; there are {}", group, word, joined(names, ", "));
  return fmt::format("unknown verb '{}{}'{}", group, word,
                     near.empty() ? "" : fmt::format("; did you mean {}{}?", group, near));
}

/// The first word after a verb that has verbs of its own (`ensemble`), if it is meant as one of these.
std::string mistyped_inner_verb(const CLI::App& group, int argc, const char* const* argv) {
  for (int i = 1; i + 1 < argc; ++i)
    if (argv[i] == group.get_name() && argv[i + 1][0] != '-') return argv[i + 1];
  return {};
}

/// The message about a command line that could not be parsed. A mistyped option is reported rather than what
/// is missing because of it.
std::string parse_complaint(const CLI::ParseError& error, CLI::App& app, int argc, const char* const* argv) {
  const auto verbs = app.get_subcommands();
  if (verbs.empty()) {
    if (argc < 2) return "a verb is missing";
    return argv[1][0] == '-' ? unexpected(argv[1], app) : unknown_verb(argv[1], app);
  }
  CLI::App* innermost = verbs.front();
  while (!innermost->get_subcommands().empty()) innermost = innermost->get_subcommands().front();
  CLI::App& verb = *innermost;
  if (const auto inner = verb.get_subcommands({}); !inner.empty()) {
    const std::string word = mistyped_inner_verb(verb, argc, argv);
    if (!word.empty()) return unknown_verb(word, verb);
    std::vector<std::string> names;
    for (const CLI::App* one : inner) names.push_back(one->get_name());
    if (argv[argc - 1] == verb.get_name())
      return fmt::format("{} needs one of {}", verb.get_name(), joined(names, ", "));
  }
  std::vector<std::string> words = verb.remaining();
  if (&verb != verbs.front())
    for (const std::string& word : verbs.front()->remaining()) words.push_back(word);
  // A word that the verb could not place may have been left to the whole command.
  for (const std::string& word : app.remaining()) words.push_back(word);
  for (const std::string& word : words)
    if (word.size() > 1 && word[0] == '-') return unexpected(word, verb);
  if (!words.empty()) return unexpected(words.front(), verb);
  return error.what();
}

/// An empty value is hardly ever meant: it is what an unset variable of a script leaves.
void refuse_empty_values(const CLI::App& app) {
  const CLI::App* verb = &app;
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands().front();
  for (const CLI::Option* option : verb->get_options())
    for (const std::string& value : option->results())
      if (value.empty()) throw CLI::ValidationError(option->get_name(), "its value is empty");
}

std::string help_of(CLI::App& app) {
  CLI::App* asked = &app;  // the innermost verb that was typed
  while (!asked->get_subcommands().empty()) asked = asked->get_subcommands().front();
  return asked->help();
}

}  // namespace

std::span<const char* const> command_line() { return words_of_the_command; }

Outcome parse_and_run(int argc, const char* const* argv, std::span<const AddVerb> verbs,
                      const RunAction& run) {
  CLI::App app("Espalier trains and runs structured predictors: taggers, chunkers, named-entity labellers.",
               "espalier");
  app.set_version_flag("-V,--version", "espalier " + version());
  app.formatter(std::make_shared<HelpFormatter>());
  app.require_subcommand(1);
  Action action;
  for (const AddVerb add : verbs) add(app, action);
  app.footer(kCommandExamples);  // after the verbs, which would inherit it

  try {
    app.parse(argc, argv);
    refuse_empty_values(app);
  } catch (const CLI::CallForHelp&) {
    action = [&app]() -> Outcome {
      ESPALIER_TRY(print(help_of(app)));
      return {};
    };
  } catch (const CLI::CallForVersion& call) {
    action = [text = std::string(call.what()) + "\n"]() -> Outcome {
      ESPALIER_TRY(print(text));
      return {};
    };
  } catch (const CLI::ParseError& error) {
    std::string words;
    for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
      at = at->get_subcommands().front();
      words += at->get_name() + " ";
    }
    return {kCommandLineWrong,
            fmt::format("{}\nSee espalier {}--help",
                        shortened_message(parse_complaint(error, app, argc, argv)), words)};
  }
  ESPALIER_CHECK(action != nullptr);
  return run(action);
}

namespace {

int finish(const Outcome& outcome) {
  if (outcome.status == kDataWrong && output_reader_has_gone()) {
    // The reader (`| head`) has closed the pipe: end as programs normally do then.
    ::signal(SIGPIPE, SIG_DFL);
    ::raise(SIGPIPE);
  }
  if (!outcome.message.empty()) say("espalier: " + shortened_message(outcome.message));
  return outcome.status;
}

}  // namespace

namespace {

Outcome run_safely(int argc, const char* const* argv, std::span<const AddVerb> verbs) {
  try {
    return parse_and_run(argc, argv, verbs, [](const Action& action) { return action(); });
  } catch (const std::bad_alloc&) {
    return fail("not enough memory; fewer features (-p cutoff=2), less data or a larger machine would help");
  } catch (const ContractViolation& defect) {
    return fail("this is a defect in espalier, not in your data; please report it: {}", defect.what());
  } catch (const std::exception& error) {
    return fail("{}", error.what());
  }
}

}  // namespace

void set_ranks(Ranks* ranks, std::function<std::vector<RankUse>()> use_of_all) {
  other_processes = ranks;
  use_of_other_processes = std::move(use_of_all);
  if (!speaks_for_all()) be_silent();
}
Ranks* ranks_of_this_process() { return other_processes; }
std::vector<RankUse> use_of_ranks() {
  return use_of_other_processes ? use_of_other_processes() : std::vector<RankUse>();
}
bool speaks_for_all() { return other_processes == nullptr || other_processes->rank() == 0; }
std::function<bool(const Progress&)>& waiting_display() {
  static std::function<bool(const Progress&)> display;
  return display;
}

/// A file that is opened while descriptor 0, 1 or 2 is closed would get its number, and messages would go
/// into it. What is put there instead cannot be used, as a closed one could not: input is open for writing,
/// output for reading.
static void keep_standard_streams_apart() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1)
      static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

int run_command(int argc, const char* const* argv, std::span<const AddVerb> verbs) {
  words_of_the_command = {argv, static_cast<size_t>(argc)};
  // Writing to a closed pipe must fail with an error instead of ending the process: hours of training must
  // not be lost because the window that showed their progress was closed.
  ::signal(SIGPIPE, SIG_IGN);
  return_large_arrays();
  keep_standard_streams_apart();
  expect_sudden_ends();
  Outcome outcome = run_safely(argc, argv, verbs);
  if (other_processes != nullptr)
    outcome.status = end_together(*other_processes, outcome.status, outcome.message);
  return finish(outcome);
}

}  // namespace espalier::apps
