#include "espalier/chain/learners/lbfgs.h"

#include <lbfgs.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>

#include "espalier/base/hash.h"
#include "espalier/chain/learners/checkpoint.h"
#include "espalier/chain/learners/importance.h"
#include "espalier/chain/learners/objective.h"

namespace espalier::chain {

namespace {

static_assert(std::is_same_v<lbfgsfloatval_t, double>, "liblbfgs is used as it is packaged, in double");

/// liblbfgs uses vector instructions on aligned arrays whose length is a multiple of this; the padding stays
/// 0.
constexpr size_t kVariablesStep = 16;

struct FreeVariables {
  void operator()(double* x) const { lbfgs_free(x); }
};
using Variables = std::unique_ptr<double[], FreeVariables>;

/// The optimiser's one vector x and the weights it stands for: state rows, K×K transitions (where there are
/// any), edge rows, and padding.
class LbfgsRun {
 public:
  LbfgsRun(TrainingContext context, const LbfgsOptions& options)
      : context_(std::move(context)),
        options_(options),
        weights_(std::move(context_.start)),
        loss_(context_.training.data, context_.workers, options.loss, context_.label_weight,
              context_.restriction, context_.monitor, context_.team),
        tokens_(std::max(1.0, counted_tokens(context_.training.data))) {}

  Result<ChainWeights> run();

 private:
  /// Calls visit(index in x, weight, its gradient) for every weight.
  template <typename Visit>
  void for_each_weight(Visit&& visit);
  double evaluate(const double* x, double* gradient);
  int end_of_iteration(const double* x, double objective);
  void take(const double* x);
  void save(SectionWriter& out, int iteration) const;
  Result<int> load(const SectionFile& in);
  Status explain(int code) const;

  TrainingContext context_;
  LbfgsOptions options_;
  ChainWeights weights_;
  DataLoss loss_;
  double tokens_;
  WeightGradient gradient_;
  /// The weights of the model that is trained further, as `x` has them: x is then what is added to them, and
  /// penalties are on that. Empty: 0.
  std::vector<double> anchor_;
  std::vector<double> last_;      ///< x after the last iteration
  int done_ = 0;                  ///< iterations before and in this run
  std::exception_ptr exception_;  ///< thrown in a callback, to be thrown again behind the C library
};

template <typename Visit>
void LbfgsRun::for_each_weight(Visit&& visit) {
  size_t i = 0;
  for (size_t k = 0; k < gradient_.state.size(); ++k) visit(i++, weights_.state[k], gradient_.state[k]);
  if (weights_.transitions)
    for (size_t a = 0; a < weights_.labels; ++a)
      for (size_t b = 0; b < weights_.labels; ++b)
        visit(i++, weights_.trans[a * weights_.stride + b], gradient_.trans[a * weights_.stride + b]);
  for (size_t k = 0; k < gradient_.edge.size(); ++k) visit(i++, weights_.edge[k], gradient_.edge[k]);
}

void LbfgsRun::take(const double* x) {
  for_each_weight([&](size_t i, float& w, double&) {
    w = static_cast<float>(anchor_.empty() ? x[i] : anchor_[i] + x[i]);
  });
}

/// f(x) = Σ loss at the anchor + x, + l2·|x|², and its gradient; the library adds l1·|x| itself.
double LbfgsRun::evaluate(const double* x, double* gradient) {
  take(x);
  if (context_.team != nullptr)
    context_.team->check_same(hash_bytes({reinterpret_cast<const char*>(x), last_.size() * sizeof *x}));
  double f = loss_.evaluate(weights_, gradient_);
  if (context_.monitor.stop_requested())
    return f;  // of a part of the data: run() goes back to the last iteration
  for_each_weight([&](size_t i, float&, double& g) {
    f += options_.l2 * x[i] * x[i];
    gradient[i] = g + 2 * options_.l2 * x[i];
  });
  return f;
}

int LbfgsRun::end_of_iteration(const double* x, double objective) {
  if (context_.monitor.stop_requested()) return 1;
  take(x);
  last_.assign(x, x + last_.size());
  ++done_;
  Progress progress = pass_progress(done_, options_.passes, 1);
  progress.objective = objective / tokens_;
  progress.objective_name = kLossPerToken;
  context_.monitor.report(progress);
  const Round round{
      {done_, objective / tokens_, [this](SectionWriter& out) { save(out, done_); }, 0, kLossPerToken},
      [this] { return weights_; }};
  const bool go_on = context_.round_ended(round).go_on && !context_.monitor.stop_requested();
  return go_on ? 0 : 1;
}

void LbfgsRun::save(SectionWriter& out, int iteration) const {
  const uint64_t counters[1] = {static_cast<uint64_t>(iteration)};
  out.add_array("counters", counters);
  out.add_array("state", weights_.state);
  out.add_array("trans", weights_.trans);
  out.add_array("edge", weights_.edge);
}

Result<int> LbfgsRun::load(const SectionFile& in) {
  uint64_t counters[1] = {0};
  ESPALIER_TRY(restore_array(in, "counters", counters));
  ESPALIER_TRY(restore_array(in, "state", weights_.state));
  ESPALIER_TRY(restore_array(in, "trans", weights_.trans));
  ESPALIER_TRY(restore_array(in, "edge", weights_.edge));
  return saved_pass(in, counters[0]);
}

/// Which return codes are failures. A line search that finds no better point has reached the precision of
/// float scores; the library then returns the best point it had.
Status LbfgsRun::explain(int code) const {
  switch (code) {
    case LBFGS_SUCCESS:
    case LBFGS_STOP:
    case LBFGS_ALREADY_MINIMIZED:
    case LBFGSERR_CANCELED:
    case LBFGSERR_MAXIMUMITERATION:
    case LBFGSERR_OUTOFINTERVAL:
    case LBFGSERR_INCORRECT_TMINMAX:
    case LBFGSERR_ROUNDING_ERROR:
    case LBFGSERR_MINIMUMSTEP:
    case LBFGSERR_MAXIMUMSTEP:
    case LBFGSERR_MAXIMUMLINESEARCH:
    case LBFGSERR_WIDTHTOOSMALL:
    case LBFGSERR_INCREASEGRADIENT:
      return {};
    case LBFGSERR_OUTOFMEMORY:
      return fail("not enough memory for the {} past steps of {} weights that L-BFGS keeps", options_.memory,
                  weights_.parameters());
    default:
      return fail("L-BFGS cannot run with epsilon {}, period {}, delta {}, memory {} (the library's code {})",
                  options_.epsilon, options_.period, options_.delta, options_.memory, code);
  }
}

Result<ChainWeights> LbfgsRun::run() {
  gradient_.state.resize(weights_.state_rows.weights());
  gradient_.trans.resize(weights_.trans.size());
  gradient_.edge.resize(weights_.edge_rows.weights());
  if (context_.learned_tokens > 0)
    for_each_weight([&](size_t, float& w, double&) { anchor_.push_back(static_cast<double>(w)); });
  if (context_.resume != nullptr) {
    ESPALIER_ASSIGN(done_, load(*context_.resume));
  }
  if (done_ >= options_.passes) return std::move(weights_);
  const size_t n = std::max(round_up(weights_.parameters(), kVariablesStep), kVariablesStep);
  if (n > static_cast<size_t>(std::numeric_limits<int>::max()))
    return fail("{} weights are more than L-BFGS can number", weights_.parameters());
  const Variables x(lbfgs_malloc(static_cast<int>(n)));
  if (x == nullptr) return fail("not enough memory for {} weights", n);
  std::fill(x.get(), x.get() + n, 0.0);
  for_each_weight([&](size_t i, float& w, double&) {
    x[i] = static_cast<double>(w) - (anchor_.empty() ? 0.0 : anchor_[i]);
  });

  lbfgs_parameter_t parameters;
  lbfgs_parameter_init(&parameters);
  parameters.m = options_.memory;
  parameters.epsilon = options_.epsilon;
  parameters.past = options_.period;
  parameters.delta = options_.delta;
  parameters.max_iterations = options_.passes - done_;
  if (options_.l1 > 0) {
    parameters.orthantwise_c = options_.l1;
    parameters.linesearch = LBFGS_LINESEARCH_BACKTRACKING;
  }
  // Exceptions must not pass through C code. After one, a zero gradient ends the line search at once, and the
  // next report ends the run.
  const auto evaluate_c = [](void* self, const double* at, double* gradient, const int size,
                             const double) -> double {
    LbfgsRun& run = *static_cast<LbfgsRun*>(self);
    std::fill(gradient, gradient + size, 0.0);
    if (run.exception_ != nullptr) return 0;
    try {
      return run.evaluate(at, gradient);
    } catch (...) {
      run.exception_ = std::current_exception();
      std::fill(gradient, gradient + size, 0.0);
      return 0;
    }
  };
  const auto report_c = [](void* self, const double* at, const double*, const double f, const double,
                           const double, const double, int, int, int) -> int {
    LbfgsRun& run = *static_cast<LbfgsRun*>(self);
    if (run.exception_ != nullptr) return 1;
    try {
      return run.end_of_iteration(at, f);
    } catch (...) {
      run.exception_ = std::current_exception();
      return 1;
    }
  };
  last_.assign(x.get(), x.get() + n);
  const int code = lbfgs(static_cast<int>(n), x.get(), nullptr, evaluate_c, report_c, this, &parameters);
  if (exception_ != nullptr) std::rethrow_exception(exception_);
  if (context_.monitor.stop_requested()) {
    if (done_ == 0 && anchor_.empty())
      return fail("training was stopped before the end of the first iteration, and there is no model");
    take(last_.data());
    return std::move(weights_);
  }
  ESPALIER_TRY(explain(code));
  take(x.get());
  return std::move(weights_);
}

}  // namespace

Result<ChainWeights> train_lbfgs(TrainingContext context, const LbfgsOptions& options) {
  return LbfgsRun(std::move(context), options).run();
}

}  // namespace espalier::chain
