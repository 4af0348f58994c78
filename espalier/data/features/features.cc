#include "espalier/data/features/features.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "espalier/base/hash.h"
#include "espalier/data/features/default_features.h"
#include "espalier/data/features/feature_groups.h"
#include "espalier/data/features/feature_program.h"
#include "espalier/data/features/template_parser.h"
#include "espalier/data/features/token_views.h"

namespace espalier::data {
namespace {

std::vector<size_t> templates_that(const FeaturePlan& plan, bool Template::*wanted) {
  std::vector<size_t> chosen;
  for (size_t i = 0; i < plan.templates.size(); ++i)
    if (plan.templates[i].*wanted) chosen.push_back(i);
  return chosen;
}

// The product of two features, the same in either order. Salted, so that it differs from the feature of a
// template.
uint64_t pair_hash(uint64_t a, uint64_t b) {
  constexpr uint64_t kSalt = 0x5EC0DDE9;
  return hash_combine(hash_combine(kSalt, std::min(a, b)), std::max(a, b));
}

/// Slots of pairs follow those of the n single features: (0,1), (0,2), …, (0,n−1), (1,2), …
struct PairOfSlots {
  size_t first, second;
};
/// `near` is the first of the two in the call before, which often is the same in this one.
PairOfSlots pair_at(size_t n, size_t slot, size_t& near) {
  const auto pairs_before = [&](size_t first) { return first * (2 * n - first - 1) / 2; };
  ESPALIER_CHECK(n > 0 && slot < pairs_before(n - 1));
  if (near + 1 < n && pairs_before(near) <= slot && slot < pairs_before(near + 1))
    return {near, near + 1 + slot - pairs_before(near)};
  size_t low = 0, high = n - 1;  // pairs_before(low) ≤ slot < pairs_before(high)
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    (pairs_before(middle) <= slot ? low : high) = middle;
  }
  near = low;
  return {low, low + 1 + slot - pairs_before(low)};
}

/// `single` and all its pairs, into `out`.
void add_pairs(const HashedFeatures& single, HashedFeatures& out) {
  out.state_begin.assign(1, 0);
  out.state.clear();
  out.state_values.clear();
  const bool valued = !single.state_values.empty();
  for (size_t t = 0; t < single.length(); ++t) {
    const size_t begin = single.state_begin[t], end = single.state_begin[t + 1];
    for (size_t i = begin; i < end; ++i) {
      out.state.push_back(single.state[i]);
      if (valued) out.state_values.push_back(single.state_values[i]);
    }
    for (size_t i = begin; i < end; ++i) {
      for (size_t j = i + 1; j < end; ++j) {
        out.state.push_back(pair_hash(single.state[i], single.state[j]));
        if (valued) out.state_values.push_back(single.state_values[i] * single.state_values[j]);
      }
    }
    ESPALIER_CHECK(out.state.size() <= std::numeric_limits<uint32_t>::max());
    out.state_begin.push_back(static_cast<uint32_t>(out.state.size()));
  }
}

void extract_attributes(const Sequence& sequence, HashedFeatures& out) {
  out.state_begin.assign(1, 0);
  out.state.clear();
  out.state_values.clear();
  bool valued = false;
  for (size_t t = 0; t < sequence.length(); ++t) {
    const size_t count = sequence.attribute_count(t);
    for (size_t i = 0; i < count; ++i) {
      const Attribute attribute = sequence.attribute(t, i);
      out.state.push_back(hash_bytes(attribute.name));
      out.state_values.push_back(attribute.value);
      valued |= attribute.value != 1;
    }
    out.state_begin.push_back(static_cast<uint32_t>(out.state.size()));
  }
  if (!valued) out.state_values.clear();
  out.edge.clear();
  out.edge_begin.assign(sequence.length() + 1, 0);
}

}  // namespace

struct FeatureExtractor::Plan {
  bool attributes = false;
  int degree = 1;
  FeaturePlan features;
  TokenViews views;
  FeatureProgram state, edge;
  FeatureGroups groups;

  Plan(FeaturePlan plan, int degree_wanted, bool from_attributes, std::shared_ptr<const WordTables> lists,
       size_t word_column)
      : attributes(from_attributes),
        degree(degree_wanted),
        features(std::move(plan)),
        views(features.views, features.patterns, margin_of(features), lists),
        state(features, templates_that(features, &Template::state), views),
        edge(features, templates_that(features, &Template::edge), views),
        groups(attributes || degree != 1 ? FeaturePlan() : features, word_column, lists) {}
};

struct FeatureExtractor::Scratch::Buffers {
  TokenViews::Table table;
  FeatureGroups::Buffers grouped;
  HashedFeatures single;
};

FeatureExtractor::Scratch::Scratch() : buffers(std::make_unique<Buffers>()) {}
FeatureExtractor::Scratch::~Scratch() = default;
FeatureExtractor::Scratch::Scratch(Scratch&&) noexcept = default;
FeatureExtractor::Scratch& FeatureExtractor::Scratch::operator=(Scratch&&) noexcept = default;

FeatureExtractor::FeatureExtractor(std::unique_ptr<const Plan> plan) : plan_(std::move(plan)) {}
FeatureExtractor::~FeatureExtractor() = default;
FeatureExtractor::FeatureExtractor(FeatureExtractor&&) noexcept = default;
FeatureExtractor& FeatureExtractor::operator=(FeatureExtractor&&) noexcept = default;

Result<FeatureExtractor> FeatureExtractor::make(const FeatureOptions& options) {
  if (options.degree != 1 && options.degree != 2)
    return fail("the degree of the features is 1 or 2, not {}", options.degree);
  const std::string name = options.template_name.empty() ? "template" : options.template_name;
  FeaturePlan plan;
  if (options.attributes) {
    if (!options.template_text.empty())
      return fail("{}: a template looks at columns, but this format has ready-made attributes", name);
    plan.transitions = true;
  } else if (options.feature_columns.empty()) {
    return fail("there is no column besides the label to take features from");
  } else if (options.template_text.empty()) {
    plan = default_features(options.feature_columns);
  } else {
    ESPALIER_ASSIGN(plan,
                    parse_templates(options.template_text, name, options.feature_columns, options.bytes));
  }
  if (options.attributes && !options.lists.empty())
    return fail("{}: lexicons and word classes look at words, but this format has ready-made attributes",
                options.lists.front().name);
  ESPALIER_ASSIGN(auto lists, parse_word_lists(options.lists));
  if (!lists->empty())
    add_list_features(*lists, options.feature_columns.front(), options.labels_column, plan);
  const size_t word_column = options.feature_columns.empty() ? 0 : options.feature_columns.front();
  return FeatureExtractor(std::make_unique<const Plan>(std::move(plan), options.degree, options.attributes,
                                                       std::move(lists), word_column));
}

void FeatureExtractor::extract(const Sequence& sequence, Scratch& scratch, HashedFeatures& out) const {
  Scratch::Buffers& buffers = *scratch.buffers;
  HashedFeatures& single = plan_->degree == 2 ? buffers.single : out;
  if (plan_->attributes) {
    extract_attributes(sequence, single);
  } else {
    plan_->views.fill(sequence, buffers.table);
    plan_->state.run_all(sequence, buffers.table, 0, single.state_begin, single.state);
    // The first position has no label before it, hence no edge.
    plan_->edge.run_all(sequence, buffers.table, 1, single.edge_begin, single.edge);
    single.state_values.clear();
  }
  if (plan_->degree == 2) {
    add_pairs(single, out);
    out.edge_begin = single.edge_begin;
    out.edge = single.edge;
  }
}

std::span<const FeatureGroup> FeatureExtractor::groups() const { return plan_->groups.groups(); }

void FeatureExtractor::extract_grouped(const Sequence& sequence, Scratch& scratch,
                                       GroupedFeatures& out) const {
  ESPALIER_CHECK(!groups().empty());
  plan_->groups.extract(sequence, scratch.buffers->grouped, out);
}

void FeatureExtractor::extract_group(const Sequence& sequence, size_t group, size_t anchor, Scratch& scratch,
                                     HashedFeatures& out) const {
  plan_->groups.extract_group(sequence, group, anchor, scratch.buffers->grouped, out);
}

bool FeatureExtractor::has_transitions() const { return plan_->features.transitions; }
bool FeatureExtractor::has_edge_features() const { return plan_->edge.capacity() > 0; }

std::string FeatureExtractor::state_name(const Sequence& sequence, size_t row, size_t slot) const {
  FeatureNames names(*this);
  names.move_to(sequence, row);
  return names.state_name(slot);
}

std::string FeatureExtractor::edge_name(const Sequence& sequence, size_t row, size_t slot) const {
  FeatureNames names(*this);
  names.move_to(sequence, row);
  TextBuffer name;
  names.append_edge(slot, name);
  return std::string(name.view());
}

struct FeatureNames::Position {
  const FeatureExtractor::Plan& plan;
  const Sequence* sequence = nullptr;
  size_t row = 0;
  FeatureProgram::Walk state, edge;
  // The names of the single features, one after another, for names of pairs.
  bool singles_known = false;
  TextBuffer singles;
  std::vector<size_t> single_end;
  std::vector<uint32_t> by_name, rank;  ///< the single features in the order of their names, and its inverse
  size_t near = 0;                      ///< for pair_at

  bool append_single(size_t slot, TextBuffer& out) {
    if (!plan.attributes) return plan.state.append_name(plan.views, *sequence, row, slot, state, out);
    if (slot >= sequence->attribute_count(row)) return false;
    out.append(sequence->attribute(row, slot).name);
    return true;
  }
  std::string_view single(size_t slot) const {
    const size_t begin = slot == 0 ? 0 : single_end[slot - 1];
    return singles.view().substr(begin, single_end[slot] - begin);
  }
  void name_singles() {
    singles.clear();
    single_end.clear();
    while (append_single(single_end.size(), singles)) single_end.push_back(singles.size());
    by_name.resize(single_end.size());
    rank.resize(single_end.size());
    std::iota(by_name.begin(), by_name.end(), 0U);
    std::sort(by_name.begin(), by_name.end(), [&](uint32_t a, uint32_t b) { return single(a) < single(b); });
    for (uint32_t i = 0; i < by_name.size(); ++i) rank[by_name[i]] = i;
    singles_known = true;
  }
};

FeatureNames::FeatureNames(const FeatureExtractor& extractor)
    : position_(new Position{*extractor.plan_, nullptr, 0, {}, {}, false, {}, {}, {}, {}, 0}) {}
FeatureNames::~FeatureNames() = default;
FeatureNames::FeatureNames(FeatureNames&&) noexcept = default;
FeatureNames& FeatureNames::operator=(FeatureNames&&) noexcept = default;

void FeatureNames::move_to(const Sequence& sequence, size_t row) {
  ESPALIER_CHECK(row < sequence.length());
  Position& p = *position_;
  p.sequence = &sequence;
  p.row = row;
  p.state.clear();
  p.edge.clear();
  p.singles_known = false;
}

void FeatureNames::append_state(size_t slot, TextBuffer& out) {
  Position& p = *position_;
  ESPALIER_CHECK(p.sequence != nullptr);
  if (p.plan.degree == 1) {
    ESPALIER_CHECK(p.append_single(slot, out));
    return;
  }
  if (!p.singles_known) p.name_singles();
  const size_t n = p.single_end.size();
  if (slot < n) {
    out.append(p.single(slot));
    return;
  }
  const PairOfSlots pair = pair_at(n, slot - n, p.near);
  // A pair is the same feature in either order, so its name must be too.
  const bool in_order = p.rank[pair.first] < p.rank[pair.second];
  out.append(p.single(in_order ? pair.first : pair.second));
  out.append('^');
  out.append(p.single(in_order ? pair.second : pair.first));
}

std::string FeatureNames::state_name(size_t slot) {
  TextBuffer name;
  append_state(slot, name);
  return std::string(name.view());
}

void FeatureNames::append_edge(size_t slot, TextBuffer& out) {
  Position& p = *position_;
  ESPALIER_CHECK(p.sequence != nullptr && p.row > 0);
  ESPALIER_CHECK(p.plan.edge.append_name(p.plan.views, *p.sequence, p.row, slot, p.edge, out));
}

}  // namespace espalier::data
