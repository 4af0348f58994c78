// espalier ensemble report: what every expert is worth.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "apps/ensemble.h"
#include "apps/interrupt.h"
#include "apps/progress_display.h"
#include "apps/terminal.h"
#include "espalier/ensemble/report.h"

namespace espalier::apps {
namespace {

constexpr const char* kReportHelp =
    R"(Show what an ensemble and each of its experts are worth on labelled data

For every expert: its scores, its part of the weight, what the ensemble loses without it, how often it agrees with each
other expert, and where it is good: labels and places in the sequence, against the mean of the experts.)";

constexpr const char* kReportExamples = R"(Examples:
  espalier ensemble report test.txt a.txt b.txt c.txt -m votes.model
  espalier ensemble report gold.txt a.txt b.txt c.txt -m votes.model --bounds
--bounds computes the guarantees of Theorems 1, 4, 5 and Proposition 2 of the paper; give the data that was learned from.)";

struct ReportFlags {
  std::string gold, model;
  std::vector<std::string> experts;
  bool bounds = false, any_sequence = false;
  double rho = 0.1;
  uint64_t seed = 1;
  ExpertFlags reading;
  OutputFlags output;
};

using ensemble::EnsembleReport;
using ensemble::Hits;

nlohmann::ordered_json scores_json(const eval::TaggingScores& scores) {
  return {{"accuracy", scores.accuracy()},
          {"sequence_accuracy", scores.sequence_accuracy()},
          {"f1", scores.f1()}};
}

nlohmann::ordered_json report_json(const EnsembleReport& report,
                                   const std::vector<ensemble::BoundLine>& bounds,
                                   const data::LabelSet& labels) {
  nlohmann::ordered_json json = {{"sequences", report.sequences},
                                 {"tokens", report.tokens},
                                 {"ensemble", scores_json(report.ensemble)},
                                 {"majority", scores_json(report.majority)}};
  json["ensemble"]["error"] = report.loss;
  json["aligned"] = report.aligned;
  json["ensemble"]["edit_distance"] = report.whole.edit_distance();
  if (report.aligned) {
    json["ensemble"]["exact"] = report.whole.exact_percent();
    json["majority"]["edit_distance"] = report.majority_whole.edit_distance();
    json["majority"]["exact"] = report.majority_whole.exact_percent();
  }
  json["ensemble"]["calibration_error"] = report.ensemble.calibration().expected_calibration_error();
  json["ensemble"]["sequence_calibration_error"] = report.sequence_calibration.expected_calibration_error();
  json["majority"]["error"] = report.majority_loss;
  json["best_expert"] = report.experts[report.best_expert].name;
  json["against_best_expert"] = {{"difference", report.against_best.difference},
                                 {"low", report.against_best.low},
                                 {"high", report.against_best.high},
                                 {"p_value", report.against_best.p_value}};
  json["experts"] = nlohmann::ordered_json::array();
  const size_t p = report.experts.size();
  for (size_t j = 0; j < p; ++j) {
    const ensemble::ExpertReport& expert = report.experts[j];
    nlohmann::ordered_json entry = {{"name", expert.name}};
    entry.update(scores_json(expert.scores));
    entry["error"] = report.expert_loss[j];
    if (report.aligned) entry["edit_distance"] = expert.whole.edit_distance();
    if (report.aligned) entry["exact"] = expert.whole.exact_percent();
    entry["weight"] = expert.weight;
    entry["worth"] = expert.left_out_loss;
    entry["silent_sequences"] = expert.silent_sequences;
    for (size_t k = 0; k < p; ++k) entry["agreement"].push_back(report.agreement[j * p + k].percent());
    for (size_t c = 0; c < ensemble::kPositionClasses; ++c)
      entry["by_place"][std::string(ensemble::position_class_name(c))] = expert.by_class[c].percent();
    for (size_t label = 0; label < expert.by_label.size(); ++label)
      if (expert.by_label[label].total > 0)
        entry["by_label"][labels.name(static_cast<data::Label>(label))] = expert.by_label[label].percent();
    json["experts"].push_back(std::move(entry));
  }
  for (const ensemble::BoundLine& line : bounds)
    json["bounds"].push_back(
        {{"name", line.name}, {"bound", line.bound}, {"measured", line.measured}, {"meaning", line.meaning}});
  return json;
}

/// Labels on which an expert differs most from the mean of the experts, weighed by how often they occur.
std::string strengths(const EnsembleReport& report, size_t j, const data::LabelSet& labels, bool good) {
  struct Entry {
    double gain;
    std::string text;
  };
  std::vector<Entry> entries;
  const auto& own = report.experts[j].by_label;
  for (size_t label = 0; label < own.size(); ++label) {
    if (own[label].total == 0) continue;
    double mean = 0;
    size_t count = 0;
    for (const ensemble::ExpertReport& expert : report.experts) {
      if (label >= expert.by_label.size() || expert.by_label[label].total == 0) continue;
      mean += expert.by_label[label].percent();
      ++count;
    }
    const double difference = own[label].percent() - mean / static_cast<double>(count);
    if (good ? difference <= 0 : difference >= 0) continue;
    entries.push_back({difference * static_cast<double>(own[label].total),
                       fmt::format("{} {:+.1f}", labels.name(static_cast<data::Label>(label)), difference)});
  }
  std::stable_sort(entries.begin(), entries.end(), [good](const Entry& a, const Entry& b) {
    return good ? a.gain > b.gain : a.gain < b.gain;
  });
  std::string out;
  for (size_t i = 0; i < std::min<size_t>(3, entries.size()); ++i)
    out += (i == 0 ? "" : ", ") + entries[i].text;
  return out.empty() ? "-" : out;
}

std::string report_text(const EnsembleReport& report, const std::vector<ensemble::BoundLine>& bounds,
                        const data::LabelSet& labels) {
  std::string out;
  const auto to = std::back_inserter(out);
  const bool chunked = report.ensemble.chunked();
  size_t width = 8;
  for (const auto& expert : report.experts) width = std::max(width, display_width(expert.name));
  fmt::format_to(to, "{} sequences, {} tokens\n\n", count_text(report.sequences), count_text(report.tokens));
  if (report.aligned)
    out += "(tokens are columns of the outputs put side by side; edits: mean edit distance)\n";
  const std::string_view middle = report.aligned ? "edits" : chunked ? "F1" : "";
  fmt::format_to(to, "{}  accuracy  {:>8}  sequences  error %  weight  worth\n", pad_right("", width),
                 middle);
  const auto line = [&](const std::string& name, const eval::TaggingScores& scores,
                        const ensemble::WholeSequences& whole, double loss, const std::string& rest) {
    const std::string number = report.aligned ? fmt::format("{:.4f}", whole.edit_distance())
                               : chunked      ? fmt::format("{:.2f}", scores.f1())
                                              : "";
    fmt::format_to(to, "{}  {:8.2f}  {:>8}  {:9.2f}  {:7.3f}{}\n", pad_right(name, width), scores.accuracy(),
                   number, report.aligned ? whole.exact_percent() : scores.sequence_accuracy(), 100 * loss,
                   rest);
  };
  line("ensemble", report.ensemble, report.whole, report.loss, "");
  line("majority", report.majority, report.majority_whole, report.majority_loss, "");
  for (size_t j = 0; j < report.experts.size(); ++j)
    line(report.experts[j].name, report.experts[j].scores, report.experts[j].whole, report.expert_loss[j],
         fmt::format("  {:6.3f}  {:+.3f}", report.experts[j].weight, 100 * report.experts[j].left_out_loss));
  out += "(worth: by how much the ensemble's error grows without the expert)\n";
  fmt::format_to(
      to, "\nensemble against the best expert, {}: {:+.2f} points of {} ({:.2f} to {:.2f}), p = {:.4f}\n",
      report.experts[report.best_expert].name, report.against_best.difference, chunked ? "F1" : "accuracy",
      report.against_best.low, report.against_best.high, report.against_best.p_value);
  fmt::format_to(
      to, "calibration error: {:.4f} of tokens, {:.4f} of sequences; edit distance {:.4f} a sequence\n",
      report.ensemble.calibration().expected_calibration_error(),
      report.sequence_calibration.expected_calibration_error(), report.whole.edit_distance());
  out += "\nagreement in percent of tokens:\n";
  const size_t p = report.experts.size();
  for (size_t j = 0; j < p; ++j) {
    fmt::format_to(to, "{}", pad_right(report.experts[j].name, width));
    for (size_t k = 0; k < p; ++k) fmt::format_to(to, "  {:6.2f}", report.agreement[j * p + k].percent());
    if (report.experts[j].silent_sequences > 0)
      fmt::format_to(to, "  (lacks {} sequences)", count_text(report.experts[j].silent_sequences));
    out += "\n";
  }
  out += "\nright by place, percent:\n" + pad_right("", width);
  for (size_t c = 0; c < ensemble::kPositionClasses; ++c)
    fmt::format_to(to, "  {:>11}", ensemble::position_class_name(c));
  out += "\n";
  for (const auto& expert : report.experts) {
    out += pad_right(expert.name, width);
    for (const Hits& hits : expert.by_class) fmt::format_to(to, "  {:11.2f}", hits.percent());
    out += "\n";
  }
  out += "\nlabels on which an expert is better or worse than the experts' mean (points of accuracy):\n";
  for (size_t j = 0; j < p; ++j)
    fmt::format_to(to, "{}  better: {}; worse: {}\n", pad_right(report.experts[j].name, width),
                   strengths(report, j, labels, true), strengths(report, j, labels, false));
  if (!bounds.empty()) out += "\nbounds:\n";
  for (const ensemble::BoundLine& bound : bounds)
    fmt::format_to(to, "{}: at most {:.4f}, measured {:.4f} ({})\n", bound.name, bound.bound, bound.measured,
                   bound.meaning);
  return out;
}

Outcome run(const ReportFlags& flags) {
  if (!(flags.rho > 0 && flags.rho <= 1)) return usage_error("--rho {}: above 0, at most 1", flags.rho);
  ESPALIER_ASSIGN(const ensemble::EnsembleModel model, ensemble::EnsembleModel::open(flags.model));
  data::LabelSet labels = model.labels;
  ESPALIER_ASSIGN(OpenExperts experts, open_experts(flags.gold, true, flags.experts, flags.reading, labels));
  ensemble::AlignedExperts& aligned = *experts.aligned;
  if (aligned.experts() != model.experts.size())
    return fail("{}: the ensemble combines {} experts ({}), but {} are given", flags.model,
                model.experts.size(), fmt::join(model.experts, ", "), aligned.experts());
  if (model.aligned) aligned.align();
  ESPALIER_TRY(ask_probabilities(flags.reading, model, flags.model, aligned));
  ProgressDisplay display(flags.output.quiet ? ProgressDisplay::Mode::kQuiet
                                             : ProgressDisplay::Mode::kBarOnly);
  const InterruptGuard interrupt(InterruptGuard::Input::kEnd);
  const Monitor monitor = display.monitor(interrupt.flag());
  ensemble::Reporter reporter(model, !flags.any_sequence, labels, flags.seed);
  ensemble::TokenVotes votes;
  ESPALIER_TRY(aligned.rewind());
  while (!monitor.stop_requested()) {
    bool left_out = false;
    ESPALIER_ASSIGN(const bool more, aligned.next(votes, left_out));
    if (!more) break;
    if (!left_out) ESPALIER_TRY(reporter.add(votes));
  }
  display.clear();
  if (interrupt.signal() != 0) return {128 + interrupt.signal(), "interrupted before all was read"};
  ESPALIER_ASSIGN(const EnsembleReport report, reporter.finish());
  std::vector<ensemble::BoundLine> bounds;
  if (flags.bounds) {
    ensemble::Substructures substructures(model.substructures, labels, model.scheme);
    ensemble::AlignedSource source(aligned, substructures);
    ESPALIER_ASSIGN(bounds, ensemble::paper_bounds(source, model, flags.rho));
    if (bounds.empty())
      say(fmt::format("espalier: the paper has no bound for {}", ensemble::method_name(model.method)));
  }
  if (flags.output.json) {
    ESPALIER_TRY(print_json(report_json(report, bounds, labels)));
  } else {
    ESPALIER_TRY(print(report_text(report, bounds, labels)));
  }
  return {};
}

}  // namespace

void add_ensemble_report(CLI::App& group, Action& action) {
  CLI::App& verb = *group.add_subcommand("report", kReportHelp);
  const auto flags = std::make_shared<ReportFlags>();
  verb.add_option("GOLD", flags->gold, "labelled sequences")->type_name("")->required();
  verb.add_option("EXPERT", flags->experts, "predictions or models")->type_name("")->required();
  add_model_option(verb, flags->model);
  verb.add_flag("--bounds", flags->bounds, "the paper's guarantees for this model on this data");
  verb.add_option("--rho", flags->rho, "the margin in Theorems 4 and 5 [0.1]")->type_name("R");
  verb.add_flag("--any-sequence", flags->any_sequence, "do not hold the labels to their scheme");
  verb.add_option("--seed", flags->seed, "of the bootstrap [1]")->type_name("N");
  flags->reading.add_to(verb);
  flags->output.add_to(verb);
  verb.footer(kReportExamples);
  verb.callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace espalier::apps
