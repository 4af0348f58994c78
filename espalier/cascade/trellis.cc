#include "espalier/cascade/trellis.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace espalier::cascade {

using chain::Lattice;
using data::Label;

namespace {

/// The gram of n start symbols.
uint32_t start_gram(const GramTable& grams, size_t n) {
  uint32_t gram = grams.start();
  for (size_t i = 1; i < n; ++i) gram = grams.find(gram, grams.start());
  return gram;
}

}  // namespace

void find_border_grams(Trellis& trellis, const GramTable& grams) {
  const Lattice& lattice = trellis.lattice;
  const size_t m = trellis.gram_length;
  trellis.first_gram.clear();
  trellis.end_grams.clear();
  if (lattice.positions() == 0) return;
  const uint32_t starts = start_gram(grams, m);
  const Range first = lattice.states_at(0);
  for (size_t s = first.first; s < first.last; ++s)
    trellis.first_gram.push_back(grams.find(starts, lattice.label(s)));
  const Range last = lattice.states_at(lattice.positions() - 1);
  for (size_t s = last.first; s < last.last; ++s) {
    trellis.end_grams.push_back(grams.find(lattice.label(s), grams.end()));
    for (const uint32_t gram : trellis.grams_of(s))
      trellis.end_grams.push_back(grams.find(gram, grams.end()));
  }
}

AliveLabels all_labels(size_t positions, size_t labels) {
  AliveLabels alive;
  alive.label.resize(positions * labels);
  alive.rating.assign(positions * labels, kNoRating);
  for (size_t t = 0; t < positions; ++t) {
    std::iota(alive.label.begin() + static_cast<ptrdiff_t>(t * labels),
              alive.label.begin() + static_cast<ptrdiff_t>((t + 1) * labels), Label{0});
    alive.begin.push_back(static_cast<uint32_t>((t + 1) * labels));
  }
  return alive;
}

Trellis make_trellis(const AliveLabels& alive, const GramTable& grams, Trellis used) {
  Trellis trellis = std::move(used);
  trellis.gram_length = 1;
  trellis.state_grams.clear();
  const size_t T = alive.positions();
  size_t arcs = 0;
  for (size_t t = 1; t < T; ++t)
    arcs += size_t{alive.begin[t] - alive.begin[t - 1]} * (alive.begin[t + 1] - alive.begin[t]);
  chain::LatticeBuilder builder(std::move(trellis.lattice));
  builder.reserve(alive.label.size(), arcs);
  trellis.arc_gram.resize(arcs);
  uint32_t* gram = trellis.arc_gram.data();
  for (size_t t = 0; t < T; ++t) {
    const uint32_t before = t == 0 ? alive.begin[0] : alive.begin[t - 1];
    for (uint32_t s = alive.begin[t]; s < alive.begin[t + 1]; ++s) {
      builder.add_state(alive.label[s], 0);
      builder.add_arcs(before, alive.begin[t] - before);
      for (uint32_t source = before; source < alive.begin[t]; ++source)
        *gram++ = grams.find(alive.label[source], alive.label[s]);
    }
    builder.end_position();
  }
  trellis.lattice = builder.finish();
  trellis.rating = alive.rating;
  find_border_grams(trellis, grams);
  return trellis;
}

Growth plan_growth(const Trellis& from, const chain::KeepMasks& keep) {
  // New states: those of position 0, then the arcs in order. The predecessors of arc a: s → s' are the arcs
  // into s; at position 1, the state s itself.
  const Lattice& old = from.lattice;
  Growth growth;
  growth.place.resize(old.states() + 1, 0);
  const size_t first_end = old.positions() == 0 ? 0 : old.states_at(0).last;
  if (keep.states.empty() && keep.arcs.empty()) {
    for (size_t s = 0; s < old.states(); ++s)
      growth.place[s] = static_cast<uint32_t>(s < first_end ? s : first_end + old.arcs_into(s).first);
    growth.place[old.states()] = static_cast<uint32_t>(first_end + old.arcs());
    for (size_t a = 0; a < old.arcs(); ++a)
      growth.arcs += growth.place[old.source(a) + 1] - growth.place[old.source(a)];
    return growth;
  }
  uint32_t next = 0;
  for (size_t s = 0; s < old.states(); ++s) {
    growth.place[s] = next;
    if (s < first_end) {
      next += keep.states.empty() || keep.states[s];
      continue;
    }
    const Range into = old.arcs_into(s);
    for (size_t a = into.first; a < into.last; ++a) {
      if (!keep.arcs.empty() && !keep.arcs[a]) continue;
      ++next;
      const uint32_t source = old.source(a);
      growth.arcs += growth.place[source + 1] - growth.place[source];
    }
  }
  growth.place[old.states()] = next;
  return growth;
}

Trellis grow(const Trellis& from, const Growth& growth, const chain::KeepMasks& keep,
             std::span<const float> state_rating, std::span<const float> arc_rating, const GramTable& grams,
             Trellis used) {
  const Lattice& old = from.lattice;
  const std::span<const float> first_rating =
      state_rating.empty() ? std::span<const float>(from.rating) : state_rating;
  const size_t m = from.gram_length, states = growth.place.back();
  Trellis trellis = std::move(used);
  trellis.gram_length = m + 1;
  chain::LatticeBuilder builder(std::move(trellis.lattice));
  builder.reserve(states, growth.arcs);
  trellis.arc_gram.resize(growth.arcs);
  trellis.rating.resize(states);
  trellis.state_grams.resize(states * m);
  uint32_t* gram = trellis.arc_gram.data();
  for (size_t t = 0; t < old.positions(); ++t) {
    const Range targets = old.states_at(t);
    for (size_t target = targets.first; target < targets.last; ++target) {
      const Label label = old.label(target);
      const auto add_state = [&](uint32_t top, float rating) {
        const uint32_t state = builder.add_state(label, 0);
        const std::span<const uint32_t> shorter = from.grams_of(target);
        uint32_t* const to =
            std::copy(shorter.begin(), shorter.end(), trellis.state_grams.data() + state * m);
        *to = top;
        trellis.rating[state] = rating;
      };
      if (t == 0) {
        if (keep.states.empty() || keep.states[target])
          add_state(from.first_gram[target], first_rating[target]);
        continue;
      }
      const Range into = old.arcs_into(target);
      for (size_t a = into.first; a < into.last; ++a) {
        if (!keep.arcs.empty() && !keep.arcs[a]) continue;
        add_state(from.arc_gram[a], arc_rating.empty() ? from.rating[target] : arc_rating[a]);
        const uint32_t first = growth.place[old.source(a)], last = growth.place[old.source(a) + 1];
        builder.add_arcs(first, last - first);
        for (uint32_t before = first; before < last; ++before)
          *gram++ = grams.find(trellis.state_grams[before * m + m - 1], label);
      }
    }
    builder.end_position();
  }
  trellis.lattice = builder.finish();
  find_border_grams(trellis, grams);
  return trellis;
}

void add_missing_grams(Trellis& trellis, GramTable& grams) {
  const Lattice& lattice = trellis.lattice;
  const size_t m = trellis.gram_length;
  if (lattice.positions() == 0) return;
  uint32_t starts = grams.start();
  for (size_t i = 1; i < m; ++i) starts = grams.add(starts, grams.start());
  for (size_t s = 0; s < trellis.first_gram.size(); ++s)
    trellis.first_gram[s] = grams.add(starts, lattice.label(s));
  for (size_t s = 0; s < lattice.states(); ++s) {
    const Range arcs = lattice.arcs_into(s);
    for (size_t a = arcs.first; a < arcs.last; ++a)
      if (trellis.arc_gram[a] == kNoGram)
        trellis.arc_gram[a] = grams.add(trellis.top_gram(lattice.source(a)), lattice.label(s));
  }
  const Range last = lattice.states_at(lattice.positions() - 1);
  size_t next = 0;
  for (size_t s = last.first; s < last.last; ++s) {
    trellis.end_grams[next++] = grams.add(lattice.label(s), grams.end());
    for (const uint32_t gram : trellis.grams_of(s)) trellis.end_grams[next++] = grams.add(gram, grams.end());
  }
}

Thinned thin(const Trellis& trellis, const chain::KeepMasks& keep, std::span<const float> rating) {
  chain::FilteredLattice filtered = chain::filter(trellis.lattice, keep, chain::BestPath::kAsMasked);
  ESPALIER_CHECK(filtered.outcome == chain::Outcome::kExact);
  Thinned result;
  Trellis& out = result.trellis;
  const size_t m = trellis.gram_length;
  out.gram_length = m;
  out.lattice = std::move(filtered.lattice);
  const Lattice& lattice = out.lattice;
  out.state_grams.reserve(lattice.states() * (m - 1));
  out.rating.reserve(lattice.states());
  const std::span<const float> from = rating.empty() ? std::span<const float>(trellis.rating) : rating;
  for (const uint32_t old : filtered.old_state) {
    const std::span<const uint32_t> grams = trellis.grams_of(old);
    out.state_grams.insert(out.state_grams.end(), grams.begin(), grams.end());
    out.rating.push_back(from[old]);
  }
  out.arc_gram.reserve(lattice.arcs());
  for (const uint32_t old : filtered.old_arc) out.arc_gram.push_back(trellis.arc_gram[old]);
  if (lattice.positions() > 0) {
    for (size_t s = 0; s < lattice.states_at(0).last; ++s)
      out.first_gram.push_back(trellis.first_gram[filtered.old_state[s]]);
    const size_t T = lattice.positions();
    const size_t old_last = trellis.lattice.states_at(T - 1).first;
    for (size_t s = lattice.states_at(T - 1).first; s < lattice.states(); ++s)
      for (size_t j = 0; j < m; ++j)
        out.end_grams.push_back(trellis.end_grams[(filtered.old_state[s] - old_last) * m + j]);
  }
  result.old_state = std::move(filtered.old_state);
  result.old_arc = std::move(filtered.old_arc);
  return result;
}

std::vector<uint32_t> find_path(const Trellis& trellis, std::span<const Label> labels) {
  const Lattice& lattice = trellis.lattice;
  std::vector<uint32_t> path;
  if (labels.size() != lattice.positions()) return path;
  for (size_t t = 0; t < labels.size(); ++t) {
    const Range states = lattice.states_at(t);
    size_t found = states.last;
    for (size_t s = states.first; s < states.last && found == states.last; ++s) {
      if (lattice.label(s) != labels[t]) continue;
      if (t == 0) {
        found = s;
        break;
      }
      const Range arcs = lattice.arcs_into(s);
      for (size_t a = arcs.first; a < arcs.last; ++a)
        if (lattice.source(a) == path.back()) found = s;
    }
    if (found == states.last) return {};
    path.push_back(static_cast<uint32_t>(found));
  }
  return path;
}

double score_in(const Trellis& trellis, std::span<const Label> labels) {
  const std::vector<uint32_t> path = find_path(trellis, labels);
  return path.size() < labels.size() ? -std::numeric_limits<double>::infinity()
                                     : chain::path_score(trellis.lattice, path);
}

std::vector<uint32_t> arcs_of_path(const Lattice& lattice, std::span<const uint32_t> path) {
  std::vector<uint32_t> arcs(path.size(), 0);
  for (size_t t = 1; t < path.size(); ++t) {
    const Range into = lattice.arcs_into(path[t]);
    size_t a = into.first;
    while (a < into.last && lattice.source(a) != path[t - 1]) ++a;
    ESPALIER_CHECK(a < into.last);
    arcs[t] = static_cast<uint32_t>(a);
  }
  return arcs;
}

}  // namespace espalier::cascade
