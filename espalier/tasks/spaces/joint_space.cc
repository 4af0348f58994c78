#include "espalier/tasks/spaces/joint_space.h"

#include <algorithm>

namespace espalier::tasks {

using data::kNoLabel;
using data::Label;
using search::Action;

namespace {

/// Kinds of hashed features; part of the hash, so that kinds do not collide.
enum JointEntry : uint64_t {
  kJointBias = 0xA1,
  kOwnLabels,
  kOwnAndWord,
  kOwnAndNextWord,
  kAhead,
  kAheadAndOwn,
  kAheadAndWord,
  kBehind,
  kBehindAndOwn,
  kJointEdge,
};

/// The labels of a column ahead that a feature joins, as offsets from the token.
struct AheadWindow {
  int first, last;
  bool with_own;   ///< also with this column's previous label
  bool with_word;  ///< also with the token's word
};
constexpr AheadWindow kAheadWindows[] = {
    {0, 0, true, true},   {-1, -1, false, true}, {1, 1, false, true},  {-2, -2, false, false},
    {2, 2, false, false}, {-1, 0, true, false},  {0, 1, true, true},   {-2, -1, false, false},
    {1, 2, false, false}, {-1, 1, true, false},  {-2, 0, true, false}, {0, 2, true, false},
};

uint64_t joint_entry(JointEntry kind, size_t column) {
  return hash_combine(kind * 0x9E3779B97F4A7C15ull, column);
}

}  // namespace

JointSpace::JointSpace(const DecisionPlan& plan, const JointInput& input)
    : plan_(plan), input_(input), columns_(plan.columns()) {
  // A column looks back at its own history, and at labels up to two tokens before its own in columns that are
  // ahead by up to lead · (columns − 1) tokens.
  slots_ = std::max(plan.history, plan.lead * (columns_ - 1) + 3);
  schedule_.reserve(input.length * columns_);
  const size_t rounds = input.length == 0 ? 0 : input.length + (columns_ - 1) * plan.lead;
  for (size_t round = 0; round < rounds; ++round)
    for (size_t c = 0; c < columns_; ++c) {
      const size_t behind = c * plan.lead;
      if (round >= behind && round - behind < input.length)
        schedule_.push_back(static_cast<uint32_t>((round - behind) * columns_ + c));
    }
}

void JointSpace::actions(const State& s, std::vector<Action>& out) const {
  const size_t c = column(s);
  if (!input_.forced.empty() && c + 1 == columns_) {
    const Label wanted = input_.forced[token(s)];
    if (wanted != kNoLabel) {
      out.push_back({0, plan_.column_begin[c] + wanted});
      return;
    }
  }
  for (uint32_t l = plan_.column_begin[c]; l < plan_.column_begin[c + 1]; ++l) out.push_back({0, l});
}

JointSpace::State JointSpace::apply(const State& s, Action action) const {
  State next = s;
  const size_t c = column(s);
  push_label(next.recent.data() + c * slots_, slots_, static_cast<Label>(action.label));
  ++next.made;
  if (input_.gold.empty()) return next;
  const Label right = input_.gold[token(s) * columns_ + c];
  if (right != kNoLabel && right != action.label) ++next.errors;
  return next;
}

void JointSpace::optimal_actions(const State& s, std::vector<Action>& out) const {
  const Label right = input_.gold[token(s) * columns_ + column(s)];
  if (right == kNoLabel) {  // unknown: every label is optimal
    actions(s, out);
  } else {
    out.push_back({0, right});
  }
}

uint32_t JointSpace::label_at(const State& s, size_t place, size_t c, size_t column, int offset) const {
  const int64_t at = static_cast<int64_t>(place) + offset, length = static_cast<int64_t>(input_.length);
  if (at < 0 || at >= length) return kOutside;
  // How many labels the column has so far. Columns before c have already decided in this round, the others
  // have not.
  const int64_t lead = static_cast<int64_t>(plan_.lead);
  const int64_t rounds =
      static_cast<int64_t>(place) + lead * (static_cast<int64_t>(c) - static_cast<int64_t>(column));
  const int64_t decided = std::clamp(column < c ? rounds + 1 : rounds, int64_t{0}, length);
  const int64_t back = decided - 1 - at;
  if (back < 0 || back >= static_cast<int64_t>(slots_)) return kOpen;
  return s.recent[column * slots_ + static_cast<size_t>(back)];
}

template <typename Emit>
void JointSpace::visit_entries(const State& s, const Emit& emit) const {
  const size_t place = schedule_[s.made] / columns_, c = schedule_[s.made] % columns_, t = token_at(place);
  const auto name = [&](uint32_t l) {
    return l == kOutside ? std::string("^")
           : l == kOpen  ? std::string("?")
                         : plan_.label_name(static_cast<Label>(l));
  };
  const uint32_t before = label_at(s, place, c, c, -1);
  emit(joint_entry(kJointBias, c), [&] { return std::string("bias"); });
  uint64_t gram = joint_entry(kOwnLabels, c);
  for (size_t n = 1; n <= plan_.history; ++n) {
    gram = hash_combine(gram, label_at(s, place, c, c, -static_cast<int>(n)));
    emit(gram, [&, n] {
      std::string text = "history";
      for (size_t i = n; i > 0; --i) text += " " + name(label_at(s, place, c, c, -static_cast<int>(i)));
      return text;
    });
  }
  const bool words = !input_.words.empty();
  const uint64_t word = words ? input_.words[t] : 0;
  if (words) {
    emit(hash_combine(hash_combine(joint_entry(kOwnAndWord, c), before), word),
         [&] { return "the word after " + name(before); });
    const uint64_t next = place + 1 < input_.length ? input_.words[token_at(place + 1)] : kOutside;
    emit(hash_combine(hash_combine(joint_entry(kOwnAndNextWord, c), before), next),
         [&] { return "the next word after " + name(before); });
  }
  for (size_t other = 0; other < c; ++other) {
    const int seen = static_cast<int>(plan_.lead * (c - other));
    for (const AheadWindow& window : kAheadWindows) {
      if (window.last > seen) continue;
      uint64_t hash =
          hash_combine(joint_entry(kAhead, c), other * 64 + static_cast<size_t>(window.first + 2) * 8 +
                                                   static_cast<size_t>(window.last + 2));
      for (int o = window.first; o <= window.last; ++o)
        hash = hash_combine(hash, label_at(s, place, c, other, o));
      const auto text = [&] {
        std::string labels = fmt::format("label column {}:", other + 1);
        for (int o = window.first; o <= window.last; ++o)
          labels += fmt::format(" {:+}:{}", o, name(label_at(s, place, c, other, o)));
        return labels;
      };
      emit(hash, text);
      if (window.with_own)
        emit(hash_combine(hash_combine(joint_entry(kAheadAndOwn, c), hash), before),
             [&] { return text() + ", after " + name(before); });
      if (window.with_word && words)
        emit(hash_combine(hash_combine(joint_entry(kAheadAndWord, c), hash), word),
             [&] { return text() + ", with the word"; });
    }
  }
  for (size_t other = c + 1; other < columns_; ++other) {
    const int last = -1 - static_cast<int>(plan_.lead * (other - c));
    uint64_t hash = hash_combine(joint_entry(kBehind, c), other);
    for (int n = 0; n < 2; ++n) {
      hash = hash_combine(hash, label_at(s, place, c, other, last - n));
      const auto text = [&, n] {
        std::string found = fmt::format("label column {}:", other + 1);
        for (int i = n; i >= 0; --i)
          found += fmt::format(" {:+}:{}", last - i, name(label_at(s, place, c, other, last - i)));
        return found;
      };
      emit(hash, text);
      emit(hash_combine(hash_combine(joint_entry(kBehindAndOwn, c), hash), before),
           [&] { return text() + ", after " + name(before); });
    }
  }
  if (!input_.edges.empty())
    for (uint32_t i = input_.edge_begin[t]; i < input_.edge_begin[t + 1]; ++i)
      emit(hash_combine(hash_combine(joint_entry(kJointEdge, c), input_.edges[i]), before), [&] {
        return fmt::format("edge feature {} after {}", i - input_.edge_begin[t] + 1, name(before));
      });
}

void JointSpace::features(const State& s, uint32_t, search::FeatureSink& sink) const {
  sink.block(static_cast<uint32_t>(token(s)));
  const size_t c = column(s);  // part of every hash
  sink.labels({plan_.column_begin[c], plan_.column_begin[c + 1]});
  visit_entries(s, [&](uint64_t hash, const auto&) { sink.add(hash); });
}

std::string JointSpace::entry_name(const State& s, size_t i) const {
  std::string found;
  visit_entries(s, [&](uint64_t, const auto& name) {
    if (i-- == 0) found = name();
  });
  return found;
}

}  // namespace espalier::tasks
