// The protocol between trainers of every kind (chains, cascades, searches, brackets) and their caller: the
// trainer reports each round that ends, the caller says how to go on. Scoring on a development set, keeping
// the best model, writing checkpoints and stopping early are the caller's work, so that they are written
// once, for all trainers (model/training/best_round.h). Tested by the trainers' own tests, such as
// chain/learners/learners_test.cc.
#pragma once

#include <functional>
#include <optional>

#include "espalier/base/files/section_file.h"
#include "espalier/base/progress.h"

namespace espalier {

/// What the end of a round means to the trainer.
struct Verdict {
  bool go_on = true;  ///< false: training ends here
  bool best =
      true;  ///< no round before was better: a trainer that keeps the best model itself keeps this one
};

/// The usual measure: data loss and penalties, as measured while the pass was learning.
inline constexpr const char* kLossPerToken = "loss per token";

/// The end of one pass or iteration, without the model.
struct RoundEnd {
  int number = 0;                   ///< from 1; 0: a step before the first round (a filter of a cascade)
  std::optional<double> objective;  ///< the trainer's own measure, if it has one
  /// Writes what is needed to resume from here; null: training cannot be resumed from here. Valid until the
  /// call returns.
  std::function<void(SectionWriter&)> save = nullptr;
  int most =
      0;  ///< how many rounds there will be at most, where the trainer alone knows; 0: as its options say
  const char* measure = "objective";  ///< what `objective` is, in words: a literal
};

/// The end of a round of a trainer that makes a `Model`.
template <typename Model>
struct TrainingRound : RoundEnd {
  /// Makes the model to use if training ended here (averaged, if the trainer averages). May be expensive;
  /// null only where `number` is 0. Valid until the call returns.
  std::function<Model()> model;
};

/// Called by a trainer after each round.
template <typename Model>
using RoundEnded = std::function<Verdict(const TrainingRound<Model>&)>;

/// What every trainer is given besides its data. The monitor outlives the call.
template <typename Model>
struct RoundContext {
  const Monitor& monitor;
  RoundEnded<Model> round_ended;
};

}  // namespace espalier
