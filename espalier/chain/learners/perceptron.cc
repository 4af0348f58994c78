#include "espalier/chain/learners/perceptron.h"

#include <algorithm>
#include <numeric>

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

class PerceptronRun {
 public:
  PerceptronRun(TrainingContext context, const PerceptronOptions& options)
      : context_(std::move(context)),
        options_(options),
        weights_(std::move(context_.start)),
        state_lag_(weights_.state.size(), 0.0f),
        trans_lag_(weights_.trans.size(), 0.0f),
        edge_lag_(weights_.edge.size(), 0.0f),
        runner_(context_.training.data, context_.workers, context_.monitor, {},
                options.mixing ? nullptr : context_.team) {
    if (context_.learned_tokens > 0) old_ = {weights_.state, weights_.trans, weights_.edge};
  }

  Result<ChainWeights> run() {
    const double tokens = std::max(1.0, counted_tokens(context_.training.data));
    int first = 1;
    if (context_.resume != nullptr) {
      ESPALIER_ASSIGN(const int done, load(*context_.resume));
      first = done + 1;
    }
    for (int pass = first; pass <= options_.passes && !stopped_; ++pass) {
      double wrong = one_pass(pass);
      if (mixing()) wrong = mix_ranks(wrong);
      if (stopped_ && pass > 1) break;
      if (context_.team != nullptr)
        context_.team->check_same(
            hash_bytes({reinterpret_cast<const char*>(weights_.state.data()), 4 * weights_.state.size()}));
      const Round round{{pass, wrong / tokens, [this, pass](SectionWriter& out) { save(out, pass); }, 0,
                         "errors per token"},
                        [this] { return result(); }};
      if (!context_.round_ended(round).go_on) break;
    }
    return result();
  }

 private:
  bool mixing() const { return options_.mixing && context_.team != nullptr && !context_.team->alone(); }
  double one_pass(int pass);
  double mix_ranks(double wrong);
  void update();
  ChainWeights result() const;
  void save(SectionWriter& out, int pass) const;
  Result<int> load(const SectionFile& in);

  TrainingContext context_;
  PerceptronOptions options_;
  ChainWeights weights_;
  // With Δ_s the change made in batch s of c, the average of w_0 … w_{c−1} (w_s after s batches) is
  // w_c − (1/c) Σ_s (s+1)·Δ_s: each change is also added to a lagging sum with its batch number as factor.
  AlignedVector<float> state_lag_, trans_lag_, edge_lag_;
  uint64_t batches_ = 0;
  struct {
    AlignedVector<float> state, trans, edge;
  } old_;  ///< the weights of the model that is trained further; empty: none is
  BatchRunner runner_;
  bool stopped_ = false;
};

double PerceptronRun::one_pass(int pass) {
  const linear::Dataset& data = context_.training.data;
  std::vector<uint32_t> order(mixing() ? data.sequences() : data.all_sequences());
  std::iota(order.begin(), order.end(), 0);
  Random random = Random(context_.seed).split(static_cast<uint64_t>(pass));
  if (mixing()) random = random.split(context_.team->rank());
  random.shuffle(std::span<uint32_t>(order));
  const BatchRunner::Gradient gradient =
      counting_copies(data, [&](size_t s, SequenceScores& scores, ChainScratch& scratch,
                                const TransitionPotentials&, ScoreGradient out) {
        thread_local std::vector<data::Label> predicted, gold;
        if (!context_.label_weight.empty()) add_costs(scores, data.gold_of(s), context_.label_weight, 1);
        predicted.resize(data.length(s));
        decode_for_training(context_.restriction, s, scores.view, scratch, predicted.data());
        complete_gold(scores, data.gold_of(s), scratch, gold, context_.restriction, s);
        return structure_difference(scores.view, gold, predicted, out);
      });
  double wrong = 0;
  PassSteps steps(context_.monitor, pass, options_.passes, order.size());
  for (size_t done = 0; done < order.size() && !stopped_;) {
    const size_t n = std::min(options_.batch, order.size() - done);
    const double mistakes =
        runner_.compute(weights_, std::span<const uint32_t>(order).subspan(done, n), false, gradient);
    ++batches_;
    if (mistakes > 0) update();
    wrong += mistakes;
    done += n;
    steps.advance(done);
    stopped_ = context_.monitor.stop_requested();
  }
  return wrong;
}

/// The end of a pass that each rank has made by itself. The average over the batches of a rank is
/// w − lag / batches, so that the mean of these needs lags on the scale of one number of batches. Returns the
/// mistakes of all ranks.
double PerceptronRun::mix_ranks(double wrong) {
  const Team& team = *context_.team;
  const double share = shares_of_ranks(context_.training.data, team)[team.rank()];
  const std::vector<uint64_t> batches = team.gather(std::vector<uint64_t>{batches_}).items;
  const uint64_t most = *std::max_element(batches.begin(), batches.end());
  const double of_lag = batches_ == 0 ? 0 : share * static_cast<double>(most) / static_cast<double>(batches_);
  const auto each = [&](AlignedVector<float>& w, AlignedVector<float>& lag) {
    mix(std::span<float>(w), share, team);
    mix(std::span<float>(lag), of_lag, team);
  };
  each(weights_.state, state_lag_);
  each(weights_.trans, trans_lag_);
  each(weights_.edge, edge_lag_);
  batches_ = most;
  double all = 0;
  for (const double one : team.gather(std::vector<double>{wrong}).items) all += one;
  stopped_ = context_.monitor.stop_requested();
  return all;
}

void PerceptronRun::update() {
  const float factor = static_cast<float>(batches_);
  const linear::StateRows& rows = weights_.state_rows;
  float* w = weights_.state.data();
  float* lag = state_lag_.data();
  runner_.for_each_state_row(
      [&](std::span<const uint32_t> features, const float* values, const float* gradient) {
        for (size_t i = 0; i < features.size(); ++i) {
          const float value = values == nullptr ? 1.0f : values[i];
          for (uint32_t k = rows.begin[features[i]]; k < rows.begin[features[i] + 1]; ++k) {
            const float change = -value * gradient[rows.column[k]];
            w[k] += change;
            lag[k] += factor * change;
          }
        }
      });
  if (weights_.transitions) {
    const AlignedVector<float>& pairs = runner_.pairs();
    for (size_t i = 0; i < pairs.size(); ++i) {
      weights_.trans[i] -= pairs[i];
      trans_lag_[i] -= factor * pairs[i];
    }
  }
  const size_t K = weights_.labels, S = weights_.stride;
  runner_.for_each_edge_row([&](std::span<const uint32_t> features, const float* gradient) {
    for (const uint32_t f : features)
      for (uint32_t i = weights_.edge_rows.begin[f]; i < weights_.edge_rows.begin[f + 1]; ++i) {
        const uint32_t pair = weights_.edge_rows.column[i];
        const float change = -gradient[pair / K * S + pair % K];
        weights_.edge[i] += change;
        edge_lag_[i] += factor * change;
      }
  });
}

ChainWeights PerceptronRun::result() const {
  ChainWeights w = weights_;
  if (batches_ == 0) return w;
  const float share = options_.average ? 1.0f / static_cast<float>(batches_) : 0;
  const float new_share = share_of_new(context_.learned_tokens, counted_tokens(context_.training.data));
  const auto average = [&](AlignedVector<float>& out, const AlignedVector<float>& lag,
                           const AlignedVector<float>& old) {
    for (size_t i = 0; i < out.size(); ++i) out[i] -= share * lag[i];
    average_with_old(old, new_share, out);
  };
  average(w.state, state_lag_, old_.state);
  average(w.trans, trans_lag_, old_.trans);
  average(w.edge, edge_lag_, old_.edge);
  return w;
}

void PerceptronRun::save(SectionWriter& out, int pass) const {
  const uint64_t counters[2] = {static_cast<uint64_t>(pass), batches_};
  out.add_array("counters", counters);
  out.add_array("state", weights_.state);
  out.add_array("state.lag", state_lag_);
  out.add_array("trans", weights_.trans);
  out.add_array("trans.lag", trans_lag_);
  out.add_array("edge", weights_.edge);
  out.add_array("edge.lag", edge_lag_);
}

Result<int> PerceptronRun::load(const SectionFile& in) {
  uint64_t counters[2] = {0, 0};
  ESPALIER_TRY(restore_array(in, "counters", counters));
  ESPALIER_TRY(restore_array(in, "state", weights_.state));
  ESPALIER_TRY(restore_array(in, "state.lag", state_lag_));
  ESPALIER_TRY(restore_array(in, "trans", weights_.trans));
  ESPALIER_TRY(restore_array(in, "trans.lag", trans_lag_));
  ESPALIER_TRY(restore_array(in, "edge", weights_.edge));
  ESPALIER_TRY(restore_array(in, "edge.lag", edge_lag_));
  batches_ = counters[1];
  return saved_pass(in, counters[0]);
}

}  // namespace

Result<ChainWeights> train_perceptron(TrainingContext context, const PerceptronOptions& options) {
  return PerceptronRun(std::move(context), options).run();
}

}  // namespace espalier::chain
