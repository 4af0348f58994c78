#include "apps/reproduce_options.h"
#include "apps/whole_number.h"

#include <CLI/CLI.hpp>

namespace espalier::apps {
namespace {

constexpr const char* kReproduceHelp =
    R"(Run an experiment of one of the papers that Espalier comes from

Prints each measured figure next to the one in the paper and checks what must hold; the exit status is 1 if a check
fails. The corpora are looked for in --data, or else in the folder that ESPALIER_DATA names, or else in ../shared/data.
Plots are written to --out as SVG files. --quick runs a small version in seconds: it shows that everything works, its
figures mean nothing.)";

constexpr const char* kReproduceExamples = R"(Examples:
  espalier reproduce --list
  espalier reproduce beam-counterexamples
  espalier reproduce cascade-handwriting --data corpora --out plots --json)";

}  // namespace

std::shared_ptr<ReproduceFlags> add_reproduce_options(CLI::App& app) {
  CLI::App& verb = *app.add_subcommand("reproduce", kReproduceHelp);
  const auto flags = std::make_shared<ReproduceFlags>();
  verb.add_option("NAME", flags->name, "the experiment")->type_name("");
  verb.add_flag("--list", flags->list, "list all experiments");
  verb.add_option("--data", flags->data, "the folder of corpora")->type_name("DIR");
  verb.add_option("--out", flags->out, "the folder that plots are written to [.]")->type_name("DIR");
  verb.add_flag("--quick", flags->quick, "a small version, in seconds");
  verb.add_option("--seed", flags->seed, "seed of all random choices [1]")
      ->type_name("N")
      ->check(seed_number());
  add_threads_option(verb, flags->threads);
  flags->output.add_to(verb);
  verb.footer(kReproduceExamples);
  return flags;
}

}  // namespace espalier::apps
