#include "espalier/data/features/feature_lookup.h"

#include <algorithm>

#include "espalier/base/text/text.h"
#include "espalier/data/features/feature_program.h"
#include "espalier/data/features/template_parser.h"
#include "espalier/data/features/token_views.h"

namespace espalier::data {
namespace {

std::string_view without_trailing_blanks(std::string_view text) {
  const size_t last = text.find_last_not_of(" \t\r\f\v");
  return text.substr(0, last == text.npos ? 0 : last + 1);
}

/// Whether a view can give this text.
bool can_give(const View& view, std::string_view text) {
  switch (view.kind) {
    case ViewKind::kTest:
      return text == "true" || text == "false";
    case ViewKind::kMatch:
    case ViewKind::kMatchLower:
      return text.find_first_of(" \t") == text.npos;
    default:
      return !text.empty() && text.find_first_of(" \t") == text.npos;
  }
}

/// Finds all texts of a template's views that make up a name.
class NameSplitter {
 public:
  NameSplitter(const FeaturePlan& plan, const Template& line, std::string_view name, size_t& steps,
               std::vector<uint64_t>& hashes)
      : plan_(plan), line_(line), name_(name), steps_(steps), hashes_(hashes) {}

  void run() {
    if (name_.starts_with(line_.literals[0])) split(0, line_.literals[0].size(), seed_of(line_));
  }

 private:
  void split(size_t reference, size_t at, uint64_t hash) {
    if (reference == line_.references.size()) {
      if (at == name_.size()) hashes_.push_back(hash);
      return;
    }
    const std::string& after = line_.literals[reference + 1];
    const bool last = reference + 1 == line_.references.size();
    if (name_.size() < at + after.size()) return;
    // The text after the last macro is at the end of the name.
    size_t end = last ? name_.size() - after.size() : at;
    for (; steps_ > 0; ++end) {
      --steps_;
      end = name_.find(after, end);
      if (end == name_.npos) return;
      const std::string_view text = name_.substr(at, end - at);
      if (can_give(plan_.views[line_.references[reference].view], text))
        split(reference + 1, end + after.size(), hash_combine(hash, view_hash(text)));
    }
  }

  const FeaturePlan& plan_;
  const Template& line_;
  std::string_view name_;
  size_t& steps_;
  std::vector<uint64_t>& hashes_;
};

}  // namespace

Result<FeatureLookup> FeatureLookup::make(const FeatureOptions& options) {
  FeatureLookup lookup;
  ESPALIER_ASSIGN(lookup.plan_, parse_templates(options.template_text, options.template_name,
                                                options.feature_columns, options.bytes));
  std::string_view text = options.template_text;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = without_trailing_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.find('%') != line.npos) continue;
    if (ascii_lower(line[0]) == 'b' || line[0] == '*') lookup.plain_.emplace_back(line);
  }
  return lookup;
}

Status FeatureLookup::find(std::string_view name, bool edge, std::vector<uint64_t>& hashes) const {
  constexpr size_t kMostSteps = 100'000;
  hashes.clear();
  size_t steps = kMostSteps;
  name = without_trailing_blanks(name);
  for (const Template& line : plan_.templates)
    if (edge ? line.edge : line.state) NameSplitter(plan_, line, name, steps, hashes).run();
  if (steps == 0) return fail("the feature name can be split in too many ways");
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return {};
}

size_t FeatureLookup::columns() const {
  size_t columns = 0;
  for (const View& view : plan_.views) columns = std::max(columns, view.column + 1);
  for (const Template& line : plan_.templates)
    for (const Reference& reference : line.references)
      if (reference.origin == Origin::kIndirect)
        columns = std::max(columns, static_cast<size_t>(reference.offset) + 1);
  return columns;
}

size_t FeatureLookup::plain_transitions(std::string_view name) const {
  return static_cast<size_t>(std::count(plain_.begin(), plain_.end(), without_trailing_blanks(name)));
}

}  // namespace espalier::data
