#include "espalier/data/attribute_values.h"

#include <fmt/format.h>

#include "espalier/data/formats/lines.h"

namespace espalier::data {

void LargestValue::look_at(const Sequence& sequence, const std::string& file) {
  for (size_t row = 0; row < sequence.length(); ++row)
    for (size_t i = 0; i < sequence.attribute_count(row); ++i) {
      const Attribute attribute = sequence.attribute(row, i);
      const float size = std::abs(attribute.value);
      if (size <= size_) continue;
      size_ = size;
      name_ = attribute.name;
      file_ = file;
      line_ = sequence.line(row);
    }
}

std::string LargestValue::remark() const {
  constexpr float kLarge = 100;  // a step of training moves the score by this much
  if (size_ <= kLarge) return {};
  return fmt::format(
      "{}:{}: attribute {} has a value of size {:g}; little is learned from attributes whose values are much "
      "larger than 1: divide them, or give ranges of values as attributes of their own",
      file_, line_, in_quotes(name_), size_);
}

}  // namespace espalier::data
