// Phrases of one type by where they begin and end. Tested in apps/tests/tasks_test.sh and
// learner_test.cc.
#include <algorithm>
#include <set>

#include "espalier/base/text/format.h"
#include "espalier/model/learners/learners.h"
#include "espalier/model/training/best_round.h"
#include "espalier/tasks/structures/bracket_model.h"

namespace espalier::model {

namespace {

using constrain::Phrase;

struct BracketsOptions : CommonOptions {
  int passes = 12;
  tasks::BracketRegime training = tasks::BracketRegime::kGlobal;
  size_t longest = 40;
};

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
                job.request.train.front().name(), joined(types, ", "));
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

Status train_bracket_model(TrainingJob& job, const BracketsOptions& asked) {
  for (const float weight : job.training.data.weight)
    if (weight != 1) return fail("learner brackets takes no sequence weights other than 1");
  ESPALIER_ASSIGN(const std::string type, phrase_type(job));
  tasks::BracketOptions options;
  options.regime = asked.training;
  options.passes = asked.passes;
  options.longest = asked.longest;
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

  BestRound<tasks::BracketWeights> best(
      job, options.passes, [&](const tasks::BracketWeights& weights) -> Result<double> {
        tasks::PhraseScores counts;
        std::vector<float> opens, closes;
        for (size_t s = 0; s < job.dev.sequences.size(); ++s) {
          weights.score(job.dev.data, s, opens, closes);
          counts.add(tasks::phrases_of(job.dev.sequences[s], type),
                     constrain::best_phrases(opens, closes, options.longest));
        }
        return counts.f1();
      });
  options.round_ended = best.callback();
  ESPALIER_ASSIGN(tasks::BracketWeights last,
                  job.ended(Result<tasks::BracketWeights>(tasks::train_brackets(
                      job.training.data, job.training.state.size(), gold, options, job.monitor))));
  const tasks::BracketWeights weights = best.best_or(std::move(last));
  // What rounding would change is not measured here, so that 16 bits are taken only where asked for.
  const int bits = weight_bits(asked.weight_bits, job.report.interrupted, [] { return 1.0; });
  SectionWriter out;
  tasks::save_bracket_model({type, options.longest, weights, job.training.state, bits}, out);
  job.training.labels = labels;
  ESPALIER_TRY(job.save(out));
  job.report.weights = 2 * job.training.state.size();
  return {};
}

}  // namespace

std::unique_ptr<const LearnerSpec> brackets_learner() {
  using O = BracketsOptions;
  ParameterTable<O> table;
  table.whole("passes", &O::passes, {1, 1e6}, "passes over the training data");
  table.choice(
      "training", &O::training,
      {{"global", tasks::BracketRegime::kGlobal}, {"local", tasks::BracketRegime::kLocal}},
      "global: the classifiers are corrected where the phrases found are wrong; local: each where its "
      "own sign is");
  table.whole("longest", &O::longest, {1, 1e4}, "words of a phrase at most");
  add_common_parameters(table);
  return make_learner<O>(
      {.name = "brackets",
       .summary = "one averaged perceptron for where phrases begin, one for where they end, and the best "
                  "phrases that do not overlap; for task brackets",
       .kind = ModelKind::kBrackets,
       .starts_from_models = false,
       .keeps_checkpoints = false},
      std::move(table), {.train = train_bracket_model});
}

}  // namespace espalier::model
