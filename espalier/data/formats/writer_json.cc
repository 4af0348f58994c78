// Part of writer.h: JSON lines. Tested in writer_test.cc.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>

#include "espalier/base/text/format.h"
#include "espalier/base/text/json.h"
#include "espalier/data/formats/writer_rows.h"
#include "espalier/data/label_set.h"

namespace espalier::data {
namespace {

void append_json_string(std::string_view text, std::string& out) {
  out.push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (byte < 0x20 || byte == 0x7F) {
      append_format(out, "\\u{:04x}", byte);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

/// Attributes as an object. The values of a name that occurs twice are added, as in a linear score, since an
/// object holds a name once.
void append_attributes(const Sequence& s, size_t r, std::string& out) {
  std::vector<Attribute> attributes;
  for (size_t i = 0; i < s.attribute_count(r); ++i) attributes.push_back(s.attribute(r, i));
  std::stable_sort(attributes.begin(), attributes.end(),
                   [](const Attribute& a, const Attribute& b) { return a.name < b.name; });
  out.push_back('{');
  for (size_t i = 0; i < attributes.size();) {
    float sum = 0;
    size_t next = i;
    for (; next < attributes.size() && attributes[next].name == attributes[i].name; ++next)
      sum += attributes[next].value;
    if (i > 0) out.append(", ");
    append_json_string(attributes[i].name, out);
    append_format(out, ": {}", sum);
    i = next;
  }
  out.push_back('}');
}

/// Numbers stay numbers; anything else is text.
void append_value(std::string_view text, std::string& out) {
  const bool number =
      !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) && is_json(text);
  if (number) {
    out.append(text);
  } else {
    append_json_string(text, out);
  }
}

/// `, "name": [item(0), item(1), …]`
template <typename Item>
void append_array(std::string_view name, size_t size, std::string& out, Item item) {
  append_json_string(name, out);
  out.append(": [");
  for (size_t i = 0; i < size; ++i) {
    if (i > 0) out.append(", ");
    item(i);
  }
  out.push_back(']');
}

}  // namespace

void append_other_fields(const Sequence& s, std::span<const std::string_view> own, std::string& out) {
  if (s.has_offsets()) {
    out.append(", ");
    append_array("offsets", s.length(), out,
                 [&](size_t r) { append_format(out, "[{}, {}]", s.offsets(r).begin, s.offsets(r).end); });
  }
  for (const Sequence::OtherField& field : s.other_fields()) {
    if (std::find(own.begin(), own.end(), field.name) != own.end()) continue;
    if (s.has_offsets() && field.name == "offsets") continue;
    out.append(", ");
    append_json_string(field.name, out);
    out.append(": ").append(field.value);
  }
}

void append_json(const WriterRows& rows, std::string& out) {
  const Sequence& s = rows.sequence;
  out.push_back('{');
  append_array("tokens", s.length(), out, [&](size_t r) {
    if (s.columns() == 0) return append_attributes(s, r, out);
    if (rows.observed.size() == 1) return append_json_string(s.cell(r, rows.observed[0]), out);
    out.push_back('[');
    for (const size_t c : rows.observed) {
      if (c != rows.observed.front()) out.append(", ");
      append_json_string(s.cell(r, c), out);
    }
    out.push_back(']');
  });
  if (rows.labelled()) {
    out.append(", ");
    append_array("labels", s.length(), out, [&](size_t r) {
      if (rows.labels[r] == kUnknownLabelText) {
        out.append("null");
      } else {
        append_json_string(rows.labels[r], out);
      }
    });
  }
  for (size_t i = 0; i < rows.extra.names.size(); ++i) {
    out.append(", ");
    append_array(rows.extra.names[i], s.length(), out,
                 [&](size_t r) { append_value(rows.extra_value(r, i), out); });
  }
  append_other_fields(s, rows.extra.names, out);
  if (s.fold()) append_format(out, ", \"fold\": {}", *s.fold());
  if (s.weight() != 1) append_format(out, ", \"weight\": {}", s.weight());
  out.append("}\n");
}

}  // namespace espalier::data
