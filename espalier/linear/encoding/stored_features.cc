#include "espalier/linear/encoding/stored_features.h"

#include <cstring>
#include <string_view>

namespace espalier::linear {

namespace {

template <typename T>
void append_all(ScratchFile& file, const T* items, size_t count) {
  if (count > 0)
    scratch_or_throw(file.append(std::string_view(reinterpret_cast<const char*>(items), count * sizeof(T))));
}

void append_counts(ScratchFile& file, const Ragged<uint32_t>& lists, size_t first, size_t last) {
  for (size_t t = first; t < last; ++t) {
    const auto count = static_cast<uint32_t>(lists.begin[t + 1] - lists.begin[t]);
    append_all(file, &count, 1);
  }
}

}  // namespace

StoredFeatures::StoredFeatures(bool values, bool edges)
    : values_(values), edges_(edges), file_(scratch_or_throw(ScratchFile::make("training data"))) {}

void StoredFeatures::append(const Ragged<uint32_t>& state, const float* values, const Ragged<uint32_t>* edge,
                            size_t first, size_t last) {
  const uint64_t from = state.begin[first], count = state.begin[last] - from;
  append_counts(file_, state, first, last);
  if (edges_) append_counts(file_, *edge, first, last);
  append_all(file_, state.values.data() + from, count);
  if (values_) append_all(file_, values + from, count);
  state_occurrences_ += count;
  if (edges_) {
    const uint64_t edge_from = edge->begin[first], edge_count = edge->begin[last] - edge_from;
    append_all(file_, edge->values.data() + edge_from, edge_count);
    edge_occurrences_ += edge_count;
  }
  begin_.push_back(file_.size());
}

void StoredFeatures::flush() { scratch_or_throw(file_.flush()); }

SequenceFeatures StoredFeatures::read(size_t sequence, size_t length, SequenceBuffer& buffer) const {
  const uint64_t bytes = begin_[sequence + 1] - begin_[sequence];
  buffer.words.resize(bytes / sizeof(uint32_t));
  scratch_or_throw(file_.read(begin_[sequence], bytes, buffer.words.data()));
  const uint32_t* const counts = buffer.words.data();
  buffer.begin.assign(length + 1, 0);
  buffer.edge_begin.assign(length + 1, 0);
  for (size_t t = 0; t < length; ++t) buffer.begin[t + 1] = buffer.begin[t] + counts[t];
  if (edges_)
    for (size_t t = 0; t < length; ++t) buffer.edge_begin[t + 1] = buffer.edge_begin[t] + counts[length + t];
  const uint64_t state = buffer.begin[length];
  const uint32_t* at = counts + (edges_ ? 2 : 1) * length;
  SequenceFeatures out;
  out.begin = buffer.begin.data();
  out.features = at;
  at += state;
  if (values_) {
    buffer.values.resize(state);
    if (state > 0) std::memcpy(buffer.values.data(), at, state * sizeof(float));
    out.values = buffer.values.data();
    at += state;
  }
  out.edge_begin = buffer.edge_begin.data();
  out.edges = at;
  return out;
}

std::shared_ptr<const StoredFeatures> StoredFeatures::subset(std::span<const uint32_t> which,
                                                             std::span<const uint64_t> sequence_begin) const {
  auto out = std::make_shared<StoredFeatures>(values_, edges_);
  SequenceBuffer buffer;
  for (const uint32_t s : which) {
    const size_t length = sequence_begin[s + 1] - sequence_begin[s];
    const SequenceFeatures features = read(s, length, buffer);
    append_all(out->file_, buffer.words.data(), buffer.words.size());
    out->begin_.push_back(out->file_.size());
    out->state_occurrences_ += features.begin[length];
    out->edge_occurrences_ += features.edge_begin[length];
  }
  out->flush();
  return out;
}

}  // namespace espalier::linear
