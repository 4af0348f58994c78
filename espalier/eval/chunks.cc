#include "espalier/eval/chunks.h"

namespace espalier::eval {
namespace {

Tag parse_tag(std::string_view text) {
  if (text.size() != 1) return Tag::kOther;
  switch (text[0]) {
    case 'O':
      return Tag::kOutside;
    case 'B':
      return Tag::kBegin;
    case 'I':
    case 'M':
      return Tag::kInside;
    case 'E':
    case 'L':
      return Tag::kEnd;
    case 'S':
    case 'U':
    case 'W':
      return Tag::kSingle;
    case '[':
      return Tag::kOpen;
    case ']':
      return Tag::kClose;
    case '.':
      return Tag::kDot;
    default:
      return Tag::kOther;
  }
}

bool is_bracket(Tag tag) { return tag == Tag::kOpen || tag == Tag::kClose; }

}  // namespace

double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0.0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

bool is_chunk_label(std::string_view label) {
  if (label == "O") return true;
  return label.size() > 2 && label[1] == '-' &&
         std::string_view("BIESLUMW").find(label[0]) != std::string_view::npos;
}

bool starts_chunk(ChunkTag previous, ChunkTag current) {
  const Tag before = previous.tag;
  const Tag now = current.tag;
  // A chunk in brackets has one token, and so has a single.
  if (is_bracket(now) || now == Tag::kSingle) return true;
  if (now == Tag::kOutside || now == Tag::kDot) return false;
  if (previous.type != current.type) return true;
  if (now == Tag::kBegin)
    return before == Tag::kBegin || before == Tag::kInside || before == Tag::kOutside ||
           before == Tag::kEnd || before == Tag::kSingle;
  if (now == Tag::kInside || now == Tag::kEnd)
    return before == Tag::kOutside || before == Tag::kEnd || before == Tag::kSingle;
  return false;
}

bool ends_chunk(ChunkTag previous, ChunkTag current) {
  const Tag before = previous.tag;
  const Tag now = current.tag;
  if (is_bracket(before) || before == Tag::kSingle) return true;
  if (before == Tag::kOutside || before == Tag::kDot) return false;
  if (previous.type != current.type) return true;
  if (before == Tag::kBegin || before == Tag::kInside)
    return now == Tag::kBegin || now == Tag::kOutside || now == Tag::kSingle;
  if (before == Tag::kEnd)
    return now == Tag::kEnd || now == Tag::kInside || now == Tag::kOutside || now == Tag::kBegin ||
           now == Tag::kSingle;
  return false;
}

std::pair<uint32_t, bool> LabelTable::Names::add(std::string_view text) {
  if (const auto it = numbers.find(text); it != numbers.end()) return {it->second, false};
  const auto number = static_cast<uint32_t>(names.size());
  names.emplace_back(text);
  numbers.emplace(names.back(), number);
  return {number, true};
}

LabelTable::LabelTable() { types_.add(""); }

uint32_t LabelTable::add(std::string_view label) {
  const auto [number, is_new] = labels_.add(label);
  if (is_new) {
    // Types may hold hyphens themselves: only the first one separates.
    const size_t hyphen = label.find('-');
    const bool has_type = hyphen != std::string_view::npos;
    tags_.push_back({parse_tag(label.substr(0, hyphen)), has_type ? add_type(label.substr(hyphen + 1)) : 0});
  }
  return number;
}

std::optional<uint32_t> LabelTable::find(std::string_view label) const {
  const auto it = labels_.numbers.find(label);
  return it == labels_.numbers.end() ? std::nullopt : std::optional<uint32_t>(it->second);
}

double Counts::precision() const { return percent(correct, found); }
double Counts::recall() const { return percent(correct, gold); }
double Counts::f1() const {
  // Computed from the percentages, not the counts: the last bit decides how a half is rounded, and the
  // numbers should match those of the reference script.
  const double p = precision();
  const double r = recall();
  return p + r == 0 ? 0.0 : 2 * p * r / (p + r);
}

Counts& Counts::operator+=(const Counts& other) {
  gold += other.gold;
  found += other.found;
  correct += other.correct;
  return *this;
}

ChunkMatcher::Events ChunkMatcher::step(ChunkTag gold, ChunkTag found) {
  Events events;
  if (agreeing_) {
    const bool gold_ends = ends_chunk(last_gold_, gold);
    const bool found_ends = ends_chunk(last_found_, found);
    if (gold_ends && found_ends && last_gold_.type == last_found_.type) {
      events.correct_ends = true;
      events.correct_type = last_gold_.type;
      agreeing_ = false;
    } else if (gold_ends != found_ends || gold.type != found.type) {
      agreeing_ = false;
    }
  }
  events.gold_starts = starts_chunk(last_gold_, gold);
  events.found_starts = starts_chunk(last_found_, found);
  if (events.gold_starts && events.found_starts && gold.type == found.type) agreeing_ = true;
  last_gold_ = gold;
  last_found_ = found;
  return events;
}

}  // namespace espalier::eval
