// What constraints cost: Viterbi under a label scheme compared with plain Viterbi, automata compared with
// integer programs.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "espalier/base/random.h"
#include "espalier/constrain/constrained_lattice.h"
#include "espalier/linear/rows.h"
#include "research/experiment.h"
#include "research/experiments.h"

namespace espalier::research {

namespace {

using SpeedClock = std::chrono::steady_clock;

/// A chain of random scores over these labels.
struct ScoredChain {
  AlignedVector<float> node;
  constrain::Scores view;

  ScoredChain(Random& random, size_t length, size_t labels, const AlignedVector<float>& trans) {
    const size_t S = linear::padded(labels);
    node.assign(length * S, chain::kImpossible);
    for (size_t t = 0; t < length; ++t)
      for (size_t y = 0; y < labels; ++y) node[t * S + y] = static_cast<float>(random.gaussian());
    view = {length, labels, S, node.data(), trans.data(), nullptr};
  }
};

Result<constrain::Constraints> of_text(const std::string& text, const data::LabelSet& labels) {
  constrain::ConstraintScope shape;
  shape.name = "label";
  shape.neighbours = true;
  return constrain::Constraints::resolve(
      text, "constraints", shape, labels,
      [](const std::string& file) -> Result<std::string> { return fail("{}: no file is read here", file); });
}

/// The times of plain Viterbi and of Viterbi under `valid iob2`, each the best of several rounds in turn.
Status compare_viterbi(const Request& request, Report& report) {
  data::LabelSet labels;
  labels.add("O");
  for (int type = 0; type < 11; ++type)
    for (const char* prefix : {"B-T", "I-T"}) labels.add(fmt::format("{}{}", prefix, type));
  ESPALIER_ASSIGN(constrain::Constraints constraints, of_text("valid iob2\n", labels));
  const constrain::Compiled compiled(std::move(constraints));
  const size_t K = labels.size(), S = linear::padded(K), chains = request.quick ? 50 : 500;
  Random random = Random(request.seed).split(5);
  AlignedVector<float> trans(K * S, 0.0f);
  for (size_t i = 0; i < K; ++i)
    for (size_t j = 0; j < K; ++j) trans[i * S + j] = static_cast<float>(random.gaussian());
  AlignedVector<float> legal = trans;
  constrain::subtract_pair_penalties(compiled.local(), S, legal.data());
  std::vector<ScoredChain> all;
  for (size_t i = 0; i < chains; ++i) all.emplace_back(random, 10 + random.below(30), K, trans);
  chain::ChainScratch scratch;
  std::vector<data::Label> best(64);
  double fastest[2] = {1e300, 1e300};
  size_t illegal = 0;
  for (int round = 0; round < (request.quick ? 3 : 30); ++round)
    for (const bool constrained : {false, true}) {
      std::vector<ScoredChain> copies = all;  // edges are folded in place
      for (size_t i = 0; i < copies.size(); ++i) copies[i].view.node = copies[i].node.data();
      const auto start = SpeedClock::now();
      for (ScoredChain& chain : copies) {
        if (constrained) {
          constrain::subtract_label_penalties(compiled, {}, chain.view.length, S, chain.node.data());
          chain.view.trans = legal.data();
        }
        chain::viterbi(chain.view, scratch, best.data());
        if (round == 0 && constrained) {
          const auto instance = compiled.constraints().instance(
              chain.view.length, [](size_t, size_t) { return std::string_view(); });
          illegal += compiled.constraints().violations(0, instance, {best.data(), chain.view.length}) > 0;
        }
      }
      if (round == 0) continue;
      const double seconds = std::chrono::duration<double>(SpeedClock::now() - start).count();
      fastest[constrained] = std::min(fastest[constrained], seconds);
    }
  const double ratio = fastest[1] / fastest[0];
  report.add("viterbi", "valid iob2 compared with none, 23 labels", std::nullopt, ratio);
  report.check("no labelling under valid iob2 is illegal", illegal == 0,
               fmt::format("{} of {}", illegal, chains));
  if (!request.quick)
    report.check("valid iob2 costs at most 1.15 times plain Viterbi", ratio <= 1.15,
                 fmt::format("{:.3f}", ratio));
  return {};
}

/// A constraint of some regular kind over the letters A, B, ….
std::string any_constraint(Random& random, size_t labels) {
  const auto letter = [&] { return static_cast<char>('A' + random.below(labels)); };
  const char a = letter(), other = static_cast<char>('A' + (static_cast<size_t>(a - 'A') + 1) % labels);
  const std::string set = fmt::format("{{{} {}}}", letter(), letter());
  std::string out;
  switch (random.below(7)) {
    case 0:
      out = fmt::format("at most {} of {}", random.below(3), set);
      break;
    case 1:
      out = fmt::format("at least {} of {}", random.below(3), set);
      break;
    case 2:
      out = fmt::format("exactly {} of {}", random.below(3), set);
      break;
    case 3:
      out = fmt::format("if {} then {}{}", a, other, random.below(2) == 0 ? " before" : "");
      break;
    case 4:
      out = fmt::format("forbid {} then {}", set, letter());
      break;
    case 5:
      out = fmt::format("require {} then {}", a, set);
      break;
    default:
      out = fmt::format("forbid {} at {}", set, random.below(2) == 0 ? "start" : "end");
  }
  if (random.below(3) == 0) out += fmt::format(" soft {:.3f}", 2 * random.uniform());
  return out + "\n";
}

Status compare_with_integer_programs(const Request& request, Report& report) {
  const size_t chains = request.quick ? 50 : 2000;
  Random random = Random(request.seed).split(6);
  size_t agree = 0, feasible = 0;
  double seconds[2] = {0, 0};
  for (size_t i = 0; i < chains; ++i) {
    if (request.monitor.stop_requested()) return fail("interrupted");
    const size_t K = 3 + random.below(4), T = 4 + random.below(8), S = linear::padded(K);
    data::LabelSet labels;
    for (size_t y = 0; y < K; ++y) labels.add(std::string(1, static_cast<char>('A' + y)));
    std::string text;
    for (size_t c = 0, n = 1 + random.below(4); c < n; ++c) text += any_constraint(random, K);
    ESPALIER_ASSIGN(constrain::Constraints constraints, of_text(text, labels));
    const constrain::Instance instance =
        constraints.instance(T, [](size_t, size_t) { return std::string_view(); });
    const constrain::Compiled compiled(std::move(constraints));
    AlignedVector<float> trans(K * S, 0.0f);
    for (size_t a = 0; a < K; ++a)
      for (size_t b = 0; b < K; ++b) trans[a * S + b] = static_cast<float>(random.gaussian());
    const ScoredChain chain(random, T, K, trans);
    auto start = SpeedClock::now();
    const constrain::Decoded lattice = constrain::decode_lattice(compiled, instance, chain.view);
    seconds[0] += std::chrono::duration<double>(SpeedClock::now() - start).count();
    start = SpeedClock::now();
    const constrain::Decoded integer =
        constrain::decode_integer(compiled, instance, chain.view, Deadline::after(60));
    seconds[1] += std::chrono::duration<double>(SpeedClock::now() - start).count();
    feasible += lattice.outcome == chain::Outcome::kExact;
    agree += lattice.outcome == integer.outcome &&
             (lattice.labels.empty() || std::abs(lattice.value() - integer.value()) < 1e-4);
  }
  report.add("viterbi", "automata, microseconds a chain", std::nullopt,
             1e6 * seconds[0] / static_cast<double>(chains));
  report.add("ilp", "integer program, microseconds a chain", std::nullopt,
             1e6 * seconds[1] / static_cast<double>(chains));
  report.check("automata and integer programs agree on random chains with mixed constraints", agree == chains,
               fmt::format("{} of {}, {} of them feasible", agree, chains, feasible));
  return {};
}

}  // namespace

Result<Report> constrained_speed(const Request& request) {
  Report report;
  ESPALIER_TRY(compare_viterbi(request, report));
  ESPALIER_TRY(compare_with_integer_programs(request, report));
  return report;
}

}  // namespace espalier::research
