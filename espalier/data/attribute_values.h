// Which values attributes may have, and a remark about those that are learned badly. Readers refuse a value
// that is not usable_value(); training and `check` look at every sequence with a LargestValue.
#pragma once

#include <cmath>
#include <string>

#include "espalier/data/sequence.h"

namespace espalier::data {

/// Sums of scores and of squared gradients over a data set stay within the range of a float up to here.
inline constexpr float kLargestUsableValue = 1e15f;
/// False for what is not a number, too.
inline bool usable_value(float value) { return std::abs(value) <= kLargestUsableValue; }

/// Remembers where the largest value is.
class LargestValue {
 public:
  void look_at(const Sequence& sequence, const std::string& file);
  /// What is to be said about it; empty: nothing.
  std::string remark() const;

 private:
  float size_ = 0;
  std::string name_, file_;
  size_t line_ = 0;
};

}  // namespace espalier::data
