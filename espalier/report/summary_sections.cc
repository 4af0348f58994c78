// Sections of a report about a summariser: scores, and the sources with the chosen words marked. Tested in
// structure_sections_test.cc.
#include <algorithm>

#include "espalier/base/text/counted.h"
#include "espalier/base/text/html.h"
#include "espalier/eval/rouge.h"
#include "espalier/report/sections.h"
#include "espalier/tasks/summary/cluster.h"

namespace espalier::report {
namespace {

/// The class of a mark: chosen by the first model, by the second, by both.
std::string mark_of(bool first, bool second) {
  return first && second ? "g p" : first ? "g" : second ? "p" : "";
}

/// The tokens of a sentence with blanks as in the source, chosen ones marked.
std::string marked_sentence(const tasks::Cluster& cluster, const tasks::ClusterSentence& sentence,
                            const std::vector<std::vector<bool>>& shown) {
  std::string out, open;
  for (uint32_t t = sentence.first; t < sentence.last; ++t) {
    const std::string wanted = mark_of(shown.front()[t], shown.size() > 1 && shown[1][t]);
    if (wanted != open && !open.empty()) out += "</span>";
    if (t > sentence.first && !cluster.tokens[t].joined) out += ' ';
    if (wanted != open && !wanted.empty()) out += fmt::format("<span class=\"{}\">", wanted);
    open = wanted;
    out += html_escaped(cluster.tokens[t].text);
  }
  return open.empty() ? out : out + "</span>";
}

/// One cluster, what each model chose of it, and the scores of that.
struct Summarised {
  tasks::Cluster cluster;
  std::vector<std::vector<bool>> chosen;  ///< by model and token
  std::vector<eval::RougeResult> rouge;   ///< by model
};

std::vector<Summarised> read_summaries(const Runs& runs, std::vector<eval::RougeScores>& scores) {
  eval::RougeWords words = eval::RougeWords::make("").value();
  scores.assign(runs.runs.size(), {});
  std::vector<Summarised> out;
  for (size_t s = 0; s < runs.sentences.size(); ++s) {
    // It was read before, by the model.
    Summarised one{tasks::parse_cluster(runs.sentences[s].cluster, runs.sentences[s].file).value(), {}, {}};
    std::vector<eval::RougeText> references;
    for (const auto& reference : one.cluster.references) references.push_back(words.text(reference));
    for (size_t m = 0; m < runs.runs.size(); ++m) {
      std::vector<bool> chosen;
      for (const std::string& label : runs.runs[m].labels[s]) chosen.push_back(label == tasks::kInSummary);
      const eval::RougeText text = words.text(tasks::summary_sentences(one.cluster, chosen));
      size_t count = 0;
      for (const auto& sentence : text) count += sentence.size();
      one.rouge.push_back(eval::rouge(text, references));
      scores[m].add(one.rouge.back(), count);
      one.chosen.push_back(std::move(chosen));
    }
    out.push_back(std::move(one));
  }
  return out;
}

void add_cluster(const Runs& runs, const Summarised& one, const std::string& name, bool open, Page& page) {
  std::string scores;
  for (size_t m = 0; m < runs.runs.size(); ++m)
    scores += fmt::format(", {}ROUGE-2 {:.2f} %", runs.runs.size() > 1 ? runs.runs[m].name + " " : "",
                          100 * one.rouge[m][static_cast<size_t>(eval::RougeKind::k2)].recall);
  page.html(fmt::format("<details{}><summary>{}{}</summary>\n", open ? " open" : "", html_escaped(name),
                        html_escaped(scores)));
  std::vector<std::vector<bool>> shown;
  for (const auto& chosen : one.chosen) shown.push_back(tasks::shown_tokens(one.cluster, chosen));
  for (size_t d = 0; d < one.cluster.documents.size(); ++d) {
    const tasks::ClusterDocument& document = one.cluster.documents[d];
    page.html(fmt::format("<h4>{}</h4>\n<p class=\"source\">",
                          html_escaped(document.id.empty() ? fmt::format("document {}", d) : document.id)));
    for (uint32_t s = document.first; s < document.last; ++s)
      page.html(marked_sentence(one.cluster, one.cluster.sentences[s], shown) + "\n");
    page.html("</p>\n");
  }
  page.html("<h4>References</h4>\n");
  for (const auto& reference : one.cluster.references) {
    std::string text;
    for (const std::string& sentence : reference) text += (text.empty() ? "" : " ") + sentence;
    page.paragraph(text, "error");
  }
  page.html("</details>\n");
}

}  // namespace

void add_summaries(const SectionContext& context, Page& page) {
  const Runs& runs = context.runs;
  std::vector<eval::RougeScores> scores;
  const std::vector<Summarised> all = read_summaries(runs, scores);
  page.section("scores", "Scores");
  page.paragraph(fmt::format(
      "{} with {}. Recall in percent, without stems; in brackets: intervals of 95 % (bootstrap over "
      "clusters). Words: how long summaries are on average.",
      counted(all.size(), "cluster"), counted(runs.tokens, "token")));
  std::vector<Page::Row> rows;
  for (size_t m = 0; m < runs.runs.size(); ++m) {
    const Run& run = runs.runs[m];
    Page::Row row{{run.name, run.info.learner}};
    for (const eval::RougeKind kind :
         {eval::RougeKind::k1, eval::RougeKind::k2, eval::RougeKind::kL, eval::RougeKind::kSU4}) {
      const auto interval = scores[m].recall_interval(kind, Random(context.options.seed));
      row.cells.push_back(
          interval_text({100 * scores[m].mean(kind).recall, 100 * interval.low, 100 * interval.high}));
    }
    row.cells.push_back(fmt::format("{:.1f}", scores[m].mean_words()));
    row.cells.push_back(fmt::format("{:.1f} MB", static_cast<double>(run.model_bytes) / 1e6));
    rows.push_back(std::move(row));
  }
  page.table(std::vector<std::string>{"model", "learner", "ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-SU4",
                                      "words", "size"},
             rows);

  page.section("summaries", "Summaries in their sources");
  if (runs.runs.size() > 1)
    page.html(fmt::format(
        "<p>Green and underlined: <span class=\"g\">in the summary of {}</span>; orange and "
        "overlined: <span class=\"p\">of {}</span>; both: <span class=\"g p\">of both</span>.</p>\n",
        html_escaped(runs.runs[0].name), html_escaped(runs.runs[1].name)));
  else
    page.html("<p>Green and underlined: <span class=\"g\">in the summary</span>.</p>\n");
  const size_t shown = std::min(all.size(), context.options.errors_per_kind);
  for (size_t c = 0; c < shown; ++c) {
    const std::string& id = all[c].cluster.id;
    const Sentence& read = runs.sentences[c];
    add_cluster(runs, all[c],
                fmt::format("{}{}:{}", id.empty() ? "" : id + ", ", read.file, read.lines.front()), c == 0,
                page);
  }
  if (shown < all.size())
    page.paragraph(fmt::format("and {} more", count_text(all.size() - shown)), "soft error");
}

}  // namespace espalier::report
