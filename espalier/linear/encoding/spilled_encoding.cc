#include "espalier/linear/encoding/spilled_encoding.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "espalier/linear/encoding/stored_features.h"
#include "espalier/linear/encoding/stored_text.h"

namespace espalier::linear {
namespace {

/// The least that a feature takes until the model is saved: its hash, count, first occurrence, place in
/// tables, row, one weight with the state of its learner, and its name.
constexpr size_t kBytesPerFeature = 128;

}  // namespace

SpilledEncoding::SpilledEncoding(const data::FeatureExtractor& extractor, const Workers& workers,
                                 const EncodeOptions& options)
    : extractor_(extractor),
      workers_(workers),
      options_(options),
      text_(scratch_or_throw(ScratchFile::make("text of the training data"))),
      state_(false, options.memory / 4),
      edge_(true, options.memory / 16) {}

void SpilledEncoding::stop_if_asked(std::string_view phase, double done) const {
  if (options_.monitor == nullptr) return;
  if (options_.monitor->stop_requested()) throw Stopped();
  Progress progress;
  progress.phase = phase;
  progress.done = done;
  progress.total = static_cast<double>(sequences_);
  options_.monitor->report(progress);
}

void SpilledEncoding::add(FeatureBlock& block) {
  std::vector<uint64_t> no_begins;
  scratch_or_throw(state_.counter.add(block.join(false, no_begins, 0), workers_));
  if (extractor_.has_edge_features())
    scratch_or_throw(edge_.counter.add(block.join(true, no_begins, 0), workers_));
  any_value_ = any_value_ || block.any_value();
  std::string bytes;
  for (const data::Sequence& sequence : block.sequences) {
    bytes.assign(sizeof(uint64_t), '\0');
    append_text(sequence, bytes);
    const uint64_t size = bytes.size() - sizeof size;
    std::memcpy(bytes.data(), &size, sizeof size);
    scratch_or_throw(text_.append(bytes));
  }
  sequences_ += block.sequences.size();
}

void SpilledEncoding::choose_features(Side& side) {
  side.kept =
      scratch_or_throw(side.counter.finish(options_.cutoff, options_.memory / kBytesPerFeature, workers_));
  const std::vector<uint64_t>& hashes = side.kept.hashes;
  side.index = HashIndex(2);
  side.index.reserve(hashes.size());
  for (uint32_t f = 0; f < hashes.size(); ++f)
    side.index.find_or_add(
        hashes[f], f, [&](uint32_t e) { return hashes[e] == hashes[f]; },
        [&](uint32_t e) { return hashes[e]; });
  side.refused = indistinguishable(hashes);
  if (options_.names) {
    side.by_first.resize(hashes.size());
    std::iota(side.by_first.begin(), side.by_first.end(), 0);
    std::sort(side.by_first.begin(), side.by_first.end(),
              [&](uint32_t a, uint32_t b) { return side.kept.first[a] < side.kept.first[b]; });
  }
}

/// Fills `lists` and `values` with the block's features, and names those that occur here first.
void SpilledEncoding::encode(Side& side, FeatureBlock& block, Ragged<uint32_t>& lists,
                             std::vector<float>& values) {
  lists.clear();
  values.clear();
  const std::vector<uint64_t>& all = block.join(side.edges, lists.begin, 0);
  lists.values.resize(all.size());
  const std::vector<uint64_t>& hashes = side.kept.hashes;
  for_each_stretch(workers_, all.size(), [&](Range part) {
    constexpr size_t kAhead = 12;
    for (size_t i = part.first; i < part.last; ++i) {
      if (i + kAhead < part.last) side.index.prefetch(all[i + kAhead]);
      const uint32_t found = side.index.find(all[i], [&](uint32_t e) { return hashes[e] == all[i]; });
      const bool dropped =
          found == HashIndex::kNone || std::binary_search(side.refused.begin(), side.refused.end(), found);
      lists.values[i] = dropped ? kNoFeature : found;
    }
  });
  if (options_.names) {
    std::vector<uint32_t> fresh;
    for (; side.named < side.by_first.size(); ++side.named) {
      const uint64_t first = side.kept.first[side.by_first[side.named]];
      if (first >= side.seen + all.size()) break;
      fresh.push_back(static_cast<uint32_t>(first - side.seen));
    }
    block.namer(extractor_, side.edges)(fresh, side.names);
  }
  side.seen += all.size();
  if (!side.edges && any_value_) block.append_values(true, 0, values);
  number_and_sort(
      lists, values, [](uint32_t number) { return number; }, workers_);
}

FeatureSpace SpilledEncoding::take_features(Side& side) const {
  FeatureSpace space{std::move(side.kept.hashes), std::move(side.kept.counts), {}};
  side.index = HashIndex(2);
  side.kept = {};
  if (!options_.names) return space;
  ESPALIER_CHECK(side.named == space.size());
  std::vector<uint32_t> place(space.size());  // of each feature's name
  for (uint32_t i = 0; i < place.size(); ++i) place[side.by_first[i]] = i;
  space.names = FeatureCollector::Names::joined(place.size(), side.names.text.size(),
                                                [&](size_t i) { return side.names.line(place[i]); });
  side.names = {};
  side.by_first = {};
  return space;
}

void SpilledEncoding::finish(EncodedTraining& out) {
  const bool edges = extractor_.has_edge_features();
  stop_if_asked("numbering the features", 0);
  choose_features(state_);
  if (edges) choose_features(edge_);
  out.state_before_cutoff = state_.kept.distinct;

  scratch_or_throw(text_.flush());
  ScratchFile::Cursor cursor(text_, 0, text_.size());
  FeatureBlock block;
  block.fit_into(options_.memory);
  auto stored = std::make_shared<StoredFeatures>(any_value_, edges);
  Ragged<uint32_t> state_lists, edge_lists;
  std::vector<float> values, no_values;
  for (size_t s = 0; s < sequences_;) {
    stop_if_asked("encoding", static_cast<double>(s));
    block.clear();
    for (; s < sequences_ && !block.full(); ++s) {
      uint64_t size = 0;
      const char* at = scratch_or_throw(cursor.take(sizeof size));
      ESPALIER_CHECK(at != nullptr);
      std::memcpy(&size, at, sizeof size);
      at = scratch_or_throw(cursor.take(size));
      data::Sequence sequence;
      restore_text({at, size}, sequence);
      block.add(std::move(sequence));
    }
    block.extract(extractor_, workers_);
    encode(state_, block, state_lists, values);
    if (edges) encode(edge_, block, edge_lists, no_values);
    size_t row = 0;
    for (const data::Sequence& sequence : block.sequences) {
      stored->append(state_lists, values.data(), edges ? &edge_lists : nullptr, row, row + sequence.length());
      row += sequence.length();
    }
  }
  stored->flush();
  out.data.stored = std::move(stored);
  out.state = take_features(state_);
  if (edges) out.edge = take_features(edge_);
}

}  // namespace espalier::linear
