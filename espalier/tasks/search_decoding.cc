#include "espalier/tasks/search_decoding.h"

#include "espalier/tasks/decode_by_search.h"

namespace espalier::tasks {

using search::Mixture;

uint64_t one_seed(uint64_t seed, const data::HashedFeatures& features) {
  for (const uint64_t hash : features.state) seed = hash_combine(seed, hash);
  return hash_combine(seed, features.state.size());
}

Result<Decoded> decode_labels(const LabelSpace& space, const DecisionPlan& plan, size_t length,
                              const Mixture& policy, const DecodeOptions& options) {
  ESPALIER_ASSIGN(Decoded decoded, decode_by_search(space, policy, options, length));
  for (Decoded::Way& way : decoded.best) {
    way.labels.resize(length);
    for (size_t i = 0; i < length; ++i)
      way.labels[plan.order == DecisionOrder::kRightToLeft ? length - 1 - i : i] =
          static_cast<data::Label>(way.actions[i].label);
  }
  return decoded;
}

Result<Decoded> decode_labels(const JointSpace& space, const DecisionPlan& plan, size_t length,
                              const Mixture& policy, const DecodeOptions& options) {
  const size_t C = plan.columns();
  ESPALIER_ASSIGN(Decoded decoded, decode_by_search(space, policy, options, length * C));
  for (Decoded::Way& way : decoded.best) {
    way.labels.resize(length * C);
    JointSpace::State state = space.initial();
    for (const search::Action& action : way.actions) {
      way.labels[space.token(state) * C + space.column(state)] = static_cast<data::Label>(action.label);
      ++state.made;
    }
  }
  return decoded;
}

Result<Decoded> decode_labels(const EasiestSpace& space, const DecisionPlan&, size_t length,
                              const Mixture& policy, const DecodeOptions& options) {
  if (options.beam > 1 || options.best_first)
    return fail(
        "direction=easiest-first is searched greedily: paths of a beam would be the same labels in other "
        "orders");
  ESPALIER_ASSIGN(Decoded decoded, decode_by_search(space, policy, options, length));
  for (Decoded::Way& way : decoded.best) {
    way.labels.resize(length);
    for (const search::Action& action : way.actions)
      way.labels[action.candidate] = static_cast<data::Label>(action.label);
  }
  return decoded;
}

Result<Decoded> decode_labels(const ChunkSpace& space, const DecisionPlan& plan, size_t length,
                              const Mixture& policy, const DecodeOptions& options) {
  ESPALIER_ASSIGN(Decoded decoded, decode_by_search(space, policy, options, length));
  for (Decoded::Way& way : decoded.best) {
    std::vector<Chunk> chunks;
    uint32_t at = 0;
    for (const search::Action& action : way.actions) {
      chunks.push_back({at, action.candidate + 1, action.label});
      at += chunks.back().length;
    }
    way.labels = labels_of(plan, chunks, length);
  }
  return decoded;
}

}  // namespace espalier::tasks
