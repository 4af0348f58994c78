#include "espalier/model/training/label_remarks.h"

#include <fmt/format.h>

#include "espalier/chain/learners/stochastic.h"
#include "espalier/data/check.h"

namespace espalier::model {

std::string pair_memory_remark(size_t labels) {
  constexpr double kWorthSaying = 1e9;
  const double bytes = chain::bytes_of_label_pairs(labels);
  if (bytes < kWorthSaying) return {};
  return fmt::format("training a crf with {} labels takes about {:.2g} GB for the pairs of labels alone",
                     labels, bytes / 1e9);
}

std::vector<std::string> label_remarks(size_t labels, uint64_t tokens) {
  std::vector<std::string> remarks;
  for (std::string remark : {data::too_many_labels(labels, tokens), pair_memory_remark(labels)})
    if (!remark.empty()) remarks.push_back(std::move(remark));
  return remarks;
}

}  // namespace espalier::model
