// What a trained search says about itself: explain(), which gives reasons for each decision, and strongest(),
// which lists its largest weights. Declared in search_model.h; tested in apps/tests/search_test.sh.
#include <algorithm>
#include <cmath>
#include <map>

#include "espalier/data/named_weights.h"
#include "espalier/tasks/search_buffers.h"

namespace espalier::tasks {

using data::Label;
using search::Action;

namespace {

constexpr std::string_view kNoSingleWeights = "a kernel machine has no weights of single features";

/// "NP, words 3 to 5", counted from 1.
std::string chunk_text(const DecisionPlan& plan, size_t at, const Action& action) {
  const size_t first = at + 1, last = at + 1 + action.candidate;
  const std::string type = action.label == 0 ? std::string("outside") : plan.types[action.label];
  return first == last ? fmt::format("{}, word {}", type, first)
                       : fmt::format("{}, words {} to {}", type, first, last);
}

}  // namespace

std::string SearchPredictor::about_weights() const {
  if (policies_[shown_]->rows() == nullptr) return std::string(kNoSingleWeights);
  if (policies_.size() == 1) return {};
  return fmt::format("of the classifier with the largest share, number {} of {} ({:.1f} %)", shown_ + 1,
                     policies_.size(), 100 * shares_[shown_]);
}

std::string SearchPredictor::no_transitions() const {
  if (plan_.history == 0 && plan_.columns() == 1 && !chunks_)
    return "earlier labels are not features (history=0)";
  return "what was decided before is among the features of each decision";
}

Label SearchPredictor::label_of_type(uint32_t type) const {
  if (!chunks_) return static_cast<Label>(type);
  const Chunk one[] = {{0, 1, type}};
  return labels_of(plan_, one, 1)[0];
}

std::string SearchPredictor::block_name(const data::Sequence& sequence, Buffers& b, uint32_t block,
                                        size_t slot) const {
  if (chunks_) {
    data::FeatureNames of_token(extractor_);
    of_token.move_to(sequence, block % sequence.length());
    return chunks_->name(sequence, of_token, b.tokens, b.chunks, block, slot);
  }
  return extractor_.state_name(sequence, block, slot);
}

template <typename Space>
void SearchPredictor::explain_path(const data::Sequence& sequence, const Space& space,
                                   std::span<const Action> path, Buffers& b,
                                   std::vector<Explanation>& out) const {
  constexpr bool kChunks = std::is_same_v<Space, ChunkSpace>;
  constexpr bool kEasiest = std::is_same_v<Space, EasiestSpace>;
  search::InputScorer& scorer = *b.scorers[shown_];
  std::vector<Action> actions;
  std::vector<float> scores;
  search::FeatureSink sink;
  // Which actions an explanation compares. In easiest-first order, only other labels of the same token. For
  // chunks, if weights were learned for a beam by levels, only chunks of the same length: scores of different
  // lengths are not comparable then.
  const bool same_candidate = kEasiest || (kChunks && !decode_.normalise && !decode_.best_first);
  auto state = space.initial();
  for (const Action& taken_action : path) {
    actions.clear();
    space.actions(state, actions);
    search::score_actions(space, scorer, state, std::span<const Action>(actions), scores);
    const auto best =
        static_cast<size_t>(std::find(actions.begin(), actions.end(), taken_action) - actions.begin());
    size_t second = best;
    for (size_t i = 0; i < actions.size(); ++i)
      if (i != best && (!same_candidate || actions[i].candidate == actions[best].candidate) &&
          (second == best || scores[i] > scores[second]))
        second = i;
    // Contributions by name: to the chosen action, and to the alternative.
    std::map<std::string, Contribution> found;
    const auto collect = [&](const Action& action, bool taken) {
      sink.clear();
      space.features(state, action.candidate, sink);
      const auto note = [&](const std::string& name, double weight) {
        if (weight == 0) return;
        Contribution& c = found[name];
        c.feature = name;
        (taken ? c.weight : c.runner_up) += weight;
      };
      for (const uint32_t block : sink.blocks())
        scorer.visit_block(block, [&](size_t slot, uint32_t label, double weight) {
          if (label == action.label) note(block_name(sequence, b, block, slot), weight);
        });
      for (size_t i = 0; i < sink.entries().size(); ++i)
        scorer.visit_entry(sink.entries()[i].hash, [&](size_t, uint32_t label, double weight) {
          if (label != action.label) return;
          if constexpr (kChunks || kEasiest) {
            note(space.entry_name(state, action.candidate, i), weight * sink.entries()[i].value);
          } else {
            note(space.entry_name(state, i), weight * sink.entries()[i].value);
          }
        });
    };
    collect(actions[best], true);
    if (second != best) collect(actions[second], false);
    Explanation e;
    e.margin =
        second == best ? std::numeric_limits<double>::infinity() : double{scores[best]} - scores[second];
    for (auto& [name, contribution] : found) e.contributions.push_back(std::move(contribution));
    std::stable_sort(e.contributions.begin(), e.contributions.end(),
                     [](const Contribution& x, const Contribution& y) {
                       return std::abs(x.weight - x.runner_up) > std::abs(y.weight - y.runner_up);
                     });
    if constexpr (kChunks) {
      // All tokens of a chunk have the same reasons; their labels are those of the two chunkings at the
      // token.
      const auto at_token = [&](const Action& a, size_t t) {
        const Chunk chunk[] = {{0, a.candidate + 1, a.label}};
        const auto labels = labels_of(plan_, chunk, a.candidate + 1);
        return t < labels.size() ? labels[t] : plan_.labels.find("O").value_or(labels.back());
      };
      for (size_t t = 0; t <= actions[best].candidate; ++t) {
        e.label = at_token(actions[best], t);
        e.runner_up = at_token(actions[second], t);
        e.decision = chunk_text(plan_, state.at, actions[best]);
        if (second != best) e.runner_up_decision = chunk_text(plan_, state.at, actions[second]);
        out[state.at + t] = e;
      }
    } else if constexpr (kEasiest) {
      e.label = static_cast<Label>(actions[best].label);
      e.runner_up = static_cast<Label>(actions[second].label);
      out[actions[best].candidate] = std::move(e);
    } else {
      if constexpr (std::is_same_v<Space, JointSpace>) e.column = space.column(state);
      const uint32_t first = plan_.column_begin[e.column];
      e.label = static_cast<Label>(actions[best].label - first);
      e.runner_up = static_cast<Label>(actions[second].label - first);
      out[space.token(state) * plan_.columns() + e.column] = std::move(e);
    }
    state = space.apply(state, actions[best]);
  }
}

Result<std::vector<data::Predictor::Explanation>> SearchPredictor::explain_forced(
    const data::Sequence& sequence, std::span<const Label> forced, data::Predictor::Scratch& scratch) const {
  return explain_legal(sequence, forced, nullptr, {}, scratch);
}

Result<std::vector<data::Predictor::Explanation>> SearchPredictor::explain_legal(
    const data::Sequence& sequence, std::span<const Label> forced, const constrain::Completion* legal,
    std::span<const constrain::Move> moves, data::Predictor::Scratch& scratch) const {
  Buffers& b = static_cast<Buffers&>(scratch);
  ESPALIER_TRY(prepare(sequence, b, Each::kFeature));
  ESPALIER_ASSIGN(const Decoded decoded, decode(sequence, forced, {}, legal, moves, b));
  std::vector<Explanation> out(sequence.length() * plan_.columns());
  const std::span<const Action> path = decoded.best[0].actions;
  visit_space(sequence, {}, nullptr, {}, b,
              [&](const auto& space) { explain_path(sequence, space, path, b, out); });
  return out;
}

Result<std::vector<data::Predictor::WeightedFeature>> SearchPredictor::strongest(
    size_t how_many, std::optional<Label> only) const {
  const linear::PackedRows* rows = policies_[shown_]->rows();
  if (rows == nullptr) return fail("{}", kNoSingleWeights);
  if (names_.empty()) return fail("the model has no feature names (trained with names=no, or stripped)");
  std::vector<uint32_t> starts;
  const auto view =
      linear::PackedRows::view(rows->words(), rows->width(), rows->bits(), rows->scale(), &starts);
  ESPALIER_CHECK(view.ok());
  const size_t last = plan_.columns() - 1;
  std::vector<data::NamedWeight> weights;
  std::string_view names = names_;
  for (const uint32_t start : starts) {
    const auto name = data::take_name(names);
    if (!name) return fail("the feature names do not match the weights");
    rows->for_each(start, [&](uint32_t column, float weight) {
      const Label label = label_of_type(column);
      if (!only || plan_.column_begin[last] + *only == label) weights.push_back({*name, label, weight});
    });
  }
  std::string_view history = history_names_;
  for (const uint64_t hash : history_hashes_) {
    const auto name = data::take_name(history);
    if (!name) return fail("the number of names of history features is wrong");
    policies_[shown_]->visit_hashed(hash, [&](uint32_t column, float weight) {
      const Label label = label_of_type(column);
      if (!only || plan_.column_begin[last] + *only == label) weights.push_back({*name, label, weight});
    });
  }
  auto found = data::strongest_of(std::move(weights), how_many);
  for (WeightedFeature& feature : found) {
    feature.column = plan_.column_of(feature.label);
    feature.label = static_cast<Label>(feature.label - plan_.column_begin[feature.column]);
  }
  return found;
}

}  // namespace espalier::tasks
