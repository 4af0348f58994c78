#include "espalier/ensemble/votes/patterns.h"

namespace espalier::ensemble {
namespace {

void correctness_key(const VoteView& view, size_t i, std::string& key) {
  key.clear();
  const uint32_t slot = view.slot[i];
  key.append(reinterpret_cast<const char*>(&slot), sizeof slot);
  for (const Value value : view.item(i))
    key.push_back(value == kAbsent ? static_cast<char>(kSilentCode)
                                   : static_cast<char>(value == view.gold[i]));
}

/// Four bytes of slot (0), the groups, and last the group of the gold value.
void agreement_key(const VoteView& view, size_t i, std::vector<Value>& groups, std::string& key) {
  key.assign(sizeof(uint32_t), '\0');
  groups.clear();
  uint8_t gold = kSilentCode;
  for (const Value value : view.item(i)) {
    if (value == kAbsent) {
      key.push_back(static_cast<char>(kSilentCode));
      continue;
    }
    size_t g = 0;
    while (g < groups.size() && groups[g] != value) ++g;
    if (g == groups.size()) groups.push_back(value);
    if (value == view.gold[i]) gold = static_cast<uint8_t>(g);
    key.push_back(static_cast<char>(g));
  }
  key.push_back(static_cast<char>(gold));
}

}  // namespace

Result<std::vector<Pattern>> collect_patterns(VoteSource& source, PatternKind kind) {
  const size_t p = source.experts();
  if (p > kMostPatternExperts)
    return fail("{} experts: this method takes {} at most", p, kMostPatternExperts);
  std::unordered_map<std::string, size_t> numbers;
  std::vector<Pattern> patterns;
  std::vector<Value> groups;
  std::string key;
  size_t sequences = 0;
  ESPALIER_TRY(for_each_sequence(source, [&](const VoteView& view) {
    size_t known = 0;
    for (const Value gold : view.gold) known += gold != kAbsent;
    if (known == 0) return;
    ++sequences;
    for (size_t i = 0; i < view.items(); ++i) {
      if (view.gold[i] == kAbsent) continue;
      if (kind == PatternKind::kCorrectness)
        correctness_key(view, i, key);
      else
        agreement_key(view, i, groups, key);
      const auto [it, fresh] = numbers.try_emplace(key, patterns.size());
      if (fresh) {
        Pattern pattern;
        pattern.slot = kind == PatternKind::kCorrectness ? view.slot[i] : 0;
        pattern.codes = key.substr(sizeof(uint32_t), p);
        pattern.gold = static_cast<uint8_t>(key.back());
        patterns.push_back(std::move(pattern));
      }
      Pattern& pattern = patterns[it->second];
      pattern.weight += 1 / static_cast<double>(known);
      ++pattern.items;
    }
  }));
  if (sequences == 0) return fail("there is no sequence with gold labels to learn from");
  for (Pattern& pattern : patterns) pattern.weight /= static_cast<double>(sequences);
  return patterns;
}

}  // namespace espalier::ensemble
