// Part of rules.h: turns statements into rules. Finds labels, expands patterns, reads lexicons and lists.
// Tested in rules_test.cc.
#include <algorithm>
#include <charconv>
#include <set>

#include "espalier/base/text/format.h"
#include "espalier/base/text/text.h"
#include "espalier/constrain/label_pattern.h"
#include "espalier/constrain/rules.h"
#include "espalier/constrain/scheme_misfit.h"
#include "espalier/data/formats/lines.h"

namespace espalier::constrain {

using data::Label;

class Resolver {
 public:
  Resolver(const std::string& file, const ConstraintScope& shape, const data::LabelSet& labels,
           const FileLoader& load)
      : file_(file), shape_(shape), labels_(labels), load_(load), size_(labels.size()) {}

  Result<Constraints> run(std::string_view text) {
    Constraints out;
    out.labels_ = size_;
    out.file_ = file_;
    ESPALIER_ASSIGN(out.statements_, parse_constraints(text, file_));
    for (size_t i = 0; i < out.statements_.size(); ++i) {
      statement_ = &out.statements_[i];
      number_ = i;
      ESPALIER_TRY(applies());
      ESPALIER_TRY(add(out.rules_));
    }
    return out;
  }

 private:
  template <typename... Args>
  Error error_at(Place place, fmt::format_string<Args...> format, Args&&... args) const {
    return fail("{}:{}:{}: {}", file_, place.line, place.column,
                fmt::format(format, std::forward<Args>(args)...));
  }

  Status applies() const {
    const Statement& s = *statement_;
    switch (s.verb) {
      case Verb::kValid:
      case Verb::kForbidPair:
      case Verb::kForbidStart:
      case Verb::kForbidEnd:
      case Verb::kRequireNext:
      case Verb::kRequireBefore:
      case Verb::kRequireStart:
      case Verb::kRequireEnd:
        if (!shape_.neighbours)
          return error_at(s.place, "the outputs of task {} are not a sequence, so '{}' does not apply",
                          shape_.name, s.text);
        return {};
      case Verb::kNoOverlap:
      case Verb::kNoEmbedding:
        if (!shape_.spans)
          return error_at(s.place, "task {} labels tokens, not candidate spans, so '{}' does not apply",
                          shape_.name, s.text);
        return {};
      case Verb::kForbidHead:
      case Verb::kForbidRoot:
        return error_at(s.place, "task {} builds no trees, so '{}' does not apply", shape_.name, s.text);
      default:
        return {};
    }
  }

  /// The labels that match the terms, with `$` bound to a value (null: the terms have no `$`).
  Result<LabelBits> bits(const LabelTerms& terms, const std::string* value, bool must_match) const {
    LabelBits out(size_, terms.any ? 1 : 0);
    for (const LabelTerm& term : terms.terms) {
      bool found = false;
      for (size_t y = 0; y < size_; ++y) {
        const std::string& name = labels_.name(static_cast<Label>(y));
        if (is_pattern(term) ? matches(term.text, name, value, nullptr) : term.text == name) {
          out[y] = 1;
          found = true;
        }
      }
      if (found || (!must_match && is_pattern(term))) continue;
      if (is_pattern(term)) return error_at(term.place, "no label matches {}", data::in_quotes(term.text));
      const std::string meant = nearest(term.text, labels_.names());
      return error_at(term.place, "there is no label {}{}", data::in_quotes(term.text),
                      meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant));
    }
    return out;
  }

  /// The values that `$` takes in the first set of labels, in the order of the labels.
  Result<std::vector<std::string>> values() const {
    std::vector<std::string> out;
    const Statement& s = *statement_;
    for (const LabelTerm& term : s.first.terms) {
      if (term.literal || term.text.find('$') == std::string::npos) continue;
      for (const std::string& name : labels_.names()) {
        std::string value;
        if (matches(term.text, name, nullptr, &value) &&
            std::find(out.begin(), out.end(), value) == out.end())
          out.push_back(value);
      }
    }
    if (out.empty()) return error_at(s.first.place, "no label matches this pattern");
    return out;
  }

  Rule base(Rule::Kind kind) const {
    Rule rule;
    rule.kind = kind;
    rule.constraint = number_;
    rule.penalty = statement_->penalty;
    return rule;
  }

  Status add(std::vector<Rule>& rules) {
    const Statement& s = *statement_;
    switch (s.verb) {
      case Verb::kValid:
        return add_scheme(rules);
      case Verb::kAllowLexicon:
      case Verb::kAllowColumn:
      case Verb::kForceColumn:
        return add_tokens(rules);
      case Verb::kAssignments:
        return add_assignments(rules);
      default:
        break;
    }
    if (!has_placeholder(s.first)) {
      if (has_placeholder(s.second))
        return error_at(s.second.place, "'$' must also occur in the first set of labels");
      return add_bound(nullptr, rules);
    }
    ESPALIER_ASSIGN(const std::vector<std::string> all, values());
    for (const std::string& value : all) ESPALIER_TRY(add_bound(&value, rules));
    return {};
  }

  Status add_bound(const std::string* value, std::vector<Rule>& rules) {
    const Statement& s = *statement_;
    LabelBits first(size_, 0), second(size_, 0);
    if (s.first.given()) {
      ESPALIER_ASSIGN(first, bits(s.first, value, value == nullptr));
    } else {  // `no overlap`: every label but the one that means nothing
      std::fill(first.begin(), first.end(), uint8_t{1});
      if (shape_.none) first[*shape_.none] = 0;
    }
    if (s.second.given()) {
      ESPALIER_ASSIGN(second, bits(s.second, value, value == nullptr));
    }
    switch (s.verb) {
      case Verb::kCount:
        return add_count(std::move(first), rules);
      case Verb::kImplies: {
        if (s.order == Order::kAnywhere)
          for (size_t y = 0; y < size_; ++y)
            if (first[y] != 0 && second[y] != 0)
              return error_at(s.second.place, "label '{}' is on both sides; say 'before' or 'after'",
                              labels_.name(static_cast<Label>(y)));
        Rule rule = base(Rule::Kind::kImplies);
        rule.order = s.order;
        rule.first = std::move(first);
        rule.second = std::move(second);
        rules.push_back(std::move(rule));
        return {};
      }
      case Verb::kNoOverlap:
      case Verb::kNoEmbedding: {
        Rule rule = base(s.verb == Verb::kNoOverlap ? Rule::Kind::kNoOverlap : Rule::Kind::kNoEmbedding);
        rule.first = std::move(first);
        rules.push_back(std::move(rule));
        return {};
      }
      default:
        add_pairs(first, second, rules);
        return {};
    }
  }

  Status add_count(LabelBits first, std::vector<Rule>& rules) const {
    const Statement& s = *statement_;
    const auto push = [&](LabelBits set) {
      Rule rule = base(Rule::Kind::kCount);
      rule.least = s.least;
      rule.most = s.most;
      rule.first = std::move(set);
      rules.push_back(std::move(rule));
    };
    if (shape_.length && s.least > *shape_.length)
      return error_at(s.place, "at least {} outputs are impossible: every instance has {}", s.least,
                      *shape_.length);
    if (!s.each) {
      push(std::move(first));
      return {};
    }
    for (size_t y = 0; y < size_; ++y) {
      if (first[y] == 0) continue;
      LabelBits one(size_, 0);
      one[y] = 1;
      push(std::move(one));
    }
    return {};
  }

  void add_pairs(const LabelBits& first, const LabelBits& second, std::vector<Rule>& rules) const {
    const Verb verb = statement_->verb;
    const size_t width = size_ + 1, edge = size_;
    Rule rule = base(Rule::Kind::kPairs);
    rule.broken.assign(width * width, 0);
    const auto mark = [&](size_t before, size_t after) { rule.broken[before * width + after] = 1; };
    for (size_t y = 0; y < size_; ++y) {
      const bool in = first[y] != 0;
      if ((verb == Verb::kForbidStart && in) || (verb == Verb::kRequireStart && !in)) mark(edge, y);
      if ((verb == Verb::kForbidEnd && in) || (verb == Verb::kRequireEnd && !in)) mark(y, edge);
      if (!in) continue;
      if (verb == Verb::kRequireNext) mark(y, edge);
      if (verb == Verb::kRequireBefore) mark(edge, y);
      for (size_t z = 0; z < size_; ++z) {
        if (verb == Verb::kForbidPair && second[z] != 0) mark(y, z);
        if (verb == Verb::kRequireNext && second[z] == 0) mark(y, z);
        if (verb == Verb::kRequireBefore && second[z] == 0) mark(z, y);
      }
    }
    rules.push_back(std::move(rule));
  }

  Status add_scheme(std::vector<Rule>& rules) const {
    const Statement& s = *statement_;
    const size_t width = size_ + 1;
    Rule rule = base(Rule::Kind::kPairs);
    rule.broken.assign(width * width, 0);
    std::vector<std::optional<data::LabelParts>> parts(width);
    const std::string prefixes = "O" + std::string(data::scheme_prefixes(s.scheme));
    for (size_t y = 0; y < size_; ++y) {
      const std::string& name = labels_.name(static_cast<Label>(y));
      parts[y] = data::parse_label(name);
      if (!parts[y])
        return error_at(s.place,
                        "label '{}' is neither O nor a prefix and a type such as B-X, so no scheme applies",
                        name);
      if (prefixes.find(parts[y]->prefix) == std::string_view::npos)
        return error_at(s.place, "label '{}' does not belong to the scheme {}", name,
                        data::scheme_name(s.scheme));
    }
    for (size_t before = 0; before < width; ++before)
      for (size_t after = 0; after < width; ++after)
        if (before < size_ || after < size_)
          rule.broken[before * width + after] =
              legal_neighbours(s.scheme, parts[before], parts[after]) ? 0 : 1;
    if (const std::string misfit = scheme_misfit(labels_, s.scheme, prefixes, rule.broken); !misfit.empty())
      return error_at(s.place, "{}", misfit);
    rules.push_back(std::move(rule));
    return {};
  }

  Result<size_t> column() const {
    const Statement& s = *statement_;
    const auto named = std::find(shape_.names.begin(), shape_.names.end(), s.column);
    if (named != shape_.names.end()) return static_cast<size_t>(named - shape_.names.begin());
    size_t number = 0;
    const auto [end, problem] = std::from_chars(s.column.data(), s.column.data() + s.column.size(), number);
    const bool is_number = problem == std::errc() && end == s.column.data() + s.column.size();
    if (is_number && number >= 1 && number <= shape_.columns) return number - 1;
    const std::string what =
        shape_.names.empty() ? fmt::format("columns 1 to {}", shape_.columns) : joined(shape_.names, ", ");
    if (shape_.columns == 0 && shape_.names.empty())
      return error_at(s.argument, "rows of this data have no columns");
    return error_at(s.argument, "there is no column '{}'; there are {}", s.column, what);
  }

  Status add_tokens(std::vector<Rule>& rules) const {
    const Statement& s = *statement_;
    Rule rule = base(Rule::Kind::kTokens);
    ESPALIER_ASSIGN(rule.column, column());
    rule.first.assign(size_, 1);
    if (s.first.given()) {
      ESPALIER_ASSIGN(rule.first, bits(s.first, nullptr, true));
    }
    if (s.verb == Verb::kAllowLexicon) {
      rule.source = Rule::Source::kLexicon;
      ESPALIER_TRY(read_lexicon(rule));
    } else {
      rule.source = s.verb == Verb::kForceColumn ? Rule::Source::kForce : Rule::Source::kColumn;
      for (size_t y = 0; y < size_; ++y) {
        LabelBits one(size_, 0);
        one[y] = 1;
        rule.lexicon.emplace(labels_.name(static_cast<Label>(y)), std::move(one));
      }
    }
    rules.push_back(std::move(rule));
    return {};
  }

  /// Reads lines of key, tab, labels separated by spaces; text after a second tab is a comment.
  Status read_lexicon(Rule& rule) const {
    const Statement& s = *statement_;
    const auto text = load_(s.file);
    if (!text.ok()) return error_at(s.argument, "lexicon: {}", text.error().message);
    std::string_view rest = *text;
    size_t line_number = 0, known = 0;
    while (!rest.empty()) {
      const std::string_view line = data::take_line(rest);
      ++line_number;
      if (line.empty()) continue;
      const size_t tab = line.find('\t');
      if (tab == std::string_view::npos || tab == 0)
        return fail("{}:{}: expected a word, a tab and labels", s.file, line_number);
      std::string_view allowed = line.substr(tab + 1);
      allowed = allowed.substr(0, std::min(allowed.find('\t'), allowed.size()));
      LabelBits set(size_, 0);
      size_t here = 0;
      while (!allowed.empty()) {
        const size_t stop = std::min(allowed.find(' '), allowed.size());
        if (const auto label = labels_.find(allowed.substr(0, stop))) {
          set[*label] = 1;
          ++here;
        }
        allowed.remove_prefix(std::min(stop + 1, allowed.size()));
      }
      known += here;
      // Labels that the model does not have are ignored. A word without any other label is left
      // unconstrained, unless the constraint is about some labels only: then it may have none of these.
      if (here == 0 && !s.first.given()) continue;
      LabelBits& entry = rule.lexicon[std::string(line.substr(0, tab))];
      entry.resize(size_, 0);
      for (size_t y = 0; y < size_; ++y) entry[y] |= set[y];
    }
    if (known == 0) return error_at(s.argument, "lexicon '{}' has none of the labels of the model", s.file);
    return {};
  }

  Status add_assignments(std::vector<Rule>& rules) const {
    const Statement& s = *statement_;
    const auto text = load_(s.file);
    if (!text.ok()) return error_at(s.argument, "assignments: {}", text.error().message);
    Rule rule = base(Rule::Kind::kAssignments);
    std::string_view rest = *text;
    size_t line_number = 0;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      ++line_number;
      std::vector<Label> assignment;
      while (!line.empty()) {
        const size_t stop = std::min(line.find_first_of(" \t\r"), line.size());
        if (stop > 0) {
          const auto label = labels_.find(line.substr(0, stop));
          if (!label) return fail("{}:{}: there is no label '{}'", s.file, line_number, line.substr(0, stop));
          assignment.push_back(*label);
        }
        line.remove_prefix(std::min(stop + 1, line.size()));
      }
      if (assignment.empty()) continue;
      if (shape_.length && assignment.size() != *shape_.length)
        return fail("{}:{}: {} labels where every instance has {}", s.file, line_number, assignment.size(),
                    *shape_.length);
      rule.assignments.push_back(std::move(assignment));
    }
    if (rule.assignments.empty()) return error_at(s.argument, "'{}' lists no assignment", s.file);
    rules.push_back(std::move(rule));
    return {};
  }

  const std::string& file_;
  const ConstraintScope& shape_;
  const data::LabelSet& labels_;
  const FileLoader& load_;
  size_t size_;
  const Statement* statement_ = nullptr;
  size_t number_ = 0;
};

Result<Constraints> Constraints::resolve(std::string_view text, const std::string& file_name,
                                         const ConstraintScope& shape, const data::LabelSet& labels,
                                         const FileLoader& load) {
  return Resolver(file_name, shape, labels, load).run(text);
}

}  // namespace espalier::constrain
