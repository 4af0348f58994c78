// Labellings of n-best lists, one at a time, with their ranks where the file gives them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "espalier/data/formats/reader.h"
#include "espalier/ensemble/experts/label_reader.h"

namespace espalier::ensemble {

class NbestBlocks {
 public:
  virtual ~NbestBlocks() = default;
  /// The next labelling; false at the end. `rank` is the number in the line above it, where there is one.
  virtual Result<bool> next(data::Sequence& sequence, std::optional<int64_t>& rank) = 0;
};

/// Columns may have a line `# n-best 2 …` (as `tag --nbest` prints) or `# 1 0.35` (as CRF++ and its kin do)
/// above each labelling; other formats have none.
Result<std::unique_ptr<NbestBlocks>> open_nbest_blocks(const std::string& path,
                                                       const data::ReadOptions& reading,
                                                       LabelLayout layout = LabelLayout::kWithTokens);

}  // namespace espalier::ensemble
