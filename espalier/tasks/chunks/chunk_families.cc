#include "espalier/tasks/chunks/chunk_families.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "espalier/base/text/format.h"

namespace espalier::tasks {

namespace {

constexpr std::string_view kBaseNames[kChunkBases] = {"word",    "low",     "stem",     "rest", "case",
                                                      "affixes", "symbols", "initials", "lists"};
constexpr std::string_view kWayNames[kChunkWays] = {"roles", "places",  "around",
                                                    "pairs", "triples", "wholes"};
constexpr std::string_view kUsualFamilies =
    "roles:stem+rest+initials+lists,around:stem,pairs:low+stem+case+symbols+initials,"
    "triples:stem+case+symbols+initials,wholes:low+stem+case+symbols+initials+lists,edges";

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

ChunkFamilies ChunkFamilies::usual() { return parse(kUsualFamilies).value(); }

ChunkFamilies ChunkFamilies::all() {
  ChunkFamilies families;
  for (auto& bases : families.bases_) bases.set();
  families.edges_ = families.before_ = true;
  return families;
}

Result<ChunkFamilies> ChunkFamilies::parse(std::string_view text) {
  ChunkFamilies families;
  if (text == "no") return families;
  const auto add = [&](const ChunkFamilies& more) {
    for (size_t w = 0; w < kChunkWays; ++w) families.bases_[w] |= more.bases_[w];
    families.edges_ |= more.edges_;
    families.before_ |= more.before_;
  };
  for (const std::string_view item : split_at(text, ',')) {
    if (item == "yes") {
      add(usual());
    } else if (item == "all") {
      add(all());
    } else if (item == "edges") {
      families.edges_ = true;
    } else if (item == "before") {
      families.before_ = true;
    } else {
      const std::string_view name = item.substr(0, item.find(':'));
      const auto* const way = std::find(std::begin(kWayNames), std::end(kWayNames), name);
      if (way == std::end(kWayNames))
        return fail(
            "unknown chunk features '{}'; wanted no, yes, all, edges, before, or one of {}, each with or "
            "without :BASE+BASE…",
            name, joined(kWayNames, ", "));
      auto& bases = families.bases_[static_cast<size_t>(way - std::begin(kWayNames))];
      if (name.size() == item.size()) {
        bases.set();
        continue;
      }
      for (const std::string_view wanted : split_at(item.substr(name.size() + 1), '+')) {
        const auto* const base = std::find(std::begin(kBaseNames), std::end(kBaseNames), wanted);
        if (base == std::end(kBaseNames))
          return fail("unknown base feature '{}' of {}; wanted one of {}", wanted, name,
                      joined(kBaseNames, ", "));
        bases.set(static_cast<size_t>(base - std::begin(kBaseNames)));
      }
    }
  }
  return families;
}

std::string ChunkFamilies::text() const {
  if (none()) return "no";
  std::vector<std::string> items;
  for (size_t w = 0; w < kChunkWays; ++w) {
    if (bases_[w].none()) continue;
    std::vector<std::string_view> bases;
    for (size_t b = 0; b < kChunkBases; ++b)
      if (bases_[w][b]) bases.push_back(kBaseNames[b]);
    items.push_back(fmt::format("{}:{}", kWayNames[w], joined(bases, "+")));
  }
  if (edges_) items.emplace_back("edges");
  if (before_) items.emplace_back("before");
  return joined(items, ",");
}

}  // namespace espalier::tasks
