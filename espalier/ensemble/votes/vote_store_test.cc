#include "espalier/ensemble/votes/vote_store.h"

#include <gtest/gtest.h>

#include "espalier/base/random.h"
#include "espalier/data/folds.h"

namespace espalier::ensemble {
namespace {

/// Sequences of all kinds: empty ones, without gold, with targets, with probabilities, one that is very long.
std::vector<TokenVotes> kinds_of_votes() {
  Random random(7);
  std::vector<TokenVotes> all;
  for (size_t s = 0; s < 60; ++s) {
    TokenVotes votes;
    votes.reset(3, s == 30 ? 400'000 : random.below(9));
    for (data::Label& label : votes.votes) label = static_cast<data::Label>(random.below(20));
    if (s % 4 != 0) votes.gold.assign(votes.length(), static_cast<data::Label>(s));
    if (s % 5 == 0) votes.target.assign(random.below(4), 7);
    if (s % 3 == 0)
      for (size_t e = 0; e < votes.votes.size(); ++e) votes.probability.push_back(0.25f);
    all.push_back(std::move(votes));
  }
  return all;
}

TEST(VoteStore, GivesBackWhatWasPutInFromMemoryAndFromAFile) {
  const std::vector<TokenVotes> all = kinds_of_votes();
  for (const size_t memory : {size_t{1} << 30, size_t{1000}, size_t{0}}) {
    VoteStore store(memory);
    for (const TokenVotes& votes : all) ASSERT_TRUE(store.add(votes).ok());
    ASSERT_TRUE(store.finish().ok());
    EXPECT_EQ(store.in_memory(), memory > 1000);
    EXPECT_EQ(store.sequences(), all.size());
    VoteStore::Cursor cursor(store), other(store);
    TokenVotes read, skipped;
    for (int pass = 0; pass < 2; ++pass) {
      ASSERT_TRUE(*other.next(skipped));  // cursors do not disturb each other
      for (const TokenVotes& votes : all) {
        ASSERT_TRUE(*cursor.next(read));
        EXPECT_EQ(read.votes, votes.votes);
        EXPECT_EQ(read.gold, votes.gold);
        EXPECT_EQ(read.target, votes.target);
        EXPECT_EQ(read.probability, votes.probability);
      }
      EXPECT_FALSE(*cursor.next(read));
      cursor.rewind();
    }
  }
}

TEST(StoreSource, TakesTheSequencesOfAFoldOrTheOthers) {
  VoteStore store;
  for (data::Label s = 0; s < 40; ++s) {
    TokenVotes votes;
    votes.reset(1, 1);
    votes.votes[0] = s;
    votes.gold = {s};
    ASSERT_TRUE(store.add(votes).ok());
  }
  ASSERT_TRUE(store.finish().ok());
  data::LabelSet labels;
  for (int s = 0; s < 40; ++s) labels.add(std::to_string(s));
  for (const bool inside : {true, false}) {
    StoreSource source(store, {}, labels, data::Scheme::kNone);
    source.select(4, 2, inside, 9);
    std::vector<Value> seen, wanted;
    for (size_t s = 0; s < 40; ++s)
      if ((data::fold_of(s, 4, 9) == 2) == inside) wanted.push_back(static_cast<Value>(s));
    for (int pass = 0; pass < 2; ++pass) {
      seen.clear();
      ASSERT_TRUE(
          for_each_sequence(source, [&](const VoteView& view) { seen.push_back(view.votes[0]); }).ok());
      EXPECT_EQ(seen, wanted);
    }
  }
}

}  // namespace
}  // namespace espalier::ensemble
