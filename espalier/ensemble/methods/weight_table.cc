#include "espalier/ensemble/methods/weight_table.h"

#include <array>

namespace espalier::ensemble {
namespace {

/// Beyond this many distinct values at one item the tally moves to the heap.
constexpr size_t kInlineValues = 64;

struct TallyEntry {
  Value value;
  double weight;
  uint32_t place;  ///< lowest place in the tie order among those who say it
};

}  // namespace

WeightTable WeightTable::constant(std::span<const double> row) {
  WeightTable table;
  table.experts = row.size();
  table.elsewhere.assign(row.begin(), row.end());
  return table;
}

Winner vote(std::span<const Value> item, std::span<const double> row, std::span<const uint32_t> tie_order) {
  const size_t p = item.size();
  size_t first = 0;
  while (first < p && item[first] == kAbsent) ++first;
  if (first == p) return {};
  // Where experts agree there is nothing to count.
  bool agreed = true;
  for (size_t j = first + 1; j < p; ++j) agreed &= item[j] == item[first] || item[j] == kAbsent;
  if (agreed) return {item[first], 1.0};

  std::array<TallyEntry, kInlineValues> room;
  std::vector<TallyEntry> large;
  TallyEntry* tally = room.data();
  if (p > kInlineValues) {
    large.resize(p);
    tally = large.data();
  }
  size_t distinct = 0;
  double total = 0;
  const auto count = [&](bool alike) {
    distinct = 0;
    total = 0;
    for (size_t j = first; j < p; ++j) {
      if (item[j] == kAbsent) continue;
      const double weight = alike ? 1.0 : row[j];
      const uint32_t place = tie_order.empty() ? static_cast<uint32_t>(j) : tie_order[j];
      total += weight;
      size_t v = 0;
      while (v < distinct && tally[v].value != item[j]) ++v;
      if (v == distinct) {
        tally[distinct++] = {item[j], weight, place};
      } else {
        tally[v].weight += weight;
        if (place < tally[v].place) tally[v].place = place;
      }
    }
  };
  count(false);
  if (!(total > 0)) count(true);
  size_t best = 0;
  for (size_t v = 1; v < distinct; ++v) {
    const bool better = tally[v].weight > tally[best].weight ||
                        (tally[v].weight == tally[best].weight && tally[v].place < tally[best].place);
    if (better) best = v;
  }
  return {tally[best].value, tally[best].weight / total};
}

void shares(std::span<const Value> item, std::span<const double> row, std::vector<Share>& out) {
  out.clear();
  double total = 0;
  for (const bool alike : {false, true}) {
    for (size_t j = 0; j < item.size(); ++j) {
      if (item[j] == kAbsent) continue;
      const double weight = alike ? 1.0 : row[j];
      total += weight;
      size_t v = 0;
      while (v < out.size() && out[v].value != item[j]) ++v;
      if (v == out.size())
        out.push_back({item[j], weight});
      else
        out[v].share += weight;
    }
    if (total > 0) break;
    out.clear();
  }
  for (Share& share : out) share.share /= total;
}

std::span<const double> item_row(const VoteView& view, size_t i, const WeightTable& table,
                                 std::vector<double>& scratch) {
  const std::span<const double> row = table.row(view.slot[i]);
  if (view.probability.empty()) return row;
  scratch.resize(row.size());
  for (size_t j = 0; j < row.size(); ++j)
    scratch[j] = row[j] * static_cast<double>(view.probability[i * view.experts + j]);
  return scratch;
}

ItemErrors vote_errors(const VoteView& view, const WeightTable& table) {
  ItemErrors errors;
  std::vector<double> scratch;
  for (size_t i = 0; i < view.items(); ++i) {
    if (view.gold[i] == kAbsent) continue;
    ++errors.known;
    errors.wrong +=
        vote(view.item(i), item_row(view, i, table, scratch), table.tie_order).value != view.gold[i];
  }
  return errors;
}

ItemErrors expert_errors(const VoteView& view, size_t expert) {
  ItemErrors errors;
  for (size_t i = 0; i < view.items(); ++i) {
    if (view.gold[i] == kAbsent) continue;
    ++errors.known;
    errors.wrong += view.votes[i * view.experts + expert] != view.gold[i];
  }
  return errors;
}

Result<HammingMean> evaluate(VoteSource& source, const WeightTable& table) {
  HammingMean loss;
  ESPALIER_TRY(for_each_sequence(source, [&](const VoteView& view) {
    const ItemErrors errors = vote_errors(view, table);
    loss.add(errors.wrong, errors.known);
  }));
  return loss;
}

}  // namespace espalier::ensemble
