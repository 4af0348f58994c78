#include "espalier/model/training/file_shares.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace espalier::model {
namespace {

std::vector<double> loads(const FileShares& shares, const std::vector<uint64_t>& sizes, size_t ranks) {
  std::vector<double> load(ranks, 0.0);
  for (size_t file = 0; file < sizes.size(); ++file)
    for (size_t number = 0; number < 5040; ++number)
      for (size_t rank = 0; rank < ranks; ++rank)
        if (shares.keeps(file, number, rank)) load[rank] += static_cast<double>(sizes[file]) / 5040;
  return load;
}

TEST(FileSharesTest, GivesEverySequenceToOneRankThatReadsItsFile) {
  const std::vector<uint64_t> sizes = {1000, 10, 500, 0, 2500};
  for (const size_t ranks : {1, 2, 3, 7}) {
    const FileShares shares(sizes, ranks);
    for (size_t file = 0; file < sizes.size(); ++file)
      for (size_t number = 0; number < 100; ++number) {
        size_t keepers = 0;
        for (size_t rank = 0; rank < ranks; ++rank)
          if (shares.keeps(file, number, rank)) {
            ++keepers;
            EXPECT_TRUE(shares.reads(file, rank));
          }
        EXPECT_EQ(keepers, 1u);
      }
  }
}

TEST(FileSharesTest, DealsEqualFilesOutWhole) {
  const FileShares shares(std::vector<uint64_t>(16, 100), 16);
  for (size_t rank = 0; rank < 16; ++rank) {
    size_t files = 0;
    for (size_t file = 0; file < 16; ++file) files += shares.reads(file, rank);
    EXPECT_EQ(files, 1u);
  }
}

TEST(FileSharesTest, SharesALargeFileAndEvensOutTheRest) {
  for (const std::vector<uint64_t>& sizes :
       {std::vector<uint64_t>{5000}, {5000, 100}, std::vector<uint64_t>(20, 100), {900, 50, 40, 30, 20}}) {
    const std::vector<double> load = loads(FileShares(sizes, 4), sizes, 4);
    double total = 0;
    for (const double one : load) total += one;
    EXPECT_LE(*std::max_element(load.begin(), load.end()), 1.11 * total / 4);
  }
}

}  // namespace
}  // namespace espalier::model
