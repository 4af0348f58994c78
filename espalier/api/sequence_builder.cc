#include "espalier/api/sequence_builder.h"

#include <cmath>

#include "espalier/data/attribute_values.h"
#include "espalier/data/label_set.h"

namespace espalier {

void SequenceBuilder::State::begin_token() {
  end_row();
  ++tokens;
  open_ = true;
}

void SequenceBuilder::State::add_cell(std::string_view text) {
  if (!open_) return wrong(fail("a cell without a token; call begin_token() first"));
  if (kind_ == Kind::kAttributes)
    return wrong(fail("token {}: a cell, but the tokens before it have attributes", tokens));
  kind_ = Kind::kCells;
  if (!cells_.empty()) row_.push_back('\t');
  cells_.emplace_back(row_.size(), text.size());
  row_.append(text);
}

void SequenceBuilder::State::begin_attribute_row() {
  if (row_begun_) return;
  sequence.begin_row("", tokens);
  row_begun_ = true;
}

void SequenceBuilder::State::add_attribute(std::string_view name, double value) {
  if (!open_) return wrong(fail("an attribute without a token; call begin_token() first"));
  if (kind_ == Kind::kCells)
    return wrong(fail("token {}: an attribute, but there are cells before it", tokens));
  kind_ = Kind::kAttributes;
  const auto stored = static_cast<float>(value);
  if (!data::usable_value(stored))
    return wrong(fail("token {}: the value of attribute '{}' is {}; it must be from -{:g} to {:g}", tokens,
                      name, value, data::kLargestUsableValue, data::kLargestUsableValue));
  begin_attribute_row();
  sequence.add_attribute(name, stored);
}

void SequenceBuilder::State::set_label(std::string_view label) {
  if (!open_) return wrong(fail("a label without a token; call begin_token() first"));
  if (label.empty())
    return wrong(fail("token {}: the label is empty; write _ where it is not known", tokens));
  if (!has_label_) ++labelled_;
  label_ = label;
  has_label_ = true;
}

void SequenceBuilder::State::end_row() {
  if (!open_) return;
  open_ = false;
  if (kind_ == Kind::kCells) {
    if (sequence.empty()) {
      const float weight = sequence.weight();
      sequence.clear(cells_.size() + 1);
      sequence.set_weight(weight);
    }
    if (cells_.size() + 1 != sequence.columns()) {
      wrong(fail("token {}: {} cells, expected {} as in the first row", tokens, cells_.size(),
                 sequence.columns() - 1));
    } else {
      const size_t at = row_.size() + 1;
      row_.append("\t").append(has_label_ ? std::string_view(label_) : data::kUnknownLabelText);
      sequence.begin_row(row_, tokens);
      for (const auto& [offset, size] : cells_) sequence.add_cell(offset, size);
      sequence.add_cell(at, row_.size() - at);
    }
  } else {
    kind_ = Kind::kAttributes;
    begin_attribute_row();  // a token may have no attributes at all
    if (has_label_) sequence.set_label(label_);
  }
  row_begun_ = false;
  row_.clear();
  cells_.clear();
  has_label_ = false;
}

void SequenceBuilder::State::clear() {
  sequence.clear(0);
  tokens = 0;
  matrix_columns = 0;
  status = {};
  kind_ = Kind::kUnknown;
  open_ = row_begun_ = has_label_ = false;
  labelled_ = 0;
  row_.clear();
  cells_.clear();
}

Result<const data::Sequence*> SequenceBuilder::State::finish() {
  end_row();
  if (labelled_ != 0 && labelled_ != tokens) wrong(fail("{} tokens and {} labels", tokens, labelled_));
  if (sequence.text_bytes() >= data::Sequence::kMaxTextBytes)
    wrong(fail("the text of the sequence is too long"));
  if (!status.ok()) return status.error();
  if (kind_ == Kind::kCells && labelled_ != 0) sequence.set_label_column(sequence.columns() - 1);
  return static_cast<const data::Sequence*>(&sequence);
}

SequenceBuilder::SequenceBuilder() : state_(std::make_unique<State>()) { state_->clear(); }
SequenceBuilder::~SequenceBuilder() = default;
SequenceBuilder::SequenceBuilder(SequenceBuilder&&) noexcept = default;
SequenceBuilder& SequenceBuilder::operator=(SequenceBuilder&&) noexcept = default;

void SequenceBuilder::begin_token() { state_->begin_token(); }
void SequenceBuilder::add_cell(std::string_view text) { state_->add_cell(text); }
void SequenceBuilder::add_attribute(std::string_view name, double value) {
  state_->add_attribute(name, value);
}
void SequenceBuilder::set_label(std::string_view label) { state_->set_label(label); }
void SequenceBuilder::set_weight(double weight) { state_->sequence.set_weight(static_cast<float>(weight)); }
void SequenceBuilder::set_matrix_columns(size_t columns) { state_->matrix_columns = columns; }
size_t SequenceBuilder::size() const { return state_->tokens; }
Status SequenceBuilder::status() const {
  const auto finished = state_->finish();
  return finished.ok() ? Status() : Status(finished.error());
}
void SequenceBuilder::clear() { state_->clear(); }

}  // namespace espalier
