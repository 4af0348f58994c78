// Opens the input as an ensemble, which then combines votes and reports.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/ensemble/model.h"
#include "espalier/ensemble/report.h"
#include "fuzz/doctored.h"

namespace {

void try_ensemble(const std::vector<std::byte>& bytes) {
  using namespace espalier;
  const auto file = SectionFile::from_bytes(bytes, "input");
  if (!file.ok()) return;
  const auto model = ensemble::EnsembleModel::from_file(*file);
  if (!model.ok()) return;
  data::LabelSet labels = model->labels;
  const data::Label known = labels.add("B-X");
  const size_t p = model->experts.size();
  ensemble::TokenVotes votes;
  votes.reset(p, 3);
  for (size_t e = 0; e < votes.votes.size(); ++e)
    votes.votes[e] = e % 4 == 0 ? data::kNoLabel : e % 3 == 0 ? known : data::Label{0};
  if (model->probabilities) votes.probability.assign(votes.votes.size(), 0.5f);
  votes.gold.assign(3, known);
  votes.target.assign(3, known);
  {
    const ensemble::WeightTable best = ensemble::single_expert_table(p, model->best_expert);
    ensemble::Substructures substructures(model->substructures, labels, model->scheme);
    ensemble::Combiner combiner(model->rule(true, best), substructures, labels);
    ensemble::Combined combined;
    for (size_t n = 0; n < 3; ++n)
      if (!combiner.combine(votes, n, combined).ok()) return;
    for (const double share : combined.share) (void)model->token_confidence(share);
  }
  ensemble::Reporter reporter(*model, true, labels, 1);
  if (!reporter.add(votes).ok()) return;
  (void)reporter.finish().ok();
  ensemble::Substructures substructures(model->substructures, labels, model->scheme);
  ensemble::VoteBatch batch(p);
  batch.add(substructures.encode(votes));
  ensemble::BatchSource source(batch);
  (void)ensemble::paper_bounds(source, *model, 0.1).ok();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  espalier::fuzzing::with_doctored(data, size, try_ensemble);
  return 0;
}
