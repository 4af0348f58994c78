#include "espalier/model/training/chain_training.h"

#include <algorithm>

#include "espalier/chain/learners/calibrate.h"
#include "espalier/chain/learners/stochastic.h"
#include "espalier/chain/learners/warm_start.h"
#include "espalier/chain/model/model.h"
#include "espalier/chain/stop_kernels.h"
#include "espalier/constrain/constrained_predictor.h"
#include "espalier/constrain/training.h"
#include "espalier/linear/encoding/hold_out.h"
#include "espalier/linear/encoding/merge_ranks.h"
#include "espalier/model/task_data.h"
#include "espalier/model/training/best_round.h"

namespace espalier::model {

namespace {

constexpr size_t kTemperatureSequences = 1000;

class ChainTraining {
 public:
  ChainTraining(TrainingJob& job, const ChainMethod& method)
      : job_(job), method_(method), instances_(instances_of_task(job.request.task)) {}

  Status run();

 private:
  void prepare_constraints();
  Status prepare_weights();
  Status check_memory() const;
  Status learn_weights();
  Status learn_kernel_machine();
  Status calibrate();
  linear::Dataset first_usable(const linear::Dataset& held_out, size_t most) const;
  Status save();
  double dev_score(const chain::ChainWeights& weights) const;
  chain::TrainingContext context(const linear::EncodedTraining& training, chain::ChainWeights start,
                                 RoundEnded<chain::ChainWeights> ended) const;

  TrainingJob& job_;
  const ChainMethod& method_;
  constrain::InstanceMaker instances_;
  chain::PairOptions pairs_;
  chain::ChainWeights start_weights_, weights_;
  std::optional<linear::KernelModel>
      kernel_;  ///< in place of weights_, where the learner is a kernel machine
  double temperature_ = 1;
  std::optional<constrain::TrainingRestriction> restriction_;
};

Status ChainTraining::prepare_weights() {
  pairs_.full_rows_from = full_rows_from(job_.common().full_rows, job_.training.labels.size());
  const bool transitions = method_.transitions && job_.extractor->has_transitions() && job_.task->neighbours;
  const std::shared_ptr<const Model>& old = job_.request.start_from;
  if (!old) {
    start_weights_ = chain::make_weights(job_.training, transitions, pairs_, job_.workers, job_.team);
    return {};
  }
  const auto* predictor = old->as<chain::ChainPredictor>();
  ESPALIER_CHECK(predictor != nullptr);  // the learner is the same
  temperature_ = predictor->temperature();
  ESPALIER_ASSIGN(start_weights_,
                  chain::warm_start(job_.training, *predictor, old->file(), transitions, pairs_, job_.team));
  return {};
}

/// An error if what cannot leave memory takes more of it than is allowed.
Status ChainTraining::check_memory() const {
  const double memory = static_cast<double>(job_.request.memory);
  if (memory == 0) return {};
  const linear::EncodedTraining& training = job_.training;
  const linear::Dataset& data = training.data;
  constexpr double kFeature = sizeof(uint64_t) /* hash */ + 2 * sizeof(uint32_t) /* count, row */;
  constexpr double kSequence = 2 * sizeof(uint64_t) /* begin, here and in the file */ +
                               sizeof(float) /* weight */ + sizeof(uint32_t) /* order */ +
                               sizeof(void*) /* origin */;
  constexpr double kProgram = 32e6;  // the program itself, its threads, batches and buffers
  const double features = static_cast<double>(training.state.size());
  const double name = features == 0 ? 0 : static_cast<double>(training.state.names.size()) / features;
  const double others = static_cast<double>(data.tokens()) * sizeof(data::Label) +
                        static_cast<double>(data.sequences()) * kSequence +
                        chain::bytes_of_label_pairs(training.labels.size()) +
                        static_cast<double>(start_weights_.edge_rows.weights()) * method_.bytes_per_weight +
                        kProgram;
  const std::vector<uint32_t>& rows = start_weights_.state_rows.begin;
  // What the n most frequent features take.
  const auto taken = [&](size_t n) {
    return others + static_cast<double>(n) * (kFeature + name) +
           static_cast<double>(rows[n]) * method_.bytes_per_weight;
  };
  const size_t all = std::min(training.state.size(), rows.size() - 1);
  const double needed = taken(all);
  if (needed <= memory) return {};
  size_t enough = 0, above = all;  // the most features that fit
  while (enough < above) {
    const size_t middle = enough + (above - enough + 1) / 2;
    if (taken(middle) <= memory) {
      enough = middle;
    } else {
      above = middle - 1;
    }
  }
  const std::string figure =
      fmt::format("{} features with {} weights take {:.0f} MB to train, {:.0f} MB are allowed", all,
                  start_weights_.parameters(), needed / 1e6, memory / 1e6);
  if (enough == 0) return fail("{}, and {:.0f} MB go to other things", figure, others / 1e6);
  const uint32_t cutoff = training.state.counts[enough] + 1;
  const auto left = std::partition_point(training.state.counts.begin(),
                                         training.state.counts.begin() + static_cast<ptrdiff_t>(all),
                                         [&](uint32_t count) { return count >= cutoff; });
  return fail("{}; -p cutoff={} leaves {} features", figure, cutoff, left - training.state.counts.begin());
}

double ChainTraining::dev_score(const chain::ChainWeights& weights) const {
  struct Buffers {
    chain::SequenceScores scores;
    chain::ChainScratch scratch;
  };
  return job_.dev_score([&]() -> TrainingJob::Decode {
    return [&, buffers = std::make_shared<Buffers>()](size_t s, std::vector<data::Label>& best) {
      const chain::StopKernels stop(job_.monitor);
      chain::score_sequence(weights, job_.dev.data, s, buffers->scores);
      best.resize(job_.dev.data.length(s));
      if (restriction_) {
        const constrain::Compiled& rules = restriction_->compiled();
        const auto instance = instances_(rules.constraints(), job_.dev.sequences[s]);
        constrain::Scores view = buffers->scores.view;
        if (!job_.task->neighbours) view.trans = nullptr;
        const constrain::Decoded found = constrain::decode(rules, instance, view, {});
        best = found.labels.empty() ? constrain::compromise(rules, instance, view, {}).best.labels
                                    : found.labels;
        if (best.size() == instance.length) return;
        best.resize(instance.length);
      }
      chain::viterbi(buffers->scores.view, buffers->scratch, best.data());
    };
  });
}

chain::TrainingContext ChainTraining::context(const linear::EncodedTraining& training,
                                              chain::ChainWeights start,
                                              RoundEnded<chain::ChainWeights> ended) const {
  chain::TrainingContext context{
      {job_.monitor, std::move(ended)}, training, std::move(start), job_.workers, job_.request.seed};
  context.label_weight = job_.label_weight;
  if (restriction_) context.restriction = &*restriction_;
  context.learned_tokens = job_.learned_tokens();
  context.team = &job_.team;
  return context;
}

Status ChainTraining::learn_kernel_machine() {
  Progress progress;
  progress.phase = "training";  // libsvm says nothing on the way
  job_.monitor.report(progress);
  const size_t labels = job_.training.labels.size();
  ESPALIER_ASSIGN(kernel_, method_.learn_kernel(job_.training.data, labels));
  job_.report.log.push_back({1, 0, std::nullopt, job_.seconds()});
  if (!method_.fit_temperature) return {};
  const auto [most, tenth] = linear::hold_out_a_tenth(job_.training.data);
  if (tenth.sequences() == 0) return {};
  ESPALIER_ASSIGN(const linear::KernelModel second, method_.learn_kernel(most, labels));
  temperature_ = chain::fit_temperature(second, tenth);
  return {};
}

/// Whether nothing has been learned.
bool all_zero(const chain::ChainWeights& weights) {
  const auto zero = [](float w) { return w == 0; };
  return std::all_of(weights.state.begin(), weights.state.end(), zero) &&
         std::all_of(weights.trans.begin(), weights.trans.end(), zero) &&
         std::all_of(weights.edge.begin(), weights.edge.end(), zero);
}

Status ChainTraining::learn_weights() {
  BestRound<chain::ChainWeights> best(
      job_, method_.rounds,
      [this](const chain::ChainWeights& weights) -> Result<double> { return dev_score(weights); });
  auto own = context(job_.training, std::move(start_weights_), best.callback());
  ESPALIER_ASSIGN(const std::optional<SectionFile> checkpoint, job_.checkpoint_to_resume());
  if (checkpoint) own.resume = &*checkpoint;
  ESPALIER_ASSIGN(chain::ChainWeights last, job_.ended(method_.learn(std::move(own))));
  if (job_.report.interrupted && !job_.request.start_from && all_zero(last))
    return fail("training was stopped before its first step, and there is no model");
  weights_ = best.best_or(std::move(last));
  return {};
}

Status ChainTraining::calibrate() {
  if (!method_.fit_temperature || job_.report.interrupted) return {};
  if (!job_.dev.sequences.empty()) {
    if (job_.team.first())
      temperature_ =
          chain::fit_temperature(weights_, job_.dev.data, job_.workers, kTemperatureSequences, job_.monitor);
    return {};
  }
  // A model that is trained further keeps the scale of its scores, and has learned from what would be held
  // out.
  if (job_.request.start_from) return {};
  // A second run that sees nine sequences in ten; the tenth says how far to trust the scores.
  auto [most, tenth] = linear::hold_out_a_tenth(job_.training.data, job_.team);
  if (tenth.all_sequences() == 0) return {};
  linear::EncodedTraining part;
  part.data = std::move(most);
  part.labels = job_.training.labels;
  part.state = job_.training.state;
  part.edge = job_.training.edge;
  const int rounds = job_.report.log.empty() ? 1 : job_.report.log.back().number;
  chain::ChainWeights start = weights_;
  std::fill(start.state.begin(), start.state.end(), 0.0f);
  std::fill(start.trans.begin(), start.trans.end(), 0.0f);
  std::fill(start.edge.begin(), start.edge.end(), 0.0f);
  auto second = context(part, std::move(start),
                        [&](const chain::Round& r) { return Verdict{.go_on = r.number < rounds}; });
  std::optional<constrain::TrainingRestriction> restricted_part;
  if (restriction_) {
    std::vector<uint32_t> kept;
    for (uint32_t s = 0; s < job_.training.data.sequences(); ++s)
      if (!linear::held_out(job_.training.data.number_of(s))) kept.push_back(s);
    restricted_part = restriction_->subset(kept);
    second.restriction = &*restricted_part;
  }
  ESPALIER_ASSIGN(const chain::ChainWeights weights, method_.learn(std::move(second)));
  if (!job_.team.alone()) tenth = first_usable(tenth, kTemperatureSequences);
  if (job_.team.first())
    temperature_ = chain::fit_temperature(weights, tenth, job_.workers, kTemperatureSequences, job_.monitor);
  return {};
}

/// The first sequences of all ranks from which a temperature can be learned.
linear::Dataset ChainTraining::first_usable(const linear::Dataset& held_out, size_t most) const {
  std::vector<uint32_t> here;
  for (uint32_t s = 0; s < held_out.sequences() && here.size() < most; ++s)
    if (held_out.length(s) > 0 && held_out.fully_labelled(s)) here.push_back(s);
  return linear::gather_sequences(held_out, here, job_.team);
}

Status ChainTraining::save() {
  if (kernel_) weights_ = std::move(start_weights_);  // all 0: the labels' number, and no transitions
  const int bits = weight_bits(job_.common().weight_bits, job_.report.interrupted, [&] {
    return chain::labels_changed_by_rounding(weights_, job_.training.data, job_.workers, 1500, job_.monitor,
                                             chain::kMostSteps, job_.team);
  });
  SectionWriter out;
  chain::save_model(
      {job_.training.labels, weights_, job_.training.state, job_.training.edge, method_.normalisation,
       temperature_, job_.label_scheme(), bits, kernel_ ? &*kernel_ : nullptr, /*stays=*/true},
      out);
  ESPALIER_TRY(job_.save(out));
  job_.report.weights = weights_.parameters();
  job_.drop_checkpoint();
  return {};
}

void ChainTraining::prepare_constraints() {
  if (!job_.constraints) return;
  restriction_.emplace(*job_.constraints, std::move(job_.instances), job_.training.data,
                       constrain::DecodeOptions{});
  restriction_->count_on(job_.team);
  if (std::string note = restriction_->note(); !note.empty()) job_.report.notes.push_back(std::move(note));
}

Status ChainTraining::run() {
  prepare_constraints();
  ESPALIER_TRY(prepare_weights());
  ESPALIER_TRY(check_memory());
  if (method_.learn_kernel) {
    ESPALIER_TRY(learn_kernel_machine());
  } else {
    ESPALIER_TRY(learn_weights());
    ESPALIER_TRY(calibrate());
  }
  return save();
}

}  // namespace

Status train_chain(TrainingJob& job, const ChainMethod& method) { return ChainTraining(job, method).run(); }

}  // namespace espalier::model
