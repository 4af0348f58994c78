// How fast ensembles learn and vote, in expert-tokens per second of one processor.
#include "espalier/base/random.h"
#include "espalier/ensemble/methods/methods.h"
#include "research/experiments.h"
#include "research/processor_time.h"

namespace espalier::research {
namespace {

using ensemble::Method;

/// Sentences of 5 to 35 tokens over 20 labels; each expert is right nine times in ten.
ensemble::VoteBatch made_votes(size_t experts, size_t tokens, uint64_t seed) {
  Random random(seed);
  ensemble::VoteBatch batch(experts);
  std::vector<ensemble::Value> votes(experts);
  while (batch.items() < tokens) {
    const size_t length = 5 + random.below(31);
    for (size_t k = 0; k < length; ++k) {
      const auto gold = static_cast<ensemble::Value>(random.below(20));
      for (ensemble::Value& vote : votes)
        vote = random.below(10) == 0 ? static_cast<ensemble::Value>(random.below(20)) : gold;
      batch.add_item(static_cast<uint32_t>(k), gold, votes);
    }
    batch.end_sequence();
  }
  return batch;
}

struct Speed {
  double learn = 0, apply = 0;  ///< millions of expert-tokens per second
  double error = 0;
};

Result<Speed> measure(const ensemble::VoteBatch& batch, Method method) {
  ensemble::BatchSource source(batch);
  const double size = static_cast<double>(batch.items()) * static_cast<double>(batch.experts()) / 1e6;
  const double start = processor_seconds();
  ESPALIER_ASSIGN(const ensemble::Hypothesis hypothesis, ensemble::learn_hypothesis(source, method, {}));
  const double learned = processor_seconds();
  ESPALIER_ASSIGN(const ensemble::HammingMean loss, ensemble::evaluate(source, hypothesis.table));
  const double applied = processor_seconds();
  return Speed{size / std::max(learned - start, 1e-6), size / std::max(applied - learned, 1e-6), loss.mean()};
}

}  // namespace

Result<Report> ensemble_speed(const Request& request) {
  Report report;
  const size_t tokens = request.quick ? 20'000 : 500'000;
  report.set("unit", "millions of expert-tokens per second of processor time, one thread, votes in memory");
  double slowest_apply = 1e300, mvote_base = 0, worst_error = 0;
  for (const size_t experts : {size_t{5}, size_t{10}, size_t{20}}) {
    const ensemble::VoteBatch batch = made_votes(experts, tokens, request.seed);
    const std::string column = fmt::format("{} experts, {} tokens", experts, tokens);
    for (const Method method : {Method::kMvote, Method::kCv, Method::kFpl}) {
      ESPALIER_ASSIGN(const Speed speed, measure(batch, method));
      const std::string name(ensemble::method_name(method));
      report.add(name + ", learn", column, std::nullopt, speed.learn);
      report.add(name + ", apply", column, std::nullopt, speed.apply);
      worst_error = std::max(worst_error, speed.error);
      slowest_apply = std::min(slowest_apply, speed.apply);
      if (experts == 10 && method == Method::kMvote) mvote_base = speed.learn;
      if (!request.quick)
        report.check(fmt::format("{} learns 5 million expert-tokens per second, {} experts", name, experts),
                     speed.learn >= 5, fmt::format("{:.1f} million", speed.learn));
    }
  }
  report.check("votes of experts that are right nine times in ten err on less than 5 %", worst_error < 0.05,
               fmt::format("{:.2f} % at most", 100 * worst_error));
  const ensemble::VoteBatch longer = made_votes(10, 4 * tokens, request.seed);
  ESPALIER_ASSIGN(const Speed four, measure(longer, Method::kMvote));
  report.add("mvote, learn", fmt::format("10 experts, {} tokens", 4 * tokens), std::nullopt, four.learn);
  if (!request.quick) {
    report.check("votes on 10 million expert-tokens per second", slowest_apply >= 10,
                 fmt::format("{:.1f} million at least", slowest_apply));
    report.check("learning is linear: four times the tokens at no less than half the speed",
                 four.learn > mvote_base / 2,
                 fmt::format("{:.1f} and {:.1f} million", mvote_base, four.learn));
  }
  return report;
}

}  // namespace espalier::research
