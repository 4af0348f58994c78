#include "espalier/api/model_input.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "espalier/api/corpus.h"
#include "espalier/api/matrix_columns.h"
#include "espalier/api/training.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/data/formats/lines.h"
#include "espalier/data/label_set.h"
#include "espalier/model/registry.h"

namespace espalier::api {
namespace {

class LabelCheckingReader final : public data::Reader {
 public:
  LabelCheckingReader(std::unique_ptr<data::Reader> inner, data::Format format, const data::LabelSet& labels)
      : inner_(std::move(inner)), format_(format), labels_(labels) {}

  Result<bool> next(data::Sequence& sequence) override {
    auto more = inner_->next(sequence);
    if (!more.ok() || !*more) return more;
    if (!sequence.has_labels()) {
      checked_ = true;
      return more;
    }
    const bool first = !checked_;
    checked_ = true;
    if (!first || knows_any(sequence)) {
      const Status fits = format_ == data::Format::kCrfsuite ? refuse_attributes(sequence) : Status();
      left_out_ = !fits.ok();
      if (left_out_) return fits.error();
      return more;
    }
    refused_ = true;
    const std::string text = data::in_quotes(sequence.label(0));
    if (format_ == data::Format::kCrfsuite)
      return fail(
          "{}:{}: the item begins with {}, and no item of the sequence with a label of the model; write the "
          "label, or _ where it is not known, before the attributes",
          name(), sequence.line(0), text);
    return fail(
        "{}:{}: {} is in the place of the label, but no label of the sequence is one of the model's; for raw "
        "text use --text, for other labels leave out their column",
        name(), sequence.line(0), text);
  }
  std::string_view name() const override { return inner_->name(); }
  bool would_wait() override { return inner_->would_wait(); }
  Status recover() override {
    if (std::exchange(left_out_, false)) return {};  // it was read whole
    return refused_ ? Reader::recover() : inner_->recover();
  }

 private:
  bool knows_any(const data::Sequence& sequence) const {
    for (size_t r = 0; r < sequence.length(); ++r)
      if (labels_.find(sequence.label(r)) || sequence.label(r) == data::kUnknownLabelText) return true;
    return false;
  }

  /// An item without a label has its first attribute in the place of it. Labels that the model does not know
  /// may be right; those with an equals sign hardly are.
  Status refuse_attributes(const data::Sequence& sequence) const {
    for (size_t r = 0; r < sequence.length(); ++r) {
      const std::string_view label = sequence.label(r);
      if (label.find('=') != std::string_view::npos && !labels_.find(label))
        return fail(
            "{}:{}: {} is in the place of the label, and the model has no such label; if it is an attribute, "
            "write "
            "the label, or _ where it is not known, before it",
            name(), sequence.line(r), data::in_quotes(label));
    }
    return {};
  }

  std::unique_ptr<data::Reader> inner_;
  data::Format format_;
  const data::LabelSet& labels_;
  bool checked_ = false, refused_ = false, left_out_ = false;
};

}  // namespace

Result<ModelInput> model_input(const Tagger::State& tagger, const std::string& path,
                               const InputChoice& choice) {
  const auto& about = tagger.model.about();
  ESPALIER_ASSIGN(const model::Task* const task, model::find_task(about.task));
  ModelInput out;
  out.task = task->json;
  data::ReadOptions& reading = out.reading;
  reading = about.reading_for_use();
  reading.labels_required = choice.labels_required;
  reading.allow_empty = !choice.labels_required;
  if (!choice.encoding.empty()) {
    ESPALIER_TRY(data::parse_encoding(choice.encoding));
    reading.encoding = choice.encoding;
  }
  ESPALIER_ASSIGN(const std::string separator, data::parse_separator(choice.separator));
  const bool columns_only = !separator.empty() || !choice.comment.empty();
  if (task->json) {
    const bool own = choice.format.empty() || choice.format == "jsonl" || choice.format == about.task;
    if (!own || choice.text || columns_only)
      return fail("task {} has JSON lines of its own as input", about.task);
    return out;
  }
  if (choice.text && !choice.format.empty())
    return fail("raw text has no format; leave out the input format {}", choice.format);
  if (choice.text && choice.labels_required) return fail("raw text has no labels to compare with");
  const data::Format trained = about.reading.format;
  data::Format format = choice.text ? data::Format::kColumns : data::format_of_name(path).value_or(trained);
  if (!choice.format.empty()) {
    ESPALIER_ASSIGN(format, data::parse_format(choice.format));
  }
  if (columns_only && (format != data::Format::kColumns || choice.text))
    return fail("a separator or a comment sign is given, but only columns have them, not {}",
                choice.text ? std::string_view("raw text") : data::format_name(format));
  if (format != trained || choice.text) {
    ESPALIER_ASSIGN(out.map, data::InputMap::make(format, about.reading, about.features.feature_columns));
    data::ReadOptions other;
    other.format = format;
    other.text = choice.text;
    other.encoding = reading.encoding;
    other.labels_required = reading.labels_required;
    other.allow_empty = reading.allow_empty;
    if (format == data::Format::kColumns && !choice.text)
      other.columns = about.features.feature_columns.size() + 1;  // what features use, and the label
    reading = std::move(other);
  }
  if (!separator.empty()) reading.separator = separator;
  if (!choice.comment.empty()) reading.comment = choice.comment;
  return out;
}

size_t word_cell(const Tagger::State& tagger, const ModelInput& input) {
  if (input.map) return data::InputMap::word_cell(input.reading.format);
  return tagger.info.feature_columns.empty() ? 0 : tagger.info.feature_columns.front();
}

std::unique_ptr<data::Reader> check_first_labels(std::unique_ptr<data::Reader> reader, data::Format format,
                                                 const data::LabelSet& labels) {
  if (format != data::Format::kColumns && format != data::Format::kCrfsuite) return reader;
  return std::make_unique<LabelCheckingReader>(std::move(reader), format, labels);
}

Result<std::vector<ModelSource>> model_sources(const Tagger::State& tagger, const Data& data,
                                               bool labels_required) {
  std::vector<ModelSource> out;
  if (data.corpus() != nullptr) {
    ESPALIER_ASSIGN(const Sources given, sources_of(data));
    ESPALIER_TRY(
        check_matrix_columns(data.corpus()->state()->matrix_columns, tagger.model.about().matrix_columns));
    for (const data::Source& source : given.sources) out.push_back({source, {given.reading, {}, {}}});
    return out;
  }
  const Files& files = *data.files();
  InputChoice choice;
  choice.labels_required = labels_required;
  choice.format = files.reading.format;
  choice.separator = files.reading.separator;
  choice.comment = files.reading.comment;
  if (files.reading.encoding != ReadOptions{}.encoding) choice.encoding = files.reading.encoding;
  std::vector<int> folds;
  if (!files.reading.folds.empty()) {
    ESPALIER_ASSIGN(folds, data::parse_folds(files.reading.folds));
  }
  for (const std::string& path : files.paths) {
    ESPALIER_ASSIGN(ModelInput input, model_input(tagger, path, choice));
    input.reading.folds = folds;
    out.push_back({data::Source(path), std::move(input)});
  }
  return out;
}

Result<std::vector<ModelSource>> laid_out_sources(const Tagger::State& state, const Data& data,
                                                  bool labels_required) {
  ESPALIER_ASSIGN(std::vector<ModelSource> sources, model_sources(state, data, labels_required));
  const auto& about = state.model.about();
  ESPALIER_ASSIGN(const model::Task* const task, model::find_task(about.task));
  // Clusters of documents have a layout of their own.
  if (data.corpus() == nullptr || task->kind == model::TaskKind::kSummary) return sources;
  const auto& given = data.corpus()->state()->sequences;
  const size_t columns = about.reading.columns;
  // Rows that were added have the label, or a placeholder, in the last cell; those of files are as in the
  // file.
  const bool added = data.corpus()->state()->reading.columns > 0;
  // Sequences with several labels per token, and what else comes from files, have their labels in place.
  if (labels_required && (!added || state.info.labels.size() > 1)) return sources;
  const auto label = data::resolve_label_column(state.unlabelled, columns);
  const bool fits = std::all_of(given.begin(), given.end(), [&](const data::Sequence& sequence) {
    if (added) return sequence.columns() == columns && label.ok() && *label + 1 == columns;
    return sequence.columns() == columns || sequence.columns() + 1 == columns;
  });
  if (fits) return sources;
  auto laid_out = std::make_shared<std::vector<data::Sequence>>(given.size());
  for (size_t i = 0; i < given.size(); ++i) {
    data::Sequence& out = (*laid_out)[i];
    const auto sequence = sequence_for_model(given[i], state.unlabelled, about.features.feature_columns, out);
    if (!sequence.ok()) return fail("sequence {}: {}", i + 1, sequence.error().message);
    if (*sequence != &out) {
      out = **sequence;
    } else if (given[i].has_labels()) {
      for (size_t row = 0; row < out.length(); ++row) out.replace_label(row, given[i].label(row));
      out.set_label(given[i].label(out.length() - 1));  // from now on it has labels
    }
  }
  sources = {{data::Source(std::move(laid_out), data.corpus()->state()->name), sources.front().input}};
  return sources;
}

}  // namespace espalier::api
