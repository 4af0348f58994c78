#include "espalier/model/train_brackets.h"

#include <algorithm>
#include <set>

#include "espalier/tasks/structures/bracket_model.h"

namespace espalier::model {

namespace {

using constrain::Phrase;
using Kind = Parameter::Kind;

/// The one type of phrases that the data have.
Result<std::string> phrase_type(const TrainingJob& job) {
  if (job.scheme.scheme() == data::Scheme::kNone)
    return fail("{}: task brackets needs labels of a segment scheme (B-X, I-X, O or the like)",
                job.request.train.front().name());
  std::set<std::string> types;
  for (const std::string& name : job.training.labels.names())
    if (const auto parts = data::parse_label(name); parts && parts->prefix != 'O')
      types.insert(std::string(parts->type));
  if (types.empty()) return fail("{}: there is no phrase in it", job.request.train.front().name());
  if (types.size() > 1)
    return fail("{}: task brackets finds phrases of one type, and these are {}; task segment takes several",
                job.request.train.front().name(), fmt::join(types, ", "));
  return *types.begin();
}

Result<std::vector<std::vector<Phrase>>> gold_phrases(const TrainingJob& job, const std::string& type,
                                                      size_t longest, size_t& too_long) {
  std::vector<std::vector<Phrase>> out;
  std::vector<std::string_view> labels;
  for (size_t s = 0; s < job.training.data.sequences(); ++s) {
    labels.clear();
    for (const data::Label label : job.training.data.gold_of(s)) {
      if (label == data::kNoLabel)
        return fail("{}: brackets are learned from whole labellings, but a label is '_' (not known)",
                    job.request.train.front().name());
      labels.push_back(job.training.labels.name(label));
    }
    out.push_back(tasks::phrases_of(labels, job.scheme.scheme(), type));
    for (const Phrase& p : out.back()) too_long += p.last - p.first > longest;
  }
  return out;
}

}  // namespace

std::vector<Parameter> bracket_parameters() {
  return {
      {"passes", Kind::kInteger, "12", "passes over the training data", 1, 1e6},
      {"training",
       Kind::kChoice,
       "global",
       "global: the classifiers are corrected where the phrases found are wrong; local: each where its own "
       "sign is",
       0,
       0,
       {"global", "local"}},
      {"longest", Kind::kInteger, "40", "words of a phrase at most", 1, 1e4},
  };
}

Status train_brackets(TrainingJob& job) {
  if (job.request.start_from != nullptr || job.request.resume || job.request.checkpoint_every > 0)
    return fail("learner brackets can neither start from a model nor from a checkpoint");
  if (!job.label_weight.empty()) return fail("learner brackets takes no label-weights");
  if (!job.values.is_default("full-rows")) return fail("learner brackets has a weight for every feature");
  for (const float weight : job.training.data.weight)
    if (weight != 1) return fail("learner brackets takes no sequence weights other than 1");
  ESPALIER_ASSIGN(const std::string type, phrase_type(job));
  tasks::BracketOptions options;
  options.regime =
      job.values.text("training") == "global" ? tasks::BracketRegime::kGlobal : tasks::BracketRegime::kLocal;
  options.passes = static_cast<int>(job.values.integer("passes"));
  options.longest = static_cast<size_t>(job.values.integer("longest"));
  options.seed = job.request.seed;
  size_t too_long = 0;
  ESPALIER_ASSIGN(const auto gold, gold_phrases(job, type, options.longest, too_long));
  if (too_long > 0)
    job.report.notes.push_back(
        fmt::format("{} phrases have more than {} words and cannot be found; longest raises the limit",
                    too_long, options.longest));
  data::LabelSet labels;
  for (const char* prefix : {"B-", "I-"}) labels.add(prefix + type);
  labels.add("O");

  std::optional<tasks::BracketWeights> best;
  options.pass_ended = [&](int pass, double wrong, const std::function<tasks::BracketWeights()>& averages) {
    std::optional<double> score;
    tasks::BracketWeights weights;
    if (!job.dev.sequences.empty()) {
      weights = averages();
      tasks::PhraseScores counts;
      std::vector<float> opens, closes;
      for (size_t s = 0; s < job.dev.sequences.size(); ++s) {
        weights.score(job.dev.data, s, opens, closes);
        counts.add(tasks::phrases_of(job.dev.sequences[s], type),
                   constrain::best_phrases(opens, closes, options.longest));
      }
      score = counts.f1();
    }
    const TrainingJob::Verdict verdict = job.round_ended(pass, options.passes, wrong, score);
    if (verdict.best) best = std::move(weights);
    return verdict.go_on;
  };
  tasks::BracketWeights weights =
      tasks::train_brackets(job.training.data, job.training.state.size(), gold, options, job.monitor);
  job.report.interrupted = job.monitor.stop_requested();
  if (best) weights = std::move(*best);
  SectionWriter out;
  tasks::save_bracket_model(
      {type, options.longest, weights, job.training.state, job.values.text("weight-bits") == "16" ? 16 : 32},
      out);
  job.training.labels = labels;
  ESPALIER_TRY(job.save(out));
  job.report.weights = 2 * job.training.state.size();
  return {};
}

}  // namespace espalier::model
