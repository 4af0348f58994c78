#include "research/ensemble/ensemble_study.h"

#include <fstream>

namespace espalier::research {

Result<std::string> write_file(const TemporaryDirectory& folder, std::string_view name,
                               std::string_view text) {
  const std::string path = folder.path(name);
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) return fail("{}: cannot be written", path);
  return path;
}

PaperRows paper_rows(const PaperColumn& figures) {
  PaperRows rows;
  for (size_t m = 0; m < figures.size(); ++m)
    rows[std::string(ensemble::method_name(kPaperMethods[m]))] = figures[m];
  return rows;
}

Result<Labellings> train_and_label(const ExpertRecipe& recipe, const std::string& eval_file,
                                   const ReadOptions& eval_reading, size_t n, data::LabelSet& labels,
                                   const Request& request) {
  ESPALIER_ASSIGN(
      const TrainOptions options,
      train_options(request, learner_with(recipe.learner, recipe.settings), recipe.template_file));
  ESPALIER_ASSIGN(const Training training, train_on(Files{{recipe.train_file}, recipe.reading}, options));
  TagOptions tagging;
  tagging.nbest = n;
  tagging.threads = request.threads;
  ESPALIER_ASSIGN(const std::vector<Tagged> tagged,
                  training.tagger.tag_batch(Files{{eval_file}, eval_reading}, tagging));
  Labellings out;
  for (const Tagged& sequence : tagged) {
    auto& ranks = out.emplace_back();
    for (const Labelling& labelling : sequence.alternatives()) {
      auto& coded = ranks.emplace_back();
      for (const std::string& label : labelling.labels) coded.push_back(labels.add(label));
    }
  }
  return out;
}

Result<StudySample> begin_sample(const std::string& eval_file, const ReadOptions& reading, size_t experts) {
  StudySample sample;
  ESPALIER_ASSIGN(const Corpus corpus, Corpus::read(eval_file, reading));
  for (size_t s = 0; s < corpus.size(); ++s) {
    const Sequence sequence = corpus[s];
    const std::vector<std::string>& gold = sequence.labels;
    ensemble::TokenVotes votes;
    votes.reset(experts, gold.size());
    for (const std::string& label : gold)
      votes.gold.push_back(label == data::kUnknownLabelText ? data::kNoLabel : sample.labels.add(label));
    sample.sequences.push_back(std::move(votes));
    sample.fold.push_back(sequence.fold.value_or(-1));
  }
  return sample;
}

void fill_expert(StudySample& sample, size_t j, const Labellings& labellings, size_t rank) {
  ESPALIER_CHECK(labellings.size() == sample.sequences.size());
  for (size_t s = 0; s < labellings.size(); ++s) {
    ensemble::TokenVotes& votes = sample.sequences[s];
    if (rank >= labellings[s].size()) continue;
    for (size_t t = 0; t < votes.length(); ++t) votes.votes[t * votes.experts + j] = labellings[s][rank][t];
  }
}

}  // namespace espalier::research
