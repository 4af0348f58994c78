#include "research/ensemble/ensemble_pronouncers.h"

#include <algorithm>

namespace espalier::research {

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

}  // namespace espalier::research
