// check_data: statistics and problems of data files, before training. Tested in apps/tests/verbs_test.sh and
// apps/tests/bad_input_test.sh.
#include "espalier/data/check.h"

#include "espalier/api/corpus.h"
#include "espalier/api/public_monitor.h"
#include "espalier/api/tagger.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/model/feature_choice.h"
#include "espalier/model/training/label_remarks.h"
#include "espalier/public/tools.h"

namespace espalier {
namespace {

Findings findings_of(const data::Findings& from) {
  Findings to;
  to.count = from.count;
  for (const data::Finding& f : from.first) to.first.push_back({f.file, f.line, f.what});
  return to;
}

/// An error if the template or the feature columns of the options do not fit the columns of the data.
Status check_features(const data::ReadOptions& reading, const CheckOptions& options, size_t columns) {
  std::vector<size_t> labels;
  if (columns > 0) {
    labels = {columns - 1};
    if (reading.format == data::Format::kColumns || reading.format == data::Format::kConllu) {
      ESPALIER_ASSIGN(labels[0], data::resolve_label_column(reading, columns));
    }
  }
  std::optional<model::TemplateText> text;
  if (options.feature_template) text = model::TemplateText{options.template_name, *options.feature_template};
  ESPALIER_ASSIGN(const data::FeatureOptions features,
                  model::choose_features(text, options.feature_columns, reading.format, columns, labels));
  ESPALIER_TRY(data::FeatureExtractor::make(features));
  return {};
}

}  // namespace

Result<DataReport> check_data(const Files& files, const CheckOptions& options) {
  ESPALIER_ASSIGN(const api::Reading reading, api::reading_of(files.reading, files.paths));
  if (reading.task) return fail("checking data of the task {} is not supported", files.reading.format);
  const api::PublicMonitor monitor(options.on_progress, options.stop);
  ESPALIER_ASSIGN(const data::DataReport from,
                  data::check_data(files.paths, reading.options, monitor.monitor()));
  if (monitor.stopped()) return fail("stopped before everything was read");
  ESPALIER_TRY(check_features(reading.options, options, from.columns));
  DataReport to;
  to.sequences = from.sequences;
  to.tokens = from.tokens;
  to.attributes = from.attributes;
  to.unknown_labels = from.unknown_labels;
  to.columns = from.columns;
  for (const auto& entry : from.labels) to.labels.emplace_back(entry.label, entry.count);
  to.scheme = data::scheme_name(from.scheme);
  to.broken_labels = findings_of(from.broken_labels);
  to.encoding = findings_of(from.encoding);
  to.replaced = findings_of(from.replaced);
  to.duplicates = findings_of(from.duplicates);
  to.contradictions = findings_of(from.contradictions);
  to.longest = {from.longest.file, from.longest.line, from.longest.what};
  to.longest_length = from.longest_length;
  to.one_token = from.one_token;
  to.labels_seen_once = from.labels_seen_once;
  to.suspicious = from.suspicious;
  if (std::string remark = model::pair_memory_remark(from.labels.size()); !remark.empty())
    to.suspicious.push_back(std::move(remark));
  return to;
}

}  // namespace espalier
