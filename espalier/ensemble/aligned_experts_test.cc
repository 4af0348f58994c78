#include "espalier/ensemble/aligned_experts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/base/temporary_directory.h"

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
      auto stream = nbest_ > 1 ? open_nbest_expert(path, {}, nbest_) : open_expert(path, {});
      if (!stream.ok()) return stream.error().message;
      streams.push_back(std::move(*stream));
    }
    auto reference = open_expert(folder_.write("gold.txt", gold), {});
    if (!reference.ok()) return reference.error().message;
    AlignedExperts aligned(std::move(*reference), std::move(streams), true, missing_, labels_);
    TokenVotes votes;
    rows_.clear();
    while (true) {
      bool left_out = false;
      const auto more = aligned.next(votes, left_out);
      if (!more.ok()) return more.error().message;
      if (!*more) return "";
      for (size_t t = 0; t < votes.length(); ++t) {
        std::string row = left_out ? "left out:" : "";
        for (const data::Label label : votes.row(t))
          row += " " + (label == data::kNoLabel ? "_" : labels_.name(label));
        rows_.push_back(row);
      }
    }
  }
  const std::vector<std::string>& rows() const { return rows_; }

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

TEST(AlignedExperts, FilesOfLabelsAloneAreRefused) {
  Alignment alignment;
  EXPECT_THAT(alignment.read(kGold, {"D\nN\n\nV\n\nP\n"}), HasSubstr("e1.txt:1"));
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

TEST(ExpertFormat, FollowsFromTheName) {
  EXPECT_EQ(guess_format("a/b.jsonl.gz", data::Format::kColumns), data::Format::kJsonLines);
  EXPECT_EQ(guess_format("b.conllu", data::Format::kColumns), data::Format::kConllu);
  EXPECT_EQ(guess_format("b.txt", data::Format::kLetters), data::Format::kLetters);
}

}  // namespace
}  // namespace espalier::ensemble
