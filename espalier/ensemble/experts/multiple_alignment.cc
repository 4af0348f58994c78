#include "espalier/ensemble/experts/multiple_alignment.h"

#include <algorithm>
#include <limits>

#include "espalier/eval/losses.h"

namespace espalier::ensemble {
namespace {

constexpr uint32_t kSilentRow = 0xFFFFFFFF;
/// A difference between two experts in a column counts more than all their equal labels.
constexpr int64_t kDifference = int64_t{1} << 32;
/// Every round that changes anything lowers the sum; nearly all end after two.
constexpr int kMostRefinements = 10;

uint32_t weight_of(const std::vector<std::pair<data::Label, uint32_t>>& column, data::Label label) {
  for (const auto& [said, weight] : column)
    if (said == label) return weight;
  return 0;
}

}  // namespace

size_t MultipleAligner::collect(std::span<const ExpertOutput> outputs) {
  distinct_.clear();
  multiplicity_.clear();
  row_of_.assign(outputs.size(), kSilentRow);
  for (size_t j = 0; j < outputs.size(); ++j) {
    if (!outputs[j].speaks) continue;
    size_t row = 0;
    while (row < distinct_.size() && distinct_[row] != outputs[j].labels) ++row;
    if (row == distinct_.size()) {
      distinct_.push_back(outputs[j].labels);
      multiplicity_.push_back(0);
    }
    ++multiplicity_[row];
    row_of_[j] = static_cast<uint32_t>(row);
  }
  return distinct_.size();
}

size_t MultipleAligner::centre() const {
  const size_t n = distinct_.size();
  std::vector<size_t> sum(n, 0);
  for (size_t a = 0; a < n; ++a)
    for (size_t b = a + 1; b < n; ++b) {
      const size_t distance = eval::edit_distance(distinct_[a], distinct_[b]);
      sum[a] += distance * multiplicity_[b];
      sum[b] += distance * multiplicity_[a];
    }
  return static_cast<size_t>(std::min_element(sum.begin(), sum.end()) - sum.begin());
}

/// Once a gap, always a gap: between two labels of the centre there are as many columns as the longest
/// insertion of any other output there.
void MultipleAligner::star(size_t centre) {
  const size_t n = distinct_.size(), length = distinct_[centre].size();
  std::vector<Path> pairs(n);
  std::vector<size_t> inserted(length + 1, 0);
  profile_.clear();
  for (const data::Label label : distinct_[centre]) profile_.push_back({{label, 1}});
  for (size_t row = 0; row < n; ++row) {
    lay(distinct_[row], 1);
    pairs[row] = path_;
    std::vector<size_t> own(length + 1, 0);
    for (const auto& [step, entry] : path_)
      if (step == Step::kInsert) ++own[entry];
    for (size_t k = 0; k <= length; ++k) inserted[k] = std::max(inserted[k], own[k]);
  }
  std::vector<size_t> column_of(length + 1);  // of the centre's labels, and the number of columns
  size_t columns = 0;
  for (size_t k = 0; k <= length; ++k) {
    columns += inserted[k];
    column_of[k] = columns;
    if (k < length) ++columns;
  }
  cells_.assign(columns * n, gap_);
  for (size_t row = 0; row < n; ++row) {
    size_t run = 0, next = 0;  // insertions before the centre's label so far; the row's next label
    for (const auto& [step, entry] : pairs[row]) {
      if (step == Step::kInsert) {
        cells_[(column_of[entry] - inserted[entry] + run++) * n + row] = distinct_[row][next++];
        continue;
      }
      run = 0;
      if (step == Step::kMatch) cells_[column_of[entry] * n + row] = distinct_[row][next++];
    }
  }
}

void MultipleAligner::profile(size_t without) {
  const size_t n = distinct_.size(), columns = n == 0 ? 0 : cells_.size() / n;
  profile_.clear();
  profile_column_.clear();
  for (size_t c = 0; c < columns; ++c) {
    Column column;
    bool said = false;
    for (size_t row = 0; row < n; ++row) {
      if (row == without) continue;
      const data::Label label = cells_[c * n + row];
      said |= label != gap_;
      size_t v = 0;
      while (v < column.size() && column[v].first != label) ++v;
      if (v == column.size()) column.emplace_back(label, 0);
      column[v].second += multiplicity_[row];
    }
    if (!said) continue;
    profile_.push_back(std::move(column));
    profile_column_.push_back(c);
  }
}

/// The cheapest way to align labels with the profile, whose rows weigh `weight` together: against a column
/// the label costs those who do not have it there, a gap those who have a label, and a label in a column of
/// its own costs all of them. Ties go to the way with the most labels next to equal ones. cost_(i, c): of
/// the first i labels and the first c columns.
MultipleAligner::Cost MultipleAligner::lay(std::span<const data::Label> labels, uint32_t weight) {
  const size_t length = labels.size(), columns = profile_.size(), width = columns + 1;
  cost_.assign((length + 1) * width, 0);
  const Cost alone = kDifference * weight;
  const auto gap_cost = [&](size_t c) { return kDifference * (weight - weight_of(profile_[c], gap_)); };
  const auto match_cost = [&](size_t i, size_t c) {
    const uint32_t equal = weight_of(profile_[c], labels[i]);
    return kDifference * (weight - equal) - equal;
  };
  for (size_t c = 0; c < columns; ++c) cost_[c + 1] = cost_[c] + gap_cost(c);
  for (size_t i = 0; i < length; ++i) {
    cost_[(i + 1) * width] = cost_[i * width] + alone;
    for (size_t c = 0; c < columns; ++c)
      cost_[(i + 1) * width + c + 1] =
          std::min({cost_[i * width + c] + match_cost(i, c), cost_[(i + 1) * width + c] + gap_cost(c),
                    cost_[i * width + c + 1] + alone});
  }
  path_.clear();
  size_t i = length, c = columns;
  while (i > 0 || c > 0) {
    const Cost here = cost_[i * width + c];
    if (i > 0 && c > 0 && here == cost_[(i - 1) * width + c - 1] + match_cost(i - 1, c - 1)) {
      path_.emplace_back(Step::kMatch, --c);
      --i;
    } else if (c > 0 && here == cost_[i * width + c - 1] + gap_cost(c - 1)) {
      path_.emplace_back(Step::kGap, --c);
    } else {
      path_.emplace_back(Step::kInsert, c);
      --i;
    }
  }
  std::reverse(path_.begin(), path_.end());
  return cost_.back();
}

bool MultipleAligner::realign(size_t row) {
  const size_t n = distinct_.size(), columns = cells_.size() / n;
  Cost now = 0;
  for (size_t c = 0; c < columns; ++c)
    for (size_t other = 0; other < n; ++other) {
      if (other == row) continue;
      const data::Label own = cells_[c * n + row];
      if (cells_[c * n + other] != own)
        now += kDifference * multiplicity_[other];
      else if (own != gap_)
        now -= multiplicity_[other];
    }
  uint32_t others = 0;
  for (size_t other = 0; other < n; ++other) others += other == row ? 0 : multiplicity_[other];
  profile(row);
  if (lay(distinct_[row], others) >= now) return false;
  std::vector<data::Label> cells;
  size_t next = 0;
  for (const auto& [step, entry] : path_) {
    const size_t first = cells.size();
    cells.resize(first + n, gap_);
    if (step != Step::kInsert)
      std::copy_n(cells_.begin() + static_cast<std::ptrdiff_t>(profile_column_[entry] * n), n,
                  cells.begin() + static_cast<std::ptrdiff_t>(first));
    cells[first + row] = step == Step::kGap ? gap_ : distinct_[row][next++];
  }
  cells_ = std::move(cells);
  return true;
}

void MultipleAligner::refine() {
  for (int round = 0; round < kMostRefinements; ++round) {
    bool changed = false;
    for (size_t row = 0; row < distinct_.size(); ++row) changed |= realign(row);
    if (!changed) return;
  }
}

void MultipleAligner::align(std::span<const ExpertOutput> outputs, TokenVotes& out) {
  const size_t n = collect(outputs);
  if (n == 1) {
    cells_ = distinct_[0];
  } else {
    cells_.clear();
    if (n > 1) star(centre());
    if (n > 2) refine();
  }
  const size_t columns = n == 0 ? 0 : cells_.size() / n;
  out.reset(outputs.size(), columns);
  for (size_t j = 0; j < outputs.size(); ++j) {
    if (row_of_[j] == kSilentRow) continue;
    for (size_t c = 0; c < columns; ++c) out.votes[c * outputs.size() + j] = cells_[c * n + row_of_[j]];
  }
}

void MultipleAligner::add_gold(std::span<const data::Label> gold, TokenVotes& out) {
  profile(std::numeric_limits<size_t>::max());
  uint32_t weight = 0;
  for (const uint32_t m : multiplicity_) weight += m;
  lay(gold, weight);
  out.gold.assign(out.length(), gap_);
  out.target.assign(gold.begin(), gold.end());
  size_t next = 0;
  for (const auto& [step, entry] : path_) {
    if (step == Step::kMatch) out.gold[profile_column_[entry]] = gold[next];
    if (step != Step::kGap) ++next;
  }
}

std::vector<data::Label> without_gaps(std::span<const data::Label> labels, data::Label gap) {
  std::vector<data::Label> kept;
  for (const data::Label label : labels)
    if (label != gap && label != data::kNoLabel) kept.push_back(label);
  return kept;
}

}  // namespace espalier::ensemble
