#include "espalier/data/label_scheme.h"

#include <algorithm>

namespace espalier::data {
namespace {

constexpr uint32_t bit(char prefix) { return uint32_t{1} << (prefix - 'A'); }
constexpr uint32_t kIobPrefixes = bit('B') | bit('I');
constexpr uint32_t kIoePrefixes = bit('I') | bit('E');
constexpr uint32_t kIobesPrefixes = bit('B') | bit('I') | bit('E') | bit('S');
constexpr uint32_t kBilouPrefixes = bit('B') | bit('I') | bit('L') | bit('U');
constexpr uint32_t kBmewoPrefixes = bit('B') | bit('M') | bit('E') | bit('W');

LabelParts parts_or_outside(std::string_view label) { return parse_label(label).value_or(LabelParts{}); }

bool ends_segment(char prefix) {
  return prefix == 'E' || prefix == 'S' || prefix == 'L' || prefix == 'U' || prefix == 'W';
}
bool begins_segment(char prefix) { return prefix == 'B' || prefix == 'S' || prefix == 'U' || prefix == 'W'; }

/// Further names of schemes.
struct SchemeAlias {
  std::string_view name;
  Scheme scheme;
};
constexpr std::array<SchemeAlias, 5> kAliases = {{{"bio", Scheme::kIob2},
                                                  {"iob", Scheme::kIob2},
                                                  {"bioes", Scheme::kIobes},
                                                  {"bieso", Scheme::kIobes},
                                                  {"biluo", Scheme::kBilou}}};

/// conlleval's rule: whether a segment begins at `now` after `before`.
bool begins(const LabelParts& before, const LabelParts& now) {
  if (now.prefix == 'O') return false;
  return before.prefix == 'O' || before.type != now.type || ends_segment(before.prefix) ||
         begins_segment(now.prefix);
}

/// The prefix that the scheme requires at token t of the segment. Neighbouring segments of the same type
/// matter only in IOB1 and IOE1.
char prefix_at(const Span& segment, size_t t, Scheme scheme, bool touches_before, bool touches_after) {
  const bool first = t == segment.first;
  const bool last = t + 1 == segment.last;
  switch (scheme) {
    case Scheme::kIob1:
      return first && touches_before ? 'B' : 'I';
    case Scheme::kIob2:
      return first ? 'B' : 'I';
    case Scheme::kIoe1:
      return last && touches_after ? 'E' : 'I';
    case Scheme::kIoe2:
      return last ? 'E' : 'I';
    case Scheme::kIobes:
      return first ? (last ? 'S' : 'B') : (last ? 'E' : 'I');
    case Scheme::kBilou:
      return first ? (last ? 'U' : 'B') : (last ? 'L' : 'I');
    case Scheme::kBmewo:
      return first ? (last ? 'W' : 'B') : (last ? 'E' : 'M');
    case Scheme::kNone:
      break;
  }
  return 'O';
}

bool touch(const Span& a, const Span& b) { return a.last == b.first && a.type == b.type; }

/// Calls visit(token, prefix, type) for every token inside a segment.
template <typename Visit>
void for_each_prefix(std::span<const Span> segments, Scheme scheme, Visit visit) {
  for (size_t i = 0; i < segments.size(); ++i) {
    const bool before = i > 0 && touch(segments[i - 1], segments[i]);
    const bool after = i + 1 < segments.size() && touch(segments[i], segments[i + 1]);
    for (size_t t = segments[i].first; t < segments[i].last; ++t)
      visit(t, prefix_at(segments[i], t, scheme, before, after), segments[i].type);
  }
}

/// Tokens whose label differs from what the scheme requires for the segments read from them.
size_t count_repairs(std::span<const std::string_view> labels, std::span<const Span> segments,
                     Scheme scheme) {
  const auto unknown = [&](size_t t) { return t < labels.size() && labels[t] == kUnknownLabelText; };
  size_t repairs = 0;
  for (size_t t = 0; t < labels.size(); ++t)
    if (!unknown(t) && !parse_label(labels[t])) ++repairs;
  for_each_prefix(segments, scheme, [&](size_t t, char prefix, std::string_view) {
    if (labels[t][0] != prefix && !(t > 0 && unknown(t - 1)) && !unknown(t + 1)) ++repairs;
  });
  return repairs;
}

}  // namespace

std::string_view scheme_name(Scheme scheme) {
  static constexpr std::string_view kNames[] = {"none", "iob1",  "iob2",  "ioe1",
                                                "ioe2", "iobes", "bilou", "bmewo"};
  return kNames[static_cast<size_t>(scheme)];
}

std::string_view scheme_prefixes(Scheme scheme) {
  static constexpr std::string_view kPrefixes[] = {"", "BI", "BI", "IE", "IE", "BIES", "BILU", "BMEW"};
  return kPrefixes[static_cast<size_t>(scheme)];
}

Result<Scheme> parse_scheme(std::string_view name) {
  std::string lower(name);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (lower == scheme_name(Scheme::kNone)) return Scheme::kNone;
  for (const Scheme scheme : kSchemes)
    if (scheme_name(scheme) == lower) return scheme;
  for (const SchemeAlias& alias : kAliases)
    if (alias.name == lower) return alias.scheme;
  return fail(
      "unknown label scheme '{}'; there are none, iob1, iob2 (BIO), ioe1, ioe2, iobes (BIOES), bilou, bmewo",
      name);
}

std::optional<LabelParts> parse_label(std::string_view label) {
  if (label == "O") return LabelParts{};
  if (label.size() < 3 || label[1] != '-') return std::nullopt;
  const char c = label[0];
  if (std::string_view("BIESLUMW").find(c) == std::string_view::npos) return std::nullopt;
  return LabelParts{c, label.substr(2)};
}

void spans(std::span<const std::string_view> labels, Scheme scheme, std::vector<Span>& out, size_t* repairs) {
  out.clear();
  if (repairs != nullptr) *repairs = 0;
  if (scheme == Scheme::kNone) return;
  LabelParts before;
  for (size_t t = 0; t < labels.size(); ++t) {
    const LabelParts now = parts_or_outside(labels[t]);
    if (begins(before, now)) {
      out.push_back({t, t + 1, now.type});
    } else if (now.prefix != 'O') {
      out.back().last = t + 1;
    }
    before = now;
  }
  if (repairs != nullptr) *repairs = count_repairs(labels, out, scheme);
}

std::vector<Span> spans(std::span<const std::string_view> labels, Scheme scheme, size_t* repairs) {
  std::vector<Span> result;
  spans(labels, scheme, result, repairs);
  return result;
}

std::vector<std::string> encode(std::span<const Span> segments, size_t length, Scheme scheme) {
  ESPALIER_CHECK(scheme != Scheme::kNone);
  size_t end = 0;
  for (const Span& s : segments) {
    ESPALIER_CHECK(s.first >= end && s.first < s.last && s.last <= length);
    end = s.last;
  }
  std::vector<std::string> labels(length, "O");
  for_each_prefix(segments, scheme, [&](size_t t, char prefix, std::string_view type) {
    labels[t] = prefix;
    labels[t] += '-';
    labels[t] += type;
  });
  return labels;
}

std::vector<std::string> convert(std::span<const std::string_view> labels, Scheme from, Scheme to) {
  if (from == Scheme::kNone || to == Scheme::kNone) return {labels.begin(), labels.end()};
  std::vector<std::string> result = encode(spans(labels, from), labels.size(), to);
  for (size_t t = 0; t < labels.size(); ++t)
    if (labels[t] == kUnknownLabelText) result[t] = kUnknownLabelText;
  return result;
}

std::string segment_places(std::span<const std::string_view> labels, Scheme scheme) {
  std::string places(labels.size(), 'O');
  const std::vector<Span> segments = spans(labels, scheme);
  for_each_prefix(segments, Scheme::kIobes,
                  [&](size_t t, char prefix, std::string_view) { places[t] = prefix; });
  return places;
}

void SchemeDetector::add(std::span<const std::string_view> labels) {
  if (plain_) return;
  // Neighbours of the current label; an unknown neighbour allows no conclusion.
  LabelParts before;
  bool before_known = true;
  for (size_t t = 0; t < labels.size(); ++t) {
    if (labels[t] == kUnknownLabelText) {
      before_known = false;
      continue;
    }
    const auto now = parse_label(labels[t]);
    if (!now) {
      plain_ = true;
      return;
    }
    if (now->prefix != 'O') {
      prefixes_ |= bit(now->prefix);
      const bool after_known = t + 1 == labels.size() || labels[t + 1] != kUnknownLabelText;
      const LabelParts after = t + 1 < labels.size() ? parts_or_outside(labels[t + 1]) : LabelParts{};
      const bool same_before = before.prefix != 'O' && before.type == now->type;
      const bool same_after = after.prefix != 'O' && after.type == now->type;
      if (before_known && now->prefix == 'I' && begins(before, *now)) ++i_begins_;
      if (before_known && now->prefix == 'B' && !same_before) ++b_needless_;
      if (after_known && now->prefix == 'I' && !same_after) ++i_ends_;
      if (after_known && now->prefix == 'E' && !same_after) ++e_needless_;
    }
    before = *now;
    before_known = true;
  }
}

void SchemeDetector::to_counts(int64_t* out) const {
  const uint64_t counts[] = {plain_ ? 1u : 0u, i_begins_, b_needless_, i_ends_, e_needless_};
  for (size_t i = 0; i < std::size(counts); ++i) out[i] = static_cast<int64_t>(counts[i]);
  for (size_t letter = 0; letter < 26; ++letter) out[std::size(counts) + letter] = (prefixes_ >> letter) & 1;
}

SchemeDetector SchemeDetector::from_counts(const int64_t* in) {
  SchemeDetector out;
  out.plain_ = in[0] > 0;
  out.i_begins_ = static_cast<uint64_t>(in[1]);
  out.b_needless_ = static_cast<uint64_t>(in[2]);
  out.i_ends_ = static_cast<uint64_t>(in[3]);
  out.e_needless_ = static_cast<uint64_t>(in[4]);
  for (uint32_t letter = 0; letter < 26; ++letter)
    if (in[kCounts - 26 + letter] > 0) out.prefixes_ |= 1u << letter;
  return out;
}

Scheme SchemeDetector::scheme() const {
  if (plain_ || prefixes_ == 0) return Scheme::kNone;
  const auto within = [&](uint32_t set) { return (prefixes_ & ~set) == 0; };
  if (within(kIobPrefixes)) return b_needless_ < i_begins_ ? Scheme::kIob1 : Scheme::kIob2;
  if (within(kIoePrefixes)) return e_needless_ < i_ends_ ? Scheme::kIoe1 : Scheme::kIoe2;
  if (within(kIobesPrefixes)) return Scheme::kIobes;
  if (within(kBilouPrefixes)) return Scheme::kBilou;
  if (within(kBmewoPrefixes)) return Scheme::kBmewo;
  return Scheme::kNone;
}

Scheme detect_scheme(const LabelSet& labels) {
  uint32_t prefixes = 0;
  for (const std::string& name : labels.names()) {
    if (name == kUnknownLabelText) continue;
    const auto parts = parse_label(name);
    if (!parts) return Scheme::kNone;
    if (parts->prefix != 'O') prefixes |= bit(parts->prefix);
  }
  if (prefixes == 0) return Scheme::kNone;
  if (prefixes == bit('I')) return Scheme::kIob1;
  const auto within = [&](uint32_t set) { return (prefixes & ~set) == 0; };
  if (within(kIobPrefixes)) return Scheme::kIob2;
  if (within(kIoePrefixes)) return Scheme::kIoe2;
  if (within(kIobesPrefixes)) return Scheme::kIobes;
  if (within(kBilouPrefixes)) return Scheme::kBilou;
  return within(kBmewoPrefixes) ? Scheme::kBmewo : Scheme::kNone;
}

}  // namespace espalier::data
