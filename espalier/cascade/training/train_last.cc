// Part of training.h: the last level of a cascade, a structured predictor over what is left alive. Tested in
// train_test.cc.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "espalier/cascade/training/training.h"
#include "espalier/chain/lattice/lattice_marginals.h"
#include "espalier/chain/lattice/lattice_viterbi.h"
#include "espalier/eval/calibration.h"
#include "espalier/linear/encoding/hold_out.h"

namespace espalier::cascade {

using data::Label;

LearnerOptions CascadeTraining::last_options() const {
  LearnerOptions options;
  options.loss.loss = options_.last;
  options.loss.unit = options_.unit;
  options.loss.label_weight = options_.label_weight;
  options.steps = options_.last == Loss::kPerceptron ? Steps::kPlain : Steps::kAdaptive;
  options.rate = options_.last == Loss::kPerceptron ? 1 : options_.rate;
  options.l2 = options_.l2;
  options.dropout = options_.dropout;
  options.batch = options_.batch;
  options.seed = options_.seed;
  options.restriction = context_.restriction;
  if (options_.last != Loss::kLog) options.ignore = 0;
  return options;
}

/// The scored lattice of a training sequence at the last level; valid until the next one is asked for.
Trellis& CascadeTraining::scored(const LevelWeights& weights, size_t s, Work& work) {
  Trellis* trellis = open_lattice(s, work);
  if (trellis == nullptr) {
    work.trellis = make_trellis(all_labels(data_.length(s), cascade_.layout.labels), cascade_.layout.grams,
                                std::move(work.trellis));
    trellis = &work.trellis;
  }
  score(weights, data_, s, *trellis, work);
  return *trellis;
}

/// The temperature of the scores: fitted on a tenth of the sequences, with weights from a second run on the
/// other nine tenths.
double CascadeTraining::fit_temperature(size_t index, int passes) {
  if (context_.old != nullptr) return context_.old->temperature;  // the scores keep their scale
  const auto [most, held_out] = linear::split_off_a_tenth(usable_);
  if (held_out.empty()) return 1;
  LevelLearner learner = learner_of(index, last_options(), most, passes);
  for (int pass = 1; pass <= passes && !stopped(); ++pass) learner.pass(most, pass, true);
  const LevelWeights weights = learner.take_weights();
  std::vector<Trellis> trellises;
  std::vector<std::vector<uint32_t>> truths;
  Work work;
  constexpr size_t kMost = 2000;
  for (size_t i = 0; i < std::min(kMost, held_out.size()) && !stopped(); ++i) {
    trellises.push_back(scored(weights, held_out[i], work));
    truths.push_back(find_path(trellises.back(), data_.gold_of(held_out[i])));
  }
  const double fitted = eval::fit_temperature(
      [&](double temperature) {
        std::vector<double> loss(kPieces, 0.0);
        context_.workers.for_each(kPieces, [&](size_t piece) {
          const Range range = piece_of(trellises.size(), kPieces, piece);
          for (size_t i = range.first; i < range.last && !stopped(); ++i) {
            chain::Lattice lattice = trellises[i].lattice;
            const float factor = static_cast<float>(1 / temperature);
            for (float& x : lattice.state_scores()) x *= factor;
            for (float& x : lattice.arc_scores()) x *= factor;
            loss[piece] += chain::log_partition(lattice) - chain::path_score(lattice, truths[i]);
          }
        });
        return std::accumulate(loss.begin(), loss.end(), 0.0);
      },
      1e-3, 1e4);
  return stopped() ? 1 : fitted;
}

double CascadeTraining::changed_by_rounding(const LevelWeights& weights) {
  // Rounds like PackedRows: to multiples of the largest weight / 32767.
  LevelWeights rounded = weights;
  for (AlignedVector<float>* w : {&rounded.state, &rounded.edge}) {
    float largest = 0;
    for (const float x : *w) largest = std::max(largest, std::abs(x));
    const float step = largest / 32767.0f;
    if (step == 0) continue;
    for (float& x : *w) x = step * static_cast<float>(std::lround(x / step));
  }
  constexpr size_t kMost = 2000;
  const size_t n = std::min(kMost, usable_.size());
  std::vector<size_t> tokens(kPieces, 0), changed(kPieces, 0);
  context_.workers.for_each(kPieces, [&](size_t piece) {
    Work work;
    const Range range = piece_of(n, kPieces, piece);
    for (size_t i = range.first; i < range.last && !stopped(); ++i) {
      const uint32_t s = usable_[i * usable_.size() / n];
      const chain::Lattice exact = scored(weights, s, work).lattice;
      const chain::Lattice& coarse = scored(rounded, s, work).lattice;
      const auto a = chain::path_labels(exact, chain::viterbi(exact).states);
      const auto b = chain::path_labels(coarse, chain::viterbi(coarse).states);
      tokens[piece] += a.size();
      for (size_t t = 0; t < a.size(); ++t) changed[piece] += a[t] != b[t];
    }
  });
  if (stopped()) return 1;  // not known
  return static_cast<double>(std::accumulate(changed.begin(), changed.end(), size_t{0})) /
         static_cast<double>(std::max<size_t>(1, std::accumulate(tokens.begin(), tokens.end(), size_t{0})));
}

/// All labellings of a sequence as a lattice, unless that is too large.
bool CascadeTraining::unfiltered(size_t positions, size_t order, Trellis& out) const {
  constexpr double kMostByTheWay = 1 << 24;
  const size_t K = cascade_.layout.labels;
  const double arcs = static_cast<double>(positions) *
                      std::pow(static_cast<double>(K), static_cast<double>(std::max<size_t>(2, order)));
  if (arcs > kMostByTheWay) return false;
  auto grown = grow_to(make_trellis(all_labels(positions, K), cascade_.layout.grams), {},
                       trellis_length(order), cascade_.layout.grams);
  if (grown.ok()) out = std::move(grown).value();
  return grown.ok();
}

/// The labels of a dev sequence with these weights at the last level.
void CascadeTraining::decode_dev(const LevelWeights& weights, size_t order, size_t s,
                                 std::vector<Label>& labels) const {
  const linear::Dataset& dev = *context_.dev;
  const size_t K = cascade_.layout.labels, S = cascade_.layout.stride;
  Work work;
  labels.clear();
  if (dev.length(s) == 0) return;
  if (dev_lattices_.empty()) {
    score_nodes(cascade_.layout, weights, dev, s, work.node);
    for (size_t t = 0; t < dev.length(s); ++t) {
      const float* row = work.node.data() + t * S;
      labels.push_back(static_cast<Label>(std::max_element(row, row + K) - row));
    }
    return;
  }
  Trellis trellis = dev_lattices_[s];
  score(weights, dev, s, trellis, work);
  if (context_.dev_restriction != nullptr && context_.dev_restriction->applies(s)) {
    LegalPart legal = context_.dev_restriction->legal_part(s, trellis.lattice);
    if (legal.outcome == chain::Outcome::kInfeasible) {
      Trellis everything;
      if (unfiltered(dev.length(s), order, everything)) {
        score(weights, dev, s, everything, work);
        legal = context_.dev_restriction->legal_part(s, everything.lattice);
      }
    }
    if (legal.outcome == chain::Outcome::kExact) {
      labels = chain::path_labels(legal.lattice, chain::viterbi(legal.lattice).states);
      return;
    }
  }
  labels = chain::path_labels(trellis.lattice, chain::viterbi(trellis.lattice).states);
}

Status CascadeTraining::train_last(size_t index) {
  const size_t order = options_.orders[index];
  const auto start = Clock::now();
  Level level;
  level.unit = options_.unit;
  level.measure = measure();
  level.report.order = order;
  describe_lattices(level.report);
  std::optional<LevelLearner> learner = learner_of(index, last_options(), usable_, options_.passes);
  const int average_from = context_.old != nullptr
                               ? 1
                               : std::max(1, static_cast<int>(options_.passes * options_.average_from) + 1);
  LevelWeights best;
  bool have_best = false;
  ESPALIER_ASSIGN(const int passes_before, resume_last(*learner));
  level.report.passes = passes_before;
  for (int pass = passes_before + 1; pass <= options_.passes; ++pass) {
    const double loss =
        learner->pass(usable_, pass, pass >= average_from || options_.last == Loss::kPerceptron);
    level.report.passes = pass;
    // Nobody asks for them before the end if there is no dev set.
    LevelWeights weights;
    if (context_.dev != nullptr) weights = learner->weights();
    const DevDecoder decoder = [&](size_t sequence, std::vector<Label>& labels) {
      decode_dev(weights, order, sequence, labels);
    };
    const Round round{
        {pass, loss / static_cast<double>(std::max<size_t>(1, positions_)), saver(pass, &*learner), 0,
         options_.last == Loss::kPerceptron ? "errors per token" : kLossPerToken},
        [&] { return decoder; }};
    const Verdict verdict = context_.round_ended(round);
    if (verdict.best && context_.dev != nullptr) {
      best = std::move(weights);
      have_best = true;
    }
    if (!verdict.go_on || stopped()) break;
  }
  level.weights = have_best ? std::move(best) : learner->take_weights();
  learner.reset();  // four times as large as the weights
  if (!stopped() && options_.last != Loss::kLog && options_.calibrate)
    cascade_.temperature = fit_temperature(index, level.report.passes);
  if (!stopped() && options_.check_rounding)
    cascade_.changed_by_rounding = changed_by_rounding(level.weights);
  level.report.seconds = seconds_since(start);
  cascade_.levels.push_back(std::move(level));
  return {};
}

}  // namespace espalier::cascade
