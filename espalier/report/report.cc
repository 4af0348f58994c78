// report_html: the page about one model or two. Tested in report_test.cc and apps/tests/report_test.sh.
#include "espalier/public/report.h"

#include "espalier/api/model_input.h"
#include "espalier/base/parallel.h"
#include "espalier/model/task_data.h"
#include "espalier/public/tools.h"
#include "espalier/report/page.h"
#include "espalier/report/runs.h"
#include "espalier/report/sections.h"

namespace espalier {
namespace report {
namespace {

/// How often each word is in the data, as the first model reads it.
Status count_words(const Tagger& tagger, const Data& data, const ReportOptions& options,
                   SectionContext& context) {
  const Tagger::State& state = *tagger.state();
  ESPALIER_ASSIGN(const auto sources, api::model_sources(state, data, /*labels_required=*/false));
  data::Sequence sequence;
  for (const api::ModelSource& source : sources) {
    ESPALIER_ASSIGN(const auto reader,
                    model::open_task_reader(source.source, state.model.about().task, source.input.reading));
    const size_t word = api::word_cell(state, source.input);
    while (true) {
      ESPALIER_ASSIGN(const bool more, reader->next(sequence));
      if (!more) break;
      for (size_t row = 0; row < sequence.length(); ++row)
        if (word < sequence.columns()) ++context.word_counts[std::string(sequence.cell(row, word))];
      if (options.stop != nullptr && *options.stop) return fail("stopped before the report was written");
    }
  }
  return {};
}

}  // namespace
}  // namespace report

Result<std::string> report_html(const Data& test, const std::vector<ReportModel>& models,
                                const ReportOptions& options) {
  ESPALIER_ASSIGN(const report::Runs runs, report::gather_runs(test, models, options));
  const Workers workers(options.threads);
  report::SectionContext context{runs, options, workers, {}, options.train.has_value()};
  if (options.train) {
    ESPALIER_TRY(report::count_words(models.front().tagger, *options.train, options, context));
  } else {
    for (const report::Sentence& sentence : runs.sentences)
      for (const std::string& word : sentence.words) ++context.word_counts[word];
  }
  std::string title = options.title;
  if (title.empty())
    title = (runs.runs.size() > 1 ? runs.runs[0].name + " and " + runs.runs[1].name : runs.runs[0].name) +
            " on " + runs.sentences.front().file;
  report::Page page(title);
  if (runs.trees()) {
    report::add_tree_scores(context, page);
    report::add_relations(context, page);
    report::add_trees(context, page);
  } else if (runs.summaries()) {
    report::add_summaries(context, page);
  } else {
    report::add_summary(context, page);
    report::add_differences(context, page);
    report::add_labels(context, page);
    report::add_errors(context, page);
    report::add_confusions(context, page);
    report::add_calibration(context, page);
    report::add_coverage(context, page);
    report::add_lengths(context, page);
    report::add_rareness(context, page);
  }
  ESPALIER_TRY(report::add_training(context, page));
  page.paragraph("Written by espalier report, version " + version() + ".", "soft");
  return page.finish();
}

}  // namespace espalier
