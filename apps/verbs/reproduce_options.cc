#include "apps/verbs/reproduce_options.h"
#include "apps/whole_number.h"

#include <CLI/CLI.hpp>

namespace espalier::apps {
namespace {

constexpr const char* kReproduceHelp =
    R"(Run an experiment of one of the papers that Espalier comes from

Prints each measured figure next to the one in the paper. Rows of the kind printed use the paper's own method and
settings, rows of the kind ours what Espalier does best; figures that do not stand in the paper's text have a column and
a source of their own. Says which of the paper's claims hold, and checks what must hold whatever the data; the exit
status is 1 if a check fails. --all runs every experiment, as many at a time as there are --threads, those that measure
time alone; says how long that will take (in full, hours), keeps each result in --out, goes on where it was stopped, and
writes one page with everything, index.html. A result is run again if the code of the modules that its experiment uses
has changed since. --keep keeps the result of a single experiment there, so that --all need not run it. The corpora are
looked for in --data, or else in the folder that ESPALIER_DATA names, or else in ../shared/data. Plots are written to
--out as SVG files. --quick runs a small version in seconds: it shows that everything works, its
figures mean nothing.)";

constexpr const char* kReproduceExamples = R"(Examples:
  espalier reproduce --list
  espalier reproduce beam-counterexamples
  espalier reproduce cascade-handwriting --data corpora --out plots --json
  espalier reproduce searn-ner --keep -o papers
  espalier reproduce --all -o papers)";

}  // namespace

std::shared_ptr<ReproduceFlags> add_reproduce_options(CLI::App& app) {
  CLI::App& verb = *app.add_subcommand("reproduce", kReproduceHelp);
  const auto flags = std::make_shared<ReproduceFlags>();
  verb.add_option("NAME", flags->name, "the experiment")->type_name("");
  verb.add_flag("--list", flags->list, "list all experiments");
  verb.add_option("--data", flags->data, "the folder of corpora")->type_name("DIR");
  verb.add_flag("--all", flags->all, "run all experiments that --out does not hold yet, and write one page");
  verb.add_flag("--keep", flags->keep, "keep the result of an experiment in --out, for --all");
  verb.add_option("-o,--out", flags->out, "the folder that plots and results are written to [.]")
      ->type_name("DIR");
  verb.add_flag("--quick", flags->quick, "a small version, in seconds");
  add_seed_option(verb, flags->seed, "seed of all random choices [1]");
  add_threads_option(verb, flags->threads);
  flags->output.add_to(verb);
  verb.footer(kReproduceExamples);
  return flags;
}

}  // namespace espalier::apps
