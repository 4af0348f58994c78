#include "espalier/ensemble/votes/combine.h"

#include "espalier/ensemble/votes/legal.h"

namespace espalier::ensemble {
namespace {

data::Label label_of(Value value) {
  return value == kAbsent ? data::kNoLabel : static_cast<data::Label>(value);
}

double share_of(const VoteView& view, const WeightTable& table, size_t i, Value value,
                std::vector<Share>& tally) {
  std::vector<double> scratch;
  shares(view.item(i), item_row(view, i, table, scratch), tally);
  for (const Share& share : tally)
    if (share.value == value) return share.share;
  return 0;
}

}  // namespace

Combiner::Combiner(const CombineRule& rule, Substructures& substructures, data::LabelSet& labels)
    : rule_(rule), substructures_(substructures), labels_(labels) {
  ESPALIER_CHECK(rule.table != nullptr);
  if (rule.automaton != nullptr) automaton_vote_ = std::make_unique<AutomatonVote>(*rule.automaton);
}

const chain::LabelAutomaton* Combiner::scheme_states() {
  if (rule_.legal == data::Scheme::kNone) return nullptr;
  if (scheme_automaton_.labels != labels_.size()) scheme_automaton_ = scheme_automaton(labels_, rule_.legal);
  return &scheme_automaton_;
}

void Combiner::random_path(const VoteView& view, size_t number, Combined& out) {
  Random random = Random(rule_.seed).split(number);
  if (rule_.automaton == nullptr) {
    rule_.suffix->draw_path(random, path_);
  } else {
    const size_t arcs = rule_.suffix->experts;
    const size_t t = random.below(rule_.suffix->size());
    const std::span<const float> conditional = std::span(rule_.suffix->weights).subspan(t * arcs, arcs);
    rule_.automaton->draw_path(conditional, random, path_);
  }
  std::vector<Share> tally;
  for (size_t i = 0; i < view.items(); ++i) {
    // In slots that learning never saw, and where the drawn expert abstains, the vote decides.
    const size_t slot = view.slot[i];
    Value value = slot < path_.size() ? view.item(i)[path_[slot]] : kAbsent;
    if (value == kAbsent) value = vote(view.item(i), rule_.table->row(slot), rule_.table->tie_order).value;
    out.labels.push_back(label_of(value));
    out.share.push_back(value == kAbsent ? 0 : share_of(view, *rule_.table, i, value, tally));
  }
}

Status Combiner::combine(const TokenVotes& tokens, size_t number, Combined& out) {
  out.labels.clear();
  out.share.clear();
  const size_t length = tokens.length();
  const VoteView view = substructures_.encode(tokens);
  const bool is_short = rule_.short_table != nullptr && length < rule_.switch_length;
  const WeightTable& table = is_short ? *rule_.short_table : *rule_.table;

  if (substructures_.options().kind == SubstructureKind::kNgrams) {
    if (!decode_ngrams(tokens, view, substructures_, table, scheme_states(), out.labels, out.share)) {
      out.labels.assign(length, data::kNoLabel);
      out.share.assign(length, 0);
    }
    return {};
  }
  if (!substructures_.items_are_tokens()) {
    winners_.clear();
    for (size_t i = 0; i < view.items(); ++i) {
      const Winner winner = vote(view.item(i), table.row(view.slot[i]), table.tie_order);
      winners_.push_back({winner.value, winner.share});
    }
    substructures_.assemble(length, winners_, out.labels, out.share);
    return {};
  }
  if (!is_short && rule_.suffix != nullptr) {
    random_path(view, number, out);
    return {};
  }
  if (!is_short && automaton_vote_ != nullptr) {
    ESPALIER_TRY(automaton_vote_->decode(view, table, rule_.form, values_));
    std::vector<Share> tally;
    for (size_t i = 0; i < length; ++i) {
      out.labels.push_back(label_of(values_[i]));
      out.share.push_back(share_of(view, table, i, values_[i], tally));
    }
    return {};
  }
  if (const chain::LabelAutomaton* const legal = scheme_states()) {
    if (decode_legal(view, table, rule_.form, *legal, out.labels, out.share)) return {};
    out.labels.clear();
    out.share.clear();
  }
  for (size_t i = 0; i < length; ++i) {
    const Winner winner = vote(view.item(i), item_row(view, i, table, weights_), table.tie_order);
    out.labels.push_back(label_of(winner.value));
    out.share.push_back(winner.share);
  }
  return {};
}

}  // namespace espalier::ensemble
