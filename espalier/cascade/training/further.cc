#include "espalier/cascade/training/further.h"

#include <algorithm>

#include "espalier/base/text/format.h"
#include "espalier/cascade/model/model.h"
#include "espalier/linear/grown_rows.h"

namespace espalier::cascade {

Result<OldCascade> CascadePredictor::further(linear::EncodedTraining& training,
                                             const Options& options) const {
  std::vector<size_t> orders;
  for (const PackedLevel& level : levels_) orders.push_back(level.order);
  if (orders != options.orders)
    return fail(
        "{}: a cascade with levels of order {}, which cannot be trained further with levels of order {}",
        file_name_, joined(orders, ", "), joined(options.orders, ", "));
  if (!dictionary_.empty() || options.filter == Filter::kDictionary)
    return fail("{}: cascades with filter=dictionary cannot be trained further", file_name_);
  if (quantiles_ || options.quantiles)
    return fail("{}: cascades with quantiles=yes cannot be trained further", file_name_);
  const Measure measure = options.filter == Filter::kCrf ? Measure::kProbability : Measure::kMaxMarginal;
  for (size_t l = 0; l + 1 < levels_.size(); ++l)
    if (levels_[l].measure != measure || levels_[l].unit != options.unit)
      return fail(
          "{}: its filters are of another kind; take its own parameters (espalier inspect shows them)",
          file_name_);
  OldCascade old;
  old.layout = make_layout(training, options.full_rows_from, options.orders.back(), options.edge_order);
  Layout& layout = old.layout;
  const size_t before = labels_.size(), now = layout.labels;
  ESPALIER_CHECK(before <= now);

  // The symbols for begin and end are numbered after the labels.
  const auto symbol = [&](uint32_t s) { return static_cast<uint32_t>(s < before ? s : s - before + now); };
  std::vector<uint32_t> gram(grams_.size());
  for (uint32_t g = 0; g < gram.size(); ++g)
    gram[g] = g < grams_.single()
                  ? symbol(g)
                  : layout.grams.add(gram[grams_.entry(g).prefix], symbol(grams_.entry(g).last));

  const size_t L = levels_.size();
  const auto row_of = [&](size_t level, bool edge) -> linear::OldRow {
    return [this, level, edge, L, &gram](uint32_t feature, const auto& visit) {
      const uint32_t offset = (edge ? edge_offsets_ : state_offsets_)[feature * L + level];
      if (offset == linear::kNoFeature) return;
      const linear::PackedRows& rows = edge ? levels_[level].edge : levels_[level].state;
      rows.for_each(offset, [&](uint32_t column, float w) { visit(edge ? gram[column] : column, w); });
    };
  };
  const auto any_level = [&](bool edge) -> linear::OldRow {
    return [&row_of, edge, L](uint32_t feature, const auto& visit) {
      for (size_t l = 0; l < L; ++l) row_of(l, edge)(feature, visit);
    };
  };
  old.state_map = &state_map_;
  old.edge_map = &edge_map_;
  linear::join_rows(layout.state, training.state, state_map_, names_.value_or(std::string_view()),
                    any_level(false), old.state_value);
  linear::join_rows(layout.edge, training.edge, edge_map_, {}, any_level(true), old.edge_value);
  for (const bool edge : {false, true}) {
    const std::vector<uint32_t>& value = edge ? old.edge_value : old.state_value;
    const auto fresh = static_cast<size_t>(std::count(value.begin(), value.end(), linear::kNoFeature));
    if (!linear::has_room(edge ? edge_map_ : state_map_, fresh))
      return fail(
          "{}: the data have {} features that the model does not know, many times its own; train on all the "
          "data "
          "again",
          file_name_, fresh);
  }
  for (size_t l = 0; l < L; ++l) {
    const PackedLevel& from = levels_[l];
    LevelWeights level = layout.zeros(from.order);
    linear::copy_rows(layout.state, old.state_value, row_of(l, false), level.state.data());
    if (from.order > 1) {
      linear::copy_rows(layout.edge, old.edge_value, row_of(l, true), level.edge.data());
      for (size_t g = 0; g < from.gram.size(); ++g) level.gram[gram[g]] = from.gram[g];
    }
    level.cuts = from.cuts;
    level.prior = from.prior;
    old.levels.push_back(std::move(level));
    if (l + 1 < L) old.alphas.push_back(from.alpha);
  }
  old.temperature = temperature_;
  return old;
}

}  // namespace espalier::cascade
