// The inside of a public Corpus and of Data: sequences as the library holds them.
//
// sequence_of_rows and sequence_of_words lay out rows in memory as a model's reader would; reading_of checks
// public ReadOptions. Costs a copy of the text. Tested in train_test.cc and tagger_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/sequence.h"
#include "espalier/public/corpus.h"
#include "espalier/tasks/structures/json_tasks.h"

namespace espalier {

struct Corpus::State {
  CorpusOptions options;
  std::vector<data::Sequence> sequences;
  data::ReadOptions reading;            ///< how they were read; the label is the last column of added rows
  std::optional<tasks::JsonTask> task;  ///< JSON lines of this task
  std::string name = "corpus";          ///< for errors
  size_t tokens = 0;
  size_t matrix_columns = 0;  ///< all sequences are matrices of numbers, this wide; 0: they are not
  Status status;
};

namespace api {

/// Public options as options of the readers; `task` is set for the formats roles and variables.
struct Reading {
  data::ReadOptions options;
  std::optional<tasks::JsonTask> task;
};
/// `paths` are the files to be read; their names decide if no format is given.
Result<Reading> reading_of(const ReadOptions& options, const std::vector<std::string>& paths = {});

/// Rows in memory as a sequence in the layout of `reading` (that of a model's training data): with or
/// without the label, or only with the columns that features use (`feature_columns`).
Result<data::Sequence> sequence_of_rows(const std::vector<std::vector<std::string>>& rows,
                                        const data::ReadOptions& reading,
                                        const std::vector<size_t>& feature_columns);
Result<data::Sequence> sequence_of_words(const std::vector<std::string>& words,
                                         const data::ReadOptions& reading,
                                         const std::vector<size_t>& feature_columns);
/// A sequence that was added to a corpus or built (label, or a placeholder, in the last cell) in the layout
/// of a model's training data: itself if it has that, otherwise `buffer`, filled. `reading` does not require
/// labels. The cells are read as by sequence_of_rows.
Result<const data::Sequence*> sequence_for_model(const data::Sequence& from, const data::ReadOptions& reading,
                                                 const std::vector<size_t>& feature_columns,
                                                 data::Sequence& buffer);
data::Sequence sequence_of_attributes(const std::vector<std::vector<Attribute>>& attributes);

}  // namespace api
}  // namespace espalier
