// One run of `train`, for any kind of model: the request, the data read and encoded, and the report.
//
// train() makes a TrainingJob and calls read_data(); the learner then trains, reports its rounds and calls
// save(). Tested in train_test.cc.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/base/team.h"
#include "espalier/base/training_round.h"
#include "espalier/constrain/rules.h"
#include "espalier/data/label_scheme.h"
#include "espalier/linear/encoding/dataset.h"
#include "espalier/model/constraint_file.h"
#include "espalier/model/model.h"
#include "espalier/model/model_header.h"
#include "espalier/model/registry.h"
#include "espalier/model/train.h"

namespace espalier::model {

/// The development data.
struct DevSet {
  std::vector<data::Sequence> sequences;
  std::vector<const data::Source*> origins = {};  ///< task summary: where each of them came from
  linear::Dataset data;
  size_t missed = 0;  ///< gold arguments that no sequence here could find (roles)
};

/// A hash of everything that a sequence says: its cells or attributes and its labels.
uint64_t hash_of_text(const data::Sequence& sequence);

inline const Team& one_rank() {
  static const Team team;
  return team;
}

class FileShares;

/// What training shares between all kinds of models. train() makes it and reads the data; the trainer of a
/// kind of model (train_chain …) takes what it needs, reports its rounds, and saves.
struct TrainingJob {
  TrainingJob(const TrainRequest& asked, const Monitor& watcher, const Team& others = one_rank())
      : request(asked), team(others), monitor(watcher), workers(asked.threads) {}

  const TrainRequest& request;
  const Team& team;            ///< the ranks that train together; those that do not are alone
  const Task* task = nullptr;  ///< what is predicted
  const Monitor& monitor;
  Workers workers;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

  std::unique_ptr<const ConfiguredLearner> learner;  ///< who trains, with its settings
  const CommonOptions& common() const { return learner->common(); }
  /// The ranks that the data is spread over: this one alone where every rank has all of it.
  const Team& data_team() const { return learner->traits().shares_parts ? one_rank() : team; }
  ModelHeader about;
  std::unique_ptr<data::FeatureExtractor> extractor;
  /// The one that the training data is encoded with where the labels of words are features: they are in one
  /// more column of the sequences (data/features/word_labels.h). Null: `extractor` is.
  std::unique_ptr<data::FeatureExtractor> training_extractor;
  linear::EncodedTraining training;
  std::vector<size_t> label_cells;           ///< the columns of labels, where these are cells
  std::vector<data::Sequence> sequences;     ///< the training data, where the learner needs its text
  std::vector<const data::Source*> origins;  ///< of each training sequence
  data::SchemeDetector scheme;
  std::vector<float> label_weight;  ///< what errors on a gold label cost; empty: 1 each
  DevSet dev;
  std::optional<constrain::Constraints> constraints;  ///< what training has to keep to …
  std::vector<constrain::Instance> instances;         ///< … as it speaks about each training sequence
  TrainReport report;
  std::optional<Model> saved;  ///< by save()

  /// Reads and encodes training and dev data as the request says.
  Status read_data();
  /// An error if there are constraints that no automaton can check. For learners that sum over labellings.
  Status check_regular() const;

  /// Decodes a sequence of the dev set.
  using Decode = std::function<void(size_t sequence, std::vector<data::Label>& labels)>;
  /// F1 of spans on the dev set (of arguments, for roles), or accuracy where labels are plain, in percent.
  /// Each thread asks for a decoder of its own.
  double dev_score(const std::function<Decode()>& make_decoder) const;
  /// The labels that the decoder gives the sequences of the dev set.
  std::vector<std::vector<data::Label>> dev_labels(const std::function<Decode()>& make_decoder) const;
  std::string dev_measure() const;  ///< what that is: "F1" or "accuracy"

  /// Tells the user at once, and again in the report's notes.
  void warn(std::string text);

  /// The one end of a round, for every trainer (base/training_round.h; best_round.h keeps the best model):
  /// scores it on the dev set, logs and reports it, writes a checkpoint if one is due, and says how to go on.
  /// Training ends where the dev set has not got better for `patience` rounds, and at the first trouble.
  /// `score` gives the score on the dev set, in percent. It is called only where there is one and nobody has
  /// asked to stop. `rounds` is how many there are at most, where the round does not say so itself.
  Verdict round_ended(const RoundEnd& round, int rounds, const std::function<Result<double>()>& score);
  /// What a trainer returned, or the trouble that made it end early. Also notes whether it was interrupted.
  template <typename Trained>
  Result<Trained> ended(Result<Trained> trained) {
    ESPALIER_TRY(std::exchange(trouble_, Status()));
    report.interrupted = monitor.stop_requested();
    return trained;
  }

  /// Adds the sections that every model has (about, constraints) and writes the model to its file, if it has
  /// one; fills in the report's figures about it. A model that cannot be opened, because training diverged
  /// for example, is an error and takes the place of no older file.
  Status save(SectionWriter& sections);

  /// True where the rounds of a trainer should be ones that can be saved.
  bool writes_checkpoints() const { return request.checkpoint_every > 0; }
  /// MODEL.checkpoint, where the request is to resume; an error where it belongs to a run with other data,
  /// learner, parameters or seed.
  Result<std::optional<SectionFile>> checkpoint_to_resume() const;
  /// Removes it after a run that was not cut off.
  void drop_checkpoint() const;

  /// The scheme of the labels: that of the old model where one is trained further, as a few new sentences may
  /// not show it.
  data::Scheme label_scheme() const;
  /// How many tokens the model was trained on that training starts from; 0: it starts from zero.
  double learned_tokens() const;
  /// What its training data count compared with the new data, as chain::old_counts.
  double old_counts() const;

  double seconds() const;  ///< since the start

 private:
  // training_files.cc
  Status keep(Result<Model> opened);
  Status write_model(const SectionWriter& sections);
  std::string checkpoint_path() const { return request.model + ".checkpoint"; }
  std::string fingerprint() const;
  /// Writes what a learner needs to resume from here to MODEL.checkpoint, with what tells this run from
  /// others.
  Status save_checkpoint(const RoundEnd& round) const;
  size_t columns_of(const data::Sequence& sequence) const;
  /// An error if somebody asked to stop: for phases before there is anything to save.
  Status check_not_stopped() const;
  // training_data.cc
  struct Reading;
  Status read_training_data();
  Status read_share(const FileShares& shares, Reading& reading);
  Status begin_reading(const data::Sequence& first, Reading& reading);
  bool learns_word_labels() const;
  void begin_encoding(const data::FeatureExtractor& from, Reading& reading);
  Status encode_waiting(Reading& reading);
  void keep_sequence(data::Sequence sequence, Reading& reading);
  Result<std::vector<uint32_t>> numbers_in_all(const Reading& reading) const;

  Status prepare_features(const data::Sequence& first);
  Status read_dev_data();
  /// Warns of development data that is also training data, or that has other labels.
  void warn_of_odd_dev_data();
  Status compare_columns() const;
  Status compare_labels();
  Status resolve_label_weights();
  /// Gives the training data the labels of a finer scheme, if the model is to have them (inner_scheme.cc).
  Status refine_labels();
  Status check_contradictions() const;
  Status resolve_constraints(const std::vector<data::Sequence>& kept);

  Status trouble_;  ///< what round_ended() could not return
  double best_dev_ = -1;
  int rounds_without_gain_ = 0;
  std::unordered_set<uint64_t>
      training_hashes_;  ///< of the text of the training sequences, if there is a dev set
};

}  // namespace espalier::model
