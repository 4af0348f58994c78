// Lists of words and phrases, whose members have a feature.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"

namespace espalier::tasks {

/// Entries in lower case, as hashes, ascending; an entry may have several words.
struct WordList {
  std::string name;
  std::vector<uint64_t> entries;
  bool has(uint64_t hash) const;
};

/// Reads a word list, one entry a line: words with blanks between them, however many; lines of blanks alone
/// are skipped. Its name is the file's, without folder and extension.
Result<WordList> read_word_list(const std::string& path);
/// Several, their paths separated by commas; none where the text is empty. Lists that would have the same
/// name are named by their paths. An error where a path is empty or given twice.
Result<std::vector<WordList>> read_word_lists(std::string_view paths);

}  // namespace espalier::tasks
