// What the public interface for search tasks (espalier/task.h) costs compared with the templates of the
// built-in tasks.
//
//   bench_erasure [SENTENCES]
//
// Labels generated sentences in three ways and prints the time per token:
// - built-in: tasks::LabelSpace, which sums the features of a token once per sentence and copies states in
// place;
// - template: the task below, through the search module's templates;
// - public: the same type, through learn_to_search and Policy.
// The last two must give the same labels, which is checked before anything is printed. Build with
// `cmake --build --preset release --target bench_erasure`; the table is in docs/tasks.md.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "espalier/base/random.h"
#include "espalier/linear/classifiers/liblinear_classifier.h"
#include "espalier/search/train_from_spaces.h"
#include "espalier/task.h"
#include "espalier/tasks/spaces/label_space.h"

namespace {

namespace search = espalier::search;
namespace tasks = espalier::tasks;

constexpr uint32_t kLabels = 12, kWords = 2000;

struct Sentence {
  std::vector<std::vector<uint32_t>> features;  // of each token
  std::vector<uint32_t> gold;
};

/// A label depends on the word and on the label before.
std::vector<Sentence> draw(uint64_t seed, size_t sentences) {
  espalier::Random random(seed);
  std::vector<Sentence> all(sentences);
  for (Sentence& s : all) {
    const size_t length = 10 + random.below(30);
    std::vector<uint32_t> words(length);
    for (uint32_t& w : words) w = static_cast<uint32_t>(kWords * random.uniform() * random.uniform());
    for (size_t t = 0; t < length; ++t) {
      std::vector<uint32_t> f;  // the word, those around it, and classes of it, as affixes would be
      for (int d = -2; d <= 2; ++d) {
        const auto at = static_cast<ptrdiff_t>(t) + d;
        const uint32_t w =
            at < 0 || at >= static_cast<ptrdiff_t>(length) ? kWords : words[static_cast<size_t>(at)];
        f.push_back(static_cast<uint32_t>(d + 2) * (kWords + 1) + w);
      }
      uint32_t first = 5 * (kWords + 1);
      for (const uint32_t m : {7u, 31u, 101u, 211u}) {
        f.push_back(first + words[t] % m);
        first += m;
      }
      s.features.push_back(std::move(f));
      const uint32_t before = s.gold.empty() ? 0 : s.gold.back();
      s.gold.push_back(random.uniform() < 0.05 ? static_cast<uint32_t>(random.below(kLabels))
                                               : (words[t] * 7 + before * (words[t] % 3)) % kLabels);
    }
  }
  return all;
}
constexpr uint32_t kFeatures = 5 * (kWords + 1) + 7 + 31 + 101 + 211;

/// One task for both: written over the action and the sink of either interface.
template <typename Action, typename Sink>
struct Labelling {
  struct State {
    uint32_t at = 0, errors = 0, last = kLabels, before_last = kLabels;
  };
  const Sentence* sentence;
  size_t labels() const { return kLabels; }
  State initial() const { return {}; }
  bool is_goal(const State& s) const { return s.at == sentence->gold.size(); }
  void actions(const State&, std::vector<Action>& out) const {
    for (uint32_t l = 0; l < kLabels; ++l) out.push_back({0, l});
  }
  State apply(const State& s, Action a) const {
    return {s.at + 1, s.errors + (a.label != sentence->gold[s.at] ? 1u : 0u), a.label, s.last};
  }
  void features(const State& s, uint32_t, Sink& out) const {
    for (const uint32_t f : sentence->features[s.at]) add(out, f);
    add(out, kFeatures);
    add(out, kFeatures + 1 + s.last);
    add(out, kFeatures + 100 + s.last * 100 + s.before_last);
  }
  double loss(const State& s) const { return s.errors; }
  double best_loss(const State& s) const { return s.errors; }
  void optimal_actions(const State& s, std::vector<Action>& out) const {
    out.push_back({0, sentence->gold[s.at]});
  }

 private:
  static void add(search::FeatureSink& out, uint64_t f) { out.add(espalier::detail::mix_number(f)); }
  static void add(espalier::FeatureSink& out, uint64_t f) { out.add(f); }
};
using TemplateTask = Labelling<search::Action, search::FeatureSink>;
using PublicTask = Labelling<espalier::Action, espalier::FeatureSink>;

/// The built-in space over the same sentences: token features as blocks.
struct BuiltIn {
  using Space = tasks::LabelSpace;
  struct Input {
    std::vector<uint64_t> begin{0};
    std::vector<uint32_t> ids;
    std::vector<espalier::data::Label> gold;
  };
  tasks::DecisionPlan plan;
  std::vector<Input> inputs;
  explicit BuiltIn(const std::vector<Sentence>& sentences) {
    espalier::data::LabelSet labels;
    for (uint32_t l = 0; l < kLabels; ++l) labels.add("L" + std::to_string(l));
    plan = tasks::DecisionPlan::of(std::move(labels), espalier::data::Scheme::kNone);
    for (const Sentence& s : sentences) {
      Input& in = inputs.emplace_back();
      for (size_t t = 0; t < s.gold.size(); ++t) {
        in.ids.insert(in.ids.end(), s.features[t].begin(), s.features[t].end());
        in.begin.push_back(in.ids.size());
        in.gold.push_back(static_cast<espalier::data::Label>(s.gold[t]));
      }
    }
  }
  size_t size() const { return inputs.size(); }
  search::StaticBlocks blocks(size_t i) const { return {inputs[i].begin, inputs[i].ids.data(), nullptr}; }
  Space space(size_t i) const {
    tasks::LabelInput in;
    in.length = inputs[i].gold.size();
    in.gold = inputs[i].gold;
    return Space(plan, in);
  }
};

double seconds(const std::function<void()>& work) {  // processor time, best of three
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t begin = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return best;
}

template <search::Problem P>
search::Mixture learn(const P& problem, const std::shared_ptr<const espalier::linear::StateRows>& layout) {
  search::SearnOptions options;
  options.iterations = 2;
  const search::LearnClassifier<typename P::Space> classifier =
      [&](const search::Examples<typename P::Space>& examples, int iteration,
          int) -> espalier::Result<std::shared_ptr<search::Scorer>> {
    search::DirectOptions direct;
    direct.seed = 1 + 1000 * static_cast<uint64_t>(iteration);
    return std::shared_ptr<search::Scorer>(std::make_shared<search::RowWeights>(
        search::learn_direct(problem, examples, layout, kLabels, direct, {})));
  };
  return search::searn(problem, options, classifier, {}, {}).value();
}

/// Labels of all sentences, one after the other.
template <search::Problem P>
std::vector<uint32_t> decode(const P& problem, const search::Mixture& policy, size_t beam) {
  std::vector<uint32_t> labels;
  search::SearchScratch<typename P::Space, float> scratch;
  for (size_t i = 0; i < problem.size(); ++i) {
    policy.begin(problem.blocks(i));
    const auto space = problem.space(i);
    const search::Normalised normalised{policy};
    const auto found = beam == 1 ? search::decode_by_vote(space, policy)
                                 : search::decode_breadth_first(space, normalised, beam, scratch);
    for (const search::Action& a : found.actions) labels.push_back(a.label);
  }
  return labels;
}

std::vector<uint32_t> decode(const std::vector<PublicTask>& tasks, const espalier::Policy& policy,
                             size_t beam) {
  std::vector<uint32_t> labels;
  for (const PublicTask& task : tasks) {
    const espalier::SearchResult found = policy.decode(task, {.beam = beam}).value();
    for (const espalier::Action& a : found.actions()) labels.push_back(a.label);
  }
  return labels;
}

}  // namespace

int main(int argc, char** argv) try {
  const auto sentences = draw(1, argc > 1 ? static_cast<size_t>(std::atoi(argv[1])) : 400);
  const BuiltIn built_in(sentences);
  search::SpaceList<TemplateTask> templates;
  std::vector<PublicTask> tasks;
  std::vector<uint32_t> gold;
  for (const Sentence& s : sentences) {
    templates.list.push_back({&s});
    tasks.push_back({&s});
    gold.insert(gold.end(), s.gold.begin(), s.gold.end());
  }
  const auto full =
      std::make_shared<const espalier::linear::StateRows>(espalier::linear::full_rows(kFeatures, kLabels));

  search::Mixture by_block, by_template;
  espalier::Result<espalier::Policy> by_public = espalier::Error{"not learned"};
  const double tokens = static_cast<double>(gold.size());
  std::printf(
      "%zu sentences, %zu tokens, %u labels, 12 features per token; µs of processor time per token\n\n",
      sentences.size(), gold.size(), kLabels);
  std::printf("%-26s %9s %9s %9s   public/template  public/built-in\n", "", "built-in", "template", "public");
  const auto line = [&](const char* what, double a, double b, double c) {
    std::printf("%-26s %9.3f %9.3f %9.3f   %15.2f  %15.2f\n", what, a * 1e6 / tokens, b * 1e6 / tokens,
                c * 1e6 / tokens, c / b, c / a);
  };
  const double learning[3] = {
      seconds([&] { by_block = learn(built_in, full); }),
      seconds([&] { by_template = learn(templates, search::no_static_rows(kLabels)); }), seconds([&] {
        by_public = espalier::learn_to_search(tasks, espalier::Learner("searn", {{"iterations", "2"}}));
      })};
  const espalier::Policy policy = by_public.value();
  for (const size_t beam : {size_t{1}, size_t{5}}) {
    if (decode(templates, by_template, beam) != decode(tasks, policy, beam)) {
      std::printf("the public interface labels differently\n");
      return 1;
    }
    const auto built = decode(built_in, by_block, beam), own = decode(tasks, policy, beam);
    size_t right[2] = {0, 0};
    for (size_t i = 0; i < gold.size(); ++i) {
      right[0] += built[i] == gold[i];
      right[1] += own[i] == gold[i];
    }
    const auto percent = [&](size_t n) { return 100 * static_cast<double>(n) / tokens; };
    if (std::abs(percent(right[0]) - percent(right[1])) > 1) {
      std::printf("accuracy differs: %.2f %% and %.2f %%\n", percent(right[0]), percent(right[1]));
      return 1;
    }
  }
  line("learning (searn, 2 rounds)", learning[0], learning[1], learning[2]);
  for (const size_t beam : {size_t{1}, size_t{5}})
    line(beam == 1 ? "decoding, greedy" : "decoding, beam 5",
         seconds([&] { decode(built_in, by_block, beam); }),
         seconds([&] { decode(templates, by_template, beam); }),
         seconds([&] { decode(tasks, policy, beam); }));
} catch (const std::exception& problem) {
  std::fprintf(stderr, "bench_erasure: %s\n", problem.what());
  return 1;
}
