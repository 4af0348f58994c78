// Punyakanok, Roth, Yih and Zimak (2005), Figure 3: semantic roles by the number of features, for learning
// only, learning with inference and inference-based training.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "espalier/base/files/input.h"
#include "espalier/base/random.h"
#include "espalier/eval/plot.h"
#include "espalier/eval/significance.h"
#include "research/constrained/role_model.h"
#include "research/experiment.h"
#include "research/experiments.h"

namespace espalier::research {

namespace {

using tasks::RolePredicate;
using tasks::RoleScores;

double role_seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct RoleCorpus {
  std::vector<RolePredicate> train, test;
};

Result<RoleCorpus> read_roles(const Request& request, const std::string& folder) {
  RoleCorpus out;
  ESPALIER_ASSIGN(out.train, tasks::read_predicates(request.corpus(folder + "/train.verbs.jsonl.gz")));
  ESPALIER_ASSIGN(out.test, tasks::read_predicates(request.corpus(folder + "/test.verbs.jsonl.gz")));
  if (request.quick) {
    out.train.resize(std::min<size_t>(out.train.size(), 1000));
    out.test.resize(std::min<size_t>(out.test.size(), 100));
  }
  return out;
}

/// Predicates with only their gold arguments; those without any are removed. Only those of sentences that
/// have more than `more_than` arguments, all predicates together: a predicate's id is its sentence.
std::vector<RolePredicate> given_boundaries(const std::vector<RolePredicate>& all, size_t more_than) {
  std::map<std::string, size_t> arguments;
  std::vector<RolePredicate> given, out;
  for (const RolePredicate& p : all) {
    RolePredicate only = tasks::arguments_only(p);
    only.missed.clear();  // not a candidate here, and not part of the task
    if (only.candidates.empty()) continue;
    arguments[only.id] += only.candidates.size();
    given.push_back(std::move(only));
  }
  for (RolePredicate& p : given)
    if (arguments[p.id] > more_than) out.push_back(std::move(p));
  return out;
}

std::vector<RolePredicate> together(std::vector<RolePredicate> first, std::vector<RolePredicate> second) {
  for (RolePredicate& p : second) first.push_back(std::move(p));
  return first;
}

/// Everything that training and decoding need for one setting.
struct RoleSetting {
  std::vector<RolePredicate> train, test;
  linear::EncodedTraining training;
  std::optional<constrain::Constraints> constraints;
};

Result<RoleSetting> prepare(std::vector<RolePredicate> train, std::vector<RolePredicate> test,
                            const std::string& rolesets, const Workers& workers) {
  RoleSetting out;
  // A predicate without candidates cannot be learned from; in the test set its arguments still count as
  // missed.
  std::erase_if(train, [](const RolePredicate& p) { return p.candidates.empty(); });
  out.train = std::move(train);
  out.test = std::move(test);
  out.training = encode_roles(out.train, workers);
  const data::LabelSet& labels = out.training.labels;
  ESPALIER_ASSIGN(out.constraints,
                  constrain::Constraints::resolve(
                      tasks::role_constraints(labels, "rolesets.tsv"), "roles", tasks::role_shape(labels),
                      labels, [&](const std::string&) -> Result<std::string> { return rolesets; }));
  return out;
}

struct RegimeScores {
  RoleScores scores[3];                                  ///< LO, L+I, IBT
  std::vector<eval::SequenceStatistics> by_sentence[3];  ///< for the bootstrap
  size_t broken[3] = {0, 0, 0};
  size_t legal_gold = 0;
  std::string note;
};

/// Trains twice on the most frequent features and scores three times.
Result<RegimeScores> run_regimes(const RoleSetting& setting, size_t features, int passes,
                                 const Request& request, const Workers& workers) {
  const linear::EncodedTraining training = most_frequent_features(setting.training, features);
  const RoleTraining local{nullptr, setting.train, passes, request.seed};
  const RoleTraining global{&*setting.constraints, setting.train, passes, request.seed};
  RegimeScores out;
  ESPALIER_ASSIGN(const chain::ChainWeights by_itself,
                  train_roles(training, local, workers, request.monitor));
  ESPALIER_ASSIGN(const chain::ChainWeights together,
                  train_roles(training, global, workers, request.monitor, &out.note));
  if (request.monitor.stop_requested()) return fail("interrupted");
  const constrain::Compiled compiled(*setting.constraints);
  const linear::Dataset test = encode_roles(setting.test, training);
  chain::SequenceScores buffer;
  std::map<std::string, size_t> sentence;  // by id, its place in by_sentence
  for (size_t s = 0; s < setting.test.size(); ++s) {
    const constrain::Instance instance = tasks::role_instance(*setting.constraints, setting.test[s]);
    const size_t at = sentence.emplace(setting.test[s].id, sentence.size()).first->second;
    for (int regime = 0; regime < 3; ++regime) {
      chain::score_sequence(regime == 2 ? together : by_itself, test, s, buffer);
      constrain::Decoded found = assign_roles(regime == 0 ? nullptr : &compiled, instance, buffer.view);
      if (found.labels.size() != instance.length) {  // given arguments that overlap
        constrain::Scores own = buffer.view;
        own.trans = nullptr;
        found = constrain::compromise(compiled, instance, own, {}).best;
      }
      std::vector<std::string_view> roles;
      for (const data::Label y : found.labels) roles.push_back(training.labels.name(y));
      RoleScores own;
      own.add(setting.test[s], roles);
      out.scores[regime].merge(own);
      out.by_sentence[regime].resize(sentence.size());
      eval::SequenceStatistics& statistics = out.by_sentence[regime][at];
      statistics.tokens += static_cast<uint32_t>(own.candidates);
      statistics.correct += static_cast<uint32_t>(own.right);
      statistics.chunks.gold += own.gold;
      statistics.chunks.found += own.predicted;
      statistics.chunks.correct += own.found;
      out.broken[regime] += !setting.constraints->broken_constraints(instance, found.labels).empty();
    }
  }
  return out;
}

constexpr const char* kRoleRegimes[3] = {"LO", "L+I", "IBT"};

/// How much one regime leads another, with an interval of 95 % by a paired bootstrap over sentences.
Result<eval::BootstrapResult> lead_of(const RegimeScores& scores, int regime, int other,
                                      const Request& request) {
  return eval::paired_bootstrap(scores.by_sentence[other], scores.by_sentence[regime], eval::Metric::kF1,
                                Random(request.seed),
                                {.samples = request.quick ? 200u : 2000u, .confidence = 0.95});
}

std::string lead_in_words(const eval::BootstrapResult& lead) {
  return fmt::format("F1 {:.2f} and {:.2f}, difference {:+.2f} ({:+.2f} to {:+.2f})", lead.second, lead.first,
                     lead.difference, lead.low, lead.high);
}

/// Figure 3's claims on one set: which regime leads with the fewest and with all features.
Status claim_orderings(const std::string& name, const std::map<size_t, RegimeScores>& found,
                       const Request& request, Report& report) {
  const RegimeScores &few = found.begin()->second, &full = found.rbegin()->second;
  const struct {
    const char* what;
    const RegimeScores& scores;
    int leads, other;
  } orderings[] = {{"with all features L+I leads LO", full, 1, 0},
                   {"with few features IBT leads LO", few, 2, 0},
                   {"with few features IBT leads L+I", few, 2, 1},
                   {"with all features L+I leads IBT", full, 1, 2}};
  for (const auto& ordering : orderings) {
    ESPALIER_ASSIGN(const eval::BootstrapResult lead,
                    lead_of(ordering.scores, ordering.leads, ordering.other, request));
    report.claim(
        fmt::format("{}: {}, beyond chance", name, ordering.what), lead.low > 0, lead_in_words(lead),
        lead.high >= 0
            ? "the difference is within what other test sentences would change"
            : "our features separate better than the paper's, so training through inference pays longer");
  }
  return {};
}

/// One figure: F1 by the number of features. Returns the scores by features.
Result<std::map<size_t, RegimeScores>> sweep_features(const RoleSetting& setting, const std::string& name,
                                                      int passes, const std::vector<size_t>& sizes,
                                                      const Request& request, const Workers& workers,
                                                      Report& report) {
  std::map<size_t, RegimeScores> out;
  eval::Plot plot;
  plot.title = "Semantic roles: " + name;
  plot.x_label = "features";
  plot.y_label = "F1";
  plot.log_x = true;
  for (const char* regime : kRoleRegimes) plot.series.push_back({regime, {}, {}, {}, {}, false});
  for (size_t i = 0; i < sizes.size(); ++i) {
    Progress progress;
    progress.phase = name;
    progress.done = static_cast<double>(i);
    progress.total = static_cast<double>(sizes.size());
    request.monitor.report(progress);
    const size_t features = std::min(sizes[i], setting.training.state.size());
    if (out.contains(features)) continue;
    ESPALIER_ASSIGN(RegimeScores scores, run_regimes(setting, features, passes, request, workers));
    for (size_t r = 0; r < 3; ++r) {
      report
          .add(kRoleRegimes[r], fmt::format("{} F1, {} features", name, features), std::nullopt,
               scores.scores[r].f1())
          .printed(name == "given-more-than-5");
      plot.series[r].x.push_back(static_cast<double>(features));
      plot.series[r].y.push_back(scores.scores[r].f1());
    }
    out.emplace(features, std::move(scores));
  }
  const std::string path = fmt::format("{}/constrained-roles-{}.svg", request.out, name);
  ESPALIER_TRY(eval::save_plot(plot, path));
  report.plots.push_back(path);
  return out;
}

/// Search and integer program on the same problems.
struct SolverRace {
  size_t problems = 0, agree = 0, unfinished = 0;
  double search_seconds = 0, integer_seconds = 0;

  void run(const constrain::Compiled& compiled, const constrain::Instance& instance,
           const constrain::Scores& scores) {
    auto start = std::chrono::steady_clock::now();
    const constrain::Decoded search = assign_roles(&compiled, instance, scores);
    search_seconds += role_seconds_since(start);
    start = std::chrono::steady_clock::now();
    const constrain::Decoded integer =
        assign_roles(&compiled, instance, scores, {.method = constrain::Method::kInteger});
    integer_seconds += role_seconds_since(start);
    ++problems;
    if (integer.outcome == chain::Outcome::kOutOfBudget || integer.outcome == chain::Outcome::kApproximate) {
      ++unfinished;  // the solver's time was up, which says nothing about the optimum
      return;
    }
    agree += search.outcome == integer.outcome &&
             (search.labels.empty() || std::abs(search.value() - integer.value()) < 1e-4);
  }
  void report_to(Report& report, const std::string& what) const {
    report.add("search", what + ", microseconds a problem", std::nullopt,
               1e6 * search_seconds / static_cast<double>(problems));
    report.add("ilp", what + ", microseconds a problem", std::nullopt,
               1e6 * integer_seconds / static_cast<double>(problems));
    report.check(
        "search and integer program find the same optimum: " + what,
        agree > 0 && agree + unfinished == problems,
        fmt::format("{} of {}, {} not finished by the program in its time", agree, problems, unfinished));
  }
};

/// Random candidates and scores under the constraints of the corpus.
void race_on_random_problems(const RoleSetting& setting, size_t problems, uint64_t seed, SolverRace& race) {
  Random random = Random(seed).split(77);
  const constrain::Compiled compiled(*setting.constraints);
  const size_t K = setting.training.labels.size(), S = linear::padded(K);
  for (size_t i = 0; i < problems; ++i) {
    RolePredicate p;
    p.sense = setting.train[random.below(setting.train.size())].sense;
    const size_t n = 1 + random.below(12);
    for (size_t c = 0; c < n; ++c) {
      tasks::RoleCandidate candidate;
      candidate.begin = random.below(25);
      candidate.end = candidate.begin + 1 + random.below(6);
      p.candidates.push_back(std::move(candidate));
    }
    std::sort(p.candidates.begin(), p.candidates.end(),
              [](const auto& a, const auto& b) { return a.begin < b.begin; });
    AlignedVector<float> node(n * S, chain::kImpossible);
    for (size_t t = 0; t < n; ++t)
      for (size_t y = 0; y < K; ++y) node[t * S + y] = static_cast<float>(random.gaussian());
    race.run(compiled, tasks::role_instance(*setting.constraints, p),
             {n, K, S, node.data(), nullptr, nullptr});
  }
}

/// Search compared with CBC on the test predicates, scored by classifiers trained separately.
Status race_on_test(const RoleSetting& setting, int passes, const Request& request, const Workers& workers,
                    SolverRace& race) {
  const RoleTraining local{nullptr, setting.train, passes, request.seed};
  ESPALIER_ASSIGN(const chain::ChainWeights weights,
                  train_roles(setting.training, local, workers, request.monitor));
  const constrain::Compiled compiled(*setting.constraints);
  const linear::Dataset test = encode_roles(setting.test, setting.training);
  chain::SequenceScores buffer;
  for (size_t s = 0; s < setting.test.size(); ++s) {
    if (request.quick && s == 20) break;
    if (request.monitor.stop_requested()) return fail("interrupted");
    chain::score_sequence(weights, test, s, buffer);
    race.run(compiled, tasks::role_instance(*setting.constraints, setting.test[s]), buffer.view);
  }
  return {};
}

}  // namespace

Result<Report> constrained_roles(const Request& request) {
  Report report;
  const Workers workers(request.threads);
  const int passes = request.quick ? 3 : 8;
  report.set("learner", fmt::format("averaged perceptron, {} passes", passes));
  report.set("constraints", "no overlap, core roles once, references and continuations, frames");
  ESPALIER_ASSIGN(const std::string rolesets, read_text_file(request.corpus("srl-ewt/rolesets.tsv.gz")));
  ESPALIER_ASSIGN(const RoleCorpus ewt, read_roles(request, "srl-ewt"));
  ESPALIER_ASSIGN(const RoleCorpus wsj, read_roles(request, "srl-wsj"));
  constexpr size_t kAll = size_t{1} << 40;
  const std::vector<size_t> sizes = request.quick
                                        ? std::vector<size_t>{1000, kAll}
                                        : std::vector<size_t>{1000, 3000, 10000, 30000, 100000, kAll};

  report.depart("two treebanks together, where the paper has CoNLL-2004; averaged perceptrons, our features");
  report.notes.push_back("intervals of 95 % by a paired bootstrap over test sentences");
  // The task of the paper: boundaries given, sentences with more than five arguments; then all sentences.
  for (const size_t more_than : {size_t{5}, size_t{0}}) {
    const std::string name = more_than == 0 ? "given" : "given-more-than-5";
    ESPALIER_ASSIGN(
        const RoleSetting setting,
        prepare(together(given_boundaries(ewt.train, more_than), given_boundaries(wsj.train, more_than)),
                together(given_boundaries(ewt.test, more_than), given_boundaries(wsj.test, more_than)),
                rolesets, workers));
    report.set(name + " predicates",
               fmt::format("{} train, {} test", setting.train.size(), setting.test.size()));
    ESPALIER_ASSIGN(const auto found, sweep_features(setting, name, passes, sizes, request, workers, report));
    if (!request.quick) ESPALIER_TRY(claim_orderings(name, found, request, report));
    if (more_than > 0) continue;
    const RegimeScores& full = found.rbegin()->second;
    for (size_t r = 0; r < 3; ++r)
      report.add(kRoleRegimes[r], "type accuracy, both treebanks", std::nullopt, full.scores[r].accuracy());
  }
  // All candidates, most of which are not arguments.
  ESPALIER_ASSIGN(const RoleSetting all, prepare(ewt.train, ewt.test, rolesets, workers));
  const std::vector<size_t> few_and_all =
      request.quick ? std::vector<size_t>{kAll} : std::vector<size_t>{1000, 10000, kAll};
  ESPALIER_ASSIGN(const auto found,
                  sweep_features(all, "all-candidates", passes, few_and_all, request, workers, report));
  const RegimeScores& full = found.rbegin()->second;
  for (size_t r = 0; r < 3; ++r) {
    report.add(kRoleRegimes[r], "accuracy over candidates, srl-ewt", std::nullopt, full.scores[r].accuracy());
    report.add(kRoleRegimes[r], "predicates that break a constraint, srl-ewt", std::nullopt,
               static_cast<double>(full.broken[r]));
  }
  if (!request.quick) {
    ESPALIER_ASSIGN(const eval::BootstrapResult lead, lead_of(full, 1, 0, request));
    report.claim("all candidates: L+I leads LO", lead.difference > 0, lead_in_words(lead), "");
  }
  report.check("all candidates: no constraint is broken by L+I and IBT", full.broken[1] + full.broken[2] == 0,
               fmt::format("{} predicates; LO breaks some in {}", all.test.size(), full.broken[0]));
  if (!full.note.empty()) report.notes.push_back("training, all candidates: " + full.note);

  SolverRace test, random;
  ESPALIER_TRY(race_on_test(all, passes, request, workers, test));
  test.report_to(report, "test predicates");
  race_on_random_problems(all, request.quick ? 20 : 2000, request.seed, random);
  random.report_to(report, "random problems");
  return report;
}

}  // namespace espalier::research
