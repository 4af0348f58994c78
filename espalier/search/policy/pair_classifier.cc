#include "espalier/search/policy/pair_classifier.h"

#include <algorithm>
#include <cmath>

namespace espalier::search {

void PairRows::collect(const StaticBlocks& blocks, const Side& side, float sign) {
  for (const uint32_t b : side.features.blocks()) {
    const auto ids = blocks[b];
    const float* const values = blocks.values_of(b);
    for (size_t i = 0; i < ids.size(); ++i) {
      if (const auto at = linear::weight_at(*layout_, ids[i], side.label))
        terms_.emplace_back(*at, sign * (values == nullptr ? 1.0f : values[i]));
    }
  }
  for (const FeatureSink::Entry& e : side.features.entries()) {
    const size_t at = layout_->weights() + numbers_.insert(e.hash) * labels_ + side.label;
    ESPALIER_CHECK(at < linear::kNoFeature);
    terms_.emplace_back(static_cast<uint32_t>(at), sign * static_cast<float>(e.value));
  }
}

bool PairRows::add(const StaticBlocks& blocks, const Side& first, const Side& second, bool first_is_better) {
  terms_.clear();
  collect(blocks, first, 1);
  collect(blocks, second, -1);
  std::stable_sort(terms_.begin(), terms_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  size_t kept = 0;
  for (size_t i = 0; i < terms_.size();) {
    float sum = 0;
    const uint32_t at = terms_[i].first;
    for (; i < terms_.size() && terms_[i].first == at; ++i) sum += terms_[i].second;
    if (sum != 0) terms_[kept++] = {at, sum};
  }
  if (kept == 0) return false;
  for (size_t i = 0; i < kept; ++i) {
    rows_.features.push(terms_[i].first);
    rows_.values.push_back(terms_[i].second);
  }
  rows_.features.close();
  rows_.gold.push_back(first_is_better ? 1 : 0);
  return true;
}

std::vector<uint32_t> PairRows::drop_beyond(double margin) {
  linear::TokenRows left;
  std::vector<uint32_t> stay;
  for (uint32_t i = 0; i < rows_.size(); ++i) {
    if (i < margins_.size() && margins_[i] > margin) continue;
    const auto features = rows_.features[i];
    left.features.append(features);
    left.values.insert(left.values.end(), rows_.values_of(i), rows_.values_of(i) + features.size());
    left.gold.push_back(rows_.gold[i]);
    stay.push_back(i);
  }
  rows_ = std::move(left);
  margins_.clear();
  return stay;
}

Result<RowWeights> PairRows::solve(const linear::LiblinearOptions& options) {
  ESPALIER_ASSIGN(const std::vector<float> all, linear::train_liblinear_binary(rows_, weights(), options));
  margins_.clear();
  for (size_t i = 0; i < rows_.size(); ++i) {
    float score = 0;
    for (size_t j = 0; j < rows_.features[i].size(); ++j)
      score += rows_.values_of(i)[j] * all[rows_.features[i][j]];
    margins_.push_back(rows_.gold[i] == 1 ? score : -score);
  }
  RowWeights out(layout_, labels_);
  const auto split = static_cast<ptrdiff_t>(layout_->weights());
  std::copy(all.begin(), all.begin() + split, out.static_weights().begin());
  for (size_t i = 0; i < numbers_.size(); ++i)
    std::copy_n(all.begin() + split + static_cast<ptrdiff_t>(i * labels_), labels_,
                out.hashed().row(out.hashed().insert(numbers_.hashes()[i])));
  return out;
}

Result<RowWeights> learn_pairs(const PairExamples& examples, std::shared_ptr<const linear::StateRows> layout,
                               size_t labels, const PairOptions& options, const MonitorOfPart& monitor) {
  struct Violation {
    float margin;
    uint64_t tie_break;
    uint32_t first, second;
  };
  const bool separate = examples.separate_candidates();
  std::vector<Action> actions;
  std::vector<float> scores;
  std::vector<double> v;
  /// The actions of an example and their v. With separate candidates, v compares actions of the same
  /// candidate only.
  const auto values_of = [&](size_t example) {
    const float* const costs = examples.actions(example, actions);
    v.assign(actions.size(), 0.0);
    for (size_t from = 0; from < actions.size();) {
      size_t to = actions.size();
      if (separate)
        for (to = from; to < actions.size() && actions[to].candidate == actions[from].candidate;) ++to;
      const auto some = all_pairs_values({costs + from, to - from});
      std::copy(some.begin(), some.end(), v.begin() + static_cast<ptrdiff_t>(from));
      from = to;
    }
  };
  const auto comparable = [&](size_t i, size_t j) {
    return !separate || actions[i].candidate == actions[j].candidate;
  };
  constexpr double kRounding = 1e-6;
  double largest = 0, least = 0;
  for (size_t e = 0; e < examples.size(); ++e) {
    if (!examples.kept(examples.instance(e))) continue;
    values_of(e);
    for (size_t i = 0; i < actions.size(); ++i)
      for (size_t j = i + 1; j < actions.size(); ++j) {
        const double weight = comparable(i, j) ? std::abs(v[i] - v[j]) : 0.0;
        if (weight <= 0) continue;
        largest = std::max(largest, weight);
        least = least == 0 ? weight : std::min(least, weight);
      }
  }
  if (largest == 0) return fail("all actions cost the same, so there is nothing to learn");
  const bool drawn = least < largest * (1 - kRounding);
  const int samples = drawn ? std::max(1, options.costing.samples) : 1;

  std::vector<RowWeights> machines;
  FeatureSink first_sink, second_sink;
  std::vector<Violation> violations;
  for (int sample = 0; sample < samples; ++sample) {
    const Monitor part = monitor(sample, samples);
    const uint64_t seed =
        hash_combine(hash_combine(0x70616972, options.costing.seed), static_cast<uint64_t>(sample));
    PairRows rows(layout, labels);
    RowWeights weights(layout, labels);
    struct Member {
      uint32_t example, first, second;
    };
    std::vector<Member> member_of;  // the pair of each row
    std::vector<std::vector<std::pair<uint32_t, uint32_t>>> members(examples.size()),
        alike(examples.size());  // members: in the set; alike: equal features, never added
    bool learned = false;
    for (int round = 1; round <= options.rounds; ++round) {
      if (part.stop_requested()) break;
      const size_t before = rows.size();
      std::optional<uint32_t> begun;
      for (size_t e = 0; e < examples.size(); ++e) {
        const uint32_t instance = examples.instance(e);
        if (!examples.kept(instance)) continue;
        const StaticBlocks blocks = examples.blocks(instance);
        if (begun != instance) {
          part.report({.phase = "training",
                       .done = round - 1 + static_cast<double>(e) / static_cast<double>(examples.size()),
                       .total = static_cast<double>(options.rounds),
                       .round = {},
                       .objective = {},
                       .dev_score = {}});
          weights.begin(blocks);
          begun = instance;
        }
        values_of(e);
        examples.score(e, actions, weights, scores);
        violations.clear();
        for (uint32_t i = 0; i < actions.size(); ++i)
          for (uint32_t j = i + 1; j < actions.size(); ++j) {
            const double weight = std::abs(v[i] - v[j]);
            const float margin = v[i] < v[j] ? scores[i] - scores[j] : scores[j] - scores[i];
            if (weight <= 0 || margin >= 1 - options.tolerance || !comparable(i, j)) continue;
            const uint64_t draw = hash_combine(hash_combine(seed, e), uint64_t{i} << 32 | j);
            const double u = static_cast<double>(draw >> 11) * 0x1p-53;
            if (weight < largest * (1 - kRounding) && u * largest >= weight) continue;
            violations.push_back({margin, hash_combine(draw, 1), i, j});
          }
        std::erase_if(violations, [&](const Violation& one) {
          const std::pair pair(one.first, one.second);
          return std::find(members[e].begin(), members[e].end(), pair) != members[e].end() ||
                 std::find(alike[e].begin(), alike[e].end(), pair) != alike[e].end();
        });
        const size_t joining = std::min(options.joining, violations.size());
        std::partial_sort(violations.begin(), violations.begin() + static_cast<ptrdiff_t>(joining),
                          violations.end(), [](const Violation& a, const Violation& b) {
                            return a.margin != b.margin ? a.margin < b.margin : a.tie_break < b.tie_break;
                          });
        for (size_t n = 0; n < joining; ++n) {
          const auto [margin, tie_break, i, j] = violations[n];
          first_sink.clear();
          second_sink.clear();
          examples.features(e, actions[i].candidate, first_sink);
          examples.features(e, actions[j].candidate, second_sink);
          const bool differ =
              rows.add(blocks, {first_sink, actions[i].label}, {second_sink, actions[j].label}, v[i] < v[j]);
          (differ ? members : alike)[e].emplace_back(i, j);
          if (differ) member_of.push_back({static_cast<uint32_t>(e), i, j});
        }
      }
      if (rows.size() == before) break;  // nothing is violated except pairs with equal features
      ESPALIER_ASSIGN(weights, rows.solve(options.liblinear));
      learned = true;
      std::vector<Member> left;
      for (const uint32_t r : rows.drop_beyond(1 + options.tolerance)) left.push_back(member_of[r]);
      member_of = std::move(left);
      for (auto& list : members) list.clear();
      for (const Member& one : member_of) members[one.example].emplace_back(one.first, one.second);
    }
    if (!learned && machines.empty())
      return fail("nothing was learned: training was stopped, or no two actions differ in their features");
    if (learned) machines.push_back(std::move(weights));
    if (part.stop_requested()) break;
  }
  return mean_of(machines);
}

}  // namespace espalier::search
