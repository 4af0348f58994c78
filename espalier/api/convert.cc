// convert: between file formats and between label schemes. Tested in apps/tests/verbs_test.sh.
#include "espalier/api/corpus.h"
#include "espalier/api/text_io.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/data/formats/writer.h"
#include "espalier/data/label_scheme.h"
#include "espalier/public/tools.h"

namespace espalier {
namespace {

struct Conversion {
  data::ReadOptions reading;
  data::Format to;
  std::optional<data::Scheme> scheme, from_scheme;
};

Result<Conversion> conversion_of(const ConvertOptions& options, const std::vector<std::string>& paths) {
  Conversion out;
  ESPALIER_ASSIGN(api::Reading reading, api::reading_of(options.reading, paths));
  if (reading.task) return fail("the format {} cannot be converted", options.reading.format);
  out.reading = std::move(reading.options);
  if (data::several_label_columns(out.reading))
    return fail("label columns {}: convert takes one", out.reading.label_column);
  out.to = out.reading.format;
  if (!options.format.empty()) {
    ESPALIER_ASSIGN(out.to, data::parse_format(options.format));
  }
  if (!options.scheme.empty()) {
    ESPALIER_ASSIGN(out.scheme, data::parse_scheme(options.scheme));
    if (*out.scheme == data::Scheme::kNone) return fail("cannot convert to scheme none");
  }
  if (!options.from_scheme.empty()) {
    ESPALIER_ASSIGN(out.from_scheme, data::parse_scheme(options.from_scheme));
    if (!out.scheme) return fail("a scheme to convert from has no effect without one to convert to");
  }
  if (!out.scheme && options.format.empty())
    return fail("nothing to convert: name a format or a label scheme to convert to");
  // Input without labels can change its format, but not its label scheme.
  out.reading.labels_required = out.scheme.has_value();
  out.reading.allow_empty = true;
  return out;
}

void labels_of(const data::Sequence& sequence, std::vector<std::string_view>& labels) {
  labels.clear();
  for (size_t row = 0; row < sequence.length(); ++row) labels.push_back(sequence.label(row));
}

/// The row with another text in the label's cell.
void append_relabelled(std::string_view row, std::string_view old_label, std::string_view label,
                       std::string& out) {
  ESPALIER_CHECK(old_label.data() >= row.data() &&
                 old_label.data() + old_label.size() <= row.data() + row.size());
  const auto at = static_cast<size_t>(old_label.data() - row.data());
  out.append(row.substr(0, at)).append(label).append(row.substr(at + old_label.size())).push_back('\n');
}

/// One sequence with the labels of another scheme.
Status append_converted(const data::Sequence& sequence, data::Scheme from, const Conversion& conversion,
                        const data::Writer& writer, size_t& repaired, std::string& out) {
  std::vector<std::string_view> old_labels;
  labels_of(sequence, old_labels);
  size_t found = 0;
  data::spans(old_labels, from, &found);
  repaired += found;
  const std::vector<std::string> labels = data::convert(old_labels, from, *conversion.scheme);
  if (conversion.reading.format == data::Format::kColumns && conversion.to == data::Format::kColumns) {
    for (size_t row = 0; row < sequence.length(); ++row) {
      data::append_extra_lines(sequence, row, out);
      append_relabelled(sequence.raw(row), sequence.label(row), labels[row], out);
    }
    data::append_extra_lines(sequence, sequence.length(), out);
    out.push_back('\n');
    return {};
  }
  // append_gold finds what the format cannot represent; the text written has the new labels.
  std::string gold;
  ESPALIER_TRY(writer.append_gold(sequence, gold));
  writer.append(sequence, std::vector<std::string_view>(labels.begin(), labels.end()), out);
  return {};
}

/// Detecting the scheme needs the labels of the whole file, which is therefore read first.
Status convert_scheme(const std::string& path, const Conversion& conversion, const data::Writer& writer,
                      api::OpenSink& out, Converted& report) {
  ESPALIER_ASSIGN(const std::vector<data::Sequence> all, data::read_all({path}, conversion.reading));
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
          path);
  }
  report.from_scheme = data::scheme_name(from);
  std::string text;
  for (const data::Sequence& sequence : all) {
    text.clear();
    ESPALIER_TRY(append_converted(sequence, from, conversion, writer, report.repaired, text));
    ESPALIER_TRY(out.write(text));
    report.tokens += sequence.length();
  }
  report.sequences = all.size();
  return {};
}

Status convert_format(const std::string& path, const Conversion& conversion, const data::Writer& writer,
                      api::OpenSink& out, Converted& report) {
  ESPALIER_ASSIGN(const auto reader, data::open_reader(path, conversion.reading));
  data::Sequence sequence;
  std::string text;
  while (true) {
    ESPALIER_ASSIGN(const bool more, reader->next(sequence));
    if (!more) return {};
    text.clear();
    if (const Status status = writer.append_gold(sequence, text); !status.ok())
      return fail("{}: {}", reader->name(), status.error().message);
    ESPALIER_TRY(out.write(text));
    ++report.sequences;
    report.tokens += sequence.length();
  }
}

}  // namespace

Status check_options(const ConvertOptions& options) {
  ESPALIER_ASSIGN(const Conversion conversion, conversion_of(options, {}));
  ESPALIER_TRY(data::Writer::make(conversion.reading, conversion.to));
  return {};
}

Result<Converted> convert(const std::string& path, const Sink& sink, const ConvertOptions& options) {
  ESPALIER_ASSIGN(const Conversion conversion, conversion_of(options, {path}));
  ESPALIER_ASSIGN(const data::Writer writer, data::Writer::make(conversion.reading, conversion.to));
  ESPALIER_ASSIGN(api::OpenSink out, api::OpenSink::open(sink));
  Converted report;
  ESPALIER_TRY((conversion.scheme ? convert_scheme : convert_format)(path, conversion, writer, out, report));
  ESPALIER_TRY(out.commit());
  return report;
}

}  // namespace espalier
