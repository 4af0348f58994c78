#include "espalier/data/input_map.h"

#include "espalier/data/formats/label_column.h"

namespace espalier::data {

Result<InputMap> InputMap::make(Format from, const ReadOptions& trained,
                                std::vector<size_t> feature_columns) {
  InputMap map;
  map.from_ = from;
  map.columns_ = trained.columns;
  map.feature_columns_ = std::move(feature_columns);
  if (several_label_columns(trained))
    return fail("a model of several label columns reads the format it was trained on, {}",
                format_name(trained.format));
  if (trained.columns > 0) {
    const bool chosen = trained.format == Format::kColumns || trained.format == Format::kConllu;
    map.label_ = trained.columns - 1;
    if (chosen) {
      ESPALIER_ASSIGN(map.label_, resolve_label_column(trained, trained.columns));
    }
    if (from == Format::kCrfsuite || from == Format::kLetters || from == Format::kScores)
      return fail("the model looks at columns of text, the format {} has attributes instead",
                  format_name(from));
  } else if (from == Format::kColumns || from == Format::kConllu) {
    return fail("the model looks at attributes; {} has columns of text instead", format_name(from));
  }
  return map;
}

Status InputMap::apply(const Sequence& from, Sequence& to) const {
  if ((columns_ == 0) != (from.columns() == 0))
    return fail("line {}: tokens have {}, but the model looks at {}", from.line(0),
                columns_ == 0 ? "text" : "attributes", columns_ == 0 ? "attributes" : "text");
  if (columns_ == 0) {
    to = from;
    return {};
  }
  std::vector<size_t> given;  // the cells of `from`, and for each its column in `to`
  if (from_ == Format::kConllu) {
    given = {word_cell(from_)};
  } else {
    for (size_t c = 0; c < from.columns(); ++c)
      if (c != from.label_column()) given.push_back(c);
  }
  std::vector<size_t> column_of;
  if (given.size() + 1 == columns_) {
    for (size_t c = 0; c < columns_; ++c)
      if (c != label_) column_of.push_back(c);
  } else if (given.size() == feature_columns_.size() || feature_columns_.size() == 1) {
    column_of = feature_columns_;
  } else {
    return fail("line {}: {} of text per token, but the model looks at {} columns", from.line(0),
                given.size() == 1 ? "1 cell" : fmt::format("{} cells", given.size()),
                feature_columns_.size());
  }
  std::vector<std::string_view> cells(columns_);
  to.clear(columns_);
  for (size_t r = 0; r < from.length(); ++r) {
    for (size_t i = 0; i < column_of.size() && i < given.size(); ++i)
      cells[column_of[i]] = from.cell(r, given[i]);
    if (from.has_labels()) cells[label_] = from.label(r);
    to.begin_row({}, from.line(r));
    for (const std::string_view cell : cells) to.add_cell(cell);
  }
  if (from.has_labels()) to.set_label_column(label_);
  return {};
}

}  // namespace espalier::data
