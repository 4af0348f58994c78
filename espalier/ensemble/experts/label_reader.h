// Files that hold labels and nothing else, without the words they belong to: reading and writing them.
//
// find_label_layout says whether a file is one; open_label_reader reads it, append_labels writes it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "espalier/data/formats/reader.h"

namespace espalier::ensemble {

/// How a file that holds labels alone is laid out.
enum class LabelLayout {
  kWithTokens,  ///< it is not such a file: its format says where words and labels are
  kRows,        ///< one label per line, blank lines between sequences
  kLines,       ///< one sequence per line, labels between blanks; text before a tab is its name
  kJson,        ///< one object per line, {"labels": ["K", "AE", "T"]}; "id", where there is one, is its name
};
/// "rows" and "lines".
Result<LabelLayout> parse_label_layout(std::string_view text);

/// What a file is by its first line: columns of one cell are kRows, JSON objects without "tokens" are kJson,
/// anything else has tokens. Only regular files are tested.
Result<LabelLayout> find_label_layout(const std::string& path, const data::ReadOptions& reading);

/// Reads such a file: sequences of one column, which is the label. In kLines and kJson sequences may be
/// empty; a blank line of kLines is one. `layout` must not be kWithTokens.
Result<std::unique_ptr<data::Reader>> open_label_reader(const std::string& path, LabelLayout layout,
                                                        const std::string& encoding);

/// The name of a sequence (a word, an identifier), by which sequences of different files are matched; empty
/// where it has none.
std::string_view sequence_name(const data::Sequence& sequence);

/// Appends labels in a layout, with a number for each and one for the whole where that is given:
///   kRows   one label per line, followed by its number and, on the first line, that of the sequence (else
///   "_") kLines  name, tab, labels; and tab, number of the sequence, tab, numbers of the labels kJson {"id",
///   "labels", "confidence", "sequence_confidence"}
void append_labels(LabelLayout layout, std::string_view name, std::span<const std::string_view> labels,
                   std::span<const double> confidence, std::optional<double> sequence_confidence,
                   std::string& out);

}  // namespace espalier::ensemble
