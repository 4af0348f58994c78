#include "espalier/tasks/trees/tree_scorer.h"

#include <algorithm>
#include <cmath>

namespace espalier::tasks {
namespace {

constexpr float kLargest = 32767;

uint16_t check_of(uint64_t hash) {
  const auto low = static_cast<uint16_t>(hash);
  return low == 0 ? uint16_t{1} : low;
}

struct TreeNumbers {
  float move_scale, relation_scale;
  uint32_t features, weights;
};

/// At most this many features of moves are kept, those with the largest weights: some 35 MB.
constexpr size_t kMostMoveFeatures = 2'400'000;

size_t line_of(uint64_t hash, size_t lines) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<size_t>((static_cast<Wide>(hash) * lines) >> 64);
}
size_t next_line(size_t line, size_t lines) { return line + 1 == lines ? 0 : line + 1; }

int largest_of(const std::array<int16_t, kTreeMoves>& row) {
  int largest = 0;
  for (const int16_t w : row) largest = std::max(largest, std::abs(int{w}));
  return largest;
}

}  // namespace

TreeTables TreeTables::pack(const AveragedTreeWeights& weights) {
  TreeTables out;
  float largest = 0;
  for (const auto& row : weights.moves)
    for (const float w : row) largest = std::max(largest, std::abs(w));
  out.scale_ = largest > 0 ? largest / kLargest : 1;
  using Row = std::array<int16_t, kTreeMoves>;
  std::vector<std::pair<uint64_t, Row>> kept;
  for (size_t f = 0; f < weights.moves.size(); ++f) {
    Row row{};
    for (size_t m = 0; m < kTreeMoves; ++m)
      row[m] = static_cast<int16_t>(std::lround(weights.moves[f][m] / out.scale_));
    if (row == Row{}) continue;
    kept.emplace_back(weights.move_hashes[f], row);
  }
  // The order of the training table depends on its growth, that of the hashes on nothing.
  std::sort(kept.begin(), kept.end());
  if (kept.size() > kMostMoveFeatures) {
    std::stable_sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
      return largest_of(a.second) > largest_of(b.second);
    });
    kept.resize(kMostMoveFeatures);
    std::sort(kept.begin(), kept.end());
  }
  for (const auto& entry : kept)
    out.weights_ += kTreeMoves - static_cast<size_t>(std::count(entry.second.begin(), entry.second.end(), 0));
  const size_t lines = kept.size() * 4 / (3 * MoveLine::kSlots) + 1;
  out.owned_.resize(lines);
  for (const auto& [hash, row] : kept) {
    for (size_t at = line_of(hash, lines);; at = next_line(at, lines)) {
      MoveLine& line = out.owned_[at];
      const auto slot = std::find(line.check.begin(), line.check.end(), 0);
      if (slot == line.check.end()) continue;
      *slot = check_of(hash);
      line.weight[static_cast<size_t>(slot - line.check.begin())] = row;
      break;
    }
  }
  out.lines_ = out.owned_;

  linear::StateRows layout;
  layout.width = static_cast<uint32_t>(weights.relations);
  std::vector<float> values;
  std::vector<uint32_t> order(weights.relation_hashes.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return weights.relation_hashes[a] < weights.relation_hashes[b]; });
  float largest_relation = 0;
  for (const float w : weights.relation) largest_relation = std::max(largest_relation, std::abs(w));
  const float nothing = largest_relation / kLargest / 2;  // rounded to 0
  std::vector<uint64_t> hashes;
  for (const uint32_t f : order) {
    const size_t before = values.size();
    for (size_t l = 0; l < weights.relations; ++l) {
      const float w = weights.relation[f * weights.relations + l];
      if (std::abs(w) <= nothing) continue;
      layout.column.push_back(static_cast<uint16_t>(l));
      values.push_back(w);
    }
    if (values.size() == before) continue;
    layout.begin.push_back(static_cast<uint32_t>(values.size()));
    hashes.push_back(weights.relation_hashes[f]);
  }
  out.weights_ += values.size();
  out.features_ = kept.size() + hashes.size();
  AlignedVector<float> padded = linear::make_weights(values.size());
  std::copy(values.begin(), values.end(), padded.begin());
  std::vector<uint32_t> offsets, refused;
  out.rows_ = linear::PackedRows::pack(layout, padded.data(), 16, offsets);
  out.map_ = linear::FeatureMap::build(hashes, offsets, &refused);
  return out;
}

void TreeTables::save(SectionWriter& out) const {
  out.add_array("tree.moves", lines_);
  out.add_array("tree.rows", rows_.words());
  out.add_array("tree.map", map_.slots());
  const TreeNumbers numbers{scale_, rows_.scale(), static_cast<uint32_t>(features_),
                            static_cast<uint32_t>(weights_)};
  out.add_array("tree.numbers", std::span(&numbers, 1));
}

Result<TreeTables> TreeTables::load(const SectionFile& file, size_t relations) {
  TreeTables out;
  ESPALIER_ASSIGN(const std::span<const TreeNumbers> numbers, file.array<TreeNumbers>("tree.numbers"));
  ESPALIER_ASSIGN(out.lines_, file.array<MoveLine>("tree.moves"));
  ESPALIER_ASSIGN(const std::span<const uint32_t> words, file.array<uint32_t>("tree.rows"));
  ESPALIER_ASSIGN(const std::span<const linear::FeatureMap::Slot> slots,
                  file.array<linear::FeatureMap::Slot>("tree.map"));
  const auto damaged = [&](std::string_view section, std::string_view what) {
    return fail("{}: section '{}': {}", file.name(), section, what);
  };
  if (numbers.size() != 1) return damaged("tree.numbers", "wanted one entry");
  out.scale_ = numbers[0].move_scale;
  if (!(out.scale_ > 0) || !std::isfinite(out.scale_))
    return damaged("tree.numbers", "the scale is not positive");
  out.features_ = numbers[0].features;
  out.weights_ = numbers[0].weights;
  const bool ends = std::any_of(out.lines_.begin(), out.lines_.end(),
                                [](const MoveLine& line) { return line.check.back() == 0; });
  if (!ends) return damaged("tree.moves", "there is no empty slot");
  if (!(numbers[0].relation_scale > 0) || !std::isfinite(numbers[0].relation_scale))
    return damaged("tree.numbers", "the scale is not positive");
  auto rows = linear::PackedRows::view(words, relations, 16, numbers[0].relation_scale, nullptr);
  if (!rows.ok()) return damaged("tree.rows", rows.error().message);
  out.rows_ = std::move(rows).value();
  auto map = linear::FeatureMap::view(slots, out.rows_.offset_limit());
  if (!map.ok()) return damaged("tree.map", map.error().message);
  out.map_ = std::move(map).value();
  return out;
}

const std::array<int16_t, kTreeMoves>* TreeTables::find_move(uint64_t hash) const {
  const uint16_t check = check_of(hash);
  for (size_t at = line_of(hash, lines_.size());; at = next_line(at, lines_.size())) {
    const MoveLine& line = lines_[at];
    for (size_t slot = 0; slot < MoveLine::kSlots; ++slot) {
      if (line.check[slot] == check) return &line.weight[slot];
      if (line.check[slot] == 0) return nullptr;
    }
  }
}

void TreeTables::add_moves(std::span<const uint64_t> hashes, std::array<float, kTreeMoves>& sums) const {
  for (const uint64_t hash : hashes) __builtin_prefetch(&lines_[line_of(hash, lines_.size())]);
  std::array<int32_t, kTreeMoves> total{};
  for (const uint64_t hash : hashes)
    if (const auto* const found = find_move(hash))
      for (size_t m = 0; m < kTreeMoves; ++m) total[m] += (*found)[m];
  for (size_t m = 0; m < kTreeMoves; ++m) sums[m] += scale_ * static_cast<float>(total[m]);
}

float TreeTables::move_weight(uint64_t hash, TreeMove move) const {
  const auto* const found = find_move(hash);
  return found == nullptr ? 0 : scale_ * static_cast<float>((*found)[static_cast<size_t>(move)]);
}

float TreeTables::relation_weight(uint64_t hash, data::Label relation) const {
  float weight = 0;
  const uint32_t offset = map_.find(hash);
  if (offset == linear::kNoFeature) return 0;
  rows_.for_each(offset, [&](uint32_t column, float w) {
    if (column == relation) weight = w;
  });
  return weight;
}

void TreeTables::add_relations(std::span<const uint64_t> hashes, std::vector<uint32_t>& offsets,
                               float* sums) const {
  offsets.resize(hashes.size());
  map_.find_all(hashes, offsets.data());
  const std::array<uint32_t, 2> begin = {0, static_cast<uint32_t>(offsets.size())};
  rows_.add(offsets, begin, nullptr, linear::padded(rows_.width()), sums);
}

TreeScorer::TreeScorer(const TreeTables& tables, size_t relations)
    : tables_(tables), relations_(relations), row_(linear::kLanes + linear::padded(relations), 0.0f) {}

std::span<const float> TreeScorer::row(const ParseSpace& space, const ParseSpace::State& state, uint32_t) {
  static_assert(kTreeMoves <= linear::kLanes);
  // Relations begin at a whole vector; moves are right before them.
  float* const moves = row_.data() + linear::kLanes - kTreeMoves;
  const std::vector<uint64_t>& hashes = space.hashes(state);
  if (state.pending != 0) {
    std::fill(row_.begin() + linear::kLanes, row_.end(), 0.0f);
    tables_.add_relations(hashes, offsets_, row_.data() + linear::kLanes);
  } else {
    std::array<float, kTreeMoves> sums{};
    tables_.add_moves(hashes, sums);
    std::copy(sums.begin(), sums.end(), moves);
  }
  return {moves, kTreeMoves + relations_};
}

}  // namespace espalier::tasks
