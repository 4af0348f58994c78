#include "espalier/api/text_suspicion.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "espalier/api/tagger.h"

namespace espalier::api {
namespace {

bool is_like_text(const data::Sequence& sequence) {
  return sequence.length() > 0 && sequence.columns() > 1 && !sequence.has_labels() &&
         sequence.raw(0).find(' ') != std::string_view::npos &&
         sequence.raw(0).find('\t') == std::string_view::npos;
}

/// Whether the model knows what a row of columns has beside the word, such as its tag: each of these cells
/// that features use changes the score of the row, and one of them at least is more than punctuation. Words
/// of raw text that are taken for such cells do not.
bool knows_row(const Tagger::State& tagger, const ModelInput& input, const data::Sequence& sequence,
               size_t row) {
  const data::Predictor& predictor = tagger.model.bare();
  const auto scratch = predictor.make_scratch();
  data::Prediction found;
  const size_t columns = sequence.columns();
  // The score of the row with a cell that no data has; `columns`: with its own cells.
  const auto score_without = [&](size_t column) -> std::optional<double> {
    data::Sequence changed;
    changed.clear(columns);
    changed.begin_row(sequence.raw(row), sequence.line(row));
    for (size_t c = 0; c < columns; ++c)
      changed.add_cell(c == column ? std::string_view("\x01\x02") : sequence.cell(row, c));
    if (!predictor.predict(changed, {}, {}, *scratch, found).ok()) return std::nullopt;
    return found.best.front().score;
  };
  const std::optional<double> whole = score_without(columns);
  bool letters = false;
  for (const size_t c : tagger.info.feature_columns) {
    if (c == word_cell(tagger, input) || c >= columns) continue;
    const std::string_view cell = sequence.cell(row, c);
    letters = letters || std::any_of(cell.begin(), cell.end(), [](unsigned char byte) {
                return std::isalnum(byte) != 0 || byte >= 0x80;
              });
    if (!whole || score_without(c) == whole) return false;
  }
  return letters;
}

/// Whether nothing but the word could be known: nothing else is read, or scores are those of whole trees.
bool knows_only_words(const Tagger::State& tagger, const ModelInput& input) {
  return input.map || tagger.info.feature_columns.size() < 2 || tagger.model.bare().builds_trees();
}

}  // namespace

void TextSuspicion::look_at(const Tagger::State& tagger, const ModelInput& input,
                            const data::Sequence& sequence) {
  if (!is_like_text(sequence)) return;
  ++like_text_;
  if (surely_rows_) return;
  longer_ = longer_ || sequence.length() > 1;
  if (longer_ && knows_only_words(tagger, input)) {
    surely_rows_ = true;
    return;
  }
  for (size_t row = 0; row < sequence.length() && looked_at_ < kMostRows && !surely_rows_; ++row) {
    ++looked_at_;
    known_ += !input.map && knows_row(tagger, input, sequence, row);
    surely_rows_ = longer_ && known_ >= kMostRows / kOneIn;
  }
}

Status TextSuspicion::verdict(size_t sequences) const {
  if (like_text_ == 0 || like_text_ < sequences || surely_rows_ || known_ == looked_at_) return {};
  if (longer_ && known_ * kOneIn >= looked_at_) return {};
  return fail(
      "{} and {} known from training: if this is raw text, use --text; if these are columns, say so with "
      "--input-format columns",
      longer_ ? "all rows are words with blanks between,"
              : "every sequence is a single row of words with blanks between,",
      longer_ ? "hardly a cell beside the first is" : "not all of its cells are");
}

}  // namespace espalier::api
