// Part of training_job.h: the training data, read and encoded, and what constraints say about it. On several
// ranks each reads its share of the files (file_shares.h), and labels and features are numbered as if one had
// read everything. Tested in train_test.cc and apps/tests/mpi_test.sh.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "espalier/base/text/counted.h"
#include "espalier/constrain/constrained_predictor.h"
#include "espalier/data/attribute_values.h"
#include "espalier/data/features/word_labels.h"
#include "espalier/model/task_data.h"
#include "espalier/model/training/file_shares.h"
#include "espalier/model/training/training_job.h"

namespace espalier::model {

namespace {

/// The size of each source, as rank 0 sees them.
Result<std::vector<uint64_t>> sizes_of(const std::vector<data::Source>& sources, const Team& team) {
  std::vector<uint64_t> sizes;
  for (const data::Source& source : sources) {
    if (!team.alone() && source.name() == "-" && !source.in_memory())
      return fail("standard input reaches one rank only; name files that all ranks can read");
    std::error_code unknown;  // reading will say what is wrong with the file
    const uint64_t bytes = source.in_memory() ? 1 : std::filesystem::file_size(source.name(), unknown);
    sizes.push_back(unknown ? 1 : bytes);
  }
  team.share(sizes);
  return sizes;
}

}  // namespace

/// What reading leaves behind, besides what the job keeps.
struct TrainingJob::Reading {
  std::unique_ptr<linear::DatasetBuilder> builder;
  bool begun = false;
  /// Where the labels of words are features: they are counted before anything is encoded.
  std::optional<data::WordLabels> word_labels;
  std::vector<data::Sequence> waiting;
  std::vector<data::Sequence> kept;  ///< what constraints speak about is known when all labels are
  std::vector<uint32_t> in_file;     ///< how many sequences each file has; 0 where this rank does not read it
  std::vector<std::pair<size_t, uint32_t>> places;  ///< of every sequence kept: its file, its number in there
  size_t file = 0;                                  ///< being read
  data::LargestValue largest_value;
};

/// The first sequence of the data decides what is a feature, on all ranks.
Status TrainingJob::begin_reading(const data::Sequence& first, Reading& reading) {
  if (task->json == tasks::JsonTask::kVariables) about.outputs = first.length();
  ESPALIER_TRY(prepare_features(first));
  ESPALIER_TRY(compare_columns());
  reading.begun = true;
  if (learns_word_labels()) {
    reading.word_labels.emplace(about.features.feature_columns.front());
  } else {
    begin_encoding(*extractor, reading);
  }
  return {};
}

/// Word labels are features of models that are trained in one piece, with all the data in memory.
bool TrainingJob::learns_word_labels() const {
  const ModelKind kind = learner->traits().kind;
  const DataNeeds needs = learner->needs();
  const bool words = learner->traits().word_labels || (request.word_labels && kind == ModelKind::kChain);
  const bool fits = needs.word_labels || (words && task->kind == TaskKind::kLabel && needs.features);
  return fits && data_team().alone() && request.memory == 0 && !request.start_from && !request.feature_text &&
         !about.features.attributes && about.features.degree == 1;
}

void TrainingJob::begin_encoding(const data::FeatureExtractor& from, Reading& reading) {
  linear::EncodeOptions options;
  options.cutoff = common().cutoff;
  options.names = common().names;
  options.features = learner->needs().features;
  options.memory = request.memory;
  options.monitor = &monitor;
  reading.builder = std::make_unique<linear::DatasetBuilder>(
      from, workers, options, request.start_from ? request.start_from->labels() : data::LabelSet());
}

/// Encodes what has been waiting for the labels of words.
Status TrainingJob::encode_waiting(Reading& reading) {
  if (!reading.word_labels) return {};
  if (std::optional<data::WordList> list = reading.word_labels->list()) {
    about.features.lists.push_back(std::move(*list));
    ESPALIER_ASSIGN(auto made, data::FeatureExtractor::make(about.features));
    extractor = std::make_unique<data::FeatureExtractor>(std::move(made));
    data::FeatureOptions training_options = about.features;
    training_options.labels_column = about.reading.columns;
    ESPALIER_ASSIGN(auto for_training, data::FeatureExtractor::make(training_options));
    training_extractor = std::make_unique<data::FeatureExtractor>(std::move(for_training));
  }
  begin_encoding(training_extractor ? *training_extractor : *extractor, reading);
  for (size_t s = 0; s < reading.waiting.size(); ++s) {
    ESPALIER_TRY(check_not_stopped());
    data::Sequence sequence = std::exchange(reading.waiting[s], {});
    if (training_extractor) sequence = reading.word_labels->with_labels_of_others(sequence);
    if (training_extractor && learner->needs().text) sequences[s] = sequence;
    reading.builder->add(std::move(sequence));
  }
  reading.waiting.clear();
  return {};
}

void TrainingJob::keep_sequence(data::Sequence sequence, Reading& reading) {
  thread_local std::vector<std::string_view> labels;
  labels.clear();
  for (size_t row = 0; row < sequence.length(); ++row)
    labels.push_back(sequence.has_labels() ? sequence.label(row) : data::kUnknownLabelText);
  scheme.add(labels);
  if (!request.dev.empty()) training_hashes_.insert(hash_of_text(sequence));
  if (request.constraints) reading.kept.push_back(sequence);
  if (learner->needs().text) sequences.push_back(sequence);
  if (reading.builder) {
    reading.builder->add(std::move(sequence));
    return;
  }
  reading.word_labels->add(sequence);
  reading.waiting.push_back(std::move(sequence));
}

Status TrainingJob::read_share(const FileShares& shares, Reading& reading) {
  Progress progress;
  progress.phase = "reading";
  const std::string& first_name = request.train.front().name();
  reading.in_file.assign(request.train.size(), 0);
  for (reading.file = 0; reading.file < request.train.size(); ++reading.file) {
    const bool mine = shares.reads(reading.file, data_team().rank());
    if (!mine && reading.begun) continue;  // the first sequence is for everybody
    const data::Source& source = request.train[reading.file];
    ESPALIER_ASSIGN(const auto reader, open_task_reader(source, request.task, request.reading));
    uint32_t number = 0;
    while (mine || !reading.begun) {
      data::Sequence sequence;
      ESPALIER_TRY(check_not_stopped());
      ESPALIER_ASSIGN(const bool more, reader->next(sequence));
      if (!more) break;
      if (sequence.empty()) continue;  // a predicate without candidates
      if (!reading.begun) ESPALIER_TRY(begin_reading(sequence, reading));
      if (task->json == tasks::JsonTask::kVariables && sequence.length() != about.outputs)
        return fail("{}:{}: {} variables here, {} in {}", source.name(), sequence.line(0), sequence.length(),
                    about.outputs, first_name);
      if (columns_of(sequence) != about.reading.columns)
        return fail("{}:{}: {} here, {} in {}", source.name(), sequence.line(0),
                    counted(columns_of(sequence), "column"), about.reading.columns, first_name);
      if (shares.keeps(reading.file, number, data_team().rank())) {
        reading.places.emplace_back(reading.file, number);
        origins.push_back(&source);
        reading.largest_value.look_at(sequence, source.name());
        keep_sequence(std::move(sequence), reading);
        if (reading.places.size() % 1024 == 0) {
          progress.done = static_cast<double>(reading.places.size());
          monitor.report(progress);
        }
      }
      ++number;
    }
    if (mine) reading.in_file[reading.file] = number;
  }
  if (!reading.begun) return fail("{}: no sequences", first_name);
  return encode_waiting(reading);
}

/// The number of every sequence that this rank has kept among those of all ranks: files come one after the
/// other, as if one rank had read them.
Result<std::vector<uint32_t>> TrainingJob::numbers_in_all(const Reading& reading) const {
  const Gathered<uint32_t> all = team.gather(reading.in_file);
  std::vector<uint32_t> before(request.train.size() + 1, 0);
  for (size_t file = 0; file < request.train.size(); ++file) {
    uint32_t count = 0;
    for (size_t r = 0; r < all.ranks(); ++r) {
      if (all[r][file] == 0) continue;
      if (count != 0 && count != all[r][file])
        return fail("{}: one rank finds {} sequences here, another {}; all must see the same file",
                    request.train[file].name(), count, all[r][file]);
      count = all[r][file];
    }
    before[file + 1] = before[file] + count;
  }
  std::vector<uint32_t> numbers;
  for (const auto& [file, number] : reading.places) numbers.push_back(before[file] + number);
  return numbers;
}

Status TrainingJob::read_training_data() {
  Reading reading;
  ESPALIER_ASSIGN(const std::vector<uint64_t> sizes, sizes_of(request.train, team));
  const Status read = read_share(FileShares(sizes, data_team().size()), reading);
  ESPALIER_TRY(team.agree(read, reading.file));
  const std::string& first_name = request.train.front().name();
  Progress progress;
  progress.phase = "numbering the features";
  monitor.report(progress);
  if (data_team().alone()) {
    try {
      training = reading.builder->finish();
    } catch (const linear::Stopped&) {  // which is said below
    }
  } else {
    ESPALIER_ASSIGN(std::vector<uint32_t> numbers, numbers_in_all(reading));
    training = reading.builder->finish(team, std::move(numbers));
    int64_t found[data::SchemeDetector::kCounts];
    scheme.to_counts(found);
    team.sum(found);
    scheme = data::SchemeDetector::from_counts(found);
  }
  reading.builder.reset();
  ESPALIER_TRY(check_not_stopped());
  if (training.labels.size() == 0)
    return fail("{}: every label is '_' (not known); there is nothing to learn from", first_name);
  if (training.labels.size() >= data::kNoLabel) return fail("more than 65,534 labels");
  if (std::string remark = reading.largest_value.remark(); !remark.empty()) warn(std::move(remark));
  report.sequences = training.data.all_sequences();
  report.tokens = training.data.all_tokens();
  report.ranks = static_cast<int>(team.size());
  about.training_sequences = report.sequences;
  about.training_tokens = report.tokens;
  if (request.start_from) {
    about.training_sequences += request.start_from->about().training_sequences;
    about.training_tokens += request.start_from->about().training_tokens;
    ESPALIER_TRY(compare_labels());
  }
  if (training.state_before_cutoff > training.state.size())
    report.notes.push_back(fmt::format("{} of {} features were seen fewer than {} times and dropped",
                                       training.state_before_cutoff - training.state.size(),
                                       training.state_before_cutoff, common().cutoff));
  ESPALIER_TRY(refine_labels());
  return resolve_constraints(reading.kept);
}

Status TrainingJob::resolve_constraints(const std::vector<data::Sequence>& kept) {
  if (!request.constraints) return {};
  ESPALIER_ASSIGN(constraints, request.constraints->resolve(about, training.labels));
  if (learner->traits().constraints == ConstraintUse::kRegular) ESPALIER_TRY(check_regular());
  for (const data::Sequence& sequence : kept)
    instances.push_back(instances_of_task(request.task)(*constraints, sequence));
  return check_contradictions();
}

Status TrainingJob::check_regular() const {
  if (!constraints || constrain::Compiled(*constraints).regular()) return {};
  return fail(
      "{}: learner {} sums over all labellings that satisfy the constraints, which only goes with regular "
      "ones; 'no overlap' and 'no embedding' are not. perceptron and svm take them",
      request.constraints->name, learner->traits().name);
}

Status TrainingJob::check_contradictions() const {
  if (request.allow_contradictions) return {};
  std::vector<int64_t> breaks(constraints->statements().size(), 0);
  int64_t contradicted = 0, checked = 0;
  for (size_t s = 0; s < instances.size(); ++s) {
    const std::span<const data::Label> gold = training.data.gold_of(s);
    if (std::find(gold.begin(), gold.end(), data::kNoLabel) != gold.end()) continue;
    const std::vector<size_t> broken = constraints->broken_constraints(instances[s], gold);
    for (const size_t c : broken) ++breaks[c];
    contradicted += broken.empty() ? 0 : 1;
    ++checked;
  }
  team.sum(breaks);
  contradicted = team.sum(contradicted);
  checked = team.sum(checked);
  if (2 * contradicted <= checked) return {};
  const size_t most = static_cast<size_t>(std::max_element(breaks.begin(), breaks.end()) - breaks.begin());
  return fail(
      "{}: {} of {} training sequences break a hard constraint ('{}' is broken by {}): is this the right "
      "file for these "
      "labels? --allow-contradictions trains all the same",
      request.constraints->name, contradicted, checked, constraints->statements()[most].name, breaks[most]);
}

}  // namespace espalier::model
