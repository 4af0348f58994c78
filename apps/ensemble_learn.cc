// espalier ensemble learn: learns from labelled sequences which expert to trust where. Tested in
// ensemble_test.sh.
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/ensemble.h"
#include "apps/long_work.h"
#include "apps/terminal.h"
#include "apps/verb.h"
#include "apps/whole_number.h"
#include "espalier/public/ensemble.h"
#include "espalier/public/tools.h"

namespace espalier::apps {
namespace {

constexpr const char* kLearnHelp =
    R"(Learn from labelled sequences how to combine experts

GOLD has the correct labels, EXPERT... the labels of each expert for the same tokens. The model has weights per expert
and substructure; it does not contain the experts.)";

constexpr const char* kLearnExamples = R"(Substructures: what an expert can be good or bad at
  positions       tokens by position from the front: sequences of one length, or short ones
  classes         tokens by place: first, second, third, middle, third last, second last, last
  tokens          tokens, the same everywhere
  ngrams:2        labels of two (three) tokens in a row, put together by Viterbi
  spans           whole spans of labels such as B-NP I-NP O, by type
  dimensions:|    the parts of labels such as NN|Sing, each separately
Without --substructures: positions if all sequences are equally long (64 tokens at most), otherwise classes.

Examples:
  espalier ensemble learn gold.txt a.txt b.txt c.txt -m votes.model
  espalier ensemble learn gold.txt a.txt b.txt c.txt -m votes.model --method mvote --beta 0.95
  espalier ensemble learn gold.txt crf.model svm.model other-tool.jsonl -m votes.model
  espalier ensemble learn gold.txt list.txt --nbest 10 -m votes.model --missing spread)";

struct LearnFlags {
  std::string gold, model;
  std::vector<std::string> experts;
  EnsembleOptions options;  ///< but for what ExpertFlags has
  bool no_calibration = false;
  ExpertFlags reading;
  OutputFlags output;
};

std::string methods_help() {
  std::string out =
      "Methods:\n  auto          the best of the others, except rand and fpl-cv, on held-out data\n";
  for (const MethodInfo& info : ensemble_methods())
    out += fmt::format("  {:<12}  {}\n", info.name, info.summary);
  return out;
}

EnsembleOptions options_of(const LearnFlags& flags) {
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

Outcome run(const LearnFlags& flags) {
  EnsembleOptions options = options_of(flags);
  if (const Status status = options.check(); !status.ok()) return usage_error(status.error());
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

}  // namespace

void add_ensemble_learn(CLI::App& group, Action& action) {
  const auto [verb, flags] = add_verb<LearnFlags>(group, action, "learn", kLearnHelp, run);
  add_gold_and_experts(verb, flags.gold, flags.experts);
  add_model_option(verb, flags.model);
  verb.add_option("--method", flags.options.method, "how to combine, see below [auto]")->type_name("M");
  verb.add_option("--beta", flags.options.beta,
                  "factor by which an error multiplies a weight [chosen on held-out data]")
      ->type_name("B");
  verb.add_option("--delta", flags.options.delta, "confidence of the bound that selects distributions [0.05]")
      ->type_name("D");
  verb.add_option("--epsilon", flags.options.epsilon,
                  "perturbations of fpl are up to 1/epsilon [0.5/(experts × slots)]")
      ->type_name("E");
  verb.add_option("--loss-bound", flags.options.loss_bound,
                  "the largest possible loss of a sequence, M in that bound [1]")
      ->type_name("M");
  verb.add_flag("--normalised-exponent", flags.options.normalised_exponent,
                "an error counts 1/length instead of 1 in the exponent of beta");
  add_number_option(verb, "--rounds", flags.options.rounds, "rounds of espboost and sle [100]", 1, 1000000);
  verb.add_option("--form", flags.options.form,
                  "espboost under an automaton or label scheme: best sum of weights,\nor best product [sum]")
      ->type_name("FORM");
  verb.add_option("--substructures", flags.options.substructures, "what is combined, see below")
      ->type_name("S");
  verb.add_option(
          "--automaton", flags.options.automaton,
          "an OpenFst file, binary or text, with the allowed paths through\nthe experts; label j is expert j")
      ->type_name("FST");
  verb.add_option("--align", flags.options.align,
                  "align outputs of unequal length: yes, no, or auto (if gold and\nexperts have "
                  "labels only and the numbers of labels differ)\n[auto]")
      ->type_name("HOW");
  verb.add_flag("--switch", flags.options.learn_switch,
                "give short sequences to the best expert if that is better");
  verb.add_flag("--any-sequence", flags.options.any_sequence,
                "allow label sequences that break their scheme");
  verb.add_flag("--no-calibration", flags.no_calibration, "use the vote's shares as confidences, unchanged");
  verb.add_option("--memory", flags.options.memory_megabytes,
                  "megabytes of votes kept in memory; further ones go to a\ntemporary file [8]")
      ->type_name("MB")
      ->check(whole_number(0, 1000000));
  add_seed_option(verb, flags.options.seed, "the same seed gives the same model [1]");
  add_threads_option(verb, flags.options.threads);
  flags.reading.add_to(verb);
  flags.output.add_to(verb);
  verb.footer(methods_help() + "\n" + kLearnExamples);
}

}  // namespace espalier::apps
