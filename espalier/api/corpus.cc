#include "espalier/api/corpus.h"

#include <algorithm>

#include "espalier/api/matrix_columns.h"
#include "espalier/api/sequence_builder.h"
#include "espalier/base/files/wait_scope.h"
#include "espalier/base/text/format.h"
#include "espalier/data/formats/lines.h"
#include "espalier/data/formats/row_layout.h"
#include "espalier/data/label_set.h"
#include "espalier/model/registry.h"

namespace espalier {
namespace {

std::string columns_text(const std::vector<std::string>& names, size_t count) {
  return names.empty() ? fmt::format("{}", count) : fmt::format("{} ({})", count, joined(names, ", "));
}

/// Rows as a reader would have read them: cells with tabs between, so that writers can show them.
void add_row(data::Sequence& sequence, const std::vector<std::string>& cells, const std::string* label,
             uint64_t line) {
  std::string raw = joined(cells, "\t");
  if (label != nullptr) raw.append("\t").append(*label);
  sequence.begin_row(raw, line);
  for (const std::string& cell : cells) sequence.add_cell(cell);
  if (label != nullptr) sequence.add_cell(*label);
}

Status read_into(const std::unique_ptr<data::Reader>& reader, Corpus::State& state) {
  data::Sequence sequence;
  while (true) {
    ESPALIER_ASSIGN(const bool more, reader->next(sequence));
    if (!more) return {};
    if (WaitScope::wanted()) return fail("{}: stopped before everything was read", reader->name());
    state.tokens += sequence.length();
    state.sequences.push_back(sequence);
  }
}

}  // namespace

Corpus::Corpus(CorpusOptions options) : state_(std::make_shared<State>()) {
  state_->options = std::move(options);
  if (!state_->options.columns.empty()) state_->reading.columns = state_->options.columns.size() + 1;
}

Corpus::State& Corpus::own() {
  if (state_.use_count() > 1) state_ = std::make_shared<State>(*state_);
  return *state_;
}

Result<Corpus> Corpus::read(const std::string& path, const ReadOptions& options) {
  return read(std::vector<std::string>{path}, options);
}

Result<Corpus> Corpus::read(const std::vector<std::string>& paths, const ReadOptions& options) {
  if (paths.empty()) return fail("no file to read");
  ESPALIER_ASSIGN(api::Reading reading, api::reading_of(options, paths));
  Corpus corpus;
  State& state = *corpus.state_;
  for (const std::string& path : paths) {
    auto reader = reading.task ? tasks::open_json_task(path, *reading.task, reading.options)
                               : data::open_reader(path, reading.options);
    if (!reader.ok()) return std::move(reader).error();
    ESPALIER_TRY(read_into(*reader, state));
  }
  state.name = paths.front();
  state.task = reading.task;
  state.reading = std::move(reading.options);
  return corpus;
}

Result<Corpus> Corpus::parse(std::string_view text, const ReadOptions& options, std::string name) {
  ESPALIER_ASSIGN(api::Reading reading, api::reading_of(options));
  Corpus corpus;
  State& state = *corpus.state_;
  state.name = name;
  auto reader = reading.task ? tasks::read_json_task(text, std::move(name), *reading.task, reading.options)
                             : data::read_text(text, std::move(name), reading.options);
  if (!reader.ok()) return std::move(reader).error();
  ESPALIER_TRY(read_into(*reader, state));
  state.task = reading.task;
  state.reading = std::move(reading.options);
  return corpus;
}

Corpus& Corpus::add_rows(const std::vector<std::vector<std::string>>& rows,
                         const std::vector<std::string>& labels) {
  State& state = own();
  const size_t number = state.sequences.size() + 1;
  const auto wrong = [&](Error error) -> Corpus& {
    if (state.status.ok()) state.status = std::move(error);
    return *this;
  };
  if (rows.empty()) return wrong(fail("sequence {}: it has no tokens", number));
  if (!labels.empty() && labels.size() != rows.size())
    return wrong(fail("sequence {}: {} tokens and {} labels", number, rows.size(), labels.size()));
  if (state.reading.columns == 0) {
    if (!state.sequences.empty() && state.sequences.front().columns() == 0)
      return wrong(fail("sequence {}: rows of cells, but the sequences before have attributes", number));
    state.reading.columns =
        state.sequences.empty() ? rows.front().size() + 1 : state.sequences.front().columns();
  }
  const size_t cells = state.reading.columns - 1;
  data::Sequence sequence;
  sequence.clear(state.reading.columns);
  static const std::string kUnknown(data::kUnknownLabelText);
  for (size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].size() != cells)
      return wrong(fail("sequence {}, token {}: {} cells, expected {}", number, row + 1, rows[row].size(),
                        columns_text(state.options.columns, cells)));
    if (!labels.empty() && labels[row].empty())
      return wrong(
          fail("sequence {}, token {}: the label is empty; write _ where it is not known", number, row + 1));
    add_row(sequence, rows[row], labels.empty() ? &kUnknown : &labels[row], row + 1);
  }
  if (!labels.empty()) sequence.set_label_column(cells);
  state.tokens += rows.size();
  state.sequences.push_back(std::move(sequence));
  return *this;
}

Corpus& Corpus::add_words(const std::vector<std::string>& words, const std::vector<std::string>& labels) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(words.size());
  for (const std::string& word : words) rows.push_back({word});
  return add_rows(rows, labels);
}

Corpus& Corpus::add_attributes(const std::vector<std::vector<Attribute>>& attributes,
                               const std::vector<std::string>& labels) {
  if (!labels.empty() && labels.size() != attributes.size()) {
    State& state = own();
    if (state.status.ok())
      state.status = fail("sequence {}: {} tokens and {} labels", state.sequences.size() + 1,
                          attributes.size(), labels.size());
    return *this;
  }
  SequenceBuilder builder;
  for (size_t row = 0; row < attributes.size(); ++row) {
    builder.begin_token();
    for (const Attribute& a : attributes[row]) builder.add_attribute(a.name, a.value);
    if (!labels.empty()) builder.set_label(labels[row]);
  }
  return add(builder);
}

Corpus& Corpus::add(const SequenceBuilder& built) {
  if (Status status = try_add(built); !status.ok()) {
    State& state = own();
    if (state.status.ok()) state.status = std::move(status);
  }
  return *this;
}

Status Corpus::try_add(const SequenceBuilder& built) {
  ESPALIER_TRY(state_->status);
  const size_t number = size() + 1;
  const auto finished = built.state().finish();
  if (!finished.ok()) return fail("sequence {}, {}", number, finished.error().message);
  const data::Sequence& sequence = **finished;
  if (sequence.empty()) return fail("sequence {}: it has no tokens", number);
  const size_t before = empty() ? state_->reading.columns : state_->sequences.front().columns();
  if (!empty() && (before == 0) != (sequence.columns() == 0))
    return before == 0 ? fail("sequence {}: rows of cells, but the sequences before have attributes", number)
                       : fail("sequence {}: attributes, but the sequences before have rows of cells", number);
  if (before != 0 && sequence.columns() != before)
    return fail("sequence {}: {} cells, expected {}", number, sequence.columns() - 1,
                columns_text(state_->options.columns, before - 1));
  const size_t width = built.state().matrix_columns;
  if (!empty() && width != state_->matrix_columns)
    return fail("sequence {}: {}, but those before are {}", number, api::kind_of_numbers(width),
                api::kind_of_numbers(state_->matrix_columns));
  State& state = own();
  state.matrix_columns = width;
  if (sequence.columns() == 0) {
    state.reading.format = data::Format::kCrfsuite;
  } else {
    state.reading.columns = sequence.columns();
  }
  state.tokens += sequence.length();
  state.sequences.push_back(sequence);
  return {};
}

Corpus& Corpus::add(const Sequence& sequence) {
  if (sequence.attributes.empty()) {
    add_rows(sequence.rows, sequence.labels);
  } else {
    add_attributes(sequence.attributes, sequence.labels);
  }
  if (!state_->status.ok()) return *this;
  data::Sequence& added = own().sequences.back();
  added.set_weight(static_cast<float>(sequence.weight));
  if (sequence.fold) added.set_fold(*sequence.fold);
  return *this;
}

Status Corpus::status() const { return state_->status; }
size_t Corpus::size() const { return state_->sequences.size(); }
size_t Corpus::tokens() const { return state_->tokens; }

Sequence Corpus::operator[](size_t index) const {
  ESPALIER_CHECK(index < size());
  const data::Sequence& from = state_->sequences[index];
  Sequence out;
  out.weight = from.weight();
  out.fold = from.fold();
  const auto label = from.label_column();
  // Rows that were added without labels have a cell in place of the label.
  const size_t hidden = !label && state_->reading.columns > 0 && from.columns() == state_->reading.columns
                            ? state_->reading.columns - 1
                            : from.columns();
  for (size_t row = 0; row < from.length(); ++row) {
    if (from.columns() > 0) {
      std::vector<std::string>& cells = out.rows.emplace_back();
      for (size_t c = 0; c < from.columns(); ++c)
        if (c != label && c != hidden) cells.emplace_back(from.cell(row, c));
    } else {
      std::vector<Attribute>& attributes = out.attributes.emplace_back();
      for (size_t i = 0; i < from.attribute_count(row); ++i) {
        const data::Attribute a = from.attribute(row, i);
        attributes.push_back({std::string(a.name), a.value});
      }
    }
    if (from.has_labels()) out.labels.emplace_back(from.label(row));
  }
  return out;
}

Corpus Corpus::subset(const std::vector<size_t>& numbers) const {
  auto state = std::make_shared<State>();
  state->options = state_->options;
  state->reading = state_->reading;
  state->task = state_->task;
  state->name = state_->name;
  state->matrix_columns = state_->matrix_columns;
  state->status = state_->status;
  for (const size_t number : numbers) {
    ESPALIER_CHECK(number < size());
    state->sequences.push_back(state_->sequences[number]);
    state->tokens += state->sequences.back().length();
  }
  return Corpus(std::move(state));
}

Status check_options(const ReadOptions& options) {
  ESPALIER_TRY(api::reading_of(options));
  return {};
}

namespace api {

Result<Reading> reading_of(const ReadOptions& options, const std::vector<std::string>& paths) {
  Reading out;
  // A task that has its own JSON lines is the name of their format.
  if (const auto task = model::find_task(options.format); task.ok()) out.task = (*task)->json;
  if (out.task) {
    out.options.format = data::Format::kJsonLines;
    if (!options.label_column.empty())
      return fail("the format {} has no columns to choose a label from", options.format);
  } else if (options.format.empty()) {
    ESPALIER_ASSIGN(const auto found, data::format_of_names(paths));
    out.options.format = found.value_or(data::Format::kColumns);
  } else {
    ESPALIER_ASSIGN(out.options.format, data::parse_format(options.format));
  }
  ESPALIER_ASSIGN(out.options.separator, data::parse_separator(options.separator));
  out.options.comment = options.comment;
  if (out.options.format != data::Format::kColumns && !(options.separator.empty() && options.comment.empty()))
    return fail("a separator or a comment sign is given, but only columns have them, not the format {}",
                data::format_name(out.options.format));
  ESPALIER_TRY(data::parse_encoding(options.encoding));
  out.options.encoding = options.encoding;
  out.options.label_column = options.label_column;
  out.options.labels_required = options.labels_required;
  if (!options.folds.empty()) {
    ESPALIER_ASSIGN(out.options.folds, data::parse_folds(options.folds));
  }
  return out;
}

Result<data::Sequence> sequence_of_rows(const std::vector<std::vector<std::string>>& rows,
                                        const data::ReadOptions& reading,
                                        const std::vector<size_t>& feature_columns) {
  if (rows.empty()) return fail("the sequence has no tokens");
  if (reading.columns == 0) return fail("the model uses attributes, not rows of cells; call tag_attributes");
  const size_t present = rows.front().size();
  for (size_t row = 0; row < rows.size(); ++row)
    if (rows[row].size() != present)
      return fail("token {}: {} cells, expected {} as in the first row", row + 1, rows[row].size(), present);
  data::ReadOptions options = reading;
  options.labels_required = false;
  auto layout = data::row_layout(options, present);
  data::Sequence sequence;
  if (!layout.ok()) {
    // Only the feature columns are given, in their order: the other columns stay empty.
    if (present != feature_columns.size()) return std::move(layout).error();
    sequence.clear(reading.columns);
    for (size_t row = 0; row < rows.size(); ++row) {
      sequence.begin_row("", row + 1);
      for (size_t c = 0; c < reading.columns; ++c) {
        const auto found = std::find(feature_columns.begin(), feature_columns.end(), c);
        sequence.add_cell(
            found == feature_columns.end()
                ? std::string_view()
                : std::string_view(rows[row][static_cast<size_t>(found - feature_columns.begin())]));
      }
    }
    return sequence;
  }
  sequence.clear(layout->width);
  for (size_t row = 0; row < rows.size(); ++row) {
    sequence.begin_row(joined(rows[row], "\t"), row + 1);
    for (size_t c = 0; c < present; ++c) {
      if (layout->placeholder == c) sequence.add_cell(std::string_view());
      sequence.add_cell(rows[row][c]);
    }
  }
  return sequence;
}

Result<const data::Sequence*> sequence_for_model(const data::Sequence& from, const data::ReadOptions& reading,
                                                 const std::vector<size_t>& feature_columns,
                                                 data::Sequence& buffer) {
  if (reading.columns == 0) {
    if (from.columns() == 0) return &from;
    return fail("the model uses attributes, not rows of cells");
  }
  if (from.columns() == 0) return fail("the model uses rows of cells, not attributes");
  const size_t cells = from.columns() - 1;  // the last is the label, or in place of it
  const auto layout = data::row_layout(reading, cells);
  // The label is the last column of the training data, too.
  if (layout.ok() && !layout->label_present && !layout->placeholder && from.columns() == reading.columns)
    return &from;
  if (!layout.ok() && cells != feature_columns.size()) return layout.error();
  // Which cell each column gets; the others stay empty.
  std::vector<size_t> cell_of;
  if (layout.ok()) {
    for (size_t c = 0; c < cells; ++c) {
      if (layout->placeholder == c) cell_of.push_back(cells);
      cell_of.push_back(c);
    }
  } else {
    cell_of.assign(reading.columns, cells);
    for (size_t f = 0; f < cells; ++f) cell_of[feature_columns[f]] = f;
  }
  buffer.clear(cell_of.size());
  for (size_t row = 0; row < from.length(); ++row) {
    buffer.begin_row("", row + 1);
    for (const size_t c : cell_of) buffer.add_cell(c == cells ? std::string_view() : from.cell(row, c));
  }
  return &buffer;
}

Result<data::Sequence> sequence_of_words(const std::vector<std::string>& words,
                                         const data::ReadOptions& reading,
                                         const std::vector<size_t>& feature_columns) {
  if (reading.columns > 0 && feature_columns.size() != 1) {
    std::vector<size_t> numbers;
    for (const size_t c : feature_columns) numbers.push_back(c + 1);
    return fail("the model uses columns {}, not only words; call tag_rows", joined(numbers, ", "));
  }
  std::vector<std::vector<std::string>> rows;
  rows.reserve(words.size());
  for (const std::string& word : words) rows.push_back({word});
  if (reading.columns == 0 || words.empty()) return sequence_of_rows(rows, reading, feature_columns);
  data::Sequence sequence;
  sequence.clear(reading.columns);
  for (size_t row = 0; row < rows.size(); ++row) {
    sequence.begin_row(words[row], row + 1);
    for (size_t c = 0; c < reading.columns; ++c)
      sequence.add_cell(c == feature_columns.front() ? std::string_view(words[row]) : std::string_view());
  }
  return sequence;
}

data::Sequence sequence_of_attributes(const std::vector<std::vector<Attribute>>& attributes) {
  data::Sequence sequence;
  sequence.clear(0);
  for (size_t row = 0; row < attributes.size(); ++row) {
    sequence.begin_row("", row + 1);
    for (const Attribute& a : attributes[row]) sequence.add_attribute(a.name, static_cast<float>(a.value));
  }
  return sequence;
}

}  // namespace api
}  // namespace espalier
