#include "espalier/data/label_column.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace espalier::data {
namespace {

constexpr std::array<std::string_view, kConlluColumns> kConlluNames = {
    "id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"};
constexpr size_t kUpos = 3;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

Result<size_t> resolve_label_column(const ReadOptions& options, size_t columns) {
  const std::string& text = options.label_column;
  const bool conllu = options.format == Format::kConllu;
  if (!conllu && options.format != Format::kColumns && !text.empty())
    return fail("a label column cannot be chosen for the format {}: its labels are not a column",
                format_name(options.format));
  if (text.empty()) return conllu ? kUpos : columns - 1;

  if (conllu) {
    std::string name = text;
    std::transform(name.begin(), name.end(), name.begin(), lower);
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
    return fail("label column {}: rows have {} columns, counted from 1 (or from -1, backwards)", number,
                columns);
  return static_cast<size_t>(number > 0 ? number - 1 : count + number);
}

}  // namespace espalier::data
