#include "espalier/data/formats/columns_reader.h"

#include <bit>
#include <cstring>
#include <optional>

#include "espalier/base/text/counted.h"
#include "espalier/base/text/text_bytes.h"
#include "espalier/data/formats/lines_reader.h"
#include "espalier/data/formats/row_layout.h"

namespace espalier::data {
namespace {

bool separates(char c) { return c == ' ' || c == '\t'; }

/// Stands between documents in the files of the CoNLL-2003 task, as a row of its own that is not a token.
constexpr std::string_view kDocumentStart = "-DOCSTART-";

class ColumnsReader : public LinesReader {
 public:
  ColumnsReader(Lines lines, const ReadOptions& options)
      : LinesReader(std::move(lines)),
        options_(options),
        single_(options.separator.empty() ? '\0' : options.separator.front()) {}

  Result<bool> next(Sequence& sequence) override {
    sequence.clear(width_);
    if (!document_.empty()) add_document_start(document_, sequence);
    document_.clear();
    std::string_view line;
    while (true) {
      inside_ = true;  // also if the line cannot be read
      ESPALIER_ASSIGN(const bool more, lines_.next(line));
      inside_ = false;
      if (!more) break;
      if (line.empty() || (separates(line.front()) && is_blank(line))) {
        if (!sequence.empty()) break;
        continue;
      }
      if (starts_document(line)) {
        if (!sequence.empty()) {
          document_ = line;
          break;
        }
        add_document_start(line, sequence);
        continue;
      }
      inside_ = true;
      if (!options_.comment.empty() && line.starts_with(options_.comment)) {
        sequence.add_extra_line(line);
        continue;
      }
      if (width_ == 0) {
        ESPALIER_TRY(learn_layout(line));
        sequence.set_columns(width_);
      }
      ESPALIER_TRY(add_row(line, sequence));
    }
    if (sequence.empty()) return false;
    if (label_present_) ESPALIER_TRY(set_labels(sequence));
    return true;
  }

 private:
  bool starts_document(std::string_view line) const {
    if (line.front() != kDocumentStart.front() || !line.starts_with(kDocumentStart)) return false;
    line.remove_prefix(kDocumentStart.size());
    return line.empty() || separates(line.front()) || line.front() == single_;
  }
  /// Kept so that a writer puts it back, with the blank line after it.
  static void add_document_start(std::string_view line, Sequence& sequence) {
    sequence.add_extra_line(line);
    sequence.add_extra_line({});
  }

  /// Calls found(begin, size) for each cell of the line, one pass.
  template <typename Found>
  void split(std::string_view line, Found found) const {
    constexpr size_t kShort = 64;
    if (single_ == '\0' && line.size() <= kShort) {
      uint64_t cells = ~places_of(line, ' ', '\t');
      if (line.size() < kShort) cells &= (uint64_t{1} << line.size()) - 1;
      while (cells != 0) {
        const int first = std::countr_zero(cells), size = std::countr_one(cells >> first);
        found(static_cast<size_t>(first), static_cast<size_t>(size));
        cells &= cells + (uint64_t{1} << first);  // clears the lowest run of ones
      }
      return;
    }
    const char* const begin = line.data();
    const char* const end = begin + line.size();
    const char* p = begin;
    if (single_ != '\0') {
      while (true) {
        const void* const at = std::memchr(p, single_, static_cast<size_t>(end - p));
        const char* const stop = at == nullptr ? end : static_cast<const char*>(at);
        found(static_cast<size_t>(p - begin), static_cast<size_t>(stop - p));
        if (at == nullptr) return;
        p = stop + 1;
      }
    }
    while (true) {
      while (p != end && separates(*p)) ++p;
      if (p == end) return;
      const char* const start = p;
      while (p != end && !separates(*p)) ++p;
      found(static_cast<size_t>(start - begin), static_cast<size_t>(p - start));
    }
  }

  /// The first row decides the separator, the number of cells, and whether the label is among them.
  Status learn_layout(std::string_view line) {
    if (options_.separator.empty()) single_ = line.find('\t') != std::string_view::npos ? '\t' : '\0';
    present_ = 0;
    split(line, [&](size_t, size_t) { ++present_; });
    first_line_ = lines_.number();

    const auto layout = row_layout(options_, present_);
    if (!layout) return lines_.error("{}", layout.error().message);
    label_present_ = layout->label_present;
    label_ = layout->label;
    placeholder_ = layout->placeholder;
    width_ = layout->width;
    return {};
  }

  Status add_row(std::string_view line, Sequence& sequence) {
    if (sequence.text_bytes() + line.size() > Sequence::kMaxTextBytes)
      return lines_.error(
          "the sequence is longer than 2 GiB; are the blank lines between sequences missing?");
    sequence.begin_row(line, lines_.number());
    size_t found = 0;
    if (placeholder_) {
      split(line, [&](size_t begin, size_t size) {
        if (found == *placeholder_) sequence.add_cell(0, 0);
        sequence.add_cell(begin, size);
        ++found;
      });
    } else {
      split(line, [&](size_t begin, size_t size) {
        sequence.add_cell(begin, size);
        ++found;
      });
    }
    if (found == present_) return {};
    return lines_.error("expected {} as in line {}, found {}", counted(present_, "column"), first_line_,
                        found);
  }

  Status set_labels(Sequence& sequence) {
    sequence.set_label_column(label_);
    if (single_ == '\0') return {};  // only single separators can leave a cell empty
    for (size_t r = 0; r < sequence.length(); ++r) {
      if (!sequence.label(r).empty()) continue;
      if (options_.labels_required)
        return fail("{}:{}: the label in column {} is empty; write _ where it is not known", lines_.name(),
                    sequence.line(r), label_ + 1);
      sequence.drop_labels();
      return {};
    }
    return {};
  }

  ReadOptions options_;
  size_t width_ = 0;    ///< cells a Sequence gets; 0 until the first row was seen
  size_t present_ = 0;  ///< cells in a line of the file
  size_t label_ = 0;
  uint64_t first_line_ = 0;
  char single_;           ///< every one of these separates two cells; '\0': runs of blanks and tabs do
  std::string document_;  ///< a -DOCSTART- line that ended the sequence before
  bool label_present_ = false;
  std::optional<size_t> placeholder_;  ///< where an absent label leaves its gap
};

}  // namespace

Result<std::unique_ptr<Reader>> make_columns_reader(Lines lines, const ReadOptions& options) {
  return std::unique_ptr<Reader>(std::make_unique<ColumnsReader>(std::move(lines), options));
}

}  // namespace espalier::data
