#include "espalier/tasks/chunks/word_list.h"

#include <algorithm>
#include <filesystem>

#include "espalier/base/files/input.h"
#include "espalier/base/hash.h"
#include "espalier/base/text/text.h"

namespace espalier::tasks {

bool WordList::has(uint64_t hash) const { return std::binary_search(entries.begin(), entries.end(), hash); }

Result<WordList> read_word_list(const std::string& path) {
  WordList list;
  list.name = std::filesystem::path(path).stem().string();
  ESPALIER_ASSIGN(Input input, Input::open(path));
  constexpr std::string_view kBlanks = " \t\r\f\v";
  std::string lower, entry;
  std::string_view line;
  while (true) {
    ESPALIER_ASSIGN(const bool more, input.next_line(line));
    if (!more) break;
    to_lower(line, lower);
    entry.clear();
    // In the form in which chunks are looked up: a single blank between words.
    for (size_t at = lower.find_first_not_of(kBlanks); at != std::string::npos;) {
      const size_t end = std::min(lower.find_first_of(kBlanks, at), lower.size());
      if (!entry.empty()) entry += ' ';
      entry.append(lower, at, end - at);
      at = lower.find_first_not_of(kBlanks, end);
    }
    if (!entry.empty()) list.entries.push_back(hash_bytes(entry));
  }
  if (list.entries.empty()) return fail("{}: the word list is empty", path);
  std::sort(list.entries.begin(), list.entries.end());
  list.entries.erase(std::unique(list.entries.begin(), list.entries.end()), list.entries.end());
  return list;
}

Result<std::vector<WordList>> read_word_lists(std::string_view paths) {
  std::vector<std::string> files;
  for (std::string_view rest = paths; !paths.empty();) {
    const size_t comma = rest.find(',');
    files.emplace_back(rest.substr(0, comma));
    if (files.back().empty())
      return fail("lists: '{}' lacks a file name {} a comma", paths,
                  comma == std::string_view::npos ? "after" : "before");
    if (std::find(files.begin(), files.end() - 1, files.back()) != files.end() - 1)
      return fail("lists: {} is given twice", files.back());
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  std::vector<WordList> lists;
  for (const std::string& file : files) {
    ESPALIER_ASSIGN(WordList list, read_word_list(file));
    lists.push_back(std::move(list));
  }
  std::vector<std::string> names;
  for (const WordList& list : lists) names.push_back(list.name);
  for (size_t i = 0; i < lists.size(); ++i)
    if (std::count(names.begin(), names.end(), names[i]) > 1) lists[i].name = files[i];
  return lists;
}

}  // namespace espalier::tasks
