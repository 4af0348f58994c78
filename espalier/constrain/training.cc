#include "espalier/constrain/training.h"

#include <algorithm>

#include "espalier/chain/lattice/lattice_marginals.h"
#include "espalier/constrain/constrained_lattice.h"
#include "espalier/linear/rows.h"

namespace espalier::constrain {

using chain::Outcome;
using data::kNoLabel;
using data::Label;

namespace {

constexpr size_t kLatticeArcs = size_t{1} << 26;

/// Whether a partial labelling can be completed to one that satisfies the constraints.
bool can_be_completed(const Compiled& compiled, const Instance& instance, std::span<const Label> gold,
                      const DecodeOptions& options) {
  const size_t K = compiled.constraints().labels(), S = linear::padded(K);
  AlignedVector<float> node(gold.size() * S, chain::kImpossible), trans(K * S, 0.0f);
  for (size_t t = 0; t < gold.size(); ++t)
    for (size_t y = 0; y < K; ++y)
      if (gold[t] == kNoLabel || gold[t] == y) node[t * S + y] = 0;
  const Scores scores{gold.size(), K, S, node.data(), instance.spans.empty() ? trans.data() : nullptr,
                      nullptr};
  return decode(compiled, instance, scores, options).outcome == Outcome::kExact;
}

}  // namespace

TrainingRestriction::TrainingRestriction(Constraints constraints, std::vector<Instance> instances,
                                         const linear::Dataset& data, DecodeOptions options)
    : compiled_(std::move(constraints)), instances_(std::move(instances)), options_(options) {
  ESPALIER_CHECK(instances_.size() == data.sequences());
  sequences_ = instances_.size();
  restricted_.assign(instances_.size(), 1);
  broken_.assign(compiled_.constraints().statements().size(), 0);
  for (size_t s = 0; s < instances_.size(); ++s) {
    const std::span<const Label> gold = data.gold_of(s);
    const bool known = std::find(gold.begin(), gold.end(), kNoLabel) == gold.end();
    if (known) {
      const std::vector<size_t> broken = compiled_.constraints().broken_constraints(instances_[s], gold);
      for (const size_t c : broken) ++broken_[c];
      restricted_[s] = broken.empty() ? 1 : 0;
    } else {
      restricted_[s] = can_be_completed(compiled_, instances_[s], gold, options_) ? 1 : 0;
    }
    unrestricted_ += restricted_[s] == 0;
  }
}

TrainingRestriction TrainingRestriction::for_decoding(Constraints constraints,
                                                      std::vector<Instance> instances,
                                                      DecodeOptions options) {
  TrainingRestriction out(std::move(constraints), options);
  out.broken_.assign(out.compiled_.constraints().statements().size(), 0);
  out.restricted_.assign(instances.size(), 1);
  out.instances_ = std::move(instances);
  return out;
}

std::string TrainingRestriction::note() const {
  if (unrestricted_ == 0) return "";
  std::string names;
  for (size_t c = 0; c < broken_.size(); ++c)
    if (broken_[c] > 0)
      names += fmt::format("{}{} ({})", names.empty() ? ": " : ", ",
                           compiled_.constraints().statements()[c].name, broken_[c]);
  return fmt::format("{} of {} sequences break hard constraints and were trained on without{}", unrestricted_,
                     sequences_, names);
}

void TrainingRestriction::count_on(const Team& team) {
  std::vector<int64_t> counts{static_cast<int64_t>(unrestricted_), static_cast<int64_t>(sequences_)};
  counts.insert(counts.end(), broken_.begin(), broken_.end());
  team.sum(counts);
  unrestricted_ = static_cast<size_t>(counts[0]);
  sequences_ = static_cast<size_t>(counts[1]);
  for (size_t c = 0; c < broken_.size(); ++c) broken_[c] = static_cast<size_t>(counts[c + 2]);
}

TrainingRestriction TrainingRestriction::subset(std::span<const uint32_t> sequences) const {
  TrainingRestriction out(compiled_.constraints(), options_);
  out.broken_.assign(broken_.size(), 0);
  out.sequences_ = sequences.size();
  for (const uint32_t s : sequences) {
    out.instances_.push_back(instances_[s]);
    out.restricted_.push_back(restricted_[s]);
    out.unrestricted_ += restricted_[s] == 0;
  }
  return out;
}

void TrainingRestriction::best(size_t sequence, const Scores& scores, chain::ChainScratch& scratch,
                               Label* labels) const {
  const Instance& instance = instances_[sequence];
  if (compiled_.only_local() && options_.method == Method::kAuto) {
    thread_local PenalisedScores folded;
    folded.assign(compiled_, instance, scores);
    if (chain::viterbi(folded.view, scratch, labels) > chain::kMinusInfinity) return;
  } else {
    Scores own = scores;
    if (!instance.spans.empty()) own.trans = nullptr;  // candidates do not form a chain
    Decoded found = decode(compiled_, instance, own, options_);
    if (found.labels.empty() && searchable(compiled_))  // out of time
      found = decode_search(compiled_, instance, own, options_.beam);
    if (!found.labels.empty()) {
      std::copy(found.labels.begin(), found.labels.end(), labels);
      return;
    }
  }
  // No allowed labelling was found (forced labels contradict it, or out of time): learn from the best
  // labelling of all.
  chain::viterbi(scores, scratch, labels);
}

double TrainingRestriction::sums(size_t sequence, const Scores& scores, chain::ChainScratch& scratch,
                                 float* marginals, float* pairs, float* edge) const {
  const Instance& instance = instances_[sequence];
  if (!compiled_.only_local()) return sums_on_lattice(instance, scores, marginals, pairs, edge);
  thread_local PenalisedScores folded;
  thread_local chain::TransitionPotentials potentials;
  folded.assign(compiled_, instance, scores);
  potentials.assign(folded.view.trans, scores.labels, scores.stride);
  return chain::forward_backward(folded.view, potentials, scratch, marginals, pairs, edge);
}

double TrainingRestriction::sums_on_lattice(const Instance& instance, const Scores& scores, float* marginals,
                                            float* pairs, float* edge) const {
  const size_t T = instance.length, K = scores.labels, S = scores.stride;
  thread_local PenalisedScores folded;
  folded.assign(compiled_, instance, scores);
  const ConstrainedLattice product = constrained_lattice(compiled_, folded.view, kLatticeArcs);
  ESPALIER_CHECK(product.outcome == Outcome::kExact);  // gold is in it
  const chain::SumMarginals sums = chain::sum_marginals(product.lattice);
  std::fill(marginals, marginals + T * S, 0.0f);
  if (edge != nullptr) std::fill(edge, edge + T * K * S, 0.0f);
  for (size_t t = 0; t < T; ++t) {
    const Range states = product.lattice.states_at(t);
    for (size_t s = states.first; s < states.last; ++s) {
      const Label y = product.lattice.label(s);
      marginals[t * S + y] += static_cast<float>(sums.state[s]);
      const Range arcs = product.lattice.arcs_into(s);
      for (size_t a = arcs.first; a < arcs.last; ++a) {
        const size_t pair = product.lattice.label(product.lattice.source(a)) * S + y;
        pairs[pair] += static_cast<float>(sums.arc[a]);
        if (edge != nullptr) edge[t * K * S + pair] += static_cast<float>(sums.arc[a]);
      }
    }
  }
  return sums.log_z;
}

cascade::LegalPart TrainingRestriction::legal_part(size_t sequence, const chain::Lattice& lattice) const {
  ConstrainedLattice legal =
      constrained_lattice(compiled_, instances_[sequence], lattice, kLatticeArcs, /*mapped=*/true);
  return {legal.outcome, std::move(legal.lattice), std::move(legal.old_state), std::move(legal.old_arc)};
}

double TrainingRestriction::penalty(size_t sequence, std::span<const Label> labels) const {
  return compiled_.constraints().penalty(instances_[sequence], labels);
}

}  // namespace espalier::constrain
