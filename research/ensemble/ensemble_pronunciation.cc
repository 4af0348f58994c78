// Tables 3, 4, 6 and 7: ensembles of pronouncers, and their gain by length and by number of experts.
#include <algorithm>

#include "espalier/ensemble/pronunciation.h"
#include "espalier/eval/significance.h"
#include "research/ensemble/ensemble_study.h"
#include "research/experiments.h"

namespace espalier::research {
namespace {

using ensemble::Pronunciation;

std::string columns_of(const std::vector<Pronunciation>& words, size_t first, size_t count) {
  std::string text;
  for (size_t w = first; w < first + count && w < words.size(); ++w) {
    for (size_t k = 0; k < words[w].word.size(); ++k) {
      text.push_back(words[w].word[k]);
      text.append(" ").append(words[w].labels[k]).append("\n");
    }
    text.append("\n");
  }
  return text;
}

/// A window of letters as a CRF++ template; wider windows and conjunctions make stronger experts.
std::string window_template(int reach, bool pairs) {
  std::string text;
  int number = 0;
  for (int at = -reach; at <= reach; ++at) text += fmt::format("U{:02}:%x[{},0]\n", number++, at);
  for (int at = -reach; pairs && at < reach; ++at)
    text += fmt::format("U{:02}:%x[{},0]/%x[{},0]\n", number++, at, at + 1);
  for (int at = -2; pairs && at <= 0; ++at)
    text += fmt::format("U{:02}:%x[{},0]/%x[{},0]/%x[{},0]\n", number++, at, at + 1, at + 2);
  return text + "B\n";
}

/// An aligned dictionary in an order other than alphabetical.
Result<std::vector<Pronunciation>> load_words(const Request& request, bool cmudict) {
  std::vector<Pronunciation> words;
  for (const char* part : {"train", "dev", "test"}) {
    auto read = cmudict
                    ? ensemble::read_cmudict(request.corpus(fmt::format("cmudict/l2p.{}.tsv.gz", part)), true)
                    : ensemble::read_nettalk(request.corpus(fmt::format("nettalk/nettalk.{}.tsv.gz", part)));
    if (!read.ok()) return std::move(read).error();
    for (Pronunciation& word : *read) words.push_back(std::move(word));
  }
  Random random(request.seed);
  random.shuffle(std::span(words));
  return words;
}

struct PronouncerDesign {
  size_t experts, words_each, eval_words;
};

/// Experts with different learners and windows, each trained on its own part of the dictionary.
Result<StudySample> pronouncers(std::vector<Pronunciation>& words, const PronouncerDesign& design,
                                const TemporaryDirectory& folder, const Request& request, Report& report) {
  const size_t wanted = design.experts * design.words_each + design.eval_words;
  words.resize(std::min(words.size(), wanted + wanted / 50));
  if (words.front().labels.empty()) {
    const ensemble::AlignmentReport aligned = ensemble::align_letters(words);
    report.set("words aligned, skipped", fmt::format("{}, {}", aligned.aligned, aligned.skipped));
  }
  std::erase_if(words, [](const Pronunciation& word) { return word.labels.empty(); });
  words.resize(std::min(words.size(), wanted));
  const char* const learners[] = {"crf", "perceptron", "local", "memm", "perceptron"};
  const int reaches[] = {2, 3, 4, 3, 2};
  ESPALIER_ASSIGN(const std::string eval_file,
                  write_file(folder, "eval.txt",
                             columns_of(words, design.experts * design.words_each, design.eval_words)));
  ESPALIER_ASSIGN(StudySample sample, begin_sample(eval_file, {}, design.experts));
  for (size_t j = 0; j < design.experts; ++j) {
    ExpertRecipe recipe;
    recipe.learner = learners[j % 5];
    recipe.name = fmt::format("{}-{}-{}", recipe.learner, reaches[j % 5], j);
    recipe.settings = {"passes=6"};
    ESPALIER_ASSIGN(recipe.train_file,
                    write_file(folder, recipe.name + ".txt",
                               columns_of(words, j * design.words_each, design.words_each)));
    ESPALIER_ASSIGN(recipe.template_file, write_file(folder, recipe.name + ".template",
                                                     window_template(reaches[j % 5], j % 2 == 1 || j >= 5)));
    Progress progress;
    progress.phase = "experts";
    progress.done = static_cast<double>(j);
    progress.total = static_cast<double>(design.experts);
    request.monitor.report(progress);
    ESPALIER_ASSIGN(const Labellings said, train_and_label(recipe, eval_file, {}, 1, sample.labels, request));
    fill_expert(sample, j, said);
    sample.experts.push_back(recipe.name);
  }
  report.set("experts", fmt::format("{}, {} words each, from disjoint parts", fmt::join(sample.experts, " "),
                                    design.words_each));
  return sample;
}

const std::map<std::string, double> kPds1 = {{"mvote", .2225},  {"fpl", .2657},      {"cv", .2316},
                                             {"fpl-cv", .4451}, {"espboost", .3625}, {"sle", .3130},
                                             {"rand", .4713},   {"best", .3449}};
const std::map<std::string, double> kPds2 = {{"mvote", .2323},  {"fpl", .2337},      {"cv", .2364},
                                             {"fpl-cv", .4090}, {"espboost", .3499}, {"sle", .3308},
                                             {"rand", .4607},   {"best", .3413}};
const std::map<std::string, double> kPds1Edit = {{"mvote", .8395},   {"fpl", 1.0158},      {"cv", .8668},
                                                 {"fpl-cv", 1.8044}, {"espboost", 1.3977}, {"sle", 1.1762},
                                                 {"rand", 1.8962},   {"best", 1.2163}};
const std::map<std::string, double> kPds2Edit = {{"mvote", .9626},   {"fpl", .9744},       {"cv", .9840},
                                                 {"fpl-cv", 1.8625}, {"espboost", 1.4092}, {"sle", 1.2477},
                                                 {"rand", 2.0838},   {"best", 1.2883}};

/// The sample restricted to the first `experts` experts and to sequences of at least `shortest` tokens.
StudySample narrowed(const StudySample& sample, size_t experts, size_t shortest, size_t longest) {
  StudySample out;
  out.labels = sample.labels;
  for (const ensemble::TokenVotes& votes : sample.sequences) {
    if (votes.length() < shortest || votes.length() > longest) continue;
    ensemble::TokenVotes fewer;
    fewer.reset(experts, votes.length());
    fewer.gold = votes.gold;
    for (size_t t = 0; t < votes.length(); ++t)
      for (size_t j = 0; j < experts; ++j) fewer.votes[t * experts + j] = votes.label(t, j);
    out.sequences.push_back(std::move(fewer));
  }
  return out;
}

}  // namespace

Result<Report> ensemble_pronunciation(const Request& request) {
  Report report;
  ESPALIER_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make());
  ESPALIER_ASSIGN(std::vector<Pronunciation> words, load_words(request, true));
  const PronouncerDesign design =
      request.quick ? PronouncerDesign{10, 60, 400} : PronouncerDesign{10, 1200, 6354};
  ESPALIER_ASSIGN(const StudySample sample, pronouncers(words, design, folder, request, report));
  StudyOptions options;
  options.edit_distance = true;
  options.cause = "experts that learned from the same letters err alike";
  options.substructures.kind = ensemble::SubstructureKind::kPositions;
  StudySample small = sample;
  small.sequences.resize(std::min<size_t>(small.sequences.size(), request.quick ? 200 : 1313));
  options.column = "1313 words";
  options.training_size = request.quick ? 20 : 130;
  options.beta = 0.85;
  options.paper = kPds1;
  options.paper_edit = kPds1Edit;
  ESPALIER_TRY(run_study(small, options, request, report));
  options.column = "6354 words";
  options.training_size = request.quick ? 40 : 400;
  options.beta = 0.97;
  options.paper = kPds2;
  options.paper_edit = kPds2Edit;
  ESPALIER_TRY(run_study(sample, options, request, report));
  options.column = "6354 words, phonemes side by side";
  options.side_by_side = true;
  options.printed = false;
  options.paper.clear();
  options.paper_edit.clear();
  ESPALIER_TRY(run_study(phonemes_side_by_side(sample), options, request, report));
  report.notes.push_back(
      "phonemes side by side: the experts' phonemes without the letters they belong to, so their numbers "
      "differ; the error is that of the columns");
  report.depart(
      "the paper's sets are proprietary: experts are ten learners trained on disjoint parts of the "
      "dictionary, "
      "and targets are its pronunciations, where the paper's experts are lower ranks of one n-best list");
  return report;
}

Result<Report> ensemble_long(const Request& request) {
  Report report;
  ESPALIER_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make());
  ESPALIER_ASSIGN(std::vector<Pronunciation> words, load_words(request, true));
  const PronouncerDesign design =
      request.quick ? PronouncerDesign{20, 40, 400} : PronouncerDesign{50, 500, 6000};
  ESPALIER_ASSIGN(const StudySample sample, pronouncers(words, design, folder, request, report));
  StudyOptions options;
  options.beta = 0.97;
  options.cause = "experts that learned from 500 words each differ little";
  options.substructures.kind = ensemble::SubstructureKind::kPositions;
  const std::map<std::string, double> five = {{"mvote", .2465},  {"fpl", .2500},      {"cv", .2504},
                                              {"fpl-cv", .2726}, {"espboost", .2572}, {"sle", .2572},
                                              {"rand", .2877},   {"best", .2573}};
  const std::map<std::string, double> ten = {{"mvote", .2606},  {"fpl", .2622},      {"cv", .2755},
                                             {"fpl-cv", .3219}, {"espboost", .2864}, {"sle", .2864},
                                             {"rand", .3430},   {"best", .2865}};
  const std::map<std::string, double> twenty = {{"mvote", .2773},  {"fpl", .2797},      {"cv", .2986},
                                                {"fpl-cv", .3816}, {"espboost", .3115}, {"sle", .3114},
                                                {"rand", .3977},   {"best", .3116}};
  const std::map<std::string, double> fifty = {{"mvote", .3217},  {"fpl", .3189},      {"cv", .3401},
                                               {"fpl-cv", .4451}, {"espboost", .3426}, {"sle", .3425},
                                               {"rand", .4608},   {"best", .3427}};
  const auto add_gain = [&report](const StudyOutcome& outcome, const std::string& column) {
    std::vector<double> gains;
    const std::vector<double>&best = outcome.fold_errors.at("best"), &mvote = outcome.fold_errors.at("mvote");
    for (size_t f = 0; f < std::min(best.size(), mvote.size()); ++f) gains.push_back(best[f] - mvote[f]);
    const eval::MeanAndDeviation gain = eval::mean_and_deviation(gains);
    report.add("gain of mvote over best", column, std::nullopt, gain.mean, gain.deviation).printed();
    return gain.mean;
  };
  std::vector<double> by_experts, by_length;
  for (const size_t p : {size_t{5}, size_t{10}, size_t{20}, size_t{50}}) {
    if (p > design.experts) continue;
    options.column = fmt::format("p = {}, 4 letters and more", p);
    options.paper = p == 5 ? five : p == 10 ? ten : p == 20 ? twenty : fifty;
    ESPALIER_ASSIGN(const StudyOutcome outcome,
                    run_study(narrowed(sample, p, 4, SIZE_MAX), options, request, report));
    by_experts.push_back(add_gain(outcome, options.column));
  }
  options.paper.clear();
  const std::pair<size_t, size_t> lengths[] = {{2, 5}, {6, 7}, {8, 9}, {10, SIZE_MAX}};
  for (const auto& [from, to] : lengths) {
    const StudySample part = narrowed(sample, 10, from, to);
    if (part.sequences.size() < 200) continue;
    options.column = to == SIZE_MAX ? fmt::format("p = 10, {} letters and more", from)
                                    : fmt::format("p = 10, {} to {} letters", from, to);
    ESPALIER_ASSIGN(const StudyOutcome outcome, run_study(part, options, request, report));
    by_length.push_back(add_gain(outcome, options.column));
  }
  report.depart(
      "the paper's speech data is proprietary; pronouncers trained on 500 words each take its place");
  if (request.quick) return report;
  // The paper: the improvement over the best expert grows with the number of substructures and of experts.
  const auto grows = [&](const char* name, const std::vector<double>& gains) {
    report.claim(name, std::is_sorted(gains.begin(), gains.end()),
                 fmt::format("{:+.4f}", fmt::join(gains, ", ")),
                 "more experts also bring better best experts");
  };
  grows("the gain of mvote over the best expert grows with the number of experts", by_experts);
  grows("the gain of mvote over the best expert grows with the length", by_length);
  return report;
}

}  // namespace espalier::research
