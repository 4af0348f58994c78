#include "espalier/data/features/token_views.h"

#include <algorithm>
#include <atomic>

#include "espalier/base/text/text.h"
#include "espalier/base/text/text_buffer.h"

namespace espalier::data {
namespace {

// Entries of a group's cache. With some twenty variants per word, this fits into a core's second-level cache.
constexpr size_t kCacheEntries = 4096;

// Identifies the plan whose hashes a table's cache holds; an address would not do, since it can be reused.
uint64_t next_identity() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

bool is_upper(char32_t code) {
  const CharClass c = char_class(code);
  return c == CharClass::kUpper || c == CharClass::kTitle;
}

bool has_digit(std::string_view text) {
  for (const CodePoint c : CodePoints(text))
    if (char_class(c.value) == CharClass::kDigit) return true;
  return false;
}

// A hyphen or one of Unicode's dashes that is neither the first nor the last character.
bool has_inner_dash(std::string_view text) {
  size_t at = 0;
  for (const CodePoint c : CodePoints(text)) {
    const bool dash = c.value == U'-' || (c.value >= 0x2010 && c.value <= 0x2015);
    if (dash && at > 0 && at + c.size < text.size()) return true;
    at += c.size;
  }
  return false;
}

bool all_capitals(std::string_view text) {
  size_t capitals = 0;
  for (const CodePoint c : CodePoints(text)) {
    const CharClass kind = char_class(c.value);
    if (kind == CharClass::kLower || kind == CharClass::kLetterOther) return false;
    capitals += is_upper(c.value);
  }
  return capitals >= 2;
}

std::optional<std::string_view> prefix(std::string_view text, size_t n) {
  const size_t bytes = prefix_bytes(text, n);
  return bytes == kNoSuchLength ? std::nullopt : std::optional(text.substr(0, bytes));
}

std::optional<std::string_view> suffix(std::string_view text, size_t n) {
  const size_t bytes = suffix_bytes(text, n);
  return bytes == kNoSuchLength ? std::nullopt : std::optional(text.substr(text.size() - bytes));
}

void lower_bytes(std::string_view text, std::string& out) {
  out = text;
  for (char& c : out) c = ascii_lower(c);
}

std::string outside_name(Outside style, ptrdiff_t distance) {
  if (style == Outside::kCrfpp) return fmt::format("_B{:+}", distance);
  if (distance < -4 || distance > 4) return distance < 0 ? "_x-#" : "_x+#";
  return fmt::format("_x{:+}", distance);
}

}  // namespace

void CellViews::set(std::string_view cell) {
  cell_ = cell;
  lower_known_ = false;
}

const std::string& CellViews::lower() {
  if (!lower_known_) to_lower(cell_, lower_);
  lower_known_ = true;
  return lower_;
}

bool CellViews::flag(const View& view) const {
  switch (view.kind) {
    case ViewKind::kDigit:
      return has_digit(cell_);
    case ViewKind::kHyphen:
      return has_inner_dash(cell_);
    case ViewKind::kAllCaps:
      return all_capitals(cell_);
    case ViewKind::kCapital:
      return !cell_.empty() && is_upper(code_point_at(cell_, 0).value);
    case ViewKind::kLong:
      return prefix(cell_, view.size).has_value();
    default:
      return false;
  }
}

std::optional<std::string_view> CellViews::text(const View& view, const std::vector<Pattern>& patterns,
                                                const WordTables& lists) {
  switch (view.kind) {
    case ViewKind::kText:
      return cell_;
    case ViewKind::kLower:
      if (!view.bytes) return lower();
      lower_bytes(cell_, made_);
      return made_;
    case ViewKind::kGiven:
      return cell_.empty() ? std::nullopt : std::optional(cell_);
    case ViewKind::kCased:
      return lower() == cell_ ? std::nullopt : std::optional(cell_);
    case ViewKind::kPrefix:
      return prefix(lower(), view.size);
    case ViewKind::kSuffix:
      return suffix(lower(), view.size);
    case ViewKind::kShape:
      shape(cell_, made_);
      return made_;
    case ViewKind::kShortShape:
      short_shape(cell_, made_);
      return made_;
    case ViewKind::kTest:
      return patterns[view.pattern].find(cell_) ? "true" : "false";
    case ViewKind::kMatch:
    case ViewKind::kMatchLower: {
      const auto match = patterns[view.pattern].find(cell_);
      const std::string_view found = match ? cell_.substr(match->begin, match->size) : std::string_view();
      if (view.kind == ViewKind::kMatch) return found;
      view.bytes ? lower_bytes(found, made_) : to_lower(found, made_);
      return made_;
    }
    case ViewKind::kClass: {
      const auto its_class = lists[view.list].class_of(cell_, lower());
      if (!its_class || (view.size > 0 && its_class->size() < view.size)) return std::nullopt;
      return view.size > 0 ? its_class->substr(0, view.size) : *its_class;
    }
    default:
      return flag(view) ? std::optional<std::string_view>("1") : std::nullopt;
  }
}

TokenViews::TokenViews(std::vector<View> views, std::vector<Pattern> patterns, size_t margin,
                       std::shared_ptr<const WordTables> lists)
    : views_(std::move(views)),
      patterns_(std::move(patterns)),
      margin_(margin),
      lists_(lists ? std::move(lists) : std::make_shared<const WordTables>()),
      identity_(next_identity()) {
  for (const View& view : views_) columns_ = std::max(columns_, view.column + 1);
  places_.resize(views_.size());
  for (size_t column = 0; column < columns_; ++column) {
    Group group{.column = column, .plain = {}};
    const auto add = [&](size_t view) {
      places_[view] = order_.size();
      order_.push_back(view);
    };
    for (size_t v = 0; v < views_.size(); ++v) {
      if (views_[v].column != column || views_[v].kind != ViewKind::kText) continue;
      group.plain.push_back(order_.size());
      add(v);
    }
    group.first = order_.size();
    for (size_t v = 0; v < views_.size(); ++v)
      if (views_[v].column == column && views_[v].kind != ViewKind::kText &&
          views_[v].kind != ViewKind::kLexicon)
        add(v);
    group.count = order_.size() - group.first;
    if (group.plain.empty() && group.count == 0) continue;
    group.cache = cache_size_;
    if (group.count > 0) cache_size_ += kCacheEntries * (1 + group.count);
    groups_.push_back(std::move(group));
  }
  for (size_t v = 0; v < views_.size(); ++v) {
    if (views_[v].kind != ViewKind::kLexicon) continue;
    in_lexicons_.push_back(v);
    places_[v] = order_.size();
    order_.push_back(v);
  }
  const auto reach = static_cast<ptrdiff_t>(margin_);
  for (const View& view : views_) {
    outside_.emplace_back();
    for (ptrdiff_t distance = -reach; distance <= reach; ++distance)
      outside_.back().push_back(distance == 0 ? std::nullopt : outside_text(view, distance));
  }
  const auto hash_at = [&](size_t v, size_t at) {
    const auto& text = outside_[v][at];
    return text ? view_hash(*text) : kAbsent;
  };
  for (size_t i = 0; i < margin_; ++i) {
    for (const size_t v : order_) {
      before_.push_back(hash_at(v, i));
      after_.push_back(hash_at(v, margin_ + 1 + i));
    }
  }
}

void TokenViews::own_cache(const Sequence& sequence, Table& table) const {
  ESPALIER_CHECK(sequence.empty() || sequence.columns() >= columns_);
  if (table.owner == identity_) return;
  table.cache.assign(cache_size_, kAbsent);  // the hash of a cell is never that
  table.owner = identity_;
}

void TokenViews::fill(const Sequence& sequence, Table& table) const {
  own_cache(sequence, table);
  const size_t length = sequence.length();
  table.hashes.resize((length + 2 * margin_) * width());
  uint64_t* row = std::copy(before_.begin(), before_.end(), table.hashes.data());
  // Cells are hashed some rows before their variants are looked up, so that memory has time to answer.
  constexpr size_t kAhead = 8;
  table.cells.resize(kAhead * groups_.size());
  const auto hash_row = [&](size_t t) {
    uint64_t* const hashes = table.cells.data() + t % kAhead * groups_.size();
    for (size_t g = 0; g < groups_.size(); ++g) {
      hashes[g] = view_hash(sequence.cell(t, groups_[g].column));
      if (groups_[g].count > 0) __builtin_prefetch(table.cache.data() + cached(groups_[g], hashes[g]));
    }
  };
  for (size_t t = 0; t < std::min(length, kAhead); ++t) hash_row(t);
  for (size_t t = 0; t < length; ++t, row += width()) {
    const uint64_t* const hashes = table.cells.data() + t % kAhead * groups_.size();
    for (size_t g = 0; g < groups_.size(); ++g) fill_group(sequence, t, groups_[g], hashes[g], table, row);
    if (t + kAhead < length) hash_row(t + kAhead);
  }
  std::copy(after_.begin(), after_.end(), row);
  for (const size_t v : in_lexicons_) {
    hash_words(sequence, views_[v].column, table.cell, table.words);
    uint64_t* entry = table.hashes.data() + margin_ * width() + places_[v];
    for (size_t t = 0; t < length; ++t, entry += width()) {
      const auto text = (*lists_)[views_[v].list].covering(table.words, t);
      *entry = text ? view_hash(*text) : kAbsent;
    }
  }
}

void TokenViews::fill_row(const Sequence& sequence, ptrdiff_t row, Table& table, uint64_t* out) const {
  own_cache(sequence, table);
  const auto length = static_cast<ptrdiff_t>(sequence.length()), margin = static_cast<ptrdiff_t>(margin_);
  ESPALIER_CHECK(row >= -margin && row < length + margin);
  if (row >= 0 && row < length) {
    fill_inner_row(sequence, static_cast<size_t>(row), table, out);
  } else {
    const std::vector<uint64_t>& outside = row < 0 ? before_ : after_;
    std::copy_n(outside.begin() + (row < 0 ? row + margin : row - length) * static_cast<ptrdiff_t>(width()),
                width(), out);
  }
}

void TokenViews::fill_inner_row(const Sequence& sequence, size_t t, Table& table, uint64_t* row) const {
  for (const Group& group : groups_)
    fill_group(sequence, t, group, view_hash(sequence.cell(t, group.column)), table, row);
}

size_t TokenViews::cached(const Group& group, uint64_t hash) {
  return group.cache + (hash % kCacheEntries) * (1 + group.count);
}

/// The views of a cell, whose hash is known.
void TokenViews::fill_group(const Sequence& sequence, size_t t, const Group& group, uint64_t hash,
                            Table& table, uint64_t* row) const {
  for (const size_t place : group.plain) row[place] = hash;
  if (group.count == 0) return;
  uint64_t* const entry = table.cache.data() + cached(group, hash);
  if (entry[0] != hash) {
    entry[0] = kAbsent;  // until the whole entry is there
    table.cell.set(sequence.cell(t, group.column));
    for (size_t i = 0; i < group.count; ++i) {
      const auto text = table.cell.text(views_[order_[group.first + i]], patterns_, *lists_);
      entry[1 + i] = text ? view_hash(*text) : kAbsent;
    }
    entry[0] = hash;
  }
  copy_short(reinterpret_cast<char*>(row + group.first), reinterpret_cast<const char*>(entry + 1),
             group.count * sizeof(uint64_t));
}

void TokenViews::hash_words(const Sequence& sequence, size_t column, CellViews& cell,
                            std::vector<uint64_t>& out) {
  out.clear();
  for (size_t t = 0; t < sequence.length(); ++t) {
    cell.set(sequence.cell(t, column));
    out.push_back(WordTable::word_hash(cell.lower()));
  }
}

std::optional<std::string_view> TokenViews::other_text(const Sequence& sequence, ptrdiff_t row, size_t view,
                                                       Reading& reading) const {
  const auto length = static_cast<ptrdiff_t>(sequence.length());
  const View& wanted = views_[view];
  if (row < 0 || row >= length) {
    const ptrdiff_t distance = row < 0 ? row : row - length + 1;
    const auto at = static_cast<size_t>(distance + static_cast<ptrdiff_t>(margin_));
    if (at < outside_[view].size()) {
      const auto& known = outside_[view][at];
      return known ? std::optional<std::string_view>(*known) : std::nullopt;
    }
    auto text = outside_text(wanted, distance);
    if (!text) return std::nullopt;
    reading.outside = std::move(*text);
    return reading.outside;
  }
  if (wanted.kind == ViewKind::kLexicon) {
    reading.row = -1;  // the cell that is read last is another one then
    hash_words(sequence, wanted.column, reading.cell, reading.words);
    return (*lists_)[wanted.list].covering(reading.words, static_cast<size_t>(row));
  }
  if (reading.row != row || reading.column != wanted.column) {
    reading.row = row;
    reading.column = wanted.column;
    reading.cell.set(sequence.cell(static_cast<size_t>(row), wanted.column));
  }
  return reading.cell.text(wanted, patterns_, *lists_);
}

// `distance` is −1 for the row before the first, 1 for the row after the last, and so on outwards.
std::optional<std::string> TokenViews::outside_text(const View& view, ptrdiff_t distance) const {
  if (view.kind == ViewKind::kOutside) return "1";
  if (view.outside == Outside::kNothing) return std::nullopt;
  std::string name = outside_name(view.outside, distance);
  const bool matched =
      view.kind == ViewKind::kTest || view.kind == ViewKind::kMatch || view.kind == ViewKind::kMatchLower;
  if (!matched) return name;
  CellViews cell;
  cell.set(name);
  const auto text = cell.text(view, patterns_, *lists_);
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

}  // namespace espalier::data
