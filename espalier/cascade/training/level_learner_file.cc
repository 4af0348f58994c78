// What a LevelLearner needs to resume, as sections of a checkpoint. Tested in train_test.cc.
#include "espalier/cascade/training/checkpoint.h"
#include "espalier/cascade/training/level_learner.h"

namespace espalier::cascade {

void LevelLearner::save(std::string_view prefix, SectionWriter& out) const {
  save_weights(weights_, prefix, out);
  const auto put = [&](const char* name, const Extra& extra) {
    out.add_array(fmt::format("{}.{}.squares", prefix, name), extra.squares);
    out.add_array(fmt::format("{}.{}.sum", prefix, name), extra.sum);
  };
  put("s", state_);
  put("g", gram_);
  put("e", edge_);
  std::vector<double> rest(quantile_squares_.begin(), quantile_squares_.end());
  rest.insert(rest.end(), quantile_sum_.begin(), quantile_sum_.end());
  rest.push_back(scale_);
  rest.push_back(static_cast<double>(averaged_));
  out.add_array(fmt::format("{}.rest", prefix), rest);
}

Status LevelLearner::load(const SectionFile& file, std::string_view prefix) {
  ESPALIER_TRY(load_weights(file, prefix, weights_));
  const auto take = [&](const char* name, Extra& extra) -> Status {
    ESPALIER_TRY(load_into(file, fmt::format("{}.{}.squares", prefix, name), extra.squares));
    return load_into(file, fmt::format("{}.{}.sum", prefix, name), extra.sum);
  };
  ESPALIER_TRY(take("s", state_));
  ESPALIER_TRY(take("g", gram_));
  ESPALIER_TRY(take("e", edge_));
  std::array<double, 2 * kQuantiles + 2> rest{};
  ESPALIER_TRY(load_into(file, fmt::format("{}.rest", prefix), rest));
  for (size_t q = 0; q < kQuantiles; ++q) {
    quantile_squares_[q] = static_cast<float>(rest[q]);
    quantile_sum_[q] = rest[kQuantiles + q];
  }
  scale_ = rest[2 * kQuantiles];
  averaged_ = static_cast<uint64_t>(rest[2 * kQuantiles + 1]);
  return {};
}

}  // namespace espalier::cascade
