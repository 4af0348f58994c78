// espalier convert: other formats, other ways to write segments as labels.
#include <CLI/CLI.hpp>
#include <memory>

#include "apps/command.h"
#include "apps/options.h"
#include "apps/terminal.h"
#include "espalier/base/atomic_file.h"
#include "espalier/data/formats/writer.h"
#include "espalier/data/label_scheme.h"

namespace espalier::apps {
namespace {

constexpr const char* kConvertHelp =
    R"(Convert data to another format or label scheme

Formats: columns, crfsuite, conllu, letters, jsonl. Label schemes, for segments written as B-NP I-NP O: iob1, iob2,
ioe1, ioe2, iobes, bilou; the scheme of the input is found out from its labels. Labels that break it are read as
conlleval reads them.)";

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

struct Conversion {
  data::ReadOptions reading;
  data::Format to;
  std::optional<data::Scheme> scheme;
  std::optional<data::Scheme> from_scheme;
};

Result<Conversion> resolve(const ConvertFlags& flags) {
  Conversion result;
  ESPALIER_ASSIGN(result.reading, flags.reading.resolve());
  result.to = result.reading.format;
  if (!flags.to.empty()) {
    ESPALIER_ASSIGN(result.to, data::parse_format(flags.to));
  }
  if (!flags.scheme.empty()) {
    ESPALIER_ASSIGN(result.scheme, data::parse_scheme(flags.scheme));
    if (*result.scheme == data::Scheme::kNone) return fail("--scheme none is no scheme to convert to");
  }
  if (!flags.from_scheme.empty()) {
    ESPALIER_ASSIGN(result.from_scheme, data::parse_scheme(flags.from_scheme));
    if (!result.scheme) return fail("--from-scheme says nothing without --scheme");
  }
  if (!result.scheme && flags.to.empty()) return fail("there is nothing to convert: give --to or --scheme");
  // Input without labels can change its format, but not its label scheme.
  result.reading.labels_required = result.scheme.has_value();
  return result;
}

void labels_of(const data::Sequence& sequence, std::vector<std::string_view>& labels) {
  labels.clear();
  for (size_t row = 0; row < sequence.length(); ++row) labels.push_back(sequence.label(row));
}

/// The row as it was with another text in the label's cell.
void append_relabelled(std::string_view row, std::string_view old_label, std::string_view label,
                       std::string& out) {
  ESPALIER_CHECK(old_label.data() >= row.data() &&
                 old_label.data() + old_label.size() <= row.data() + row.size());
  const auto at = static_cast<size_t>(old_label.data() - row.data());
  out.append(row.substr(0, at)).append(label).append(row.substr(at + old_label.size())).push_back('\n');
}

/// Writes one sequence with the labels of another scheme.
Status append_converted(const data::Sequence& sequence, data::Scheme from, const Conversion& conversion,
                        const data::Writer& writer, size_t& repairs, std::string& out) {
  std::vector<std::string_view> old_labels;
  labels_of(sequence, old_labels);
  size_t found = 0;
  data::spans(old_labels, from, &found);
  repairs += found;
  const std::vector<std::string> labels = data::convert(old_labels, from, *conversion.scheme);
  const bool columns = conversion.reading.format == data::Format::kColumns;
  if (columns && conversion.to == data::Format::kColumns) {
    for (size_t row = 0; row < sequence.length(); ++row)
      append_relabelled(sequence.raw(row), sequence.label(row), labels[row], out);
    out.push_back('\n');
    return {};
  }
  // What cannot be written as data is found by trying; what is then written has the new labels.
  std::string gold;
  ESPALIER_TRY(writer.append_gold(sequence, gold));
  writer.append(sequence, std::vector<std::string_view>(labels.begin(), labels.end()), out);
  return {};
}

/// A scheme shows in the labels of the whole file, so that has to be read first.
Status convert_scheme(const ConvertFlags& flags, const Conversion& conversion, const data::Writer& writer,
                      AtomicFile& out, size_t& sequences) {
  ESPALIER_ASSIGN(const std::vector<data::Sequence> all, data::read_all({flags.input}, conversion.reading));
  data::Scheme from = conversion.from_scheme.value_or(data::Scheme::kNone);
  if (!conversion.from_scheme) {
    data::SchemeDetector detector;
    std::vector<std::string_view> labels;
    for (const data::Sequence& sequence : all) {
      labels_of(sequence, labels);
      detector.add(labels);
    }
    from = detector.scheme();
    if (from == data::Scheme::kNone)
      return fail(
          "{}: the labels are not of the form B-TYPE, I-TYPE, O, so there is no scheme to convert from",
          flags.input);
  }
  size_t repairs = 0;
  std::string text;
  for (const data::Sequence& sequence : all) {
    text.clear();
    ESPALIER_TRY(append_converted(sequence, from, conversion, writer, repairs, text));
    ESPALIER_TRY(out.write(text));
  }
  sequences = all.size();
  if (!flags.quiet) {
    say(fmt::format("espalier: {} to {}", data::scheme_name(from), data::scheme_name(*conversion.scheme)));
    if (repairs > 0) say(fmt::format("espalier: {} labels broke the scheme and were repaired", repairs));
  }
  return {};
}

Status convert_format(const ConvertFlags& flags, const Conversion& conversion, const data::Writer& writer,
                      AtomicFile& out, size_t& sequences) {
  ESPALIER_ASSIGN(const auto reader, data::open_reader(flags.input, conversion.reading));
  data::Sequence sequence;
  std::string text;
  while (true) {
    ESPALIER_ASSIGN(const bool more, reader->next(sequence));
    if (!more) return {};
    text.clear();
    if (const Status status = writer.append_gold(sequence, text); !status.ok())
      return fail("{}: {}", flags.input == "-" ? "standard input" : flags.input, status.error().message);
    ESPALIER_TRY(out.write(text));
    ++sequences;
  }
}

Outcome run(const ConvertFlags& flags) {
  const auto conversion = resolve(flags);
  if (!conversion) return usage_error(conversion.error());
  const auto writer = data::Writer::make(conversion->reading, conversion->to);
  if (!writer) return usage_error(writer.error());
  ESPALIER_ASSIGN(AtomicFile out, AtomicFile::open(flags.output));
  size_t sequences = 0;
  const auto convert = conversion->scheme ? convert_scheme : convert_format;
  ESPALIER_TRY(convert(flags, *conversion, *writer, out, sequences));
  ESPALIER_TRY(out.commit());
  if (!flags.quiet && flags.output != "-")
    say(fmt::format("espalier: {} sequences written to {}", count_text(sequences), flags.output));
  return {};
}

}  // namespace

void add_convert(CLI::App& app, Action& action) {
  CLI::App& verb = *app.add_subcommand("convert", kConvertHelp);
  const auto flags = std::make_shared<ConvertFlags>();
  verb.add_option("INPUT", flags->input, "what to convert [-, standard input]")->type_name("");
  verb.add_option("-o,--output", flags->output,
                  "where it goes; written whole or not at all [-, standard output]")
      ->type_name("OUT");
  verb.add_option("--to", flags->to, "format of the output [that of the input]")->type_name("F");
  verb.add_option("--scheme", flags->scheme, "label scheme of the output")->type_name("S");
  verb.add_option("--from-scheme", flags->from_scheme, "label scheme of the input [found out]")
      ->type_name("S");
  flags->reading.add_to(verb);
  verb.add_flag("-q,--quiet", flags->quiet, "no messages but errors");
  verb.footer(kConvertExamples);
  verb.callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace espalier::apps
