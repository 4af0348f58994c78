// A quick look at one line of JSON, for the plain lines that most data files consist of: JsonScan takes text
// without escapes, arrays and whole values from left to right and copies nothing; scan_members() visits the
// members of an object. Where a line is damaged or merely unusual, a function returns false and the caller
// starts again with the general parser, which knows all of JSON and says what is wrong. Text that is taken is
// not checked for being UTF-8. Tested in jsonl_reader_test.cc, which compares both ways.
#pragma once

#include <string_view>
#include <vector>

namespace espalier::data {

class JsonScan {
 public:
  explicit JsonScan(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  /// Takes this character if it is the next one that is no blank.
  bool take(char wanted) {
    skip_blanks();
    if (at_ == end_ || *at_ != wanted) return false;
    ++at_;
    return true;
  }
  /// Whether this character is the next one that is no blank.
  bool next_is(char wanted) {
    skip_blanks();
    return at_ != end_ && *at_ == wanted;
  }
  /// Takes null.
  bool take_null() {
    skip_blanks();
    constexpr std::string_view kNull = "null";
    if (static_cast<size_t>(end_ - at_) < kNull.size() || std::string_view(at_, kNull.size()) != kNull)
      return false;
    at_ += kNull.size();
    return true;
  }
  /// Takes a text without escapes: a view of what is between the quotes.
  bool take_text(std::string_view& text) {
    if (!take('"')) return false;
    const char* const first = at_;
    for (; at_ != end_; ++at_) {
      if (*at_ == '"') {
        text = {first, static_cast<size_t>(at_ - first)};
        ++at_;
        return true;
      }
      if (*at_ == '\\' || static_cast<unsigned char>(*at_) < 0x20) return false;
    }
    return false;
  }
  /// Takes an array, whose elements `element` takes.
  template <typename Element>
  bool take_array(const Element& element) {
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
      if (!element()) return false;
    } while (take(','));
    return take(']');
  }
  /// Takes what looks like one value, whatever it is; only its end is looked for, so it must be parsed.
  bool take_value(std::string_view& value);
  /// Whether only blanks are left.
  bool ends() {
    skip_blanks();
    return at_ == end_;
  }

 private:
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
  }
  const char* at_;
  const char* end_;
};

/// Calls member(name, scan) for each member of an object, which must take the value.
template <typename Member>
bool scan_members(std::string_view line, const Member& member) {
  JsonScan scan(line);
  if (!scan.take('{')) return false;
  if (scan.take('}')) return scan.ends();
  do {
    std::string_view name;
    if (!scan.take_text(name) || !scan.take(':') || !member(name, scan)) return false;
  } while (scan.take(','));
  return scan.take('}') && scan.ends();
}

}  // namespace espalier::data
