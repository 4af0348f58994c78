// The scratch memory of one thread that decodes with a SearchPredictor, and the choice of its search space.
// Private to search_model.cc and search_reasons.cc. Header only; tested in
// espalier/model/training/train_search_test.cc.
#pragma once

#include <vector>

#include "espalier/tasks/search_model.h"

namespace espalier::tasks {

struct SearchPredictor::Buffers final : data::Predictor::Scratch {
  data::FeatureExtractor::Scratch extraction;
  data::HashedFeatures tokens, blocks;
  data::GroupedFeatures grouped;
  bool keeps_sums = false;  ///< every scorer does
  ChunkViews chunks;
  std::vector<TokenLook> looks;
  std::vector<uint64_t> words;
  search::Mixture policy;
  std::vector<search::InputScorer*> scorers;
};

template <typename Visit>
auto SearchPredictor::visit_space(const data::Sequence& sequence, std::span<const data::Label> forced,
                                  const constrain::Completion* legal, std::span<const constrain::Move> moves,
                                  const Buffers& b, Visit&& visit) const {
  const size_t T = sequence.length();
  const LabelInput words{T, {}, b.tokens.edge, b.tokens.edge_begin, forced, legal};
  switch (plan_.kind()) {
    case SearchKind::kSegment:
      return visit(ChunkSpace(plan_, {T, {}, b.looks, legal, moves}));
    case SearchKind::kJoint: {
      JointInput input = joint_input(sequence, b);
      input.forced = forced;
      return visit(JointSpace(plan_, input));
    }
    case SearchKind::kEasiest:
      return visit(EasiestSpace(plan_, words));
    case SearchKind::kLabel:
    case SearchKind::kSummary:
      break;
  }
  return visit(LabelSpace(plan_, words));
}

}  // namespace espalier::tasks
