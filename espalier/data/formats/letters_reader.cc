#include "espalier/data/formats/letters_reader.h"

#include <array>
#include <charconv>
#include <string>

#include "espalier/data/formats/label_column.h"
#include "espalier/data/label_set.h"

namespace espalier::data {
namespace {

constexpr size_t kPixelRows = 16;
constexpr size_t kPixelColumns = 8;
constexpr size_t kPixels = kPixelRows * kPixelColumns;
constexpr size_t kPixelTextBytes = kPixels * sizeof("p_15_7");
enum Column : size_t { kId, kLetter, kNextId, kWordId, kPosition, kFold, kFirstPixel };
constexpr size_t kFields = kFirstPixel + kPixels;

std::array<std::string, kPixels> pixel_names() {
  std::array<std::string, kPixels> names;
  for (size_t i = 0; i < kPixels; ++i)
    names[i] = fmt::format("p_{}_{}", i / kPixelColumns, i % kPixelColumns);
  return names;
}

class LettersReader : public Reader {
 public:
  LettersReader(Lines lines, bool labels_required)
      : lines_(std::move(lines)), labels_required_(labels_required), names_(pixel_names()) {}

  Result<bool> next(Sequence& sequence) override {
    sequence.clear();
    any_label_ = false;
    std::string_view line;
    while (true) {
      ended_ = false;  // also if the line cannot be read
      ESPALIER_ASSIGN(const bool more, lines_.next(line));
      ended_ = !more || ends_word(line);
      if (!more) {
        if (sequence.empty()) return false;
        return lines_.error("the file ends inside word {}: next_id of its last letter is not -1", word_);
      }
      if (is_blank(line)) continue;
      if (sequence.text_bytes() + line.size() + kPixelTextBytes > Sequence::kMaxTextBytes)
        return lines_.error("word {} is longer than 2 GiB", word_);
      ESPALIER_ASSIGN(const bool ended, add_letter(line, sequence));
      if (ended) break;
    }
    if (!any_label_) sequence.drop_labels();
    return true;
  }
  std::string_view name() const override { return lines_.name(); }
  bool would_wait() override { return lines_.would_wait(); }
  Status recover() override {
    std::string_view line;
    while (!ended_) {
      ESPALIER_ASSIGN(const bool more, lines_.next_unchecked(line));
      ended_ = !more || ends_word(line);
    }
    return {};
  }

 private:
  /// Whether next_id, the third field, says that no letter follows.
  static bool ends_word(std::string_view line) {
    for (size_t field = 0; field < kNextId; ++field) {
      const size_t tab = line.find('\t');
      if (tab == line.npos) return false;
      line.remove_prefix(tab + 1);
    }
    return line.substr(0, line.find('\t')) == "-1";
  }

  Result<long> integer(std::string_view text, std::string_view what) const {
    long value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size())
      return lines_.error("expected a whole number as {}, found {}", what, in_quotes(text));
    return value;
  }

  /// True where the letter is the last of its word.
  Result<bool> add_letter(std::string_view line, Sequence& sequence) {
    std::array<std::string_view, kFields> fields;
    size_t found = 0;
    const std::string_view text = line.ends_with('\t') ? line.substr(0, line.size() - 1) : line;
    for (size_t at = 0; at <= text.size(); ++found) {
      const size_t stop = std::min(text.find('\t', at), text.size());
      if (found < kFields) fields[found] = text.substr(at, stop - at);
      at = stop + 1;
    }
    if (found != kFields)
      return lines_.error("expected {} fields separated by tabs, found {}", kFields, found);

    ESPALIER_ASSIGN(const long next_id, integer(fields[kNextId], "next_id (field 3)"));
    ESPALIER_ASSIGN(const long word, integer(fields[kWordId], "word_id (field 4)"));
    ESPALIER_ASSIGN(const long fold, integer(fields[kFold], "fold (field 6)"));
    if (sequence.empty()) {
      if (fold < 0 || fold > 1'000'000)
        return lines_.error("fold {} is not a number from 0 to 1000000", fold);
      word_ = word;
      sequence.set_fold(static_cast<int>(fold));
    } else if (word != word_) {
      return lines_.error("word {} begins, but next_id of the last letter of word {} is not -1", word, word_);
    } else if (fold != *sequence.fold()) {
      return lines_.error("word {} is in fold {} and in fold {}", word, *sequence.fold(), fold);
    }

    sequence.begin_row(line, lines_.number());
    const std::string_view letter = fields[kLetter];
    if (letter.empty() && labels_required_) return lines_.error("the letter (field 2) is empty");
    if (!letter.empty() && letter != kUnknownLabelText) any_label_ = true;
    if (labels_required_) any_label_ = true;
    sequence.set_label(letter.empty() ? kUnknownLabelText : letter);
    for (size_t i = 0; i < kPixels; ++i) {
      const std::string_view pixel = fields[kFirstPixel + i];
      if (pixel == "1") {
        sequence.add_attribute(names_[i], 1);
      } else if (pixel != "0") {
        return lines_.error("pixel {} (field {}) is {}, expected 0 or 1", names_[i], kFirstPixel + i + 1,
                            in_quotes(pixel));
      }
    }
    return next_id == -1;
  }

  Lines lines_;
  bool labels_required_;
  bool any_label_ = false;
  bool ended_ = true;  ///< the last line read was the last of its word
  long word_ = 0;
  std::array<std::string, kPixels> names_;
};

}  // namespace

Result<std::unique_ptr<Reader>> make_letters_reader(Lines lines, const ReadOptions& options) {
  ESPALIER_TRY(resolve_label_column(options, 1));
  return std::unique_ptr<Reader>(std::make_unique<LettersReader>(std::move(lines), options.labels_required));
}

}  // namespace espalier::data
