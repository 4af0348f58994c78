#include "espalier/tasks/spaces/label_space.h"

#include <algorithm>

namespace espalier::tasks {

using data::kNoLabel;
using data::Label;
using search::Action;

LabelSpace::LabelSpace(const DecisionPlan& plan, const LabelInput& input)
    : plan_(plan),
      input_(input),
      label_count_(plan.labels.size()),
      anything_goes_(!plan.legal && input.legal == nullptr && input.forced.empty()) {
  ESPALIER_CHECK(plan.columns() == 1);
  ESPALIER_CHECK(input.legal == nullptr || plan.order == DecisionOrder::kLeftToRight);
  if (plan.loss != SequenceLoss::kF1 || input.gold.empty()) return;
  gold_begins_after_.assign(input.length + 1, 0);
  for (size_t t = input.length; t-- > 0;)
    gold_begins_after_[t] = gold_begins_after_[t + 1] + (gold_tag(t).prefix == 'B' ? 1 : 0);
}

bool LabelSpace::allowed(const State& s, Label label) const {
  if (!input_.forced.empty()) {
    const Label wanted = input_.forced[token(s)];
    if (wanted != kNoLabel && wanted != label) return false;
  }
  if (input_.legal != nullptr && legal_after(s, label) == constrain::Completion::kNowhere) return false;
  if (!plan_.legal) return true;
  const bool forward = plan_.order == DecisionOrder::kLeftToRight;
  const auto before = s.recent[0];
  if (forward) {
    const DecisionPlan::Tag tag = plan_.tags[label];
    return tag.prefix != 'I' || (before != kNoLabel && plan_.tags[before].type == tag.type);
  }
  // From the right, an I-X already assigned needs B-X or I-X to its left.
  if (before == kNoLabel || plan_.tags[before].prefix != 'I')
    return token(s) > 0 || plan_.tags[label].prefix != 'I';
  return plan_.tags[label].type == plan_.tags[before].type &&
         (token(s) > 0 || plan_.tags[label].prefix == 'B');
}

void LabelSpace::actions(const State& s, std::vector<Action>& out) const {
  const auto K = static_cast<uint32_t>(labels());
  if (anything_goes_) {
    const size_t before = out.size();
    out.resize(before + K);
    for (uint32_t l = 0; l < K; ++l) out[before + l] = {0, l};
    return;
  }
  for (uint32_t l = 0; l < K; ++l)
    if (allowed(s, static_cast<Label>(l))) out.push_back({0, l});
}

void LabelSpace::count_segments(State& s, Label label) const {
  // Left to right and IOB2: whether this label continues, ends or begins a segment.
  const DecisionPlan::Tag tag = plan_.tags[label];
  const DecisionPlan::Tag gold_tag = this->gold_tag(token(s));
  const Label before = s.recent[0];
  const bool open = before != kNoLabel && plan_.tags[before].type != 0;
  const bool goes_on = open && tag.prefix == 'I' && tag.type == plan_.tags[before].type;
  const bool gold_goes_on = gold_tag.prefix == 'I';
  if (goes_on) {
    s.agreeing = s.agreeing && gold_goes_on;
    return;
  }
  if (s.agreeing && !gold_goes_on) ++s.correct;  // both segments end here
  s.agreeing = false;
  if (tag.type != 0) {  // B-X, or an I-X that begins a segment
    ++s.predicted;
    s.agreeing = gold_tag.prefix == 'B' && gold_tag.type == tag.type;
  }
}

void LabelSpace::add_edges(const State& s, search::FeatureSink& sink) const {
  const size_t t = token(s);
  for (uint32_t i = input_.edge_begin[t]; i < input_.edge_begin[t + 1]; ++i)
    sink.add(hash_combine(hash_combine(kEdge, input_.edges[i]), s.recent[0]));
}

std::string LabelSpace::entry_name(const State& s, size_t i) const {
  const auto name = [&](Label l) { return l == kNoLabel ? std::string("^") : plan_.label_name(l); };
  if (i == 0) return "bias";
  if (i <= plan_.history) {
    std::string text = "history";
    for (size_t n = i; n-- > 0;) text += " " + name(s.recent[n]);
    return text;
  }
  i -= plan_.history + 1;
  return fmt::format("edge feature {} after {}", i + 1, name(s.recent[0]));
}

double LabelSpace::best_loss(const State& s) const {
  switch (plan_.loss) {
    // If legality forbids the gold label, one error is unavoidable; beginning the segment here makes the rest
    // of it reachable.
    case SequenceLoss::kHamming:
      return s.errors + (gold_is_barred(s) ? 1 : 0);
    case SequenceLoss::kZeroOne:
      return s.errors > 0 || gold_is_barred(s) ? 1 : 0;
    case SequenceLoss::kF1: {
      // Section 6.1.6: every gold segment that has not begun can still be found, and the open one if it
      // agrees so far; no other segment need be predicted.
      const double total = gold_begins_after_[0], rest = gold_begins_after_[s.made];
      const double correct = s.correct + (s.agreeing ? 1 : 0) + rest;
      const double found = s.predicted + rest;
      if (total + found == 0) return 0;
      // Without gold segments every predicted one is wrong; the sentence then counts as if it had one.
      return std::max(total, 1.0) * (1 - 2 * correct / (total + found));
    }
  }
  return 0;
}

void LabelSpace::optimal_actions(const State& s, std::vector<Action>& out) const {
  const Label right = gold(s);
  const auto K = static_cast<uint32_t>(labels());
  const auto outside = [&] {
    for (uint32_t l = 0; l < K; ++l)
      if (plan_.tags[l].prefix == 'O' && allowed(s, static_cast<Label>(l))) return l;
    for (uint32_t l = 0; l < K; ++l)
      if (allowed(s, static_cast<Label>(l))) return l;
    return uint32_t{0};
  };
  if (right == kNoLabel) {  // unknown: every allowed label is optimal
    for (uint32_t l = 0; l < K; ++l)
      if (allowed(s, static_cast<Label>(l))) out.push_back({0, l});
    return;
  }
  if (plan_.loss == SequenceLoss::kF1 && plan_.tags[right].prefix == 'I') {
    // Equation 18: in X only after begin X or in X, otherwise out.
    const Label before = s.recent[0];
    const bool inside =
        before != kNoLabel && plan_.tags[before].type == plan_.tags[right].type && allowed(s, right);
    out.push_back({0, inside ? right : outside()});
    return;
  }
  if (allowed(s, right)) {
    out.push_back({0, right});
    return;
  }
  // The gold label is forbidden. Left to right, an I-X without a predecessor becomes B-X; from the right, an
  // open segment of another type must begin here.
  const uint32_t type =
      plan_.order == DecisionOrder::kLeftToRight ? plan_.tags[right].type : plan_.tags[s.recent[0]].type;
  for (uint32_t l = 0; l < K; ++l)
    if (plan_.tags[l].prefix == 'B' && plan_.tags[l].type == type && allowed(s, static_cast<Label>(l))) {
      out.push_back({0, l});
      return;
    }
  out.push_back({0, outside()});
}

}  // namespace espalier::tasks
