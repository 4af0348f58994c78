// Public training options as the library's own request, for train() and for what trains several times.
#pragma once

#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/formats/source.h"
#include "espalier/model/train.h"
#include "espalier/public/train.h"

namespace espalier::api {

/// Data as sources to read from, and how its text is to be read.
struct Sources {
  std::vector<data::Source> sources;
  data::ReadOptions reading;
};
Result<Sources> sources_of(const Data& data);

Result<model::TrainRequest> request_of(const Data& data, const TrainOptions& options);

}  // namespace espalier::api
