#include "espalier/model/tag_format.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>

#include "espalier/base/stop_scope.h"
#include "espalier/base/text/format.h"
#include "espalier/base/text/json.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/data/input_map.h"
#include "espalier/data/label_scheme.h"
#include "espalier/model/extra_values.h"
#include "espalier/model/json_text.h"
#include "espalier/model/registry.h"
#include "espalier/model/summary_format.h"
#include "espalier/tasks/structures/json_tasks.h"

namespace espalier::model {

std::string_view search_end_name(data::SearchEnd end) {
  static constexpr std::string_view kNames[] = {"exact", "approximate", "out of steps"};
  return kNames[static_cast<size_t>(end)];
}

namespace {

constexpr std::string_view kNothing = "_";
constexpr size_t kConlluHead = 6;
constexpr size_t kNoConlluColumn = data::kConlluColumns;  // of a label that MISC has

void append_probability(double probability, std::string& out) { append_format(out, "{:.4f}", probability); }

/// Labels of a row by decreasing probability; ties go to the lower number.
void sort_by_probability(std::span<const float> row, std::vector<size_t>& order) {
  order.resize(row.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return row[a] > row[b]; });
}

std::optional<tasks::JsonTask> json_task_of(std::string_view name) {
  const auto task = model::find_task(name);
  return task.ok() ? (*task)->json : std::nullopt;
}

}  // namespace

size_t word_column(const ModelHeader& about) {
  return about.features.feature_columns.empty() ? 0 : about.features.feature_columns.front();
}

size_t label_column_number(const ModelHeader& about, size_t column) {
  const auto cells = data::resolve_label_columns(about.reading, about.reading.columns);
  return cells.ok() && column < cells->size() ? (*cells)[column] + 1 : column + 1;
}

TagFormatter::TagFormatter(const Model& model, data::Writer writer, data::Format out, const TagLayout& layout)
    : writer_(std::move(writer)),
      json_task_(json_task_of(model.about().task)),
      layout_(layout),
      labels_(model.labels().names().begin(), model.labels().names().end()),
      spans_(data::detect_scheme(model.labels()) != data::Scheme::kNone),
      marginals_apart_(out == data::Format::kColumns || out == data::Format::kLetters ||
                       out == data::Format::kScores),
      word_(word_column(model.about())) {
  if (layout.confidence) {
    extra_names_.push_back("confidence");
    if (spans_) extra_names_.push_back("span");
  }
  if (layout.why) extra_names_.push_back("why");
  if (layout.marginals && !marginals_apart_) extra_names_.push_back("marginals");
  if (layout.marginals && marginals_apart_) {
    for (size_t i = 1; i <= labels_.size(); ++i) marginal_names_.push_back(fmt::format("p{}", i));
    extra_names_.insert(extra_names_.end(), marginal_names_.begin(), marginal_names_.end());
  }
}

Result<TagFormatter> TagFormatter::make(const Model& model, const data::ReadOptions& in, data::Format out,
                                        const TagLayout& layout) {
  ESPALIER_ASSIGN(data::Writer writer, data::Writer::make(in, out));
  const data::Predictor& predictor = model.predictor();
  const bool joint = predictor.label_columns() > 1;
  if (joint && !layout.json && out != in.format)
    return fail("a model of several label columns writes the format of its input ({}) or --json, not {}",
                data::format_name(in.format), data::format_name(out));
  TagFormatter formatter(model, std::move(writer), out, layout);
  if (in.text || in.format != model.about().reading.format)
    formatter.word_ = data::InputMap::word_cell(in.format);  // not where training had it
  if (predictor.builds_trees()) {
    if (in.text || in.format != model.about().reading.format)
      return fail("a parser reads the format that it was trained on, {}",
                  data::format_name(model.about().reading.format));
    if (!layout.json && out != in.format)
      return fail("a parser writes the format of its input ({}) or --json, not {}",
                  data::format_name(in.format), data::format_name(out));
    formatter.trees_ = true;
    formatter.unlabelled_ = !data::several_label_columns(model.about().reading);
    if (!formatter.unlabelled_) formatter.other_cells_ = {kConlluHead};  // columns take any
  }
  if (joint) {
    ESPALIER_ASSIGN(auto cells, data::resolve_label_columns(in, in.columns));
    cells.pop_back();
    formatter.set_other_labels(predictor, std::move(cells));
  }
  return formatter;
}

Result<TagFormatter> TagFormatter::make_for_pipeline(const Model& last, const data::Predictor& pipeline,
                                                     const std::vector<Stage>& stages,
                                                     const data::ReadOptions& in, data::Format out,
                                                     const TagLayout& layout) {
  const auto has_rows = [](data::Format format) {
    return format == data::Format::kColumns || format == data::Format::kConllu;
  };
  if (!layout.json && (!has_rows(out) || !has_rows(in.format)))
    return fail(
        "a pipeline writes columns, conllu (from columns, conllu or raw text) or --json, not {} from {}",
        data::format_name(out), data::format_name(in.format));
  ESPALIER_ASSIGN(data::Writer writer, data::Writer::make(in, out));
  const bool conllu = !layout.json && out == data::Format::kConllu;
  if (conllu) writer.put_label(stages.back().conllu_column);
  TagFormatter formatter(last, std::move(writer), out, layout);
  formatter.word_ = data::InputMap::word_cell(in.format);
  // Their numbers do not matter: columns take them in their order.
  std::vector<size_t> cells(pipeline.label_columns() - 1);
  std::iota(cells.begin(), cells.end(), size_t{0});
  formatter.set_other_labels(pipeline, std::move(cells));
  for (size_t c = 0; c < stages.size() && conllu; ++c) {
    if (c + 1 < stages.size()) formatter.other_cells_[c] = stages[c].conllu_column.value_or(kNoConlluColumn);
    if (stages[c].conllu_column) continue;
    formatter.misc_columns_.push_back(c);
    formatter.misc_names_.push_back(stages[c].name);
  }
  formatter.extra_names_.insert(formatter.extra_names_.begin(), formatter.misc_names_.begin(),
                                formatter.misc_names_.end());
  return formatter;
}

void TagFormatter::set_other_labels(const data::Predictor& predictor, std::vector<size_t> cells) {
  other_cells_ = std::move(cells);
  for (size_t c = 0; c + 1 < predictor.label_columns(); ++c) {
    const auto& names = predictor.labels_of_column(c).names();
    other_labels_.emplace_back(names.begin(), names.end());
  }
}

void TagFormatter::append(const data::Sequence& sequence, const data::Prediction& prediction,
                          std::string& out) const {
  if (layout_.json) return append_json(sequence, prediction, out);
  append_rows(sequence, prediction, out);
}

void TagFormatter::append_rows(const data::Sequence& sequence, const data::Prediction& prediction,
                               std::string& out) const {
  // Threads are reused, so buffers are kept from call to call.
  thread_local std::vector<std::string_view> names, other_names;
  thread_local std::vector<std::string> heads;
  const auto name_labels = [&](const data::Labelling& labelling) {
    names.clear();
    for (const data::Label label : labelling.labels) names.push_back(labels_[label]);
    other_names.clear();
    for (size_t row = 0; row < labelling.labels.size(); ++row)
      for (size_t c = 0; c < other_labels_.size(); ++c)
        other_names.push_back(other_labels_[c][labelling.others[c][row]]);
    if (trees_) {
      heads.clear();
      for (const uint32_t head : labelling.heads) heads.push_back(fmt::format_int(head).str());
      (unlabelled_ ? names : other_names).assign(heads.begin(), heads.end());
    }
    return data::OtherLabels{other_cells_, other_names};
  };
  thread_local ExtraValues extra;
  extra.clear();
  const auto add_misc_labels = [&](size_t row) {
    for (const size_t c : misc_columns_)
      extra.add(c < other_cells_.size() ? other_names[row * other_cells_.size() + c] : names[row]);
  };
  if (layout_.nbest) {
    for (size_t k = 0; k < prediction.best.size() && !StopScope::wanted(); ++k) {
      const data::Labelling& labelling = prediction.best[k];
      append_format(out, "# n-best {} score {:.6g}", k + 1, labelling.score);
      if (std::isfinite(labelling.probability))
        append_format(out, " probability {:.6g}", labelling.probability);
      out.push_back('\n');
      const data::OtherLabels others = name_labels(labelling);
      if (json_task_ == tasks::JsonTask::kSummary) {
        tasks::append_json_task(sequence, *json_task_, names, {}, out);
        continue;
      }
      extra.clear();
      for (size_t row = 0; row < sequence.length(); ++row) add_misc_labels(row);
      writer_.append(sequence, names, {std::span(extra_names_).first(misc_columns_.size()), extra.values()},
                     others, out);
    }
    return;
  }
  const data::OtherLabels others = name_labels(prediction.best.front());
  if (extra_names_.empty()) {
    if (json_task_) return tasks::append_json_task(sequence, *json_task_, names, {}, out);
    return writer_.append(sequence, names, {}, others, out);
  }

  thread_local std::vector<size_t> order;
  size_t span = 0;
  for (size_t row = 0; row < sequence.length(); ++row) {
    add_misc_labels(row);
    if (layout_.confidence) {
      append_probability(prediction.confidence[row], extra.text());
      extra.end_field();
    }
    if (layout_.confidence && spans_) {
      while (span < prediction.spans.size() && prediction.spans[span].first < row) ++span;
      const bool begins = span < prediction.spans.size() && prediction.spans[span].first == row;
      if (begins) append_probability(prediction.spans[span].probability, extra.text());
      if (!begins) extra.text() += kNothing;
      extra.end_field();
    }
    if (layout_.why) {
      append_reasons(prediction, row, extra.text());
      extra.end_field();
    }
    if (!layout_.marginals) continue;
    const std::span<const float> marginals(prediction.marginals.data() + row * labels_.size(),
                                           labels_.size());
    sort_by_probability(marginals, order);
    for (size_t i = 0; i < order.size(); ++i) {
      if (!marginals_apart_ && i > 0) extra.text().push_back(',');
      extra.text().append(labels_[order[i]]).push_back(':');
      append_probability(marginals[order[i]], extra.text());
      if (marginals_apart_) extra.end_field();
    }
    if (!marginals_apart_) extra.end_field();
  }
  const data::ExtraFields fields{extra_names_, extra.values()};
  if (json_task_) return tasks::append_json_task(sequence, *json_task_, names, fields, out);
  writer_.append(sequence, names, fields, others, out);
}

void TagFormatter::append_reasons(const data::Prediction& prediction, size_t row, std::string& out) const {
  if (prediction.constraints)
    for (const auto& change : prediction.constraints->changes) {
      if (change.row != row) continue;
      out += labels_[change.before];
      for (const auto& reason : change.reasons) {
        // Fields are separated by blanks, names given by number have one ("line 3").
        std::string name = reason.constraint;
        std::replace(name.begin(), name.end(), ' ', '-');
        append_format(out, "/{}:{:.4g}", name, reason.price);
      }
      return;
    }
  out += kNothing;
}

void TagFormatter::append_effect_json(const data::ConstraintEffect& effect, std::string& out) const {
  static constexpr std::string_view kOutcomes[] = {"exact", "approximate", "infeasible", "out of time"};
  out += ",\"constraints\":{\"outcome\":";
  append_json_string(kOutcomes[static_cast<size_t>(effect.outcome)], out);
  if (!effect.clash.empty()) {
    out += ",\"clash\":";
    append_json_array(effect.clash.size(), out, [&](size_t i) { append_json_string(effect.clash[i], out); });
  }
  if (layout_.why) {
    out += ",\"price\":";
    append_json_number(effect.price, out);
    out += ",\"changes\":";
    append_json_array(effect.changes.size(), out, [&](size_t i) {
      const auto& change = effect.changes[i];
      append_format(out, "{{\"token\":{},\"before\":", change.row);
      append_json_string(labels_[change.before], out);
      out += ",\"because\":";
      append_json_array(change.reasons.size(), out, [&](size_t r) {
        out += "{\"constraint\":";
        append_json_string(change.reasons[r].constraint, out);
        out += ",\"price\":";
        append_json_number(change.reasons[r].price, out);
        out.push_back('}');
      });
      out.push_back('}');
    });
  }
  out.push_back('}');
}

void TagFormatter::append_labelling_json(const data::Labelling& labelling, std::string& out) const {
  out += "\"labels\":";
  append_json_array(labelling.labels.size(), out,
                    [&](size_t i) { append_json_string(labels_[labelling.labels[i]], out); });
  if (!other_labels_.empty()) {
    out += ",\"others\":";
    append_json_array(other_labels_.size(), out, [&](size_t c) {
      append_json_array(labelling.labels.size(), out,
                        [&](size_t i) { append_json_string(other_labels_[c][labelling.others[c][i]], out); });
    });
  }
  if (trees_) {
    out += ",\"heads\":";
    append_json_array(labelling.heads.size(), out,
                      [&](size_t i) { append_format(out, "{}", labelling.heads[i]); });
  }
  out += ",\"score\":";
  append_json_number(labelling.score, out);
  if (layout_.confidence || layout_.nbest) {
    out += ",\"probability\":";
    append_json_number(labelling.probability, out);
  }
}

void TagFormatter::append_marginals_json(const data::Prediction& prediction, std::string& out) const {
  std::vector<size_t> order;
  append_json_array(prediction.labels().size(), out, [&](size_t row) {
    const std::span<const float> marginals(prediction.marginals.data() + row * labels_.size(),
                                           labels_.size());
    sort_by_probability(marginals, order);
    out.push_back('{');
    for (size_t i = 0; i < order.size(); ++i) {
      if (i > 0) out.push_back(',');
      append_json_string(labels_[order[i]], out);
      out.push_back(':');
      append_json_number(marginals[order[i]], out);
    }
    out.push_back('}');
  });
}

void TagFormatter::append_json(const data::Sequence& sequence, const data::Prediction& prediction,
                               std::string& out) const {
  if (json_task_ == tasks::JsonTask::kSummary)
    return append_summary_json(sequence, prediction, labels_, layout_.nbest, out);
  out.push_back('{');
  if (sequence.columns() > 0) {
    out += "\"tokens\":";
    append_json_array(sequence.length(), out,
                      [&](size_t row) { append_json_string(sequence.cell(row, word_), out); });
    out.push_back(',');
  }
  append_labelling_json(prediction.best.front(), out);
  if (prediction.search_end) {
    out += ",\"search\":";
    append_json_string(search_end_name(*prediction.search_end), out);
  }
  if (layout_.confidence) {
    out += ",\"confidence\":";
    append_json_array(prediction.confidence.size(), out,
                      [&](size_t row) { append_json_number(prediction.confidence[row], out); });
    out += ",\"spans\":";
    append_json_array(prediction.spans.size(), out, [&](size_t i) {
      const data::SpanConfidence& span = prediction.spans[i];
      append_format(out, "{{\"first\":{},\"last\":{},\"type\":", span.first, span.last);
      append_json_string(span.type, out);
      out += ",\"probability\":";
      append_json_number(span.probability, out);
      out.push_back('}');
    });
  }
  if (prediction.constraints) append_effect_json(*prediction.constraints, out);
  if (layout_.marginals) {
    out += ",\"marginals\":";
    append_marginals_json(prediction, out);
  }
  static constexpr std::string_view kOwn[] = {"tokens",      "labels", "others", "heads",       "score",
                                              "probability", "search", "spans",  "constraints", "marginals",
                                              "confidence",  "nbest",  "fold",   "weight"};
  data::append_other_fields(sequence, kOwn, out);
  if (layout_.nbest) {
    out += ",\"nbest\":";
    append_json_array(prediction.best.size(), out, [&](size_t k) {
      if (StopScope::wanted()) return;
      out.push_back('{');
      append_labelling_json(prediction.best[k], out);
      out.push_back('}');
    });
  }
  out.push_back('}');
}

}  // namespace espalier::model
