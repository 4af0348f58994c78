// Manual pages, as reference.h declares them. Tested in apps/tests/reference_test.sh.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string_view>

#include "apps/verb_table.h"
#include "apps/verbs/reference.h"
#include "espalier/espalier.h"

namespace espalier::apps {
namespace {

/// Text in which roff finds no command: hyphens that can be copied, no escapes, no line that starts with a
/// dot.
std::string roff(std::string_view text) {
  std::string out;
  bool line_starts = true;
  for (const char c : text) {
    if (line_starts && (c == '.' || c == '\'')) out += "\\&";
    line_starts = c == '\n';
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

/// Lines as they are, each on a line of its own.
std::string roff_lines(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return text.empty() ? "" : ".nf\n" + roff(text) + "\n.fi\n";
}

std::string roff_option(const Item& item) {
  std::string names;
  for (const std::string& name : item.names()) {
    if (!names.empty()) names += ", ";
    names += "\\fB" + roff(name) + "\\fR";
  }
  if (item.is_argument()) names = "\\fI" + roff(item.name) + "\\fR" + (item.many ? " ..." : "");
  if (!item.is_argument() && !item.value.empty()) names += " \\fI" + roff(item.value) + "\\fR";
  return ".TP\n" + names + "\n" + roff(item.text) + (item.required ? " (required)" : "") + "\n";
}

std::string usage_of(const CLI::App& app, const std::string& words) {
  std::string out = ".B " + roff(words) + "\n[\\fIOPTIONS\\fR]";
  for (const Item& item : items_of(app)) {
    if (!item.is_argument()) continue;
    const std::string name = "\\fI" + roff(item.name) + "\\fR" + (item.many ? "..." : "");
    out += item.required ? " " + name : " [" + name + "]";
  }
  if (!verbs_below(app).empty()) out += " \\fIVERB\\fR ...";
  return out + "\n";
}

/// What comes after the first line of a description, its paragraphs filled again.
std::string roff_description(const std::string& description) {
  const size_t start = description.find("\n\n");
  if (start == std::string::npos) return roff(description) + ".\n";
  std::string out;
  std::string_view rest = std::string_view(description).substr(start + 2);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find("\n\n"), rest.size());
    if (!out.empty()) out += ".PP\n";
    out += roff(on_one_line(std::string(rest.substr(0, end)))) + "\n";
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return out;
}

std::string roff_items(const CLI::App& app, const std::string& heading) {
  std::string arguments, options;
  for (const Item& item : items_of(app)) (item.is_argument() ? arguments : options) += roff_option(item);
  std::string out;
  if (!arguments.empty()) out += heading + " ARGUMENTS\n" + arguments;
  if (!options.empty()) out += heading + " OPTIONS\n" + options;
  return out;
}

/// The footer of a verb's help: notes, then examples.
std::string roff_footer(const CLI::App& app, const std::string& heading) {
  const std::string footer = app.get_footer();
  const size_t examples = footer.rfind("Examples:\n");
  const std::string notes = footer.substr(0, examples);
  std::string out;
  if (notes.find_first_not_of(" \n") != std::string::npos) out += heading + " NOTES\n" + roff_lines(notes);
  if (examples != std::string::npos)
    out += heading + " EXAMPLES\n" +
           roff_lines(std::string_view(footer).substr(footer.find('\n', examples) + 1));
  return out;
}

constexpr const char* kExitStatus =
    R"(.SH EXIT STATUS
.TP
0
done
.TP
1
the input or the data is wrong
.TP
2
the command line is wrong
.TP
128 + n
ended by signal n; training that was ended early by Ctrl\-C leaves a usable model and status 130
)";

std::string root_page(const CLI::App& app) {
  std::string out = ".SH NAME\nespalier \\- " + roff("train and run structured predictors") +
                    "\n.SH SYNOPSIS\n" + usage_of(app, "espalier") + ".SH DESCRIPTION\n" +
                    roff(app.get_description()) + "\n.SH VERBS\n";
  for (const Verb& verb : verbs_below(app))
    out += ".TP\n\\fB" + roff("espalier-" + verb.path.front()) + "\\fR(1)\n" + roff(verb.summary) + "\n";
  out += roff_items(app, ".SH") + roff_footer(app, ".SH") + kExitStatus + ".SH SEE ALSO\n";
  std::string list;
  for (const Verb& verb : verbs_below(app))
    list +=
        (list.empty() ? "" : ",\n") + std::string(".BR ") + roff("espalier-" + verb.path.front()) + " (1)";
  return out + list + "\n";
}

std::string verb_page(const CLI::App& app) {
  const std::string name = app.get_name();
  std::string out = ".SH NAME\n" + roff("espalier-" + name) + " \\- " +
                    roff(first_line(app.get_description())) + "\n.SH SYNOPSIS\n" +
                    usage_of(app, "espalier " + name) + ".SH DESCRIPTION\n" +
                    roff_description(app.get_description()) + roff_items(app, ".SH");
  for (const Verb& below : verbs_below(app)) {
    const std::string words = name + " " + below.path.front();
    out += ".SH \"" + roff("espalier " + words) + "\"\n" + usage_of(*below.app, "espalier " + words) +
           ".PP\n" + roff_description(below.app->get_description()) + roff_items(*below.app, ".SS") +
           roff_footer(*below.app, ".SS");
  }
  return out + roff_footer(app, ".SH") + kExitStatus + ".SH SEE ALSO\n.BR espalier (1)\n";
}

}  // namespace

std::string man_page(const CLI::App& app) {
  const bool root = app.get_parent() == nullptr;
  std::string title = root ? "ESPALIER" : "ESPALIER-" + app.get_name();
  std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".TH {} 1 \"\" \"Espalier {}\" \"User Commands\"\n{}", roff(title), version(),
                     root ? root_page(app) : verb_page(app));
}

}  // namespace espalier::apps
