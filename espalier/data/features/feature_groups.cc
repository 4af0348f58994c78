#include "espalier/data/features/feature_groups.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace espalier::data {
namespace {

constexpr size_t kMostRows = 3;

/// What a template looks at.
struct Sight {
  int first = 0, last = 0;       ///< rows, from the position
  std::optional<size_t> column;  ///< if it is one alone
  int rows() const { return last - first + 1; }
};

Sight sight_of(const Template& feature, const FeaturePlan& plan) {
  Sight sight{std::numeric_limits<int>::max(), std::numeric_limits<int>::min(), {}};
  bool one_column = true;
  for (const Reference& reference : feature.references) {
    sight.first = std::min(sight.first, reference.offset);
    sight.last = std::max(sight.last, reference.offset);
    const size_t column = plan.views[reference.view].column;
    one_column = one_column && sight.column.value_or(column) == column;
    sight.column = column;
  }
  if (!one_column) sight.column.reset();
  return sight;
}

/// Entries of lexicons span several rows, so that the row alone does not decide the feature.
bool in_a_lexicon(const Template& feature, const FeaturePlan& plan) {
  return std::any_of(feature.references.begin(), feature.references.end(), [&](const Reference& reference) {
    return plan.views[reference.view].kind == ViewKind::kLexicon;
  });
}

uint64_t outside_key(ptrdiff_t distance) {
  constexpr uint64_t kSalt = 0x0B0D0E5FACADE5ull;  // the cells of a row outside have no text
  return hash_combine(kSalt, static_cast<uint64_t>(distance));
}

std::vector<size_t> all_templates(const FeaturePlan& plan, bool Template::*wanted) {
  std::vector<size_t> chosen;
  for (size_t i = 0; i < plan.templates.size(); ++i)
    if (plan.templates[i].*wanted) chosen.push_back(i);
  return chosen;
}

}  // namespace

struct FeatureGroups::Draft {
  int rows = 1;
  std::vector<size_t> columns;                   ///< whose cells decide its features
  std::map<int, std::vector<size_t>> templates;  ///< by the distance of its first row from the position
};

/// The drafts, the plan of what has no group, and the plan of the groups with rows counted from their first.
struct FeatureGroups::Sorted {
  std::vector<Draft> drafts;
  FeaturePlan inner, others;
  size_t margin = 0;
};

FeatureGroups::Sorted FeatureGroups::sort(const FeaturePlan& plan, size_t word_column) {
  Sorted sorted;
  sorted.margin = margin_of(plan);
  const int margin = static_cast<int>(sorted.margin);
  std::vector<Sight> sights;
  std::vector<size_t> waiting;  // regular state templates, those that look at many rows first
  std::map<size_t, Draft> columns;
  for (size_t i = 0; i < plan.templates.size(); ++i) {
    const Template& feature = plan.templates[i];
    sights.push_back(sight_of(feature, plan));
    if (!feature.state || !is_regular(feature, plan) || in_a_lexicon(feature, plan)) continue;
    waiting.push_back(i);
    const Sight& sight = sights.back();
    if (feature.references.empty() || sight.column.value_or(word_column) == word_column) continue;
    if (sight.rows() < 2 || sight.rows() > static_cast<int>(kMostRows)) continue;
    Draft& draft = columns[*sight.column];
    draft.rows = std::max(draft.rows, sight.rows());
    draft.columns = {*sight.column};
  }
  std::stable_sort(waiting.begin(), waiting.end(), [&](size_t a, size_t b) {
    return !plan.templates[a].references.empty() &&
           (plan.templates[b].references.empty() || sights[a].rows() > sights[b].rows());
  });
  Draft token;
  std::vector<bool> grouped(plan.templates.size(), false);
  const auto put = [&](Draft& draft, int first, size_t i) {
    draft.templates[first].push_back(i);
    grouped[i] = true;
  };
  for (const size_t i : waiting) {
    const Template& feature = plan.templates[i];
    const Sight& sight = sights[i];
    if (feature.references.empty()) {
      // Every position has a token of its own.
      if (token.templates.contains(0)) put(token, 0, i);
      continue;
    }
    const auto column = sight.column ? columns.find(*sight.column) : columns.end();
    if (column != columns.end() && sight.rows() <= column->second.rows) {
      // Any stretch of rows around those it looks at will do, best one that others have chosen.
      Draft& draft = column->second;
      int first = std::min(sight.first, margin - draft.rows + 1);
      for (int at = sight.first; at > sight.last - draft.rows && at >= -margin; --at) {
        if (!draft.templates.contains(at)) continue;
        first = at;
        break;
      }
      put(draft, first, i);
    } else if (sight.rows() == 1) {
      put(token, sight.first, i);
      for (const Reference& reference : feature.references) {
        const size_t c = plan.views[reference.view].column;
        if (std::find(token.columns.begin(), token.columns.end(), c) == token.columns.end())
          token.columns.push_back(c);
      }
    }
  }
  if (!token.templates.empty()) sorted.drafts.push_back(std::move(token));
  for (auto& [column, draft] : columns) sorted.drafts.push_back(std::move(draft));

  sorted.inner = plan;
  for (const Draft& draft : sorted.drafts)
    for (const auto& [first, templates] : draft.templates)
      for (const size_t i : templates)
        for (Reference& reference : sorted.inner.templates[i].references) reference.offset -= first;
  // The other plan keeps only the views that its templates use, and those that keys are made of.
  sorted.others.patterns = plan.patterns;
  for (size_t i = 0; i < plan.templates.size(); ++i) {
    if (grouped[i] && !plan.templates[i].edge) continue;
    Template feature = plan.templates[i];
    feature.state = feature.state && !grouped[i];
    for (Reference& reference : feature.references)
      reference.view = sorted.others.view_index(plan.views[reference.view]);
    sorted.others.templates.push_back(std::move(feature));
  }
  for (const Draft& draft : sorted.drafts)
    for (const size_t column : draft.columns)
      sorted.others.view_index({.kind = ViewKind::kText, .column = column});
  return sorted;
}

FeatureGroups::FeatureGroups(const FeaturePlan& plan, size_t word_column,
                             std::shared_ptr<const WordTables> lists)
    : FeatureGroups(plan, sort(plan, word_column), std::move(lists)) {}

FeatureGroups::FeatureGroups(const FeaturePlan& plan, const Sorted& sorted,
                             std::shared_ptr<const WordTables> lists)
    : views_(plan.views, plan.patterns, sorted.margin, lists),
      other_plan_(sorted.others),
      other_views_(other_plan_.views, other_plan_.patterns, sorted.margin, lists),
      others_(other_plan_, all_templates(other_plan_, &Template::state), other_views_),
      edge_(other_plan_, all_templates(other_plan_, &Template::edge), other_views_) {
  for (const Draft& draft : sorted.drafts) {
    FeatureGroup group{static_cast<size_t>(draft.rows), {}};
    Programs programs;
    for (auto at = draft.templates.rbegin(); at != draft.templates.rend(); ++at) {
      group.places.push_back(at->first);
      programs.place.emplace_back(sorted.inner, at->second, views_);
    }
    for (const size_t column : draft.columns)
      programs.cells.push_back(
          other_views_.place(other_plan_.view_index({.kind = ViewKind::kText, .column = column})));
    groups_.push_back(std::move(group));
    programs_.push_back(std::move(programs));
  }
}

void FeatureGroups::extract(const Sequence& sequence, Buffers& b, GroupedFeatures& out) const {
  other_views_.fill(sequence, b.rows);
  others_.run_all(sequence, b.rows, 0, out.others.state_begin, out.others.state);
  // The first position has no label before it, hence no edge.
  edge_.run_all(sequence, b.rows, 1, out.others.edge_begin, out.others.edge);
  out.others.state_values.clear();
  const size_t length = sequence.length(), width = other_views_.width();
  const auto end = static_cast<ptrdiff_t>(length), margin = static_cast<ptrdiff_t>(other_views_.margin());
  out.keys.resize(groups_.size());
  for (size_t g = 0; g < groups_.size(); ++g) {
    const FeatureGroup& group = groups_[g];
    const size_t anchors = group.anchors(length), rows = anchors + group.rows - 1;
    const std::vector<size_t>& cells = programs_[g].cells;
    std::vector<uint64_t>& keys = group.rows == 1 ? out.keys[g] : b.row_keys;
    keys.resize(rows);
    for (size_t i = 0; i < rows; ++i) {
      const ptrdiff_t row = static_cast<ptrdiff_t>(i) + group.first_row();
      if (row < 0 || row >= end) {
        keys[i] = outside_key(row < 0 ? row : row - end + 1);
        continue;
      }
      const uint64_t* const hashes = b.rows.hashes.data() + static_cast<size_t>(row + margin) * width;
      uint64_t key = hashes[cells[0]];
      for (size_t c = 1; c < cells.size(); ++c) key = hash_combine(key, hashes[cells[c]]);
      keys[i] = key;
    }
    if (group.rows == 1) continue;
    out.keys[g].resize(anchors);
    for (size_t i = 0; i < anchors; ++i) {
      uint64_t key = b.row_keys[i];
      for (size_t j = 1; j < group.rows; ++j) key = hash_combine(key, b.row_keys[i + j]);
      out.keys[g][i] = key;
    }
  }
}

void FeatureGroups::extract_group(const Sequence& sequence, size_t group, size_t anchor, Buffers& b,
                                  HashedFeatures& out) const {
  const size_t width = views_.width();
  b.window.resize(groups_[group].rows * width);
  for (size_t j = 0; j < groups_[group].rows; ++j)
    views_.fill_row(sequence, static_cast<ptrdiff_t>(anchor + j) + groups_[group].first_row(), b.inner,
                    b.window.data() + j * width);
  size_t room = 0;
  for (const FeatureProgram& program : programs_[group].place) room += program.capacity();
  out.state.resize(room);
  out.state_begin.assign(1, 0);
  out.state_values.clear();
  uint64_t* at = out.state.data();
  for (const FeatureProgram& program : programs_[group].place) {
    at = program.run_at(b.window.data(), at);
    out.state_begin.push_back(static_cast<uint32_t>(at - out.state.data()));
  }
  out.state.resize(out.state_begin.back());
}

}  // namespace espalier::data
