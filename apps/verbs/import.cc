// espalier import: models of other programs. Tested in import_test.sh.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/options.h"
#include "apps/terminal.h"
#include "apps/verb.h"

namespace espalier::apps {
namespace {

constexpr const char* kImportHelp =
    R"(Read a model of CRFsuite, CRF++ or Wapiti

Writes a model that gives the same labels and probabilities, for tag, eval, explain and the rest. The program that trained
it is recognised by the contents of the file: CRFsuite's binary file, the text of crf_learn -t or the binary file of CRF++,
Wapiti's text. A model of CRFsuite reads attributes (--format crfsuite), the others rows of columns by their own template.)";

constexpr const char* kImportExamples = R"(Examples:
  espalier import chunker.crfsuite -m chunker.model
  espalier import crfpp-model.txt -m chunker.model
  espalier tag new.txt -m chunker.model)";

struct ImportFlags {
  std::string input, model;
  OutputFlags output;
};

Outcome run(const ImportFlags& flags) {
  ESPALIER_TRY(check_writable(flags.model));
  ESPALIER_ASSIGN(const Imported imported, import_model(flags.input));
  ESPALIER_TRY(imported.tagger.save(flags.model));
  ESPALIER_ASSIGN(const Inspection size, imported.tagger.inspect({.top = 0}));
  const size_t labels = imported.tagger.labels().size();
  if (flags.output.json) {
    ESPALIER_TRY(print_json({{"program", imported.program},
                             {"model", flags.model},
                             {"labels", labels},
                             {"features", size.features},
                             {"weights", size.weights},
                             {"left_out", imported.left_out}}));
    return {};
  }
  if (flags.output.quiet) return {};
  if (imported.left_out > 0)
    say(fmt::format("espalier: left out {} that no line of the template gives",
                    counted(imported.left_out, "feature")));
  say(fmt::format("espalier: a model of {} with {}, {} and {} written to {}", imported.program,
                  counted(labels, "label"), counted(size.features, "feature"),
                  counted(size.weights, "weight"), flags.model));
  return {};
}

}  // namespace

void add_import(CLI::App& app, Action& action) {
  const auto [verb, flags] = add_verb<ImportFlags>(app, action, "import", kImportHelp, run);
  verb.add_option("INPUT", flags.input, "model of another program")->type_name("")->required();
  verb.add_option("-m,--model", flags.model, "where the model goes")->type_name("MODEL")->required();
  flags.output.add_to(verb);
  verb.footer(kImportExamples);
}

}  // namespace espalier::apps
