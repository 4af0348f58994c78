#include "espalier/constrain/rules.h"

#include <algorithm>

namespace espalier::constrain {

using data::Label;

namespace {

/// Splits at spaces and at '|': both separate labels in lexicons and cells.
template <typename Visit>
void for_each_label_text(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" |"), text.size());
    if (end > 0) visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

double pair_violations(const Rule& rule, size_t labels, std::span<const Label> y) {
  const size_t width = labels + 1;
  double count = 0;
  size_t before = labels;
  for (const Label label : y) {
    count += rule.broken[before * width + label];
    before = label;
  }
  if (!y.empty()) count += rule.broken[before * width + labels];
  return count;
}

double count_violations(const Rule& rule, std::span<const Label> y) {
  size_t count = 0;
  for (const Label label : y) count += rule.first[label];
  if (count < rule.least) return static_cast<double>(rule.least - count);
  return count > rule.most ? static_cast<double>(count - rule.most) : 0;
}

double implication_violations(const Rule& rule, std::span<const Label> y) {
  for (size_t t = 0; t < y.size(); ++t) {
    if (rule.first[y[t]] == 0) continue;
    const size_t from = rule.order == Order::kAfter ? t + 1 : 0;
    const size_t to = rule.order == Order::kBefore ? t : y.size();
    bool found = false;
    for (size_t s = from; s < to && !found; ++s) found = rule.second[y[s]] != 0;
    if (!found) return 1;
  }
  return 0;
}

double overlap_violations(const Rule& rule, std::span<const CandidateSpan> spans, std::span<const Label> y) {
  // Candidates are ordered by their beginning: the part of a span before the farthest end so far is already
  // covered.
  double count = 0;
  size_t covered = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    if (rule.first[y[i]] == 0) continue;
    const size_t shared = std::min(covered, spans[i].end);
    if (shared > spans[i].begin) count += static_cast<double>(shared - spans[i].begin);
    covered = std::max(covered, spans[i].end);
  }
  return count;
}

double embedding_violations(const Rule& rule, std::span<const CandidateSpan> spans,
                            std::span<const Label> y) {
  double count = 0;
  for (size_t i = 0; i < y.size(); ++i)
    for (size_t j = i + 1; j < y.size(); ++j) {
      if (rule.first[y[i]] == 0 || rule.first[y[j]] == 0) continue;
      const bool within = (spans[i].begin <= spans[j].begin && spans[j].end <= spans[i].end) ||
                          (spans[j].begin <= spans[i].begin && spans[i].end <= spans[j].end);
      if (within) ++count;
    }
  return count;
}

}  // namespace

bool legal_neighbours(data::Scheme scheme, std::optional<data::LabelParts> before,
                      std::optional<data::LabelParts> after) {
  using data::Scheme;
  const char p = before ? before->prefix : 'O', q = after ? after->prefix : 'O';
  const bool same = before && after && p != 'O' && q != 'O' && before->type == after->type;
  switch (scheme) {
    case Scheme::kNone:
      return true;
    case Scheme::kIob1:
      return q != 'B' || same;
    case Scheme::kIob2:
      return q != 'I' || same;
    case Scheme::kIoe1:
      return p != 'E' || same;
    case Scheme::kIoe2:
      return p != 'I' || same;
    case Scheme::kIobes:
    case Scheme::kBilou:
    case Scheme::kBmewo: {
      const bool open = p == 'B' || p == 'I' || p == 'M';                 // a segment that must continue
      const bool goes_on = q == 'I' || q == 'E' || q == 'L' || q == 'M';  // a label that continues one
      return open == goes_on && (!open || same);
    }
  }
  return true;
}

bool Constraints::reads_cells() const {
  return std::any_of(rules_.begin(), rules_.end(),
                     [](const Rule& r) { return r.kind == Rule::Kind::kTokens; });
}

Instance Constraints::instance(size_t length, const CellText& cell, std::vector<CandidateSpan> spans) const {
  Instance out;
  out.length = length;
  out.spans = std::move(spans);
  out.forbidden.resize(rules_.size());
  std::string key;
  for (size_t r = 0; r < rules_.size(); ++r) {
    const Rule& rule = rules_[r];
    if (rule.kind != Rule::Kind::kTokens) continue;
    std::vector<uint8_t> forbidden(length * labels_, 0);
    bool some = false;
    for (size_t t = 0; t < length; ++t) {
      key = cell(t, rule.column);
      const auto entry = rule.lexicon.find(key);
      LabelBits allowed;
      if (entry != rule.lexicon.end()) {
        allowed = entry->second;
      } else if (rule.source == Rule::Source::kColumn) {
        for_each_label_text(key, [&](std::string_view text) {
          const auto label = rule.lexicon.find(std::string(text));
          if (label == rule.lexicon.end()) return;
          allowed.resize(labels_, 0);
          for (size_t y = 0; y < labels_; ++y) allowed[y] |= label->second[y];
        });
      }
      if (allowed.empty()) continue;
      for (size_t y = 0; y < labels_; ++y)
        if (rule.first[y] != 0 && allowed[y] == 0) {
          forbidden[t * labels_ + y] = 1;
          some = true;
        }
    }
    if (some) out.forbidden[r] = std::move(forbidden);
  }
  return out;
}

double Constraints::violations(size_t r, const Instance& instance, std::span<const Label> y) const {
  ESPALIER_CHECK(y.size() == instance.length);
  const Rule& rule = rules_[r];
  switch (rule.kind) {
    case Rule::Kind::kPairs:
      return pair_violations(rule, labels_, y);
    case Rule::Kind::kTokens: {
      double count = 0;
      if (!instance.forbidden[r].empty())
        for (size_t t = 0; t < y.size(); ++t) count += instance.forbidden[r][t * labels_ + y[t]];
      return count;
    }
    case Rule::Kind::kCount:
      return count_violations(rule, y);
    case Rule::Kind::kImplies:
      return implication_violations(rule, y);
    case Rule::Kind::kNoOverlap:
      return overlap_violations(rule, instance.spans, y);
    case Rule::Kind::kNoEmbedding:
      return embedding_violations(rule, instance.spans, y);
    case Rule::Kind::kAssignments:
      return std::any_of(rule.assignments.begin(), rule.assignments.end(),
                         [&](const auto& legal) {
                           return std::equal(legal.begin(), legal.end(), y.begin(), y.end());
                         })
                 ? 0
                 : 1;
  }
  return 0;
}

double Constraints::penalty(const Instance& instance, std::span<const Label> y) const {
  double sum = 0;
  for (size_t r = 0; r < rules_.size(); ++r) {
    const double count = violations(r, instance, y);
    if (count > 0) sum += count * rules_[r].penalty;
  }
  return sum;
}

std::vector<size_t> Constraints::broken_constraints(const Instance& instance,
                                                    std::span<const Label> y) const {
  std::vector<size_t> broken;
  for (size_t r = 0; r < rules_.size(); ++r)
    if (rules_[r].hard() && violations(r, instance, y) > 0) broken.push_back(rules_[r].constraint);
  std::sort(broken.begin(), broken.end());
  broken.erase(std::unique(broken.begin(), broken.end()), broken.end());
  return broken;
}

Constraints Constraints::without(size_t constraint) const {
  Constraints out = *this;
  // Rules keep their numbers, so that existing instances still fit: a rule with penalty 0 has no effect.
  for (Rule& rule : out.rules_)
    if (rule.constraint == constraint) rule.penalty = 0;
  return out;
}

std::vector<size_t> smallest_clash(const Constraints& constraints,
                                   const std::function<bool(const Constraints&)>& clashes) {
  std::vector<size_t> clash;
  Constraints rest = constraints;
  for (size_t c = 0; c < constraints.statements().size(); ++c) {
    if (constraints.statements()[c].penalty != kHard) continue;
    Constraints fewer = rest.without(c);
    if (clashes(fewer)) {
      rest = std::move(fewer);
    } else {
      clash.push_back(c);
    }
  }
  return clash;
}

Constraints Constraints::softened(double penalty) const {
  Constraints out = *this;
  for (Rule& rule : out.rules_)
    if (rule.hard()) rule.penalty = penalty;
  return out;
}

Result<Constraints> Constraints::refined(const data::LabelSet& labels) const {
  ESPALIER_CHECK(labels.refined());
  Constraints out = *this;
  out.labels_ = labels.size();
  const auto widen = [&](const LabelBits& bits) {
    LabelBits wide(bits.empty() ? 0 : labels.size());
    for (size_t y = 0; y < wide.size(); ++y) wide[y] = bits[labels.plain_number(static_cast<Label>(y))];
    return wide;
  };
  for (Rule& rule : out.rules_) {
    if (rule.kind == Rule::Kind::kAssignments)
      return fail("{}: lists of assignments need a model that was trained with scheme=data", file_);
    rule.first = widen(rule.first);
    rule.second = widen(rule.second);
    for (auto& [word, allowed] : rule.lexicon) allowed = widen(allowed);
    if (rule.broken.empty()) continue;
    const size_t width = labels.size() + 1, old_width = labels_ + 1;
    const std::vector<uint8_t> old = std::move(rule.broken);
    const auto old_number = [&](size_t y) {
      return y == labels.size() ? labels_ : size_t{labels.plain_number(static_cast<Label>(y))};
    };
    rule.broken.assign(width * width, 0);
    for (size_t before = 0; before < width; ++before)
      for (size_t after = 0; after < width; ++after)
        rule.broken[before * width + after] = old[old_number(before) * old_width + old_number(after)];
  }
  return out;
}

}  // namespace espalier::constrain
