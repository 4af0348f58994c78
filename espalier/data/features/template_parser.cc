#include "espalier/data/features/template_parser.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "espalier/base/text/text.h"

namespace espalier::data {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

std::string_view trim_end(std::string_view line) {
  while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
  return line;
}

// Everything up to a '#' that is not inside a quoted pattern.
std::string_view without_comment(std::string_view line) {
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '\\')
      ++i;
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == '#' && !quoted)
      return line.substr(0, i);
  }
  return line;
}

// Only in Wapiti: the commands X, t, T, m and M, and rows that start with @ or *.
bool uses_wapiti_commands(std::string_view line) {
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    if (line[i] != '%') continue;
    if (std::string_view("XtTmM").find(line[i + 1]) != std::string_view::npos) return true;
    if (line[i + 1] == 'x' && i + 3 < line.size() && line[i + 2] == '[' &&
        (line[i + 3] == '@' || line[i + 3] == '*'))
      return true;
  }
  return false;
}

std::string list_columns(std::span<const size_t> columns) {
  std::string list;
  for (size_t i = 0; i < columns.size(); ++i) list += fmt::format("{}{}", i == 0 ? "" : ", ", columns[i]);
  return list;
}

/// Reads one line into a template. Errors come without file and line; the caller knows those.
class LineParser {
 public:
  LineParser(std::string_view line, bool wapiti, bool bytes, std::span<const size_t> columns,
             FeaturePlan& plan)
      : line_(line), wapiti_(wapiti), bytes_(bytes), columns_(columns), plan_(plan) {}

  Result<Template> parse() {
    Template result;
    while (at_ < line_.size()) {
      if (line_[at_] != '%') {
        result.literals.back() += line_[at_++];
        continue;
      }
      ESPALIER_ASSIGN(const Reference reference, macro());
      result.references.push_back(reference);
      result.literals.emplace_back();
    }
    // Wapiti ignores the case of the first letter of a line.
    if (wapiti_) result.literals[0][0] = ascii_lower(result.literals[0][0]);
    return result;
  }

 private:
  // %c[row,column] or %c["row,column,"pattern"], `at_` on the percent sign.
  Result<Reference> macro() {
    start_ = at_++;
    const char command = at_ < line_.size() ? line_[at_] : '\0';
    const char kind = ascii_lower(command);
    if (kind != 'x' && kind != 't' && kind != 'm')
      return fail("'%' must start %x[row,column]{}, found '{}'",
                  wapiti_ ? ", %t[row,column,\"pattern\"] or %m[row,column,\"pattern\"]" : "",
                  line_.substr(start_, 2));
    ++at_;
    ESPALIER_TRY(expect('[', "after the command"));

    Reference reference;
    if (peek() == '@') reference.origin = Origin::kStart;
    if (peek() == '*') reference.origin = Origin::kIndirect;
    if (reference.origin != Origin::kHere) ++at_;
    ESPALIER_ASSIGN(const int row, number("row"));
    ESPALIER_TRY(place(row, reference));
    ESPALIER_TRY(expect(',', "between row and column"));
    ESPALIER_ASSIGN(const int column, number("column"));
    ESPALIER_TRY(check_column(column));

    View view{.outside = wapiti_ ? Outside::kWapiti : Outside::kCrfpp, .column = static_cast<size_t>(column)};
    view.bytes = bytes_;
    if (kind == 'x') {
      view.kind = command == 'X' ? ViewKind::kLower : ViewKind::kText;
    } else {
      view.kind = kind == 't' ? ViewKind::kTest : command == 'M' ? ViewKind::kMatchLower : ViewKind::kMatch;
      ESPALIER_TRY(expect(',', "before the pattern"));
      ESPALIER_ASSIGN(view.pattern, quoted_pattern());
    }
    ESPALIER_TRY(expect(']', "at the end of the command"));
    reference.view = plan_.view_index(view);
    return reference;
  }

  // Wapiti counts absolute rows from 1 (@1 is the first, @-1 the last, @0 the row before the first).
  Status place(int row, Reference& reference) {
    switch (reference.origin) {
      case Origin::kStart:
        if (row < 0) reference.origin = Origin::kEnd;
        reference.offset = row < 0 ? row : row - 1;
        return {};
      case Origin::kIndirect:
        reference.offset = row;
        return check_column(row);
      default:
        if (row < -kMaxOffset || row > kMaxOffset)
          return fail("row {} in '{}' is too far away; rows go from -{} to {}", row, so_far(), kMaxOffset,
                      kMaxOffset);
        reference.offset = row;
        return {};
    }
  }

  Status check_column(int column) const {
    if (column >= 0 &&
        std::find(columns_.begin(), columns_.end(), static_cast<size_t>(column)) != columns_.end())
      return {};
    return fail("'{}' names column {}, which is not there to look at; there {} {}", so_far(), column,
                columns_.size() == 1 ? "is only column" : "are columns", list_columns(columns_));
  }

  Result<size_t> quoted_pattern() {
    ESPALIER_TRY(expect('"', "before the pattern"));
    const size_t begin = at_;
    while (at_ < line_.size() && line_[at_] != '"')
      at_ += line_[at_] == '\\' && at_ + 1 < line_.size() ? 2 : 1;
    if (at_ >= line_.size()) return fail("the pattern in '{}' has no closing quote", so_far());
    const std::string_view expression = line_.substr(begin, at_++ - begin);
    for (size_t i = 0; i < plan_.patterns.size(); ++i)
      if (plan_.patterns[i].expression() == expression) return i;
    ESPALIER_ASSIGN(Pattern pattern, Pattern::compile(expression, bytes_));
    plan_.patterns.push_back(std::move(pattern));
    return plan_.patterns.size() - 1;
  }

  Result<int> number(std::string_view what) {
    skip_spaces();
    const bool plus = peek() == '+';
    const char* const first = line_.data() + at_ + plus;
    int value = 0;
    const auto [end, problem] = std::from_chars(first, line_.data() + line_.size(), value);
    if (problem != std::errc{} || (plus && *first == '-'))
      return fail("'{}' should go on with the number of a {}", so_far(), what);
    at_ = static_cast<size_t>(end - line_.data());
    skip_spaces();
    return value;
  }

  Status expect(char wanted, std::string_view where) {
    if (peek() != wanted) {
      if (at_ >= line_.size()) return fail("'{}' ends where '{}' was expected {}", so_far(), wanted, where);
      return fail("'{}' is followed by '{}'; expected '{}' {}", so_far(), line_[at_], wanted, where);
    }
    ++at_;
    return {};
  }

  char peek() const { return at_ < line_.size() ? line_[at_] : '\0'; }
  void skip_spaces() {
    while (at_ < line_.size() && is_space(line_[at_])) ++at_;
  }
  std::string_view so_far() const { return line_.substr(start_, at_ - start_); }

  std::string_view line_;
  bool wapiti_;
  bool bytes_;
  std::span<const size_t> columns_;
  FeaturePlan& plan_;
  size_t at_ = 0;
  size_t start_ = 0;
};

}  // namespace

Result<FeaturePlan> parse_templates(std::string_view text, std::string_view name,
                                    std::span<const size_t> columns, bool bytes) {
  FeaturePlan plan;
  size_t number = 0;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trim_end(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line[0] == '#') continue;

    const char type = ascii_lower(line[0]);
    if (type != 'u' && type != 'b' && type != '*')
      return fail("{}:{}: a template line starts with U, B, u, b, * or #, found '{}'", name, number, line);
    const bool wapiti = !is_upper(line[0]) || uses_wapiti_commands(line);
    if (wapiti) line = trim_end(without_comment(line));

    auto parsed = LineParser(line, wapiti, bytes, columns, plan).parse();
    if (!parsed.ok()) return fail("{}:{}: {}", name, number, parsed.error().message);
    Template& feature = *parsed;
    plan.transitions |= type != 'u';
    feature.state = type != 'b';
    // Without a macro an edge feature is the same everywhere: that is the plain label bigram.
    feature.edge = type != 'u' && !feature.references.empty();
    if (feature.state || feature.edge) plan.templates.push_back(std::move(feature));
  }
  if (plan.templates.empty() && !plan.transitions) return fail("{}: the template has no U or B line", name);
  return plan;
}

}  // namespace espalier::data
