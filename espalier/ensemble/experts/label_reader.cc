#include "espalier/ensemble/experts/label_reader.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "espalier/base/text/format.h"
#include "espalier/base/text/json.h"
#include "espalier/base/text/text.h"
#include "espalier/data/formats/json_scan.h"
#include "espalier/data/formats/lines.h"
#include "espalier/data/label_set.h"

namespace espalier::ensemble {
namespace {

bool between_labels(char c) { return c == ' ' || c == '\t'; }

/// Calls use(label) for each piece of a line between blanks.
template <typename Use>
void split_labels(std::string_view line, const Use& use) {
  for (size_t at = 0; at < line.size();) {
    while (at < line.size() && between_labels(line[at])) ++at;
    const size_t first = at;
    while (at < line.size() && !between_labels(line[at])) ++at;
    if (at > first) use(line.substr(first, at - first));
  }
}

void add_label(std::string_view label, uint64_t line, data::Sequence& sequence) {
  sequence.begin_row(label, line);
  sequence.add_cell(0, label.size());
}

class LabelReader : public data::Reader {
 public:
  LabelReader(data::Lines lines, LabelLayout layout) : lines_(std::move(lines)), layout_(layout) {}

  Result<bool> next(data::Sequence& sequence) override {
    sequence.clear(1);
    ESPALIER_ASSIGN(const bool more, layout_ == LabelLayout::kRows    ? next_rows(sequence)
                                     : layout_ == LabelLayout::kLines ? next_line(sequence)
                                                                      : next_object(sequence));
    if (more) {
      sequence.set_label_column(0);
      any_ = true;
    } else if (!any_) {
      return fail("{}: the file has no sequences", lines_.name());
    }
    return more;
  }
  std::string_view name() const override { return lines_.name(); }

 private:
  Result<bool> next_rows(data::Sequence& sequence) {
    std::string_view line;
    while (true) {
      ESPALIER_ASSIGN(const bool more, lines_.next(line));
      if (!more) return !sequence.empty();
      if (data::is_blank(line)) {
        if (!sequence.empty()) return true;
        continue;
      }
      size_t labels = 0;
      split_labels(line, [&](std::string_view label) {
        if (labels++ == 0) add_label(label, lines_.number(), sequence);
      });
      if (labels > 1)
        return lines_.error("expected one label as in the lines before, found {} columns", labels);
      ESPALIER_TRY(check_size(sequence));
    }
  }

  Result<bool> next_line(data::Sequence& sequence) {
    std::string_view line;
    ESPALIER_ASSIGN(const bool more, lines_.next(line));
    if (!more) return false;
    if (const size_t tab = line.find('\t'); tab != std::string_view::npos) {
      sequence.add_comment(std::string(line.substr(0, tab)));
      line.remove_prefix(tab + 1);
    }
    split_labels(line, [&](std::string_view label) { add_label(label, lines_.number(), sequence); });
    ESPALIER_TRY(check_size(sequence));
    return true;
  }

  /// The same for a line without escapes; false if it is not that plain, or if anything is wrong with it.
  bool fill_plain(std::string_view line, data::Sequence& sequence) const {
    if (!valid_utf8(line) || line.size() > data::Sequence::kMaxTextBytes / 2) return false;
    bool labels_seen = false, id_seen = false;
    return data::scan_members(line,
                              [&](std::string_view name, data::JsonScan& scan) {
                                std::string_view text;
                                if (name == "labels") {
                                  if (labels_seen) return false;
                                  labels_seen = true;
                                  return scan.take_array([&] {
                                    if (scan.take_null()) {
                                      text = data::kUnknownLabelText;
                                    } else if (!scan.take_text(text) || text.empty()) {
                                      return false;
                                    }
                                    add_label(text, lines_.number(), sequence);
                                    return true;
                                  });
                                }
                                if (name == "id" && !id_seen && scan.next_is('"')) {
                                  id_seen = true;
                                  if (!scan.take_text(text)) return false;
                                  sequence.add_comment(std::string(text));
                                  return true;
                                }
                                return name != "id" && name != "tokens" && scan.take_value(text) &&
                                       is_json(text);
                              }) &&
           labels_seen;
  }

  Result<bool> next_object(data::Sequence& sequence) try {
    std::string_view line;
    do {
      ESPALIER_ASSIGN(const bool more, lines_.next(line));
      if (!more) return false;
    } while (data::is_blank(line));
    if (fill_plain(line, sequence)) return true;
    sequence.clear(1);
    const Json object = parse_json(line);
    if (!object.is_object() || !object.contains("labels") || !object["labels"].is_array())
      return lines_.error("expected an object with \"labels\", an array of texts");
    if (object.contains("tokens"))
      return lines_.error("\"tokens\" next to \"labels\", which the objects before do not have");
    if (const auto id = object.find("id"); id != object.end() && !id->is_null())
      sequence.add_comment(id->is_string() ? id->get<std::string>() : id->dump());
    for (const Json& label : object["labels"]) {
      if (!label.is_string() && !label.is_null())
        return lines_.error("a label is {}, expected text or null", label.type_name());
      const std::string text =
          label.is_null() ? std::string(data::kUnknownLabelText) : label.get<std::string>();
      if (text.empty()) return lines_.error("a label is empty text");
      add_label(text, lines_.number(), sequence);
    }
    ESPALIER_TRY(check_size(sequence));
    return true;
  } catch (const Json::exception&) {
    return lines_.error("not a JSON value");
  }

  Status check_size(const data::Sequence& sequence) const {
    if (sequence.text_bytes() < data::Sequence::kMaxTextBytes / 2) return {};
    return lines_.error("the sequence is longer than 1 GiB; are the ends of sequences missing?");
  }

  data::Lines lines_;
  LabelLayout layout_;
  bool any_ = false;
};

Result<data::Lines> open_lines(const std::string& path, const std::string& encoding_name) {
  ESPALIER_ASSIGN(const data::Encoding encoding, data::parse_encoding(encoding_name));
  ESPALIER_ASSIGN(Input input, Input::open(path));
  return data::Lines(std::move(input), encoding);
}

}  // namespace

Result<LabelLayout> parse_label_layout(std::string_view text) {
  if (text == "rows") return LabelLayout::kRows;
  if (text == "lines") return LabelLayout::kLines;
  return fail("labels only '{}': expected rows (one label per line) or lines (one sequence per line)", text);
}

Result<LabelLayout> find_label_layout(const std::string& path, const data::ReadOptions& reading) {
  const bool json = reading.format == data::Format::kJsonLines;
  std::error_code ignored;
  if ((!json && reading.format != data::Format::kColumns) || !std::filesystem::is_regular_file(path, ignored))
    return LabelLayout::kWithTokens;
  ESPALIER_ASSIGN(data::Lines lines, open_lines(path, reading.encoding));
  std::string_view line;
  do {
    ESPALIER_ASSIGN(const bool more, lines.next(line));
    if (!more) return LabelLayout::kWithTokens;
  } while (data::is_blank(line));
  if (json) {
    const Json object = try_parse_json(line);
    const bool labels_alone = object.is_object() && object.contains("labels") && !object.contains("tokens");
    return labels_alone ? LabelLayout::kJson : LabelLayout::kWithTokens;
  }
  size_t cells = 0;
  split_labels(line, [&](std::string_view) { ++cells; });
  return cells == 1 && line.find('\t') == std::string_view::npos ? LabelLayout::kRows
                                                                 : LabelLayout::kWithTokens;
}

Result<std::unique_ptr<data::Reader>> open_label_reader(const std::string& path, LabelLayout layout,
                                                        const std::string& encoding) {
  ESPALIER_CHECK(layout != LabelLayout::kWithTokens);
  ESPALIER_ASSIGN(data::Lines lines, open_lines(path, encoding));
  return std::unique_ptr<data::Reader>(std::make_unique<LabelReader>(std::move(lines), layout));
}

std::string_view sequence_name(const data::Sequence& sequence) {
  return sequence.comments().empty() ? std::string_view() : sequence.comments().front();
}

void append_labels(LabelLayout layout, std::string_view name, std::span<const std::string_view> labels,
                   std::span<const double> confidence, std::optional<double> sequence_confidence,
                   std::string& out) {
  const bool numbers = sequence_confidence.has_value();
  if (layout == LabelLayout::kJson) {
    Json object;
    if (!name.empty()) object["id"] = name;
    object["labels"] = Json::array();
    for (const std::string_view label : labels) object["labels"].push_back(label);
    if (numbers) object["confidence"] = confidence;
    if (numbers) object["sequence_confidence"] = *sequence_confidence;
    out += json_text(object) + "\n";
    return;
  }
  if (layout == LabelLayout::kRows) {
    for (size_t i = 0; i < labels.size(); ++i) {
      out += labels[i];
      if (numbers) append_format(out, " {:.4f}", confidence[i]);
      if (numbers) out += i == 0 ? fmt::format(" {:.4f}", *sequence_confidence) : " _";
      out += "\n";
    }
    out += "\n";
    return;
  }
  if (!name.empty()) append_format(out, "{}\t", name);
  for (size_t i = 0; i < labels.size(); ++i) append_format(out, "{}{}", i == 0 ? "" : " ", labels[i]);
  if (numbers) append_format(out, "\t{:.4f}\t", *sequence_confidence);
  for (size_t i = 0; numbers && i < confidence.size(); ++i)
    append_format(out, "{}{:.4f}", i == 0 ? "" : " ", confidence[i]);
  out += "\n";
}

}  // namespace espalier::ensemble
