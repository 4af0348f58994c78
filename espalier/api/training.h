// What train, evaluate, tune and cross_validate share: public data and options as the library's own, and
// merged scores.
//
// sources_of turns Data into sources to read from, request_of turns TrainOptions into a request. Neither
// reads data. Tested in train_test.cc and evaluate_test.cc.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/formats/source.h"
#include "espalier/model/train.h"
#include "espalier/public/evaluate.h"
#include "espalier/public/train.h"

namespace espalier::api {

/// Data as sources to read from, and how to read their text.
struct Sources {
  std::vector<data::Source> sources;
  data::ReadOptions reading;
};
Result<Sources> sources_of(const Data& data);

/// Task parse reads heads and relations; CoNLL-U has columns of its own for them.
Status settle_tree_columns(const Data& data, data::ReadOptions& reading);

/// An error if an option names something unknown, or does not fit the data.
Result<model::TrainRequest> request_of(const Data& data, const TrainOptions& options);

/// The data in memory; files are read as the task needs it.
Result<Corpus> corpus_of(const Data& data, const std::string& task);
/// Numbers of the sequences of each fold: the folds given in the data if `k` is 0 and there are some, which
/// sets `own`; otherwise `k` (0: ten) drawn with the seed. An error if there are fewer than two.
Result<std::map<int, std::vector<size_t>>> folds_of(const Corpus& corpus, int k, uint64_t seed, bool& own);

/// The scores of all predictions together.
Scores merged(const std::vector<Scores>& parts);

}  // namespace espalier::api
