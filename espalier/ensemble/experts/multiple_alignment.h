// Alignment of outputs of unequal length: columns in which every expert has a label or a gap.
//
// Call MultipleAligner::align with the outputs of one sequence, then add_gold in learning. For experts that
// decide themselves how many labels there are, such as letter-to-phoneme converters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "espalier/ensemble/votes/token_votes.h"

namespace espalier::ensemble {

/// The label that stands for "nothing here" in a column. No file may use it for anything else.
inline constexpr std::string_view kGapText = "<gap>";
/// Outputs longer than this are refused: the alignment takes memory for the product of two lengths.
inline constexpr size_t kLongestAligned = 4'000;

/// What one expert says about a sequence, when it decides by itself how many labels there are. One that does
/// not speak takes no part; one that speaks and says nothing has a gap in every column.
struct ExpertOutput {
  bool speaks = false;
  std::vector<data::Label> labels;
};

/// Puts the outputs of experts, and the gold labels, into columns, so that combining them is a vote column by
/// column. The columns follow from the experts' outputs alone, in learning as in use; gold is aligned
/// with them afterwards. A column is a substructure, and the number of columns in which an expert differs
/// from gold is at least its edit distance to gold (every alignment costs at least as much as the cheapest
/// one).
///
/// Columns are chosen for a small sum over pairs of experts of the columns in which they differ. The least
/// sum is NP-hard to find; this one begins with the centre-star alignment (Gusfield 1993: the output that is
/// nearest to all others, with each other one aligned to it), which is at most 2 − 2/p times the least, and
/// then takes out one output at a time and aligns it with the others again, exactly, until that gains
/// nothing. Among equally good ways, those with more equal labels side by side are taken. Equal outputs are
/// one row with a multiplicity. Two experts get an optimal alignment.
///
/// O(n² l²) for n different outputs of length l, and as much for every round of refinement. Keeps buffers:
/// one object per thread.
class MultipleAligner {
 public:
  explicit MultipleAligner(data::Label gap) : gap_(gap) {}

  /// The columns of the outputs: one row of `out.votes` per column, data::kNoLabel throughout for those that
  /// do not speak. `out.gold` and `out.target` are empty.
  void align(std::span<const ExpertOutput> outputs, TokenVotes& out);

  /// Aligns gold with the columns of `out` at the least cost: the sum over experts of the columns in
  /// which they differ from gold is the least for these columns. A column without a gold label gets a gap.
  /// Gold labels without a column (no expert has anything there) are left out, so that learning sees the
  /// columns that use will see; they are in `out.target`, which is all of gold.
  void add_gold(std::span<const data::Label> gold, TokenVotes& out);

 private:
  /// Labels of a column with the weight of those who have them.
  using Column = std::vector<std::pair<data::Label, uint32_t>>;
  enum class Step : uint8_t { kMatch, kGap, kInsert };

  size_t collect(std::span<const ExpertOutput> outputs);
  void star(size_t centre);
  size_t centre() const;
  void refine();
  bool realign(size_t row);
  void profile(size_t without);
  using Path = std::vector<std::pair<Step, size_t>>;
  using Cost = int64_t;
  Cost lay(std::span<const data::Label> labels, uint32_t weight);

  data::Label gap_;
  std::vector<std::vector<data::Label>> distinct_;
  std::vector<uint32_t> multiplicity_;  ///< per distinct output
  std::vector<uint32_t> row_of_;        ///< expert → distinct output
  std::vector<data::Label> cells_;      ///< columns × distinct outputs
  std::vector<Column> profile_;         ///< of the alignment, or of all rows but one
  std::vector<size_t> profile_column_;  ///< the column that an entry of profile_ is about
  std::vector<Cost> cost_;              ///< of lay()
  Path path_;                           ///< of lay(): steps from the front, with the profile's entry
};

/// The labels of columns without the gaps.
std::vector<data::Label> without_gaps(std::span<const data::Label> labels, data::Label gap);

}  // namespace espalier::ensemble
