// espalier ensemble learn: learns from labelled sequences which expert to trust where. Tested in
// ensemble_test.sh.
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/long_work.h"
#include "apps/terminal.h"
#include "apps/verbs/ensemble.h"
#include "espalier/public/ensemble.h"
#include "espalier/public/tools.h"

namespace espalier::apps {
namespace {

EnsembleOptions options_of(const EnsembleLearnFlags& flags) {
  EnsembleOptions options = flags.options;
  options.calibrate = !flags.no_calibration;
  options.missing = flags.reading.missing;
  options.probabilities = flags.reading.probabilities;
  options.files = flags.reading.files();
  return options;
}

Json outcome_json(const Ensemble& ensemble, double seconds) {
  const EnsembleInfo& info = ensemble.info();
  const EnsembleLearning& learning = ensemble.learning();
  Json candidates = Json::array();
  for (const EnsembleLearning::Candidate& candidate : learning.candidates) {
    Json entry = {
        {"method", candidate.method}, {"error", candidate.error}, {"deviation", candidate.deviation}};
    if (candidate.beta > 0) entry["beta"] = candidate.beta;
    if (!candidate.failure.empty()) entry["failure"] = candidate.failure;
    candidates.push_back(std::move(entry));
  }
  const auto measured = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  return {{"method", info.method},
          {"beta", info.beta > 0 ? Json(info.beta) : Json(nullptr)},
          {"substructures", info.substructures},
          {"scheme", info.scheme},
          {"experts", info.experts},
          {"best_expert", info.experts[info.best_expert]},
          {"sequences", info.training_sequences},
          {"tokens", info.training_tokens},
          {"left_out", learning.left_out},
          {"labels", info.labels.size()},
          {"switch_length", info.switch_length},
          {"held_out_error", measured(learning.error)},
          {"held_out_best_expert_error", measured(learning.best_expert_error)},
          {"aligned", info.aligned},
          {"held_out_edit_distance", measured(learning.edit_distance)},
          {"held_out_best_expert_edit_distance", measured(learning.best_expert_edit_distance)},
          {"candidates", std::move(candidates)},
          {"words", info.summary},
          {"notes", learning.notes},
          {"peak_rss_bytes", peak_resident_bytes()},
          {"seconds", seconds}};
}

std::string outcome_text(const Ensemble& ensemble, const std::string& path, double seconds) {
  const EnsembleInfo& info = ensemble.info();
  const EnsembleLearning& learning = ensemble.learning();
  std::string out;
  append_format(out, "{}, {}, {}, {}\n", counted(info.training_sequences, "sequence"),
                counted(info.training_tokens, "token"), counted(info.labels.size(), "label"),
                counted(info.experts.size(), "expert"));
  if (learning.left_out > 0)
    append_format(out, "{} skipped because an expert lacks {}\n", counted(learning.left_out, "sequence"),
                  learning.left_out == 1 ? "it" : "them");
  if (!learning.candidates.empty()) {
    out += "on held-out sequences, error in percent of a sequence's substructures:\n";
    for (const EnsembleLearning::Candidate& c : learning.candidates) {
      append_format(out, "  {:<10}", c.method);
      append_format(out, "{:<12}", c.beta > 0 ? fmt::format("beta {:g}", c.beta) : "");
      if (c.failure.empty())
        append_format(out, "{:7.3f} ± {:.3f}\n", 100 * c.error, 100 * c.deviation);
      else
        append_format(out, "{}\n", c.failure);
    }
  }
  append_format(out, "method {}{}, substructures {}: {}\n", info.method,
                info.beta > 0 ? fmt::format(" with beta {:g}", info.beta) : "", info.substructures,
                info.summary);
  if (learning.error)
    append_format(out, "error on held-out sequences: {:.3f} % (best expert, {}: {:.3f} %)\n",
                  100 * *learning.error, info.experts[info.best_expert],
                  100 * learning.best_expert_error.value_or(0));
  if (learning.edit_distance)
    append_format(out, "edit distance on held-out sequences: {:.4f} (best expert: {:.4f})\n",
                  *learning.edit_distance, learning.best_expert_edit_distance.value_or(0));
  for (const std::string& note : learning.notes) append_format(out, "note: {}\n", note);
  append_format(out, "written to {} in {}\n", path, duration_text(seconds));
  return out;
}

}  // namespace

Outcome learn_ensemble(const EnsembleLearnFlags& flags) {
  EnsembleOptions options = options_of(flags);
  if (const Status status = options.check(); !status.ok()) return usage_error(status.error());
  ESPALIER_TRY(check_no_input(flags.model, {flags.gold}));
  ESPALIER_TRY(check_no_input(flags.model, flags.experts));
  ESPALIER_TRY(check_writable(flags.model));
  const auto start = std::chrono::steady_clock::now();
  LongWork work(flags.output.quiet);
  work.watch(options);
  const auto learned =
      Ensemble::learn(flags.reading.reference(flags.gold), expert_files(flags.experts), options);
  if (auto outcome = work.interrupted("interrupted; no model was written")) return *outcome;
  if (!learned.ok()) return learned.error();
  ESPALIER_TRY(learned->save(flags.model));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (flags.output.json) {
    ESPALIER_TRY(print_json(outcome_json(*learned, seconds)));
  } else if (!flags.output.quiet) {
    ESPALIER_TRY(print(outcome_text(*learned, flags.model, seconds)));
  }
  return {};
}

}  // namespace espalier::apps
