#include "espalier/public/ensemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/base/random.h"
#include "espalier/model/model.h"
#include "espalier/model/train.h"

namespace espalier {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;

/// Labelled sentences and three experts who err at different tokens.
struct VotedData {
  std::vector<Labels> words, gold;
  std::vector<std::vector<Labels>> experts = std::vector<std::vector<Labels>>(3);

  explicit VotedData(size_t sequences, uint64_t seed = 1, double rate = 0.2) {
    Random random(seed);
    const std::vector<std::pair<std::string, std::string>> lexicon = {
        {"the", "B-NP"}, {"dog", "I-NP"}, {"sees", "B-VP"}, {"in", "B-PP"}, {".", "O"}};
    for (size_t s = 0; s < sequences; ++s) {
      words.emplace_back();
      gold.emplace_back();
      const size_t phrases = 1 + random.below(3);
      for (size_t i = 0; i < phrases; ++i)
        for (const size_t w : {size_t{0}, size_t{1}, 2 + random.below(3)}) {
          words.back().push_back(lexicon[w].first);
          gold.back().push_back(lexicon[w].second);
        }
      for (auto& expert : experts) {
        expert.push_back(gold.back());
        for (std::string& label : expert.back())
          if (random.uniform() < rate) label = random.uniform() < 0.5 ? "O" : "B-NP";
      }
    }
  }
  Corpus corpus() const {
    Corpus out;
    for (size_t s = 0; s < words.size(); ++s) out.add_words(words[s], gold[s]);
    return out;
  }
  std::vector<Expert> answers() const { return {{experts[0], "a"}, {experts[1], "b"}, {experts[2], "c"}}; }
  /// "word label" lines; no label column where `labels` is null.
  static std::string text(const std::vector<Labels>& words, const std::vector<Labels>* labels) {
    std::string out;
    for (size_t s = 0; s < words.size(); ++s) {
      for (size_t t = 0; t < words[s].size(); ++t)
        out += words[s][t] + (labels == nullptr ? "" : " " + (*labels)[s][t]) + "\n";
      out += "\n";
    }
    return out;
  }
  size_t errors(const std::vector<Labels>& said) const {
    size_t wrong = 0;
    for (size_t s = 0; s < gold.size(); ++s)
      for (size_t t = 0; t < gold[s].size(); ++t) wrong += said[s][t] != gold[s][t];
    return wrong;
  }
};

std::vector<Labels> combine_all(const Ensemble& ensemble, const VotedData& data) {
  std::vector<Labels> out;
  for (size_t s = 0; s < data.gold.size(); ++s) {
    auto combined = ensemble.combine({data.experts[0][s], data.experts[1][s], data.experts[2][s]}, {}, s);
    EXPECT_TRUE(combined.ok()) << combined.error().message;
    out.push_back(combined->labels);
  }
  return out;
}

std::string error_of(const auto& result) { return result.ok() ? "no error" : result.error().message; }

TEST(Ensemble, LearnedFromMemoryItIsBetterThanItsExperts) {
  const Ensemble ensemble = Ensemble::learn(VotedData(200).corpus(), VotedData(200).answers()).value();
  EXPECT_THAT(ensemble.experts(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(ensemble.info().scheme, "iob2");
  EXPECT_EQ(ensemble.info().training_sequences, 200u);
  ASSERT_TRUE(ensemble.learning().error.has_value());
  EXPECT_LT(*ensemble.learning().error, *ensemble.learning().best_expert_error / 2);
  const VotedData test(100, 2);
  const size_t wrong = test.errors(combine_all(ensemble, test));
  for (const auto& expert : test.experts) EXPECT_LT(wrong, test.errors(expert) / 2);
  const Combined one = ensemble.combine({test.gold[0], test.gold[0], test.gold[0]}).value();
  EXPECT_EQ(one.labels, test.gold[0]);
  EXPECT_EQ(one.confidence.size(), one.labels.size());
  EXPECT_GT(one.sequence_confidence, 0.5);
}

TEST(Ensemble, PlainListsOfLabelsAreExpertsWithNumbers) {
  const VotedData data(60);
  const std::vector<Labels>&a = data.experts[0], &b = data.experts[1];
  const Ensemble ensemble = Ensemble::learn(data.corpus(), {a, b}).value();
  EXPECT_THAT(ensemble.experts(), ElementsAre("expert 1", "expert 2"));
}

TEST(Ensemble, SavedAndOpenedItAnswersTheSame) {
  const TemporaryDirectory folder;
  const VotedData data(80), test(40, 2);
  for (const MethodInfo& method : ensemble_methods()) {
    const Ensemble learned =
        Ensemble::learn(data.corpus(), data.answers(), {.method = method.name, .beta = 0.9, .rounds = 10})
            .value();
    const std::string path = folder.path("votes.model");
    ASSERT_TRUE(learned.save(path).ok());
    const Ensemble opened = Ensemble::open(path).value();
    EXPECT_EQ(opened.method(), method.name);
    EXPECT_EQ(opened.bytes(), learned.bytes());
    EXPECT_EQ(combine_all(opened, test), combine_all(learned, test));
    EXPECT_EQ(combine_all(Ensemble::from_bytes(learned.bytes()).value(), test), combine_all(learned, test));
  }
}

TEST(Ensemble, EightThreadsGetTheSameAnswers) {
  const VotedData data(100), test(100, 2);
  const Ensemble ensemble = Ensemble::learn(data.corpus(), data.answers()).value();
  const std::vector<Labels> wanted = combine_all(ensemble, test);
  std::vector<std::vector<Labels>> said(8);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < said.size(); ++i)
    threads.emplace_back([&, i] {
      for (int n = 0; n < 5; ++n) {
        // Labels that the ensemble does not know must not change anybody's answers.
        const Labels strange(3, "new " + std::to_string(i));
        EXPECT_THAT(ensemble.combine({strange, strange, strange}).value().labels, Each(Eq(strange[0])));
        said[i] = combine_all(ensemble, test);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(said, Each(Eq(wanted)));
}

/// The same data in files: gold, words, and an expert each.
struct VotedFiles {
  TemporaryDirectory folder;
  std::string gold, words;
  std::vector<std::string> paths;
  explicit VotedFiles(const VotedData& data) {
    gold = folder.write("gold.txt", VotedData::text(data.words, &data.gold));
    words = folder.write("words.txt", VotedData::text(data.words, nullptr));
    for (size_t j = 0; j < 3; ++j)
      paths.push_back(folder.write(std::string(1, static_cast<char>('a' + j)) + ".txt",
                                   VotedData::text(data.words, &data.experts[j])));
  }
  std::vector<Expert> experts() const {
    std::vector<Expert> out;
    for (const std::string& path : paths) out.push_back(Expert::file(path));
    return out;
  }
};

TEST(Ensemble, FilesAndMemoryGiveTheSameModelAndAnswers) {
  const VotedData data(120);
  const VotedFiles files(data);
  std::vector<Expert> memory;
  for (size_t j = 0; j < 3; ++j) memory.emplace_back(data.experts[j], files.paths[j]);
  const Ensemble from_files = Ensemble::learn(Files{{files.gold}}, files.experts()).value();
  EXPECT_EQ(Ensemble::learn(data.corpus(), memory).value().bytes(), from_files.bytes());
  EXPECT_EQ(Ensemble::learn(data.corpus(), files.experts(), {.threads = 2}).value().bytes(),
            from_files.bytes());
  EXPECT_EQ(Ensemble::learn(Files{{files.gold}}, memory, {.memory_megabytes = 0}).value().bytes(),
            from_files.bytes());

  std::string said, from_memory;
  ApplyOptions options;
  options.text = Files{{files.words}};
  const Applied applied = from_files.apply(files.experts(), Sink::string(said), options).value();
  EXPECT_EQ(applied.sequences, 120u);
  const std::vector<Labels> combined = combine_all(from_files, data);
  EXPECT_EQ(said, VotedData::text(data.words, &combined));
  ASSERT_TRUE(from_files.apply(memory, Sink::string(from_memory), options).ok());
  EXPECT_EQ(from_memory, said);
}

TEST(Ensemble, ReportSaysWhatEachExpertIsWorth) {
  const VotedData data(120);
  const VotedFiles files(data);
  const Ensemble ensemble =
      Ensemble::learn(data.corpus(), data.answers(), {.method = "mvote", .beta = 0.9}).value();
  const EnsembleReport report = ensemble.report(data.corpus(), data.answers(), {.bounds = true}).value();
  EXPECT_EQ(report.sequences, 120u);
  EXPECT_TRUE(report.chunked);
  ASSERT_EQ(report.experts.size(), 3u);
  ASSERT_EQ(report.places.size(), report.experts[0].by_place.size());
  ASSERT_EQ(report.labels.size(), report.experts[0].by_label.size());
  EXPECT_THAT(report.labels, Contains("B-VP"));
  EXPECT_EQ(report.bounds.size(), 2u);
  size_t tokens = 0;
  for (const Labels& gold : data.gold) tokens += gold.size();
  for (size_t j = 0; j < 3; ++j) {
    const EnsembleReport::OfExpert& expert = report.experts[j];
    EXPECT_EQ(expert.agreement[j], 100);
    EXPECT_GT(report.ensemble.accuracy, expert.quality.accuracy);
    EXPECT_NEAR(
        expert.quality.accuracy,
        100.0 - 100.0 * static_cast<double>(data.errors(data.experts[j])) / static_cast<double>(tokens),
        1e-9);
  }
  const EnsembleReport same = ensemble.report(Files{{files.gold}}, files.experts()).value();
  EXPECT_EQ(same.ensemble.error, report.ensemble.error);
  EXPECT_TRUE(same.bounds.empty());
}

TEST(Ensemble, MissingAnswersAreAnErrorSpreadOrLeftOut) {
  VotedData data(60);
  for (size_t s = 0; s < data.gold.size(); s += 4) data.experts[2][s].clear();
  EXPECT_THAT(error_of(Ensemble::learn(data.corpus(), data.answers())),
              HasSubstr("c has no answer for sequence 1"));
  const Ensemble spread = Ensemble::learn(data.corpus(), data.answers(), {.missing = "spread"}).value();
  EXPECT_EQ(spread.learning().left_out, 0u);
  EXPECT_EQ(spread.info().training_sequences, 60u);
  const Ensemble fewer = Ensemble::learn(data.corpus(), data.answers(), {.missing = "leave-out"}).value();
  EXPECT_EQ(fewer.learning().left_out, 15u);
  EXPECT_EQ(fewer.info().training_sequences, 45u);
  EXPECT_EQ(spread.combine({data.gold[0], {}, {}}).value().labels.size(), data.gold[0].size());
  EXPECT_THAT(spread.combine({{"_", "B-NP"}, {"", "B-NP"}, {}}).value().labels,
              ElementsAre(testing::_, "B-NP"));
  EXPECT_TRUE(spread.combine({{}, {}, {}}).value().labels.empty());
}

TEST(Ensemble, WhatIsWrongIsSaidWithNames) {
  VotedData data(30);
  const Ensemble ensemble = Ensemble::learn(data.corpus(), data.answers()).value();
  EXPECT_THAT(error_of(ensemble.combine({{"O", "O"}, {"O", "O"}})),
              HasSubstr("combines 3 experts (a, b, c), but 2 answers are given"));
  EXPECT_THAT(error_of(ensemble.combine({{"O", "O"}, {"O"}, {"O", "O"}})),
              HasSubstr("b has 1 labels, but a has 2"));
  EXPECT_THAT(error_of(ensemble.combine({{"O"}, {"O"}, {"O"}}, {{1}, {1}, {1}})),
              HasSubstr("without probabilities"));
  std::string ignored;
  EXPECT_THAT(error_of(ensemble.apply({data.experts[0]}, Sink::string(ignored))),
              HasSubstr("combines 3 experts (a, b, c), but 1 are given"));
  EXPECT_THAT(error_of(Ensemble::learn(data.corpus(), {})), HasSubstr("no experts"));
  EXPECT_THAT(error_of(Ensemble::learn(Files{{"no-such-file"}}, data.answers())), HasSubstr("no-such-file"));
  EXPECT_THAT(error_of(Ensemble::learn(Corpus().add_words({"a", "b"}, {"X"}), data.answers())),
              HasSubstr("labels"));

  data.experts[1][4].pop_back();
  EXPECT_THAT(error_of(Ensemble::learn(data.corpus(), data.answers(), {.missing = "spread"})),
              HasSubstr("b: sequence 5 has"));
  data.experts[0].pop_back();
  EXPECT_THAT(error_of(Ensemble::learn(data.corpus(), {data.experts[0], data.experts[2]})),
              HasSubstr("expert 1 ends after 29 sequences"));
}

TEST(Ensemble, OptionsAreCheckedBeforeDataIsRead) {
  const auto wrong = [](const EnsembleOptions& options) { return error_of(options.check()); };
  EXPECT_TRUE(EnsembleOptions().check().ok());
  EXPECT_THAT(wrong({.method = "mvot"}), HasSubstr("mvote"));
  EXPECT_THAT(wrong({.substructures = "words"}), HasSubstr("words"));
  EXPECT_THAT(wrong({.beta = 1.5}), HasSubstr("beta 1.5"));
  EXPECT_THAT(wrong({.align = "maybe"}), HasSubstr("maybe"));
  EXPECT_THAT(wrong({.missing = "ignore"}), HasSubstr("ignore"));
  EXPECT_THAT(wrong({.method = "mvote", .probabilities = true}), HasSubstr("espboost"));
  EXPECT_THAT(wrong({.method = "mvote", .form = "sum"}), HasSubstr("espboost"));
  EXPECT_THAT(wrong({.substructures = "spans", .align = "yes"}), HasSubstr("aligned outputs"));
  EXPECT_THAT(wrong({.substructures = "tokens", .automaton = "x.fst"}), HasSubstr("positions"));
  EXPECT_THAT(error_of(Ensemble::learn(Files{{"no-such-file"}}, {}, {.beta = 1.5})), HasSubstr("beta"));
}

TEST(Ensemble, OutputsOfUnequalLengthArePutSideBySide) {
  Random random(3);
  const Labels sounds = {"K", "AE", "T", "S", "IH"};
  Corpus gold;
  std::vector<std::vector<Labels>> experts(5);
  std::vector<Labels> right;
  for (int s = 0; s < 150; ++s) {
    Labels word;
    for (size_t i = 0, n = 3 + random.below(4); i < n; ++i) word.push_back(sounds[random.below(5)]);
    gold.add_words(Labels(word.size(), "x"), word);
    right.push_back(word);
    for (auto& expert : experts) {
      Labels said;
      for (const std::string& sound : word)
        if (const double u = random.uniform(); u > 0.1) said.push_back(u < 0.15 ? "X" : sound);
      if (said.empty()) said = {"X"};
      expert.push_back(said);
    }
  }
  const std::vector<Expert> all(experts.begin(), experts.end());
  EXPECT_THAT(error_of(Ensemble::learn(gold, all, {.align = "no"})), HasSubstr("align = yes"));
  const Ensemble ensemble = Ensemble::learn(gold, all, {.align = "yes"}).value();
  EXPECT_TRUE(ensemble.info().aligned);
  size_t exact = 0, best = 0;
  for (size_t s = 0; s < right.size(); ++s) {
    std::vector<Labels> answers;
    for (const auto& expert : experts) answers.push_back(expert[s]);
    const Combined combined = ensemble.combine(answers).value();
    EXPECT_EQ(combined.labels.size(), combined.confidence.size());
    exact += combined.labels == right[s];
    best += experts[0][s] == right[s];
  }
  EXPECT_GT(exact, best);
  EXPECT_THAT(error_of(ensemble.combine({{"<gap>"}, {"K"}, {"K"}, {"K"}, {"K"}})), HasSubstr("<gap>"));
}

TEST(Ensemble, ProbabilitiesOfExpertsCount) {
  const VotedData data(80);
  std::vector<Expert> sure;
  for (const auto& labels : data.experts) {
    Answers answers(labels, "e");
    for (const Labels& sequence : labels) answers.probabilities.emplace_back(sequence.size(), 0.75);
    sure.emplace_back(answers);
  }
  const EnsembleOptions options{.method = "espboost", .probabilities = true};
  EXPECT_THAT(error_of(Ensemble::learn(data.corpus(), data.answers(), options)),
              HasSubstr("no probabilities"));
  const Ensemble ensemble = Ensemble::learn(data.corpus(), sure, options).value();
  EXPECT_TRUE(ensemble.info().probabilities);
  EXPECT_THAT(error_of(ensemble.combine({{"O"}, {"O"}, {"O"}})), HasSubstr("with probabilities"));
  EXPECT_THAT(error_of(ensemble.combine({{"O"}, {"O"}, {"O"}}, {{2}, {1}, {1}})),
              HasSubstr("not a probability"));
  // Whoever is sure decides against two who are not.
  EXPECT_THAT(ensemble.combine({{"O"}, {"B-NP"}, {"B-NP"}}, {{1}, {0.01}, {0.01}}).value().labels,
              ElementsAre("O"));
}

std::vector<std::byte> bytes_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  const std::string all = text.str();
  const auto* const first = reinterpret_cast<const std::byte*>(all.data());
  return {first, first + all.size()};
}

TEST(Ensemble, ModelsAreExpertsFromFilesAndFromMemory) {
  const VotedData data(80);
  const VotedFiles files(data);
  model::TrainRequest request;
  request.train = {files.gold};
  request.model = files.folder.path("crf.model");
  request.settings = {"passes=2"};
  ASSERT_TRUE(model::train(request, {}).ok());
  const Expert from_file = Expert::file(request.model);
  const Expert from_memory = Expert::model(bytes_of_file(request.model), request.model);
  const EnsembleOptions options{.method = "mvote", .beta = 0.9};
  const Ensemble ensemble =
      Ensemble::learn(Files{{files.gold}}, {from_file, Expert::file(files.paths[0])}, options).value();
  EXPECT_EQ(ensemble.experts()[0], request.model);
  EXPECT_EQ(Ensemble::learn(data.corpus(), {from_memory, {data.experts[0], files.paths[0]}}, options)
                .value()
                .bytes(),
            ensemble.bytes());
  ApplyOptions apply;
  apply.text = Files{{files.words}};
  std::string said;
  ASSERT_TRUE(ensemble.apply({from_memory, Expert::file(files.paths[0])}, Sink::string(said), apply).ok());
  EXPECT_EQ(static_cast<size_t>(std::count(said.begin(), said.end(), '\n')), static_cast<size_t>([&] {
              const std::string text = VotedData::text(data.words, nullptr);
              return std::count(text.begin(), text.end(), '\n');
            }()));
  EXPECT_THAT(error_of(ensemble.apply({from_file, from_file}, Sink::string(said))), HasSubstr("--input"));

  // A model and an ensemble are told apart.
  const std::string votes = files.folder.path("votes.model");
  ASSERT_TRUE(ensemble.save(votes).ok());
  EXPECT_THAT(error_of(Ensemble::open(request.model)), HasSubstr("not an ensemble"));
  EXPECT_THAT(error_of(model::Model::open(votes)), HasSubstr("`espalier ensemble apply`"));
  EXPECT_THAT(error_of(Ensemble::learn(data.corpus(), {Expert::file(votes)})),
              HasSubstr("this is an ensemble"));
  EXPECT_THAT(error_of(Ensemble::learn(data.corpus(), {Expert::model({}, "nothing")})), HasSubstr("nothing"));
}

TEST(Ensemble, ACallbackOrAFlagEndsTheWork) {
  const VotedData data(80);
  EnsembleOptions options;
  options.on_progress = [](const Progress&) { return false; };
  EXPECT_THAT(error_of(Ensemble::learn(data.corpus(), data.answers(), options)), HasSubstr("interrupted"));
  const std::atomic<bool> stop{true};
  EXPECT_THAT(error_of(Ensemble::learn(data.corpus(), data.answers(), {.stop = &stop})),
              HasSubstr("interrupted"));
  const Ensemble ensemble = Ensemble::learn(data.corpus(), data.answers()).value();
  std::string said;
  ApplyOptions apply;
  apply.stop = &stop;
  EXPECT_THAT(error_of(ensemble.apply(data.answers(), Sink::string(said), apply)), HasSubstr("interrupted"));
}

}  // namespace
}  // namespace espalier
