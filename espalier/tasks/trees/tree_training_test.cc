#include "espalier/tasks/trees/tree_training.h"

#include <gtest/gtest.h>

#include "espalier/data/test_data.h"
#include "espalier/eval/calibration.h"
#include "espalier/tasks/trees/tree.h"
#include "espalier/tasks/trees/tree_model.h"

namespace espalier::tasks {
namespace {

/// Sentences "the dog sees a cat ." of random nouns, verbs and adjectives, with their trees.
std::string toy_treebank(size_t sentences, uint64_t seed) {
  Random random(seed);
  const std::vector<std::string> nouns = {"dog", "cat", "king", "owl"}, verbs = {"sees", "likes", "hears"},
                                 adjectives = {"old", "red", "small"};
  std::string out;
  for (size_t s = 0; s < sentences; ++s) {
    struct Word {
      std::string form, tag;
      size_t head;
      std::string relation;
    };
    std::vector<Word> words;
    const auto phrase = [&](size_t verb_place, const char* relation) {
      const bool adjective = random.below(2) == 0;
      const size_t noun = words.size() + 2 + adjective;
      words.push_back({random.below(2) == 0 ? "the" : "a", "DET", noun, "det"});
      if (adjective) words.push_back({adjectives[random.below(3)], "ADJ", noun, "amod"});
      words.push_back({nouns[random.below(4)], "NOUN", verb_place, relation});
    };
    phrase(0, "nsubj");
    const size_t verb = words.size() + 1;
    words.back().head = verb;
    words.push_back({verbs[random.below(3)], "VERB", 0, "root"});
    if (random.below(3) != 0) phrase(verb, "obj");
    words.push_back({".", "PUNCT", verb, "punct"});
    for (const Word& w : words) out += fmt::format("{} {} {} {}\n", w.form, w.tag, w.head, w.relation);
    out += "\n";
  }
  return out;
}

struct Toy {
  std::vector<data::Sequence> sequences;
  std::vector<std::vector<uint32_t>> heads;
  std::vector<TreeExample> examples;
};

data::LabelSet toy_labels() {
  data::LabelSet out;
  for (const char* name : {"root", "det", "amod", "nsubj", "obj", "punct"}) out.add(name);
  return out;
}

TreeSettings toy_settings(bool swap) {
  TreeSettings settings;
  settings.swap = swap;
  settings.relations = toy_labels().names();
  settings.allowed = {1, 2, 3, 4, 5};
  settings.columns.cell[static_cast<size_t>(TreeField::kWord)] = 0;
  settings.columns.cell[static_cast<size_t>(TreeField::kTag)] = 1;
  settings.templates = default_tree_templates();
  return settings;
}

Toy toy_data(size_t sentences, uint64_t seed, const TreeSettings& settings) {
  Toy out;
  data::ReadOptions options;
  options.label_column = "3,4";
  const data::LabelSet labels = toy_labels();
  out.sequences = data::read_sequences(toy_treebank(sentences, seed), options).value();
  for (const data::Sequence& sequence : out.sequences) {
    EXPECT_TRUE(read_heads(sequence, 2, out.heads.emplace_back()).ok());
    TreeExample& example = out.examples.emplace_back();
    example.sentence.encode(sequence, settings.columns);
    std::vector<data::Label> relations;
    for (size_t w = 0; w < sequence.length(); ++w) relations.push_back(*labels.find(sequence.label(w)));
    example.gold = GoldTree::make(out.heads.back(), relations, settings.swap);
  }
  return out;
}

TreeTables train_toy(const TreeSettings& settings, const Toy& toy, SearchLearner learner, size_t beam) {
  TreeTrainingOptions options;
  options.learner = learner;
  options.passes = 4;
  options.laso.width = beam;
  const TreeSystem system = settings.system().value();
  return train_trees(system, toy.examples, options, {Monitor(), nullptr}).value();
}

size_t wrong_words(const TreeSettings& settings, const TreeTables& tables, const Toy& toy, size_t beam,
                   bool levels) {
  const TreeSystem system = settings.system().value();
  const data::LabelSet labels = toy_labels();
  TreeBuffers buffers;
  size_t wrong = 0;
  for (size_t s = 0; s < toy.sequences.size(); ++s) {
    buffers.sentence = toy.examples[s].sentence;
    parse_sentence(system, tables, {beam, false, 1, levels, 0}, buffers);
    for (size_t w = 0; w < toy.heads[s].size(); ++w)
      wrong += buffers.best[0].heads[w] != toy.heads[s][w] ||
               labels.name(buffers.best[0].relations[w]) != toy.sequences[s].label(w);
  }
  return wrong;
}

TEST(TreeTraining, EveryLearnerLearnsToParse) {
  for (const bool swap : {false, true}) {
    const TreeSettings settings = toy_settings(swap);
    const Toy train = toy_data(120, 1, settings), test = toy_data(60, 2, settings);
    for (const SearchLearner learner :
         {SearchLearner::kSearn, SearchLearner::kLasoBr, SearchLearner::kLasoBst, SearchLearner::kLaso,
          SearchLearner::kIncremental}) {
      // With swap, LaSO does not learn to compare paths of different lengths.
      if (swap && learner != SearchLearner::kIncremental && learner != SearchLearner::kSearn) continue;
      const size_t beam = learner == SearchLearner::kIncremental ? 4 : 1;
      const TreeTables tables = train_toy(settings, train, learner, beam);
      const bool levels = learner == SearchLearner::kIncremental || learner == SearchLearner::kLasoBr;
      EXPECT_EQ(wrong_words(settings, tables, test, beam, levels), 0u)
          << "learner " << static_cast<int>(learner) << (swap ? " with swap" : "");
    }
  }
}

SectionFile saved(const TreeSettings& settings, const TreeTables& tables) {
  SectionWriter out;
  save_tree_model(settings, tables, out);
  return SectionFile::from_bytes(out.to_bytes(), "toy").value();
}

std::unique_ptr<TreePredictor> opened(const SectionFile& file) {
  data::FeatureOptions features;
  features.feature_columns = {0, 1};
  return TreePredictor::load(file, data::FeatureExtractor::make(features).value()).value();
}

TEST(TreeTraining, AModelFileParsesAsTheTrainedWeightsDo) {
  TreeSettings settings = toy_settings(false);
  settings.beam = 3;
  const Toy train = toy_data(60, 1, settings), test = toy_data(20, 2, settings);
  const TreeTables tables = train_toy(settings, train, SearchLearner::kIncremental, 3);
  const SectionFile file = saved(settings, tables);
  const auto predictor = opened(file);
  const auto scratch = predictor->make_scratch();
  const TreeSystem system = settings.system().value();
  TreeBuffers buffers;
  data::PredictOptions options;
  options.nbest = 3;
  for (size_t s = 0; s < test.sequences.size(); ++s) {
    data::Prediction prediction;
    ASSERT_TRUE(predictor->predict(test.sequences[s], {}, options, *scratch, prediction).ok());
    buffers.sentence = test.examples[s].sentence;
    parse_sentence(system, tables, {3, false, 3, false, 0}, buffers);
    ASSERT_EQ(prediction.best.size(), buffers.best.size());
    for (size_t k = 0; k < buffers.best.size(); ++k) {
      EXPECT_EQ(prediction.best[k].heads, buffers.best[k].heads);
      EXPECT_EQ(prediction.best[k].labels, buffers.best[k].relations);
      EXPECT_FALSE(find_tree_fault(prediction.best[k].heads));
      for (size_t other = 0; other < k; ++other)
        EXPECT_TRUE(prediction.best[k].heads != prediction.best[other].heads ||
                    prediction.best[k].labels != prediction.best[other].labels);
      if (k > 0) {
        EXPECT_LE(prediction.best[k].score, prediction.best[k - 1].score);
      }
    }
    const auto reasons = predictor->explain(test.sequences[s], *scratch).value();
    ASSERT_EQ(reasons.size(), test.sequences[s].length());
    for (size_t w = 0; w < reasons.size(); ++w) {
      EXPECT_EQ(reasons[w].label, prediction.best[0].labels[w]);
      const uint32_t head = prediction.best[0].heads[w];
      EXPECT_NE(reasons[w].decision.find(head == 0 ? "root" : fmt::format("from {} ", head)),
                std::string::npos)
          << reasons[w].decision;
      EXPECT_EQ(reasons[w].contributions.empty(), head == 0);
    }
  }
}

TEST(TreeTraining, ContributionsAddUpToTheMargin) {
  const TreeSettings settings = toy_settings(false);
  const Toy train = toy_data(40, 1, settings);
  const TreeTables tables = train_toy(settings, train, SearchLearner::kSearn, 1);
  const SectionFile file = saved(settings, tables);
  const auto predictor = opened(file);
  const auto scratch = predictor->make_scratch();
  for (const auto& e : predictor->explain(train.sequences[0], *scratch).value()) {
    if (e.contributions.empty()) continue;
    double margin = 0;
    for (const auto& c : e.contributions)
      if (c.feature.starts_with("relation: ")) margin += c.weight - c.runner_up;
    EXPECT_NEAR(margin, e.margin, 1e-3);
  }
}

TEST(TreeTraining, ProbabilitiesOfABeamSumToOne) {
  TreeSettings settings = toy_settings(false);
  const Toy train = toy_data(60, 1, settings), test = toy_data(20, 2, settings);
  const TreeTables tables = train_toy(settings, train, SearchLearner::kSearn, 1);
  const auto error_of = [&](float sharpness, std::vector<data::Prediction>* out) {
    settings.sharpness = sharpness;
    SectionWriter sections;
    save_tree_model(settings, tables, sections);
    const SectionFile file = SectionFile::from_bytes(sections.to_bytes(), "toy").value();
    data::FeatureOptions features;
    features.feature_columns = {0, 1};
    const auto predictor = TreePredictor::load(file, data::FeatureExtractor::make(features).value()).value();
    const auto scratch = predictor->make_scratch();
    data::PredictOptions options;
    options.confidence = true;
    options.search.beam = options.nbest = 6;
    for (const data::Sequence& sequence : test.sequences) {
      data::Prediction prediction;
      const Status status = predictor->predict(sequence, {}, options, *scratch, prediction);
      if (!status.ok()) return status.error().message;
      if (out != nullptr) out->push_back(prediction);
    }
    return std::string();
  };
  EXPECT_NE(error_of(0, nullptr).find("no probabilities"), std::string::npos);
  std::vector<data::Prediction> flat, sharp;
  ASSERT_EQ(error_of(0.05f, &flat), "");
  ASSERT_EQ(error_of(1, &sharp), "");
  double flat_sum = 0, sharp_sum = 0;
  for (size_t s = 0; s < flat.size(); ++s) {
    double sum = 0;
    for (const data::Labelling& tree : flat[s].best) sum += tree.probability;
    EXPECT_NEAR(sum, 1, 1e-9);
    for (size_t w = 0; w < flat[s].confidence.size(); ++w) {
      EXPECT_GE(flat[s].confidence[w], flat[s].best[0].probability - 1e-6);
      EXPECT_LE(flat[s].confidence[w], 1 + 1e-6);
      flat_sum += flat[s].confidence[w];
      sharp_sum += sharp[s].confidence[w];
    }
  }
  EXPECT_GT(sharp_sum, flat_sum);
}

TEST(TreeTraining, SharpnessIsFittedToHowOftenDecisionsAreRight) {
  const TreeSettings settings = toy_settings(false);
  const Toy train = toy_data(60, 1, settings);
  const TreeTables tables = train_toy(settings, train, SearchLearner::kSearn, 1);
  // Trees in which every second sentence has its first word elsewhere: the parser is often wrong about them.
  Toy noisy = toy_data(60, 2, settings);
  for (size_t s = 0; s < noisy.examples.size(); s += 2) {
    std::vector<uint32_t> heads = noisy.heads[s];
    heads[0] = static_cast<uint32_t>(std::find(heads.begin(), heads.end(), 0u) - heads.begin()) + 1;
    noisy.examples[s].gold = GoldTree::make(heads, noisy.examples[s].gold.relations, false);
  }
  const TreeSystem system = settings.system().value();
  EXPECT_LT(fit_sharpness(system, tables, noisy.examples), fit_sharpness(system, tables, train.examples));
}

TEST(TreeTraining, ConfidencesAreCalibratedOnSentencesThatWereNotTrainedOn) {
  // A third of all first words have their head drawn at random: no parser can be sure of them.
  TreeSettings settings = toy_settings(false);
  const auto noisy = [&](size_t sentences, uint64_t seed) {
    Toy out = toy_data(sentences, seed, settings);
    Random random(seed);
    for (size_t s = 0; s < out.examples.size(); ++s) {
      const auto root = static_cast<uint32_t>(std::find(out.heads[s].begin(), out.heads[s].end(), 0u) -
                                              out.heads[s].begin());
      if (random.below(3) == 0) out.heads[s][0] = root + 1;
      out.examples[s].gold = GoldTree::make(out.heads[s], out.examples[s].gold.relations, false);
    }
    return out;
  };
  const Toy train = noisy(200, 1), held_out = noisy(600, 2), test = noisy(600, 3);
  const TreeSystem system = settings.system().value();
  const TreeTables tables = train_toy(settings, train, SearchLearner::kSearn, 1);
  // Sharper than right, so that there is something to mend.
  settings.sharpness = 4 * fit_sharpness(system, tables, held_out.examples);
  const TreeDecoding how{8, false, 8, false, settings.sharpness};
  settings.calibration = fit_arc_calibration(system, tables, how, held_out.examples);
  EXPECT_GE(settings.calibration.knots().size(), 2u);
  eval::Reliability plain, calibrated;
  const SectionFile file = saved(settings, tables);
  const auto predictor = opened(file);
  const auto scratch = predictor->make_scratch();
  TreeBuffers buffers;
  for (size_t s = 0; s < test.sequences.size(); ++s) {
    data::PredictOptions options;
    options.confidence = true;
    options.search = {data::SearchChoice::Method::kBeam, 8};
    data::Prediction prediction;
    ASSERT_TRUE(predictor->predict(test.sequences[s], {}, options, *scratch, prediction).ok());
    buffers.sentence = test.examples[s].sentence;
    parse_sentence(system, tables, how, buffers);
    const std::vector<float> raw = arc_confidence(buffers);
    for (size_t w = 0; w < raw.size(); ++w) {
      const bool right = prediction.best[0].heads[w] == test.heads[s][w] &&
                         prediction.labels()[w] == test.examples[s].gold.relations[w];
      plain.add(raw[w], right);
      calibrated.add(prediction.confidence[w], right);
    }
  }
  EXPECT_LT(calibrated.expected_calibration_error(), 0.02);
  EXPECT_LT(calibrated.expected_calibration_error(), plain.expected_calibration_error() / 2);
}

TEST(TreeTraining, DamagedSectionsAreRefused) {
  const TreeSettings settings = toy_settings(false);
  const TreeTables tables = train_toy(settings, toy_data(10, 1, settings), SearchLearner::kSearn, 1);
  SectionWriter good;
  save_tree_model(settings, tables, good);
  const SectionFile file = SectionFile::from_bytes(good.to_bytes(), "toy").value();
  const auto error_with = [&](std::string_view section, std::string_view text) {
    SectionWriter out;
    for (const SectionFile::Entry& entry : file.entries())
      if (entry.name == section) {
        out.add_text(section, text);
      } else {
        out.add(entry.name, entry.bytes);
      }
    const SectionFile damaged = SectionFile::from_bytes(out.to_bytes(), "toy").value();
    data::FeatureOptions features;
    features.feature_columns = {0, 1};
    const auto loaded = TreePredictor::load(damaged, data::FeatureExtractor::make(features).value());
    return loaded.ok() ? std::string() : loaded.error().message;
  };
  EXPECT_NE(error_with("tree", "{}").find("toy: section 'tree': "), std::string::npos);
  EXPECT_NE(error_with("tree", "no").find("toy: section 'tree': "), std::string::npos);
  EXPECT_NE(error_with("tree.templates", "[moves]\nx\n").find("toy: section 'tree.templates': "),
            std::string::npos);
  EXPECT_EQ(error_with("tree.lines", ""),
            "toy: section 'tree.lines': there is no line at which a search ends");
  EXPECT_NE(error_with("tree.lines", "abc").find("tree.lines"), std::string::npos);
  EXPECT_NE(error_with("tree.numbers", "").find("tree.numbers"), std::string::npos);
  EXPECT_NE(error_with("tree.map", "").find("tree.map"), std::string::npos);
}

}  // namespace
}  // namespace espalier::tasks
