#include "espalier/tasks/trees/tree_model.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "espalier/search/decode.h"

namespace espalier::tasks {
namespace {

using search::Action;
/// How wide searches get that would break rules otherwise.
constexpr size_t kWidestTreeBeam = 128;
/// Expansions of a best-first search per word, after which a breadth-first one
/// decides.
constexpr size_t kExpansionsPerWord = 200;

struct TreeModelScratch final : data::Predictor::Scratch {
  TreeBuffers buffers;
};

void add_tree(const ParseSpace& space, std::vector<Action> actions, double score, TreeBuffers& buffers) {
  ParsedTree& made = buffers.best.emplace_back();
  made.score = score;
  made.actions = std::move(actions);
  follow_path(space, made.actions, made.heads, made.relations);
}

}  // namespace

std::vector<float> arc_confidence(TreeBuffers& buffers) {
  double sum = 0;
  for (const ParsedTree& tree : buffers.best) sum += std::exp(tree.score - buffers.best[0].score);
  const size_t words = buffers.best[0].heads.size();
  std::vector<float> out(words, 0);
  for (ParsedTree& tree : buffers.best) {
    tree.probability = std::exp(tree.score - buffers.best[0].score) / sum;
    for (size_t w = 0; w < words; ++w)
      if (tree.heads[w] == buffers.best[0].heads[w] && tree.relations[w] == buffers.best[0].relations[w])
        out[w] += static_cast<float>(tree.probability);
  }
  for (float& share : out) share = std::min(share, 1.0f);  // sums are rounded
  return out;
}

Result<TreeSystem> TreeSettings::system() const {
  ESPALIER_ASSIGN(TreeTemplates compiled,
                  TreeTemplates::parse(templates, template_name, columns.has(), skip_missing));
  return TreeSystem{swap,
                    root,
                    allowed,
                    relations.size(),
                    columns,
                    TreeFeatures(std::move(compiled.moves)),
                    TreeFeatures(std::move(compiled.relations))};
}

namespace {

data::SearchEnd search_trees(const TreeSystem& system, const TreeTables& tables, const TreeDecoding& how,
                             TreeBuffers& buffers, const SentenceRules* rules) {
  const bool greedy = how.beam <= 1 && !how.best_first && !how.levels;
  TreeScorer scorer(tables, system, buffers.memory, greedy ? 0 : how.sharpness);
  const ParseSpace space(system, buffers.sentence, buffers.scratch, nullptr, rules);
  buffers.best.clear();
  const size_t words = buffers.sentence.length();
  if (greedy) {
    auto found = search::decode_greedily(space, scorer, 3 * words);
    add_tree(space, std::move(found.actions), found.score, buffers);
    return data::SearchEnd::kApproximate;
  }
  data::SearchEnd ended = data::SearchEnd::kApproximate;
  auto& nodes = buffers.search.nodes;
  if (how.best_first) {
    const auto [node, end] =
        search::search_best_first(space, scorer, how.beam, kExpansionsPerWord * (words + 1), buffers.search,
                                  [](std::span<const uint32_t>) {});
    if (node != search::kNoNode) {
      add_tree(space, search::path_to(nodes, node), nodes[node].score, buffers);
      return ended;
    }
    ended = data::SearchEnd::kOutOfSteps;
  }
  const auto [node, end] =
      search::search_breadth_first(space, scorer, how.beam, buffers.search, search::NoObserver());
  ESPALIER_CHECK(node != search::kNoNode);  // every state has an action, and every path ends
  std::vector<uint32_t> goals = buffers.search.goals;
  std::stable_sort(goals.begin(), goals.end(),
                   [&](uint32_t a, uint32_t b) { return nodes[a].score > nodes[b].score; });
  // Several paths may build the same tree.
  std::set<std::pair<std::vector<uint32_t>, std::vector<data::Label>>> seen;
  for (const uint32_t goal : goals) {
    if (buffers.best.size() == how.nbest) break;
    add_tree(space, search::path_to(nodes, goal), nodes[goal].score, buffers);
    if (how.nbest > 1 && !seen.insert({buffers.best.back().heads, buffers.best.back().relations}).second)
      buffers.best.pop_back();
  }
  return !how.best_first && end == search::Ended::kExact ? data::SearchEnd::kExact : ended;
}

}  // namespace

data::SearchEnd parse_sentence(const TreeSystem& system, const TreeTables& tables, const TreeDecoding& how,
                               TreeBuffers& buffers, const SentenceRules* rules) {
  data::SearchEnd ended = search_trees(system, tables, how, buffers, rules);
  if (rules == nullptr) return ended;
  const auto broken = [&] { return rules->broken(buffers.best[0].heads, buffers.best[0].relations); };
  TreeDecoding wider = how;
  wider.best_first = false;
  size_t fewest = broken();
  while (fewest > 0 && wider.beam < kWidestTreeBeam) {
    wider.beam = std::max(kUsualTreeBeam, 4 * wider.beam);
    std::vector<ParsedTree> before = std::move(buffers.best);
    ended = search_trees(system, tables, wider, buffers, rules);
    if (broken() < fewest) {
      fewest = broken();
    } else {
      buffers.best = std::move(before);
    }
  }
  return ended;
}

TreePredictor::TreePredictor(TreeSettings settings, TreeSystem system, TreeTables tables)
    : settings_(std::move(settings)), system_(std::move(system)), tables_(std::move(tables)) {
  for (const std::string& name : settings_.relations) labels_.add(name);
}

std::unique_ptr<data::Predictor::Scratch> TreePredictor::make_scratch() const {
  return std::make_unique<TreeModelScratch>();
}

Result<TreeDecoding> TreePredictor::decoding(const data::PredictOptions& options) const {
  using Method = data::SearchChoice::Method;
  TreeDecoding how{settings_.beam, settings_.best_first, options.nbest, settings_.levels,
                   settings_.sharpness};
  const data::SearchChoice& choice = options.search;
  if (choice.method == Method::kGreedy && choice.beam > 1)
    return fail("a greedy search keeps one state, not a beam of {}", choice.beam);
  if (choice.method == Method::kGreedy) {
    how.beam = 1;
    how.best_first = false;
  }
  if (choice.method == Method::kBeam || choice.method == Method::kBestFirst) {
    how.best_first = choice.method == Method::kBestFirst;
    if (how.beam == 1) how.beam = kUsualTreeBeam;
  }
  if (choice.beam > 0) how.beam = choice.beam;
  if (options.nbest > 1 && (how.best_first || options.nbest > how.beam))
    return fail(
        "a parser has as many trees as its breadth-first beam is wide: --nbest {} needs --decoder beam and "
        "--beam {} or more",
        options.nbest, options.nbest);
  return how;
}

Status TreePredictor::refuse_forced(std::span<const data::Label> forced) {
  if (forced.empty()) return {};
  return fail("relations alone cannot be forced on a parser; the constraint 'force column C' forces arcs");
}

Status TreePredictor::predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                              const data::PredictOptions& options, Scratch& scratch,
                              data::Prediction& out) const {
  ESPALIER_TRY(refuse_forced(forced));
  return predict_under(sequence, nullptr, options, scratch, out);
}

Status TreePredictor::predict_under(const data::Sequence& sequence, const SentenceRules* rules,
                                    const data::PredictOptions& options, Scratch& scratch,
                                    data::Prediction& out) const {
  if (options.marginals) return fail("marginals are not supported by parsers");
  ESPALIER_ASSIGN(TreeDecoding how, decoding(options));
  if (options.confidence) {
    if (settings_.sharpness == 0)
      return fail("this parser has scores, but no probabilities: confidence is for models of learner searn");
    if (how.best_first)
      return fail("confidence comes from a breadth-first beam; leave out decoder best-first");
    // All trees of a beam are wanted, also of one wider than asked for: the first ones stay the same.
    if (how.beam == 1) how.beam = kUsualTreeBeam;
    how.nbest = how.beam;
  }
  out.clear();
  if (sequence.empty()) return {};
  for (const auto& cell : settings_.columns.cell)
    if (cell && *cell >= sequence.columns())
      return fail("line {}: the row has {} columns, but the features need column {}", sequence.line(0),
                  sequence.columns(), *cell + 1);
  TreeBuffers& buffers = static_cast<TreeModelScratch&>(scratch).buffers;
  buffers.sentence.encode(sequence, settings_.columns);
  out.search_end = parse_sentence(system_, tables_, how, buffers, rules);
  if (options.confidence) {
    out.confidence = arc_confidence(buffers);
    for (float& c : out.confidence) c = static_cast<float>(settings_.calibration(double{c}));
  }
  out.best.resize(std::min(buffers.best.size(), options.nbest));
  for (size_t k = 0; k < out.best.size(); ++k) {
    out.best[k].labels = buffers.best[k].relations;
    out.best[k].heads = buffers.best[k].heads;
    out.best[k].score = buffers.best[k].score;
    out.best[k].probability = buffers.best[k].probability;
    out.best[k].others.clear();
  }
  return {};
}

data::Predictor::Size TreePredictor::size() const {
  return {.features = tables_.features(), .weights = tables_.weights(), .weight_bits = 16, .names = false};
}

Result<std::vector<data::Predictor::WeightedFeature>> TreePredictor::strongest(
    size_t, std::optional<data::Label>) const {
  return fail(
      "a parser keeps the hashes of its features, not their names; explain shows those of a sentence");
}

}  // namespace espalier::tasks
