#include "espalier/data/formats/conllu_reader.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "espalier/data/formats/label_column.h"
#include "espalier/data/formats/lines_reader.h"
#include "espalier/data/label_set.h"

namespace espalier::data {
namespace {

enum class Id { kWord, kRange, kEmptyNode, kInvalid };

/// Tells `3`, `3-4` and `3.1` apart; `first` is the number in front.
Id parse_id(std::string_view text, size_t& first) {
  const char* const end = text.data() + text.size();
  auto [p, code] = std::from_chars(text.data(), end, first);
  if (code != std::errc()) return Id::kInvalid;
  if (p == end) return Id::kWord;
  const char mark = *p++;
  if (mark != '-' && mark != '.') return Id::kInvalid;
  size_t second = 0;
  const auto [q, code2] = std::from_chars(p, end, second);
  if (code2 != std::errc() || q != end) return Id::kInvalid;
  if (mark == '.') return Id::kEmptyNode;
  return second > first ? Id::kRange : Id::kInvalid;
}

class ConlluReader : public LinesReader {
 public:
  ConlluReader(Lines lines, size_t label, bool labels_required)
      : LinesReader(std::move(lines)), label_(label), labels_required_(labels_required) {}

  Result<bool> next(Sequence& sequence) override {
    sequence.clear(kConlluColumns);
    std::string_view line;
    while (true) {
      inside_ = true;  // also if the line cannot be read
      ESPALIER_ASSIGN(const bool more, lines_.next(line));
      inside_ = more && !is_blank(line);
      if (!inside_) {
        if (!sequence.empty()) break;
        if (sequence.extra_line_count() != 0) return lines_.error("the sentence that ends here has no word");
        // Comments without a sentence belong to the next sentence.
        if (!more) return false;
        continue;
      }
      if (sequence.text_bytes() + line.size() > Sequence::kMaxTextBytes)
        return lines_.error("the sentence is longer than 2 GiB");
      ESPALIER_TRY(add_line(line, sequence));
    }
    set_labels(sequence);
    return true;
  }

 private:
  Status add_line(std::string_view line, Sequence& sequence) {
    if (line.front() == '#') {
      if (sequence.empty() && sequence.extra_line_count() == 0) {
        sequence.add_comment(std::string(line));
      } else {
        sequence.add_extra_line(line);
      }
      return {};
    }

    std::array<size_t, kConlluColumns + 1> begin;  // cell i is [begin[i], begin[i+1] − 1)
    size_t found = 0;
    for (size_t at = 0; at <= line.size(); ++found) {
      if (found < kConlluColumns) begin[found] = at;
      at = std::min(line.find('\t', at), line.size()) + 1;
    }
    if (found == 1 && !labels_required_)
      return lines_.error(
          "expected {} columns separated by tabs, found 1; for words alone, one per line, use "
          "--input-format columns, for raw text --text",
          kConlluColumns);
    if (found != kConlluColumns)
      return lines_.error("expected {} columns separated by tabs, found {}", kConlluColumns, found);
    begin[kConlluColumns] = line.size() + 1;

    const std::string_view id = line.substr(0, begin[1] - 1);
    size_t number = 0;
    switch (parse_id(id, number)) {
      case Id::kRange:
      case Id::kEmptyNode:
        sequence.add_extra_line(line);
        return {};
      case Id::kWord:
        if (number == sequence.length() + 1) break;
        return lines_.error("expected word number {} in column 1, found {}{}", sequence.length() + 1, number,
                            number == 1 ? "; is a blank line missing?" : "");
      case Id::kInvalid:
        return lines_.error("expected a word number in column 1 (3, 3-4 or 3.1), found {}", in_quotes(id));
    }
    sequence.begin_row(line, lines_.number());
    for (size_t i = 0; i < kConlluColumns; ++i) sequence.add_cell(begin[i], begin[i + 1] - 1 - begin[i]);
    if (begin[label_ + 1] - 1 == begin[label_])
      return lines_.error("the label in column {} is empty; write _ where it is not known", label_ + 1);
    return {};
  }

  void set_labels(Sequence& sequence) const {
    sequence.set_label_column(label_);
    if (label_ == kConlluFeats) {
      // Here _ is a value, "no features". Elsewhere it means that nobody has filled in the column.
      for (size_t r = 0; r < sequence.length(); ++r)
        if (sequence.label(r) == kUnknownLabelText) sequence.replace_label(r, kNoFeatures);
      return;
    }
    if (labels_required_) return;
    for (size_t r = 0; r < sequence.length(); ++r)
      if (sequence.label(r) != kUnknownLabelText) return;
    sequence.drop_labels();
  }

  size_t label_;
  bool labels_required_;
};

}  // namespace

Result<std::unique_ptr<Reader>> make_conllu_reader(Lines lines, const ReadOptions& options) {
  ESPALIER_ASSIGN(const size_t label, resolve_label_column(options, kConlluColumns));
  ESPALIER_ASSIGN(const std::vector<size_t> all, resolve_label_columns(options, kConlluColumns));
  if (std::find(all.begin(), all.end(), kConlluFeats) != all.end() && label != kConlluFeats)
    return fail("label column '{}': feats, where _ is a value, must be the last of several",
                options.label_column);
  return std::unique_ptr<Reader>(
      std::make_unique<ConlluReader>(std::move(lines), label, options.labels_required));
}

}  // namespace espalier::data
