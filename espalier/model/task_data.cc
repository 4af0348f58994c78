#include "espalier/model/task_data.h"

#include "espalier/data/formats/label_column.h"
#include "espalier/model/pipeline.h"
#include "espalier/model/registry.h"
#include "espalier/tasks/structures/json_tasks.h"
#include "espalier/tasks/structures/roles.h"
#include "espalier/tasks/trees/tree.h"

namespace espalier::model {
namespace {

/// Refuses sentences whose heads are no tree, with file and line.
class TreeCheckingReader final : public data::Reader {
 public:
  TreeCheckingReader(std::unique_ptr<data::Reader> inner, data::ReadOptions options)
      : inner_(std::move(inner)), options_(std::move(options)) {}

  Result<bool> next(data::Sequence& sequence) override {
    sequence_was_read_ = false;
    auto more = inner_->next(sequence);
    if (!more.ok() || !*more || sequence.empty()) return more;
    sequence_was_read_ = true;
    ESPALIER_ASSIGN(const std::vector<size_t> cells,
                    data::resolve_label_columns(options_, sequence.columns()));
    ESPALIER_TRY(with_file(*inner_, tasks::read_heads(sequence, cells.front(), heads_)));
    return true;
  }
  std::string_view name() const override { return inner_->name(); }
  bool would_wait() override { return inner_->would_wait(); }
  Status recover() override { return sequence_was_read_ ? Status() : inner_->recover(); }

 private:
  std::unique_ptr<data::Reader> inner_;
  data::ReadOptions options_;
  std::vector<uint32_t> heads_;
  bool sequence_was_read_ = false;
};

}  // namespace

Result<std::unique_ptr<data::Reader>> open_task_reader(const data::Source& source, std::string_view task,
                                                       const data::ReadOptions& options) {
  ESPALIER_ASSIGN(const Task* const found, find_task(task));
  if (found->json && !source.in_memory()) return tasks::open_json_task(source.name(), *found->json, options);
  ESPALIER_ASSIGN(auto reader, data::open_source(source, options));
  if (found->kind != TaskKind::kParse || !options.labels_required) return reader;
  return std::unique_ptr<data::Reader>(std::make_unique<TreeCheckingReader>(std::move(reader), options));
}

Result<std::vector<data::Sequence>> read_task_data(const std::vector<data::Source>& sources,
                                                   std::string_view task, const data::ReadOptions& options,
                                                   std::vector<const data::Source*>* origins) {
  std::vector<data::Sequence> out;
  for (const data::Source& source : sources) {
    ESPALIER_ASSIGN(const auto reader, open_task_reader(source, task, options));
    while (true) {
      data::Sequence sequence;
      ESPALIER_ASSIGN(const bool more, reader->next(sequence));
      if (!more) break;
      out.push_back(std::move(sequence));
      if (origins != nullptr) origins->push_back(&source);
    }
  }
  return out;
}

constrain::InstanceMaker instances_of_task(std::string_view task) {
  const auto found = find_task(task);
  if (!found.ok() || !(*found)->json) return constrain::instance_of_rows;
  return [json = *(*found)->json](const constrain::Constraints& constraints, const data::Sequence& sequence) {
    return tasks::instance_of_json(constraints, sequence, json);
  };
}

constrain::ConstraintScope shape_of_task(const ModelHeader& about, const data::LabelSet& labels) {
  const auto found = find_task(about.task);
  if (found.ok() && (*found)->json == tasks::JsonTask::kRoles) return tasks::role_shape(labels);
  constrain::ConstraintScope shape;
  shape.name = about.task;
  shape.neighbours = !found.ok() || (*found)->neighbours;
  shape.columns = about.reading.columns;
  if (about.outputs > 0) shape.length = about.outputs;
  return shape;
}

}  // namespace espalier::model
