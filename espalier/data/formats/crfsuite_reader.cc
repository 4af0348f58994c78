#include "espalier/data/formats/crfsuite_reader.h"

#include <cmath>

#include "espalier/base/text/text.h"
#include "espalier/data/attribute_values.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/data/formats/lines_reader.h"
#include "espalier/data/label_set.h"

namespace espalier::data {
namespace {

/// Where the name ends: at the first colon that is not escaped, or at the end of the text.
size_t name_size(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ':') return i;
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == ':' || text[i + 1] == '\\')) ++i;
  }
  return text.size();
}

/// The text without its escapes; where it has any, the result lives in `scratch`.
std::string_view unescape(std::string_view text, std::string& scratch) {
  if (text.find('\\') == text.npos) return text;
  scratch.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == ':' || text[i + 1] == '\\')) ++i;
    scratch.push_back(text[i]);
  }
  return scratch;
}

/// A number that can be learned from, or NaN.
float parse_value(std::string_view text) {
  const auto number = parse_number(text);
  const float narrow = number.ok() ? static_cast<float>(*number) : NAN;
  return usable_value(narrow) ? narrow : NAN;
}

class CrfsuiteReader : public LinesReader {
 public:
  CrfsuiteReader(Lines lines, bool labels_required)
      : LinesReader(std::move(lines)), labels_required_(labels_required) {}

  Result<bool> next(Sequence& sequence) override {
    sequence.clear();
    any_label_ = false;
    std::string_view line;
    while (true) {
      ESPALIER_ASSIGN(const bool more, next_line(sequence, line));
      if (!more) break;
      // Names are stored in addition to the raw line, so a row takes at most twice its text.
      if (sequence.text_bytes() + 2 * line.size() > Sequence::kMaxTextBytes)
        return lines_.error(
            "the sequence is longer than 2 GiB; are the blank lines between sequences missing?");
      ESPALIER_TRY(add_item(line, sequence));
    }
    if (sequence.empty()) return false;
    if (!any_label_) sequence.drop_labels();
    return true;
  }

 private:
  Status add_item(std::string_view line, Sequence& sequence) {
    constexpr std::string_view kWeight = "@weight:";
    if (line.starts_with(kWeight)) {
      const size_t tab = line.find('\t');
      const std::string_view text =
          line.substr(kWeight.size(), tab == line.npos ? tab : tab - kWeight.size());
      const float weight = parse_value(text);
      if (!(weight >= 0))
        return lines_.error("the weight {} is not a number from 0 to {:g}", in_quotes(text),
                            kLargestUsableValue);
      sequence.set_weight(weight);
      if (tab == line.npos) return {};
      line.remove_prefix(tab + 1);
    }

    sequence.begin_row(line, lines_.number());
    size_t tab = line.find('\t');
    // A bare colon belongs to the label, since labels have no values.
    const std::string_view label = unescape(line.substr(0, tab), scratch_);
    if (label.empty()) {
      if (labels_required_)
        return lines_.error("the label (first field) is empty; write _ where it is not known");
      sequence.set_label(kUnknownLabelText);
    } else {
      sequence.set_label(label);
      any_label_ = true;
    }
    while (tab != line.npos) {
      const size_t begin = tab + 1;
      tab = line.find('\t', begin);
      const std::string_view text = line.substr(begin, tab == line.npos ? tab : tab - begin);
      if (!text.empty()) ESPALIER_TRY(add_attribute(text, sequence));
    }
    return {};
  }

  Status add_attribute(std::string_view text, Sequence& sequence) {
    const size_t size = name_size(text);
    if (size == 0) return lines_.error("the attribute {} has no name", in_quotes(text));
    const std::string_view name = unescape(text.substr(0, size), scratch_);
    float value = 1;
    if (size + 1 < text.size()) {
      const std::string_view number = text.substr(size + 1);
      value = parse_value(number);
      if (std::isnan(value))
        return lines_.error(
            "the value {} of attribute {} is not a number from -{:g} to {:g} (a colon in a name is written "
            "\\:)",
            in_quotes(number), in_quotes(name), kLargestUsableValue, kLargestUsableValue);
    }
    sequence.add_attribute(name, value);
    return {};
  }

  bool labels_required_;
  bool any_label_ = false;
  std::string scratch_;
};

}  // namespace

Result<std::unique_ptr<Reader>> make_crfsuite_reader(Lines lines, const ReadOptions& options) {
  ESPALIER_TRY(resolve_label_column(options, 1));
  return std::unique_ptr<Reader>(std::make_unique<CrfsuiteReader>(std::move(lines), options.labels_required));
}

void append_crfsuite_name(std::string_view name, std::string& out) {
  for (const char c : name) {
    if (c == ':' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
}

}  // namespace espalier::data
