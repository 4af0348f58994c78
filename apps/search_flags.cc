#include "apps/search_flags.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/terminal.h"

namespace espalier::apps {

std::string_view search_end_name(data::SearchEnd end) {
  switch (end) {
    case data::SearchEnd::kExact:
      return "exact";
    case data::SearchEnd::kApproximate:
      return "approximate";
    case data::SearchEnd::kOutOfSteps:
      return "out of steps";
  }
  return "";
}

void SearchTally::tell(bool all) const {
  if (sequences() == 0) return;
  if (all)
    say(fmt::format("espalier: {} searches: {} exact, {} approximate, {} out of steps", sequences(), ended[0],
                    ended[1], ended[2]));
  if (ended[2] > 0)
    say(fmt::format(
        "espalier: warning: best-first search found no end within its horizon for {} of {} sequences; a "
        "breadth-first search of the same beam decided",
        ended[2], sequences()));
}

nlohmann::ordered_json SearchTally::to_json() const {
  return {
      {"sequences", sequences()}, {"exact", ended[0]}, {"approximate", ended[1]}, {"out_of_steps", ended[2]}};
}

}  // namespace espalier::apps
