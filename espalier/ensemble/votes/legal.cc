#include "espalier/ensemble/votes/legal.h"

#include <algorithm>
#include <cmath>

#include "espalier/chain/lattice/lattice_viterbi.h"
#include "espalier/constrain/rules.h"

namespace espalier::ensemble {
namespace {

using data::Scheme;

/// A lattice of one state for each (token, label), scored by log shares or by weights (shares times the
/// weight of those who speak); arcs between all neighbours.
chain::Lattice share_lattice(const std::vector<std::vector<Share>>& columns, std::span<const double> awake,
                             VoteForm form) {
  chain::LatticeBuilder builder;
  uint32_t previous_first = 0, previous_count = 0, next = 0;
  for (size_t t = 0; t < columns.size(); ++t) {
    const std::vector<Share>& column = columns[t];
    const uint32_t first = next;
    for (const Share& share : column) {
      const double score = form == VoteForm::kProduct ? std::log(share.share) : awake[t] * share.share;
      builder.add_state(static_cast<data::Label>(share.value), static_cast<float>(score));
      for (uint32_t s = 0; s < previous_count; ++s) builder.add_arc(previous_first + s, 0);
      ++next;
    }
    builder.end_position();
    previous_first = first;
    previous_count = next - first;
  }
  return builder.finish();
}

void fill_unsaid(size_t labels, std::vector<Share>& column) {
  std::vector<uint8_t> said(labels, 0);
  for (const Share& share : column) said[share.value] = 1;
  for (size_t label = 0; label < labels; ++label)
    if (!said[label]) column.push_back({static_cast<Value>(label), kUnsaidShare});
}

bool best_path(const chain::Lattice& lattice, std::vector<data::Label>& out) {
  const chain::LatticePath path = chain::viterbi(lattice);
  if (path.outcome != chain::Outcome::kExact) return false;
  out = chain::path_labels(lattice, path.states);
  return true;
}

}  // namespace

chain::LabelAutomaton scheme_automaton(const data::LabelSet& labels, Scheme scheme) {
  const size_t K = labels.size();
  std::vector<std::optional<data::LabelParts>> parts;
  for (const std::string& name : labels.names())
    parts.push_back(data::parse_label(name).value_or(data::LabelParts{}));
  chain::LabelAutomaton automaton;
  automaton.labels = K;
  for (size_t q = 0; q <= K; ++q) {
    const std::optional<data::LabelParts> last = q == 0 ? std::nullopt : parts[q - 1];
    automaton.add_state(constrain::legal_neighbours(scheme, last, std::nullopt));
    for (size_t label = 0; label < K; ++label)
      if (constrain::legal_neighbours(scheme, last, parts[label]))
        automaton.next[q * K + label] = static_cast<uint32_t>(label + 1);
  }
  return automaton;
}

bool decode_legal(const VoteView& view, const WeightTable& table, VoteForm form,
                  const chain::LabelAutomaton& automaton, std::vector<data::Label>& out,
                  std::vector<double>& share) {
  const size_t length = view.items();
  out.resize(length);
  share.resize(length);
  bool silent = false;
  std::vector<double> scratch;
  for (size_t t = 0; t < length; ++t) {
    const Winner winner = vote(view.item(t), item_row(view, t, table, scratch), table.tie_order);
    silent |= winner.value == kAbsent;
    out[t] = winner.value == kAbsent ? data::kNoLabel : static_cast<data::Label>(winner.value);
    share[t] = winner.share;
  }
  // The winners themselves, where they fit, are the best there is.
  if (!silent && automaton.accepts(out)) return true;
  std::vector<std::vector<Share>> columns(length);
  std::vector<double> awake(length, 0);
  for (size_t t = 0; t < length; ++t) {
    const std::span<const double> row = item_row(view, t, table, scratch);
    for (size_t j = 0; j < row.size(); ++j) awake[t] += view.item(t)[j] == kAbsent ? 0 : row[j];
    shares(view.item(t), row, columns[t]);
    for (Share& s : columns[t]) s.share = std::max(s.share, kUnsaidShare);
    fill_unsaid(automaton.labels, columns[t]);
  }
  const chain::IntersectedLattice legal = chain::intersect(share_lattice(columns, awake, form), automaton);
  if (legal.outcome != chain::Outcome::kExact || !best_path(legal.lattice, out)) return false;
  for (size_t t = 0; t < length; ++t)
    for (const Share& s : columns[t])
      if (s.value == out[t]) share[t] = s.share > kUnsaidShare ? s.share : 0;
  return true;
}

bool decode_ngrams(const TokenVotes& tokens, const VoteView& view, const Substructures& substructures,
                   const WeightTable& table, const chain::LabelAutomaton* automaton,
                   std::vector<data::Label>& out, std::vector<double>& share) {
  const size_t length = tokens.length(), order = substructures.options().order;
  std::vector<std::vector<data::Label>> said(length);
  for (size_t t = 0; t < length; ++t) {
    for (const data::Label label : tokens.row(t))
      if (label != data::kNoLabel && std::find(said[t].begin(), said[t].end(), label) == said[t].end())
        said[t].push_back(label);
    if (automaton != nullptr)
      for (size_t label = 0; label < automaton->labels; ++label)
        if (std::find(said[t].begin(), said[t].end(), label) == said[t].end())
          said[t].push_back(static_cast<data::Label>(label));
    if (said[t].empty()) return false;
  }
  // A state is the label of its token and, for trigrams, of the token before.
  struct Context {
    data::Label last, before;
  };
  std::vector<std::vector<Share>> tallies(length);
  chain::LatticeBuilder builder;
  std::vector<Context> previous, current;
  uint32_t previous_first = 0, next = 0;
  const auto score = [&](size_t t, const Context& context, data::Label before) {
    for (const Share& s : tallies[t]) {
      const std::span<const data::Label> gram = substructures.ngram(s.value);
      if (gram[0] == context.last && gram[1] == context.before && (order == 2 || gram[2] == before))
        return std::log(std::max(s.share, kUnsaidShare));
    }
    return std::log(kUnsaidShare);
  };
  for (size_t t = 0; t < length; ++t) {
    shares(view.item(t), table.row(view.slot[t]), tallies[t]);
    current.clear();
    const uint32_t first = next;
    const std::vector<data::Label> none{data::kNoLabel};
    for (const data::Label label : said[t])
      for (const data::Label before : t == 0 ? none : said[t - 1]) {
        const Context context{label, before};
        current.push_back(context);
        builder.add_state(label, t == 0 ? static_cast<float>(score(t, context, data::kNoLabel)) : 0);
        ++next;
        for (uint32_t s = 0; s < previous.size(); ++s)
          if (previous[s].last == before)
            builder.add_arc(previous_first + s, static_cast<float>(score(t, context, previous[s].before)));
      }
    builder.end_position();
    previous.swap(current);
    previous_first = first;
  }
  const chain::Lattice lattice = builder.finish();
  if (automaton == nullptr) {
    if (!best_path(lattice, out)) return false;
  } else {
    const chain::IntersectedLattice legal = chain::intersect(lattice, *automaton);
    if (legal.outcome != chain::Outcome::kExact || !best_path(legal.lattice, out)) return false;
  }
  share.assign(length, 0);
  for (size_t t = 0; t < length; ++t)
    for (const Share& s : tallies[t])
      if (substructures.ngram(s.value)[0] == out[t]) share[t] += s.share;
  return true;
}

}  // namespace espalier::ensemble
