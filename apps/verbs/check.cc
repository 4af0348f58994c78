// espalier check: statistics and problems of data files, before training. Tested in verbs_test.sh and
// bad_input_test.sh.
#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/command.h"
#include "apps/long_work.h"
#include "apps/options.h"
#include "apps/terminal.h"
#include "apps/verb.h"
#include "apps/verbs/separable.h"
#include "apps/whole_number.h"

namespace espalier::apps {
namespace {

constexpr const char* kCheckHelp =
    R"(Check data before training

Reports size, labels and their scheme, possible mistakes (labels that break the scheme, invalid characters, duplicates,
the same sequence with other labels, labels seen once), and whether a template fits the columns. The exit status is 1 if
training on the data would fail. --separable also says whether linear weights label all of the data: each token by
itself, under constraints, or trained through inference; it trains up to two perceptrons for that. --suspicious lists labels
that models trained without them contradict, the surest first: these are often wrong. It cross-validates crf for that.)";

constexpr const char* kCheckExamples = R"(Examples:
  espalier check train.txt
  espalier check train.txt -t chunking.template --json
  espalier check train.txt --separable --constraints rules.txt
  espalier check train.txt --suspicious 50)";

constexpr size_t kLabelsInText = 30;
constexpr int kSuspiciousFolds = 5;

struct CheckFlags {
  ReadingFlags reading;
  OutputFlags output;
  std::vector<std::string> data;
  std::string template_file;
  std::string feature_columns;
  bool separable = false;
  size_t suspicious = 0;
  std::string constraints;
  int threads = 0;
};

std::string place(const Findings::Place& finding) { return fmt::format("{}:{}", finding.file, finding.line); }

void append_findings(std::string_view title, const Findings& findings, std::string& out) {
  if (findings.count == 0) return;
  append_format(out, "{}: {}\n", title, count_text(findings.count));
  for (const Findings::Place& finding : findings.first)
    append_format(out, "  {}: {}\n", place(finding), finding.what);
  if (findings.count > findings.first.size())
    append_format(out, "  and {} more\n", count_text(findings.count - findings.first.size()));
}

/// A label that is as long as a text is not one, and would hide the rest of the table.
std::string shown_label(const std::string& label) { return cut(label, 60); }

std::string to_text(const DataReport& report) {
  std::string out;
  append_format(out, "sequences  {}\ntokens     {}\n", count_text(report.sequences),
                count_text(report.tokens));
  if (report.columns > 0) append_format(out, "columns    {}, label included\n", report.columns);
  if (report.attributes > 0) append_format(out, "attributes {}\n", count_text(report.attributes));
  append_format(out, "longest    {}, at {}; {} of one token\n", counted(report.longest_length, "token"),
                place(report.longest), counted(report.one_token, "sequence"));
  append_format(out, "scheme     {}\n", report.scheme);
  if (report.unknown_labels > 0)
    append_format(out, "unlabelled {}\n", counted(report.unknown_labels, "token"));

  append_format(out, "\nlabels     {}\n", report.labels.size());
  size_t width = 0;
  for (size_t i = 0; i < std::min(kLabelsInText, report.labels.size()); ++i)
    width = std::max(width, display_width(shown_label(report.labels[i].first)));
  for (size_t i = 0; i < std::min(kLabelsInText, report.labels.size()); ++i)
    append_format(out, "  {}  {:>12}\n", pad_right(shown_label(report.labels[i].first), width),
                  count_text(report.labels[i].second));
  if (report.labels.size() > kLabelsInText)
    append_format(out, "  and {} more\n", report.labels.size() - kLabelsInText);

  const size_t before = out.size();
  out += "\n";
  append_findings("lines with invalid characters", report.encoding, out);
  append_findings("lines with damaged characters", report.replaced, out);
  append_findings("sequences whose labels break the scheme", report.broken_labels, out);
  append_findings("sequences seen before with other labels", report.contradictions, out);
  append_findings("sequences seen before with the same labels", report.duplicates, out);
  if (!report.labels_seen_once.empty()) {
    const size_t shown = std::min(kLabelsInText, report.labels_seen_once.size());
    out += "labels seen once:";
    for (size_t i = 0; i < shown; ++i) append_format(out, " {}", shown_label(report.labels_seen_once[i]));
    if (shown < report.labels_seen_once.size())
      append_format(out, " and {} more", count_text(report.labels_seen_once.size() - shown));
    out += '\n';
  }
  for (const std::string& remark : report.suspicious) out += shortened_message(remark) + "\n";
  if (out.size() == before + 1) out += "nothing looks wrong\n";
  return out;
}

Json findings_json(const Findings& findings) {
  Json first = Json::array();
  for (const Findings::Place& f : findings.first)
    first.push_back({{"file", f.file}, {"line", f.line}, {"what", f.what}});
  return {{"count", findings.count}, {"first", std::move(first)}};
}

Json to_json(const DataReport& report) {
  Json labels = Json::array();
  for (const auto& [label, count] : report.labels) labels.push_back({{"label", label}, {"count", count}});
  return {{"sequences", report.sequences},
          {"tokens", report.tokens},
          {"columns", report.columns},
          {"attributes", report.attributes},
          {"scheme", report.scheme},
          {"labels", std::move(labels)},
          {"unknown_labels", report.unknown_labels},
          {"longest",
           {{"file", report.longest.file}, {"line", report.longest.line}, {"tokens", report.longest_length}}},
          {"one_token", report.one_token},
          {"encoding", findings_json(report.encoding)},
          {"replaced", findings_json(report.replaced)},
          {"broken_labels", findings_json(report.broken_labels)},
          {"contradictions", findings_json(report.contradictions)},
          {"duplicates", findings_json(report.duplicates)},
          {"labels_seen_once", report.labels_seen_once},
          {"suspicious", report.suspicious}};
}

std::string suspicions_text(const std::vector<Suspicion>& suspicions) {
  std::string out = "\nlabels that models trained without them contradict, the surest first\n";
  if (suspicions.empty()) out += "  none\n";
  for (const Suspicion& one : suspicions)
    append_format(out, "  {}:{}: {}: {}, predicted {} ({:.1f} %)\n", one.file, one.line, one.word, one.gold,
                  one.predicted, 100 * one.probability);
  return out;
}

Json suspicions_json(const std::vector<Suspicion>& suspicions) {
  Json list = Json::array();
  for (const Suspicion& one : suspicions)
    list.push_back({{"file", one.file},
                    {"line", one.line},
                    {"word", one.word},
                    {"label", one.gold},
                    {"predicted", one.predicted},
                    {"probability", one.probability}});
  return list;
}

Outcome run(const CheckFlags& flags) {
  const Files files{flags.data, flags.reading.resolve()};
  if (const Status status = check_options(files.reading); !status.ok()) return usage_error(status.error());
  CheckOptions options;
  if (!flags.feature_columns.empty()) {
    const auto columns = parse_columns(flags.feature_columns);
    if (!columns) return usage_error(columns.error());
    options.feature_columns = *columns;
  }
  if (!flags.template_file.empty()) {
    ESPALIER_ASSIGN(options.feature_template, read_text(flags.template_file));
    options.template_name = flags.template_file;
    if (options.feature_template->find_first_not_of(" \t\r\n") == std::string::npos)
      return usage_error("{}: the template is empty; leave it out for the default features",
                         flags.template_file);
  }
  if (!flags.separable && !flags.constraints.empty())
    return usage_error("--constraints is for --separable: inference obeys them");
  if ((flags.separable || flags.suspicious > 0) &&
      std::find(flags.data.begin(), flags.data.end(), "-") != flags.data.end())
    return usage_error(
        "--separable and --suspicious read the data several times: give files, not standard input");
  LongWork work(flags.output.quiet);
  work.watch(options);
  const auto report = check_data(files, options);
  if (auto outcome = work.interrupted("interrupted before everything was read")) return *outcome;
  if (!report) return report.error();
  std::optional<Separability> separability;
  if (flags.separable && report->encoding.count == 0 && !report->labels.empty()) {
    SeparabilityOptions how;
    how.constraints = flags.constraints;
    how.scheme = report->scheme;
    how.feature_template = options.feature_template;
    how.template_name = options.template_name;
    how.feature_columns = options.feature_columns;
    how.threads = flags.threads;
    work.watch_training(how);
    auto found = find_separability(files, how);
    if (auto outcome = work.interrupted("interrupted before everything was tried")) return *outcome;
    if (!found.ok()) return found.error();
    separability = std::move(*found);
  }
  std::vector<Suspicion> suspicions;
  if (flags.suspicious > 0 && report->encoding.count == 0 && !report->labels.empty()) {
    TrainOptions training;
    training.feature_template = options.feature_template;
    training.template_name = options.template_name;
    training.feature_columns = options.feature_columns;
    training.threads = flags.threads;
    work.watch_training(training);
    auto found = find_suspicious(files, training, kSuspiciousFolds, flags.suspicious);
    if (auto outcome = work.interrupted("interrupted before everything was tried")) return *outcome;
    if (!found.ok()) return found.error();
    suspicions = std::move(*found);
  }
  if (flags.output.json) {
    Json json = to_json(*report);
    if (flags.suspicious > 0) json["suspicious_labels"] = suspicions_json(suspicions);
    if (separability) json["separable"] = separability_json(*separability);
    ESPALIER_TRY(print_json(json));
  } else {
    ESPALIER_TRY(print(to_text(*report) + (separability ? separability_text(*separability) : "") +
                       (flags.suspicious > 0 ? suspicions_text(suspicions) : "")));
  }
  if (report->encoding.count > 0) {
    const Findings::Place& first = report->encoding.first.front();
    const bool zero = first.what.starts_with("a zero byte");  // no other encoding helps
    return fail("{}: {}{}", place(first), first.what, zero ? "" : "; try --encoding latin1 or bytes");
  }
  if (report->labels.empty())
    return fail("{}: every label is '_' (not known); there is nothing to learn from", flags.data.front());
  return {};
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  const auto [verb, flags] = add_verb<CheckFlags>(app, action, "check", kCheckHelp, run);
  verb.add_option("DATA", flags.data, "labelled files, - for standard input")->type_name("")->required();
  verb.add_option("-t,--template", flags.template_file, "check this template against the data")
      ->type_name("FILE");
  verb.add_option("--feature-columns", flags.feature_columns, "columns that features may use, such as 1,2")
      ->type_name("LIST");
  verb.add_flag("--separable", flags.separable,
                "also try whether linear weights label everything: locally,\nwith inference, globally");
  verb.add_option("--constraints", flags.constraints,
                  "what inference obeys [the scheme of the labels, if they have one]")
      ->type_name("FILE");
  add_number_option(verb, "--suspicious", flags.suspicious,
                    "also list this many labels that cross-validation contradicts, the\nsurest first", 1,
                    1000000);
  add_threads_option(verb, flags.threads);
  flags.reading.add_to(verb);
  flags.output.add_to(verb);
  verb.footer(kCheckExamples);
}

}  // namespace espalier::apps
