// Part of training_job.h: what a run writes and reads again, the model and its checkpoints. Rank 0 does it
// for all. Tested in train_test.cc and apps/tests/mpi_test.sh.
#include <filesystem>

#include "espalier/model/training/training_job.h"

namespace espalier::model {

/// Opens what was written, or is about to be, as a user would.
Status TrainingJob::keep(Result<Model> opened) {
  if (!opened.ok())
    return fail("training has diverged: it ended with a model that cannot be used, and none was written: {}",
                opened.error().message);
  saved = std::move(opened).value();
  return {};
}

Status TrainingJob::write_model(const SectionWriter& sections) {
  if (request.model.empty()) {
    const std::vector<std::byte> bytes = sections.to_bytes();
    report.model_bytes = bytes.size();
    return keep(Model::from_bytes(bytes, "model"));
  }
  // The file that was opened here and the one that it becomes are the same.
  ESPALIER_TRY(sections.save(
      request.model, [&](const std::string& written) { return keep(Model::open(written, request.model)); }));
  if (!saved)
    ESPALIER_TRY(keep(Model::from_bytes(sections.to_bytes(), request.model)));  // a pipe or a device
  std::error_code ignored;
  report.model_bytes = std::filesystem::file_size(request.model, ignored);
  return {};
}

Status TrainingJob::save(SectionWriter& sections) {
  report.interrupted = report.interrupted || monitor.stop_requested();
  about.task = request.task;
  about.learner = request.learner;
  about.seed = request.seed;
  about.parameters.clear();
  for (const auto& [name, value] : learner->texts()) about.parameters.emplace_back(name, value);
  sections.add_text("about", header_to_json(about));
  if (request.constraints) sections.add_text(kConstraintSection, request.constraints->to_json());
  ESPALIER_TRY(team.agree(team.first() ? write_model(sections) : Status()));
  if (!team.alone()) {
    std::vector<std::byte> bytes;
    if (team.first()) bytes = sections.to_bytes();
    team.share(bytes);
    if (!team.first()) ESPALIER_TRY(keep(Model::from_bytes(bytes, request.model)));
  }
  report.features = training.state.size() + training.edge.size();
  report.labels = training.labels.plain().size();
  return {};
}

std::string TrainingJob::fingerprint() const {
  std::string text =
      fmt::format("{} {} {} {} {} {} {}", request.learner, request.seed, about.training_sequences,
                  about.training_tokens, training.labels.size(), training.state.size(), training.edge.size());
  for (const auto& [name, value] : learner->texts()) text += fmt::format(" {}={}", name, value);
  if (request.constraints) text += " " + request.constraints->to_json();
  return text;
}

Status TrainingJob::save_checkpoint(const RoundEnd& round) const {
  SectionWriter sections;
  round.save(sections);
  sections.add_text("fingerprint", fingerprint());
  return sections.save(checkpoint_path());
}

Result<std::optional<SectionFile>> TrainingJob::checkpoint_to_resume() const {
  if (!request.resume) return std::optional<SectionFile>();
  // Rank 0 reads the file, as it has written it: others may not see its disk.
  Result<SectionFile> opened =
      team.first() ? SectionFile::open(checkpoint_path()) : fail("rank 0 has the checkpoint");
  ESPALIER_TRY(team.agree(team.first() && !opened.ok() ? Status(opened.error()) : Status()));
  if (!team.alone()) {
    std::vector<std::byte> bytes;
    if (team.first()) {
      SectionWriter copy;
      for (const SectionFile::Entry& entry : opened->entries()) copy.add(entry.name, entry.bytes);
      bytes = copy.to_bytes();
    }
    team.share(bytes);
    if (!team.first()) opened = SectionFile::from_bytes(bytes, checkpoint_path());
  }
  ESPALIER_ASSIGN(SectionFile file, std::move(opened));
  ESPALIER_ASSIGN(const std::string_view made_for, file.text("fingerprint"));
  if (made_for != fingerprint())
    return fail("{}: the checkpoint belongs to a run with other data, learner, parameters or seed",
                checkpoint_path());
  return std::optional<SectionFile>(std::move(file));
}

void TrainingJob::drop_checkpoint() const {
  std::error_code ignored;
  if (!report.interrupted && team.first()) std::filesystem::remove(checkpoint_path(), ignored);
}

}  // namespace espalier::model
