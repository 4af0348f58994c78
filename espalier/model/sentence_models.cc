#include "espalier/model/sentence_models.h"

#include <algorithm>
#include <set>

#include "espalier/base/files/mapped_file.h"
#include "espalier/base/text/format.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/tasks/trees/tree_model.h"

namespace espalier::model {
namespace {

constexpr size_t kConlluColumns = 10, kForm = 1, kUpos = 3;
constexpr std::string_view kEmptyCell = "_";

/// The columns that a model looks at.
std::set<size_t> cells_of(const Model& model) {
  if (const auto* parser = model.as<tasks::TreePredictor>()) {
    std::set<size_t> out;
    for (const auto& cell : parser->settings().columns.cell)
      if (cell) out.insert(*cell);
    return out;
  }
  const std::vector<size_t>& columns = model.about().features.feature_columns;
  return {columns.begin(), columns.end()};
}

std::string sentence_model_section(size_t number) { return fmt::format("sentence-model.{}", number); }

}  // namespace

Status SentenceModels::add(std::vector<std::byte> bytes, const std::string& name) {
  Member member;
  ESPALIER_ASSIGN(Model model, Model::from_bytes(bytes, name));
  if (model.about().reading.format != data::Format::kConllu)
    return fail("{}: --parser takes models that were trained on CoNLL-U", name);
  if (model.labels().size() == 0 || model.predictor().label_columns() > 1)
    return fail("{}: --parser takes taggers of one column, and a parser as the last", name);
  if (!model.predictor().builds_trees()) {
    ESPALIER_ASSIGN(const auto cells, data::resolve_label_columns(model.about().reading, kConlluColumns));
    member.cell = cells.front();
  }
  std::vector<std::string> missing;
  for (const size_t cell : cells_of(model)) {
    const bool filled = cell == kForm || std::any_of(members_.begin(), members_.end(),
                                                     [&](const Member& m) { return m.cell == cell; });
    if (!filled) missing.push_back(fmt::format("{}", cell + 1));
  }
  if (!missing.empty())
    warnings_.push_back(fmt::format(
        "{} was trained on columns that it will find empty here ({}), which makes it worse; train it "
        "with --feature-columns and those alone that there are",
        name, joined(missing, ", ")));
  member.bytes = std::move(bytes);
  member.model = std::make_unique<const Model>(std::move(model));
  members_.push_back(std::move(member));
  return {};
}

Result<std::shared_ptr<const SentenceModels>> SentenceModels::open(const std::vector<std::string>& files) {
  auto out = std::make_shared<SentenceModels>();
  for (const std::string& file : files) {
    ESPALIER_ASSIGN(const MappedFile mapped, MappedFile::open(file));
    ESPALIER_TRY(out->add({mapped.bytes().begin(), mapped.bytes().end()}, file));
  }
  if (out->members_.empty() || !out->members_.back().model->predictor().builds_trees())
    return fail("{}: --parser needs a model of task parse as the last", files.empty() ? "" : files.back());
  return std::shared_ptr<const SentenceModels>(std::move(out));
}

Result<std::shared_ptr<const SentenceModels>> SentenceModels::load(const SectionFile& summariser) {
  if (!summariser.has(sentence_model_section(0))) return std::shared_ptr<const SentenceModels>();
  auto out = std::make_shared<SentenceModels>();
  for (size_t i = 0; summariser.has(sentence_model_section(i)); ++i) {
    ESPALIER_ASSIGN(const auto bytes, summariser.array<std::byte>(sentence_model_section(i)));
    ESPALIER_TRY(out->add({bytes.begin(), bytes.end()},
                          fmt::format("{}, section {}", summariser.name(), sentence_model_section(i))));
  }
  if (!out->members_.back().model->predictor().builds_trees())
    return fail("{}: the last of the sentence models is no parser", summariser.name());
  return std::shared_ptr<const SentenceModels>(std::move(out));
}

void SentenceModels::save(SectionWriter& out) const {
  for (size_t i = 0; i < members_.size(); ++i) out.add(sentence_model_section(i), members_[i].bytes);
}

Status SentenceModels::annotate(tasks::Cluster& cluster) const {
  std::vector<std::unique_ptr<data::Predictor::Scratch>> scratch;
  for (const Member& member : members_) scratch.push_back(member.model->predictor().make_scratch());
  data::Prediction prediction;
  data::Sequence sequence;
  std::vector<std::vector<std::string>> cells;
  for (tasks::ClusterSentence& sentence : cluster.sentences) {
    if (sentence.parsed || sentence.first == sentence.last) continue;
    cells.assign(sentence.last - sentence.first,
                 std::vector<std::string>(kConlluColumns, std::string(kEmptyCell)));
    for (size_t i = 0; i < cells.size(); ++i) {
      const tasks::ClusterToken& token = cluster.tokens[sentence.first + i];
      cells[i][0] = fmt::format_int(i + 1).str();
      cells[i][1] = token.text;
      if (sentence.tagged) cells[i][kUpos] = token.tag;
    }
    for (size_t m = 0; m < members_.size(); ++m) {
      const data::Predictor& predictor = members_[m].model->predictor();
      if (sentence.tagged && members_[m].cell == kUpos) continue;
      sequence.clear(kConlluColumns);
      for (const auto& row : cells) {
        sequence.begin_row({}, 1);
        for (const std::string& cell : row) sequence.add_cell(cell);
      }
      ESPALIER_TRY(predictor.predict(sequence, {}, {}, *scratch[m], prediction));
      for (size_t i = 0; i < cells.size(); ++i) {
        const std::string& label = predictor.labels().name(prediction.labels()[i]);
        tasks::ClusterToken& token = cluster.tokens[sentence.first + i];
        if (predictor.builds_trees()) {
          token.head = prediction.best.front().heads[i];
          token.relation = label;
        } else {
          cells[i][members_[m].cell] = label;
          if (members_[m].cell == kUpos) token.tag = label;
        }
      }
    }
    sentence.parsed = true;
  }
  return {};
}

}  // namespace espalier::model
