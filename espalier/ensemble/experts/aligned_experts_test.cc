#include "espalier/ensemble/experts/aligned_experts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/base/files/temporary_directory.h"

namespace espalier::ensemble {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Gold and experts from texts, and what reading them all gives.
class Alignment {
 public:
  explicit Alignment(Missing missing = Missing::kError, size_t nbest = 1)
      : missing_(missing), nbest_(nbest) {}

  std::string read(const std::string& gold, const std::vector<std::string>& experts) {
    std::vector<std::unique_ptr<ExpertStream>> streams;
    for (size_t i = 0; i < experts.size(); ++i) {
      const std::string path = folder_.write(fmt::format("e{}.txt", i + 1), experts[i]);
      const LabelLayout found = layout == LabelLayout::kWithTokens ? *find_label_layout(path, {}) : layout;
      auto stream = nbest_ > 1 ? open_nbest_expert(path, {}, nbest_, found) : open_expert(path, {}, found);
      if (!stream.ok()) return stream.error().message;
      streams.push_back(std::move(*stream));
    }
    const std::string gold_path = folder_.write("gold.txt", gold);
    auto reference = open_expert(
        gold_path, {}, layout == LabelLayout::kWithTokens ? *find_label_layout(gold_path, {}) : layout);
    if (!reference.ok()) return reference.error().message;
    AlignedExperts aligned(std::move(*reference), std::move(streams), true, missing_, labels_);
    if (align) aligned.align();
    TokenVotes votes;
    rows_.clear();
    while (true) {
      bool left_out = false;
      const auto more = aligned.next(votes, left_out);
      if (!more.ok()) return more.error().message;
      if (!*more) return "";
      for (size_t t = 0; t < votes.length(); ++t) {
        std::string row = left_out ? "left out:" : align ? labels_.name(votes.gold[t]) + ":" : "";
        for (const data::Label label : votes.row(t))
          row += " " + (label == data::kNoLabel ? "_" : labels_.name(label));
        rows_.push_back(row);
      }
    }
  }
  const std::vector<std::string>& rows() const { return rows_; }
  LabelLayout layout = LabelLayout::kWithTokens;  ///< found out where left so
  bool align = false;

 private:
  TemporaryDirectory folder_;
  Missing missing_;
  size_t nbest_;
  data::LabelSet labels_;
  std::vector<std::string> rows_;
};

constexpr const char* kGold = "the D\ncat N\n\nruns V\n\nit P\n\n";

TEST(AlignedExperts, ReadsAllInStep) {
  Alignment alignment;
  EXPECT_EQ(alignment.read(kGold, {kGold, "the N\ncat N\n\nruns N\n\nit N\n"}), "");
  EXPECT_THAT(alignment.rows(), ElementsAre(" D N", " N N", " V N", " P N"));
}

TEST(AlignedExperts, ShowsTheFirstMismatchSideBySide) {
  Alignment alignment;
  const std::string error = alignment.read(kGold, {kGold, "the D\ndog N\n\nruns V\n\nit P\n"});
  EXPECT_THAT(error, HasSubstr("sequence 1 differs at token 2"));
  EXPECT_THAT(error, HasSubstr("> cat"));
  EXPECT_THAT(error, HasSubstr("dog"));
  EXPECT_THAT(error, HasSubstr("e2.txt:1"));
}

TEST(AlignedExperts, ShowsTokensThatOneSideLacks) {
  Alignment alignment;
  EXPECT_THAT(alignment.read(kGold, {"the D\n\nruns V\n\nit P\n"}), HasSubstr("(end of the sequence)"));
}

TEST(AlignedExperts, CountsSequences) {
  Alignment alignment;
  EXPECT_THAT(alignment.read(kGold, {"the D\ncat N\n\nruns V\n"}), HasSubstr("ends after 2 sequences"));
  EXPECT_THAT(alignment.read(kGold, {std::string(kGold) + "more X\n"}), HasSubstr("beyond the 3"));
}

TEST(AlignedExperts, FilesOfLabelsAloneAreTakenByTheirNumbersOfLabels) {
  Alignment alignment;
  EXPECT_EQ(alignment.read(kGold, {"D\nN\n\nV\n\nP\n"}), "");
  EXPECT_THAT(alignment.rows(), ElementsAre(" D", " N", " V", " P"));
  EXPECT_THAT(alignment.read("D\nN\n\nV\n", {"D\n\nV\n"}), HasSubstr("--align"));
}

TEST(AlignedExperts, OutputsOfUnequalLengthArePutSideBySide) {
  Alignment alignment;
  alignment.layout = LabelLayout::kLines;
  alignment.align = true;
  EXPECT_EQ(alignment.read("cat\tK AE T\nox\tAA K S\n",
                           {"cat\tK AE T\nox\tO K S\n", "cat\tK T\nox\tAA K\n", "cat\t_\nox\t\n"}),
            "");
  EXPECT_THAT(alignment.rows(), ElementsAre("K: K K _", "AE: AE <gap> _", "T: T T _", "AA: O AA <gap>",
                                            "K: K K <gap>", "S: S <gap> <gap>"));
  EXPECT_THAT(alignment.read("cat\tK\n", {"dog\tK\n"}), HasSubstr("'dog'"));
  EXPECT_THAT(alignment.read("K AE\n", {"<gap> K\n"}), HasSubstr("is reserved for gaps"));
  EXPECT_THAT(alignment.read("K AE\nT\n", {"K\n"}), HasSubstr("ends after 1 sequences"));
  Alignment spread(Missing::kSpread);
  spread.layout = LabelLayout::kLines;
  spread.align = true;
  EXPECT_EQ(spread.read("a\tK\nb\tT\n", {"b\tT T\n", "a\tK\nb\tT\n"}), "");
  EXPECT_THAT(spread.rows(), ElementsAre("K: _ K", "<gap>: T <gap>", "T: T T"));
}

TEST(AlignedExperts, RanksOfAListOfLabelsAloneMayBeOfUnequalLength) {
  Alignment alignment(Missing::kSpread, 2);
  alignment.layout = LabelLayout::kLines;
  alignment.align = true;
  EXPECT_EQ(alignment.read("a\tK T\nb\tT\n", {"a\tK T\na\tK\na\tK K K\nb\tT\n"}), "");
  EXPECT_THAT(alignment.rows(), ElementsAre("K: K K", "T: T <gap>", "T: T _"));
}

TEST(AlignedExperts, ProbabilitiesComeFromTheColumnAfterTheLabel) {
  const TemporaryDirectory folder;
  data::ReadOptions reading;
  reading.label_column = "2";
  const auto open = [&](const std::string& text) {
    return open_expert(folder.write("e.txt", text), reading);
  };
  auto stream = open("the D 0.75\ncat N 1\n");
  ASSERT_TRUE(stream.ok() && (*stream)->ask_probabilities("").ok() && (*stream)->advance().ok());
  EXPECT_EQ(*(*stream)->probability(0), 0.75f);
  EXPECT_EQ(*(*stream)->probability(1), 1.0f);
  stream = open("the D 1.5\ncat N x\n");
  ASSERT_TRUE((*stream)->ask_probabilities("-1").ok() && (*stream)->advance().ok());
  EXPECT_THAT((*stream)->probability(0).error().message, HasSubstr("e.txt:1: '1.5' in column 3"));
  EXPECT_FALSE((*stream)->probability(1).ok());
  stream = open("the D\n");
  ASSERT_TRUE((*stream)->ask_probabilities("").ok() && (*stream)->advance().ok());
  EXPECT_THAT((*stream)->probability(0).error().message, HasSubstr("no column 3"));
  EXPECT_FALSE((*stream)->ask_probabilities("x").ok());
}

TEST(AlignedExperts, MissingSequencesAreSilentOrLeftOut) {
  const std::string part = "the D\ncat N\n\nit P\n";
  Alignment spread(Missing::kSpread);
  EXPECT_EQ(spread.read(kGold, {part, kGold}), "");
  EXPECT_THAT(spread.rows(), ElementsAre(" D D", " N N", " _ V", " P P"));
  Alignment leave_out(Missing::kLeaveOut);
  EXPECT_EQ(leave_out.read(kGold, {part, kGold}), "");
  EXPECT_THAT(leave_out.rows(), ElementsAre(" D D", " N N", "left out: _ V", " P P"));
  EXPECT_THAT(spread.read(kGold, {"it P\n\nruns V\n"}), HasSubstr("another order"));
}

TEST(AlignedExperts, RanksOfAnNbestListAreExperts) {
  Alignment alignment(Missing::kSpread, 2);
  const std::string list =
      "# n-best 1 score 1\nthe D\ncat N\n\n# n-best 2 score 0\nthe D\ncat V\n\n# n-best 1 score 2\nruns V\n\n"
      "# n-best 1 score 3\nit P\n\n# n-best 2 score 1\nit N\n\n# n-best 3 score 0\nit V\n\n";
  EXPECT_EQ(alignment.read(kGold, {list}), "");
  EXPECT_THAT(alignment.rows(), ElementsAre(" D D", " N V", " V _", " P N"));
  EXPECT_EQ(alignment.read(kGold, {"the D\ncat N\n\nthe D\ncat V\n\nruns V\n\nruns N\n\nit P\n\nit N\n"}),
            "");
  EXPECT_THAT(alignment.rows(), ElementsAre(" D D", " N V", " V N", " P N"));
}

}  // namespace
}  // namespace espalier::ensemble
