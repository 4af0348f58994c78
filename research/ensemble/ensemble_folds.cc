// run_study() and run_study_by_folds() of ensemble_study.h: ten folds of every method over experts' labels.
// Tested in apps/tests/reproduce_test.sh.
#include "research/ensemble/ensemble_study.h"

#include "espalier/ensemble/experts/multiple_alignment.h"
#include "espalier/ensemble/methods/methods.h"
#include "espalier/ensemble/pronunciation.h"
#include "espalier/eval/losses.h"
#include "espalier/eval/significance.h"

namespace espalier::research {
namespace {

using ensemble::Method;

constexpr size_t kStudyFolds = 10;
constexpr Method kStudyMethods[] = {Method::kMvote, Method::kFpl,      Method::kCv,
                                    Method::kFplCv, Method::kEspboost, Method::kSle,
                                    Method::kRand,  Method::kMajority, Method::kBest};
/// The methods that `--method auto` chooses from.
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

/// The folds of a sample: what each learns from, and which fold labels which sequence for the bootstrap.
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

/// One fold of a study: what it learns from, what it is measured on, and which part of that is pooled for the
/// bootstrap. Over all parts, every sequence is pooled at most once.
struct StudyPart {
  const StudySample* sample = nullptr;
  ensemble::VoteBatch own;  ///< if parts do not share a batch
  const ensemble::VoteBatch* batch = nullptr;
  std::vector<uint32_t> train, test;
  std::vector<uint8_t> judged;  ///< per entry of test
};

ensemble::VoteBatch encoded(const StudySample& sample, const StudyOptions& options) {
  data::LabelSet labels = sample.labels;
  ensemble::Substructures substructures(options.substructures, labels, data::Scheme::kNone);
  ESPALIER_CHECK(substructures.items_are_tokens());
  ensemble::VoteBatch batch(sample.sequences.front().experts);
  for (const ensemble::TokenVotes& votes : sample.sequences) batch.add(substructures.encode(votes));
  return batch;
}

/// A method's results on a fold; `auto` chooses by cross-validation within the fold.
Result<ensemble::Hypothesis> learn_part(const StudyPart& part, size_t fold, std::optional<Method> method,
                                        const StudyOptions& options, uint64_t seed) {
  ensemble::MethodOptions settings;
  settings.online.wmwp.beta = options.beta;
  settings.fpl.seed = seed + fold;
  ensemble::BatchSource train(*part.batch, part.train);
  if (method) return ensemble::learn_hypothesis(train, *method, settings);
  ensemble::VoteBatch learned_from(part.batch->experts());
  for (const uint32_t s : part.train) learned_from.add((*part.batch)[s]);
  ESPALIER_ASSIGN(const std::vector<ensemble::Candidate> candidates,
                  ensemble::try_candidates(ensemble::divide(learned_from, seed), kChoice, ensemble::kBetas,
                                           settings, Workers(1), {}));
  const ensemble::Candidate& best = ensemble::best_candidate(candidates);
  if (best.beta > 0) settings.online.wmwp.beta = best.beta;
  return ensemble::learn_hypothesis(train, best.method, settings);
}

struct FoldFigures {
  double error = 0, edit = 0;
  size_t boost_rounds = 0;
  double random = 0;  ///< mvote: the expected loss of H_Rand, which draws from the same weights
  std::string failure;
  std::vector<eval::SequenceStatistics> pooled;
};

size_t edits_of(const StudySample& sample, const ensemble::TokenVotes& votes,
                const std::vector<data::Label>& said, bool side_by_side) {
  if (!side_by_side)
    return phoneme_distance(label_phonemes(sample, votes.gold), label_phonemes(sample, said));
  const data::Label gap = sample.labels.find(ensemble::kGapText).value_or(data::kNoLabel);
  return eval::edit_distance(votes.target, ensemble::without_gaps(said, gap));
}

FoldFigures measure_part(const StudyPart& part, size_t f, std::optional<Method> method,
                         const StudyOptions& options, uint64_t seed) {
  FoldFigures figures;
  const auto hypothesis = learn_part(part, f, method, options, seed);
  if (!hypothesis.ok()) {
    figures.failure = hypothesis.error().message;
    return figures;
  }
  figures.boost_rounds = hypothesis->boost_rounds.size();
  const bool drawn = method == Method::kRand;
  if (method == Method::kMvote) {
    ensemble::BatchSource test(*part.batch, part.test);
    const auto random_loss = ensemble::expected_random_loss(test, hypothesis->table);
    if (!random_loss.ok()) {
      figures.failure = random_loss.error().message;
      return figures;
    }
    figures.random = *random_loss;
  }
  ensemble::HammingMean loss;
  size_t edits = 0;
  Random random = Random(seed).split(f);
  std::vector<uint32_t> path;
  std::vector<data::Label> said;
  for (size_t n = 0; n < part.test.size(); ++n) {
    const uint32_t s = part.test[n];
    const ensemble::VoteView view = (*part.batch)[s];
    if (drawn) hypothesis->suffix.draw_path(random, path);
    said.clear();
    eval::SequenceStatistics sequence;
    for (size_t i = 0; i < view.items(); ++i) {
      ensemble::Value value = ensemble::kAbsent;
      if (drawn && view.slot[i] < path.size()) value = view.item(i)[path[view.slot[i]]];
      if (value == ensemble::kAbsent)
        value = ensemble::vote(view.item(i), hypothesis->table.row(view.slot[i]), hypothesis->table.tie_order)
                    .value;
      said.push_back(value == ensemble::kAbsent ? data::kNoLabel : static_cast<data::Label>(value));
      if (view.gold[i] == ensemble::kAbsent) continue;
      ++sequence.tokens;
      sequence.correct += value == view.gold[i];
    }
    loss.add(sequence.tokens - sequence.correct, sequence.tokens);
    if (options.edit_distance)
      edits += edits_of(*part.sample, part.sample->sequences[s], said, options.side_by_side);
    if (part.judged[n]) figures.pooled.push_back(sequence);
  }
  figures.error = loss.mean();
  figures.edit = static_cast<double>(edits) / static_cast<double>(std::max<size_t>(1, part.test.size()));
  return figures;
}

Result<StudyOutcome> run_parts(const std::vector<StudyPart>& parts, const StudyOptions& options,
                               const Request& request, Report& report) {
  std::vector<std::pair<std::string, std::optional<Method>>> rows;
  for (const Method method : kStudyMethods) rows.emplace_back(ensemble::method_name(method), method);
  rows.emplace_back("auto", std::nullopt);
  StudyOutcome outcome;
  size_t bounded_folds = 0, within_bound = 0;
  std::map<std::string, std::vector<eval::SequenceStatistics>> pooled;
  const Workers workers(request.threads);
  for (const auto& [name, method] : rows) {
    if (request.monitor.stop_requested()) return fail("interrupted");
    std::vector<FoldFigures> figures(parts.size());
    workers.for_each(parts.size(), [&, m = method](size_t f) {
      figures[f] = measure_part(parts[f], f, m, options, request.seed);
    });
    std::vector<double> errors, edits;
    for (FoldFigures& fold : figures) {
      if (method == Method::kMvote && fold.failure.empty()) {
        ++bounded_folds;
        within_bound += fold.error <= 2 * fold.random + 1e-9;
      }
      if (!fold.failure.empty()) {
        report.notes.push_back(fmt::format("{} ({}): {}", name, options.column, fold.failure));
        continue;
      }
      if (method == Method::kEspboost) outcome.boost_rounds.push_back(fold.boost_rounds);
      errors.push_back(fold.error);
      edits.push_back(fold.edit);
      pooled[name].insert(pooled[name].end(), fold.pooled.begin(), fold.pooled.end());
    }
    const auto paper = [&, row = name](const PaperRows& table) {
      const auto it = table.find(row);
      return it == table.end() ? std::nullopt : std::optional(it->second);
    };
    const eval::MeanAndDeviation mean = eval::mean_and_deviation(errors);
    // Majority and the method chosen by cross-validation are not in the paper.
    const bool printed = method && *method != Method::kMajority && options.printed;
    report.add(name, options.column, paper(options.paper), mean.mean, mean.deviation).printed(printed);
    outcome.error[name] = mean.mean;
    outcome.fold_errors[name] = errors;
    if (options.edit_distance) {
      const eval::MeanAndDeviation edit = eval::mean_and_deviation(edits);
      report
          .add(name, options.column + ", edit distance", paper(options.paper_edit), edit.mean, edit.deviation)
          .printed(printed);
    }
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
  report.check(options.column + ": mvote errs at most twice as much as rand (Proposition 2)",
               bounded_folds > 0 && within_bound == bounded_folds,
               fmt::format("{} of {} folds", within_bound, bounded_folds));
  if (request.quick) return outcome;
  report.claim(options.column + ": mvote better than the best expert",
               best.difference > 0 && best.p_value < 0.05, in_words(best), options.cause);
  report.notes.push_back(options.column + ", simple majority and mvote: " + in_words(majority));
  report.notes.push_back(options.column + ", best expert and the method chosen: " + in_words(chosen));
  return outcome;
}

}  // namespace

Result<StudyOutcome> run_study(const StudySample& sample, const StudyOptions& options, const Request& request,
                               Report& report) {
  StudyFolds folds;
  folds.sequences = sample.sequences.size();
  folds.size =
      std::min(options.training_size == 0 ? SIZE_MAX : options.training_size, folds.sequences / kStudyFolds);
  if (folds.size < 10) return fail("{} sequences are too few for ten folds", folds.sequences);
  report.set(options.column, fmt::format("{} sequences, {} experts, m = {}, beta = {:g}, substructures {}",
                                         folds.sequences, sample.sequences.front().experts, folds.size,
                                         options.beta, ensemble::substructures_text(options.substructures)));
  const ensemble::VoteBatch batch = encoded(sample, options);
  std::vector<StudyPart> parts(kStudyFolds);
  for (size_t f = 0; f < kStudyFolds; ++f) {
    parts[f].sample = &sample;
    parts[f].batch = &batch;
    parts[f].train = folds.train(f);
    for (uint32_t s = 0; s < folds.sequences; ++s) {
      if (folds.in_training(s, f)) continue;
      parts[f].test.push_back(s);
      parts[f].judged.push_back(folds.judge(s) == f);
    }
  }
  return run_parts(parts, options, request, report);
}

Result<StudyOutcome> run_study_by_folds(const std::vector<StudySample>& samples, const StudyOptions& options,
                                        const Request& request, Report& report) {
  const int folds = static_cast<int>(samples.size());
  std::vector<StudyPart> parts(samples.size());
  for (int f = 0; f < folds; ++f) {
    StudyPart& part = parts[static_cast<size_t>(f)];
    part.sample = &samples[static_cast<size_t>(f)];
    part.own = encoded(*part.sample, options);
    part.batch = &part.own;
    for (uint32_t s = 0; s < part.sample->sequences.size(); ++s) {
      const int own = part.sample->fold[s];
      if (own == (f + 1) % folds) {
        part.train.push_back(s);
        continue;
      }
      part.test.push_back(s);
      part.judged.push_back(own == (f + 2) % folds);
    }
  }
  report.set(
      options.column,
      fmt::format("{} folds, {} sequences to learn from in the first, {} experts of each fold, beta = {:g}, "
                  "substructures {}",
                  folds, parts.front().train.size(), samples.front().sequences.front().experts, options.beta,
                  ensemble::substructures_text(options.substructures)));
  return run_parts(parts, options, request, report);
}

StudySample phonemes_side_by_side(const StudySample& sample) {
  StudySample out;
  const data::Label gap = out.labels.add(ensemble::kGapText);
  ensemble::MultipleAligner aligner(gap);
  const auto coded = [&](std::span<const data::Label> labels) {
    std::vector<data::Label> phonemes;
    for (const std::string& phoneme : label_phonemes(sample, labels))
      phonemes.push_back(out.labels.add(phoneme));
    return phonemes;
  };
  std::vector<data::Label> own;
  for (const ensemble::TokenVotes& votes : sample.sequences) {
    std::vector<ensemble::ExpertOutput> outputs(votes.experts);
    for (size_t j = 0; j < votes.experts; ++j) {
      own.clear();
      for (size_t t = 0; t < votes.length(); ++t) own.push_back(votes.label(t, j));
      outputs[j] = {!votes.silent(j), coded(own)};
    }
    ensemble::TokenVotes columns;
    aligner.align(outputs, columns);
    aligner.add_gold(coded(votes.gold), columns);
    out.sequences.push_back(std::move(columns));
  }
  out.experts = sample.experts;
  return out;
}

}  // namespace espalier::research
