// cross_validate: trains and scores once per fold. Tested in evaluate_test.cc and apps/tests/verbs_test.sh.
#include <cmath>
#include <deque>
#include <map>

#include "espalier/api/corpus.h"
#include "espalier/api/public_monitor.h"
#include "espalier/api/tagger.h"
#include "espalier/api/text_io.h"
#include "espalier/api/training.h"
#include "espalier/base/parallel.h"
#include "espalier/base/team.h"
#include "espalier/base/text/counted.h"
#include "espalier/data/folds.h"
#include "espalier/model/pipeline.h"
#include "espalier/model/registry.h"
#include "espalier/model/tag_format.h"
#include "espalier/model/task_data.h"
#include "espalier/public/evaluate.h"

namespace espalier {
namespace {

constexpr int kDefaultFolds = 10;

/// Labels the sequences of a fold as `tag` would, into the texts of their numbers.
Status label_fold(const Tagger& tagger, const Corpus& corpus, const std::vector<size_t>& held_out,
                  int threads, std::vector<std::string>& texts) {
  const model::Model& model = tagger.state()->model;
  const data::ReadOptions reading = model.about().reading_for_use();
  ESPALIER_ASSIGN(const auto formatter, model::TagFormatter::make(model, reading, reading.format, {}));
  const Corpus part = corpus.subset(held_out);
  ESPALIER_ASSIGN(const api::Sources sources, api::sources_of(part));
  auto next = held_out.begin();
  const auto work = [&](const data::Sequence& sequence, const data::Prediction& prediction,
                        std::string& text) { formatter.append(sequence, prediction, text); };
  const auto done = [&](const data::Sequence&, const data::Prediction&, std::string_view text) -> Status {
    texts[*next++] = text;
    return {};
  };
  for (const data::Source& source : sources.sources) {
    ESPALIER_ASSIGN(const auto reader, model::open_task_reader(source, model.about().task, reading));
    ESPALIER_TRY(model::run_pipeline(*reader, model.predictor(), {}, Workers(threads), {}, work, done));
  }
  ESPALIER_CHECK(next == held_out.end());
  return {};
}

/// Trains a model without each fold in turn. Several ranks train one each at a time, whole and alone, and
/// give the models to each other.
class FoldTrainer {
 public:
  using Folds = std::map<int, std::vector<size_t>>;
  FoldTrainer(const Corpus& corpus, const Folds& folds, const TrainOptions& options)
      : corpus_(corpus),
        folds_(folds),
        options_(options),
        monitor_(options.on_progress, options.stop),
        team_(options.ranks, monitor_.monitor()) {}

  struct Trained {
    Tagger tagger;
    double seconds;
  };
  /// The model without the next fold.
  Result<Trained> next() {
    if (team_.alone()) return train_without(done_++);
    if (ready_.empty()) ESPALIER_TRY(train_round());
    Trained first = std::move(ready_.front());
    ready_.pop_front();
    ++done_;
    return first;
  }
  /// The caller's callback, told which fold it is.
  std::function<bool(const Progress&)> progress_of(size_t fold) const {
    if (!options_.on_progress) return {};
    return [this, place = fmt::format("fold {} of {}, ", fold + 1, folds_.size())](Progress progress) {
      progress.phase = place + progress.phase;
      return options_.on_progress(progress);
    };
  }

 private:
  Result<Trained> train_without(size_t fold) const {
    std::vector<size_t> others;
    size_t number = 0;
    for (const auto& [name, sequences] : folds_)
      if (number++ != fold) others.insert(others.end(), sequences.begin(), sequences.end());
    TrainOptions one = options_;
    one.ranks = nullptr;
    one.on_progress = progress_of(fold);
    ESPALIER_ASSIGN(Training training, train_with_report(corpus_.subset(others), one));
    if (training.interrupted) return fail("stopped before all folds were done");
    return Trained{std::move(training.tagger), training.seconds};
  }

  /// Each rank trains one of the next folds.
  Status train_round() {
    const size_t mine = done_ + team_.rank();
    std::vector<std::byte> model;
    Status status;
    if (mine < folds_.size()) {
      const auto trained = train_without(mine);
      if (!trained.ok()) {
        status = trained.error();
      } else {
        put(model, trained->seconds);
        const std::vector<std::byte> bytes = trained->tagger.bytes();
        put_all(model, bytes.data(), bytes.size());
      }
    }
    try {
      ESPALIER_TRY(team_.agree(status, mine));
      const Gathered<std::byte> all = team_.gather(model);
      for (size_t r = 0; r < all.ranks(); ++r) {
        if (all[r].empty()) continue;
        MessageReader reader(all[r]);
        const double seconds = reader.get<double>();
        const auto bytes = all[r].subspan(sizeof seconds);
        ESPALIER_ASSIGN(Tagger tagger, Tagger::from_bytes({bytes.begin(), bytes.end()}));
        ready_.push_back({std::move(tagger), seconds});
      }
    } catch (const AnotherRankFailed& failure) {
      return fail("{}", failure.what());
    }
    return {};
  }

  const Corpus& corpus_;
  const Folds& folds_;
  const TrainOptions& options_;
  const api::PublicMonitor monitor_;
  const Team team_;
  size_t done_ = 0;
  std::deque<Trained> ready_;
};

std::vector<double> values(const std::vector<CrossValidation::Fold>& folds, double Scores::*measure) {
  std::vector<double> out;
  for (const CrossValidation::Fold& fold : folds) out.push_back(fold.scores.*measure);
  return out;
}

}  // namespace

Result<Corpus> api::corpus_of(const Data& data, const std::string& task) {
  if (data.files() == nullptr) {
    ESPALIER_TRY(data.corpus()->status());
    return *data.corpus();
  }
  ESPALIER_ASSIGN(const model::Task* const known, model::find_task(task));
  ReadOptions reading = data.files()->reading;
  if (known->json) reading.format = task;
  if (known->kind == model::TaskKind::kParse) {
    ESPALIER_ASSIGN(const Sources sources, sources_of(data));
    data::ReadOptions columns = sources.reading;
    ESPALIER_TRY(settle_tree_columns(data, columns));
    reading.label_column = columns.label_column;
  }
  return Corpus::read(data.files()->paths, reading);
}

Result<std::map<int, std::vector<size_t>>> api::folds_of(const Corpus& corpus, int k, uint64_t seed,
                                                         bool& own) {
  const std::vector<data::Sequence>& sequences = corpus.state()->sequences;
  own = k == 0 && !sequences.empty() && sequences.front().fold().has_value();
  if (k > 0 && static_cast<size_t>(k) > sequences.size())
    return fail("{}: {} cannot be dealt into {} folds; take fewer folds", corpus.state()->name,
                counted(sequences.size(), "sequence"), k);
  if (k == 0 && !own) k = kDefaultFolds;
  std::map<int, std::vector<size_t>> folds;
  for (size_t s = 0; s < sequences.size(); ++s) {
    if (own && !sequences[s].fold())
      return fail(
          "{}:{}: the sequence has no fold, but others have; give the number of folds to draw new ones for "
          "all",
          corpus.state()->name, sequences[s].empty() ? 0 : sequences[s].line(0));
    folds[own ? *sequences[s].fold() : data::fold_of(s, k, seed)].push_back(s);
  }
  if (folds.size() < 2)
    return fail("{}: cross-validation needs sequences in two folds at least, found {} in {}",
                corpus.state()->name, sequences.size(), folds.size());
  return folds;
}

double CrossValidation::mean(double Scores::*measure) const {
  double sum = 0;
  for (const double value : values(folds, measure)) sum += value / static_cast<double>(folds.size());
  return sum;
}

double CrossValidation::deviation(double Scores::*measure) const {
  if (folds.size() < 2) return 0;
  const double center = mean(measure);
  double squares = 0;
  for (const double value : values(folds, measure)) squares += (value - center) * (value - center);
  return std::sqrt(squares / static_cast<double>(folds.size() - 1));
}

Result<CrossValidation> cross_validate(const Data& data, const TrainOptions& options, int k,
                                       const std::function<bool(const CrossValidation::Fold&)>& on_fold,
                                       const std::optional<Sink>& predictions) {
  if (k < 0 || k == 1) return fail("folds={}: there must be two at least", k);
  TrainOptions one_rank = options;  // folds are shared, not trainings
  one_rank.ranks = nullptr;
  ESPALIER_TRY(check_options(data, one_rank));
  const api::PublicMonitor reading(options.on_progress, options.stop);
  ESPALIER_ASSIGN(const Corpus corpus, api::corpus_of(data, options.task));
  CrossValidation out;
  ESPALIER_ASSIGN(const auto folds, api::folds_of(corpus, k, options.seed, out.own_folds));
  std::vector<Scores> parts;
  std::vector<std::string> texts(predictions ? corpus.size() : 0);
  FoldTrainer trainer(corpus, folds, options);
  for (const auto& [fold, held_out] : folds) {
    ESPALIER_ASSIGN(const FoldTrainer::Trained trained, trainer.next());
    EvaluateOptions scoring;
    scoring.threads = options.threads;
    scoring.on_progress = trainer.progress_of(out.folds.size());
    scoring.stop = options.stop;
    CrossValidation::Fold result;
    result.fold = fold;
    result.number = out.folds.size() + 1;
    result.total = folds.size();
    result.train_seconds = trained.seconds;
    ESPALIER_ASSIGN(result.scores, evaluate(trained.tagger, corpus.subset(held_out), scoring));
    if (predictions) ESPALIER_TRY(label_fold(trained.tagger, corpus, held_out, options.threads, texts));
    parts.push_back(result.scores);
    out.folds.push_back(std::move(result));
    if (on_fold && !on_fold(out.folds.back())) return fail("stopped before all folds were done");
  }
  out.pooled = api::merged(parts);
  if (predictions && (options.ranks == nullptr || options.ranks->rank() == 0)) {
    ESPALIER_ASSIGN(api::OpenSink file, api::OpenSink::open(*predictions));
    for (const std::string& text : texts) ESPALIER_TRY(file.write(text));
    ESPALIER_TRY(file.commit());
  }
  return out;
}

}  // namespace espalier
