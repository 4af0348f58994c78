#include "research/constrained/role_model.h"

#include <algorithm>

#include "espalier/chain/learners/perceptron.h"
#include "espalier/constrain/training.h"
#include "espalier/linear/encoding/number_map.h"

namespace espalier::research {

namespace {

/// Rows of precomputed features.
data::FeatureExtractor attribute_extractor() {
  data::FeatureOptions options;
  options.attributes = true;
  auto made = data::FeatureExtractor::make(options);
  ESPALIER_CHECK(made.ok());
  return std::move(made).value();
}

}  // namespace

linear::EncodedTraining encode_roles(std::span<const tasks::RolePredicate> predicates,
                                     const Workers& workers) {
  const data::FeatureExtractor extractor = attribute_extractor();
  linear::DatasetBuilder builder(extractor, workers, {.cutoff = 1, .names = false});
  for (const tasks::RolePredicate& predicate : predicates) builder.add(tasks::role_sequence(predicate));
  return builder.finish();
}

linear::Dataset encode_roles(std::span<const tasks::RolePredicate> predicates,
                             const linear::EncodedTraining& training) {
  const data::FeatureExtractor extractor = attribute_extractor();
  const linear::FeatureMap map = linear::number_map(training.state.hashes);
  const linear::FeatureMap none;
  const linear::Encoder encoder(extractor, map, none);
  linear::Encoder::Scratch scratch;
  linear::Dataset out;
  for (const tasks::RolePredicate& predicate : predicates)
    encoder.append(tasks::role_sequence(predicate), training.labels, scratch, out);
  return out;
}

linear::EncodedTraining most_frequent_features(const linear::EncodedTraining& training, size_t features) {
  // Features are numbered by decreasing frequency.
  linear::EncodedTraining out;
  out.labels = training.labels;
  const size_t n = std::min(features, training.state.size());
  out.state.hashes.assign(training.state.hashes.begin(),
                          training.state.hashes.begin() + static_cast<ptrdiff_t>(n));
  out.state.counts.assign(training.state.counts.begin(),
                          training.state.counts.begin() + static_cast<ptrdiff_t>(n));
  out.state_before_cutoff = training.state.size();
  const linear::Dataset& from = training.data;
  linear::Dataset& to = out.data;
  to.sequence_begin = from.sequence_begin;
  to.gold = from.gold;
  to.weight = from.weight;
  to.edge = from.edge;
  for (size_t token = 0; token < from.tokens(); ++token) {
    for (const uint32_t f : from.state[token])
      if (f < n) to.state.push(f);
    to.state.close();
  }
  return out;
}

Result<chain::ChainWeights> train_roles(const linear::EncodedTraining& training, const RoleTraining& how,
                                        const Workers& workers, const Monitor& monitor, std::string* note) {
  chain::PairOptions pairs;
  pairs.full_rows_from = 5;
  std::optional<constrain::TrainingRestriction> restriction;
  if (how.constraints != nullptr) {
    ESPALIER_CHECK(how.predicates.size() == training.data.sequences());
    std::vector<constrain::Instance> instances;
    for (const tasks::RolePredicate& predicate : how.predicates)
      instances.push_back(tasks::role_instance(*how.constraints, predicate));
    restriction.emplace(*how.constraints, std::move(instances), training.data, constrain::DecodeOptions{});
    if (note != nullptr) *note = restriction->note();
  }
  chain::TrainingContext context{{monitor, [](const chain::Round&) { return Verdict(); }},
                                 training,
                                 chain::make_weights(training, false, pairs, workers),
                                 workers,
                                 how.seed};
  if (restriction) context.restriction = &*restriction;
  return chain::train_perceptron(std::move(context), {.passes = how.passes, .batch = 1});
}

constrain::Decoded assign_roles(const constrain::Compiled* compiled, const constrain::Instance& instance,
                                const constrain::Scores& scores, const constrain::DecodeOptions& options) {
  constrain::Scores own = scores;
  own.trans = nullptr;  // candidates do not form a chain
  if (compiled != nullptr) return constrain::decode(*compiled, instance, own, options);
  constrain::Decoded out;
  out.outcome = chain::Outcome::kExact;
  for (size_t t = 0; t < own.length; ++t) {
    const float* row = own.node + t * own.stride;
    out.labels.push_back(static_cast<data::Label>(std::max_element(row, row + own.labels) - row));
  }
  out.score = constrain::score_labels(own, out.labels);
  return out;
}

}  // namespace espalier::research
