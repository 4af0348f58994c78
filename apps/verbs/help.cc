// espalier help: tasks, learners and their parameters.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/options.h"
#include "apps/terminal.h"
#include "apps/verbs/help.h"
#include "apps/verbs/reference.h"

namespace espalier::apps {
namespace {

constexpr const char* kHelpHelp =
    R"(Explain a learner and its parameters

Without a name: the tasks, and the learners that learn them. With the name of a learner: its parameters with their defaults;
--all adds those that only matter to people who study the method. With the name of a verb: the same as VERB --help.
--man and --completion print what `make install` installs.)";

constexpr const char* kHelpExamples = R"(Examples:
  espalier help
  espalier help crf
  espalier help cascade --all
  espalier help train --man > espalier-train.1
  espalier help --completion bash > ~/.local/share/bash-completion/completions/espalier)";

constexpr size_t kHelpWidth = 100;

struct HelpFlags {
  std::string name;
  std::string completion;
  bool all = false, man = false;
  OutputFlags output;
};

/// Appends the text word by word, in lines that go on at `indent` where they would grow too long.
void append_wrapped(std::string_view text, size_t indent, std::string& out) {
  size_t column = indent;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column > indent && column + 1 + display_width(word) > kHelpWidth) {
      out.append("\n").append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out.push_back(' ');
      ++column;
    }
    out += word;
    column += display_width(word);
  }
  out.push_back('\n');
}

std::string learner_text(const LearnerInfo& learner, bool all) {
  std::string out;
  append_wrapped(fmt::format("{}: {}", learner.name, learner.summary), 0, out);
  append_wrapped(
      fmt::format("For {} {}.", learner.tasks.size() == 1 ? "task" : "tasks", joined(learner.tasks, ", ")), 0,
      out);
  out += "\nParameters (-p name=value), with defaults:\n";
  constexpr size_t kIndent = 2, kNameWidth = 23;
  size_t hidden = 0;
  for (const ParameterInfo& p : learner.parameters) {
    if (!p.basic && !all) {
      ++hidden;
      continue;
    }
    out.append(kIndent, ' ');
    out += pad_right(fmt::format("{}={}", p.name, p.fallback), kNameWidth) + " ";
    append_wrapped(fmt::format("{} ({})", p.meaning, p.range), kIndent + kNameWidth + 1, out);
  }
  if (hidden > 0)
    out += fmt::format("\n{} more, for people who study the method: espalier help {} --all\n", hidden,
                       learner.name);
  return out;
}

Json learner_json(const LearnerInfo& learner) {
  Json parameters = Json::array();
  for (const ParameterInfo& p : learner.parameters)
    parameters.push_back({{"name", p.name},
                          {"default", p.fallback},
                          {"meaning", p.meaning},
                          {"range", p.range},
                          {"basic", p.basic}});
  return {{"name", learner.name},
          {"summary", learner.summary},
          {"tasks", learner.tasks},
          {"parameters", std::move(parameters)}};
}

/// The parser of the verb, or none.
const CLI::App* find_verb(const CLI::App& app, const std::string& name) {
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    if (verb->get_name() == name) return verb;
  return nullptr;
}

Outcome print_reference(const HelpFlags& flags, const CLI::App& app) {
  if (flags.all || flags.output.json || (flags.man && !flags.completion.empty()))
    return usage_error("--man and --completion go with no other option");
  if (flags.man) {
    const CLI::App* page = flags.name.empty() ? &app : find_verb(app, flags.name);
    if (page == nullptr)
      return usage_error("there is no verb '{}'; manual pages are about verbs", flags.name);
    ESPALIER_TRY(print(man_page(*page)));
    return {};
  }
  if (!flags.name.empty()) return usage_error("--completion takes no name: it is about the whole command");
  const std::string script = shell_completion(app, flags.completion);
  if (script.empty()) return usage_error("--completion '{}': there are bash, zsh and fish", flags.completion);
  ESPALIER_TRY(print(script));
  return {};
}

Outcome run(const HelpFlags& flags, const CLI::App& app) {
  if (flags.man || !flags.completion.empty()) return print_reference(flags, app);
  if (flags.name.empty()) {
    if (flags.output.json) {
      Json all = Json::array();
      for (const LearnerInfo& learner : learners()) all.push_back(learner_json(learner));
      Json verbs = Json::array();
      for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
      ESPALIER_TRY(print_json({{"verbs", std::move(verbs)}, {"learners", std::move(all)}}));
      return {};
    }
    // Not app.help(), which is the help of the verb that was typed: of this one.
    ESPALIER_TRY(print(app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal) +
                       "\n" + learners_help()));
    return {};
  }
  std::vector<std::string> names;
  for (const LearnerInfo& learner : learners()) {
    names.push_back(learner.name);
    if (learner.name != flags.name) continue;
    ESPALIER_TRY(flags.output.json ? print_json(learner_json(learner))
                                   : print(learner_text(learner, flags.all)));
    return {};
  }
  for (const CLI::App* verb : app.get_subcommands({})) {
    names.push_back(verb->get_name());
    if (verb->get_name() != flags.name) continue;
    ESPALIER_TRY(print(verb->help()));
    return {};
  }
  const std::string near = nearest(flags.name, names);
  return usage_error("there is no learner and no verb '{}'{}", flags.name,
                     near.empty() ? "; espalier help lists them" : fmt::format("; did you mean {}?", near));
}

}  // namespace

std::string learners_help() {
  std::string out = "Tasks, and the learners that learn them:\n";
  for (const TaskInfo& task : all_tasks()) {
    out += "  ";
    append_wrapped(fmt::format("{}: {}; {}", task.name, task.summary, joined(task.learners, ", ")), 4, out);
  }
  out += "\nLearners (espalier help LEARNER lists the parameters of one):\n";
  for (const LearnerInfo& learner : learners()) {
    out += "  " + pad_right(learner.name, 12);
    append_wrapped(learner.summary, 14, out);
  }
  return out;
}

void add_help(CLI::App& app, Action& action) {
  CLI::App& verb = *app.add_subcommand("help", kHelpHelp);
  const auto flags = std::make_shared<HelpFlags>();
  verb.add_option("NAME", flags->name, "a learner or a verb")->type_name("");
  verb.add_flag("--all", flags->all, "all parameters of the learner");
  verb.add_flag("--man", flags->man, "the manual page of the command, or of the verb NAME (roff)");
  verb.add_option("--completion", flags->completion,
                  "a script that completes command lines: bash, zsh or fish")
      ->type_name("SHELL");
  verb.add_flag("--json", flags->output.json, "print one JSON object instead");
  verb.footer(kHelpExamples);
  verb.callback([flags, &action, &app] { action = [flags, &app] { return run(*flags, app); }; });
}

void add_version(CLI::App& app, Action& action) {
  CLI::App& verb = *app.add_subcommand("version", "Print the version");
  verb.callback([&action] {
    action = []() -> Outcome {
      ESPALIER_TRY(print("espalier " + version() + "\n"));
      return {};
    };
  });
}

}  // namespace espalier::apps
