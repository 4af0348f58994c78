// How searches are decoded and how they ended, for the verbs that use models.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "espalier/data/predictor.h"

namespace espalier::apps {

/// "exact", "approximate", "out of steps".
std::string_view search_end_name(data::SearchEnd end);

/// How the searches of a run ended.
struct SearchTally {
  std::array<size_t, 3> ended{};  ///< by SearchEnd

  void add(const data::Prediction& prediction) {
    if (prediction.search_end) ++ended[static_cast<size_t>(*prediction.search_end)];
  }
  void merge(const SearchTally& other) {
    for (size_t i = 0; i < ended.size(); ++i) ended[i] += other.ended[i];
  }
  size_t sequences() const { return ended[0] + ended[1] + ended[2]; }
  /// Says on standard error what a user should know; with `all`, everything.
  void tell(bool all) const;
  nlohmann::ordered_json to_json() const;
};

}  // namespace espalier::apps
