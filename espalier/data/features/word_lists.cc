#include "espalier/data/features/word_lists.h"

#include <algorithm>

#include "espalier/base/text/text.h"
#include "espalier/data/formats/lines.h"

namespace espalier::data {
namespace {

constexpr std::string_view kPlaces = "BIES";

bool is_path(std::string_view text) {
  return !text.empty() && text.find_first_not_of("01") == std::string_view::npos;
}

/// Splits at blanks and tabs.
std::vector<std::string_view> fields_of(std::string_view line, std::string_view separators) {
  std::vector<std::string_view> out;
  while (!line.empty()) {
    const size_t end = std::min(line.find_first_of(separators), line.size());
    if (end > 0) out.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return out;
}

}  // namespace

uint32_t WordTable::number_of(std::string_view text) {
  const auto [known, is_new] = numbers_.try_emplace(std::string(text), static_cast<uint32_t>(texts_.size()));
  if (!is_new) return known->second;
  if (kind_ != WordList::Kind::kLexicon) {
    texts_.emplace_back(text);
  } else {
    for (const char place : kPlaces) texts_.push_back(fmt::format("{}-{}", place, text));
  }
  return known->second;
}

Status WordTable::add_word(std::string_view word, std::string_view its_class) {
  const uint32_t number = number_of(its_class);
  const auto [known, is_new] = words_.try_emplace(hash_bytes(word), number);
  if (!is_new && known->second != number)
    return fail("'{}' has the classes {} and {}", word, texts_[known->second], its_class);
  return {};
}

Status WordTable::add_entry(std::string_view line, std::string& lower) {
  const size_t tab = std::min(line.find('\t'), line.size());
  const std::vector<std::string_view> words = fields_of(line.substr(0, tab), " ");
  if (words.empty()) return fail("no words before the tab");
  const auto types = fields_of(line.substr(std::min(tab + 1, line.size())), "\t");
  if (types.size() > 1) return fail("more than one tab; write an entry, a tab and its type");
  uint64_t hash = 0;
  for (const std::string_view word : words) {
    to_lower(word, lower);
    hash = hash_combine(hash, word_hash(lower));
    words_.try_emplace(hash, kNone);
  }
  const uint32_t number = number_of(types.empty() ? "1" : types[0]);
  uint32_t& known = words_[hash];
  // An entry that several types list is of all of them.
  if (known != kNone && known != number) {
    const std::string_view before = std::string_view(texts_[known]).substr(2);
    const std::string_view own = std::string_view(texts_[number]).substr(2);
    const std::vector<std::string_view> parts = fields_of(before, ",");
    if (std::find(parts.begin(), parts.end(), own) == parts.end())
      known = number_of(fmt::format("{},{}", before, own));
  } else {
    known = number;
  }
  longest_ = std::max(longest_, words.size());
  return {};
}

Result<WordTable> WordTable::parse(const WordList& list) {
  const bool classes = list.kind == WordList::Kind::kClasses;
  const bool labels = list.kind == WordList::Kind::kLabels;
  if (list.text.size() > kLargestWordList)
    return fail("{}: {} MB are more than a {} may have, which is part of the model; {} MB are allowed",
                list.name, list.text.size() >> 20, classes ? "class file" : "lexicon",
                kLargestWordList >> 20);
  WordTable out;
  out.kind_ = list.kind;
  std::string_view rest = list.text;
  std::string lower;
  size_t number = 0, fields = 0;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    ++number;
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    const auto here = [&](const Error& error) { return fail("{}:{}: {}", list.name, number, error.message); };
    if (!valid_utf8(line)) return here(Error{"this is not UTF-8 text"});
    if (labels) {
      const size_t tab = line.find('\t');
      if (tab == std::string_view::npos) return here(Error{"expected a word, a tab and labels"});
      if (const Status added = out.add_word(line.substr(0, tab), line.substr(tab + 1)); !added.ok())
        return here(added.error());
      continue;
    }
    if (!classes) {
      if (const Status added = out.add_entry(line, lower); !added.ok()) return here(added.error());
      continue;
    }
    const std::vector<std::string_view> parts = fields_of(line, " \t");
    if (fields == 0) {
      fields = parts.size();
      out.paths_ = fields == 3 ? is_path(parts[0]) : fields == 2 && is_path(parts[1]);
      if (fields != 2 && !(fields == 3 && out.paths_))
        return here(Error{"expected 'word class', or 'path word count' with a path of 0 and 1"});
    }
    if (parts.size() != fields)
      return here(Error{fmt::format("{} fields, but {} in the first line", parts.size(), fields)});
    const std::string_view its_class = fields == 3 ? parts[0] : parts[1];
    if (fields == 3 && !is_path(its_class))
      return here(Error{fmt::format("'{}' is not a path of 0 and 1", its_class)});
    out.paths_ = out.paths_ && is_path(its_class);
    if (const Status added = out.add_word(fields == 3 ? parts[1] : parts[0], its_class); !added.ok())
      return here(added.error());
  }
  if (out.words_.empty())
    return fail("{}: there is nothing in this {}", list.name, classes ? "class file" : "lexicon");
  out.numbers_.clear();
  return out;
}

std::optional<std::string_view> WordTable::class_of(std::string_view word, std::string_view lower) const {
  auto found = words_.find(hash_bytes(word));
  if (found == words_.end() && lower != word) found = words_.find(hash_bytes(lower));
  return found == words_.end() ? std::nullopt : std::optional<std::string_view>(texts_[found->second]);
}

std::optional<std::string_view> WordTable::covering(std::span<const uint64_t> words, size_t row) const {
  size_t longest = 0, begin = 0;
  uint32_t type = kNone;
  for (size_t first = row + 1 >= longest_ ? row + 1 - longest_ : 0; first <= row; ++first) {
    uint64_t hash = 0;
    for (size_t last = first; last < words.size() && last < first + longest_; ++last) {
      hash = hash_combine(hash, words[last]);
      const auto found = words_.find(hash);
      if (found == words_.end()) break;
      if (found->second == kNone || last < row || last + 1 - first <= longest) continue;
      longest = last + 1 - first;
      begin = first;
      type = found->second;
    }
  }
  if (longest == 0) return std::nullopt;
  const size_t place = longest == 1 ? 3 : row == begin ? 0 : row + 1 == begin + longest ? 2 : 1;
  return texts_[type + place];
}

Result<std::shared_ptr<const WordTables>> parse_word_lists(const std::vector<WordList>& lists) {
  auto out = std::make_shared<WordTables>();
  for (const WordList& list : lists) {
    ESPALIER_ASSIGN(WordTable table, WordTable::parse(list));
    out->push_back(std::move(table));
  }
  return std::shared_ptr<const WordTables>(std::move(out));
}

namespace {

/// The labels of the word and of its neighbours, each by itself: what one word decides is summed once.
void add_label_features(size_t list, size_t column, std::optional<size_t> labels_column, FeaturePlan& plan) {
  for (int offset = -2; offset <= 2; ++offset) {
    View view{.kind = labels_column ? ViewKind::kGiven : ViewKind::kClass, .outside = Outside::kNothing};
    view.column = labels_column.value_or(column);
    view.list = list;
    Template feature;
    feature.state = true;
    feature.literals = {fmt::format("labels[{}]=", offset), ""};
    feature.references.push_back({plan.view_index(view), Origin::kHere, offset});
    plan.templates.push_back(std::move(feature));
  }
}

}  // namespace

void add_list_features(const WordTables& lists, size_t column, std::optional<size_t> labels_column,
                       FeaturePlan& plan) {
  for (size_t l = 0; l < lists.size(); ++l) {
    if (lists[l].kind() == WordList::Kind::kLabels) {
      add_label_features(l, column, labels_column, plan);
      continue;
    }
    const bool classes = lists[l].kind() == WordList::Kind::kClasses;
    struct Part {
      int offset;
      size_t size = 0;  ///< characters of the class; 0: all
    };
    const auto add = [&](std::vector<Part> parts) {
      Template feature;
      feature.state = true;
      for (const Part& part : parts) {
        View view{.kind = classes ? ViewKind::kClass : ViewKind::kLexicon, .outside = Outside::kNothing};
        view.column = column;
        view.size = part.size;
        view.list = l;
        std::string& name = feature.literals[0];
        name += fmt::format("{}{}{}{}[{}]", name.empty() ? "" : "|", classes ? "class" : "lexicon", l + 1,
                            part.size == 0 ? "" : fmt::format(":{}", part.size), part.offset);
        feature.references.push_back({plan.view_index(view), Origin::kHere, part.offset});
        feature.literals.emplace_back();
      }
      feature.literals[0] += "=";
      for (size_t i = 1; i + 1 < feature.literals.size(); ++i) feature.literals[i] = "|";
      plan.templates.push_back(std::move(feature));
    };
    for (int offset = -2; offset <= 2; ++offset) add({{offset}});
    add({{-1}, {0}});
    add({{0}, {1}});
    if (!classes || !lists[l].paths()) continue;
    for (const size_t size : {4, 6, 10})
      for (int offset = -1; offset <= 1; ++offset) add({{offset, size}});
  }
}

}  // namespace espalier::data
