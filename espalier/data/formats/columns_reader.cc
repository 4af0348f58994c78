#include "espalier/data/formats/columns_reader.h"

#include <cstring>
#include <optional>

#include "espalier/base/counted.h"
#include "espalier/data/formats/row_layout.h"

namespace espalier::data {
namespace {

bool separates(char c) { return c == ' ' || c == '\t'; }

class ColumnsReader : public Reader {
 public:
  ColumnsReader(Lines lines, const ReadOptions& options) : lines_(std::move(lines)), options_(options) {}

  Result<bool> next(Sequence& sequence) override {
    sequence.clear(width_);
    std::string_view line;
    while (true) {
      ESPALIER_ASSIGN(const bool more, lines_.next(line));
      if (!more) break;
      if (line.empty() || (separates(line.front()) && is_blank(line))) {
        if (!sequence.empty()) break;
        continue;
      }
      if (width_ == 0) {
        ESPALIER_TRY(learn_layout(line));
        sequence.clear(width_);
      }
      ESPALIER_TRY(add_row(line, sequence));
    }
    if (sequence.empty()) return false;
    if (label_present_) ESPALIER_TRY(set_labels(sequence));
    return true;
  }
  std::string_view name() const override { return lines_.name(); }
  bool would_wait() const override { return lines_.would_wait(); }

 private:
  /// Calls found(begin, size) for each cell of the line, one pass.
  template <typename Found>
  void split(std::string_view line, Found found) const {
    const char* const begin = line.data();
    const char* const end = begin + line.size();
    const char* p = begin;
    if (tabs_) {
      while (true) {
        const void* const tab = std::memchr(p, '\t', static_cast<size_t>(end - p));
        const char* const stop = tab == nullptr ? end : static_cast<const char*>(tab);
        found(static_cast<size_t>(p - begin), static_cast<size_t>(stop - p));
        if (tab == nullptr) return;
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
    tabs_ = line.find('\t') != std::string_view::npos;
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
    if (!tabs_) return {};  // only single tabs can leave a cell empty
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

  Lines lines_;
  ReadOptions options_;
  size_t width_ = 0;    ///< cells a Sequence gets; 0 until the first row was seen
  size_t present_ = 0;  ///< cells in a line of the file
  size_t label_ = 0;
  uint64_t first_line_ = 0;
  bool tabs_ = false;
  bool label_present_ = false;
  std::optional<size_t> placeholder_;  ///< where an absent label leaves its gap
};

}  // namespace

Result<std::unique_ptr<Reader>> make_columns_reader(Lines lines, const ReadOptions& options) {
  return std::unique_ptr<Reader>(std::make_unique<ColumnsReader>(std::move(lines), options));
}

}  // namespace espalier::data
