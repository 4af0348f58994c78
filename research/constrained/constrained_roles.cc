// Punyakanok, Roth, Yih and Zimak (2005), Figure 3: semantic roles by the number of features, for learning
// only, learning with inference and inference-based training.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "espalier/base/input.h"
#include "espalier/base/random.h"
#include "espalier/eval/plot.h"
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

/// Predicates with only their gold arguments; those without any are removed.
std::vector<RolePredicate> given_boundaries(const std::vector<RolePredicate>& all, size_t more_than) {
  std::vector<RolePredicate> out;
  for (const RolePredicate& p : all) {
    RolePredicate only = tasks::arguments_only(p);
    only.missed.clear();  // not a candidate here, and not part of the task
    if (only.candidates.size() > more_than) out.push_back(std::move(only));
  }
  return out;
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
  RoleScores scores[3];  ///< LO, L+I, IBT
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
  for (size_t s = 0; s < setting.test.size(); ++s) {
    const constrain::Instance instance = tasks::role_instance(*setting.constraints, setting.test[s]);
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
      out.scores[regime].add(setting.test[s], roles);
      out.broken[regime] += !setting.constraints->broken_constraints(instance, found.labels).empty();
    }
  }
  return out;
}

constexpr const char* kRoleRegimes[3] = {"LO", "L+I", "IBT"};

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
      report.add(kRoleRegimes[r], fmt::format("{} F1, {} features", name, features), std::nullopt,
                 scores.scores[r].f1());
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
  size_t problems = 0, agree = 0;
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
    agree += search.outcome == integer.outcome &&
             (search.labels.empty() || std::abs(search.value() - integer.value()) < 1e-4);
  }
  void report_to(Report& report, const std::string& what) const {
    report.add("search", what + ", microseconds a problem", std::nullopt,
               1e6 * search_seconds / static_cast<double>(problems));
    report.add("ilp", what + ", microseconds a problem", std::nullopt,
               1e6 * integer_seconds / static_cast<double>(problems));
    report.check("search and integer program find the same optimum: " + what, agree == problems,
                 fmt::format("{} of {}", agree, problems));
    report.check("the search is at least 20 times as fast: " + what, integer_seconds >= 20 * search_seconds,
                 fmt::format("{:.1f} times", integer_seconds / search_seconds));
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

  // The task of the paper: boundaries given, more than five arguments; then all predicates.
  for (const size_t more_than : {size_t{5}, size_t{0}}) {
    const std::string name = more_than == 0 ? "given" : "given-more-than-5";
    if (request.quick && more_than > 0) continue;
    ESPALIER_ASSIGN(const RoleSetting setting,
                    prepare(given_boundaries(ewt.train, more_than), given_boundaries(ewt.test, more_than),
                            rolesets, workers));
    report.set(name + " predicates",
               fmt::format("{} train, {} test", setting.train.size(), setting.test.size()));
    ESPALIER_ASSIGN(const auto found, sweep_features(setting, name, passes, sizes, request, workers, report));
    const RegimeScores& few = found.begin()->second;
    const RegimeScores& full = found.rbegin()->second;
    report.check(name + ": inference helps at every size",
                 std::all_of(found.begin(), found.end(),
                             [](const auto& entry) {
                               return entry.second.scores[1].f1() >= entry.second.scores[0].f1();
                             }),
                 "L+I at least LO");
    // On a few hundred predicates this is the paper's claim; on all of them it must hold.
    if (more_than == 0) {
      report.check(name + ": with few features IBT leads L+I", few.scores[2].f1() > few.scores[1].f1(),
                   fmt::format("{:.2f} and {:.2f}", few.scores[2].f1(), few.scores[1].f1()));
    } else {
      report.add("IBT", name + ": F1 over that of L+I with the fewest features", std::nullopt,
                 few.scores[2].f1() - few.scores[1].f1());
    }
    if (more_than == 0) {
      report.add("L+I", "type accuracy, srl-ewt", std::nullopt, full.scores[1].accuracy());
      report.add("LO", "type accuracy, srl-ewt", std::nullopt, full.scores[0].accuracy());
      report.add("IBT", "type accuracy, srl-ewt", std::nullopt, full.scores[2].accuracy());
      const double best =
          std::max({full.scores[0].accuracy(), full.scores[1].accuracy(), full.scores[2].accuracy()});
      if (!request.quick)
        report.check("argument types on srl-ewt: at least 88 %", best >= 88, fmt::format("{:.2f}", best));
    }
  }
  {
    ESPALIER_ASSIGN(const RoleSetting setting, prepare(given_boundaries(wsj.train, 0),
                                                       given_boundaries(wsj.test, 0), rolesets, workers));
    ESPALIER_ASSIGN(const RegimeScores full, run_regimes(setting, kAll, passes, request, workers));
    for (size_t r = 0; r < 3; ++r)
      report.add(kRoleRegimes[r], "type accuracy, srl-wsj", std::nullopt, full.scores[r].accuracy());
    const double best =
        std::max({full.scores[0].accuracy(), full.scores[1].accuracy(), full.scores[2].accuracy()});
    if (!request.quick)
      report.check("argument types on srl-wsj alone: at least 86 %", best >= 86, fmt::format("{:.2f}", best));
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
  report.check("all candidates: L+I leads LO", full.scores[1].f1() > full.scores[0].f1(),
               fmt::format("F1 {:.2f} and {:.2f}, accuracy {:.2f} and {:.2f}", full.scores[1].f1(),
                           full.scores[0].f1(), full.scores[1].accuracy(), full.scores[0].accuracy()));
  report.check("all candidates: no constraint is broken by L+I and IBT", full.broken[1] + full.broken[2] == 0,
               fmt::format("{} predicates; LO breaks some in {}", all.test.size(), full.broken[0]));
  if (!full.note.empty()) report.notes.push_back("training, all candidates: " + full.note);

  SolverRace test, random;
  ESPALIER_TRY(race_on_test(all, passes, request, workers, test));
  test.report_to(report, "test predicates");
  race_on_random_problems(all, request.quick ? 30 : 2000, request.seed, random);
  random.report_to(report, "random problems");
  return report;
}

}  // namespace espalier::research
