// A data set cut into one file a fold.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/base/temporary_directory.h"
#include "espalier/data/formats/reader.h"

namespace espalier::apps {

struct FoldFiles {
  std::map<int, std::string> files;  ///< by fold
  bool own = false;                  ///< the folds are those that the data came with
  data::ReadOptions reading;         ///< how the files are to be read
};

/// Reads the data of a task once, so that a pipe will do, and writes each sequence to the file of its fold.
/// With `count` the folds are drawn by the seed; without, they are those of the data, or ten drawn ones where
/// it has none.
Result<FoldFiles> write_fold_files(const std::vector<std::string>& inputs, std::string_view task,
                                   const data::ReadOptions& reading, std::optional<int> count, uint64_t seed,
                                   const TemporaryDirectory& directory);

}  // namespace espalier::apps
