// espalier classes: classes of words from unlabelled text. Tested in word_lists_test.sh.
#include <memory>

#include "apps/command.h"
#include "apps/interrupt.h"
#include "apps/options.h"
#include "apps/progress_display.h"
#include "apps/terminal.h"
#include "apps/verb.h"
#include "apps/whole_number.h"

namespace espalier::apps {
namespace {

constexpr const char* kClassesHelp =
    R"(Make classes of words from unlabelled text

Words that occur between the same neighbours get the same class, by the exchange algorithm. The text has one sentence
per line, words separated by blanks. The output has lines of word, tab and class, for train --word-classes. The same text
gives the same classes at any number of threads.)";

constexpr const char* kClassesExamples = R"(
Examples:
  espalier classes text.txt -k 512 -o classes.txt
  espalier train train.txt -m names.model --word-classes classes.txt)";

struct ClassesFlags {
  WordClassOptions options;
  bool quiet = false;
  std::vector<std::string> text;
  std::string file = "-";
};

Outcome run(const ClassesFlags& flags) {
  ProgressDisplay display(flags.quiet ? ProgressDisplay::Mode::kQuiet : ProgressDisplay::Mode::kBarOnly);
  const InterruptGuard interrupt;
  WordClassOptions options = flags.options;
  options.on_progress = display.callback();
  options.stop = interrupt.flag();
  ESPALIER_TRY(check_no_input(flags.file, flags.text));
  if (flags.file != "-") ESPALIER_TRY(check_writable(flags.file));
  const auto made = make_word_classes(flags.text, options);
  display.clear();
  if (interrupt.signal() != 0)
    return {128 + interrupt.signal(), "interrupted before the classes were complete"};
  if (!made) return made.error();
  if (flags.file == "-") {
    ESPALIER_TRY(print(made->text));
  } else {
    ESPALIER_TRY(write_text(flags.file, made->text));
  }
  if (!flags.quiet)
    say(fmt::format("espalier: {} words in {} classes, from {} tokens", made->words, made->classes,
                    made->tokens));
  return {};
}

}  // namespace

void add_classes(CLI::App& app, Action& action) {
  const auto [verb, flags] = add_verb<ClassesFlags>(app, action, "classes", kClassesHelp, run);
  verb.add_option("TEXT", flags.text, "files of text, - for standard input")->type_name("")->required();
  verb.add_option("-o,--output", flags.file, "the output file [-, standard output]")->type_name("OUT");
  add_number_option(verb, "-k,--k", flags.options.classes, "number of classes [512]", 2, 10000);
  add_number_option(verb, "--least-count", flags.options.least_count,
                    "words seen fewer times get no class [2]", 1);
  add_number_option(verb, "--rounds", flags.options.rounds, "passes over the words, at most [15]", 1, 10000);
  add_threads_option(verb, flags.options.threads);
  verb.add_flag("-q,--quiet", flags.quiet, "print errors only");
  verb.footer([] { return std::string(kClassesExamples); });
}

}  // namespace espalier::apps
