// espalier convert: between file formats and label schemes. Tested in verbs_test.sh.
#include <memory>

#include "apps/command.h"
#include "apps/options.h"
#include "apps/terminal.h"
#include "apps/verb.h"

namespace espalier::apps {
namespace {

constexpr const char* kConvertHelp =
    R"(Convert data to another format or label scheme

Formats: columns, crfsuite, conllu, letters, jsonl, scores. Label schemes, for segments written as B-NP I-NP O: iob1, iob2
(or BIO), ioe1, ioe2, iobes (or BIOES), bilou, bmewo; the scheme of the input is detected from its labels. Labels that
break it are read as conlleval reads them.)";

constexpr const char* kConvertExamples = R"(Examples:
  espalier convert train.txt --to jsonl -o train.jsonl
  espalier convert train.txt --scheme iobes -o train.iobes.txt
  espalier convert en.conllu --format conllu --label-column xpos --to columns)";

struct ConvertFlags {
  ReadingFlags reading;
  std::string input = "-";
  std::string output = "-";
  std::string to;
  std::string scheme;
  std::string from_scheme;
  bool quiet = false;
};

Outcome run(const ConvertFlags& flags) {
  const ConvertOptions options{flags.reading.resolve(), flags.to, flags.scheme, flags.from_scheme};
  if (const Status status = check_options(options); !status.ok()) return usage_error(status.error());
  ESPALIER_TRY(check_no_input(flags.output, {flags.input}));
  const auto report = convert(flags.input, Sink::file(flags.output), options);
  if (!report) return report.error();
  if (flags.quiet) return {};
  if (!flags.scheme.empty()) say(fmt::format("espalier: {} to {}", report->from_scheme, flags.scheme));
  if (report->repaired > 0)
    say(fmt::format("espalier: {} broke the scheme and {} repaired", counted(report->repaired, "label"),
                    report->repaired == 1 ? "was" : "were"));
  if (flags.output != "-")
    say(fmt::format("espalier: {} written to {}", counted(report->sequences, "sequence"), flags.output));
  return {};
}

}  // namespace

void add_convert(CLI::App& app, Action& action) {
  const auto [verb, flags] = add_verb<ConvertFlags>(app, action, "convert", kConvertHelp, run);
  verb.add_option("INPUT", flags.input, "file to convert [-, standard input]")->type_name("");
  verb.add_option("-o,--output", flags.output,
                  "the output file; left unchanged if conversion fails [-, standard output]")
      ->type_name("OUT");
  verb.add_option("--to", flags.to, "format of the output [that of the input]")->type_name("F");
  verb.add_option("--scheme", flags.scheme, "label scheme of the output")->type_name("S");
  verb.add_option("--from-scheme", flags.from_scheme, "label scheme of the input [detected]")->type_name("S");
  flags.reading.add_to(verb);
  verb.add_flag("-q,--quiet", flags.quiet, "print errors only");
  verb.footer(kConvertExamples);
}

}  // namespace espalier::apps
