// espalier ensemble learn: whom to trust where, from labelled sequences.
#include <CLI/CLI.hpp>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/ensemble.h"
#include "apps/interrupt.h"
#include "apps/progress_display.h"
#include "apps/terminal.h"
#include "espalier/base/atomic_file.h"
#include "espalier/ensemble/learn.h"

namespace espalier::apps {
namespace {

constexpr const char* kLearnHelp =
    R"(Learn from labelled sequences how to combine experts

GOLD holds the labels to be had, EXPERT... what each expert says about the same tokens. The model remembers weights by
expert and substructure; the experts themselves stay outside.)";

constexpr const char* kLearnExamples = R"(Substructures: what an expert can be good or bad at
  positions       tokens by position from the front: sequences of one length, or short ones
  classes         tokens by place: first, second, third, middle, third last, second last, last
  tokens          tokens, the same everywhere
  ngrams:2        labels of two (three) tokens in a row, put together by Viterbi
  spans           whole spans of labels such as B-NP I-NP O, by type
  dimensions:|    the parts of labels such as NN|Sing, each for itself
Without --substructures: positions where all sequences are equally long (64 tokens at most), classes otherwise.

Examples:
  espalier ensemble learn gold.txt a.txt b.txt c.txt -m votes.model
  espalier ensemble learn gold.txt a.txt b.txt c.txt -m votes.model --method mvote --beta 0.95
  espalier ensemble learn gold.txt crf.model svm.model other-tool.jsonl -m votes.model
  espalier ensemble learn gold.txt list.txt --nbest 10 -m votes.model --missing spread)";

struct LearnFlags {
  std::string gold, model, method = "auto", substructures, automaton, align = "auto", form;
  std::vector<std::string> experts;
  std::optional<double> beta;
  double delta = 0.05, epsilon = 0, loss_bound = 1;
  int rounds = 100;
  bool normalised = false, learn_switch = false, no_calibration = false, any_sequence = false;
  size_t memory = ensemble::VoteStore::kDefaultMemory >> 20;  // MB
  uint64_t seed = 1;
  int threads = 0;
  ExpertFlags reading;
  OutputFlags output;
};

std::string methods_help() {
  std::string out =
      "Methods:\n  auto          the best of the others (but rand and fpl-cv) on held-out data\n";
  for (const ensemble::MethodInfo& info : ensemble::methods())
    out += fmt::format("  {:<12}  {}\n", info.name, info.summary);
  return out;
}

Status check(const LearnFlags& flags) {
  if (flags.beta && !(*flags.beta > 0 && *flags.beta < 1))
    return fail("--beta {}: between 0 and 1", *flags.beta);
  if (!(flags.delta > 0 && flags.delta < 1)) return fail("--delta {}: between 0 and 1", flags.delta);
  if (flags.align != "auto" && flags.align != "yes" && flags.align != "no")
    return fail("--align '{}': there are auto, yes and no", flags.align);
  if (!(flags.epsilon >= 0)) return fail("--epsilon {}: above 0", flags.epsilon);
  if (!(flags.loss_bound > 0)) return fail("--loss-bound {}: above 0", flags.loss_bound);
  if (!flags.form.empty() && flags.form != "sum" && flags.form != "product")
    return fail("--form '{}': there are sum and product", flags.form);
  if (!flags.form.empty() && flags.method != "espboost") return fail("--form goes with --method espboost");
  if (flags.reading.probabilities && flags.method != "espboost")
    return fail("--probabilities goes with --method espboost");
  if (flags.reading.probabilities && flags.align == "yes")
    return fail("--probabilities does not go with outputs put side by side");
  return {};
}

/// One pass over everything: labels, lengths, the scheme, and the votes themselves.
struct Scan {
  explicit Scan(size_t memory) : sample(memory) {}
  ensemble::VoteStore sample;
  size_t sequences = 0, tokens = 0, left_out = 0;
  bool one_length = true;
  size_t length = 0;
  data::Scheme scheme = data::Scheme::kNone;
  std::vector<uint64_t> fingerprint;  ///< per expert, of all it says
  std::vector<size_t> uses;           ///< labels × experts
  std::vector<uint8_t> in_gold;       ///< per label

  void count(const ensemble::TokenVotes& votes, size_t labels) {
    const size_t p = votes.experts;
    fingerprint.resize(p, 0);
    uses.resize(labels * p, 0);
    for (size_t t = 0; t < votes.length(); ++t)
      for (size_t j = 0; j < p; ++j) {
        const data::Label label = votes.label(t, j);
        fingerprint[j] = (fingerprint[j] ^ label) * 0x9E3779B97F4A7C15ull + 1;
        if (label != data::kNoLabel) ++uses[label * p + j];
      }
  }
  /// What is odd about the experts, in words.
  void remarks(const std::vector<std::string>& names, const data::LabelSet& labels,
               std::vector<std::string>& notes) const;
};

void Scan::remarks(const std::vector<std::string>& names, const data::LabelSet& labels,
                   std::vector<std::string>& notes) const {
  constexpr size_t kShown = 5;
  const size_t p = names.size();
  if (p == 1) notes.push_back("there is one expert only: nothing to combine, its labels come back");
  for (size_t j = 1; j < p; ++j)
    for (size_t k = 0; k < j; ++k)
      if (fingerprint[j] == fingerprint[k]) {
        notes.push_back(fmt::format("{} says the same as {} throughout", names[j], names[k]));
        break;
      }
  for (size_t j = 0; j < p; ++j) {
    std::string text;
    size_t unseen = 0;
    for (size_t label = 0; label < labels.size(); ++label) {
      const size_t times = label * p + j < uses.size() ? uses[label * p + j] : 0;
      const std::string& name = labels.name(static_cast<data::Label>(label));
      if (times == 0 || (label < in_gold.size() && in_gold[label]) || name == ensemble::kGapText) continue;
      if (unseen++ < kShown) text += fmt::format("{}{} ({} times)", text.empty() ? "" : ", ", name, times);
    }
    if (unseen > kShown) text += fmt::format(" and {} more", unseen - kShown);
    if (unseen > 0)
      notes.push_back(fmt::format("{} uses labels that gold does not have: {}", names[j], text));
  }
}

Result<Scan> scan(ensemble::AlignedExperts& aligned, const data::LabelSet& labels, size_t memory,
                  const Monitor& monitor) {
  Scan result(memory);
  data::SchemeDetector detector;
  std::vector<std::string_view> gold;
  ensemble::TokenVotes votes;
  ESPALIER_TRY(aligned.rewind());
  while (true) {
    if (monitor.stop_requested()) return fail("interrupted while reading");
    bool left_out = false;
    ESPALIER_ASSIGN(const bool more, aligned.next(votes, left_out));
    if (!more) break;
    result.left_out += left_out;
    if (left_out) continue;
    gold.clear();
    for (const data::Label label : votes.gold) {
      gold.push_back(label == data::kNoLabel ? data::kUnknownLabelText
                                             : std::string_view(labels.name(label)));
      if (label == data::kNoLabel || (aligned.aligning() && label == aligned.gap())) continue;
      if (label >= result.in_gold.size()) result.in_gold.resize(label + 1u, 0);
      result.in_gold[label] = 1;
    }
    detector.add(gold);
    const size_t length = votes.length();
    if (length > 0) {
      result.one_length &= result.length == 0 || result.length == length;
      result.length = length;
    }
    ++result.sequences;
    result.tokens += length;
    result.count(votes, labels.size());
    ESPALIER_TRY(result.sample.add(votes));
  }
  ESPALIER_TRY(result.sample.finish());
  if (result.tokens == 0) return fail("{}: every sequence is empty or left out", aligned.reference().name());
  result.scheme = detector.scheme();
  return result;
}

Result<ensemble::LearnRequest> resolve(const LearnFlags& flags) {
  ensemble::LearnRequest request;
  if (flags.method == "auto") {
    using ensemble::Method;
    request.methods = {Method::kMvote, Method::kCv,       Method::kFpl, Method::kEspboost,
                       Method::kSle,   Method::kMajority, Method::kBest};
    if (!flags.automaton.empty())
      request.methods = {Method::kMvote, Method::kCv, Method::kFpl, Method::kEspboost};
  } else {
    ESPALIER_ASSIGN(const ensemble::Method method, ensemble::parse_method(flags.method));
    request.methods = {method};
  }
  if (flags.beta)
    request.betas = {*flags.beta};
  else
    request.betas.assign(std::begin(ensemble::kBetas), std::end(ensemble::kBetas));
  request.options.online.delta = request.options.fpl.delta = flags.delta;
  request.options.online.loss_bound = request.options.fpl.loss_bound = flags.loss_bound;
  request.options.online.wmwp.normalised_exponent = flags.normalised;
  request.options.fpl.epsilon = flags.epsilon;
  request.options.fpl.seed = flags.seed;
  request.options.boost.rounds = request.options.sle.rounds = flags.rounds;
  if (flags.method == "espboost" && flags.form != "product") request.form = ensemble::VoteForm::kSum;
  request.probabilities = flags.reading.probabilities;
  request.learn_switch = flags.learn_switch;
  request.calibrate = !flags.no_calibration;
  request.legal = !flags.any_sequence;
  request.seed = flags.seed;
  request.threads = flags.threads;
  return request;
}

nlohmann::ordered_json outcome_json(const ensemble::LearnOutcome& outcome, const Scan& seen, double seconds) {
  const ensemble::EnsembleModel& model = outcome.model;
  nlohmann::ordered_json candidates = nlohmann::ordered_json::array();
  for (const ensemble::Candidate& candidate : outcome.candidates) {
    nlohmann::ordered_json entry = {{"method", ensemble::method_name(candidate.method)},
                                    {"error", candidate.loss},
                                    {"deviation", candidate.deviation}};
    if (candidate.beta > 0) entry["beta"] = candidate.beta;
    if (!candidate.failure.empty()) entry["failure"] = candidate.failure;
    candidates.push_back(std::move(entry));
  }
  const auto measured = [](double value) {
    return value < 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(value);
  };
  return {{"method", ensemble::method_name(model.method)},
          {"beta", model.beta > 0 ? nlohmann::ordered_json(model.beta) : nlohmann::ordered_json(nullptr)},
          {"substructures", ensemble::substructures_text(model.substructures)},
          {"scheme", data::scheme_name(model.scheme)},
          {"experts", model.experts},
          {"best_expert", model.experts[model.best_expert]},
          {"sequences", seen.sequences},
          {"tokens", seen.tokens},
          {"left_out", seen.left_out},
          {"labels", model.labels.size()},
          {"switch_length", model.switch_length},
          {"held_out_error", measured(outcome.held_out_error)},
          {"held_out_best_expert_error", measured(outcome.held_out_best)},
          {"aligned", model.aligned},
          {"held_out_edit_distance", measured(outcome.held_out_edits)},
          {"held_out_best_expert_edit_distance", measured(outcome.held_out_best_edits)},
          {"candidates", std::move(candidates)},
          {"words", model.words},
          {"notes", outcome.notes},
          {"peak_rss_bytes", peak_resident_bytes()},
          {"seconds", seconds}};
}

std::string outcome_text(const ensemble::LearnOutcome& outcome, const Scan& seen, const std::string& path,
                         double seconds) {
  const ensemble::EnsembleModel& model = outcome.model;
  std::string out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{} sequences, {} tokens, {} labels, {} experts\n", count_text(seen.sequences),
                 count_text(seen.tokens), model.labels.size(), model.experts.size());
  if (seen.left_out > 0)
    fmt::format_to(to, "{} sequences left out, since an expert lacks them\n", count_text(seen.left_out));
  if (!outcome.candidates.empty()) {
    out += "on held-out sequences, error in percent of a sequence's substructures:\n";
    for (const ensemble::Candidate& c : outcome.candidates) {
      fmt::format_to(to, "  {:<10}", ensemble::method_name(c.method));
      fmt::format_to(to, "{:<12}", c.beta > 0 ? fmt::format("beta {:g}", c.beta) : "");
      if (c.failure.empty())
        fmt::format_to(to, "{:7.3f} ± {:.3f}\n", 100 * c.loss, 100 * c.deviation);
      else
        fmt::format_to(to, "{}\n", c.failure);
    }
  }
  fmt::format_to(to, "method {}{}, substructures {}: {}\n", ensemble::method_name(model.method),
                 model.beta > 0 ? fmt::format(" with beta {:g}", model.beta) : "",
                 ensemble::substructures_text(model.substructures), model.words);
  if (outcome.held_out_error >= 0)
    fmt::format_to(to, "error on held-out sequences: {:.3f} % (best expert, {}: {:.3f} %)\n",
                   100 * outcome.held_out_error, model.experts[model.best_expert],
                   100 * outcome.held_out_best);
  if (outcome.held_out_edits >= 0)
    fmt::format_to(to, "edit distance on held-out sequences: {:.4f} (best expert: {:.4f})\n",
                   outcome.held_out_edits, outcome.held_out_best_edits);
  for (const std::string& note : outcome.notes) fmt::format_to(to, "note: {}\n", note);
  fmt::format_to(to, "written to {} in {}\n", path, duration_text(seconds));
  return out;
}

Outcome run(const LearnFlags& flags) {
  if (const Status status = check(flags); !status.ok()) return usage_error(status.error());
  auto request = resolve(flags);
  if (!request.ok()) return usage_error(request.error());
  if (!flags.substructures.empty()) {
    const auto chosen = ensemble::parse_substructures(flags.substructures);
    if (!chosen.ok()) return usage_error(chosen.error());
    request->substructures = *chosen;
  }
  ESPALIER_TRY(AtomicFile::check_writable(flags.model));
  const auto start = std::chrono::steady_clock::now();
  data::LabelSet labels;
  ESPALIER_ASSIGN(OpenExperts experts, open_experts(flags.gold, true, flags.experts, flags.reading, labels));
  ensemble::AlignedExperts& aligned = *experts.aligned;
  ProgressDisplay display(flags.output.quiet ? ProgressDisplay::Mode::kQuiet
                                             : ProgressDisplay::Mode::kBarOnly);
  const InterruptGuard interrupt(InterruptGuard::Input::kEnd);
  const Monitor monitor = display.monitor(interrupt.flag());

  if (flags.align == "yes") aligned.align();
  if (flags.reading.probabilities) ESPALIER_TRY(aligned.ask_probabilities(flags.reading.probability_column));
  auto scanned = scan(aligned, labels, flags.memory << 20, monitor);
  if (!scanned.ok() && aligned.lengths_differ() && flags.align == "auto" && !flags.reading.probabilities) {
    labels = {};
    aligned.align();
    scanned = scan(aligned, labels, flags.memory << 20, monitor);
  }
  if (!scanned.ok()) return scanned.error();
  Scan& seen = *scanned;
  const std::vector<std::string> names = aligned.expert_names();
  std::optional<ensemble::ExpertAutomaton> automaton;
  if (!flags.automaton.empty()) {
    ESPALIER_ASSIGN(automaton, ensemble::ExpertAutomaton::open(flags.automaton, names));
    request->options.automaton = &*automaton;
    request->substructures.kind = ensemble::SubstructureKind::kPositions;
    if (!flags.substructures.empty() && flags.substructures != "positions")
      return usage_error("--automaton speaks of positions; --substructures {} does not fit",
                         flags.substructures);
  } else if (flags.substructures.empty() && seen.one_length && seen.length <= 64) {
    request->substructures.kind = ensemble::SubstructureKind::kPositions;
  }
  request->scheme = aligned.aligning() ? data::Scheme::kNone : seen.scheme;
  request->aligned = aligned.aligning();
  using Kind = ensemble::SubstructureKind;
  if (aligned.aligning() &&
      (request->substructures.kind == Kind::kSpans || request->substructures.kind == Kind::kDimensions))
    return usage_error("--substructures {} does not go with outputs put side by side", flags.substructures);
  if (flags.reading.probabilities && request->substructures.kind != Kind::kPositions &&
      request->substructures.kind != Kind::kClasses && request->substructures.kind != Kind::kTokens)
    return usage_error("--probabilities goes with the substructures positions, classes and tokens");
  if (request->substructures.kind == ensemble::SubstructureKind::kSpans && seen.scheme == data::Scheme::kNone)
    return fail("{}: the labels are not of the form B-TYPE, I-TYPE, O, so there are no spans to combine",
                flags.gold);

  auto learned = ensemble::learn_ensemble(seen.sample, labels, *request, monitor);
  if (interrupt.signal() != 0) return {128 + interrupt.signal(), "interrupted; no model was written"};
  if (!learned.ok()) return learned.error();
  ensemble::LearnOutcome& outcome = *learned;
  if (aligned.aligning())
    outcome.notes.push_back(
        "outputs of unequal length are put side by side, with gaps; tokens here are columns of that");
  outcome.model.experts = names;
  outcome.model.automaton = std::move(automaton);
  outcome.model.training_sequences = seen.sequences;
  outcome.model.training_tokens = seen.tokens;
  seen.remarks(names, outcome.model.labels, outcome.notes);
  display.clear();
  if (interrupt.signal() != 0) return {128 + interrupt.signal(), "interrupted; no model was written"};
  ESPALIER_TRY(outcome.model.save(flags.model));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (flags.output.json) {
    ESPALIER_TRY(print_json(outcome_json(outcome, seen, seconds)));
  } else if (!flags.output.quiet) {
    ESPALIER_TRY(print(outcome_text(outcome, seen, flags.model, seconds)));
  }
  return {};
}

}  // namespace

void add_ensemble_learn(CLI::App& group, Action& action) {
  CLI::App& verb = *group.add_subcommand("learn", kLearnHelp);
  const auto flags = std::make_shared<LearnFlags>();
  verb.add_option("GOLD", flags->gold, "labelled sequences")->type_name("")->required();
  verb.add_option("EXPERT", flags->experts, "predictions or models")->type_name("")->required();
  add_model_option(verb, flags->model);
  verb.add_option("--method", flags->method, "how to combine, see below [auto]")->type_name("M");
  verb.add_option("--beta", flags->beta, "what an error leaves of a weight [tried out on held-out data]")
      ->type_name("B");
  verb.add_option("--delta", flags->delta, "confidence of the bound that picks distributions [0.05]")
      ->type_name("D");
  verb.add_option("--epsilon", flags->epsilon,
                  "perturbations of fpl are up to 1/epsilon [0.5/(experts × slots)]")
      ->type_name("E");
  verb.add_option("--loss-bound", flags->loss_bound, "the largest loss of a sequence, M in that bound [1]")
      ->type_name("M");
  verb.add_flag("--normalised-exponent", flags->normalised,
                "an error counts 1/length in beta's exponent, not 1");
  verb.add_option("--rounds", flags->rounds, "rounds of espboost and sle [100]")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000).description(""));
  verb.add_option("--form", flags->form,
                  "espboost under an automaton or label scheme: best sum of weights,\nor best product [sum]")
      ->type_name("FORM");
  verb.add_option("--substructures", flags->substructures, "what is combined, see below")->type_name("S");
  verb.add_option("--automaton", flags->automaton,
                  "an OpenFst file: the paths through experts that are allowed;\nlabel j is expert j")
      ->type_name("FST");
  verb.add_option(
          "--align", flags->align,
          "put outputs of unequal length side by side: yes, no, or auto\n(where gold and experts hold "
          "labels alone and the numbers of\nlabels differ) [auto]")
      ->type_name("HOW");
  verb.add_flag("--switch", flags->learn_switch,
                "leave short sequences to the best expert, where that is better");
  verb.add_flag("--any-sequence", flags->any_sequence,
                "do not hold the labels to their scheme when measuring");
  verb.add_flag("--no-calibration", flags->no_calibration,
                "take the vote's shares for confidences as they are");
  verb.add_option("--memory", flags->memory,
                  "megabytes of votes held in memory; more of them go to a\ntemporary file [8]")
      ->type_name("MB")
      ->check(CLI::Range(0, 1000000).description(""));
  verb.add_option("--seed", flags->seed, "the same seed gives the same model [1]")->type_name("N");
  add_threads_option(verb, flags->threads);
  flags->reading.add_to(verb);
  flags->output.add_to(verb);
  verb.footer(methods_help() + "\n" + kLearnExamples);
  verb.callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace espalier::apps
