#include "espalier/data/formats/writer.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "espalier/base/text/format.h"
#include "espalier/base/text/text_buffer.h"
#include "espalier/data/formats/crfsuite_reader.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/data/formats/writer_rows.h"

namespace espalier::data {
namespace {

constexpr size_t kForm = 1;
constexpr size_t kMisc = 9;
constexpr std::string_view kEmptyCell = "_";

bool has_attributes(Format format) {
  return format == Format::kCrfsuite || format == Format::kLetters || format == Format::kScores;
}

/// Tabs and line ends would break the line.
bool breaks_line(char c) { return c == '\t' || c == '\n' || c == '\r'; }

void append_field(std::string_view text, std::string& out) {
  const size_t at = out.size();
  out.append(text);
  std::replace_if(out.begin() + static_cast<std::ptrdiff_t>(at), out.end(), breaks_line, ' ');
}

/// A row as it was read and its label, in one piece.
void append_row(std::string_view raw, char separator, std::string_view label, std::string& out) {
  char line[256];
  if (raw.size() + label.size() + 1 > sizeof(line)) {
    out.append(raw).push_back(separator);
    append_field(label, out);
    return;
  }
  copy_short(line, raw.data(), raw.size());
  char* const at = line + raw.size();
  *at = separator;
  copy_short(at + 1, label.data(), label.size());
  std::replace_if(at + 1, at + 1 + label.size(), breaks_line, ' ');
  out.append(line, raw.size() + 1 + label.size());
}

/// A CoNLL-U cell is never empty.
void append_conllu_cell(std::string_view text, std::string& out) {
  append_field(text.empty() ? kEmptyCell : text, out);
}

void append_number(float value, std::string& out) { append_format(out, "{}", value); }

void append_extra_to_misc(const WriterRows& rows, size_t r, bool first, std::string& out) {
  for (size_t i = 0; i < rows.extra.names.size(); ++i) {
    if (!first) out.push_back('|');
    first = false;
    append_field(rows.extra.names[i], out);
    out.push_back('=');
    append_field(rows.extra_value(r, i), out);
  }
}

/// The row with its label cell replaced and extra fields added to MISC.
void append_conllu_row(const WriterRows& rows, size_t r, std::optional<size_t> label_column,
                       std::string& out) {
  for (size_t c = 0; c < kConlluColumns; ++c) {
    if (c > 0) out.push_back('\t');
    std::string_view cell = rows.sequence.cell(r, c);
    if (c == label_column && rows.labelled()) {
      cell = rows.labels[r];
      if (c == kConlluFeats && cell == kNoFeatures) cell = kEmptyCell;
    }
    for (size_t i = 0; i < rows.others.cells.size(); ++i)
      if (rows.others.cells[i] == c) cell = rows.other_label(r, i);
    const bool add = c == kMisc && !rows.extra.names.empty();
    const bool empty = cell.empty() || cell == kEmptyCell;
    if (!add || !empty) append_field(cell, out);
    if (add) append_extra_to_misc(rows, r, empty, out);
  }
  out.push_back('\n');
}

void append_conllu_as_read(const WriterRows& rows, std::optional<size_t> label_column, std::string& out) {
  const Sequence& s = rows.sequence;
  for (const std::string& comment : s.comments()) out.append(comment).push_back('\n');
  for (size_t r = 0; r <= s.length(); ++r) {
    append_extra_lines(s, r, out);
    if (r < s.length()) append_conllu_row(rows, r, label_column, out);
  }
  out.push_back('\n');
}

void append_weight(const Sequence& sequence, std::string& out) {
  if (sequence.weight() == 1) return;
  out.append("@weight:");
  append_number(sequence.weight(), out);
  out.push_back('\n');
}

void append_crfsuite_extra(const WriterRows& rows, size_t r, std::string& out) {
  for (size_t i = 0; i < rows.extra.names.size(); ++i) {
    out.push_back('\t');
    append_crfsuite_name(rows.extra.names[i], out);
    out.push_back(':');
    append_field(rows.extra_value(r, i), out);
  }
  out.push_back('\n');
}

void append_columns(const WriterRows& rows, std::string& out) {
  for (size_t r = 0; r < rows.sequence.length(); ++r) {
    bool first = true;
    const auto append_column = [&](std::string_view text) {
      if (!first) out.push_back('\t');
      first = false;
      append_field(text, out);
    };
    for (const size_t c : rows.observed) append_column(rows.sequence.cell(r, c));
    for (size_t i = 0; i < rows.others.cells.size(); ++i) append_column(rows.other_label(r, i));
    if (rows.labelled()) append_column(rows.labels[r]);
    for (size_t i = 0; i < rows.extra.names.size(); ++i) append_column(rows.extra_value(r, i));
    out.push_back('\n');
  }
  out.push_back('\n');
}

void append_conllu(const WriterRows& rows, std::optional<size_t> label_column, std::string& out) {
  for (size_t r = 0; r < rows.sequence.length(); ++r) {
    append_format(out, "{}\t", r + 1);
    append_conllu_cell(rows.observed.empty() ? "" : rows.sequence.cell(r, rows.observed[0]), out);
    out.push_back('\t');
    for (size_t c = kForm + 1; c < kMisc; ++c) {
      append_conllu_cell(rows.labelled() && c == label_column ? rows.labels[r] : rows.other_in(r, c), out);
      out.push_back('\t');
    }
    const size_t start = out.size();
    for (size_t i = 1; i < rows.observed.size(); ++i) {
      append_format(out, "{}Column{}=", i > 1 ? "|" : "", rows.observed[i] + 1);
      append_field(rows.sequence.cell(r, rows.observed[i]), out);
    }
    append_extra_to_misc(rows, r, out.size() == start, out);
    if (out.size() == start) out.append(kEmptyCell);
    out.push_back('\n');
  }
  out.push_back('\n');
}

void append_crfsuite(const WriterRows& rows, std::string& out) {
  const Sequence& s = rows.sequence;
  append_weight(s, out);
  std::string name;
  const auto append_name = [&](std::string_view text) {
    name.clear();
    append_crfsuite_name(text, name);
    append_field(name, out);
  };
  for (size_t r = 0; r < s.length(); ++r) {
    if (rows.labelled()) append_name(rows.labels[r]);
    for (size_t i = 0; i < s.attribute_count(r); ++i) {
      out.push_back('\t');
      append_name(s.attribute(r, i).name);
      if (s.attribute(r, i).value == 1) continue;
      out.push_back(':');
      append_number(s.attribute(r, i).value, out);
    }
    for (const size_t c : rows.observed) {
      append_format(out, "\tc{}=", c + 1);
      append_name(s.cell(r, c));
    }
    append_crfsuite_extra(rows, r, out);
  }
  out.push_back('\n');
}

}  // namespace

void append_extra_lines(const Sequence& sequence, size_t row, std::string& out) {
  size_t first = 0;  // by bisection: they are in the order of the file
  for (size_t end = sequence.extra_line_count(); first < end;) {
    const size_t middle = first + (end - first) / 2;
    if (sequence.extra_line(middle).before_row < row) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  for (; first < sequence.extra_line_count() && sequence.extra_line(first).before_row == row; ++first)
    out.append(sequence.extra_line(first).text).push_back('\n');
}

Result<Writer> Writer::make(const ReadOptions& in, Format out) {
  if (out == Format::kLetters && in.format != Format::kLetters)
    return fail("{} cannot be written as letters: only letters have rows of pixels", format_name(in.format));
  if (out == Format::kScores && in.format != Format::kScores)
    return fail("{} cannot be written as scores: only scores have one number per label",
                format_name(in.format));
  if (has_attributes(in.format) && (out == Format::kColumns || out == Format::kConllu))
    return fail("{} cannot be written as {}: attributes are not columns (crfsuite and jsonl can hold them)",
                format_name(in.format), format_name(out));
  if (out == Format::kJsonLines && in.encoding == "bytes")
    return fail("text in no known encoding cannot be written as jsonl, which is UTF-8");
  Writer writer(in, out);
  writer.conllu_label_ = kUpos;
  if (in.format == Format::kConllu) {
    ESPALIER_ASSIGN(const size_t column, resolve_label_column(in, kConlluColumns));
    writer.conllu_label_ = column;
  } else if (in.columns != 0) {
    ESPALIER_TRY(resolve_label_column(in, in.columns));
  }
  return writer;
}

/// The place of the label in a row, also if this sequence has none.
std::optional<size_t> Writer::label_cell(const Sequence& sequence) const {
  if (sequence.label_column() || in_.format != Format::kColumns) return sequence.label_column();
  const bool full = in_.columns == 0 ? sequence.columns() > 1 : sequence.columns() == in_.columns;
  if (!full) return std::nullopt;
  const auto column = resolve_label_column(in_, sequence.columns());
  return column ? std::optional<size_t>(*column) : std::nullopt;
}

std::vector<size_t> Writer::observed_cells(const Sequence& sequence) const {
  if (in_.format == Format::kConllu) return {kForm};
  std::vector<size_t> cells;
  const auto label = label_cell(sequence);
  for (size_t c = 0; c < sequence.columns(); ++c)
    if (c != label) cells.push_back(c);
  return cells;
}

void Writer::append(const Sequence& sequence, std::span<const std::string_view> labels,
                    const ExtraFields& extra, const OtherLabels& others, std::string& out) const {
  ESPALIER_CHECK(labels.size() == sequence.length());
  ESPALIER_CHECK(extra.values.size() == extra.names.size() * sequence.length());
  ESPALIER_CHECK(others.values.size() == others.cells.size() * sequence.length());
  ESPALIER_CHECK(others.cells.empty() || out_ == Format::kColumns || out_ == Format::kConllu);
  if (sequence.empty()) return;
  const WriterRows rows{sequence, labels, extra, observed_cells(sequence), others};
  if (keeps_rows()) {
    append_as_read(rows, out);
  } else {
    append_converted(rows, out);
  }
}

/// Predictions appended to the rows of the file.
void Writer::append_as_read(const WriterRows& rows, std::string& out) const {
  const Sequence& s = rows.sequence;
  if (out_ == Format::kConllu) return append_conllu_as_read(rows, conllu_label_, out);
  if (out_ == Format::kCrfsuite) append_weight(s, out);
  for (size_t r = 0; r < s.length(); ++r) {
    if (s.extra_line_count() > 0) append_extra_lines(s, r, out);
    std::string_view raw = s.raw(r);
    if (out_ == Format::kCrfsuite) {
      append_crfsuite_name(rows.labels[r], out);
      const size_t tab = raw.find('\t');
      if (tab != raw.npos) out.append(raw.substr(tab));
      append_crfsuite_extra(rows, r, out);
      continue;
    }
    const bool letters = out_ == Format::kLetters;
    if (letters && raw.ends_with('\t')) raw.remove_suffix(1);
    const char separator = !in_.separator.empty() && !letters      ? in_.separator.front()
                           : letters || raw.find('\t') != raw.npos ? '\t'
                                                                   : ' ';
    if (rows.others.cells.empty()) {
      append_row(raw, separator, rows.labels[r], out);
    } else {
      out.append(raw).push_back(separator);
      for (size_t i = 0; i < rows.others.cells.size(); ++i) {
        append_field(rows.other_label(r, i), out);
        out.push_back(separator);
      }
      append_field(rows.labels[r], out);
    }
    for (size_t i = 0; i < rows.extra.names.size(); ++i) {
      out.push_back(separator);
      append_field(rows.extra_value(r, i), out);
    }
    out.push_back('\n');
  }
  append_extra_lines(s, s.length(), out);
  if (out_ != Format::kLetters) out.push_back('\n');
}

void Writer::append_converted(const WriterRows& rows, std::string& out) const {
  switch (out_) {
    case Format::kColumns:
      return append_columns(rows, out);
    case Format::kConllu:
      return append_conllu(rows, conllu_label_, out);
    case Format::kCrfsuite:
      return append_crfsuite(rows, out);
    case Format::kJsonLines:
      return append_json(rows, out);
    case Format::kLetters:
    case Format::kScores:
      break;
  }
  ESPALIER_CHECK(false);  // make() lets letters and scores be written from their own format only
}

/// What append() would have to alter is an error for data.
Status Writer::check(const WriterRows& rows) const {
  const Sequence& s = rows.sequence;
  const auto wrong = [&](size_t r, std::string_view what) {
    return fail("line {}: {} cannot be written as {}", s.line(r), what, format_name(out_));
  };
  if (out_ == Format::kJsonLines) return {};
  if (s.columns() == 0 && out_ != Format::kCrfsuite) return wrong(0, "attributes");
  const auto broken = [](std::string_view text) {
    return std::any_of(text.begin(), text.end(), breaks_line);
  };
  for (size_t r = 0; r < s.length(); ++r) {
    for (const size_t c : rows.observed) {
      if (broken(s.cell(r, c))) return wrong(r, "a cell with a tab or a line end");
      if (out_ == Format::kConllu && c != rows.observed.front() &&
          s.cell(r, c).find('|') != std::string_view::npos)
        return wrong(r, "a further cell with a | (where MISC is split)");
    }
    for (size_t i = 0; i < s.attribute_count(r); ++i)
      if (broken(s.attribute(r, i).name)) return wrong(r, "an attribute with a tab or a line end");
    if (rows.labelled() && broken(rows.labels[r])) return wrong(r, "a label with a tab or a line end");
  }
  return {};
}

Status Writer::append_gold(const Sequence& s, std::string& out) const {
  std::vector<std::string_view> labels;
  for (size_t r = 0; r < s.length() && s.has_labels(); ++r) labels.push_back(s.label(r));
  const WriterRows rows{s, labels, {}, observed_cells(s), {}};
  if (!keeps_rows()) {
    ESPALIER_TRY(check(rows));
    append_converted(rows, out);
  } else if (out_ == Format::kConllu) {
    append_conllu_as_read(rows, conllu_label_, out);
  } else {
    if (out_ == Format::kCrfsuite) append_weight(s, out);
    for (size_t r = 0; r < s.length(); ++r) {
      append_extra_lines(s, r, out);
      out.append(s.raw(r)).push_back('\n');
    }
    append_extra_lines(s, s.length(), out);
    if (out_ != Format::kLetters) out.push_back('\n');
  }
  return {};
}

}  // namespace espalier::data
