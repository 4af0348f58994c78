// Why a parser made an arc: TreePredictor::explain_forced. Tested in tree_training_test.cc.
#include <algorithm>
#include <cmath>

#include "espalier/tasks/trees/tree_model.h"

namespace espalier::tasks {
namespace {

constexpr std::string_view kMoveNames[] = {"shift", "left arc", "right arc", "swap"};

/// "head 3 saw, left arc", or the name of a move that makes no arc.
std::string arc_text(const ParseSpace& space, const ParseSpace::State& state, TreeMove move,
                     const data::Sequence& sequence, size_t word_column) {
  const std::string_view name = kMoveNames[static_cast<size_t>(move)];
  const ParseSpace::Arc arc = space.arc_of(state, move);
  if (arc.dependent == kNoWord) return std::string(name);
  return fmt::format("{} from {} {}", name, arc.head + 1, sequence.cell(arc.head, word_column));
}

}  // namespace

Result<std::vector<data::Predictor::Explanation>> TreePredictor::explain_forced(
    const data::Sequence& sequence, std::span<const data::Label> forced, Scratch& scratch) const {
  ESPALIER_TRY(refuse_forced(forced));
  return explain_under(sequence, nullptr, scratch);
}

Result<std::vector<data::Predictor::Explanation>> TreePredictor::explain_under(const data::Sequence& sequence,
                                                                               const SentenceRules* rules,
                                                                               Scratch& scratch) const {
  data::Prediction prediction;
  ESPALIER_TRY(predict_under(sequence, rules, {}, scratch, prediction));
  std::vector<Explanation> out(sequence.length());
  for (size_t w = 0; w < out.size(); ++w) {
    out[w].label = out[w].runner_up = prediction.labels()[w];
    out[w].margin = std::numeric_limits<double>::quiet_NaN();
    if (prediction.best[0].heads[w] == 0) {
      out[w].decision = "root: the word left at the end";
    }
  }
  if (sequence.empty()) return out;
  // The same search again leaves its path in the buffers.
  data::PredictOptions options;
  ESPALIER_ASSIGN(const TreeDecoding how, decoding(options));
  TreeBuffers buffers;
  buffers.sentence.encode(sequence, settings_.columns);
  parse_sentence(system_, tables_, how, buffers, rules);
  const std::vector<search::Action> path = buffers.best[0].actions;
  const ParseSpace space(system_, buffers.sentence, buffers.scratch, nullptr, rules);
  TreeScorer scorer(tables_, system_, buffers.memory);
  const size_t word_column = settings_.columns.cell[static_cast<size_t>(TreeField::kWord)].value_or(0);
  ParseSpace::State state = space.initial();
  std::vector<search::Action> actions;
  size_t dependent = 0;
  for (const search::Action action : path) {
    const bool relation = action.label >= kTreeMoves;
    const auto move = static_cast<TreeMove>(std::min(action.label, kTreeMoves - 1));
    const ParseSpace::Arc arc = relation ? ParseSpace::Arc{} : space.arc_of(state, move);
    if (relation || arc.dependent != kNoWord) {
      if (!relation) dependent = arc.dependent;
      Explanation& e = out[dependent];
      const std::span<const float> row = scorer.row(space, state, 0);
      actions.clear();
      space.actions(state, actions);
      search::Action other = action;
      for (const search::Action& a : actions)
        if (a != action && (other == action || row[a.label] > row[other.label])) other = a;
      const double margin = double{row[action.label]} - double{row[other.label]};
      const TreeFeatures& features = relation ? system_.labels : system_.moves;
      const std::vector<uint64_t> hashes = space.hashes(state);
      const TreeView view = space.view(state);
      const auto weight = [&](uint64_t hash, search::Action a) -> double {
        if (relation) return tables_.relation_weight(hash, static_cast<data::Label>(a.label - kTreeMoves));
        return tables_.move_weight(hash, static_cast<TreeMove>(a.label));
      };
      if (relation) {
        e.label = static_cast<data::Label>(action.label - kTreeMoves);
        e.runner_up = static_cast<data::Label>(other.label - kTreeMoves);
        e.margin = margin;
      } else {
        e.decision = arc_text(space, state, move, sequence, word_column);
        if (other != action) {
          e.runner_up_decision = fmt::format(
              "{} by {:.3f}",
              arc_text(space, state, static_cast<TreeMove>(other.label), sequence, word_column), margin);
        }
      }
      for (size_t i = 0; i < hashes.size(); ++i) {
        const double own = weight(hashes[i], action), its = other == action ? 0 : weight(hashes[i], other);
        if (own == 0 && its == 0) continue;
        e.contributions.push_back(
            {(relation ? "relation: " : "arc: ") +
                 features.name(i, sequence, settings_.columns, view, settings_.relations),
             own, its});
      }
    }
    state = space.apply(state, action);
  }
  for (Explanation& e : out)
    std::stable_sort(e.contributions.begin(), e.contributions.end(),
                     [](const Contribution& a, const Contribution& b) {
                       return std::abs(a.weight - a.runner_up) > std::abs(b.weight - b.runner_up);
                     });
  return out;
}

}  // namespace espalier::tasks
