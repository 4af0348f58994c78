#include "experiments/ensemble_study.h"

#include <unistd.h>

#include <fstream>

#include "espalier/ensemble/methods.h"
#include "espalier/ensemble/pronunciation.h"
#include "espalier/eval/losses.h"
#include "espalier/eval/significance.h"
#include "espalier/predictor/model.h"
#include "espalier/predictor/train.h"

namespace espalier::experiments {
namespace {

using ensemble::Method;

constexpr size_t kStudyFolds = 10;
constexpr Method kStudyMethods[] = {Method::kMvote, Method::kFpl,      Method::kCv,
                                    Method::kFplCv, Method::kEspboost, Method::kSle,
                                    Method::kRand,  Method::kMajority, Method::kBest};
/// What `--method auto` chooses from.
constexpr Method kChoice[] = {Method::kMvote, Method::kCv,       Method::kFpl, Method::kEspboost,
                              Method::kSle,   Method::kMajority, Method::kBest};

std::vector<std::string> label_phonemes(const StudySample& sample, std::span<const data::Label> labels) {
  std::vector<std::string_view> names;
  for (const data::Label label : labels)
    if (label != data::kNoLabel) names.push_back(sample.labels.name(label));
  return ensemble::phonemes_of(names);
}

size_t phoneme_distance(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const std::vector<std::string_view> x(a.begin(), a.end()), y(b.begin(), b.end());
  return eval::edit_distance(x, y);
}

/// The folds of a sample: who learns from what, and who labels whom for the bootstrap.
struct StudyFolds {
  size_t size = 0, sequences = 0;
  std::vector<uint32_t> train(size_t fold) const {
    std::vector<uint32_t> chosen;
    for (size_t i = 0; i < size; ++i) chosen.push_back(static_cast<uint32_t>(fold * size + i));
    return chosen;
  }
  bool in_training(size_t s, size_t fold) const { return s >= fold * size && s < (fold + 1) * size; }
  /// The fold whose hypotheses label sequence s in the pooled comparison.
  size_t judge(size_t s) const {
    const size_t own = s / size;
    return own < kStudyFolds ? (own + 1) % kStudyFolds : s % kStudyFolds;
  }
};

/// A method's table on a fold; `auto` chooses by cross-validation within the fold.
Result<ensemble::Hypothesis> learn_on_fold(const ensemble::VoteBatch& batch, const StudyFolds& folds,
                                           size_t fold, std::optional<Method> method,
                                           const StudyOptions& options, uint64_t seed) {
  ensemble::MethodOptions settings;
  settings.online.wmwp.beta = options.beta;
  settings.fpl.seed = seed + fold;
  ensemble::BatchSource train(batch, folds.train(fold));
  if (method) return ensemble::learn_hypothesis(train, *method, settings);
  ensemble::VoteBatch part(batch.experts());
  for (const uint32_t s : folds.train(fold)) part.add(batch[s]);
  ESPALIER_ASSIGN(const std::vector<ensemble::Candidate> candidates,
                  ensemble::try_candidates(part, kChoice, ensemble::kBetas, settings, seed, Workers(1), {}));
  const ensemble::Candidate& best = ensemble::best_candidate(candidates);
  if (best.beta > 0) settings.online.wmwp.beta = best.beta;
  return ensemble::learn_hypothesis(train, best.method, settings);
}

struct FoldFigures {
  double error = 0, edit = 0;
};

}  // namespace

Result<StudyFolder> StudyFolder::make() {
  std::error_code error;
  std::string pattern = (std::filesystem::temp_directory_path(error) / "espalier-study-XXXXXX").string();
  if (error || ::mkdtemp(pattern.data()) == nullptr) return fail("{}: cannot be made", pattern);
  return StudyFolder(std::filesystem::path(pattern));
}

StudyFolder::~StudyFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Result<std::string> StudyFolder::write(std::string_view name, std::string_view text) const {
  const std::string path = file(name);
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) return fail("{}: cannot be written", path);
  return path;
}

Result<Labellings> train_and_label(const ExpertRecipe& recipe, const std::string& eval_file,
                                   const data::ReadOptions& eval_reading, size_t n, data::LabelSet& labels,
                                   const StudyFolder& folder, const Request& request) {
  predictor::TrainRequest train;
  train.train = {recipe.train_file};
  train.model = folder.file(recipe.name + ".model");
  train.learner = recipe.learner;
  train.settings = recipe.settings;
  train.template_file = recipe.template_file;
  train.reading = recipe.reading;
  train.seed = request.seed;
  train.threads = request.threads;
  Monitor monitor;
  monitor.stop = request.monitor.stop;
  ESPALIER_TRY(predictor::train(train, monitor));
  if (request.monitor.stop_requested()) return fail("interrupted");
  ESPALIER_ASSIGN(const predictor::Model model, predictor::Model::open(train.model));
  ESPALIER_ASSIGN(const auto reader, data::open_reader(eval_file, eval_reading));
  const auto scratch = model.predictor().make_scratch();
  data::PredictOptions options;
  options.nbest = n;
  Labellings out;
  data::Sequence sequence;
  data::Prediction prediction;
  while (true) {
    ESPALIER_ASSIGN(const bool more, reader->next(sequence));
    if (!more) return out;
    ESPALIER_TRY(model.predictor().predict(sequence, {}, options, *scratch, prediction));
    auto& ranks = out.emplace_back();
    for (const data::Labelling& labelling : prediction.best) {
      auto& coded = ranks.emplace_back();
      for (const data::Label label : labelling.labels)
        coded.push_back(labels.add(model.labels().name(label)));
    }
  }
}

Result<StudySample> begin_sample(const std::string& eval_file, const data::ReadOptions& reading,
                                 size_t experts) {
  StudySample sample;
  ESPALIER_ASSIGN(const auto reader, data::open_reader(eval_file, reading));
  data::Sequence sequence;
  while (true) {
    ESPALIER_ASSIGN(const bool more, reader->next(sequence));
    if (!more) return sample;
    ensemble::TokenVotes votes;
    votes.reset(experts, sequence.length());
    for (size_t row = 0; row < sequence.length(); ++row)
      votes.gold.push_back(sequence.label(row) == data::kUnknownLabelText
                               ? data::kNoLabel
                               : sample.labels.add(sequence.label(row)));
    sample.sequences.push_back(std::move(votes));
  }
}

void fill_expert(StudySample& sample, size_t j, const Labellings& labellings, size_t rank) {
  ESPALIER_CHECK(labellings.size() == sample.sequences.size());
  for (size_t s = 0; s < labellings.size(); ++s) {
    ensemble::TokenVotes& votes = sample.sequences[s];
    if (rank >= labellings[s].size()) continue;
    for (size_t t = 0; t < votes.length(); ++t) votes.votes[t * votes.experts + j] = labellings[s][rank][t];
  }
}

Result<StudyOutcome> run_study(const StudySample& sample, const StudyOptions& options, const Request& request,
                               Report& report) {
  StudyFolds folds;
  folds.sequences = sample.sequences.size();
  folds.size =
      std::min(options.training_size == 0 ? SIZE_MAX : options.training_size, folds.sequences / kStudyFolds);
  if (folds.size < 10) return fail("{} sequences are too few for ten folds", folds.sequences);
  const size_t p = sample.sequences.front().experts;
  report.set(options.column,
             fmt::format("{} sequences, {} experts, m = {}, beta = {:g}, substructures {}", folds.sequences,
                         p, folds.size, options.beta, ensemble::substructures_text(options.substructures)));
  data::LabelSet labels = sample.labels;
  ensemble::Substructures substructures(options.substructures, labels, data::Scheme::kNone);
  ESPALIER_CHECK(substructures.items_are_tokens());
  ensemble::VoteBatch batch(p);
  for (const ensemble::TokenVotes& votes : sample.sequences) batch.add(substructures.encode(votes));

  std::vector<std::vector<std::string>> gold_phonemes;
  if (options.edit_distance)
    for (const ensemble::TokenVotes& votes : sample.sequences)
      gold_phonemes.push_back(label_phonemes(sample, votes.gold));

  std::vector<std::pair<std::string, std::optional<Method>>> rows;
  for (const Method method : kStudyMethods) rows.emplace_back(ensemble::method_name(method), method);
  rows.emplace_back("auto", std::nullopt);
  StudyOutcome outcome;
  std::map<std::string, std::vector<eval::SequenceStatistics>> pooled;
  const Workers workers(request.threads);
  for (const auto& [name, method] : rows) {
    if (request.monitor.stop_requested()) return fail("interrupted");
    std::vector<FoldFigures> figures(kStudyFolds);
    std::vector<std::string> failures(kStudyFolds);
    std::vector<eval::SequenceStatistics> statistics(folds.sequences);
    const bool drawn = method == Method::kRand;
    workers.for_each(kStudyFolds, [&, m = method](size_t f) {
      const auto hypothesis = learn_on_fold(batch, folds, f, m, options, request.seed);
      if (!hypothesis.ok()) {
        failures[f] = hypothesis.error().message;
        return;
      }
      ensemble::HammingMean loss;
      size_t edits = 0, measured = 0;
      Random random = Random(request.seed).split(f);
      std::vector<uint32_t> path;
      std::vector<data::Label> said;
      for (size_t s = 0; s < folds.sequences; ++s) {
        if (folds.in_training(s, f)) continue;
        const ensemble::VoteView view = batch[s];
        if (drawn) hypothesis->suffix.draw_path(random, path);
        said.clear();
        eval::SequenceStatistics sequence;
        for (size_t i = 0; i < view.items(); ++i) {
          ensemble::Value value = ensemble::kAbsent;
          if (drawn && view.slot[i] < path.size()) value = view.item(i)[path[view.slot[i]]];
          if (value == ensemble::kAbsent)
            value =
                ensemble::vote(view.item(i), hypothesis->table.row(view.slot[i]), hypothesis->table.tie_order)
                    .value;
          said.push_back(value == ensemble::kAbsent ? data::kNoLabel : static_cast<data::Label>(value));
          if (view.gold[i] == ensemble::kAbsent) continue;
          ++sequence.tokens;
          sequence.correct += value == view.gold[i];
        }
        loss.add(sequence.tokens - sequence.correct, sequence.tokens);
        ++measured;
        if (options.edit_distance) edits += phoneme_distance(gold_phonemes[s], label_phonemes(sample, said));
        if (folds.judge(s) == f) statistics[s] = sequence;
      }
      figures[f] = {loss.mean(), static_cast<double>(edits) / static_cast<double>(measured)};
    });
    for (const std::string& failure : failures)
      if (!failure.empty()) report.notes.push_back(fmt::format("{} ({}): {}", name, options.column, failure));
    std::vector<double> errors, edits;
    for (const FoldFigures& fold : figures) {
      errors.push_back(fold.error);
      edits.push_back(fold.edit);
    }
    const auto paper = [&, row = name](const std::map<std::string, double>& table) {
      const auto it = table.find(row);
      return it == table.end() ? std::nullopt : std::optional(it->second);
    };
    const eval::MeanAndDeviation mean = eval::mean_and_deviation(errors);
    report.add(name, options.column, paper(options.paper), mean.mean, mean.deviation);
    outcome.error[name] = mean.mean;
    if (options.edit_distance) {
      const eval::MeanAndDeviation edit = eval::mean_and_deviation(edits);
      report.add(name, options.column + ", edit distance", paper(options.paper_edit), edit.mean,
                 edit.deviation);
    }
    pooled[name] = std::move(statistics);
  }
  const auto compare = [&](const std::string& first, const std::string& second) {
    return eval::paired_bootstrap(pooled[first], pooled[second], eval::Metric::kAccuracy,
                                  Random(request.seed),
                                  {.samples = request.quick ? 200u : 2000u, .confidence = 0.95});
  };
  const auto in_words = [](const eval::BootstrapResult& r) {
    return fmt::format("accuracy {:.3f} and {:.3f}, difference {:+.3f} ({:+.3f} to {:+.3f}), p = {:.4f}",
                       r.first, r.second, r.difference, r.low, r.high, r.p_value);
  };
  ESPALIER_ASSIGN(const eval::BootstrapResult best, compare("best", "mvote"));
  ESPALIER_ASSIGN(const eval::BootstrapResult majority, compare("majority", "mvote"));
  ESPALIER_ASSIGN(const eval::BootstrapResult chosen, compare("best", "auto"));
  if (request.quick) return outcome;
  if (options.must_beat_best) {
    report.check(options.column + ": mvote better than the best expert, p < .01",
                 best.difference > 0 && best.p_value < 0.01, in_words(best));
    report.check(options.column + ": mvote not worse than simple majority",
                 majority.difference >= 0 || majority.p_value >= 0.05, in_words(majority));
  } else {
    report.notes.push_back(options.column + ", best expert and mvote: " + in_words(best));
    report.notes.push_back(options.column + ", simple majority and mvote: " + in_words(majority));
  }
  report.check(options.column + ": the method chosen not worse than the best expert by more than noise",
               chosen.difference >= 0 || chosen.p_value >= 0.05, in_words(chosen));
  return outcome;
}

}  // namespace espalier::experiments
