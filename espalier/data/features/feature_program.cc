#include "espalier/data/features/feature_program.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace espalier::data {
namespace {

// Wapiti gives rows outside the sequence different names only up to this distance; all farther rows share a
// name. Absolute rows can be anywhere and are clipped to this distance.
constexpr size_t kSharedDistance = 5;

// How the feature is computed; slots are ordered by this.
enum class Sort { kConstant, kOne, kTwo, kThree, kOneOrNone, kGeneral };

Sort sort_of(const Template& feature, const FeaturePlan& plan) {
  bool regular = true, optional = false;
  for (const Reference& reference : feature.references) {
    regular &= reference.origin == Origin::kHere;
    optional |= may_be_absent(plan.views[reference.view]);
  }
  const size_t count = feature.references.size();
  if (count == 0) return Sort::kConstant;
  if (!regular || count > 3 || (optional && count > 1)) return Sort::kGeneral;
  if (count == 1) return optional ? Sort::kOneOrNone : Sort::kOne;
  return count == 2 ? Sort::kTwo : Sort::kThree;
}

}  // namespace

bool is_regular(const Template& feature, const FeaturePlan& plan) {
  return sort_of(feature, plan) != Sort::kGeneral;
}

// The literals decide which templates share features. A zero byte marks the place of a view's text: no
// template contains one.
uint64_t seed_of(const Template& feature) {
  std::string skeleton = feature.literals[0];
  for (size_t i = 1; i < feature.literals.size(); ++i) skeleton += '\0' + feature.literals[i];
  return hash_bytes(skeleton);
}

ptrdiff_t referenced_row(const Reference& reference, const Sequence& sequence, size_t t) {
  switch (reference.origin) {
    case Origin::kStart:
      return reference.offset;
    case Origin::kEnd:
      return static_cast<ptrdiff_t>(sequence.length()) + reference.offset;
    case Origin::kIndirect: {
      // A cell that is not a number points at the row itself.
      const std::string_view cell = sequence.cell(t, static_cast<size_t>(reference.offset));
      const bool plus = cell.starts_with('+');
      int32_t distance = 0;
      std::from_chars(cell.data() + plus, cell.data() + cell.size(), distance);
      return static_cast<ptrdiff_t>(t) + distance;
    }
    default:
      return static_cast<ptrdiff_t>(t) + reference.offset;
  }
}

size_t margin_of(const FeaturePlan& plan) {
  size_t margin = 0;
  for (const Template& feature : plan.templates) {
    for (const Reference& reference : feature.references) {
      const size_t reach = reference.origin == Origin::kHere ? static_cast<size_t>(std::abs(reference.offset))
                                                             : kSharedDistance;
      margin = std::max(margin, reach);
    }
  }
  return margin;
}

FeatureProgram::FeatureProgram(const FeaturePlan& plan, const std::vector<size_t>& chosen,
                               const TokenViews& views)
    : width_(views.width()), margin_(views.margin()), order_(chosen) {
  std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
    return sort_of(plan.templates[a], plan) < sort_of(plan.templates[b], plan);
  });
  lay_out_names(plan);
  for (const size_t index : order_) {
    const Template& feature = plan.templates[index];
    const uint64_t seed = seed_of(feature);
    certain_ += sort_of(feature, plan) < Sort::kOneOrNone;
    const auto at = [&](size_t i) {
      const Reference& reference = feature.references[i];
      return reference.offset * static_cast<int32_t>(width_) +
             static_cast<int32_t>(views.place(reference.view));
    };
    switch (sort_of(feature, plan)) {
      case Sort::kConstant:
        constant_.push_back(seed);
        break;
      case Sort::kOne:
        one_.push_back({seed, {at(0)}});
        break;
      case Sort::kTwo:
        two_.push_back({seed, {at(0), at(1)}});
        break;
      case Sort::kThree:
        three_.push_back({seed, {at(0), at(1), at(2)}});
        break;
      case Sort::kOneOrNone:
        one_or_none_.push_back({seed, {at(0)}});
        break;
      case Sort::kGeneral: {
        General general{seed, feature.references, {}};
        if (std::all_of(feature.references.begin(), feature.references.end(),
                        [](const Reference& reference) { return reference.origin == Origin::kHere; }))
          for (size_t i = 0; i < feature.references.size(); ++i) general.at.push_back(at(i));
        for (Reference& reference : general.references) reference.view = views.place(reference.view);
        general_.push_back(std::move(general));
        break;
      }
    }
  }
}

uint64_t* FeatureProgram::run(const Sequence& sequence, size_t t, const TokenViews::Table& table,
                              uint64_t* out) const {
  const uint64_t* const row = table.hashes.data() + (t + margin_) * width_;
  out = run_at(row, out);
  const auto first = -static_cast<ptrdiff_t>(margin_);
  const auto last = static_cast<ptrdiff_t>(sequence.length() + margin_) - 1;
  for (const General& general : general_) {
    uint64_t hash = general.seed;
    bool present = true;
    for (const int32_t at : general.at) {
      present &= row[at] != kAbsent;
      hash = hash_combine(hash, row[at]);
    }
    if (!general.at.empty()) {
      *out = hash;
      out += present;
      continue;
    }
    for (const Reference& reference : general.references) {
      const ptrdiff_t there = std::clamp(referenced_row(reference, sequence, t), first, last);
      const uint64_t value = table.hashes[static_cast<size_t>(there - first) * width_ + reference.view];
      present &= value != kAbsent;
      hash = hash_combine(hash, value);
    }
    *out = hash;
    out += present;
  }
  return out;
}

uint64_t* FeatureProgram::run_at(const uint64_t* row, uint64_t* out) const {
  for (const uint64_t seed : constant_) *out++ = seed;
  for (const auto& join : one_) *out++ = hash_combine(join.seed, row[join.at[0]]);
  for (const auto& join : two_)
    *out++ = hash_combine(hash_combine(join.seed, row[join.at[0]]), row[join.at[1]]);
  for (const auto& join : three_)
    *out++ = hash_combine(hash_combine(hash_combine(join.seed, row[join.at[0]]), row[join.at[1]]),
                          row[join.at[2]]);
  for (const auto& join : one_or_none_) {
    *out = hash_combine(join.seed, row[join.at[0]]);
    out += row[join.at[0]] != kAbsent;
  }
  return out;
}

void FeatureProgram::run_all(const Sequence& sequence, const TokenViews::Table& table, size_t first,
                             std::vector<uint32_t>& begin, std::vector<uint64_t>& features) const {
  const size_t length = sequence.length();
  if (capacity() == 0) {
    begin.assign(length + 1, 0);
    features.clear();
    return;
  }
  ESPALIER_CHECK(length * capacity() <= std::numeric_limits<uint32_t>::max());
  begin.resize(length + 1);
  // Grown but not cleared: old contents are overwritten, not zeroed first.
  features.resize(length * capacity());
  uint64_t* const start = features.data();
  uint64_t* out = start;
  for (size_t t = 0; t < length; ++t) {
    begin[t] = static_cast<uint32_t>(out - start);
    if (t >= first) out = run(sequence, t, table, out);
  }
  begin[length] = static_cast<uint32_t>(out - start);
  features.resize(static_cast<size_t>(out - start));
}

void FeatureProgram::lay_out_names(const FeaturePlan& plan) {
  const auto begin = [this] {
    names_.push_back({static_cast<uint32_t>(parts_.size()), static_cast<uint32_t>(texts_.size())});
  };
  for (const size_t index : order_) {
    begin();
    const Template& feature = plan.templates[index];
    for (size_t i = 0; i < feature.references.size(); ++i) {
      const Reference& reference = feature.references[i];
      texts_ += feature.literals[i];
      parts_.push_back(
          {static_cast<uint32_t>(texts_.size()), may_be_absent(plan.views[reference.view]), reference});
    }
    texts_ += feature.literals.back();
  }
  begin();
}

bool FeatureProgram::append_name(const TokenViews& views, const Sequence& sequence, size_t t, size_t slot,
                                 Walk& walk, TextBuffer& out) const {
  const auto text = [&](const Reference& reference) {
    const ptrdiff_t row = reference.origin == Origin::kHere ? static_cast<ptrdiff_t>(t) + reference.offset
                                                            : referenced_row(reference, sequence, t);
    return views.text(sequence, row, reference.view, walk.reading);
  };
  if (slot >= certain_) {
    const size_t wanted = slot - certain_;
    for (; walk.present.size() <= wanted; ++walk.next) {
      const size_t index = certain_ + walk.next;
      if (index == order_.size()) return false;
      bool present = true;
      for (size_t p = names_[index].part; p < names_[index + 1].part && present; ++p)
        present = !parts_[p].optional || text(parts_[p].reference).has_value();
      if (present) walk.present.push_back(static_cast<uint32_t>(index));
    }
    slot = walk.present[wanted];
  }
  // Put together here: the compiler cannot know that what is written to the buffer changes none of the
  // members.
  char name[256];
  size_t size = 0;
  const auto append = [&](std::string_view piece) {
    if (piece.size() > sizeof(name) - size) {
      out.append({name, size});
      size = 0;
      if (piece.size() > sizeof(name)) return out.append(piece);
    }
    copy_short(name + size, piece.data(), piece.size());
    size += piece.size();
  };
  const std::string_view texts = texts_;
  size_t from = names_[slot].text;
  for (size_t p = names_[slot].part; p < names_[slot + 1].part; ++p) {
    append(texts.substr(from, parts_[p].text_end - from));
    append(*text(parts_[p].reference));
    from = parts_[p].text_end;
  }
  append(texts.substr(from, names_[slot + 1].text - from));
  out.append({name, size});
  return true;
}

}  // namespace espalier::data
