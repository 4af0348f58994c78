#include "espalier/data/features/default_features.h"

#include <charconv>
#include <string_view>
#include <vector>

namespace espalier::data {
namespace {

// Views of the word:
//   w     the word                       low    the word in lower case
//   cased the word, where it differs from its lower case (for the rest, low says the same)
//   preN  sufN  the first and last N characters in lower case, where there are that many
//   shape short characters replaced by their class; the same with runs collapsed
//   digit hyphen caps capital            a digit, an inner hyphen, all capitals, a capital first
//   longN at least N characters          outside  no such row: before the start or after the end
constexpr std::string_view kWordFeatures[] = {
    // No view at all: a bias for each label.
    "",
    // The words around. Case is a separate feature, so that rare capitalised forms share the weights of their
    // lower case.
    "low[-2]",
    "low[-1]",
    "low[0]",
    "low[1]",
    "low[2]",
    "cased[-2]",
    "cased[-1]",
    "cased[0]",
    "cased[1]",
    "cased[2]",
    "w[-1] w[0]",
    "w[0] w[1]",
    "w[-1] w[1]",
    // Affixes.
    "pre1[0]",
    "pre2[0]",
    "pre3[0]",
    "pre4[0]",
    "pre5[0]",
    "suf1[0]",
    "suf2[0]",
    "suf3[0]",
    "suf4[0]",
    "suf5[0]",
    "pre2[-1]",
    "pre3[-1]",
    "suf2[-1]",
    "suf3[-1]",
    "pre2[1]",
    "pre3[1]",
    "suf2[1]",
    "suf3[1]",
    // Shapes.
    "shape[-1]",
    "shape[0]",
    "shape[1]",
    "short[-1]",
    "short[0]",
    "short[1]",
    "short[-1] short[0]",
    "short[0] short[1]",
    "low[0] short[0]",
    // Flags.
    "digit[0]",
    "hyphen[0]",
    "caps[0]",
    "capital[0] outside[-1]",
    "long12[0]",
};

// Features of every further column; x stands for its symbol.
constexpr std::string_view kSymbolFeatures[] = {
    "x[-3]",
    "x[-2]",
    "x[-1]",
    "x[0]",
    "x[1]",
    "x[2]",
    "x[3]",
    "x[-2] x[-1]",
    "x[-1] x[0]",
    "x[0] x[1]",
    "x[1] x[2]",
    "x[-1] x[1]",
    "x[-2] x[-1] x[0]",
    "x[-1] x[0] x[1]",
    "x[0] x[1] x[2]",
    "x[0] low[0]",
    "x[-1] low[0]",
    "low[0] x[1]",
};

struct NamedView {
  std::string_view name;  ///< a trailing '#' stands for a number
  ViewKind kind;
  Outside outside;
};

constexpr NamedView kViews[] = {
    {"w", ViewKind::kText, Outside::kCrfpp},
    {"low", ViewKind::kLower, Outside::kCrfpp},
    {"cased", ViewKind::kCased, Outside::kNothing},
    {"pre#", ViewKind::kPrefix, Outside::kNothing},
    {"suf#", ViewKind::kSuffix, Outside::kNothing},
    {"shape", ViewKind::kShape, Outside::kCrfpp},
    {"short", ViewKind::kShortShape, Outside::kCrfpp},
    {"digit", ViewKind::kDigit, Outside::kNothing},
    {"hyphen", ViewKind::kHyphen, Outside::kNothing},
    {"caps", ViewKind::kAllCaps, Outside::kNothing},
    {"capital", ViewKind::kCapital, Outside::kNothing},
    {"long#", ViewKind::kLong, Outside::kNothing},
    {"outside", ViewKind::kOutside, Outside::kNothing},
    {"x", ViewKind::kText, Outside::kCrfpp},
};

size_t number_in(std::string_view digits) {
  size_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// `column` is where x looks; all other views look at the word.
View find_view(std::string_view name, size_t word, size_t column) {
  for (const NamedView& known : kViews) {
    const bool sized = known.name.back() == '#';
    const std::string_view stem = known.name.substr(0, known.name.size() - sized);
    if (sized ? !name.starts_with(stem) : name != stem) continue;
    return {.kind = known.kind,
            .outside = known.outside,
            .column = stem == "x" ? column : word,
            .size = sized ? number_in(name.substr(stem.size())) : 0};
  }
  throw ContractViolation(fmt::format("the default features name an unknown view '{}'", name));
}

/// One feature of the tables above, with the column that x stands for.
struct Line {
  std::string_view text;
  size_t column;
};

std::vector<Line> lines_for(std::span<const size_t> columns) {
  std::vector<Line> lines;
  for (const std::string_view text : kWordFeatures) lines.push_back({text, columns[0]});
  for (const size_t column : columns.subspan(1))
    for (const std::string_view text : kSymbolFeatures) lines.push_back({text, column});
  return lines;
}

/// Calls use(name, offset) for each view that a line joins.
template <typename Use>
void for_each_view(std::string_view line, Use use) {
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    const std::string_view item = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    const size_t bracket = item.find('[');
    ESPALIER_CHECK(bracket != std::string_view::npos && item.back() == ']');
    int offset = 0;
    std::from_chars(item.data() + bracket + 1, item.data() + item.size() - 1, offset);
    use(item.substr(0, bracket), offset);
  }
}

std::string template_name(const Line& line) {
  std::string text;
  for_each_view(line.text, [&](std::string_view name, int offset) {
    if (!text.empty()) text += "|";
    text += name == "x" ? fmt::format("x{}[{}]", line.column, offset) : fmt::format("{}[{}]", name, offset);
  });
  return text.empty() ? "bias" : text;
}

}  // namespace

FeaturePlan default_features(std::span<const size_t> columns) {
  ESPALIER_CHECK(!columns.empty());
  FeaturePlan plan;
  plan.transitions = true;
  for (const Line& line : lines_for(columns)) {
    Template feature;
    feature.state = true;
    feature.literals[0] = template_name(line);
    for_each_view(line.text, [&](std::string_view name, int offset) {
      feature.literals.back() += feature.references.empty() ? "=" : "|";
      const size_t view = plan.view_index(find_view(name, columns[0], line.column));
      feature.references.push_back({view, Origin::kHere, offset});
      feature.literals.emplace_back();
    });
    plan.templates.push_back(std::move(feature));
  }
  return plan;
}

}  // namespace espalier::data
