// Sections of a report that show text: the errors of a model, and where two models differ. Tested in
// report_test.cc.
#include <algorithm>
#include <map>

#include "espalier/base/text/counted.h"
#include "espalier/base/text/html.h"
#include "espalier/eval/span_errors.h"
#include "espalier/report/sections.h"

namespace espalier::report {
namespace {

constexpr size_t kContext = 10;  // words shown on either side of an error
constexpr size_t kMostGroups = 12;

/// Tokens [first, last) of a sentence that are wrong together.
struct Mistake {
  size_t sentence = 0, first = 0, last = 0;
  data::Span gold, found;  ///< empty: there is none
  std::string gold_label, found_label;
  double confidence = -1;  ///< −1: unknown
};
using MistakeGroups = std::map<std::string, std::vector<Mistake>>;

/// How sure the model is of its labels for these tokens: as sure as of the one it doubts most.
double confidence_of(const Run& run, size_t sentence, size_t first, size_t last) {
  if (!run.has_probabilities()) return -1;
  const std::vector<float>& all = run.probability[sentence];
  double least = 1;
  for (size_t t = first; t < last && t < all.size(); ++t) least = std::min<double>(least, all[t]);
  return least;
}

/// Errors about spans by kind, other errors by the two labels.
MistakeGroups mistakes_of(const Runs& runs, const Run& run) {
  MistakeGroups groups;
  for (size_t s = 0; s < runs.sentences.size(); ++s) {
    const auto gold = views_of(runs.sentences[s].gold), found = views_of(run.labels[s]);
    if (runs.spans()) {
      for (const eval::SpanError& error :
           eval::span_errors(data::spans(gold, runs.scheme), data::spans(found, runs.scheme))) {
        Mistake mistake{s,
                        error.first(),
                        error.last(),
                        error.gold.value_or(data::Span{}),
                        error.predicted.value_or(data::Span{}),
                        "",
                        "",
                        0};
        mistake.gold_label = error.gold ? error.gold->type : "nothing";
        mistake.found_label = error.predicted ? error.predicted->type : "nothing";
        mistake.confidence = confidence_of(run, s, mistake.first, mistake.last);
        groups[std::string(eval::span_error_name(error.kind))].push_back(std::move(mistake));
      }
      continue;
    }
    for (size_t t = 0; t < gold.size(); ++t) {
      if (gold[t] == found[t] || gold[t] == "_") continue;
      const data::Span here{t, t + 1, {}};
      groups[fmt::format("{} taken for {}", gold[t], found[t])].push_back(
          {s, t, t + 1, here, here, std::string(gold[t]), std::string(found[t]),
           confidence_of(run, s, t, t + 1)});
    }
  }
  return groups;
}

/// The names of the groups: kinds of span errors in their order, others by size.
std::vector<std::string> group_names(const Runs& runs, const MistakeGroups& groups) {
  std::vector<std::string> names;
  if (runs.spans()) {
    for (const eval::SpanErrorKind kind : eval::kSpanErrorKinds)
      if (groups.contains(std::string(eval::span_error_name(kind))))
        names.emplace_back(span_error_name(kind));
    return names;
  }
  for (const auto& [name, mistakes] : groups) names.push_back(name);
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return groups.at(a).size() > groups.at(b).size();
  });
  if (names.size() > kMostGroups) names.resize(kMostGroups);
  return names;
}

/// The words around an error, gold and predicted tokens marked.
std::string marked_text(const Sentence& sentence, const Mistake& mistake) {
  const size_t from = mistake.first > kContext ? mistake.first - kContext : 0;
  const size_t to = std::min(sentence.words.size(), mistake.last + kContext);
  std::string out = from > 0 ? "… " : "";
  const auto inside = [](const data::Span& span, size_t t) { return t >= span.first && t < span.last; };
  std::string open;  // the class of the mark that is open
  for (size_t t = from; t < to; ++t) {
    std::string wanted = inside(mistake.gold, t) ? "g" : "";
    if (inside(mistake.found, t)) wanted += wanted.empty() ? "p" : " p";
    if (wanted != open) {
      if (!open.empty()) out += "</span>";
      if (t > from) out += ' ';
      if (!wanted.empty()) out += fmt::format("<span class=\"{}\">", wanted);
      open = wanted;
    } else if (t > from) {
      out += ' ';
    }
    const std::string& word = sentence.words[t];
    out += word.empty() ? html_escaped(sentence.gold[t]) : html_escaped(word);
  }
  if (!open.empty()) out += "</span>";
  return to < sentence.words.size() ? out + " …" : out;
}

std::string place_of(const Sentence& sentence, size_t token) {
  const uint64_t line = sentence.lines[token];
  return line > 0 ? fmt::format("{}:{}", sentence.file, line) : sentence.file;
}

std::string mistake_html(const Runs& runs, const Mistake& mistake) {
  const Sentence& sentence = runs.sentences[mistake.sentence];
  return fmt::format("<p class=\"error\">{}<br><small>gold {}, predicted {}{} · {}</small></p>\n",
                     marked_text(sentence, mistake), html_escaped(mistake.gold_label),
                     html_escaped(mistake.found_label),
                     mistake.confidence >= 0 ? fmt::format(", {:.1f} % sure", 100 * mistake.confidence) : "",
                     html_escaped(place_of(sentence, mistake.first)));
}

/// How labels of two models differ at the tokens of a sentence.
struct Difference {
  Mistake mistake;   ///< of the model that is wrong
  bool first_right;  ///< the first model is right
};

}  // namespace

void add_errors(const SectionContext& context, Page& page) {
  const Runs& runs = context.runs;
  page.section("errors", "Errors");
  page.html(
      "<p>Green and underlined: <span class=\"g\">gold</span>; orange and overlined: <span "
      "class=\"p\">predicted</span>; both: <span class=\"g p\">both</span>. The most confident errors come "
      "first: they are often wrong gold labels.</p>\n");
  for (const Run& run : runs.runs) {
    if (runs.runs.size() > 1) page.heading(run.name);
    MistakeGroups groups = mistakes_of(runs, run);
    if (groups.empty()) page.paragraph("There are none.");
    size_t shown_groups = 0;
    for (const std::string& name : group_names(runs, groups)) {
      std::vector<Mistake>& mistakes = groups[name];
      std::stable_sort(mistakes.begin(), mistakes.end(),
                       [](const Mistake& a, const Mistake& b) { return a.confidence > b.confidence; });
      const size_t shown = std::min(mistakes.size(), context.options.errors_per_kind);
      page.html(fmt::format("<details{}><summary>{}: {}</summary>\n", shown_groups++ == 0 ? " open" : "",
                            html_escaped(name), count_text(mistakes.size())));
      for (size_t i = 0; i < shown; ++i) page.html(mistake_html(runs, mistakes[i]));
      if (shown < mistakes.size())
        page.paragraph(fmt::format("and {} more", count_text(mistakes.size() - shown)), "soft error");
      page.html("</details>\n");
    }
    if (groups.size() > shown_groups)
      page.paragraph(fmt::format("and {} more pairs of labels", groups.size() - shown_groups), "soft");
  }
}

void add_differences(const SectionContext& context, Page& page) {
  const Runs& runs = context.runs;
  if (runs.runs.size() < 2) return;
  const Run &first = runs.runs[0], &second = runs.runs[1];
  page.section("differences", "What differs");
  eval::Discordance discordance;
  size_t both_wrong = 0;
  std::vector<Difference> differences;
  for (size_t s = 0; s < runs.sentences.size(); ++s) {
    const Texts& gold = runs.sentences[s].gold;
    discordance.add(views_of(gold), views_of(first.labels[s]), views_of(second.labels[s]));
    for (size_t t = 0; t < gold.size(); ++t) {
      if (gold[t] == "_") continue;
      const bool one = first.labels[s][t] == gold[t], other = second.labels[s][t] == gold[t];
      if (!one && !other) ++both_wrong;
      if (one == other) continue;
      const Run& wrong = one ? second : first;
      const data::Span here{t, t + 1, {}};
      differences.push_back(
          {{s, t, t + 1, here, here, gold[t], wrong.labels[s][t], confidence_of(wrong, s, t, t + 1)}, one});
    }
  }
  const auto test = eval::paired_bootstrap(first.statistics, second.statistics, runs.metric(),
                                           Random(context.options.seed), {}, &context.workers);
  if (test.ok())
    page.paragraph(fmt::format(
        "{} of {} is {:.2f}, that of {} {:.2f}: a difference of {:+.2f} (interval of 95 %: {:+.2f} to "
        "{:+.2f}), "
        "{} (paired bootstrap over sequences). {}",
        runs.measure(), first.name, test->first, second.name, test->second, test->difference, test->low,
        test->high, p_statement(test->p_value),
        test->p_value < 0.05 ? "The difference is significant." : "The difference may be chance."));
  page.paragraph(fmt::format(
      "Tokens: {} are right in {} only, {} in {} only, {} are wrong in both; {} (McNemar's exact test).",
      count_text(discordance.only_first), first.name, count_text(discordance.only_second), second.name,
      count_text(both_wrong), p_statement(eval::mcnemar_exact(discordance))));
  std::stable_sort(differences.begin(), differences.end(), [](const Difference& a, const Difference& b) {
    return a.mistake.confidence > b.mistake.confidence;
  });
  for (const bool first_right : {false, true}) {
    const Run &right = first_right ? first : second, &wrong = first_right ? second : first;
    page.html(fmt::format("<details open><summary>right in {}, wrong in {}</summary>\n",
                          html_escaped(right.name), html_escaped(wrong.name)));
    size_t count = 0;
    for (const Difference& difference : differences)
      if (difference.first_right == first_right && count++ < context.options.errors_per_kind)
        page.html(mistake_html(runs, difference.mistake));
    if (count > context.options.errors_per_kind)
      page.paragraph(fmt::format("and {} more", count_text(count - context.options.errors_per_kind)),
                     "soft error");
    page.html("</details>\n");
  }
}

}  // namespace espalier::report
