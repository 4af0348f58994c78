// Completions for bash, zsh and fish, as reference.h declares them. Tested in apps/tests/reference_test.sh.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "apps/verb_table.h"
#include "apps/verbs/reference.h"
#include "espalier/espalier.h"

namespace espalier::apps {
namespace {

/// The words that may follow the item, or none if any text may.
Words values_after(const Item& item, const std::vector<Values>& known) {
  for (const std::string& name : item.names())
    for (const Values& values : known)
      if (std::find(values.options.begin(), values.options.end(), name) != values.options.end())
        return values.words;
  return {};
}

/// What `espalier help` takes as its argument.
Words help_topics(const CLI::App& root) {
  Words topics;
  for (const LearnerInfo& learner : learners()) topics.push_back(learner.name);
  for (const Verb& verb : verbs_below(root)) topics.push_back(verb.path.front());
  return topics;
}

std::string in_words(const Words& words) { return joined(words, " "); }

/// In single quotes for a POSIX shell or zsh.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Words option_words(const CLI::App& app) {
  Words words;
  for (const Item& item : items_of(app))
    for (std::string& name : item.names()) words.push_back(std::move(name));
  return words;
}

std::string bash_completion(const CLI::App& root) {
  std::string verbs_case, options_case, values_case;
  for (const Verb& verb : verbs_below(root)) {
    const std::string& name = verb.path.front();
    const std::vector<Verb> below = verbs_below(*verb.app, verb.path);
    Words names;
    for (const Verb& inner : below) {
      names.push_back(inner.path.back());
      options_case += fmt::format("    {}) options={} ;;\n", shell_quoted(in_words(inner.path)),
                                  shell_quoted(in_words(option_words(*inner.app))));
    }
    options_case += fmt::format("    {}) options={} words={} ;;\n", shell_quoted(name),
                                shell_quoted(in_words(option_words(*verb.app))),
                                shell_quoted(in_words(name == "help" ? help_topics(root) : names)));
    verbs_case += (verbs_case.empty() ? "" : " ") + name;
  }
  for (const Values& values : known_values())
    values_case += fmt::format("    {}) words={} ;;\n", joined(values.options, " | "),
                               shell_quoted(in_words(values.words)));
  return fmt::format(R"(# bash completion for espalier, made by `espalier help --completion bash`.
_espalier() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} verb= options= words= word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in
      -*) ;;
      learn | apply | report)
        if [ "$verb" = ensemble ]; then verb="ensemble $word"; elif [ -z "$verb" ]; then verb=$word; fi ;;
      *) [ -n "$verb" ] || verb=$word ;;
    esac
  done
  COMPREPLY=()
  case $prev in
{3}  esac
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    case ${{COMPREPLY[0]-}} in *=) compopt -o nospace 2>/dev/null ;; esac
    return
  fi
  case $verb in
    '') options={0} words={1} ;;
{2}  esac
  # No answer means files.
  case $cur in
    -*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
    *) [ -z "$words" ] || COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
  esac
}}
complete -o bashdefault -o default -F _espalier espalier
)",
                     shell_quoted(in_words(option_words(root))), shell_quoted(verbs_case), options_case,
                     values_case);
}

/// Text inside [...] or between colons of an _arguments specification.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

/// How zsh finds what may follow the item. A name that ends in "=" is not followed by a blank.
std::string zsh_action(const Item& item, const Words& words) {
  if (words.empty()) return item.takes_file() ? "_files" : " ";  // a blank: zsh only shows what is expected
  const bool open = words.front().ends_with('=');
  return open ? "{compadd -S \"\" -- " + in_words(words) + "}" : "(" + in_words(words) + ")";
}

/// One line of arguments for _arguments per option and argument.
std::string zsh_specification(const CLI::App& app, const Words& topics, const std::string& indent) {
  const std::vector<Values> known = known_values();
  std::string out;
  for (const Item& item : items_of(app)) {
    const Words words = item.is_argument() ? topics : values_after(item, known);
    const std::string action = zsh_action(item, words);
    const std::string value = zsh_text(item.is_argument() ? item.name : item.value);
    if (item.is_argument()) {
      out += fmt::format(" \\\n{}{}", indent,
                         shell_quoted(fmt::format("{}:{}:{}", item.many ? "*" : "", value, action)));
      continue;
    }
    for (const std::string& name : item.names()) {
      const std::string before = item.many ? "*" : "(" + in_words(item.names()) + ")";
      const std::string after = item.value.empty() ? "" : fmt::format(":{}:{}", value, action);
      out += fmt::format(" \\\n{}{}", indent,
                         shell_quoted(fmt::format("{}{}[{}]{}", before, name, zsh_text(item.text), after)));
    }
  }
  return out;
}

/// The function that completes `app` and the verbs below it, as a command line that begins with its name.
std::string zsh_function(const CLI::App& app, const std::string& function, const CLI::App& root) {
  const std::vector<Verb> below = verbs_below(app);
  if (below.empty())
    return fmt::format(
        "{}() {{\n  _arguments -s{}\n}}\n\n", function,
        zsh_specification(app, app.get_name() == "help" ? help_topics(root) : Words{}, "    "));
  std::string functions, list, cases;
  for (const Verb& verb : below) {
    const std::string& name = verb.path.back();
    functions += zsh_function(*verb.app, function + "_" + name, root);
    list += "    " + shell_quoted(zsh_text(name) + ":" + verb.summary) + "\n";
    cases += fmt::format("        {}) {}_{} ;;\n", name, function, name);
  }
  return functions + fmt::format(R"({0}() {{
  local context state state_descr line curcontext=$curcontext
  local -A opt_args
  local -a verbs
  verbs=(
{1}  )
  _arguments -C{2} \
    '1:verb:->verb' '*::argument:->argument'
  case $state in
    verb) _describe -t verbs verb verbs ;;
    argument)
      case $words[1] in
{3}      esac
      ;;
  esac
}}

)",
                                 function, list, zsh_specification(app, {}, "    "), cases);
}

std::string zsh_completion(const CLI::App& root) {
  return "#compdef espalier\n# zsh completion for espalier, made by `espalier help --completion zsh`.\n\n" +
         zsh_function(root, "_espalier", root) + "_espalier \"$@\"\n";
}

/// In single quotes for fish, where a backslash escapes.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

void append_fish_options(const CLI::App& app, const std::string& condition, std::string& out) {
  const std::vector<Values> known = known_values();
  for (const Item& item : items_of(app)) {
    if (item.is_argument()) continue;
    out += "complete -c espalier -n " + fish_quoted(condition);
    for (const std::string& name : item.shorts) out += " -s " + name;
    for (const std::string& name : item.longs) out += " -l " + name;
    const Words words = values_after(item, known);
    if (!words.empty())
      out += " -x -a " + fish_quoted(in_words(words));
    else if (!item.value.empty())
      out += item.takes_file() ? " -r -F" : " -x";
    out += " -d " + fish_quoted(item.text) + "\n";
  }
}

std::string fish_completion(const CLI::App& root) {
  std::string out = "# fish completion for espalier, made by `espalier help --completion fish`.\n";
  append_fish_options(root, "__fish_use_subcommand", out);
  for (const Verb& verb : verbs_below(root)) {
    const std::string& name = verb.path.front();
    out += fmt::format("complete -c espalier -n __fish_use_subcommand -f -a {} -d {}\n", name,
                       fish_quoted(verb.summary));
    const std::string seen = "__fish_seen_subcommand_from " + name;
    append_fish_options(*verb.app, seen, out);
    if (name == "help")
      out += fmt::format("complete -c espalier -n {} -f -a {}\n", fish_quoted(seen),
                         fish_quoted(in_words(help_topics(root))));
    const std::vector<Verb> below = verbs_below(*verb.app, verb.path);
    Words names;
    for (const Verb& inner : below) names.push_back(inner.path.back());
    for (const Verb& inner : below) {
      out += fmt::format("complete -c espalier -n {} -f -a {} -d {}\n",
                         fish_quoted(seen + "; and not __fish_seen_subcommand_from " + in_words(names)),
                         inner.path.back(), fish_quoted(inner.summary));
      append_fish_options(*inner.app, seen + "; and __fish_seen_subcommand_from " + inner.path.back(), out);
    }
  }
  return out;
}

}  // namespace

std::string shell_completion(const CLI::App& root, const std::string& shell) {
  if (shell == "bash") return bash_completion(root);
  if (shell == "zsh") return zsh_completion(root);
  if (shell == "fish") return fish_completion(root);
  return "";
}

}  // namespace espalier::apps
