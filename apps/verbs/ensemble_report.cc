// espalier ensemble report: how good the ensemble and each expert are. Tested in ensemble_test.sh.
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "apps/long_work.h"
#include "apps/terminal.h"
#include "apps/verbs/ensemble.h"
#include "espalier/public/ensemble.h"

namespace espalier::apps {
namespace {

Json scores_json(const EnsembleReport::Quality& quality) {
  return {
      {"accuracy", quality.accuracy}, {"sequence_accuracy", quality.sequence_accuracy}, {"f1", quality.f1}};
}

Json report_json(const EnsembleReport& report) {
  Json json = {{"sequences", report.sequences},
               {"tokens", report.tokens},
               {"ensemble", scores_json(report.ensemble)},
               {"majority", scores_json(report.majority)}};
  json["ensemble"]["error"] = report.ensemble.error;
  json["aligned"] = report.aligned;
  json["ensemble"]["edit_distance"] = report.ensemble.edit_distance;
  if (report.aligned) {
    json["ensemble"]["exact"] = report.ensemble.exact;
    json["majority"]["edit_distance"] = report.majority.edit_distance;
    json["majority"]["exact"] = report.majority.exact;
  }
  json["ensemble"]["calibration_error"] = report.calibration_error;
  json["ensemble"]["sequence_calibration_error"] = report.sequence_calibration_error;
  json["majority"]["error"] = report.majority.error;
  json["best_expert"] = report.experts[report.best_expert].name;
  json["against_best_expert"] = {{"difference", report.difference},
                                 {"low", report.difference_low},
                                 {"high", report.difference_high},
                                 {"p_value", report.p_value}};
  json["experts"] = Json::array();
  for (const EnsembleReport::OfExpert& expert : report.experts) {
    Json entry = {{"name", expert.name}};
    entry.update(scores_json(expert.quality));
    entry["error"] = expert.quality.error;
    if (report.aligned) entry["edit_distance"] = expert.quality.edit_distance;
    if (report.aligned) entry["exact"] = expert.quality.exact;
    entry["weight"] = expert.weight;
    entry["worth"] = expert.worth;
    entry["silent_sequences"] = expert.silent_sequences;
    entry["agreement"] = expert.agreement;
    for (size_t c = 0; c < report.places.size(); ++c)
      entry["by_place"][report.places[c]] = expert.by_place[c];
    for (size_t label = 0; label < report.labels.size(); ++label)
      if (expert.by_label[label].tokens > 0)
        entry["by_label"][report.labels[label]] = expert.by_label[label].accuracy;
    json["experts"].push_back(std::move(entry));
  }
  for (const EnsembleReport::Bound& line : report.bounds)
    json["bounds"].push_back(
        {{"name", line.name}, {"bound", line.bound}, {"measured", line.measured}, {"meaning", line.meaning}});
  return json;
}

/// Labels on which an expert differs most from the mean of the experts, weighted by how often they occur.
std::string strengths(const EnsembleReport& report, size_t j, bool good) {
  struct Entry {
    double gain;
    std::string text;
  };
  std::vector<Entry> entries;
  for (size_t label = 0; label < report.labels.size(); ++label) {
    const EnsembleReport::OnLabel& own = report.experts[j].by_label[label];
    if (own.tokens == 0) continue;
    double mean = 0;
    size_t count = 0;
    for (const EnsembleReport::OfExpert& expert : report.experts) {
      if (expert.by_label[label].tokens == 0) continue;
      mean += expert.by_label[label].accuracy;
      ++count;
    }
    const double difference = own.accuracy - mean / static_cast<double>(count);
    if (good ? difference <= 0 : difference >= 0) continue;
    entries.push_back({difference * static_cast<double>(own.tokens),
                       fmt::format("{} {:+.1f}", report.labels[label], difference)});
  }
  std::stable_sort(entries.begin(), entries.end(), [good](const Entry& a, const Entry& b) {
    return good ? a.gain > b.gain : a.gain < b.gain;
  });
  std::string out;
  for (size_t i = 0; i < std::min<size_t>(3, entries.size()); ++i)
    out += (i == 0 ? "" : ", ") + entries[i].text;
  return out.empty() ? "-" : out;
}

std::string report_text(const EnsembleReport& report) {
  std::string out;
  size_t width = 8;
  for (const auto& expert : report.experts) width = std::max(width, display_width(expert.name));
  append_format(out, "{}, {}\n\n", counted(report.sequences, "sequence"), counted(report.tokens, "token"));
  if (report.aligned) out += "(tokens are columns of the aligned outputs; edits: mean edit distance)\n";
  const std::string_view middle = report.aligned ? "edits" : report.chunked ? "F1" : "";
  append_format(out, "{}  accuracy  {:>8}  sequences  error %  weight  worth\n", pad_right("", width),
                middle);
  const auto line = [&](const std::string& name, const EnsembleReport::Quality& quality,
                        const std::string& rest) {
    const std::string number = report.aligned   ? fmt::format("{:.4f}", quality.edit_distance)
                               : report.chunked ? fmt::format("{:.2f}", quality.f1)
                                                : "";
    append_format(out, "{}  {:8.2f}  {:>8}  {:9.2f}  {:7.3f}{}\n", pad_right(name, width), quality.accuracy,
                  number, report.aligned ? quality.exact : quality.sequence_accuracy, 100 * quality.error,
                  rest);
  };
  line("ensemble", report.ensemble, "");
  line("majority", report.majority, "");
  for (const EnsembleReport::OfExpert& expert : report.experts)
    line(expert.name, expert.quality, fmt::format("  {:6.3f}  {:+.3f}", expert.weight, 100 * expert.worth));
  out += "(worth: by how much the ensemble's error grows without the expert)\n";
  append_format(
      out, "\nensemble against the best expert, {}: {:+.2f} points of {} ({:.2f} to {:.2f}), p = {:.4f}\n",
      report.experts[report.best_expert].name, report.difference, report.chunked ? "F1" : "accuracy",
      report.difference_low, report.difference_high, report.p_value);
  append_format(
      out, "calibration error: {:.4f} of tokens, {:.4f} of sequences; edit distance {:.4f} per sequence\n",
      report.calibration_error, report.sequence_calibration_error, report.ensemble.edit_distance);
  out += "\nagreement in percent of tokens:\n";
  for (const EnsembleReport::OfExpert& expert : report.experts) {
    append_format(out, "{}", pad_right(expert.name, width));
    for (const double percent : expert.agreement) append_format(out, "  {:6.2f}", percent);
    if (expert.silent_sequences > 0)
      append_format(out, "  (lacks {})", counted(expert.silent_sequences, "sequence"));
    out += "\n";
  }
  out += "\nright by place, percent:\n" + pad_right("", width);
  for (const std::string& place : report.places) append_format(out, "  {:>11}", place);
  out += "\n";
  for (const EnsembleReport::OfExpert& expert : report.experts) {
    out += pad_right(expert.name, width);
    for (const double percent : expert.by_place) append_format(out, "  {:11.2f}", percent);
    out += "\n";
  }
  out += "\nlabels on which an expert is better or worse than the experts' mean (points of accuracy):\n";
  for (size_t j = 0; j < report.experts.size(); ++j)
    append_format(out, "{}  better: {}; worse: {}\n", pad_right(report.experts[j].name, width),
                  strengths(report, j, true), strengths(report, j, false));
  if (!report.bounds.empty()) out += "\nbounds:\n";
  for (const EnsembleReport::Bound& bound : report.bounds)
    append_format(out, "{}: at most {:.4f}, measured {:.4f} ({})\n", bound.name, bound.bound, bound.measured,
                  bound.meaning);
  return out;
}

}  // namespace

Outcome report_on_ensemble(const EnsembleReportFlags& flags) {
  if (!(flags.rho > 0 && flags.rho <= 1))
    return usage_error("--rho {}: must be above 0 and at most 1", flags.rho);
  ESPALIER_ASSIGN(const Ensemble ensemble, Ensemble::open(flags.model));
  ESPALIER_TRY(check_probabilities(flags.reading, ensemble, flags.model));
  EnsembleReportOptions options;
  options.bounds = flags.bounds;
  options.margin = flags.rho;
  options.any_sequence = flags.any_sequence;
  options.missing = flags.reading.missing;
  options.files = flags.reading.files();
  options.seed = flags.seed;
  if (const Status status = options.check(); !status.ok()) return usage_error(status.error());
  LongWork work(flags.output.quiet);
  work.watch(options);
  const auto report =
      ensemble.report(flags.reading.reference(flags.gold), expert_files(flags.experts), options);
  if (auto outcome = work.interrupted("interrupted before everything was read")) return *outcome;
  if (!report.ok()) return report.error();
  if (flags.bounds && report->bounds.empty())
    say(fmt::format(
        "espalier: no bounds: the paper proves them for mvote, rand and espboost, and this ensemble is {}; "
        "ensemble learn --method mvote makes one that has them",
        ensemble.method()));
  if (flags.output.json) {
    ESPALIER_TRY(print_json(report_json(*report)));
  } else {
    ESPALIER_TRY(print(report_text(*report)));
  }
  return {};
}

}  // namespace espalier::apps
