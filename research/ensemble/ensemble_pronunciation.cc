// Tables 3 and 4: ensembles of pronunciations.
#include <algorithm>

#include "research/ensemble/ensemble_pronouncers.h"
#include "research/experiments.h"

namespace espalier::research {
namespace {

using ensemble::Pronunciation;

/// How many ranks of a list: the paper has twenty pronunciations of every word.
constexpr size_t kRanks = 20;

/// The paper's design: one model ranks twenty pronunciations of every word; the first is the target, the
/// others are the experts. Words with fewer than twenty are left out.
Result<StudySample> ranked_lists(std::vector<Pronunciation> words, size_t train_words, size_t eval_words,
                                 const TemporaryDirectory& folder, const Request& request) {
  words.resize(std::min(words.size(), train_words + eval_words + eval_words / 10));
  if (words.front().labels.empty()) ensemble::align_letters(words);
  std::erase_if(words, [](const Pronunciation& word) { return word.labels.empty(); });
  train_words = std::min(train_words, words.size() / 2);
  ExpertRecipe recipe;
  recipe.learner = "crf";
  recipe.settings = {"passes=6"};
  ESPALIER_ASSIGN(recipe.train_file, write_file(folder, "ranker.txt", columns_of(words, 0, train_words)));
  ESPALIER_ASSIGN(recipe.template_file, write_file(folder, "ranker.template", window_template(2, false)));
  ESPALIER_ASSIGN(const std::string eval_file,
                  write_file(folder, "ranked.txt", columns_of(words, train_words, words.size())));
  ESPALIER_ASSIGN(StudySample sample, begin_sample(eval_file, {}, kRanks - 1));
  ESPALIER_ASSIGN(const Labellings said,
                  train_and_label(recipe, eval_file, {}, kRanks, sample.labels, request));
  for (size_t rank = 1; rank < kRanks; ++rank) {
    fill_expert(sample, rank - 1, said, rank);
    sample.experts.push_back(fmt::format("rank {}", rank + 1));
  }
  StudySample whole;
  whole.labels = sample.labels;
  whole.experts = sample.experts;
  for (size_t s = 0; s < said.size() && whole.sequences.size() < eval_words; ++s) {
    if (said[s].size() < kRanks) continue;
    sample.sequences[s].gold = said[s][0];
    whole.sequences.push_back(std::move(sample.sequences[s]));
  }
  return whole;
}

/// Lists have no labelling twice, so no expert can be right about a whole word.
bool never_the_target(const StudySample& sample) {
  for (const ensemble::TokenVotes& votes : sample.sequences)
    for (size_t j = 0; j < votes.experts; ++j) {
      bool same = true;
      for (size_t t = 0; t < votes.length() && same; ++t) same = votes.label(t, j) == votes.gold[t];
      if (same) return false;
    }
  return !sample.sequences.empty();
}

/// What the paper says about its pronunciations, of one column of the study.
void claim_pronunciation(const StudyOutcome& outcome, const std::string& column, Report& report) {
  const double mvote = outcome.error.at("mvote"), sle = outcome.error.at("sle");
  report.claim(column + ": mvote better than sle", mvote < sle, fmt::format("{:.4f} and {:.4f}", mvote, sle),
               "lower ranks differ from the first in one letter each, so that votes of few suffice");
  const auto& rounds = outcome.boost_rounds;
  const auto [least, most] = std::minmax_element(rounds.begin(), rounds.end());
  if (rounds.empty()) return;
  report.claim(column + ": espboost ends after 5 to 8 rounds, where no path is better than chance",
               *least >= 5 && *most <= 8, fmt::format("{} to {} rounds", *least, *most),
               "how soon no path is left depends on how the ranks' errors overlap");
}

constexpr PaperColumn kPds1 = {.2225, .2657, .2316, .4451, .3625, .3130, .4713, .3449};
constexpr PaperColumn kPds2 = {.2323, .2337, .2364, .4090, .3499, .3308, .4607, .3413};
constexpr PaperColumn kPds1Edit = {.8395, 1.0158, .8668, 1.8044, 1.3977, 1.1762, 1.8962, 1.2163};
constexpr PaperColumn kPds2Edit = {.9626, .9744, .9840, 1.8625, 1.4092, 1.2477, 2.0838, 1.2883};

}  // namespace

Result<Report> ensemble_pronunciation(const Request& request) {
  Report report;
  ESPALIER_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make());
  StudyOptions options;
  options.edit_distance = true;
  options.cause = "experts that learned from the same letters err alike";
  options.substructures.kind = ensemble::SubstructureKind::kPositions;
  const size_t few = request.quick ? 200 : 1313, many = request.quick ? 400 : 6354;
  const auto both_sizes = [&](const StudySample& sample, const std::string& what, bool printed) -> Status {
    options.printed = printed;
    for (const bool small : {true, false}) {
      if (request.quick && !small) continue;
      StudySample part = sample;
      part.sequences.resize(std::min(part.sequences.size(), small ? few : many));
      options.column = fmt::format("{}, {} words", what, small ? 1313 : 6354);
      options.training_size = request.quick ? (small ? 20 : 40) : small ? 130 : 400;
      options.beta = small ? 0.85 : 0.97;
      options.paper = printed ? paper_rows(small ? kPds1 : kPds2) : PaperRows();
      options.paper_edit = printed ? paper_rows(small ? kPds1Edit : kPds2Edit) : PaperRows();
      ESPALIER_ASSIGN(const StudyOutcome outcome, run_study(part, options, request, report));
      if (printed && !request.quick) claim_pronunciation(outcome, options.column, report);
    }
    return {};
  };
  // As the paper does it, on two dictionaries.
  for (const bool cmudict : {true, false}) {
    ESPALIER_ASSIGN(std::vector<Pronunciation> words, load_words(request, cmudict));
    ESPALIER_ASSIGN(const StudySample lists,
                    ranked_lists(std::move(words), request.quick ? 400 : 5000, many, folder, request));
    report.check(fmt::format("no expert of the {} lists is the target", cmudict ? "CMUdict" : "NETtalk"),
                 never_the_target(lists), fmt::format("{} words, {} ranks", lists.sequences.size(), kRanks));
    ESPALIER_TRY(both_sizes(lists, cmudict ? "CMUdict" : "NETtalk", true));
  }
  // Ten pronouncers that learned from other words, and the true pronunciations.
  ESPALIER_ASSIGN(std::vector<Pronunciation> words, load_words(request, true));
  const PronouncerDesign design =
      request.quick ? PronouncerDesign{10, 60, 400} : PronouncerDesign{10, 1200, 6354};
  ESPALIER_ASSIGN(const StudySample sample, pronouncers(words, design, folder, request, report));
  ESPALIER_TRY(both_sizes(sample, "ten pronouncers", false));
  options.column = "ten pronouncers, 6354 words, phonemes side by side";
  options.side_by_side = true;
  ESPALIER_TRY(run_study(phonemes_side_by_side(sample), options, request, report));
  report.notes.push_back(
      "phonemes side by side: the experts' phonemes without the letters they belong to, so their numbers "
      "differ; the error is that of the columns");
  report.depart(
      "the paper's sets are proprietary: twenty pronunciations of each word of CMUdict and NETtalk, ranked "
      "by a "
      "CRF that learned from 5,000 other words, take their place; letters are the positions");
  return report;
}

}  // namespace espalier::research
