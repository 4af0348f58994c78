#include "espalier/data/formats/jsonl_reader.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "espalier/base/text/json.h"
#include "espalier/base/text/text.h"
#include "espalier/data/attribute_values.h"
#include "espalier/data/formats/json_scan.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/data/label_set.h"

namespace espalier::data {
namespace {

class JsonlReader : public Reader {
 public:
  JsonlReader(Lines lines, const ReadOptions& options)
      : lines_(std::move(lines)),
        labels_required_(options.labels_required),
        cells_(options.columns == 0 ? 0 : options.columns - 1) {}

  Result<bool> next(Sequence& sequence) override {
    std::string_view line;
    while (true) {
      ESPALIER_ASSIGN(const bool more, lines_.next(line));
      if (!more) return false;
      if (!is_blank(line)) break;
    }
    // Unescaping only shortens text, and an object's line is copied at most once.
    if (line.size() > Sequence::kMaxTextBytes) return lines_.error("the line is longer than 2 GiB");
    ESPALIER_ASSIGN(const bool plain, fill_plain(line, sequence));
    if (plain) return true;
    Json object;
    try {
      object = parse_json(line);
    } catch (const Json::parse_error& e) {
      return lines_.error("not a JSON value (byte {}): {}", e.byte, without_code(e.what()));
    } catch (const Json::exception& e) {  // a number too large for any type
      return lines_.error("not a JSON value: {}", without_code(e.what()));
    }
    ESPALIER_TRY(fill(object, line, sequence));
    return true;
  }
  std::string_view name() const override { return lines_.name(); }
  bool would_wait() override { return lines_.would_wait(); }
  Status recover() override { return {}; }  // a line is a sequence

 private:
  /// The parser's message without "[json.exception.…] " in front, and without the text that it quotes.
  static std::string_view without_code(std::string_view message) {
    const size_t end = message.find("] ");
    if (end != message.npos) message.remove_prefix(end + 2);
    return message.substr(0, message.find("; last read"));
  }

  /// Fills a sequence of words or cells from a line without escapes. False if the line is not that plain, or
  /// if anything is wrong with it.
  Result<bool> fill_plain(std::string_view line, Sequence& sequence) {
    if (!valid_utf8(line)) return false;
    texts_.clear();
    labels_.clear();
    size_t cells = 0;
    bool tokens_seen = false, labels_seen = false;
    Json others = Json::object();
    const bool scanned = scan_members(line, [&](std::string_view name, JsonScan& scan) {
      if (name == "tokens") {
        if (tokens_seen) return false;
        tokens_seen = true;
        return take_tokens(scan, cells);
      }
      if (name == "labels") {
        if (labels_seen) return false;
        labels_seen = true;
        return take_labels(scan);
      }
      std::string_view value;
      if (!scan.take_value(value) || others.contains(name)) return false;
      Json parsed = try_parse_json(value);
      if (parsed.is_discarded()) return false;
      others[std::string(name)] = std::move(parsed);
      return true;
    });
    if (!scanned || texts_.empty() || (cells_ != 0 && cells != cells_)) return false;
    const size_t tokens = texts_.size() / cells;
    if (labels_seen ? labels_.size() != tokens : labels_required_) return false;
    cells_ = cells;
    sequence.clear(cells_ + (labels_seen ? 1 : 0));
    for (size_t i = 0; i < tokens; ++i) {
      sequence.begin_row({}, lines_.number());
      for (size_t c = 0; c < cells; ++c) sequence.add_cell(texts_[i * cells + c]);
      if (labels_seen) sequence.add_cell(labels_[i]);
    }
    if (labels_seen) sequence.set_label_column(cells_);
    ESPALIER_TRY(set_extras(others, line, sequence));
    return true;
  }
  /// Tokens that are texts, or arrays of equally many.
  bool take_tokens(JsonScan& scan, size_t& cells) {
    std::string_view text;
    const auto take_cell = [&] { return scan.take_text(text) && (texts_.push_back(text), true); };
    return scan.take_array([&] {
      const size_t before = texts_.size();
      if (!(scan.next_is('[') ? scan.take_array(take_cell) : take_cell())) return false;
      const size_t found = texts_.size() - before;
      if (cells == 0) cells = found;
      return found == cells && found > 0;
    });
  }
  bool take_labels(JsonScan& scan) {
    std::string_view text;
    return scan.take_array([&] {
      if (scan.take_null()) {
        text = kUnknownLabelText;
      } else if (!scan.take_text(text) || text.empty()) {
        return false;
      }
      labels_.push_back(text);
      return true;
    });
  }

  Status fill(const Json& object, std::string_view line, Sequence& sequence) {
    if (!object.is_object()) return lines_.error("expected a JSON object, found {}", object.type_name());
    const auto tokens = object.find("tokens");
    if (tokens == object.end() || !tokens->is_array())
      return lines_.error("expected \"tokens\" with an array of tokens");
    if (tokens->empty()) return lines_.error("\"tokens\" is empty; a sequence has at least one");

    const auto labels = object.find("labels");
    const bool labelled = labels != object.end() && !labels->is_null();
    if (!labelled && labels_required_) return lines_.error("expected \"labels\" with an array of strings");
    if (labelled && (!labels->is_array() || labels->size() != tokens->size()))
      return lines_.error("expected \"labels\" with {} strings, one per token, found {}", tokens->size(),
                          labels->is_array() ? std::to_string(labels->size()) : labels->type_name());

    const bool attributes = tokens->front().is_object();
    if (!attributes && cells_ == 0) {
      cells_ = tokens->front().is_array() ? tokens->front().size() : 1;
      if (cells_ == 0) return lines_.error("token 1 has no cells");
    }
    sequence.clear(attributes ? 0 : cells_ + (labelled ? 1 : 0));
    for (size_t i = 0; i < tokens->size(); ++i) {
      sequence.begin_row({}, lines_.number());
      ESPALIER_TRY(attributes ? add_attributes((*tokens)[i], i, sequence)
                              : add_cells((*tokens)[i], i, sequence));
      if (!labelled) continue;
      ESPALIER_ASSIGN(const std::string_view label, label_text((*labels)[i], i));
      if (attributes) {
        sequence.set_label(label);
      } else {
        sequence.add_cell(label);
      }
    }
    if (labelled && !attributes) sequence.set_label_column(cells_);
    return set_extras(object, line, sequence);
  }

  Status add_cells(const Json& token, size_t i, Sequence& sequence) const {
    const size_t found = token.is_array() ? token.size() : 1;
    if (found != cells_) return lines_.error("token {}: expected {} cells, found {}", i + 1, cells_, found);
    for (size_t c = 0; c < found; ++c) {
      const Json& cell = token.is_array() ? token[c] : token;
      if (!cell.is_string())
        return lines_.error("token {}: expected text, found {}", i + 1, cell.type_name());
      sequence.add_cell(std::string_view(cell.get_ref<const std::string&>()));
    }
    return {};
  }

  Status add_attributes(const Json& token, size_t i, Sequence& sequence) const {
    if (!token.is_object())
      return lines_.error("token {}: expected an object of attributes as before, found {}", i + 1,
                          token.type_name());
    // In the order of their names, whatever the order in the file: models are the same then.
    std::vector<std::pair<std::string_view, const Json*>> attributes;
    for (const auto& [name, value] : token.get_ref<const Json::object_t&>())
      attributes.emplace_back(name, &value);
    std::sort(attributes.begin(), attributes.end());
    for (const auto& [name, value] : attributes) {
      const float number = value->is_number() ? value->get<float>() : NAN;
      if (!usable_value(number))
        return lines_.error("token {}: the value of attribute {} is not a number from -{:g} to {:g}", i + 1,
                            in_quotes(name), kLargestUsableValue, kLargestUsableValue);
      sequence.add_attribute(name, number);
    }
    return {};
  }

  Result<std::string_view> label_text(const Json& label, size_t i) const {
    if (label.is_null()) return kUnknownLabelText;
    if (!label.is_string() || label.get_ref<const std::string&>().empty())
      return lines_.error("label {}: expected text or null, found {}", i + 1,
                          label.is_string() ? "empty text" : label.type_name());
    return std::string_view(label.get_ref<const std::string&>());
  }

  /// `line` is where the object was read: numbers of more than 64 bits are kept as they are written there.
  Status set_extras(const Json& object, std::string_view line, Sequence& sequence) const {
    if (const auto fold = object.find("fold"); fold != object.end() && !fold->is_null()) {
      const int64_t number = fold->is_number_integer() ? fold->get<int64_t>() : -1;
      if (number < 0 || number > 1'000'000)
        return lines_.error("\"fold\" is {}, expected a number from 0 to 1000000", in_quotes(fold->dump()));
      sequence.set_fold(static_cast<int>(number));
    }
    if (const auto weight = object.find("weight"); weight != object.end() && !weight->is_null()) {
      const float number = weight->is_number() ? weight->get<float>() : NAN;
      if (!(number >= 0) || !usable_value(number))
        return lines_.error("\"weight\" is {}, expected a number from 0 to {:g}", in_quotes(weight->dump()),
                            kLargestUsableValue);
      sequence.set_weight(number);
    }
    std::optional<bool> oversized;
    for (const auto& [name, value] : object.get_ref<const Json::object_t&>()) {
      if (name == "tokens" || name == "labels" || name == "fold" || name == "weight") continue;
      if (!oversized) oversized = !oversized_integer(line).empty();
      const std::string_view written = *oversized ? json_member(line, name) : std::string_view();
      sequence.add_other_field(name,
                               oversized_integer(written).empty() ? json_text(value) : std::string(written));
    }
    return {};
  }

  Lines lines_;
  bool labels_required_;
  size_t cells_;  ///< of a token, label not counted; 0 until the first one was seen
  std::vector<std::string_view> texts_, labels_;  ///< scratch
};

}  // namespace

Result<std::unique_ptr<Reader>> make_jsonl_reader(Lines lines, const ReadOptions& options) {
  ESPALIER_TRY(resolve_label_column(options, options.columns));
  return std::unique_ptr<Reader>(std::make_unique<JsonlReader>(std::move(lines), options));
}

}  // namespace espalier::data
