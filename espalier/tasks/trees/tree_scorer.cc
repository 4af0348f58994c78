#include "espalier/tasks/trees/tree_scorer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace espalier::tasks {
namespace {

constexpr float kLargest = 32767;

uint16_t check_of(uint64_t hash) {
  const auto low = static_cast<uint16_t>(hash);
  return low == 0 ? uint16_t{1} : low;
}

/// Which of the 32 bits of MoveLine::moved stands for a feature.
uint32_t moved_bit(uint64_t hash) { return uint32_t{1} << ((hash >> 16) & 31); }

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
      if (slot == line.check.end()) {
        line.moved |= moved_bit(hash);
        continue;
      }
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
  out.add_array("tree.lines", lines_);
  out.add_array("tree.rows", rows_.words());
  out.add_array("tree.map", map_.slots());
  const TreeNumbers numbers{scale_, rows_.scale(), static_cast<uint32_t>(features_),
                            static_cast<uint32_t>(weights_)};
  out.add_array("tree.numbers", std::span(&numbers, 1));
}

Result<TreeTables> TreeTables::load(const SectionFile& file, size_t relations) {
  TreeTables out;
  ESPALIER_ASSIGN(const std::span<const TreeNumbers> numbers, file.array<TreeNumbers>("tree.numbers"));
  ESPALIER_ASSIGN(out.lines_, file.array<MoveLine>("tree.lines"));
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
  const bool ends =
      std::any_of(out.lines_.begin(), out.lines_.end(), [](const MoveLine& line) { return line.moved == 0; });
  if (!ends) return damaged("tree.lines", "there is no line at which a search ends");
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

namespace {

/// Four numbers at a time; compilers turn these into vector instructions.
using FourShort = int16_t __attribute__((vector_size(8)));
using FourInt = int32_t __attribute__((vector_size(16)));
static_assert(kTreeMoves == 4);
constexpr std::array<int16_t, kTreeMoves> kNoWeights{};

/// The highest bit of each 16 bits of `words` that equal `check`. Above an equal one, others may be marked by
/// mistake.
uint64_t equal_lanes(uint64_t words, uint16_t check) {
  constexpr uint64_t kOnes = 0x0001000100010001ull, kHighs = 0x8000800080008000ull;
  const uint64_t differ = words ^ (kOnes * check);
  return (differ - kOnes) & ~differ & kHighs;
}

/// The weights in a line, all 0 if the feature is not there. Without branches that depend on the data, which
/// would be mispredicted for every second feature.
const std::array<int16_t, kTreeMoves>* find_in_line(const MoveLine& line, uint16_t check) {
  uint64_t first;
  uint32_t last;
  static_assert(MoveLine::kSlots == 6);
  std::memcpy(&first, line.check.data(), sizeof first);
  std::memcpy(&last, line.check.data() + 4, sizeof last);
  // Slots 0 to 3 at the bits 0, 16, 32 and 48; slots 4 and 5 at 1 and 17.
  const uint64_t found = (equal_lanes(first, check) >> 15) | ((equal_lanes(last, check) & 0xFFFFFFFFu) >> 14);
  const auto bit = static_cast<unsigned>(std::countr_zero(found | (uint64_t{1} << 63)));
  const size_t slot = (bit >> 4) + 4 * (bit & 1);
  return found != 0 ? &line.weight[slot % MoveLine::kSlots] : &kNoWeights;
}

}  // namespace

inline const std::array<int16_t, kTreeMoves>* TreeTables::find_move(size_t line, uint64_t hash) const {
  const uint16_t check = check_of(hash);
  while (true) {
    const auto* const found = find_in_line(lines_[line], check);
    if (found != &kNoWeights || (lines_[line].moved & moved_bit(hash)) == 0) return found;
    line = next_line(line, lines_.size());
  }
}

void TreeTables::sum_moves(std::span<const uint64_t> hashes, std::span<const uint32_t> ends,
                           MoveSums* sums) const {
  constexpr size_t kAhead = 256;  // lines on their way into the cache
  std::array<uint32_t, kAhead> lines;
  const auto fetch = [&](size_t i) {
    const size_t line = line_of(hashes[i], lines_.size());
    lines[i % kAhead] = static_cast<uint32_t>(line);
    __builtin_prefetch(&lines_[line]);
  };
  for (size_t i = 0; i < std::min(kAhead, hashes.size()); ++i) fetch(i);
  size_t i = 0;
  for (const uint32_t end : ends) {
    FourInt total = {0, 0, 0, 0};
    for (; i < end; ++i) {
      FourShort weights;
      std::memcpy(&weights, find_move(lines[i % kAhead], hashes[i])->data(), sizeof weights);
      total += __builtin_convertvector(weights, FourInt);
      if (i + kAhead < hashes.size()) fetch(i + kAhead);
    }
    std::memcpy(sums->data(), &total, sizeof total);
    ++sums;
  }
}

float TreeTables::move_weight(uint64_t hash, TreeMove move) const {
  const auto* const found = find_move(line_of(hash, lines_.size()), hash);
  return scale_ * static_cast<float>((*found)[static_cast<size_t>(move)]);
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

TreeMemory::TreeMemory()
    : sums_(size_t{1} << kSumBits), row_keys_(size_t{1} << kRowBits), ranks_(row_keys_.size()) {}

TreeScorer::TreeScorer(const TreeTables& tables, const TreeSystem& system, TreeMemory& memory,
                       float sharpness)
    : tables_(tables),
      system_(system),
      memory_(memory),
      sharpness_(sharpness),
      stride_(linear::kLanes + linear::padded(system.all_relations)),
      round_(small_hash(202, ++memory.round_)) {
  // One row more: that of the moves.
  memory_.rows_.resize((memory_.row_keys_.size() + 1) * stride_);
}

/// Relations begin at a whole vector; moves are right before them.
float* TreeScorer::moves_of(size_t row) const {
  static_assert(kTreeMoves <= linear::kLanes);
  return memory_.rows_.data() + row * stride_ + (linear::kLanes - kTreeMoves);
}

std::span<const float> TreeScorer::row(const ParseSpace& space, const ParseSpace::State& state, uint32_t) {
  const size_t width = kTreeMoves + system_.all_relations;
  if (state.pending != 0) return {moves_of(relation_row(space, state)), width};
  float* const moves = moves_of(memory_.row_keys_.size());
  score_moves(space, state, moves);
  if (sharpness_ > 0) normalise(space, state, moves);
  if (space.stuck(state)) {
    // Whatever follows ranks below all that keeps to the rules.
    const float broken = sharpness_ > 0 ? 1e3f : 1e5f;
    for (size_t m = 0; m < kTreeMoves; ++m) moves[m] -= broken;
  }
  return {moves, width};
}

size_t TreeScorer::relation_row(const ParseSpace& space, const ParseSpace::State& state) {
  TreeMemory& m = memory_;
  const TreeView view = space.view(state);
  const TreeBlocks& blocks = system_.label_blocks;
  blocks.look(view, round_, m.labels_);
  const uint64_t key = blocks.key(0, m.labels_);
  const size_t at = key >> (64 - TreeMemory::kRowBits);
  if (m.row_keys_[at] == key) return at;
  m.row_keys_[at] = key;
  m.ranks_[at][0] = 0;
  m.hashes_.clear();
  blocks.hash(0, space.sentence(), view, m.labels_, m.hashes_);
  float* const relations = moves_of(at) + kTreeMoves;
  std::fill(relations, relations + linear::padded(system_.all_relations), 0.0f);
  tables_.add_relations(m.hashes_, m.offsets_, relations);
  if (sharpness_ > 0) normalise(space, state, moves_of(at));
  return at;
}

bool TreeScorer::best_actions(const ParseSpace& space, const ParseSpace::State& state, size_t width,
                              std::vector<search::Action>& actions, std::vector<float>& scores) {
  constexpr size_t kMost = TreeMemory::kMostRanked;
  if (state.pending == 0 || width > kMost) {
    space.actions(state, actions);
    search::score_actions(space, *this, state, actions, scores);
    return true;
  }
  const size_t at = relation_row(space, state);
  const float* const row = moves_of(at);
  auto& ranks = memory_.ranks_[at];
  if (ranks[0] == 0) {
    memory_.actions_.clear();
    space.actions(state, memory_.actions_);
    uint16_t count = 0;
    for (const search::Action& action : memory_.actions_) {
      const float score = row[action.label];
      if (count == kMost && !(score > row[ranks[kMost]])) continue;
      size_t place = count == kMost ? kMost : ++count;
      for (; place > 1 && score > row[ranks[place - 1]]; --place) ranks[place] = ranks[place - 1];
      ranks[place] = static_cast<uint16_t>(action.label);
    }
    ranks[0] = count;
  }
  const size_t kept = std::min<size_t>(width, ranks[0]);
  for (size_t i = 1; i <= kept; ++i) {
    actions.push_back({0, ranks[i]});
    scores.push_back(row[ranks[i]]);
  }
  return kept == ranks[0] && kept < kMost;
}

void TreeScorer::score_moves(const ParseSpace& space, const ParseSpace::State& state, float* out) {
  TreeMemory& m = memory_;
  const TreeView view = space.view(state);
  const TreeBlocks& blocks = system_.move_blocks;
  blocks.look(view, round_, m.moves_);
  m.hashes_.clear();
  m.ends_.clear();
  m.missing_.clear();
  TreeTables::MoveSums total{};
  const auto add = [&](const TreeTables::MoveSums& some) {
    for (size_t i = 0; i < kTreeMoves; ++i) total[i] += some[i];
  };
  for (size_t b = 0; b < blocks.size(); ++b) {
    const uint64_t key = blocks.key(b, m.moves_);
    TreeMemory::Sums& known = m.sums_[key >> (64 - TreeMemory::kSumBits)];
    if (known.key == key) {
      add(known.sums);
      continue;
    }
    known.key = key;
    blocks.hash(b, space.sentence(), view, m.moves_, m.hashes_);
    m.ends_.push_back(static_cast<uint32_t>(m.hashes_.size()));
    m.missing_.push_back(&known);
  }
  m.found_.resize(m.ends_.size());
  tables_.sum_moves(m.hashes_, m.ends_, m.found_.data());
  for (size_t i = 0; i < m.found_.size(); ++i) {
    add(m.found_[i]);
    m.missing_[i]->sums = m.found_[i];
  }
  for (size_t i = 0; i < kTreeMoves; ++i) out[i] = tables_.move_scale() * static_cast<float>(total[i]);
}

void TreeScorer::normalise(const ParseSpace& space, const ParseSpace::State& state, float* row) {
  memory_.actions_.clear();
  space.actions(state, memory_.actions_);
  float largest = -std::numeric_limits<float>::infinity();
  for (const search::Action& a : memory_.actions_) largest = std::max(largest, row[a.label]);
  double sum = 0;
  for (const search::Action& a : memory_.actions_) {
    row[a.label] = sharpness_ * (row[a.label] - largest);
    sum += std::exp(double{row[a.label]});
  }
  const auto log_sum = static_cast<float>(std::log(sum));
  for (const search::Action& a : memory_.actions_) row[a.label] -= log_sum;
}

}  // namespace espalier::tasks
