// The verbs, options and arguments of the command as plain values, read from the parser that uses them: what
// manual pages (man_page.cc) and completions (completion.cc) are made of. Tested in
// apps/tests/reference_test.sh.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace espalier::apps {

using Words = std::vector<std::string>;

/// An option that starts with a hyphen, or an argument that does not.
struct Item {
  Words shorts, longs;  ///< without hyphens; both empty: an argument
  std::string name;     ///< of an argument
  std::string value;    ///< what follows the option, in capitals; empty: nothing does
  std::string text;     ///< one line
  bool many = false, required = false;

  bool is_argument() const { return shorts.empty() && longs.empty(); }
  /// With hyphens, short names first.
  Words names() const;
  /// Whether a file or folder is expected, by the name of the value.
  bool takes_file() const;
};

/// Without those that the help does not show.
std::vector<Item> items_of(const CLI::App& app);

/// A verb, or one below a verb, with the words that lead to it: {"ensemble", "learn"}.
struct Verb {
  Words path;
  const CLI::App* app = nullptr;
  std::string summary;
};
std::vector<Verb> verbs_below(const CLI::App& app, const Words& path = {});

/// Options whose values are words from a list: --learner, --task, -p and so on.
struct Values {
  Words options;
  Words words;
};
std::vector<Values> known_values();

/// The first line of a description, and any text with blanks for line feeds.
std::string first_line(const std::string& text);
std::string on_one_line(std::string text);

}  // namespace espalier::apps
