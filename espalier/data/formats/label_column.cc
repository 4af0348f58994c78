#include "espalier/data/formats/label_column.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "espalier/base/text/counted.h"
#include "espalier/base/text/text.h"

namespace espalier::data {
namespace {

constexpr std::array<std::string_view, kConlluColumns> kConlluNames = {
    "id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"};

}  // namespace

namespace {

/// One name or number of a list.
Result<size_t> resolve_one(const std::string& text, const ReadOptions& options, size_t columns) {
  const bool conllu = options.format == Format::kConllu;
  if (!conllu && options.format != Format::kColumns && !text.empty())
    return fail("a label column cannot be chosen for the format {}: its labels are not a column",
                format_name(options.format));
  if (text.empty()) return conllu ? kUpos : columns - 1;

  if (conllu) {
    std::string name = text;
    std::transform(name.begin(), name.end(), name.begin(), ascii_lower);
    const auto it = std::find(kConlluNames.begin(), kConlluNames.end(), name);
    if (it != kConlluNames.end()) return static_cast<size_t>(it - kConlluNames.begin());
  }
  long number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size())
    return fail("label column '{}': expected a number{}", text,
                conllu ? " or one of form, lemma, upos, xpos, feats, head, deprel, deps, misc" : "");
  const long count = static_cast<long>(columns);
  if (number == 0 || number > count || number < -count)
    return fail("label column {}: rows have {}, counted from 1 (or from -1, backwards)", number,
                counted(columns, "column"));
  return static_cast<size_t>(number > 0 ? number - 1 : count + number);
}

}  // namespace

Result<size_t> resolve_label_column(const ReadOptions& options, size_t columns) {
  const size_t comma = options.label_column.rfind(',');
  return resolve_one(
      comma == std::string::npos ? options.label_column : options.label_column.substr(comma + 1), options,
      columns);
}

Result<std::vector<size_t>> resolve_label_columns(const ReadOptions& options, size_t columns) {
  std::vector<size_t> found;
  std::string_view rest = options.label_column;
  while (true) {
    const std::string_view item = rest.substr(0, rest.find(','));
    if (item.empty() && !options.label_column.empty())
      return fail("label column '{}': a name or number is missing", options.label_column);
    ESPALIER_ASSIGN(const size_t column, resolve_one(std::string(item), options, columns));
    if (std::find(found.begin(), found.end(), column) != found.end())
      return fail("label column '{}': column {} is named twice", options.label_column, column + 1);
    found.push_back(column);
    if (item.size() == rest.size()) return found;
    rest.remove_prefix(item.size() + 1);
  }
}

}  // namespace espalier::data
