// Values that tag adds to the rows of a sequence. Header only; tested through tag_format.h, in
// apps/tests/verbs_test.sh.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::model {

/// The extra fields of one sequence. Values live in one string, whose slices are known only once it stops
/// growing.
class ExtraValues {
 public:
  void clear() {
    text_.clear();
    ends_.clear();
  }
  std::string& text() { return text_; }
  void end_field() { ends_.push_back(text_.size()); }
  void add(std::string_view value) {
    text_ += value;
    end_field();
  }
  std::span<const std::string_view> values() {
    views_.clear();
    size_t begin = 0;
    for (const size_t end : ends_) {
      views_.push_back(std::string_view(text_).substr(begin, end - begin));
      begin = end;
    }
    return views_;
  }

 private:
  std::string text_;
  std::vector<size_t> ends_;
  std::vector<std::string_view> views_;
};

}  // namespace espalier::model
