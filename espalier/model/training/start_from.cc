// Part of training_job.h: what a run takes from the model that it trains further. Tested in
// start_from_test.cc.
#include <algorithm>

#include "espalier/base/text/counted.h"
#include "espalier/base/text/format.h"
#include "espalier/cascade/model/model.h"
#include "espalier/chain/learners/adagrad.h"
#include "espalier/chain/model/model.h"
#include "espalier/model/training/training_job.h"
#include "espalier/tasks/search_model.h"

namespace espalier::model {

namespace {
/// The first few, for a message.
std::string some_of(const std::vector<std::string>& names) {
  constexpr size_t kFew = 5;
  const size_t shown = std::min(kFew, names.size());
  std::string text = joined(std::span(names).first(shown), ", ");
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}
}  // namespace

/// In rows with other columns than in its training, a model could take one column for another, or the label for
/// a feature. Rows may lack columns that it does not read, as tagging allows (`least_columns`).
Status TrainingJob::compare_columns() const {
  if (!request.start_from || !about.reading.label_column.empty()) return {};
  const data::ReadOptions& before = request.start_from->about().reading;
  if (before.format != about.reading.format || before.columns == about.reading.columns) return {};
  if (!about.features.attributes && about.reading.columns < before.columns && before.least_columns > 0 &&
      std::ranges::all_of(label_cells, [&](size_t cell) { return cell >= before.least_columns; }))
    return {};
  return fail(
      "{}: rows of {}, but the model {} was trained on rows of {}; --label-column and --feature-columns say "
      "which are meant",
      request.train.front().name(), counted(about.reading.columns, "column"),
      request.start_from->file().name(), counted(before.columns, "column"));
}

/// A model that knows none of the labels has nothing to start from.
Status TrainingJob::compare_labels() {
  const size_t before = request.start_from->labels().size();
  std::vector<bool> occurs(training.labels.size(), false);
  for (const data::Label label : training.data.gold)
    if (label != data::kNoLabel) occurs[label] = true;
  const auto old_end = occurs.begin() + static_cast<ptrdiff_t>(before);
  const auto known = static_cast<size_t>(std::count(occurs.begin(), old_end, true));
  const auto fresh = static_cast<size_t>(std::count(old_end, occurs.end(), true));
  const std::string& name = request.start_from->file().name();
  if (known == 0 && fresh > 0)
    return fail(
        "{}: the model knows none of the {} labels of {} (its own are {}); nothing can be learned from it",
        name, fresh, request.train.front().name(), some_of(request.start_from->labels().names()));
  if (known < fresh)
    report.notes.push_back(
        fmt::format("{} knows only {} of the {} labels of the data: is it a model for this task?", name,
                    known, known + fresh));
  return {};
}

data::Scheme TrainingJob::label_scheme() const {
  if (!request.start_from) return scheme.scheme();
  for (const std::string& label : training.labels.names())
    if (!data::parse_label(label)) return data::Scheme::kNone;
  const data::Scheme old = request.start_from->scheme();
  return old == data::Scheme::kNone ? scheme.scheme() : old;
}

double TrainingJob::learned_tokens() const {
  if (!request.start_from) return 0;
  // A model that does not say, an imported one for example, counts as much as the new data.
  const size_t before = request.start_from->about().training_tokens;
  return static_cast<double>(before > 0 ? before : report.tokens);
}

double TrainingJob::old_counts() const {
  return chain::old_counts(learned_tokens(), static_cast<double>(report.tokens));
}

}  // namespace espalier::model
