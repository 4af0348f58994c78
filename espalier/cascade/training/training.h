// One run of train_cascade (train.h). Internal; shared by the files that implement it:
//   train.cc           the levels one after the other; thresholds
//   train_filters.cc   the filters of a level
//   train_lattices.cc  what is alive between levels
//   train_last.cc      the last level
//   train_resume.cc    checkpoints; what a level starts from
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "espalier/cascade/training/level_learner.h"
#include "espalier/cascade/training/stages.h"
#include "espalier/cascade/training/train.h"

namespace espalier::cascade {

using Clock = std::chrono::steady_clock;
inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class CascadeTraining {
 public:
  CascadeTraining(const TrainContext& context, const Options& options)
      : context_(context), options_(options), data_(context.training.data) {}

  Result<Cascade> run();
  Result<std::vector<Cascade>> run_all();

 private:
  /// Work over sequences is cut into this many pieces, whatever the number of threads.
  static constexpr size_t kPieces = 16;

  /// Buffers for one piece of work.
  struct Work {
    AlignedVector<float> node;
    LabelsAt alive;
    GramValues values;
    RatingScratch scratch;
    Ratings ratings;
    std::vector<float> items;  ///< of level 1: T×K
    std::vector<float> truth;
    Trellis trellis;  ///< where a training lattice is made
  };
  /// What judge() has found, kept until lattices are filtered by it.
  struct Judgement {
    std::vector<float> items, truth;
    Ratings ratings;
    std::vector<uint32_t> best_path;
  };
  static Judgement judgement_of(const Work& work, bool of_lattice) {
    if (!of_lattice) return {work.items, work.truth, {}, {}};
    return {{}, work.truth, work.ratings, work.scratch.pass.path()};
  }
  /// The filters of a level: one per fold, trained without the sequences of the fold, and one trained on all.
  struct Filters {
    std::vector<LevelWeights> held_out;
    LevelWeights full;
    double train_alpha = 0;
    int passes = 0;
  };

  bool stopped() const { return context_.monitor.stop_requested(); }
  /// An error if somebody asked to stop. Without its last level, a cascade is no model; so filters and
  /// lattices are left unfinished where stopped() says so, and whoever made them asks this before using them.
  Status not_stopped() const {
    if (!stopped()) return {};
    return fail("training was stopped before the last level of the cascade began, and there is no model");
  }
  /// Nothing is learned after this filter, so its held-out copies are not needed.
  bool ends_here(size_t index) const { return options_.passes == 0 && index + 2 == options_.orders.size(); }
  bool unigram() const { return lattices_.empty(); }
  /// The trellis of a training sequence at this level; null where every label is alive.
  Trellis* open_lattice(size_t s, Work& work) {
    return unigram() ? nullptr : &lattices_[s].open(cascade_.layout.grams, work.trellis);
  }
  size_t fold_of(size_t index) const { return index % folds_; }
  /// Number of labels of an item at a level of this order.
  size_t item_length(size_t order) const {
    return options_.unit == Unit::kCliques ? order : trellis_length(order);
  }
  Measure measure() const { return filter_ == Filter::kCrf ? Measure::kProbability : Measure::kMaxMarginal; }
  void report_progress(std::string phase, double done, double total) const {
    Progress progress;
    progress.phase = std::move(phase);
    progress.done = done;
    progress.total = total;
    context_.monitor.report(progress);
  }

  /// The weights that a level starts from: 0, or those of the cascade that is trained further.
  LevelWeights start_of(size_t index) const;
  /// A learner that starts from them.
  LevelLearner learner_of(size_t index, const LearnerOptions& options, std::span<const uint32_t> sequences,
                          int passes, LevelLearner::Memory used = {});
  /// The same for the filter of a fold; folds_: of all data.
  LevelLearner filter_learner_of(size_t index, size_t fold, const LearnerOptions& options,
                                 std::span<const uint32_t> sequences, LevelLearner::Memory used = {});
  bool learns_quickly() const {
    return options_.quick_filters && filter_ == Filter::kCascade && context_.old == nullptr;
  }
  bool goes_on(size_t index) const { return learns_quickly() && index > 0; }
  /// Passes with log loss that a filter begins with.
  int warm_up(size_t index) const;
  /// The sequences that the filter of a fold learns from, and those that it judges.
  std::vector<uint32_t> all_but(size_t fold) const;
  std::vector<uint32_t> members(size_t fold) const;
  Status prepare();
  void choose_sequences();
  void make_dictionary();
  Status first_lattices(size_t order);
  Status train_filter(size_t index);
  Filters learn_filters(size_t index);
  Filters learn_quick_filters(size_t index);
  LearnerOptions log_options() const;
  LearnerOptions filter_options(double alpha) const;
  void score(const LevelWeights& weights, const linear::Dataset& data, size_t s, Trellis& trellis,
             Work& work) const;
  void judge(const LevelWeights& weights, const linear::Dataset& data, size_t s, Trellis* trellis,
             Work& work) const;
  /// Enough of these sequences to choose a threshold by.
  std::vector<uint32_t> sample_of(std::span<const uint32_t> sequences) const;
  /// With `keep`, judged_ gets what was found, as far as there is room.
  TradeOff trade_off(const std::function<const LevelWeights&(size_t index)>& weights_of,
                     std::span<const uint32_t> which, bool keep = false);
  PriorMean find_usual(size_t index, const LevelWeights& weights, std::span<const uint32_t> which);
  double room_after(size_t index) const;
  Status choose_alpha(size_t index, const TradeOff& measured, Level& level);
  Status next_lattices(const Filters& filters, const Level& level, size_t order);
  Status finish_lattices(std::vector<std::vector<float>>& arc_ratings, size_t order);
  void advance_dev(const Level& level, size_t order);
  void describe_lattices(LevelReport& report) const;
  bool unfiltered(size_t positions, size_t order, Trellis& out) const;
  Status train_last(size_t index);
  bool was_trained(size_t index) const;
  Result<Filters> load_filter(size_t index, Level& level) const;
  Status load_notes();
  void save_progress(SectionWriter& out) const;
  Result<int> resume_last(LevelLearner& learner);
  /// Round::save after a pass of the last level, or after a filter (0, null); null where nothing can be
  /// saved.
  std::function<void(SectionWriter&)> saver(int pass, const LevelLearner* learner) const;
  void decode_dev(const LevelWeights& weights, size_t order, size_t s,
                  std::vector<data::Label>& labels) const;
  LearnerOptions last_options() const;
  Trellis& scored(const LevelWeights& weights, size_t s, Work& work);
  double fit_temperature(size_t index, int passes);
  double changed_by_rounding(const LevelWeights& weights);

  const TrainContext& context_;
  const Options& options_;
  const linear::Dataset& data_;
  Cascade cascade_;
  std::vector<uint32_t> usable_;  ///< sequences that are learned from
  std::vector<uint32_t> fold_of_sequence_;
  size_t folds_ = 3;
  size_t positions_ = 0;                   ///< in usable sequences
  std::vector<TrainingLattice> lattices_;  ///< per sequence; empty: every label is alive
  std::vector<Trellis> dev_lattices_;
  std::vector<Judgement> judged_;  ///< per sequence: by the held-out filter; empty where nobody has asked yet
  QuantileCuts cuts_{};
  std::vector<LevelWeights>
      before_;  ///< the held-out filters of the level before, where filters are learned quickly
  std::vector<std::vector<LevelWeights>> held_out_;  ///< of the filters so far, where checkpoints are kept
  Status trouble_;
  Filter filter_ = Filter::kCascade;  ///< of the level at work
};

}  // namespace espalier::cascade
