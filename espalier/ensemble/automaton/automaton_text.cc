#include "espalier/ensemble/automaton/automaton_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace espalier::ensemble {
namespace {

constexpr double kNotFinal = std::numeric_limits<double>::infinity();

/// A line's fields, separated by blanks.
struct TextLine {
  size_t number = 0;
  std::vector<std::string_view> fields;
};

std::vector<TextLine> lines_of(std::string_view text) {
  std::vector<TextLine> out;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    TextLine found{number, {}};
    while (true) {
      const size_t first = line.find_first_not_of(" \t\r");
      if (first == std::string_view::npos) break;
      line.remove_prefix(first);
      const size_t length = std::min(line.find_first_of(" \t\r"), line.size());
      found.fields.push_back(line.substr(0, length));
      line.remove_prefix(length);
    }
    if (!found.fields.empty()) out.push_back(std::move(found));
  }
  return out;
}

/// A whole number from 0, or nothing.
bool whole(std::string_view text, int& out) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  return code == std::errc() && end == text.data() + text.size() && out >= 0;
}

bool cost_of(std::string_view text, double& out) {
  if (text == "Infinity") {
    out = kNotFinal;
    return true;
  }
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  return code == std::errc() && end == text.data() + text.size() && std::isfinite(out);
}

/// States in the order in which they occur.
class StateNumbers {
 public:
  explicit StateNumbers(openfst::PlainFst& fst) : fst_(fst) {}
  int operator()(int named) {
    const auto [it, added] = numbers_.emplace(named, fst_.states);
    if (added) {
      ++fst_.states;
      fst_.final_cost.push_back(kNotFinal);
    }
    return it->second;
  }

 private:
  openfst::PlainFst& fst_;
  std::unordered_map<int, int> numbers_;
};

/// Whether transitions have an output label, too. Four fields are ambiguous: the last may be a cost.
bool has_output_labels(const std::vector<TextLine>& lines) {
  bool any = false;
  for (const TextLine& line : lines) {
    if (line.fields.size() == 3) return false;
    if (line.fields.size() == 4 && line.fields[2] != line.fields[3]) return false;
    any = any || line.fields.size() >= 4;
  }
  return any;
}

}  // namespace

bool looks_like_fst_text(std::string_view beginning) {
  const size_t first = beginning.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && beginning[first] >= '0' && beginning[first] <= '9';
}

Result<openfst::PlainFst> parse_fst_text(std::string_view text, const std::string& name) {
  const std::vector<TextLine> lines = lines_of(text);
  if (lines.empty()) return fail("{}: the automaton is empty", name);
  const bool two_labels = has_output_labels(lines);
  const size_t most = two_labels ? 5 : 4;
  int ignored = 0;
  const bool by_number = std::all_of(lines.begin(), lines.end(), [&](const TextLine& line) {
    return line.fields.size() < 3 || whole(line.fields[2], ignored);
  });
  openfst::PlainFst fst;
  StateNumbers state(fst);
  std::unordered_map<std::string_view, int> labels;
  for (const TextLine& line : lines) {
    const auto& fields = line.fields;
    const auto wrong = [&](std::string_view what, std::string_view found) {
      return fail(
          "{}:{}: {} '{}'; a transition is 'source target label [cost]', a final state 'state [cost]'", name,
          line.number, what, found);
    };
    if (fields.size() > most) return wrong("too many fields, from", fields[most]);
    int source = 0, target = 0;
    if (!whole(fields[0], source)) return wrong("not a state:", fields[0]);
    double cost = 0;
    if (fields.size() <= 2) {
      if (fields.size() == 2 && !cost_of(fields[1], cost)) return wrong("not a cost:", fields[1]);
      const int at = state(source);
      fst.final_cost[static_cast<size_t>(at)] = cost;
      continue;
    }
    if (!whole(fields[1], target)) return wrong("not a state:", fields[1]);
    if (two_labels && fields[2] != fields[3])
      return wrong("another output label than the input label: expected an acceptor, found", fields[3]);
    const size_t cost_field = two_labels ? 4 : 3;
    if (fields.size() > cost_field && !cost_of(fields[cost_field], cost))
      return wrong("not a cost:", fields[cost_field]);
    int label = 0;
    if (by_number) {
      if (!whole(fields[2], label)) return wrong("not a label:", fields[2]);
    } else {
      const auto [it, added] = labels.emplace(fields[2], static_cast<int>(labels.size()) + 1);
      label = it->second;
      if (added) {
        fst.symbols.resize(static_cast<size_t>(label) + 1);
        fst.symbols.back() = std::string(fields[2]);
      }
    }
    const int from = state(source);  // before the target: the first one is the start
    fst.arcs.push_back({from, state(target), label, cost});
  }
  fst.start = 0;
  return fst;
}

}  // namespace espalier::ensemble
