#include "espalier/model/committee/committee.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <set>

#include "espalier/data/segment_choice.h"
#include "espalier/eval/scores.h"
#include "espalier/model/committee/member_choice.h"
#include "espalier/model/registry.h"
#include "espalier/model/train.h"
#include "espalier/model/training/training_test_support.h"

namespace espalier::model {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class CommitteeTest : public ChunkingTest {
 protected:
  CommitteeTest() : ChunkingTest(120) {}

  TrainRequest request(std::vector<std::string> more = {}) const {
    TrainRequest r;
    r.train = {path("train.txt")};
    r.model = path("out.model");
    r.learner = "committee";
    r.settings = {"members=crf:passes=3,svm:passes=3:calibrate=no,laso-br:task=segment:passes=2", "folds=2"};
    if (!more.empty()) r.settings = std::move(more);
    r.threads = 1;
    return r;
  }
  static Trained trained(const TrainRequest& request) {
    auto made = train(request, {});
    EXPECT_TRUE(made.ok()) << made.error().message;
    return std::move(made).value();
  }
};

TEST_F(CommitteeTest, AnswersLikeAnyModelAndExplainsByItsMembers) {
  const Trained made = trained(request());
  EXPECT_EQ(made.report.log.size(),
            3u * 2 + 1);  // three members, each on all data and without a part; the chain
  const Model& model = made.model;
  EXPECT_GT(token_accuracy(path("out.model"), path("dev.txt")), 90);
  const auto scratch = model.predictor().make_scratch();
  const size_t K = model.labels().size();
  data::PredictOptions options;
  options.confidence = options.marginals = true;
  options.nbest = 3;
  for (const data::Sequence& sequence : dev()) {
    data::Prediction found, forced_one;
    ASSERT_TRUE(model.predictor().predict(sequence, {}, options, *scratch, found).ok());
    ASSERT_EQ(found.confidence.size(), sequence.length());
    for (size_t i = 1; i < found.best.size(); ++i) EXPECT_LE(found.best[i].score, found.best[i - 1].score);
    for (size_t t = 0; t < sequence.length(); ++t) {
      double sum = 0;
      for (size_t j = 0; j < K; ++j) sum += found.marginals[t * K + j];
      EXPECT_NEAR(sum, 1, 1e-4);
    }
    std::vector<data::Label> forced(sequence.length(), data::kNoLabel);
    for (data::Label label = 0; label < K; ++label) {
      forced[0] = label;
      ASSERT_TRUE(model.predictor().predict(sequence, forced, {}, *scratch, forced_one).ok());
      EXPECT_EQ(forced_one.labels()[0], label);
    }
    ASSERT_TRUE(model.predictor().predict(sequence, {}, {}, *scratch, found).ok());
    const auto why = model.predictor().explain(sequence, *scratch);
    ASSERT_TRUE(why.ok());
    EXPECT_EQ((*why)[0].label, found.labels()[0]);
    std::set<std::string> said;
    for (const auto& c : (*why)[0].contributions) said.insert(c.feature.substr(0, c.feature.find(' ')));
    EXPECT_THAT(said, Contains("crf"));
    EXPECT_THAT(said, Contains("svm"));
    EXPECT_THAT(said, Contains("laso-br"));
  }
  EXPECT_THAT(model.predictor().details(), HasSubstr("\"laso-br\""));
}

TEST_F(CommitteeTest, AnswersWithTheSegmentsOfTheLargestMeanProbability) {
  const Model model = trained(request()).model;
  const auto scratch = model.predictor().make_scratch();
  data::PredictOptions options;
  options.confidence = options.marginals = true;
  const size_t K = model.labels().size();
  data::Prediction found, plain;
  for (const data::Sequence& sequence : dev()) {
    ASSERT_TRUE(model.predictor().predict(sequence, {}, {}, *scratch, plain).ok());
    ASSERT_TRUE(model.predictor().predict(sequence, {}, options, *scratch, found).ok());
    EXPECT_EQ(found.labels(), plain.labels());
    EXPECT_GT(found.best.front().probability, 0);
    EXPECT_LE(found.best.front().probability, 1 + 1e-6);
    for (size_t t = 0; t < sequence.length(); ++t)
      EXPECT_EQ(found.confidence[t], found.marginals[t * K + found.labels()[t]]);
    for (const data::SpanConfidence& span : found.spans) {
      EXPECT_GE(span.probability, data::kSegmentPrice);  // or it would not have been chosen
      EXPECT_LE(span.probability, 1);
    }
  }
}

TEST_F(CommitteeTest, LearnsWhomNotToTrust) {
  TrainRequest bad_request = request({"passes=1", "l2=1000"});
  bad_request.learner = "crf";
  const Model bad = trained(bad_request).model;
  TrainRequest good_request = request({"passes=5"});
  good_request.learner = "crf";
  const Model crf = trained(good_request).model;
  const Members members({{"crf", &crf}, {"bad", &bad}, {"worse", &bad}}, crf.labels(), data::Scheme::kIob2);
  const std::vector<data::Sequence> sequences = dev();
  std::vector<const data::Sequence*> asked;
  std::vector<std::vector<Opinion>> said(sequences.size());
  Members::Scratch scratch = members.make_scratch();
  for (size_t s = 0; s < sequences.size(); ++s) {
    asked.push_back(&sequences[s]);
    ASSERT_TRUE(members.ask(sequences[s], scratch, said[s]).ok());
  }
  Workers workers(2);
  const std::vector<double> weights = learn_weights(members, asked, said, workers);
  EXPECT_GT(weights[0], weights[1]);
  EXPECT_GT(weights[0], weights[2]);
  // Not clearly worse than the best member.
  const auto right = [&](const std::vector<double>& by) {
    Pooled pooled;
    eval::TaggingScores scores;
    for (size_t s = 0; s < sequences.size(); ++s) {
      members.pool(said[s], by, sequences[s].length(), pooled);
      std::vector<std::string_view> gold, found;
      for (size_t t = 0; t < sequences[s].length(); ++t) {
        gold.push_back(sequences[s].label(t));
        found.push_back(members.labels().name(pooled.best[t]));
      }
      scores.add(gold, found);
    }
    return scores.f1();
  };
  size_t segments = 0;
  for (const data::Sequence& sequence : sequences)
    for (size_t t = 0; t < sequence.length(); ++t) segments += sequence.label(t).starts_with("B-");
  const double clearly = 50 / std::sqrt(static_cast<double>(segments));
  EXPECT_LT(right({1, 1, 1}) + clearly, right({1, 0, 0}));
  EXPECT_GT(right(weights) + clearly, right({1, 0, 0}));
}

TEST_F(CommitteeTest, MembersSayWhatTheyBelieve) {
  const auto member = [&](std::string learner, std::vector<std::string> settings,
                          std::string task = "label") {
    TrainRequest r = request(std::move(settings));
    r.learner = std::move(learner);
    r.task = std::move(task);
    return trained(r).model;
  };
  const Model crf = member("crf", {"passes=2", "scheme=iobes"}), svm = member("svm", {"passes=3"}),
              cascade = member("cascade", {"passes=2", "scheme=iobes"}),
              order2 = member("cascade", {"passes=2", "order=2", "scheme=data"}),
              search = member("laso-br", {"passes=2"}, "segment");
  const std::vector<const Model*> models = {&crf, &svm, &cascade, &order2, &search};
  std::vector<Members::Member> names;
  for (const Model* model : models) names.push_back({"member", model});
  const Members members(names, svm.labels(), data::Scheme::kIob2);
  Members::Scratch scratch = members.make_scratch();
  const size_t K = members.labels().size();
  std::vector<Opinion> said;
  data::Prediction wanted;
  data::PredictOptions options;
  size_t compared = 0;
  for (const data::Sequence& sequence : dev()) {
    ASSERT_TRUE(members.ask(sequence, scratch, said).ok());
    for (size_t m = 0; m < models.size(); ++m) {
      const data::Predictor& model = models[m]->predictor();
      options.marginals = options.confidence = !model.is_search();
      ASSERT_TRUE(model.predict(sequence, {}, options, *scratch.members[m], wanted).ok());
      std::vector<float> p(sequence.length() * K, 0.0f);
      for (const Opinion::Belief& belief : said[m].labels)
        p[belief.row * K + belief.label] = belief.probability;
      for (size_t t = 0; t < sequence.length(); ++t)
        for (data::Label j = 0; j < K; ++j) {
          const auto own = model.labels().find(members.labels().name(j));
          const float expected = !own                ? 0
                                 : model.is_search() ? static_cast<float>(wanted.labels()[t] == *own)
                                                     : wanted.marginals[t * model.labels().size() + *own];
          EXPECT_NEAR(p[t * K + j], expected, 0.005) << m;
        }
      for (const data::SpanConfidence& span : wanted.spans) {
        if (span.probability <= 0.01) continue;
        double found = 0;
        for (const data::LikelySegment& segment : said[m].segments)
          if (segment.first == span.first && segment.last == span.last &&
              members.rules()->type_name(segment.type) == span.type)
            found = segment.probability;
        EXPECT_NEAR(found, span.probability, 0.005) << m;
        ++compared;
      }
      if (!model.is_search()) continue;
      std::vector<std::string_view> labels;
      for (const data::Label label : wanted.labels()) labels.push_back(model.labels().name(label));
      EXPECT_EQ(said[m].segments.size(), data::spans(labels, data::Scheme::kIob2).size());
    }
  }
  EXPECT_GT(compared, 100u);
}

TEST_F(CommitteeTest, StoresNobodyInVain) {
  // The second has hardly learned anything, and the mean with it is worse than the first alone.
  const Trained made = trained(request({"members=crf:passes=5,crf:passes=1:l2=100000", "folds=2"}));
  const auto* const committee = made.model.as<CommitteePredictor>();
  ASSERT_NE(committee, nullptr);
  EXPECT_THAT(committee->details(), ::testing::Not(HasSubstr("crf-2")));
}

TEST_F(CommitteeTest, TheUsualMembersLearnFromUnknownLabels) {
  // One of them learns places in segments, which are not known beside an unknown label.
  const auto names = [&] {
    const Trained made = trained(request({"folds=2"}));
    return made.model.as<CommitteePredictor>()->details();
  };
  EXPECT_THAT(names(), HasSubstr("\"scheme\":\"iobes\""));
  std::ifstream in(path("train.txt"));
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const size_t end = text.find('\n');
  const size_t label = text.find_last_of(" \t", end) + 1;
  text.replace(label, end - label, "_");
  std::ofstream(path("train.txt")) << text;
  EXPECT_THAT(names(), ::testing::Not(HasSubstr("\"scheme\":\"iobes\"")));
}

TEST_F(CommitteeTest, TheUsualMembersFitTheData) {
  const auto members = [](CommitteeSize size, CommitteeData data) {
    std::string text;
    for (const MemberChoice& member : default_members(size, data)) {
      text += member.learner + (member.classes > 0 ? "+ " : " ");
      // What they are made of is accepted where users name it, too.
      EXPECT_TRUE((*find_learner(member.learner))->check_settings(member.settings).ok());
    }
    return text;
  };
  EXPECT_EQ(members(CommitteeSize::kFull, {.words = true, .segments = false, .mostly_outside = false}),
            "cascade svm cascade+ crf+ cascade+ ");
  EXPECT_EQ(members(CommitteeSize::kFull, {.words = true, .segments = true, .mostly_outside = false}),
            "cascade+ svm crf+ cascade+ cascade+ ");
  EXPECT_EQ(members(CommitteeSize::kFull, {.words = true, .segments = true, .mostly_outside = true}),
            "cascade+ svm crf+ cascade+ laso-br ");
  EXPECT_EQ(members(CommitteeSize::kFull, {.words = false, .segments = false, .mostly_outside = false}),
            "cascade svm cascade crf cascade ");
  EXPECT_EQ(members(CommitteeSize::kSmall, {.words = true, .segments = false, .mostly_outside = false}),
            "cascade svm ");
}

TEST_F(CommitteeTest, KnowsWhatItsDataAreLike) {
  const auto sequences = [&](const std::string& text) {
    std::ofstream(path("few.txt")) << text;
    return *data::read_all({path("few.txt")}, {});
  };
  EXPECT_TRUE(committee_data(sequences("a O\nb O\nc B-X\n\n"), true, true).mostly_outside);
  EXPECT_FALSE(committee_data(sequences("a O\nb I-X\nc B-X\n\n"), true, true).mostly_outside);
  EXPECT_TRUE(committee_data(sequences("a O\nb B-X\n\n"), true, true).segments);
  EXPECT_FALSE(committee_data(sequences("a O\nb _\n\n"), true, true).segments);
}

TEST_F(CommitteeTest, MembersLookAtClassesOfTheWordsThatTheyLearnFrom) {
  const Model model = trained(request({"members=crf:passes=4:classes=4,crf:passes=4", "folds=2"})).model;
  EXPECT_GT(token_accuracy(path("out.model"), path("dev.txt")), 90);
  std::vector<size_t> lists;
  for (const std::string member : {"member1", "member2"}) {
    const auto bytes = model.file().section(member);
    ASSERT_TRUE(bytes.ok());
    const auto opened = Model::from_view(*bytes, member);
    ASSERT_TRUE(opened.ok());
    const auto& own = opened->about().features.lists;
    lists.push_back(std::count_if(own.begin(), own.end(), [](const data::WordList& list) {
      return list.kind == data::WordList::Kind::kClasses;
    }));
  }
  EXPECT_EQ(lists, (std::vector<size_t>{1, 0}));
  // Words that a list cannot name are left out; where no word is left there are no classes.
  data::ReadOptions tabs;
  tabs.separator = "\t";
  std::ofstream(path("blanks.txt")) << "New York\tO\nin\tO\n\nNew York\tO\nin\tO\n\n";
  const Workers workers(1);
  const auto some = classes_from_text(*data::read_all({path("blanks.txt")}, tabs), 0, 2, workers, {});
  ASSERT_TRUE(some);
  EXPECT_EQ(some->text.substr(0, 3), "in\t");
  EXPECT_EQ(std::count(some->text.begin(), some->text.end(), '\n'), 1);
  std::ofstream(path("once.txt")) << "a O\nb O\n\n";
  EXPECT_FALSE(classes_from_text(*data::read_all({path("once.txt")}, {}), 0, 2, workers, {}));
  // Attributes are no words.
  std::string text;
  for (int i = 0; i < 8; ++i) text += "A\tx=1\nB\ty=1\n\n";
  std::ofstream(path("train.crfsuite")) << text;
  TrainRequest attributes = request({"members=crf:passes=2:classes=4,svm:passes=2", "folds=2"});
  attributes.train = {path("train.crfsuite")};
  attributes.reading.format = data::Format::kCrfsuite;
  EXPECT_THAT(error_of(attributes), HasSubstr("classes=4: the data has attributes instead of words"));
}

TEST_F(CommitteeTest, ObeysConstraintsThatReadCells) {
  const Model model = trained(request()).model;
  ConstraintFile rules;
  rules.name = "rules";
  rules.text = "valid iob2\nforbid B-NP at start\nallow lexicon words by 1\n";
  const data::Sequence first = dev().front();
  rules.files["words"] = std::string(first.cell(0, 0)) + "\tO\n";
  expect_obeyed(model, rules);
}

TEST_F(CommitteeTest, TheSameBytesAtAnyNumberOfThreadsAndAfterAnInterruption) {
  TrainRequest r = request({"members=crf:passes=2,perceptron:passes=2", "folds=2"});
  trained(r);
  const std::string straight = file_bytes(r.model);
  r.threads = 2;
  r.model = path("two.model");
  trained(r);
  EXPECT_EQ(file_bytes(r.model), straight);
  // Stopped in the third of the five trainings, then resumed.
  r.model = path("resumed.model");
  r.checkpoint_every = 1;
  std::atomic<bool> stop = false;
  Monitor monitor;
  monitor.stop = &stop;
  monitor.on_progress = [&](const Progress& p) {
    if (p.phase.find("(3 of 5)") != std::string::npos) stop = true;
  };
  const auto interrupted = train(r, monitor);
  ASSERT_FALSE(interrupted.ok());
  EXPECT_THAT(interrupted.error().message, HasSubstr("stopped before the committee was complete"));
  EXPECT_FALSE(std::ifstream(r.model).good());
  r.resume = true;
  EXPECT_EQ(trained(r).report.log.size(), 3u);
  EXPECT_EQ(file_bytes(r.model), straight);
}

TEST_F(CommitteeTest, ATimeBudgetLeavesOutTheLastMembers) {
  const Trained made = trained(request({"members=crf:passes=2,perceptron:passes=2,memm:passes=2,svm:passes=2",
                                        "folds=2", "time-budget=0.001"}));
  EXPECT_THAT(made.report.notes, Contains(HasSubstr("enough for 2 of 4 members: crf, perceptron")));
  EXPECT_EQ(made.report.log.size(), 2u * 2 + 1);
}

TEST_F(CommitteeTest, WrongMembersAreRefusedBeforeDataAreRead) {
  const auto says = [&](const std::string& members) {
    TrainRequest r = request({"members=" + members});
    const Status status = check_request(r);
    return status.ok() ? std::string("accepted") : status.error().message;
  };
  EXPECT_THAT(says("crf"), HasSubstr("1 member; a committee has 2 to 16"));
  EXPECT_THAT(says("crf,smv"), HasSubstr("did you mean 'svm'?"));
  EXPECT_THAT(says("crf,svm:d=1"), HasSubstr("no parameter 'd'"));
  EXPECT_THAT(says("crf,committee"), HasSubstr("cannot have committees"));
  EXPECT_THAT(says("crf,crf:task=segment"), HasSubstr("does not learn task segment"));
  EXPECT_THAT(says("crf,searn:task=parse"), HasSubstr("label or segment"));
  EXPECT_THAT(says("crf,crf:classes=1"), HasSubstr("classes=1: the number of word classes, from 2"));
  EXPECT_THAT(says("crf,crf:classes=8x"), HasSubstr("classes=8x"));
  EXPECT_EQ(says("crf,crf:l2=3:classes=8"), "accepted");
  std::ofstream(path("train.txt")) << "a B-NP\n\nb O\n\n";
  EXPECT_THAT(error_of(request({"size=small"})), HasSubstr("2 sequences, too few"));
}

TEST_F(CommitteeTest, DamagedFilesAreRefused) {
  const Model model = trained(request({"members=crf:passes=1,perceptron:passes=1", "folds=2"})).model;
  for (const std::string left_out : {"committee", "member2", "decider"}) {
    SectionWriter out;
    for (const SectionFile::Entry& entry : model.file().entries())
      if (entry.name != left_out) out.add(entry.name, entry.bytes);
    EXPECT_FALSE(Model::from_bytes(out.to_bytes(), "damaged").ok()) << left_out;
  }
  for (const std::string header :
       {R"({"members":["a","b"]})", R"({"members":["a","b"],"weights":[1],"scheme":"none"})",
        R"({"members":["a","b"],"weights":[0,0],"scheme":"none"})",
        R"({"members":["a","b"],"weights":[1,-1],"scheme":"none"})",
        R"({"members":["a","b"],"weights":[1,1],"scheme":"iob7"})"}) {
    SectionWriter out;
    for (const SectionFile::Entry& entry : model.file().entries())
      if (entry.name != "committee") out.add(entry.name, entry.bytes);
    out.add_text("committee", header);
    EXPECT_FALSE(Model::from_bytes(out.to_bytes(), "damaged").ok()) << header;
  }
  SectionWriter nested;  // a committee as what decides
  for (const SectionFile::Entry& entry : model.file().entries())
    if (entry.name != "decider") nested.add(entry.name, entry.bytes);
  nested.add("decider", bytes_of(model));
  EXPECT_FALSE(Model::from_bytes(nested.to_bytes(), "nested").ok());
}

}  // namespace
}  // namespace espalier::model
