#include "espalier/ensemble/automaton/automaton_learning.h"

#include <cmath>

#include "espalier/ensemble/methods/online_to_batch.h"

namespace espalier::ensemble {
namespace {

/// Losses summed over a sample by position and expert, with the number of its rounds.
struct AutomatonCensus {
  size_t rounds = 0;
  std::vector<double> arc_loss;  ///< positions × experts, normalised
};

Result<AutomatonCensus> automaton_census(VoteSource& source, const ExpertAutomaton& automaton) {
  AutomatonCensus census;
  const size_t p = automaton.experts();
  if (source.experts() != p)
    return fail("the automaton is about {} experts, but there are {}", p, source.experts());
  census.arc_loss.assign(automaton.positions() * p, 0);
  ItemLosses losses(p);
  Status status;
  ESPALIER_TRY(for_each_sequence(source, [&](const VoteView& view) {
    losses.measure(view);
    if (losses.slots() > automaton.positions()) {
      if (status.ok())
        status = fail("a sequence has {} positions, but the automaton's paths have {}", losses.slots(),
                      automaton.positions());
      return;
    }
    if (losses.known() == 0) return;
    ++census.rounds;
    for (const uint32_t slot : losses.changed())
      for (size_t j = 0; j < p; ++j)
        census.arc_loss[slot * p + j] += losses.charges(slot)[j] / static_cast<double>(losses.known());
  }));
  ESPALIER_TRY(status);
  if (census.rounds == 0) return fail("there is no sequence with gold labels to learn from");
  return census;
}

void subtract(const ItemLosses& losses, size_t p, std::vector<double>& remaining) {
  for (const uint32_t slot : losses.changed())
    for (size_t j = 0; j < p; ++j)
      remaining[slot * p + j] -= losses.charges(slot)[j] / static_cast<double>(losses.known());
}

/// Posteriors of arcs added up by position and expert.
void add_to_table(const ExpertAutomaton& automaton, std::span<const double> posterior, double factor,
                  std::vector<double>& table) {
  const std::span<const ExpertAutomaton::Arc> arcs = automaton.arcs();
  for (size_t a = 0; a < arcs.size(); ++a)
    table[arcs[a].position * automaton.experts() + arcs[a].expert] += factor * posterior[a];
}

void finish_table(const ExpertAutomaton& automaton, WeightTable& table) {
  table.experts = automaton.experts();
  table.elsewhere.assign(table.experts, 0);
  for (size_t e = 0; e < table.weights.size(); ++e)
    table.elsewhere[e % table.experts] += table.weights[e] / static_cast<double>(automaton.positions());
}

}  // namespace

AutomatonWmwp::AutomatonWmwp(const ExpertAutomaton& automaton, const WmwpOptions& options)
    : automaton_(automaton), options_(options), algorithms_(automaton.plain()), losses_(automaton.experts()) {
  for (const ExpertAutomaton::Arc& arc : automaton.arcs()) cost_.push_back(arc.prior_cost);
  algorithms_.push(cost_, conditional_);
  automaton_.posteriors(conditional_, posterior_);
}

double AutomatonWmwp::predict(const VoteView& view) {
  losses_.measure(view);
  if (losses_.known() == 0) return 0;
  ESPALIER_CHECK(losses_.slots() <= automaton_.positions());
  double expected = 0;
  const std::span<const ExpertAutomaton::Arc> arcs = automaton_.arcs();
  for (size_t a = 0; a < arcs.size(); ++a)
    if (arcs[a].position < losses_.slots())
      expected += posterior_[a] * losses_.charges(arcs[a].position)[arcs[a].expert];
  return expected / static_cast<double>(losses_.known());
}

void AutomatonWmwp::update() {
  if (losses_.known() == 0) return;
  const double unit =
      -std::log(options_.beta) / (options_.normalised_exponent ? static_cast<double>(losses_.known()) : 1.0);
  const std::span<const ExpertAutomaton::Arc> arcs = automaton_.arcs();
  // On the original arcs, not the pushed ones: conditionals of paths that have all but lost would
  // underflow, costs do not.
  for (size_t a = 0; a < arcs.size(); ++a)
    if (arcs[a].position < losses_.slots())
      cost_[a] += unit * losses_.charges(arcs[a].position)[arcs[a].expert];
  algorithms_.push(cost_, conditional_);
  automaton_.posteriors(conditional_, posterior_);
}

Result<OnlineResult> learn_online(VoteSource& source, const ExpertAutomaton& automaton,
                                  const OnlineOptions& options, const Monitor& monitor) {
  ESPALIER_ASSIGN(AutomatonCensus census, automaton_census(source, automaton));
  const size_t p = automaton.experts(), T = census.rounds;
  ESPALIER_ASSIGN(const double total, total_loss(source, monitor, AutomatonWmwp(automaton, options.wmwp)));
  OnlineResult result;
  result.rounds = T;
  BatchChoice choice(total, options.loss_bound, options.delta, result);
  result.suffix.experts = automaton.arcs().size();
  result.suffix.slots = 1;
  AutomatonWmwp wmwp(automaton, options.wmwp);
  std::vector<double> sum(automaton.positions() * p, 0);
  ESPALIER_TRY(for_each_sequence(source, [&](const VoteView& view) {
    const double loss = wmwp.predict(view);
    if (wmwp.losses().known() == 0) return;
    if (choice.begins_suffix()) {
      std::fill(sum.begin(), sum.end(), 0);
      result.suffix.weights.clear();
    }
    double remaining = 0;
    const std::span<const ExpertAutomaton::Arc> arcs = automaton.arcs();
    for (size_t a = 0; a < arcs.size(); ++a)
      remaining += wmwp.posteriors()[a] * census.arc_loss[arcs[a].position * p + arcs[a].expert];
    if (choice.is_best(remaining)) {
      result.cv.weights.assign(sum.size(), 0);
      add_to_table(automaton, wmwp.posteriors(), 1, result.cv.weights);
    }
    add_to_table(automaton, wmwp.posteriors(), 1, sum);
    if (options.keep_suffix)
      result.suffix.weights.insert(result.suffix.weights.end(), wmwp.conditionals().begin(),
                                   wmwp.conditionals().end());
    subtract(wmwp.losses(), p, census.arc_loss);
    wmwp.update();
    choice.end_round(loss);
  }));
  for (double& w : sum) w /= static_cast<double>(T - result.suffix_begin);
  result.mvote.weights = std::move(sum);
  finish_table(automaton, result.mvote);
  finish_table(automaton, result.cv);
  return result;
}

namespace {

/// The game of learn_fpl on an automaton.
class PerturbedPaths {
 public:
  PerturbedPaths(const ExpertAutomaton& automaton, double epsilon, uint64_t seed)
      : automaton_(automaton),
        reach_(1 / epsilon),
        random_(seed),
        algorithms_(automaton.plain()),
        losses_(automaton.experts()),
        cost_(automaton.positions() * automaton.experts(), 0),
        perturbed_(automaton.arcs().size(), 0),
        choice_(automaton.positions(), 0) {}

  double predict(const VoteView& view) {
    losses_.measure(view);
    if (losses_.known() == 0) return 0;
    const std::span<const ExpertAutomaton::Arc> arcs = automaton_.arcs();
    for (size_t a = 0; a < arcs.size(); ++a)
      perturbed_[a] =
          cost_[arcs[a].position * automaton_.experts() + arcs[a].expert] + random_.uniform() * reach_;
    algorithms_.shortest_path(perturbed_, path_);
    for (const int a : path_)
      choice_[arcs[static_cast<size_t>(a)].position] = arcs[static_cast<size_t>(a)].expert;
    double wrong = 0;
    for (const uint32_t slot : losses_.changed()) wrong += losses_.charges(slot)[choice_[slot]];
    return wrong / static_cast<double>(losses_.known());
  }
  void update() {
    for (const uint32_t slot : losses_.changed())
      for (size_t j = 0; j < automaton_.experts(); ++j)
        cost_[slot * automaton_.experts() + j] += losses_.charges(slot)[j];
  }
  const ItemLosses& losses() const { return losses_; }
  std::span<const uint32_t> choice() const { return choice_; }

 private:
  const ExpertAutomaton& automaton_;
  double reach_;
  Random random_;
  openfst::Algorithms algorithms_;
  ItemLosses losses_;
  std::vector<double> cost_, perturbed_;
  std::vector<int> path_;
  std::vector<uint32_t> choice_;
};

}  // namespace

Result<FplResult> learn_fpl(VoteSource& source, const ExpertAutomaton& automaton, const FplOptions& options,
                            const Monitor& monitor) {
  ESPALIER_ASSIGN(AutomatonCensus census, automaton_census(source, automaton));
  const size_t p = automaton.experts(), l = automaton.positions(), T = census.rounds;
  FplResult result;
  result.rounds = T;
  result.epsilon = options.epsilon > 0 ? options.epsilon : 0.5 / static_cast<double>(p * l);
  ESPALIER_ASSIGN(const double total,
                  total_loss(source, monitor, PerturbedPaths(automaton, result.epsilon, options.seed)));
  BatchChoice choice(total, options.loss_bound, options.delta, result);
  PerturbedPaths game(automaton, result.epsilon, options.seed);
  std::vector<double> counts(l * p, 0);
  ESPALIER_TRY(for_each_sequence(source, [&](const VoteView& view) {
    const double loss = game.predict(view);
    if (game.losses().known() == 0) return;
    if (choice.begins_suffix()) std::fill(counts.begin(), counts.end(), 0);
    double remaining = 0;
    for (size_t k = 0; k < l; ++k) remaining += census.arc_loss[k * p + game.choice()[k]];
    if (choice.is_best(remaining)) {
      result.fpl_cv.weights.assign(l * p, 0);
      for (size_t k = 0; k < l; ++k) result.fpl_cv.weights[k * p + game.choice()[k]] = 1;
    }
    for (size_t k = 0; k < l; ++k) counts[k * p + game.choice()[k]] += 1;
    subtract(game.losses(), p, census.arc_loss);
    game.update();
    choice.end_round(loss);
  }));
  result.fpl.weights = std::move(counts);
  finish_table(automaton, result.fpl);
  finish_table(automaton, result.fpl_cv);
  return result;
}

}  // namespace espalier::ensemble
