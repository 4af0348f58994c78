#include "apps/verbs/train_report.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "apps/terminal.h"

namespace espalier::apps {
namespace {

std::string passes_text(const Training& report) {
  std::string text = fmt::format("{}", report.log.size());
  const auto first = std::find_if(report.log.begin(), report.log.end(),
                                  [](const auto& round) { return round.objective.has_value(); });
  if (first != report.log.end() && report.log.back().objective && report.log.size() > 1)
    text += fmt::format(", {} {:.4g} in the first and {:.4g} in the last", report.objective_name,
                        *first->objective, *report.log.back().objective);
  if (report.interrupted) text += ", stopped early as requested";
  if (report.stopped_early) text += ", stopped because the development score no longer rose";
  if (report.best_pass) {
    const auto best = std::find_if(report.log.begin(), report.log.end(),
                                   [&](const auto& round) { return round.number == *report.best_pass; });
    if (best != report.log.end() && best->dev_score)
      text += fmt::format("; best on development data: pass {} with {} {:.2f}", best->number,
                          report.dev_measure, *best->dev_score);
  }
  return text;
}

}  // namespace

Json train_report_json(const Training& report, const std::string& model, const std::vector<RankUse>& ranks) {
  Json log = Json::array();
  for (const auto& round : report.log) {
    Json entry = {{"round", round.number}};
    entry["objective"] = round.objective ? Json(*round.objective) : Json(nullptr);
    entry["dev_score"] = round.dev_score ? Json(*round.dev_score) : Json(nullptr);
    entry["seconds"] = round.seconds;
    log.push_back(std::move(entry));
  }
  const ModelInfo& info = report.tagger.info();
  Json out = {{"model", model},
              {"task", info.task},
              {"learner", info.learner},
              {"seed", info.seed},
              {"seconds", report.seconds},
              {"reading_seconds", report.reading_seconds},
              {"sequences", report.sequences},
              {"tokens", report.tokens},
              {"features", report.features},
              {"weights", report.weights},
              {"labels", report.labels},
              {"model_bytes", report.model_bytes},
              {"peak_rss_bytes", peak_resident_bytes()},
              {"best_round", report.best_pass ? Json(*report.best_pass) : Json(nullptr)},
              {"stopped_early", report.stopped_early},
              {"interrupted", report.interrupted},
              {"notes", report.notes},
              {"objective_name", report.objective_name},
              {"dev_measure", report.dev_measure.empty() ? Json(nullptr) : Json(report.dev_measure)},
              {"log", std::move(log)}};
  out["ranks"] = report.ranks;
  if (!ranks.empty()) {
    Json use = Json::array();
    for (const RankUse& one : ranks)
      use.push_back({{"sent_bytes", one.sent},
                     {"received_bytes", one.received},
                     {"waited_seconds", one.waited},
                     {"processor_seconds", one.worked}});
    out["use_of_ranks"] = std::move(use);
  }
  out.update(parse_json(report.details));
  return out;
}

std::string train_report_text(const Training& report, const std::string& model,
                              const std::vector<RankUse>& ranks) {
  std::string out;
  const auto line = [&](std::string_view name, const std::string& value) {
    append_format(out, "{:<10} {}\n", name, value);
  };
  line("data", fmt::format("{}, {}, {}", counted(report.sequences, "sequence"),
                           counted(report.tokens, "token"), counted(report.labels, "label")));
  line("features",
       fmt::format("{}, with {}", count_text(report.features), counted(report.weights, "weight")));
  line("passes", passes_text(report));
  line("time", fmt::format("{}, of which reading {}", duration_text(report.seconds),
                           duration_text(report.reading_seconds)));
  if (ranks.size() > 1) {
    double waited = 0, received = 0;
    for (const RankUse& one : ranks) {
      waited = std::max(waited, one.waited);
      received = std::max(received, static_cast<double>(one.received));
    }
    line("ranks", fmt::format("{}; one received {} and waited {} at most", ranks.size(), bytes_text(received),
                              duration_text(waited)));
  }
  line("memory", bytes_text(static_cast<double>(peak_resident_bytes())) + " at most");
  line("model", fmt::format("{}, {}", model, bytes_text(static_cast<double>(report.model_bytes))));
  for (const std::string& note : report.notes) line("note", note);
  append_format(out, "\nnext:  espalier tag INPUT -m {0}\n       espalier eval TEST -m {0}\n",
                shell_word(model));
  return out;
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+./,:@%=";
  if (!text.empty() && text.find_first_not_of(kPlain) == text.npos) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted.push_back(c);
    }
  }
  return quoted + "'";
}

}  // namespace espalier::apps
