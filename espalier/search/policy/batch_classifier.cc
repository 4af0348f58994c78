#include "espalier/search/policy/batch_classifier.h"

#include <map>

#include "espalier/linear/encoding/number_map.h"

namespace espalier::search {

namespace {

/// Rejection sampling: keeps an example of a given weight with probability weight / largest.
class Costing {
 public:
  Costing(double largest, uint64_t seed) : largest_(largest), random_(seed) {}
  bool keep(double weight) {
    if (!(weight > 0)) return false;
    constexpr double kRounding = 1e-6;  // costs are differences of losses
    if (weight >= largest_ * (1 - kRounding)) return true;
    drawn_ = true;
    return random_.uniform() * largest_ < weight;
  }
  bool drawn() const { return drawn_; }

 private:
  double largest_;
  Random random_;
  bool drawn_ = false;
};

float worst_of(std::span<const ExportedExamples::Option> options) {
  float worst = 0;
  for (const auto& option : options) worst = std::max(worst, option.cost);
  return worst;
}

float largest_cost(const ExportedExamples& examples) { return worst_of(examples.options); }

/// Distance between the seeds of successive samples.
constexpr uint64_t kSampleStride = 0x9E3779B97F4A7C15ull;

uint64_t seed_of(const CostingOptions& costing, int sample) {
  return costing.seed + static_cast<uint64_t>(sample) * kSampleStride;
}

std::vector<double> pair_values(std::span<const ExportedExamples::Option> options) {
  std::vector<float> costs;
  for (const auto& option : options) costs.push_back(option.cost);
  return all_pairs_values(costs);
}

/// One problem per label, with the rows that are examples for or against it.
std::vector<linear::KernelProblem> problems_of(const OneVsAllSample& sample, size_t labels) {
  std::vector<linear::KernelProblem> problems(labels);
  for (uint32_t l = 0; l < labels; ++l) {
    problems[l].winner = l;
    problems[l].loser = linear::KernelParts::kRest;
  }
  for (size_t i = 0; i < sample.wanted.size(); ++i) {
    linear::KernelProblem& problem = problems[i % labels];
    if (sample.wanted[i] > 0) problem.for_winner.push_back(static_cast<uint32_t>(i / labels));
    if (sample.wanted[i] < 0) problem.for_loser.push_back(static_cast<uint32_t>(i / labels));
  }
  return problems;
}

}  // namespace

void append_features(const FeatureSink& sink, const StaticBlocks& blocks, size_t static_features,
                     HashedRows& numbers, linear::TokenRows& rows) {
  std::vector<std::pair<uint32_t, float>> list;
  for (const uint32_t b : sink.blocks()) {
    const auto ids = blocks[b];
    const float* const values = blocks.values_of(b);
    for (size_t j = 0; j < ids.size(); ++j) list.emplace_back(ids[j], values == nullptr ? 1.0f : values[j]);
  }
  for (const auto& e : sink.entries())
    list.emplace_back(static_cast<uint32_t>(static_features) + numbers.insert(e.hash),
                      static_cast<float>(e.value));
  rows.add(list, 0);
}

OneVsAllSample draw_one_vs_all(const ExportedExamples& examples, size_t labels, uint64_t seed) {
  OneVsAllSample sample;
  sample.wanted.assign(examples.rows.size() * labels, 0);
  Costing costing(largest_cost(examples), seed);
  for (size_t d = 0; d < examples.decisions.size(); ++d) {
    const auto options = examples.options_of(d);
    const float worst = worst_of(options);
    for (const auto& option : options) {
      const bool target = &option == &examples.options[examples.decisions[d].target];
      if (costing.keep(target ? worst : option.cost))
        sample.wanted[option.row * labels + option.label] = target ? 1 : -1;
    }
  }
  sample.drawn = costing.drawn();
  return sample;
}

AllPairsSample draw_all_pairs(const ExportedExamples& examples, size_t labels, uint64_t seed) {
  double largest = 0;
  for (size_t d = 0; d < examples.decisions.size(); ++d)
    for (const double v : pair_values(examples.options_of(d))) largest = std::max(largest, v);
  AllPairsSample sample;
  Costing costing(largest, seed);
  std::map<std::pair<uint32_t, uint32_t>, linear::KernelProblem>
      problems;  // by pair of labels, the lower first
  for (size_t d = 0; d < examples.decisions.size(); ++d) {
    const auto options = examples.options_of(d);
    const std::vector<double> v = pair_values(options);
    for (size_t i = 0; i < options.size(); ++i)
      for (size_t j = i + 1; j < options.size(); ++j) {
        ESPALIER_CHECK(options[i].row == options[j].row && options[i].label < labels);
        if (!costing.keep(std::abs(v[i] - v[j]))) continue;
        const uint32_t better = options[v[i] < v[j] ? i : j].label,
                       worse = options[v[i] < v[j] ? j : i].label;
        linear::KernelProblem& problem = problems[std::minmax(better, worse)];
        (better < worse ? problem.for_winner : problem.for_loser).push_back(options[i].row);
      }
  }
  for (auto& [pair, problem] : problems) {
    std::tie(problem.winner, problem.loser) = pair;
    sample.problems.push_back(std::move(problem));
  }
  sample.drawn = costing.drawn();
  return sample;
}

DirectSample draw_decisions(const ExportedExamples& examples, uint64_t seed) {
  DirectSample sample;
  Costing costing(largest_cost(examples), seed);
  for (size_t d = 0; d < examples.decisions.size(); ++d) {
    const auto options = examples.options_of(d);
    if (!costing.keep(worst_of(options))) continue;
    const ExportedExamples::Option& target = examples.options[examples.decisions[d].target];
    ESPALIER_CHECK(options.front().row == options.back().row);
    const auto features = examples.rows.features[target.row];
    sample.rows.features.append(features);
    const float* const values = examples.rows.values_of(target.row);
    sample.rows.values.insert(sample.rows.values.end(), values, values + features.size());
    sample.rows.gold.push_back(static_cast<data::Label>(target.label));
  }
  sample.drawn = costing.drawn();
  return sample;
}

Result<RowWeights> learn_liblinear(const ExportedExamples& examples,
                                   std::shared_ptr<const linear::StateRows> layout, size_t labels,
                                   Reduction reduction, const linear::LiblinearOptions& options,
                                   const CostingOptions& costing, const MonitorOfPart& monitor) {
  ESPALIER_CHECK(reduction != Reduction::kAllPairs);
  linear::LiblinearOptions solver = options;
  solver.bias = 0;  // the search space adds a bias feature itself
  if (reduction == Reduction::kDirect) {
    solver.solver = linear::LiblinearSolver::kCrammerSinger;
    layout = std::make_shared<const linear::StateRows>(linear::full_rows(examples.static_features, labels));
  }
  linear::StateRows all = *layout;
  for (size_t i = 0; i < examples.hashes.size(); ++i) {
    for (size_t l = 0; l < labels; ++l) all.column.push_back(static_cast<uint16_t>(l));
    all.begin.push_back(static_cast<uint32_t>(all.column.size()));
  }
  const size_t split = layout->weights();
  std::vector<RowWeights> machines;
  bool drawn = false;
  for (int sample = 0; sample == 0 || sample < costing.samples; ++sample) {
    const auto part = [&] { return monitor(sample, drawn ? costing.samples : 1); };
    if (sample > 0 && part().stop_requested()) break;
    Result<linear::LinearClassifier> learned = linear::LinearClassifier();
    if (reduction == Reduction::kDirect) {
      const DirectSample decisions = draw_decisions(examples, seed_of(costing, sample));
      drawn = decisions.drawn;
      if (decisions.rows.size() == 0) return fail("all actions cost the same, so there is nothing to learn");
      learned = linear::train_liblinear(decisions.rows, all, solver, part());
    } else {
      const OneVsAllSample one = draw_one_vs_all(examples, labels, seed_of(costing, sample));
      drawn = one.drawn;
      learned = linear::train_liblinear(examples.rows, one.wanted, all, solver, part());
    }
    if (!learned.ok() && sample > 0 && part().stop_requested()) break;  // earlier samples are enough
    if (!learned.ok()) return learned.error();
    RowWeights weights(layout, labels);
    std::copy_n(learned->weights.begin(), split, weights.static_weights().begin());
    for (size_t i = 0; i < examples.hashes.size(); ++i)
      std::copy_n(learned->weights.begin() + static_cast<ptrdiff_t>(split + i * labels), labels,
                  weights.hashed().row(weights.hashed().insert(examples.hashes[i])));
    machines.push_back(std::move(weights));
    if (!drawn) break;  // more samples would be the same
  }
  return mean_of(machines);
}

RowWeights mean_of(std::span<const RowWeights> classifiers) {
  ESPALIER_CHECK(!classifiers.empty());
  RowWeights mean(classifiers[0].layout(), classifiers[0].labels());
  const float share = 1.0f / static_cast<float>(classifiers.size());
  for (const RowWeights& one : classifiers) {
    ESPALIER_CHECK(one.layout() == mean.layout());
    for (size_t i = 0; i < one.static_weights().size(); ++i)
      mean.static_weights()[i] += share * one.static_weights()[i];
    for (uint32_t r = 0; r < one.hashed().size(); ++r) {
      float* const row = mean.hashed().row(mean.hashed().insert(one.hashed().hashes()[r]));
      for (size_t l = 0; l < one.labels(); ++l) row[l] += share * one.hashed().weight(r, l);
    }
  }
  return mean;
}

std::span<const float> KernelScorer::score(const FeatureSink& features) {
  ids_.clear();
  values_.clear();
  for (const uint32_t b : features.blocks()) {
    const auto ids = blocks_[b];
    const float* const values = blocks_.values_of(b);
    for (size_t i = 0; i < ids.size(); ++i) {
      ids_.push_back(ids[i]);
      values_.push_back(values == nullptr ? 1.0f : values[i]);
    }
  }
  for (const auto& e : features.entries()) {
    const uint32_t number = machine_->numbers.find(e.hash);
    if (number == linear::kNoFeature) continue;
    ids_.push_back(number);
    values_.push_back(static_cast<float>(e.value));
  }
  machine_->model.scores(ids_, values_.data(), scratch_, {row_.data(), machine_->model.labels()});
  return row_;
}

Result<std::shared_ptr<Scorer>> learn_kernel(const ExportedExamples& examples, size_t labels,
                                             Reduction reduction, const linear::LibsvmOptions& options,
                                             const CostingOptions& costing, const Monitor& monitor) {
  ESPALIER_CHECK(reduction != Reduction::kDirect);
  std::vector<linear::KernelProblem> problems;
  for (int sample = 0; sample == 0 || sample < costing.samples; ++sample) {
    bool drawn = false;
    std::vector<linear::KernelProblem> some;
    if (reduction == Reduction::kAllPairs) {
      AllPairsSample pairs = draw_all_pairs(examples, labels, seed_of(costing, sample));
      drawn = pairs.drawn;
      some = std::move(pairs.problems);
    } else {
      const OneVsAllSample one = draw_one_vs_all(examples, labels, seed_of(costing, sample));
      drawn = one.drawn;
      some = problems_of(one, labels);
    }
    problems.insert(problems.end(), std::make_move_iterator(some.begin()),
                    std::make_move_iterator(some.end()));
    if (!drawn) break;  // more samples would be the same
  }
  ESPALIER_ASSIGN(linear::KernelModel model,
                  linear::train_libsvm(examples.rows, problems, labels, options, monitor));
  linear::FeatureMap map =
      linear::number_map(examples.hashes, static_cast<uint32_t>(examples.static_features));
  auto machine = std::make_shared<const KernelScorer::Machine>(
      KernelScorer::Machine{std::move(model), std::move(map), examples.hashes});
  return std::shared_ptr<Scorer>(std::make_shared<KernelScorer>(std::move(machine)));
}

}  // namespace espalier::search
