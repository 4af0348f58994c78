// The hashed rows of a classifier as a model file stores them: the weights that are there, without the room
// for all labels that training has. Tested in row_weights_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/linear/rows.h"
#include "espalier/search/policy/row_weights.h"

namespace espalier::search {

/// The weights of the hashed rows that are not 0. A row that may be stored in full has all its weights.
struct PresentRows {
  linear::StateRows layout;
  std::vector<float> weights;

  explicit PresentRows(const RowWeights& from) {
    const HashedRows& rows = from.hashed();
    const size_t labels = from.labels();
    const auto present = [&](uint32_t r) {
      const HashedRows::Place at = rows.place(r);
      size_t count = 0;
      for (size_t i = at.begin; i < at.begin + at.width; ++i) count += rows.weights()[i] != 0;
      return count;
    };
    size_t all = 0;
    for (uint32_t r = 0; r < rows.size(); ++r) all += 2 * present(r) > labels ? labels : present(r);
    ESPALIER_CHECK(all < linear::kNoFeature);
    layout.width = static_cast<uint32_t>(labels);
    layout.begin.reserve(rows.size() + 1);
    layout.column.reserve(all);
    weights.reserve(all);
    for (uint32_t r = 0; r < rows.size(); ++r) {
      const bool full = 2 * present(r) > labels;
      for (size_t l = 0; l < labels; ++l) {
        const float weight = rows.weight(r, l);
        if (!full && weight == 0) continue;
        layout.column.push_back(static_cast<uint16_t>(l));
        weights.push_back(weight);
      }
      layout.begin.push_back(static_cast<uint32_t>(weights.size()));
    }
  }
};

}  // namespace espalier::search
