// Sections of a report about a parser: scores, relations, and trees drawn as arcs. Tested in
// structure_sections_test.cc.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "espalier/base/text/counted.h"
#include "espalier/base/text/html.h"
#include "espalier/base/text/json.h"
#include "espalier/report/arcs.h"
#include "espalier/report/sections.h"

namespace espalier::report {
namespace {

bool arc_is_right(const Runs& runs, const Run& run, size_t sentence, size_t word) {
  return run.heads[sentence][word] == runs.sentences[sentence].gold_heads[word] &&
         run.labels[sentence][word] == runs.sentences[sentence].gold[word];
}

size_t wrong_arcs(const Runs& runs, const Run& run, size_t sentence) {
  size_t wrong = 0;
  for (size_t w = 0; w < run.heads[sentence].size(); ++w)
    wrong += arc_is_right(runs, run, sentence, w) ? 0 : 1;
  return wrong;
}

}  // namespace

void add_tree_scores(const SectionContext& context, Page& page) {
  const Runs& runs = context.runs;
  page.section("scores", "Scores");
  page.paragraph(
      fmt::format("{} with {}. UAS: words with the right head; LAS: with the right head and relation, in "
                  "brackets its interval of 95 % (bootstrap over sentences); CLAS: LAS of content words.",
                  counted(runs.sentences.size(), "sentence"), counted(runs.tokens, "word")));
  std::vector<Page::Row> rows;
  for (const Run& run : runs.runs) {
    const eval::ScoreInterval las = eval::bootstrap_interval(
        run.statistics, eval::Metric::kAccuracy, Random(context.options.seed), {}, &context.workers);
    rows.push_back({{run.name, run.info.learner, fmt::format("{:.2f}", run.attachments.uas()),
                     interval_text(las), fmt::format("{:.2f}", run.attachments.universal_las()),
                     fmt::format("{:.2f}", run.attachments.clas()),
                     fmt::format("{:.2f} %", run.attachments.exact_trees()),
                     count_text(static_cast<size_t>(std::max(0.0, run.scores.tokens_per_second))),
                     fmt::format("{:.1f} MB", static_cast<double>(run.model_bytes) / 1e6)}});
  }
  page.table(std::vector<std::string>{"model", "learner", "UAS", "LAS", "LAS, universal", "CLAS",
                                      "trees right", "words/s", "size"},
             rows);
  if (runs.runs.size() < 2) return;
  const Run &first = runs.runs[0], &second = runs.runs[1];
  eval::Discordance discordance;
  for (size_t s = 0; s < runs.sentences.size(); ++s)
    for (size_t w = 0; w < first.heads[s].size(); ++w) {
      const bool one = arc_is_right(runs, first, s, w), other = arc_is_right(runs, second, s, w);
      discordance.only_first += one && !other ? 1 : 0;
      discordance.only_second += other && !one ? 1 : 0;
    }
  const auto test = eval::paired_bootstrap(first.statistics, second.statistics, eval::Metric::kAccuracy,
                                           Random(context.options.seed), {}, &context.workers);
  if (test.ok())
    page.paragraph(fmt::format(
        "LAS differs by {:+.2f} (interval of 95 %: {:+.2f} to {:+.2f}), {} (paired bootstrap over "
        "sentences). {} arcs are right in {} only, {} in {} only; {} (McNemar's exact test).",
        test->difference, test->low, test->high, p_statement(test->p_value),
        count_text(discordance.only_first), first.name, count_text(discordance.only_second), second.name,
        p_statement(eval::mcnemar_exact(discordance))));
}

void add_relations(const SectionContext& context, Page& page) {
  page.section("relations", "Relations and lengths");
  for (const Run& run : context.runs.runs) {
    if (context.runs.runs.size() > 1) page.heading(run.name);
    const Json scores = run.attachments.to_json();
    std::vector<std::pair<size_t, Page::Row>> rows;  // by frequency
    for (const auto& [name, one] : scores.at("by_relation").items()) {
      const size_t gold = one.at("gold").get<size_t>();
      rows.push_back({gold,
                      {{name, count_text(gold), count_text(one.at("found").get<size_t>()),
                        fmt::format("{:.2f}", one.at("head_recall").get<double>()),
                        fmt::format("{:.2f}", one.at("precision").get<double>()),
                        fmt::format("{:.2f}", one.at("recall").get<double>())}}});
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Page::Row> sorted, lengths;
    for (const auto& [gold, row] : rows) sorted.push_back(row);
    page.table(std::vector<std::string>{"relation", "gold", "predicted", "head right", "precision", "recall"},
               sorted);
    for (const auto& [name, one] : scores.at("by_length").items())
      lengths.push_back({{name, count_text(one.at("words").get<size_t>()),
                          fmt::format("{:.2f}", one.at("uas").get<double>()),
                          fmt::format("{:.2f}", one.at("full_las").get<double>())}});
    page.table(std::vector<std::string>{"words per sentence", "words", "UAS", "LAS"}, lengths);
  }
}

void add_trees(const SectionContext& context, Page& page) {
  const Runs& runs = context.runs;
  page.section("trees", "Trees");
  page.html(
      "<p>Above the words: the predicted arcs, from head to dependent; those that are <span "
      "class=\"p\">wrong</span> are orange and dashed. Below: the <span class=\"g\">gold</span> arcs in "
      "their "
      "place. The sentences with the most wrong arcs come first.</p>\n");
  for (const Run& run : runs.runs) {
    if (runs.runs.size() > 1) page.heading(run.name);
    std::vector<std::pair<size_t, size_t>> wrong;  // arcs, sentence
    for (size_t s = 0; s < runs.sentences.size(); ++s)
      if (const size_t arcs = wrong_arcs(runs, run, s); arcs > 0) wrong.emplace_back(arcs, s);
    std::stable_sort(wrong.begin(), wrong.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    if (wrong.empty()) page.paragraph("Every tree is right.");
    const size_t shown = std::min(wrong.size(), context.options.errors_per_kind);
    for (size_t i = 0; i < shown; ++i) {
      const size_t s = wrong[i].second;
      const Sentence& sentence = runs.sentences[s];
      page.html(
          "<figure>" +
          arcs_svg(sentence.words, {sentence.gold_heads, sentence.gold}, {run.heads[s], run.labels[s]}) +
          fmt::format("<figcaption class=\"soft\">{}: {} of {} arcs are wrong</figcaption></figure>\n",
                      html_escaped(fmt::format("{}:{}", sentence.file, sentence.lines.front())),
                      wrong[i].first, sentence.words.size()));
    }
    if (shown < wrong.size())
      page.paragraph(fmt::format("and {} more", count_text(wrong.size() - shown)), "soft error");
  }
}

}  // namespace espalier::report
