// Lists of words and phrases; membership in a list is a feature of a chunk. read_word_lists() reads them from
// files. Tested in chunk_features_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"

namespace espalier::tasks {

/// Hashes of the lower-case entries, ascending. An entry may have several words.
struct WordList {
  std::string name;
  std::vector<uint64_t> entries;
  bool has(uint64_t hash) const;
};

/// Reads a word list with one entry per line: words separated by any number of blanks. Blank lines are
/// skipped. The name is the file's, without folder and extension.
Result<WordList> read_word_list(const std::string& path);
/// Reads several lists from comma-separated paths; none if the text is empty. Lists that would have the same
/// name are named by their paths. An error if a path is empty or given twice.
Result<std::vector<WordList>> read_word_lists(std::string_view paths);

}  // namespace espalier::tasks
