#include "espalier/linear/encoding/token_features.h"

#include <cmath>

#include "espalier/base/random.h"
#include "espalier/base/result.h"
#include "espalier/linear/encoding/stored_features.h"

namespace espalier::linear {

TokenFeatures TokenFeatures::in_shards(Range shards) const {
  size_t begin = 0, end = features.size();
  while (begin < end && features[begin] % kUpdateShards < shards.first) ++begin;
  while (end > begin && features[end - 1] % kUpdateShards >= shards.last) --end;
  return {features.subspan(begin, end - begin), values == nullptr ? nullptr : values + begin};
}

SequenceFeatures features_of(const Dataset& data, size_t sequence) {
  ESPALIER_CHECK(data.stored == nullptr);
  const uint64_t first = data.sequence_begin[sequence];
  return {data.state.begin.data() + first, data.state.values.data(),
          data.state_values.empty() ? nullptr : data.state_values.data(), data.edge.begin.data() + first,
          data.edge.values.data()};
}

SequenceFeatures features_of(const Dataset& data, size_t sequence, SequenceBuffer& buffer) {
  return data.stored == nullptr ? features_of(data, sequence)
                                : data.stored->read(sequence, data.length(sequence), buffer);
}

SequenceFeatures BatchFeatures::put(size_t place, uint32_t sequence, int pass) {
  Place& p = places_[place];
  p.view = features_of(data_, sequence, p.buffer);
  if (dropout_.share <= 0) return p.view;
  const SequenceFeatures all = p.view;
  const size_t length = data_.length(sequence), most = all.begin[length] - all.begin[0];
  p.begin.assign(length + 1, 0);
  p.features.resize(most);
  p.kept_before.resize(most + 1);
  if (all.values != nullptr) p.values.resize(most);
  Random random = Random(dropout_.seed).split(static_cast<uint64_t>(pass)).split(data_.number_of(sequence));
  // Four draws of 16 bits from each number, for the features of all tokens in a row.
  const uint64_t threshold = static_cast<uint64_t>(std::lround(dropout_.share * 65536));
  uint32_t* const before = p.kept_before.data();
  const auto keep = [&](const auto& copy) {
    uint32_t kept = 0;
    for (size_t i = 0; i < most; i += 4) {
      uint64_t bits = random.next();
      const auto draw = [&](size_t from) {
        before[from] = kept;
        copy(from, kept);
        kept += (bits & 0xFFFF) >= threshold;
        bits >>= 16;
      };
      if (i + 4 <= most) {
        for (size_t j = 0; j < 4; ++j) draw(i + j);
      } else {
        for (size_t j = i; j < most; ++j) draw(j);
      }
    }
    before[most] = kept;
  };
  uint32_t* const features = p.features.data();
  const uint32_t* const from = all.features + all.begin[0];
  if (all.values == nullptr) {
    keep([=](size_t i, uint32_t to) { features[to] = from[i]; });
  } else {
    float* const values = p.values.data();
    const float* const from_values = all.values + all.begin[0];
    keep([=](size_t i, uint32_t to) {
      features[to] = from[i];
      values[to] = from_values[i];
    });
  }
  for (size_t t = 0; t < length; ++t) p.begin[t + 1] = before[all.begin[t + 1] - all.begin[0]];
  p.view = {p.begin.data(), p.features.data(), all.values == nullptr ? nullptr : p.values.data(),
            all.edge_begin, all.edges};
  return p.view;
}

}  // namespace espalier::linear
