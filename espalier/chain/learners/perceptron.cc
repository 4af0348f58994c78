#include "espalier/chain/learners/perceptron.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "espalier/base/random.h"
#include "espalier/chain/gradients.h"
#include "espalier/chain/learners/batch.h"
#include "espalier/chain/learners/checkpoint.h"
#include "espalier/chain/learners/importance.h"
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
        runner_(context_.training.data, context_.workers, context_.monitor) {
    if (context_.learned_tokens > 0) old_ = {weights_.state, weights_.trans, weights_.edge};
  }

  Result<ChainWeights> run() {
    const double tokens = std::max(1.0, counted_tokens(context_.training.data));
    if (context_.learned_tokens > 0) find_steps();
    int first = 1;
    if (context_.resume != nullptr) {
      ESPALIER_ASSIGN(const int done, load(*context_.resume));
      first = done + 1;
    }
    for (int pass = first; pass <= options_.passes && !stopped_; ++pass) {
      const double wrong = one_pass(pass);
      if (stopped_ && pass > 1) break;
      const Round round{{pass, wrong / tokens, [this, pass](SectionWriter& out) { save(out, pass); }, 0,
                         "errors per token"},
                        [this] { return result(); }};
      if (!context_.round_ended(round).go_on) break;
    }
    return result();
  }

 private:
  BatchRunner::Gradient gradient() const;
  void find_steps();
  double one_pass(int pass);
  void update();
  /// The length of a step on weight `i`, whose feature is `f`.
  static float step(const AlignedVector<float>& old, size_t i, const std::vector<float>& lengths, size_t f) {
    return old.empty() || old[i] == 0 ? 1.0f : lengths[f];
  }
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
  struct {
    std::vector<float> state, trans, edge;
  } step_;  ///< of the weights that it has: by feature, pair of labels, edge feature
  BatchRunner runner_;
  bool stopped_ = false;
};

BatchRunner::Gradient PerceptronRun::gradient() const {
  const linear::Dataset& data = context_.training.data;
  return counting_copies(data, [this, &data](size_t s, SequenceScores& scores, ChainScratch& scratch,
                                             const TransitionPotentials&, ScoreGradient out) {
    thread_local std::vector<data::Label> predicted, gold;
    if (!context_.label_weight.empty()) add_costs(scores, data.gold_of(s), context_.label_weight, 1);
    predicted.resize(data.length(s));
    decode_for_training(context_.restriction, s, scores.view, scratch, predicted.data());
    complete_gold(scores, data.gold_of(s), scratch, gold, context_.restriction, s);
    return structure_difference(scores.view, gold, predicted, out);
  });
}

/// A weight of the old model is the sum of many steps, and one more, of full length, on a feature that a few
/// new sentences happen to have would undo what thousands have taught. As with AdaGrad the step is 1/√h,
/// where h counts the steps that the weight has had. The file does not say how many; the old training data is
/// assumed to be like the new: 1 + (tokens learned from / new tokens) · (share of new tokens that the old
/// model gets wrong) · (new tokens with this feature). Weights that are new take full steps.
void PerceptronRun::find_steps() {
  const linear::Dataset& data = context_.training.data;
  std::vector<uint32_t> order(data.sequences());
  std::iota(order.begin(), order.end(), 0);
  double wrong = 0;
  for (size_t done = 0; done < order.size() && !context_.monitor.stop_requested();) {
    const size_t n = std::min(options_.batch, order.size() - done);
    wrong += runner_.compute(weights_, std::span<const uint32_t>(order).subspan(done, n), false, gradient());
    done += n;
  }
  const double tokens = std::max(1.0, counted_tokens(data));
  const double each = context_.learned_tokens / tokens * (wrong / tokens);
  const auto steps = [each](std::vector<float>& counts) {
    for (float& n : counts) n = static_cast<float>(1 / std::sqrt(1 + each * static_cast<double>(n)));
  };
  step_.state.assign(weights_.state_rows.rows(), 0.0f);
  for (const uint32_t f : data.state.values) ++step_.state[f];
  step_.edge.assign(weights_.edge_rows.rows(), 0.0f);
  for (const uint32_t f : data.edge.values) ++step_.edge[f];
  step_.trans.assign(weights_.trans.size(), 0.0f);
  for (size_t s = 0; s < data.sequences(); ++s)
    for (size_t t = 1; t < data.length(s); ++t) {
      const data::Label before = data.gold_of(s)[t - 1], here = data.gold_of(s)[t];
      if (before != data::kNoLabel && here != data::kNoLabel) ++step_.trans[before * weights_.stride + here];
    }
  steps(step_.state);
  steps(step_.trans);
  steps(step_.edge);
}

double PerceptronRun::one_pass(int pass) {
  const linear::Dataset& data = context_.training.data;
  std::vector<uint32_t> order(data.sequences());
  std::iota(order.begin(), order.end(), 0);
  Random(context_.seed).split(static_cast<uint64_t>(pass)).shuffle(std::span<uint32_t>(order));
  const BatchRunner::Gradient of_sequence = gradient();
  double wrong = 0;
  PassSteps steps(context_.monitor, pass, options_.passes, order.size());
  for (size_t done = 0; done < order.size() && !stopped_;) {
    const size_t n = std::min(options_.batch, order.size() - done);
    const double mistakes =
        runner_.compute(weights_, std::span<const uint32_t>(order).subspan(done, n), false, of_sequence);
    ++batches_;
    if (mistakes > 0) update();
    wrong += mistakes;
    done += n;
    steps.advance(done);
    stopped_ = context_.monitor.stop_requested();
  }
  return wrong;
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
            const float change =
                -value * gradient[rows.column[k]] * step(old_.state, k, step_.state, features[i]);
            w[k] += change;
            lag[k] += factor * change;
          }
        }
      });
  if (weights_.transitions) {
    const AlignedVector<float>& pairs = runner_.pairs();
    for (size_t i = 0; i < pairs.size(); ++i) {
      const float change = -pairs[i] * step(old_.trans, i, step_.trans, i);
      weights_.trans[i] += change;
      trans_lag_[i] += factor * change;
    }
  }
  const size_t K = weights_.labels, S = weights_.stride;
  runner_.for_each_edge_row([&](std::span<const uint32_t> features, const float* gradient) {
    for (const uint32_t f : features)
      for (uint32_t i = weights_.edge_rows.begin[f]; i < weights_.edge_rows.begin[f + 1]; ++i) {
        const uint32_t pair = weights_.edge_rows.column[i];
        const float change = -gradient[pair / K * S + pair % K] * step(old_.edge, i, step_.edge, f);
        weights_.edge[i] += change;
        edge_lag_[i] += factor * change;
      }
  });
}

ChainWeights PerceptronRun::result() const {
  ChainWeights w = weights_;
  if (!options_.average || batches_ == 0) return w;
  const float share = 1.0f / static_cast<float>(batches_);
  const auto average = [&](AlignedVector<float>& out, const AlignedVector<float>& lag) {
    for (size_t i = 0; i < out.size(); ++i) out[i] -= share * lag[i];
  };
  average(w.state, state_lag_);
  average(w.trans, trans_lag_);
  average(w.edge, edge_lag_);
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
