// What TrainingJob warns of before training begins. Tested in apps/tests/log_test.sh and
// apps/tests/many_labels_test.sh.
#include "espalier/base/hash.h"
#include "espalier/model/training/training_job.h"

namespace espalier::model {

uint64_t hash_of_text(const data::Sequence& sequence) {
  uint64_t hash = sequence.length();
  for (size_t row = 0; row < sequence.length(); ++row) {
    for (size_t c = 0; c < sequence.columns(); ++c)
      hash = hash_combine(hash, hash_bytes(sequence.cell(row, c)));
    for (size_t i = 0; i < sequence.attribute_count(row); ++i)
      hash = hash_combine(hash, hash_bytes(sequence.attribute(row, i).name));
    if (sequence.has_labels()) hash = hash_combine(hash, hash_bytes(sequence.label(row)));
  }
  return hash;
}

void TrainingJob::warn(std::string text) {
  Progress progress;
  progress.warning = text;
  monitor.report(progress);
  report.notes.push_back(std::move(text));
}

void TrainingJob::warn_of_odd_dev_data() {
  if (request.dev.empty()) return;
  size_t known = 0, labelled = 0, repeated = 0;
  std::vector<int64_t> found;  // on any rank
  for (const data::Sequence& sequence : dev.sequences)
    found.push_back(training_hashes_.contains(hash_of_text(sequence)) ? 1 : 0);
  data_team().sum(found);
  for (const int64_t times : found) repeated += times > 0 ? 1 : 0;
  for (const data::Sequence& sequence : dev.sequences) {
    for (size_t row = 0; row < sequence.length() && sequence.has_labels(); ++row) {
      if (sequence.label(row) == data::kUnknownLabelText) continue;
      ++labelled;
      known += training.labels.find(sequence.label(row)).has_value();
    }
  }
  training_hashes_.clear();
  const std::string& name = request.dev.front().name();
  if (2 * repeated > dev.sequences.size())
    warn(fmt::format(
        "{}: {} of {} development sequences are also in the training data, so that the score on them "
        "says nothing about new text",
        name, repeated, dev.sequences.size()));
  if (labelled > 0 && known == 0 && label_cells.size() <= 1)
    warn(fmt::format("{}: no label here occurs in the training data; is the label column the right one?",
                     name));
}

}  // namespace espalier::model
