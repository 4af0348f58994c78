#include "espalier/model/training/tree_training.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "espalier/base/text/json.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/eval/attachment.h"
#include "espalier/model/training/best_round.h"
#include "espalier/tasks/trees/tree.h"
#include "espalier/tasks/trees/tree_model.h"
#include "espalier/tasks/trees/tree_training.h"

namespace espalier::model {
namespace {

using tasks::TreeField;

/// Whether some word of the training data has a value other than _ there.
bool has_values(const TrainingJob& job, size_t column) {
  for (const data::Sequence& sequence : job.sequences)
    for (size_t row = 0; row < sequence.length(); ++row)
      if (sequence.cell(row, column) != data::kUnknownLabelText) return true;
  return false;
}

/// Which columns the fields of the templates are. CoNLL-U has names for them; elsewhere the feature columns
/// are in the order word, tag, fine, lemma, feats. Columns without values are left out.
tasks::TreeColumns tree_columns(const TrainingJob& job) {
  tasks::TreeColumns out;
  const std::vector<size_t>& columns = job.about.features.feature_columns;
  if (job.about.reading.format == data::Format::kConllu) {
    constexpr TreeField kFields[] = {TreeField::kWord, TreeField::kLemma, TreeField::kTag, TreeField::kFine,
                                     TreeField::kFeats};
    for (const size_t c : columns)
      if (c >= 1 && c <= std::size(kFields)) out.cell[static_cast<size_t>(kFields[c - 1])] = c;
  } else {
    constexpr TreeField kFields[] = {TreeField::kWord, TreeField::kTag, TreeField::kFine, TreeField::kLemma,
                                     TreeField::kFeats};
    for (size_t i = 0; i < std::min(columns.size(), std::size(kFields)); ++i)
      out.cell[static_cast<size_t>(kFields[i])] = columns[i];
  }
  for (auto& cell : out.cell)
    if (cell && !has_values(job, *cell)) cell.reset();
  auto &tag = out.cell[static_cast<size_t>(TreeField::kTag)],
       &fine = out.cell[static_cast<size_t>(TreeField::kFine)];
  if (!tag) std::swap(tag, fine);
  return out;
}

/// A sentence of the data with its tree.
struct TreeData {
  tasks::TreeSentence sentence;
  std::vector<uint32_t> heads;
};

std::vector<TreeData> read_trees(const std::vector<data::Sequence>& sequences, size_t column,
                                 const tasks::TreeColumns& columns) {
  std::vector<TreeData> out(sequences.size());
  for (size_t s = 0; s < sequences.size(); ++s) {
    out[s].sentence.encode(sequences[s], columns);
    const Status read = tasks::read_heads(sequences[s], column, out[s].heads);
    ESPALIER_CHECK(read.ok());  // open_task_reader has seen to it
  }
  return out;
}

/// The relations of the job's data: names, those of words that are not the root, and that of roots.
void find_relations(TrainingJob& job, const std::vector<TreeData>& trees, bool labelled,
                    tasks::TreeSettings& settings) {
  if (!labelled) {
    job.training.labels = data::LabelSet();
    job.training.labels.add(data::kUnknownLabelText);
    settings.relations = {std::string(data::kUnknownLabelText)};
    settings.allowed = {0};
    return;
  }
  settings.relations = job.training.labels.names();
  std::vector<size_t> of_roots(settings.relations.size(), 0), of_others(settings.relations.size(), 0);
  for (size_t s = 0; s < trees.size(); ++s) {
    const std::span<const data::Label> gold = job.training.data.gold_of(s);
    for (size_t w = 0; w < gold.size(); ++w)
      if (gold[w] != data::kNoLabel) ++(trees[s].heads[w] == 0 ? of_roots : of_others)[gold[w]];
  }
  settings.root =
      static_cast<data::Label>(std::max_element(of_roots.begin(), of_roots.end()) - of_roots.begin());
  for (size_t r = 0; r < of_others.size(); ++r)
    if (of_others[r] > 0) settings.allowed.push_back(static_cast<data::Label>(r));
  if (settings.allowed.empty()) settings.allowed = {settings.root};
}

/// LAS on the development set, in percent.
double dev_las(const TrainingJob& job, const std::vector<TreeData>& dev, bool labelled,
               const tasks::TreeSystem& system, const tasks::TreeTables& tables,
               const tasks::TreeDecoding& how) {
  constexpr size_t kPieces = 16;
  std::vector<eval::AttachmentScores> scores(kPieces);
  job.workers.for_each(kPieces, [&](size_t piece) {
    tasks::TreeBuffers buffers;
    std::vector<std::string_view> gold, found;
    const Range range = piece_of(dev.size(), kPieces, piece);
    for (size_t s = range.first; s < range.last && !job.monitor.stop_requested(); ++s) {
      buffers.sentence = dev[s].sentence;
      parse_sentence(system, tables, how, buffers);
      gold.clear();
      found.clear();
      for (size_t w = 0; w < dev[s].heads.size(); ++w) {
        found.push_back(job.training.labels.name(buffers.best[0].relations[w]));
        gold.push_back(labelled ? job.dev.sequences[s].label(w) : found.back());
      }
      scores[piece].add(dev[s].heads, gold, buffers.best[0].heads, found);
    }
  });
  for (size_t p = 1; p < kPieces; ++p) scores[0].merge(scores[p]);
  return scores[0].las();
}

/// Fits settings.sharpness and settings.calibration on sentences that were not
/// trained on: the development data, or, where there are none, a tenth of the
/// training data, with a second parser that learns from the rest.
Status fit_confidence(TrainingJob& job, const tasks::TreeSystem& system, const tasks::TreeTables& tables,
                      const tasks::TreeTrainingOptions& training,
                      const std::vector<tasks::TreeExample>& examples,
                      const std::vector<tasks::TreeExample>& unseen, tasks::TreeSettings& settings) {
  const auto fit = [&](const tasks::TreeTables& by, const std::vector<tasks::TreeExample>& on) {
    settings.sharpness = tasks::fit_sharpness(system, by, on);
    settings.calibration = tasks::fit_arc_calibration(
        system, by,
        {std::max(settings.beam, tasks::kUsualTreeBeam), false, 1, settings.levels, settings.sharpness}, on);
  };
  constexpr size_t kFolds = 10;
  if (!unseen.empty()) {
    fit(tables, unseen);
  } else if (examples.size() >= 2 * kFolds && !job.monitor.stop_requested()) {
    std::vector<tasks::TreeExample> rest, held_out;
    for (size_t s = 0; s < examples.size(); ++s)
      (s % kFolds == kFolds - 1 ? held_out : rest).push_back(examples[s]);
    ESPALIER_ASSIGN(const tasks::TreeTables second,
                    tasks::train_trees(system, rest, training, {job.monitor, {}}));
    fit(second, held_out);
  } else {
    // On data that it has seen a parser looks surer than it is: half of what
    // fits there is about right.
    settings.sharpness = tasks::fit_sharpness(system, tables, examples) / 2;
  }
  return {};
}

}  // namespace

Status train_tree_model(TrainingJob& job, const SearchLearnerOptions& asked,
                        const tasks::SearchOptions& options) {
  for (const float weight : job.training.data.weight)
    if (weight != 1) return fail("task parse takes no sequence weights other than 1");
  if (job.about.reading.columns == 0) return fail("task parse needs columns, but the data have attributes");
  if (job.label_cells.size() > 2)
    return fail("task parse takes two label columns, the head and the relation, not {}",
                job.label_cells.size());
  const bool labelled = job.label_cells.size() == 2;
  tasks::TreeSettings settings;
  settings.swap = asked.swap;
  settings.columns = tree_columns(job);
  settings.beam = beam_of(asked, TaskKind::kParse);
  settings.best_first = searches_best_first(asked) && settings.beam > 1;
  settings.levels =
      asked.learner == tasks::SearchLearner::kLasoBr || asked.learner == tasks::SearchLearner::kIncremental;
  settings.templates = tasks::default_tree_templates();
  if (job.request.feature_text) {
    settings.templates = job.request.feature_text->text;
    settings.template_name = job.request.feature_text->name;
    settings.skip_missing = false;
  }
  std::vector<TreeData> trees = read_trees(job.sequences, job.label_cells.front(), settings.columns);
  const std::vector<TreeData> dev = read_trees(job.dev.sequences, job.label_cells.front(), settings.columns);
  find_relations(job, trees, labelled, settings);
  ESPALIER_ASSIGN(const tasks::TreeSystem system, settings.system());

  std::vector<tasks::TreeExample> examples(trees.size());
  size_t crossing = 0;
  for (size_t s = 0; s < trees.size(); ++s) {
    std::vector<data::Label> relations(trees[s].heads.size(), 0);
    if (labelled) {
      const std::span<const data::Label> gold = job.training.data.gold_of(s);
      relations.assign(gold.begin(), gold.end());
    }
    std::vector<uint32_t> heads = std::move(trees[s].heads);
    if (!settings.swap && !tasks::is_projective(heads)) {
      ++crossing;
      heads = tasks::made_projective(std::move(heads));
    }
    examples[s].sentence = std::move(trees[s].sentence);
    examples[s].gold = tasks::GoldTree::make(heads, std::move(relations), settings.swap);
  }
  if (crossing > 0)
    job.report.notes.push_back(fmt::format(
        "{} of {} trees have crossing arcs, which were moved up; system=swap learns them as they are",
        crossing, trees.size()));

  tasks::TreeTrainingOptions training;
  training.learner = asked.learner;
  training.passes = options.passes;
  training.laso = options.laso;
  training.incremental = options.incremental;
  training.average = options.average;
  training.seed = options.seed;
  // Single decisions become probabilities by a softmax, and arcs of a beam get
  // confidences, both fitted on sentences that were not trained on.
  std::vector<tasks::TreeExample> unseen;
  for (size_t s = 0; s < dev.size(); ++s) {
    std::vector<data::Label> relations(dev[s].heads.size(), 0);
    for (size_t w = 0; labelled && w < relations.size(); ++w)
      relations[w] = job.training.labels.find(job.dev.sequences[s].label(w)).value_or(data::kNoLabel);
    const std::vector<uint32_t> heads = settings.swap ? dev[s].heads : tasks::made_projective(dev[s].heads);
    unseen.push_back({dev[s].sentence, tasks::GoldTree::make(heads, std::move(relations), settings.swap)});
  }
  const bool searn = asked.learner == tasks::SearchLearner::kSearn;
  BestRound<tasks::TreeTables> best(
      job, options.passes, [&](const tasks::TreeTables& tables) -> Result<double> {
        const bool fits = searn && settings.beam > 1 && !unseen.empty();
        const float fitted = fits ? tasks::fit_sharpness(system, tables, unseen) : 0;
        return dev_las(job, dev, labelled, system, tables,
                       {settings.beam, settings.best_first, 1, settings.levels, fitted});
      });
  ESPALIER_ASSIGN(tasks::TreeTables last,
                  job.ended(tasks::train_trees(system, examples, training, {job.monitor, best.callback()})));
  const tasks::TreeTables tables = best.best_or(std::move(last));
  if (searn) ESPALIER_TRY(fit_confidence(job, system, tables, training, examples, unseen, settings));
  SectionWriter out;
  tasks::save_tree_model(settings, tables, out);
  ESPALIER_TRY(job.save(out));
  job.report.features = tables.features();
  job.report.weights = tables.weights();
  return {};
}

}  // namespace espalier::model
