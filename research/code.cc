#include "research/code.h"

#include <algorithm>

#include "espalier/base/hash.h"
#include "espalier/base/result.h"

#include <fmt/format.h>

namespace espalier::research {

namespace {

/// What every experiment uses.
constexpr std::string_view kAll[] = {"espalier/base", "espalier/eval", "research"};
/// What training and tagging through the public API use.
constexpr std::string_view kTraining[] = {
    "espalier/api",    "espalier/cascade", "espalier/chain",   "espalier/constrain", "espalier/data",
    "espalier/linear", "espalier/model",   "espalier/program", "espalier/search",    "espalier/tasks"};

void add(std::span<const std::string_view> some, std::vector<std::string_view>& to) {
  to.insert(to.end(), some.begin(), some.end());
}

}  // namespace

std::vector<std::string_view> parts_of(std::string_view experiment) {
  std::vector<std::string_view> parts;
  add(kAll, parts);
  const auto is_of = [&](std::string_view paper) { return experiment.starts_with(paper); };
  const bool artificial = is_of("ensemble-ads") || experiment == "ensemble-speed";
  if (is_of("searn-") || experiment == "beam-width") {
    add(kTraining, parts);
    parts.push_back("research/searn");
  } else if (is_of("beam-")) {
    for (const std::string_view part : {"espalier/program", "espalier/search", "research/beam"})
      parts.push_back(part);
  } else if (is_of("constrained-")) {
    add(kTraining, parts);
    parts.push_back("research/constrained");
  } else if (is_of("cascade-")) {
    for (const std::string_view part : {"espalier/cascade", "espalier/chain", "espalier/data",
                                        "espalier/linear", "espalier/model", "research/cascade"})
      parts.push_back(part);
  } else {
    ESPALIER_CHECK(is_of("ensemble-"));
    parts.push_back("espalier/ensemble");
    parts.push_back("research/ensemble");
    if (artificial)
      parts.push_back("espalier/data");
    else
      add(kTraining, parts);
  }
  return parts;
}

std::string code_of(std::string_view experiment, std::span<const CodePart> parts) {
  std::string text;
  for (const std::string_view name : parts_of(experiment)) {
    const auto part =
        std::find_if(parts.begin(), parts.end(), [&](const CodePart& one) { return one.name == name; });
    ESPALIER_CHECK(part != parts.end());
    text += part->hash;
  }
  return fmt::format("{:016x}", hash_bytes(text));
}

}  // namespace espalier::research
