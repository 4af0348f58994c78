#include "espalier/constrain/language.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "espalier/base/text/format.h"
#include "espalier/base/text/text.h"
#include "espalier/data/formats/lines.h"

namespace espalier::constrain {
namespace {

struct Token {
  enum class Kind { kWord, kQuoted, kOpen, kClose, kComma, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;
  size_t column = 1;
};

/// The statements of one line.
class LineParser {
 public:
  LineParser(std::string_view line, size_t number, const std::string& file)
      : line_(line), number_(number), file_(file) {}

  /// False for a line without a statement.
  Result<bool> parse(Statement& out);

 private:
  template <typename... Args>
  Error error_at(size_t column, fmt::format_string<Args...> format, Args&&... args) const {
    return fail("{}:{}:{}: {}", file_, number_, column, fmt::format(format, std::forward<Args>(args)...));
  }
  Status split();
  Status split_quoted(size_t& at);

  const Token& peek() const { return tokens_[next_]; }
  const Token& take() { return tokens_[next_ + 1 < tokens_.size() ? next_++ : next_]; }
  bool at_word(std::string_view word) const {
    return peek().kind == Token::Kind::kWord && peek().text == word;
  }
  bool accept(std::string_view word) {
    if (!at_word(word)) return false;
    take();
    return true;
  }
  std::string found() const {
    return peek().kind == Token::Kind::kEnd ? "the end of the line" : data::in_quotes(peek().text);
  }
  Error wanted(std::string_view what) const {
    return error_at(peek().column, "expected {}, found {}", what, found());
  }
  Status expect(std::string_view word) {
    if (!accept(word)) return wanted(fmt::format("'{}'", word));
    return {};
  }
  Place place() const { return {number_, peek().column}; }

  Result<LabelTerms> labels();
  Result<size_t> count();
  Result<std::string> text_argument(std::string_view what, Statement& out);
  Status statement(Statement& out);
  Status forbid(Statement& out);
  Status require(Statement& out);
  /// After "at": the start or the end of the sequence.
  Status edge(Verb at_start, Verb at_end, Statement& out);
  Status bound(Statement& out);
  Status implication(Statement& out);
  Status allow(Statement& out);
  Status optional_labels(Statement& out);
  Status softness(Statement& out);

  std::string_view line_;
  size_t number_;
  const std::string& file_;
  std::vector<Token> tokens_;
  size_t next_ = 0;
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

Status LineParser::split_quoted(size_t& at) {
  const size_t start = at++;
  Token token{Token::Kind::kQuoted, "", start + 1};
  while (at < line_.size() && line_[at] != '"') {
    if (line_[at] == '\\' && at + 1 < line_.size()) ++at;  // \" and \\ stand for themselves
    token.text.push_back(line_[at++]);
  }
  if (at == line_.size()) return error_at(start + 1, "this quotation mark is never closed");
  ++at;
  tokens_.push_back(std::move(token));
  return {};
}

Status LineParser::split() {
  size_t at = 0;
  while (at < line_.size()) {
    const char c = line_[at];
    if (is_space(c)) {
      ++at;
    } else if (c == '#') {
      break;
    } else if (c == '{' || c == '}' || c == ',') {
      const Token::Kind kind = c == '{'   ? Token::Kind::kOpen
                               : c == '}' ? Token::Kind::kClose
                                          : Token::Kind::kComma;
      tokens_.push_back({kind, std::string(1, c), at + 1});
      ++at;
    } else if (c == '"') {
      ESPALIER_TRY(split_quoted(at));
    } else {
      const size_t start = at;
      constexpr std::string_view kEnds = "{},\"";
      while (at < line_.size() && !is_space(line_[at]) && kEnds.find(line_[at]) == std::string_view::npos)
        ++at;
      tokens_.push_back({Token::Kind::kWord, std::string(line_.substr(start, at - start)), start + 1});
    }
  }
  tokens_.push_back({Token::Kind::kEnd, "", at + 1});
  return {};
}

Result<LabelTerms> LineParser::labels() {
  LabelTerms out;
  out.place = place();
  const auto term = [&] {
    const Token& token = take();
    return LabelTerm{token.text, token.kind == Token::Kind::kQuoted, {number_, token.column}};
  };
  const auto is_label = [&] {
    return peek().kind == Token::Kind::kWord || peek().kind == Token::Kind::kQuoted;
  };
  if (accept("any")) {
    out.any = true;
    return out;
  }
  if (is_label()) {
    out.terms.push_back(term());
    return out;
  }
  if (peek().kind != Token::Kind::kOpen) return wanted("a label, {labels} or any");
  take();
  while (peek().kind != Token::Kind::kClose) {
    if (!is_label()) return wanted("a label or '}'");
    out.terms.push_back(term());
    if (peek().kind == Token::Kind::kComma) take();
  }
  if (out.terms.empty()) return wanted("a label");
  take();
  return out;
}

Result<size_t> LineParser::count() {
  size_t value = 0;
  const std::string& text = peek().text;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr size_t kMost = 1000000;
  if (peek().kind != Token::Kind::kWord || problem != std::errc() || end != text.data() + text.size() ||
      value > kMost)
    return wanted("a whole number up to 1000000");
  take();
  return value;
}

Result<std::string> LineParser::text_argument(std::string_view what, Statement& out) {
  if (peek().kind != Token::Kind::kWord && peek().kind != Token::Kind::kQuoted) return wanted(what);
  out.argument = place();
  return take().text;
}

Status LineParser::forbid(Statement& out) {
  // Head and root can also be labels, which something follows.
  const bool label =
      next_ + 1 < tokens_.size() && (tokens_[next_ + 1].text == "then" || tokens_[next_ + 1].text == "at");
  if (!label && accept("head")) {
    out.verb = Verb::kForbidHead;
    ESPALIER_ASSIGN(out.first, labels());
    ESPALIER_TRY(expect("of"));
    ESPALIER_ASSIGN(out.second, labels());
    return {};
  }
  if (!label && accept("root")) {
    out.verb = Verb::kForbidRoot;
    ESPALIER_ASSIGN(out.first, labels());
    return {};
  }
  ESPALIER_ASSIGN(out.first, labels());
  if (accept("then")) {
    out.verb = Verb::kForbidPair;
    ESPALIER_ASSIGN(out.second, labels());
    return {};
  }
  if (!accept("at")) return wanted("'then' or 'at'");
  return edge(Verb::kForbidStart, Verb::kForbidEnd, out);
}

Status LineParser::require(Statement& out) {
  ESPALIER_ASSIGN(out.first, labels());
  if (at_word("then") || at_word("after")) {
    out.verb = at_word("then") ? Verb::kRequireNext : Verb::kRequireBefore;
    take();
    ESPALIER_ASSIGN(out.second, labels());
    return {};
  }
  if (!accept("at")) return wanted("'then', 'after' or 'at'");
  return edge(Verb::kRequireStart, Verb::kRequireEnd, out);
}

Status LineParser::edge(Verb at_start, Verb at_end, Statement& out) {
  out.verb = at_word("start") ? at_start : at_end;
  if (!accept("start") && !accept("end")) return wanted("'start' or 'end'");
  return {};
}

/// After "at" or "exactly".
Status LineParser::bound(Statement& out) {
  out.verb = Verb::kCount;
  const bool exactly = accept("exactly");
  if (!exactly) take();  // at
  const bool most = exactly || at_word("most"), least = exactly || at_word("least");
  if (!exactly && !accept("most") && !accept("least")) return wanted("'most' or 'least'");
  ESPALIER_ASSIGN(const size_t value, count());
  if (most) out.most = value;
  if (least) out.least = value;
  ESPALIER_TRY(expect("of"));
  out.each = accept("each");
  ESPALIER_ASSIGN(out.first, labels());
  return {};
}

Status LineParser::implication(Statement& out) {
  out.verb = Verb::kImplies;
  ESPALIER_ASSIGN(out.first, labels());
  ESPALIER_TRY(expect("then"));
  ESPALIER_ASSIGN(out.second, labels());
  if (accept("before")) {
    out.order = Order::kBefore;
  } else if (accept("after")) {
    out.order = Order::kAfter;
  } else {
    accept("anywhere");
  }
  return {};
}

Status LineParser::optional_labels(Statement& out) {
  if (!accept("of")) return {};
  ESPALIER_ASSIGN(out.first, labels());
  return {};
}

Status LineParser::allow(Statement& out) {
  if (accept("lexicon")) {
    out.verb = Verb::kAllowLexicon;
    ESPALIER_ASSIGN(out.file, text_argument("the name of a lexicon file", out));
    out.column = "1";
    if (accept("by")) {
      const Place file_place = out.argument;
      ESPALIER_ASSIGN(out.column, text_argument("a column", out));
      out.argument = file_place;
    }
  } else if (accept("column")) {
    out.verb = Verb::kAllowColumn;
    ESPALIER_ASSIGN(out.column, text_argument("a column", out));
  } else {
    return wanted("'lexicon' or 'column'");
  }
  return optional_labels(out);
}

Status LineParser::statement(Statement& out) {
  const size_t column = peek().column;
  if (accept("valid")) {
    out.verb = Verb::kValid;
    const auto scheme = data::parse_scheme(peek().text);
    if (!scheme.ok() || *scheme == data::Scheme::kNone)
      return wanted("one of iob1, iob2 (BIO), ioe1, ioe2, iobes (BIOES), bilou and bmewo");
    out.scheme = *scheme;
    take();
    return {};
  }
  if (accept("forbid")) return forbid(out);
  if (accept("require")) return require(out);
  if (at_word("at") || at_word("exactly")) return bound(out);
  if (accept("if")) return implication(out);
  if (accept("allow")) return allow(out);
  if (accept("force")) {
    out.verb = Verb::kForceColumn;
    ESPALIER_TRY(expect("column"));
    ESPALIER_ASSIGN(out.column, text_argument("a column", out));
    return {};
  }
  if (accept("no")) {
    out.verb = at_word("embedding") ? Verb::kNoEmbedding : Verb::kNoOverlap;
    if (!accept("overlap") && !accept("embedding")) return wanted("'overlap' or 'embedding'");
    return optional_labels(out);
  }
  if (accept("assignments")) {
    out.verb = Verb::kAssignments;
    ESPALIER_ASSIGN(out.file, text_argument("the name of a file of assignments", out));
    return {};
  }
  static constexpr std::array<std::string_view, 10> kVerbs = {
      "valid", "forbid", "require", "at", "exactly", "if", "no", "allow", "force", "assignments"};
  const std::string meant = nearest(peek().text, kVerbs);
  if (!meant.empty()) return error_at(column, "unknown constraint {}; did you mean '{}'?", found(), meant);
  return error_at(column, "expected a constraint ({}), found {}", joined(kVerbs, ", "), found());
}

Status LineParser::softness(Statement& out) {
  if (accept("hard")) return {};
  if (!accept("soft")) return {};
  const auto penalty = parse_number(peek().text);
  if (peek().kind != Token::Kind::kWord || !penalty.ok() || *penalty < 0)
    return wanted("a penalty, a number of at least 0");
  out.penalty = *penalty;
  take();
  return {};
}

Result<bool> LineParser::parse(Statement& out) {
  ESPALIER_TRY(split());
  if (peek().kind == Token::Kind::kEnd) return false;
  out.place = place();
  out.name = fmt::format("line {}", number_);
  if (peek().kind == Token::Kind::kWord && peek().text.back() == ':') {
    out.name = peek().text.substr(0, peek().text.size() - 1);
    if (out.name.empty()) return error_at(peek().column, "expected a name before the colon");
    constexpr size_t kLongestName = 200;  // bytes; messages repeat it
    if (out.name.size() > kLongestName)
      return error_at(peek().column, "a name of {} bytes before the colon; at most {} are allowed",
                      out.name.size(), kLongestName);
    take();
  }
  const size_t begin = peek().column - 1;
  ESPALIER_TRY(statement(out));
  ESPALIER_TRY(softness(out));
  if (peek().kind != Token::Kind::kEnd) return wanted("the end of the line");
  std::string_view text = line_.substr(begin, peek().column - 1 - begin);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  out.text = text;
  return true;
}

}  // namespace

Result<std::vector<Statement>> parse_constraints(std::string_view text, const std::string& file_name) {
  std::vector<Statement> statements;
  std::set<std::string, std::less<>> names;
  size_t bad = 0;
  if (!valid_utf8(text, &bad)) {
    const size_t line =
        static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(bad), '\n'));
    return fail("{}:{}: byte {} of the file is not UTF-8", file_name, line + 1, bad + 1);
  }
  size_t number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    ++number;
    Statement statement;
    ESPALIER_ASSIGN(const bool found, LineParser(text.substr(0, end), number, file_name).parse(statement));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!found) continue;
    if (!names.insert(statement.name).second)
      return fail("{}:{}:{}: there is already a constraint named '{}'", file_name, statement.place.line,
                  statement.place.column, statement.name);
    statements.push_back(std::move(statement));
  }
  if (statements.empty()) return fail("{}: the file has no constraints", file_name);
  return statements;
}

}  // namespace espalier::constrain
