// Part of training.h: checkpoints of a cascade in training. A filter is saved with its held-out copies, from
// which the lattices of the next level are rebuilt; the last level is saved after each pass. Tested in
// train_test.cc.
#include "espalier/base/text/format.h"
#include "espalier/cascade/training/checkpoint.h"
#include "espalier/cascade/training/training.h"

namespace espalier::cascade {

namespace {
std::string filter_prefix(size_t index) { return fmt::format("f{}", index + 1); }
constexpr const char* kLastPrefix = "last";
}  // namespace

bool CascadeTraining::was_trained(size_t index) const {
  return context_.resume != nullptr && context_.resume->has(filter_prefix(index) + ".report");
}

Result<CascadeTraining::Filters> CascadeTraining::load_filter(size_t index, Level& level) const {
  const SectionFile& file = *context_.resume;
  const std::string prefix = filter_prefix(index);
  ESPALIER_ASSIGN(level.report, load_report(file, prefix));
  if (level.report.order != options_.orders[index])
    return fail("{}: level {} is of order {}, not {}", file.name(), index + 1, level.report.order,
                options_.orders[index]);
  level.alpha = level.report.alpha;
  level.weights = cascade_.layout.zeros(level.report.order);
  ESPALIER_TRY(load_weights(file, prefix, level.weights));
  Filters filters;
  for (size_t fold = 0; file.has(fmt::format("{}.{}.state", prefix, fold)); ++fold) {
    filters.held_out.push_back(cascade_.layout.zeros(level.report.order));
    ESPALIER_TRY(load_weights(file, fmt::format("{}.{}", prefix, fold), filters.held_out.back()));
  }
  if (filters.held_out.empty()) return fail("{}: level {} is not whole", file.name(), index + 1);
  return filters;
}

void CascadeTraining::save_progress(SectionWriter& out) const {
  for (size_t index = 0; index < held_out_.size(); ++index) {
    const std::string prefix = filter_prefix(index);
    save_report(cascade_.levels[index].report, prefix, out);
    save_weights(cascade_.levels[index].weights, prefix, out);
    for (size_t fold = 0; fold < held_out_[index].size(); ++fold)
      save_weights(held_out_[index][fold], fmt::format("{}.{}", prefix, fold), out);
  }
  out.add_text("notes", joined(cascade_.notes, "\n"));
}

std::function<void(SectionWriter&)> CascadeTraining::saver(int pass, const LevelLearner* learner) const {
  // The state in the middle of a pass is not one that an uninterrupted run would resume from.
  if (!context_.checkpoints || stopped()) return nullptr;
  return [this, pass, learner](SectionWriter& out) {
    save_progress(out);
    if (learner == nullptr) return;
    learner->save(kLastPrefix, out);
    out.add_array("last.pass", std::array<int32_t, 1>{pass});
  };
}

/// Takes the notes of the checkpoint in place of those so far.
Status CascadeTraining::load_notes() {
  ESPALIER_ASSIGN(const std::string_view notes, context_.resume->text("notes"));
  cascade_.notes.clear();
  for (size_t begin = 0; begin < notes.size();) {
    const size_t end = std::min(notes.find('\n', begin), notes.size());
    cascade_.notes.emplace_back(notes.substr(begin, end - begin));
    begin = end + 1;
  }
  return {};
}

Result<int> CascadeTraining::resume_last(LevelLearner& learner) {
  if (context_.resume == nullptr) return 0;
  const SectionFile& file = *context_.resume;
  if (!file.has("last.pass")) return 0;
  std::array<int32_t, 1> pass{};
  ESPALIER_TRY(load_into(file, "last.pass", pass));
  ESPALIER_TRY(learner.load(file, kLastPrefix));
  return pass.front();
}

LevelWeights CascadeTraining::start_of(size_t index) const {
  LevelWeights start = cascade_.layout.zeros(options_.orders[index]);
  if (context_.old != nullptr) {
    const size_t grams = start.gram.size();
    start = context_.old->levels[index];
    start.gram.resize(grams, 0.0f);  // levels before this one may have numbered more
  }
  start.cuts = cuts_;
  return start;
}

LevelLearner CascadeTraining::learner_of(size_t index, const LearnerOptions& options,
                                         std::span<const uint32_t> sequences, int passes,
                                         LevelLearner::Memory used) {
  LevelLearner learner(cascade_.layout, start_of(index), data_, lattices_, options, context_.workers,
                       context_.monitor, std::move(used));
  if (context_.old != nullptr) learner.fit_to_old(sequences, context_.old->old_counts, passes);
  return learner;
}

int CascadeTraining::warm_up(size_t index) const {
  if (filter_ != Filter::kCascade || context_.old != nullptr) return 0;
  return goes_on(index) ? (options_.warm_up + 1) / 2 : options_.warm_up;
}

LevelLearner CascadeTraining::filter_learner_of(size_t index, size_t fold, const LearnerOptions& options,
                                                std::span<const uint32_t> sequences,
                                                LevelLearner::Memory used) {
  if (!goes_on(index)) return learner_of(index, options, sequences, options_.filter_passes, std::move(used));
  LevelWeights start = start_of(index);
  start.state =
      fold < before_.size() ? std::move(before_[fold].state) : cascade_.levels[index - 1].weights.state;
  LevelLearner learner(cascade_.layout, std::move(start), data_, lattices_, options, context_.workers,
                       context_.monitor, std::move(used));
  learner.keep_start();
  return learner;
}

}  // namespace espalier::cascade
