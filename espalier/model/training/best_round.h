// Keeps the model of the round that is best on the development set, for every trainer that follows
// base/training_round.h. Tested by train_test.cc and the tests of searches.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "espalier/base/training_round.h"
#include "espalier/model/training/training_job.h"

namespace espalier::model {

/// Give callback() to a trainer, then ask best_or() for the model.
template <typename Trained>
class BestRound {
 public:
  /// `score` measures a model on the job's development set, in percent; an error ends training.
  BestRound(TrainingJob& job, int rounds, std::function<Result<double>(const Trained&)> score)
      : job_(job), rounds_(rounds), score_(std::move(score)) {}
  BestRound(const BestRound&) = delete;
  BestRound& operator=(const BestRound&) = delete;

  /// Lives no longer than this object.
  RoundEnded<Trained> callback() {
    return [this](const TrainingRound<Trained>& round) {
      std::optional<Trained> trained;
      const Verdict verdict = job_.round_ended(round, rounds_, [&] {
        trained = round.model();
        return score_(*trained);
      });
      if (verdict.best && trained) best_ = std::move(trained);
      return verdict;
    };
  }

  /// The best model, where a round was scored; otherwise what the trainer ended with. Call it once.
  Trained best_or(Trained last) { return best_ ? std::move(*best_) : std::move(last); }

 private:
  TrainingJob& job_;
  int rounds_;
  std::function<Result<double>(const Trained&)> score_;
  std::optional<Trained> best_;
};

}  // namespace espalier::model
