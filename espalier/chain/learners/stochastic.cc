#include "espalier/chain/learners/stochastic.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "espalier/base/hash.h"
#include "espalier/base/random.h"
#include "espalier/chain/gradients.h"
#include "espalier/chain/learners/adagrad.h"
#include "espalier/chain/learners/batch.h"
#include "espalier/chain/learners/checkpoint.h"
#include "espalier/chain/learners/importance.h"
#include "espalier/chain/learners/mixing.h"
#include "espalier/chain/learners/pass_steps.h"

namespace espalier::chain {

namespace {

/// A weight array with AdaGrad's state and the sum for the average.
struct Parameters {
  AlignedVector<float> squares;
  AlignedVector<double> sum;
  explicit Parameters(size_t n = 0) : squares(n, 0.0f), sum(n, 0.0) {}
};

class StochasticRun {
 public:
  StochasticRun(TrainingContext context, const StochasticOptions& options)
      : context_(std::move(context)),
        options_(options),
        weights_(std::move(context_.start)),
        state_(weights_.state.size()),
        trans_(weights_.trans.size()),
        edge_(weights_.edge.size()),
        dropout_{options.dropout, context_.seed},
        runner_(context_.training.data, context_.workers, context_.monitor, dropout_,
                options.mixing ? nullptr : context_.team) {
    // The weights of a warm start are for all features, without dropout.
    if (dropout_.share > 0)
      for (float& w : weights_.state) w /= dropout_.kept();
    if (trained_before()) anchor_ = {weights_.state, weights_.trans, weights_.edge};
  }

  Result<ChainWeights> run() {
    const linear::Dataset& data = context_.training.data;
    order_.resize(mixing() ? data.sequences() : data.all_sequences());
    const double tokens = std::max(1.0, counted_tokens(data));
    int first = 1;
    if (context_.resume != nullptr) {
      ESPALIER_ASSIGN(const int done, load(*context_.resume));
      first = done + 1;
    } else if (trained_before()) {
      find_squares();
    }
    const int average_from =
        trained_before() ? 1 : std::max(1, static_cast<int>(options_.passes * options_.average_from) + 1);
    for (int pass = first; pass <= options_.passes; ++pass) {
      double loss = one_pass(pass, pass >= average_from);
      if (mixing()) loss = mix_ranks(loss);
      if (stopped_ && pass > 1) break;
      if (context_.team != nullptr)
        context_.team->check_same(
            hash_bytes({reinterpret_cast<const char*>(weights_.state.data()), 4 * weights_.state.size()}));
      const Round round{
          {pass, (loss + penalty()) / tokens, [this, pass](SectionWriter& out) { save(out, pass); }, 0,
           dropout_.share > 0 ? "loss per token, under dropout" : kLossPerToken},
          [this] { return result(weights_); }};
      if (!context_.round_ended(round).go_on || stopped_) break;
    }
    return result(std::move(weights_));
  }

 private:
  bool trained_before() const { return context_.learned_tokens > 0; }
  bool mixing() const { return options_.mixing && context_.team != nullptr && !context_.team->alone(); }
  double mix_ranks(double loss);
  BatchRunner::Gradient gradient() const;
  void find_squares();
  double one_pass(int pass, bool average);
  double penalty() const;
  void update();
  void end_of_step(bool average, size_t steps);
  /// Puts the average, scaled for use without dropout, in the place of `w`, the weights as they are.
  ChainWeights result(ChainWeights w) const;
  void save(SectionWriter& out, int pass) const;
  Result<int> load(const SectionFile& in);

  TrainingContext context_;
  StochasticOptions options_;
  ChainWeights weights_;
  struct {
    AlignedVector<float> state, trans, edge;
  } anchor_;  ///< the weights of the model that is trained further
  Parameters state_, trans_, edge_;
  uint64_t averaged_ = 0;  ///< how many snapshots the sums hold
  linear::Dropout dropout_;
  BatchRunner runner_;
  std::vector<uint32_t> order_;
  bool stopped_ = false;
};

BatchRunner::Gradient StochasticRun::gradient() const {
  const linear::Dataset& data = context_.training.data;
  return counting_copies(data, [this, &data](size_t s, SequenceScores& scores, ChainScratch& scratch,
                                             const TransitionPotentials& potentials, ScoreGradient out) {
    const float ignore = static_cast<float>(options_.ignore);
    const auto gold = data.gold_of(s);
    if (!context_.label_weight.empty()) add_costs(scores, gold, context_.label_weight, 1);
    return options_.loss == LogLoss::kSequence
               ? log_loss_gradient(scores, gold, scratch, potentials, ignore, out, context_.restriction, s)
               : local_log_loss_gradient(scores, gold, weights_.transitions, ignore, out);
  });
}

/// Gives the weights of a trained model the squares that AdaGrad would have kept: a pass of steps of length 0
/// collects those of the new data.
void StochasticRun::find_squares() {
  std::iota(order_.begin(), order_.end(), 0);
  runner_.begin_pass(0);
  const BatchRunner::Gradient of_sequence = gradient();
  const double rate = std::exchange(options_.rate, 0);
  for (size_t done = 0; done < order_.size() && !context_.monitor.stop_requested();) {
    const size_t n = std::min(options_.batch, order_.size() - done);
    runner_.compute(weights_, std::span<const uint32_t>(order_).subspan(done, n),
                    options_.loss == LogLoss::kSequence, of_sequence);
    update();
    done += n;
  }
  options_.rate = rate;
  const double more = old_counts(context_.learned_tokens, counted_tokens(context_.training.data));
  averaged_ = old_snapshots(more, PassSteps::kSteps);
  const auto estimate = [&](const AlignedVector<float>& weights, Parameters& p) {
    estimate_squares(weights.size(), static_cast<float>(more), weights.data(), p.squares.data());
    for (size_t i = 0; i < weights.size(); ++i)
      p.sum[i] = static_cast<double>(averaged_) * static_cast<double>(weights[i]);
  };
  estimate(weights_.state, state_);
  estimate(weights_.trans, trans_);
  estimate(weights_.edge, edge_);
}

double StochasticRun::one_pass(int pass, bool average) {
  std::iota(order_.begin(), order_.end(), 0);
  Random random = Random(context_.seed).split(static_cast<uint64_t>(pass));
  if (mixing()) random = random.split(context_.team->rank());
  random.shuffle(std::span<uint32_t>(order_));
  const BatchRunner::Gradient of_sequence = gradient();
  double loss = 0;
  runner_.begin_pass(pass);
  PassSteps steps(context_.monitor, pass, options_.passes, order_.size());
  size_t done = 0;
  while (done < order_.size() && !stopped_) {
    const size_t n = std::min(options_.batch, order_.size() - done);
    loss += runner_.compute(weights_, std::span<const uint32_t>(order_).subspan(done, n),
                            options_.loss == LogLoss::kSequence, of_sequence);
    update();
    done += n;
    if (const size_t ended = steps.advance(done); ended > 0) end_of_step(average, ended);
    stopped_ = context_.monitor.stop_requested();
  }
  return loss;
}

/// The end of a pass that each rank has made by itself. AdaGrad's squares are mixed as well: their sum would
/// make steps smaller that the mean has made smaller already. Returns the loss of all ranks.
double StochasticRun::mix_ranks(double loss) {
  const Team& team = *context_.team;
  const double share = shares_of_ranks(context_.training.data, team)[team.rank()];
  const std::vector<uint64_t> snapshots = team.gather(std::vector<uint64_t>{averaged_}).items;
  const uint64_t most = *std::max_element(snapshots.begin(), snapshots.end());
  const double of_sum =
      averaged_ == 0 ? 0 : share * static_cast<double>(most) / static_cast<double>(averaged_);
  const auto each = [&](AlignedVector<float>& w, Parameters& p) {
    mix(std::span<float>(w), share, team);
    mix(std::span<float>(p.squares), share, team);
    if (most > 0) mix(std::span<double>(p.sum), of_sum, team);
  };
  each(weights_.state, state_);
  each(weights_.trans, trans_);
  each(weights_.edge, edge_);
  averaged_ = most;
  double all = 0;
  for (const double one : team.gather(std::vector<double>{loss}).items) all += one;
  stopped_ = context_.monitor.stop_requested();
  return all;
}

/// l2·|w|² + l1·|w|. Without it the loss alone would be shown, which rises while the penalties shrink the
/// weights.
double StochasticRun::penalty() const {
  double squares = 0, sizes = 0;
  const auto add = [&](const AlignedVector<float>& w, size_t n) {
    constexpr size_t kPieces = 16;
    double part_squares[kPieces] = {}, part_sizes[kPieces] = {};
    context_.workers.for_each(kPieces, [&](size_t piece) {
      const Range part = piece_of(n, kPieces, piece);
      double of_squares = 0, of_sizes = 0;  // not in the arrays: threads would write to the same cache lines
      for (size_t i = part.first; i < part.last; ++i) {
        of_squares += double{w[i]} * w[i];
        of_sizes += std::abs(double{w[i]});
      }
      part_squares[piece] = of_squares;
      part_sizes[piece] = of_sizes;
    });
    for (size_t piece = 0; piece < kPieces; ++piece) {
      squares += part_squares[piece];
      sizes += part_sizes[piece];
    }
  };
  if (options_.l1 == 0 && options_.l2 == 0) return 0;
  add(weights_.state, weights_.state_rows.weights());
  add(weights_.trans, weights_.trans.size());
  add(weights_.edge, weights_.edge_rows.weights());
  return options_.l2 * squares + options_.l1 * sizes;
}

void StochasticRun::update() {
  const float rate = static_cast<float>(options_.rate);
  float* w = weights_.state.data();
  float* h = state_.squares.data();
  runner_.for_each_state_row(
      [&](std::span<const uint32_t> features, const float* values, const float* gradient) {
        adagrad_rows(weights_.state_rows, features, values, gradient, rate, w, h);
      });
  if (weights_.transitions && !runner_.pairs().empty())
    adagrad_dense(runner_.pairs().data(), weights_.trans.size(), rate, weights_.trans.data(),
                  trans_.squares.data());
  const size_t K = weights_.labels, S = weights_.stride;
  runner_.for_each_edge_row([&](std::span<const uint32_t> features, const float* gradient) {
    for (const uint32_t f : features)
      for (uint32_t i = weights_.edge_rows.begin[f]; i < weights_.edge_rows.begin[f + 1]; ++i) {
        const uint32_t pair = weights_.edge_rows.column[i];
        adagrad_dense(gradient + pair / K * S + pair % K, 1, rate, &weights_.edge[i], &edge_.squares[i]);
      }
  });
}

void StochasticRun::end_of_step(bool average, size_t steps) {
  const float fraction = static_cast<float>(steps) / PassSteps::kSteps;
  const float rate = static_cast<float>(options_.rate), l1 = static_cast<float>(options_.l1),
              l2 = static_cast<float>(options_.l2);
  const auto each = [&](AlignedVector<float>& w, Parameters& p, const AlignedVector<float>& anchor,
                        size_t n) {
    for_each_stretch(context_.workers, n, [&](Range part) {
      const size_t count = part.last - part.first;
      float* const weights = w.data() + part.first;
      const float* const squares = p.squares.data() + part.first;
      if ((l1 > 0 || l2 > 0) && anchor.empty()) shrink(count, rate, fraction, l1, l2, weights, squares);
      if ((l1 > 0 || l2 > 0) && !anchor.empty())
        shrink_towards(count, rate, fraction, l1, l2, anchor.data() + part.first, weights, squares);
      if (average) accumulate(weights, count, p.sum.data() + part.first);
    });
  };
  each(weights_.state, state_, anchor_.state, weights_.state_rows.weights());
  each(weights_.trans, trans_, anchor_.trans, weights_.trans.size());
  each(weights_.edge, edge_, anchor_.edge, weights_.edge_rows.weights());
  if (average) ++averaged_;
}

ChainWeights StochasticRun::result(ChainWeights w) const {
  if (averaged_ > 0) {
    const double share = 1.0 / static_cast<double>(averaged_);
    // An average is hardly ever exactly 0; weights that L1 has set to 0 at the end stay 0.
    const bool keep_zeros = options_.l1 > 0;
    const auto mean = [&](AlignedVector<float>& out, const AlignedVector<double>& sum, size_t n) {
      for_each_stretch(context_.workers, n, [&](Range part) {
        for (size_t i = part.first; i < part.last; ++i)
          if (!keep_zeros || out[i] != 0) out[i] = static_cast<float>(sum[i] * share);
      });
    };
    mean(w.state, state_.sum, w.state_rows.weights());
    mean(w.trans, trans_.sum, w.trans.size());
    mean(w.edge, edge_.sum, w.edge_rows.weights());
  }
  if (dropout_.share > 0)
    for (float& x : w.state) x *= dropout_.kept();
  return w;
}

void StochasticRun::save(SectionWriter& out, int pass) const {
  const uint64_t counters[2] = {static_cast<uint64_t>(pass), averaged_};
  out.add_array("counters", counters);
  out.add_array("state", weights_.state);
  out.add_array("state.squares", state_.squares);
  out.add_array("state.sum", state_.sum);
  out.add_array("trans", weights_.trans);
  out.add_array("trans.squares", trans_.squares);
  out.add_array("trans.sum", trans_.sum);
  out.add_array("edge", weights_.edge);
  out.add_array("edge.squares", edge_.squares);
  out.add_array("edge.sum", edge_.sum);
}

Result<int> StochasticRun::load(const SectionFile& in) {
  uint64_t counters[2] = {0, 0};
  ESPALIER_TRY(restore_array(in, "counters", counters));
  ESPALIER_TRY(restore_array(in, "state", weights_.state));
  ESPALIER_TRY(restore_array(in, "state.squares", state_.squares));
  ESPALIER_TRY(restore_array(in, "state.sum", state_.sum));
  ESPALIER_TRY(restore_array(in, "trans", weights_.trans));
  ESPALIER_TRY(restore_array(in, "trans.squares", trans_.squares));
  ESPALIER_TRY(restore_array(in, "trans.sum", trans_.sum));
  ESPALIER_TRY(restore_array(in, "edge", weights_.edge));
  ESPALIER_TRY(restore_array(in, "edge.squares", edge_.squares));
  ESPALIER_TRY(restore_array(in, "edge.sum", edge_.sum));
  averaged_ = counters[1];
  return saved_pass(in, counters[0]);
}

}  // namespace

double bytes_of_label_pairs(size_t labels) {
  const double pairs = static_cast<double>(labels) * static_cast<double>(linear::padded(labels));
  constexpr size_t kEach = sizeof(float) /* weights */ + sizeof(float) /* squares */ +
                           sizeof(double) /* sum */ + sizeof(float) /* averaged */;
  return pairs * kEach + BatchRunner::bytes_of_pairs(labels);
}

Result<ChainWeights> train_stochastic(TrainingContext context, const StochasticOptions& options) {
  return StochasticRun(std::move(context), options).run();
}

}  // namespace espalier::chain
